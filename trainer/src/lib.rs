//! Training: replay window to batches, losses, optimiser, checkpoints.
//!
//! [`train`] does it all for a run folder. Its parts can be used alone: [`decode`] makes a [`Batch`] of rows,
//! [`losses`] compares it with a network's outputs, [`TrainState::step`] takes one step, [`save_checkpoint`] and
//! [`load_checkpoint`] keep everything that the next step depends on.
//!
//! On the CPU a run that is stopped and resumed is the same bit for bit as one that was not.

mod auxiliary;
mod bad_batch;
mod batch;
pub mod bench;
mod checkpoint;
mod decode;
mod error;
mod example;
mod goal;
mod init_from;
mod loader;
mod loss;
mod meter;
mod metrics;
mod optimiser;
mod params;
mod progress;
mod publish;
mod resume;
mod schedule;
mod state;
mod targets;
mod tensorboard;
mod train;
mod validate;

pub use auxiliary::{AuxiliaryParams, AuxiliaryTarget, auxiliary_losses, auxiliary_target};
pub use batch::{Batch, BatchInfo, HostBatch};
pub use checkpoint::{
    CheckpointManifest, CheckpointMeta, architecture_differences, checkpoint_path, checkpoints,
    load_checkpoint, read_manifest, save_checkpoint,
};
pub use decode::{decode, decode_split};
pub use error::TrainError;
pub use example::{DecodeParams, Example, Origin, example};
pub use goal::Steps;
pub use init_from::{Adopted, init_from};
pub use loader::{Loader, draw};
pub use loss::{Losses, log_policy, losses, move_logits};
pub use metrics::Metrics;
pub use optimiser::{Optimiser, Stepped};
pub use params::{
    EndTarget, EndTargets, Imitate, LossParams, OptimiserKind, OptimiserParams, TrainParams,
};
pub use progress::{Progress, Quiet, Report, Start};
pub use publish::save_network;
pub use schedule::{ScheduleParams, ScheduleShape};
pub use state::{StepStats, TrainState};
pub use targets::{ValueTarget, value_target};
pub use tensorboard::EventWriter;
pub use train::{Job, TrainReport, train};
pub use validate::{CALIBRATION_BINS, CalibrationBin, Validation, validate};
