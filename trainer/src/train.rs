//! The training run: from a run folder's records and latest checkpoint to new checkpoints.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use encoding::Encoded;
use files::write_folder;
use inference::{Architecture, Manifest, sha256};
use network::tch::{Device, Tensor};
use network::{Cost, Network, keep_memory, load_network, parse_device, set_threads};
use records::{RecordsError, ReplayWindow, Shape};
use rules::Rules;

use crate::TrainError;
use crate::batch::Batch;
use crate::checkpoint::{self, CheckpointManifest, CheckpointMeta};
use crate::example::DecodeParams;
use crate::loader::Loader;
use crate::metrics::Metrics;
use crate::params::TrainParams;
use crate::progress::{Progress, Report, Start};
use crate::state::{StepStats, TrainState};
use crate::validate::{Validation, validate};

/// How far to train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// This many steps from the latest checkpoint; where that belongs to the same [`Job::generation`], the goal of the
    /// call that wrote it, so that a repeated call trains no more than one that was not interrupted.
    More(u64),
    /// Until this many steps are done in all. Repeating the call after an interruption goes on where it stopped.
    Until(u64),
    /// As many steps in all as the run's positions are worth, see [`TrainParams::samples_per_position`]. As `Until`.
    ByData,
}

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

/// The latest checkpoint's manifest, the state to go on from, and the hash of the network it all began with.
fn resume<P: Encoded>(
    job: &Job<'_, P>,
    device: Device,
    config_hash: &str,
    progress: &mut dyn Progress,
) -> Result<(Option<CheckpointManifest>, TrainState, String), TrainError> {
    let Some(&step) = checkpoint::checkpoints(job.run)?.last() else {
        let (network, parent) = first_network::<P>(job, device, progress)?;
        return Ok((None, TrainState::new(network), parent));
    };
    let dir = checkpoint::checkpoint_path(job.run, step);
    let manifest = checkpoint::read_manifest(&dir)?;
    let differences =
        checkpoint::architecture_differences(&manifest.architecture, job.architecture);
    if !differences.is_empty() {
        return Err(TrainError::checkpoint(
            &dir,
            format!(
                "a checkpoint of another network: {}; use the run's own sizes, or a new run folder with --init-from {}",
                differences.join(", "),
                dir.display()
            ),
        ));
    }
    if manifest.optimiser != job.params.optimiser.kind {
        return Err(TrainError::checkpoint(
            &dir,
            format!(
                "holds the memory of the optimiser {:?}, the config says {:?}; use the same optimiser, or a new run \
                 folder with --init-from {}",
                manifest.optimiser,
                job.params.optimiser.kind,
                dir.display()
            ),
        ));
    }
    let (manifest, state) = checkpoint::load_checkpoint::<P>(&dir, device)?;
    progress.note(&format!("going on from the checkpoint of step {step}"));
    if manifest.config_hash != config_hash {
        progress.note("the training settings are not the ones of the checkpoint; the new ones hold from here on");
    }
    let parent = manifest.parent.clone();
    Ok((Some(manifest), state, parent))
}

/// The run's newest network, if it fits, or fresh weights; and its hash.
fn first_network<P: Encoded>(
    job: &Job<'_, P>,
    device: Device,
    progress: &mut dyn Progress,
) -> Result<(Network, String), TrainError> {
    if let Some(generation) = latest_generation(job.run)? {
        let dir = network_path(job.run, generation);
        let (manifest, network) = load_network::<P>(&dir, device)?;
        let differences =
            checkpoint::architecture_differences(&manifest.architecture, job.architecture);
        if !differences.is_empty() {
            return Err(TrainError::checkpoint(
                &dir,
                format!(
                    "the run's network has other sizes: {}; use the run's own sizes, or a new run folder",
                    differences.join(", ")
                ),
            ));
        }
        progress.note(&format!(
            "no checkpoint yet: starting from network {generation}"
        ));
        return Ok((network, manifest.hash));
    }
    progress.note("no checkpoint and no network yet: starting from fresh weights");
    let network = Network::fresh::<P>(job.architecture.clone(), job.params.seed)
        .map_err(|e| TrainError::Config(e.to_string()))?;
    Ok((to_device(network, device), String::new()))
}

