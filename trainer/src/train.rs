//! The training run: from a run folder's records and latest checkpoint to new checkpoints.
//!
//! What it begins with is in [`crate::resume`], which rows and how far in [`crate::goal`], one step in [`crate::state`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use encoding::Encoded;
use inference::{Architecture, sha256};
use network::tch::{Device, Tensor};
use network::{Cost, keep_memory, parse_device, set_threads};
use records::ReplayWindow;
use rules::Rules;

use crate::TrainError;
use crate::bad_batch::save_batch;
use crate::batch::Batch;
use crate::checkpoint::{self, CheckpointMeta};
use crate::example::DecodeParams;
use crate::goal::{Steps, open_window};
use crate::loader::Loader;
use crate::meter::Meter;
use crate::metrics::Metrics;
use crate::params::TrainParams;
use crate::progress::{Progress, Report, Start};
use crate::resume::resume;
use crate::state::TrainState;
use crate::validate::{Validation, validate};

/// What to train.
#[derive(Clone, Debug)]
pub struct Job<'a, P: Encoded> {
    /// The run folder.
    pub run: &'a Path,
    /// Settings.
    pub params: &'a TrainParams,
    /// Sizes of the network; a checkpoint of other sizes is refused.
    pub architecture: &'a Architecture,
    /// Rules of the run, for the manifests; rows bring their own.
    pub rules: &'a P::Rules,
    /// How far.
    pub steps: Steps,
    /// Which generation this makes, if the run counts them.
    pub generation: Option<u32>,
}

/// The result of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainReport {
    /// Steps done before.
    pub first_step: u64,
    /// Steps done now.
    pub step: u64,
    /// The step that was to be reached.
    pub goal: u64,
    /// Whether it was asked to stop before the goal.
    pub stopped: bool,
    /// Steps skipped in this call for not being finite.
    pub skipped: u64,
    /// Record files of the run that were not read; each has been noted with its reason.
    pub refused: usize,
    /// Means over the last report interval; `None` where no step was done.
    pub last: Option<Report>,
    /// The last validation; `None` where none was done.
    pub validation: Option<Validation>,
    /// The newest checkpoint; `None` where no step was ever done.
    pub checkpoint: Option<PathBuf>,
    /// Wall-clock time of the steps.
    pub seconds: f64,
    /// Positions trained on, by that time.
    pub positions_per_second: f64,
    /// Share of that time spent waiting for data.
    pub wait_share: f64,
}

/// Trains from the latest checkpoint of the run, or from its newest network, or from fresh weights, until the steps
/// are done or `stop` is set; both end with a checkpoint.
///
/// # Errors
/// [`TrainError`]: settings out of range, no usable records, a checkpoint that is damaged or of another network, a row
/// that cannot be trained on, too many steps that are not finite, or the file system.
pub fn train<P: Encoded>(
    job: &Job<'_, P>,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<TrainReport, TrainError> {
    let params = job.params;
    params.check().map_err(TrainError::Config)?;
    job.architecture.check().map_err(TrainError::Config)?;
    let device = parse_device(&params.device)
        .map_err(|e| TrainError::Config(format!("train.device: {e}")))?;
    set_threads(params.resolved_threads());
    keep_memory();

    let config = toml::to_string(params).map_err(|e| TrainError::Config(e.to_string()))?;
    let config_hash = sha256(config.as_bytes());
    let (previous, mut state, parent) = resume::<P>(job, device, &config_hash, progress)?;
    let (new, gone) = state
        .set_heads(params.auxiliary.heads(), params.seed)
        .map_err(|e| TrainError::Data(format!("the auxiliary heads: {e}")))?;
    // Said where a run changes them: at its start, all are new.
    if previous.is_some() {
        for (names, what) in [(new, "start fresh"), (gone, "are dropped")] {
            if !names.is_empty() {
                let names = names.join(", ");
                progress.note(&format!("auxiliary heads changed: {names} {what}"));
            }
        }
    }
    let (window, goal) = open_window::<P>(job, previous.as_ref(), state.step, progress)?;
    let meta = CheckpointMeta {
        goal,
        generation: job.generation,
        optimiser: params.optimiser.kind,
        seed: params.seed,
        window: window.stems(),
        parent,
        rules: job.rules.name(),
        config_hash,
    };
    let cost = Cost::of(state.network.spec(), state.network.arch());
    progress.started(&Start {
        step: state.step,
        goal,
        cost,
        auxiliary_parameters: state.auxiliary.0.values().map(Tensor::numel).sum(),
        training_bytes: cost.training_memory(params.positions_at_a_time()),
        device: match device {
            Device::Cuda(index) => format!("GPU {index}"),
            _ => format!("CPU, {} threads", network::tch::get_num_threads()),
        },
        train_rows: window.train_rows().len(),
        validation_rows: window.validation_rows().len(),
        games: window.games(),
        window_bytes: window.memory_bytes(),
    });
    let run = Run {
        run: job.run,
        params,
        window: Arc::new(window),
        meta,
        state,
        device,
    };
    run.run::<P>(progress, stop)
}

