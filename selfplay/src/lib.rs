//! Self-play: games of a network against itself, or of another player, written as Parquet records.
//!
//! Each worker thread plays some games in lockstep: every game goes on to its next leaf, one network call answers all
//! of them. On a CPU each worker has its own network: no lock, no shared queue, and so the same games each time. On a GPU
//! the workers share a [`Batcher`]; nothing else differs. Settings: [`SelfplayParams`]; all of it in `docs/selfplay.md`.

mod backend;
mod batcher;
mod game;
mod job;
mod log;
mod params;
mod players;
mod starts;
mod tally;
mod timed;
mod worker;

pub use backend::{NetworkFiles, Trial, bare_rate, open_backend, sample_positions, trial};
pub use batcher::Batcher;
pub use job::{EvaluatorFactory, Job, SelfplayError, Source, replay, run};
pub use log::Finished;
pub use params::{BackendChoice, BatcherParams, Batching, NETWORK, ResignParams, SelfplayParams};
pub use players::PlayerMaker;
pub use starts::{StartParams, Starts};
pub use tally::{Progress, Report, Resignations, Tally, Times};