fn to_device(network: Network, device: Device) -> Network {
    if network.device() == device {
        network
    } else {
        network.to_device(device)
    }
}

/// The window, and the step to reach. A call that repeats an interrupted one gets the very same files.
fn open_window<P: Encoded>(
    job: &Job<'_, P>,
    previous: Option<&CheckpointManifest>,
    step: u64,
    progress: &mut dyn Progress,
) -> Result<(ReplayWindow, u64), TrainError> {
    let params = job.params;
    let shape = Shape::of::<P>();
    let window = ReplayWindow::open(job.run, &shape, params.window.clone())
        .map_err(|e| without_rows(e, params))?;
    for refused in window.refused() {
        progress.note(&format!(
            "not read: {}: {}",
            refused.file.display(),
            refused.reason
        ));
    }
    let repeated = previous
        .filter(|manifest| job.generation.is_some() && manifest.generation == job.generation);
    let goal = match job.steps {
        Steps::More(steps) => repeated.map_or(step.saturating_add(steps), |manifest| manifest.goal),
        Steps::Until(goal) => goal,
        Steps::ByData => {
            (window.total_positions() as f64 * params.samples_per_position
                / params.batch_size as f64) as u64
        }
    };
    let too_few = |what: String| {
        TrainError::Data(format!(
            "{}: {what}; play or import more games, or change the setting",
            job.run.display()
        ))
    };
    if window.train_rows().len() < params.batch_size {
        return Err(too_few(format!(
            "too few positions: {} to train on, train.batch_size = {}",
            window.train_rows().len(),
            params.batch_size
        )));
    }
    if goal == 0 && job.steps == Steps::ByData {
        return Err(too_few(format!(
            "too few positions: {} are not worth one step at train.samples_per_position = {}",
            window.total_positions(),
            params.samples_per_position
        )));
    }
    let interrupted =
        previous.filter(|manifest| manifest.step < manifest.goal && manifest.goal == goal);
    let window = match interrupted {
        Some(manifest) if manifest.window != window.stems() => {
            progress.note("the last call was interrupted: going on with the same position files");
            ReplayWindow::open_exact(job.run, &shape, params.window.clone(), &manifest.window)?
        }
        _ => window,
    };
    Ok((window, goal))
}

/// The error of a window without rows, with what the trainer knows about it.
fn without_rows(error: RecordsError, params: &TrainParams) -> TrainError {
    match error {
        RecordsError::NoData(text) if params.window.policy_only => TrainError::Data(format!(
            "{text}; games without searches, such as imported ones, need train.imitate = \"all\" and \
             train.window.policy_only = false"
        )),
        error => error.into(),
    }
}

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
            Err(source) => TrainError::Io { path: dir, source },
        }
    }
}

/// Writes the tensors of a batch and where its positions come from; of a batch in parts, each part.
fn save_batch(dir: &Path, batch: &[Batch]) -> std::io::Result<()> {
    let mut files = Vec::new();
    for (i, part) in batch.iter().enumerate() {
        let tensors = part
            .tensors()
            .into_iter()
            .map(|(name, t)| (name.to_string(), t.shallow_clone()));
        let tensors = network::Weights(tensors.collect())
            .to_safetensors()
            .map_err(std::io::Error::other)?;
        let number = if i == 0 {
            String::new()
        } else {
            format!("-{i}")
        };
        files.push((format!("batch{number}.safetensors"), tensors));
    }
    let origins: Vec<_> = batch.iter().flat_map(|part| &part.info.origins).collect();
    files.push(("rows.json".into(), serde_json::to_vec_pretty(&origins)?));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    write_folder(dir, &files)
}

/// Means over a report interval.
struct Meter {
    steps: u64,
    finite: u64,
    positions: usize,
    sums: StepStats,
    entropy: f64,
    generation: f64,
    rate: f64,
    start: Instant,
    waited: std::time::Duration,
}