/// A run that is ready to go.
struct Run<'a> {
    run: &'a Path,
    params: &'a TrainParams,
    window: Arc<ReplayWindow>,
    meta: CheckpointMeta,
    state: TrainState,
    device: Device,
}

impl Run<'_> {
    fn run<P: Encoded>(
        mut self,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<TrainReport, TrainError> {
        let (params, goal) = (self.params, self.meta.goal);
        let (first_step, first_skipped) = (self.state.step, self.state.skipped);
        let newest = self.newest_generation();
        let mut loader = Loader::start::<P>(self.window.clone(), params, first_step..goal)?;
        let mut metrics = Metrics::create(self.run, first_step)?;
        let mut meter = Meter::new();
        let (mut last, mut validation) = (None, None);
        let (mut saved, mut validated) = (first_step, first_step);
        let start = Instant::now();
        while self.state.step < goal && !stop.load(Ordering::Relaxed) {
            let batch: Vec<Batch> = loader
                .take()?
                .into_iter()
                .map(|part| part.to_device(self.device))
                .collect();
            let stats = self.state.step_in_parts(&batch, params);
            meter.add(&stats, &batch);
            if self.state.skips_in_row >= params.max_skips {
                return Err(self.diverged(&batch));
            }
            let step = self.state.step;
            if step.is_multiple_of(params.report_every) || step == goal {
                let report = meter.report(step, goal, newest, &loader);
                progress.report(&report);
                metrics.report(&report)?;
                last = Some(report);
            }
            if params.validate_every > 0 && step.is_multiple_of(params.validate_every) {
                validation = self.validate::<P>(progress, &mut metrics)?.or(validation);
                validated = step;
            }
            // A state of skipped steps waits: the last good checkpoint must stay among the kept ones.
            if step.is_multiple_of(params.checkpoint_every) && self.state.skips_in_row == 0 {
                self.save(progress, &metrics)?;
                saved = step;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let step = self.state.step;
        if step > saved {
            self.save(progress, &metrics)?;
        }
        let stopped = step < goal;
        if !stopped && step > validated {
            validation = self.validate::<P>(progress, &mut metrics)?.or(validation);
            metrics.flush()?;
        }
        let positions = (step - first_step) as f64 * params.batch_size as f64;
        let dir = checkpoint::checkpoint_path(self.run, step);
        Ok(TrainReport {
            first_step,
            step,
            goal,
            stopped,
            skipped: self.state.skipped - first_skipped,
            refused: self.window.refused().len(),
            last,
            validation,
            checkpoint: dir.is_dir().then_some(dir),
            seconds,
            positions_per_second: positions / seconds.max(1e-9),
            wait_share: loader.waited().as_secs_f64() / seconds.max(1e-9),
        })
    }

    fn save(&self, progress: &mut dyn Progress, metrics: &Metrics) -> Result<(), TrainError> {
        metrics.flush()?;
        let dir = checkpoint::save_checkpoint(
            self.run,
            &self.state,
            &self.meta,
            self.params.keep_checkpoints,
        )?;
        progress.saved(self.state.step, &dir);
        Ok(())
    }

    fn validate<P: Encoded>(
        &self,
        progress: &mut dyn Progress,
        metrics: &mut Metrics,
    ) -> Result<Option<Validation>, TrainError> {
        let params = self.params;
        let network = self
            .state
            .averaged()
            .map_err(|e| TrainError::Data(format!("the weight average: {e}")))?;
        let validation = validate::<P>(
            &network,
            &self.window,
            params.validation_positions,
            params.positions_at_a_time(),
            &DecodeParams::from(params),
            &params.loss,
        )?;
        if let Some(validation) = &validation {
            progress.validated(self.state.step, validation);
            metrics.validated(self.state.step, validation)?;
        }
        Ok(validation)
    }

    /// Generation of the newest game in the window.
    fn newest_generation(&self) -> f64 {
        let rows = self.window.rows();
        if rows == 0 {
            0.0
        } else {
            f64::from(self.window.game(rows - 1).0.generation)
        }
    }

    /// Saves the batch that broke training, and says so.
    fn diverged(&self, batch: &[Batch]) -> TrainError {
        let step = self.state.step;
        let dir = self.run.join("bad-batches").join(format!("{step:07}"));
        match save_batch(&dir, batch) {
            Ok(()) => TrainError::Diverged {
                step,
                skips: self.state.skips_in_row,
                batch: dir,
            },
            Err(error) => TrainError::Io { path: dir, error },
        }
    }
}