impl Meter {
    fn new() -> Meter {
        Meter {
            steps: 0,
            finite: 0,
            positions: 0,
            sums: StepStats::default(),
            entropy: 0.0,
            generation: 0.0,
            rate: 0.0,
            start: Instant::now(),
            waited: std::time::Duration::ZERO,
        }
    }

    fn add(&mut self, stats: &StepStats, batch: &[Batch]) {
        self.steps += 1;
        self.positions += batch.iter().map(Batch::len).sum::<usize>();
        self.rate = stats.learning_rate;
        if stats.finite {
            self.finite += 1;
            let sums = &mut self.sums;
            for (sum, value) in [
                (&mut sums.total, stats.total),
                (&mut sums.policy, stats.policy),
                (&mut sums.wdl, stats.wdl),
                (&mut sums.moves_left, stats.moves_left),
                (&mut sums.future, stats.future),
                (&mut sums.short_term, stats.short_term),
                (&mut sums.soft_policy, stats.soft_policy),
                (&mut sums.accuracy, stats.accuracy),
                (&mut sums.gradient_norm, stats.gradient_norm),
            ] {
                *sum += value;
            }
            for part in batch {
                self.entropy += part.info.policy_entropy;
                self.generation += part.info.generation;
            }
        }
    }

    /// The means, and a new interval.
    fn report(&mut self, step: u64, goal: u64, newest: f64, loader: &Loader) -> Report {
        let n = (self.finite as f64).max(1.0);
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let waited = (loader.waited() - self.waited).as_secs_f64();
        let sums = &self.sums;
        let report = Report {
            step,
            goal,
            loss: sums.total / n,
            policy: sums.policy / n,
            policy_kl: (sums.policy - self.entropy) / n,
            policy_accuracy: sums.accuracy / n,
            wdl: sums.wdl / n,
            moves_left: sums.moves_left / n,
            future: sums.future / n,
            short_term: sums.short_term / n,
            soft_policy: sums.soft_policy / n,
            learning_rate: self.rate,
            gradient_norm: sums.gradient_norm / n,
            data_age: newest - self.generation / n,
            skipped: self.steps - self.finite,
            positions_per_second: self.positions as f64 / seconds,
            wait_share: waited / seconds,
            seconds_left: (goal - step) as f64 * seconds / self.steps.max(1) as f64,
        };
        *self = Meter {
            waited: loader.waited(),
            ..Meter::new()
        };
        report
    }
}

/// Exports the averaged weights of the run's latest checkpoint as network `generation`.
///
/// # Errors
/// No checkpoint, a damaged one, or another network there already.
pub fn save_network<P: Encoded>(run: &Path, generation: u32) -> Result<Manifest, TrainError> {
    let Some(&step) = checkpoint::checkpoints(run)?.last() else {
        return Err(TrainError::checkpoint(
            run.join("checkpoints"),
            "no checkpoint to export a network from; run `tenjiku train` first",
        ));
    };
    let dir = checkpoint::checkpoint_path(run, step);
    let (manifest, state) = checkpoint::load_checkpoint::<P>(&dir, Device::Cpu)?;
    let network = state
        .averaged()
        .map_err(|e| TrainError::checkpoint(&dir, e))?;
    let parent = match generation.checked_sub(1).map(|g| network_path(run, g)) {
        Some(parent) if parent.join(Manifest::FILE).is_file() => Manifest::read(&parent)?.hash,
        _ => manifest.parent,
    };
    let meta = network::NetworkMeta {
        generation: Some(generation),
        step,
        parent,
        rules: manifest.rules,
    };
    Ok(network::save_network(
        &network_path(run, generation),
        &network,
        &meta,
    )?)
}

/// `networks/000012`.
fn network_path(run: &Path, generation: u32) -> PathBuf {
    run.join("networks").join(format!("{generation:06}"))
}

/// The newest generation with a complete network folder.
fn latest_generation(run: &Path) -> Result<Option<u32>, TrainError> {
    let path = run.join("networks");
    match std::fs::read_dir(&path) {
        Ok(entries) => Ok(entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|&generation| network_path(run, generation).join(Manifest::FILE).is_file())
            .max()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(TrainError::io(path)(e)),
    }
}
