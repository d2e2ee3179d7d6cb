//! A generation of self-play: which games are missing, who plays them, and what came out.

use crate::game::Shared;
use crate::params::SelfplayParams;
use crate::worker;
use mcts::{EvalError, LeafEvaluator, SearchParams};
use records::{
    Dataset, GameRecord, Kind, Provenance, RecordsError, Refused, Shape, ShardLimits, ShardWriter,
};
use rules::{Color, Position, Rules};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Failure of self-play.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// Files cannot be read or written.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The network cannot be opened or failed.
    #[error(transparent)]
    Network(#[from] EvalError),
    /// A worker thread cannot be started or died.
    #[error("a self-play worker {0}")]
    Worker(String),
}

/// What to play.
pub struct Job<'a, P: Position> {
    /// The run directory.
    pub run: &'a Path,
    /// Where every game starts.
    pub start: &'a P,
    /// Settings of self-play, checked.
    pub params: &'a SelfplayParams,
    /// Settings of the search, checked; `visits` is the budget of full searches.
    pub search: &'a SearchParams,
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation of the network, part of every game's id and seed.
    pub generation: u32,
    /// Hash of the network, for the records.
    pub network_hash: &'a str,
    /// The player in the records, e.g. `onnx:export/000003.onnx`.
    pub player: &'a str,
    /// Hash of the resolved config, for the records.
    pub config_hash: &'a str,
}

/// Progress of the job as workers report it, to be added up.
#[derive(Clone, Copy, Default, Debug)]
pub struct Shard {
    /// Games finished.
    pub games: u64,
    /// Plies of these games.
    pub plies: u64,
    /// Positions evaluated.
    pub evaluations: u64,
}

/// What one worker, or all of them, did.
#[derive(Clone, Default, Debug, serde::Serialize)]
pub struct Tally {
    /// Games finished and written.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Games that Black won.
    pub black_wins: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Games by end reason.
    pub end_reasons: BTreeMap<&'static str, u64>,
    /// Games in flight when the stop flag was set; they will be played again.
    pub dropped: u64,
    /// Games whose start position was decided already; they have no rows.
    pub decided_at_start: u64,
    /// Positions evaluated by the network.
    pub evaluations: u64,
    /// Network calls.
    pub batches: u64,
    /// Time in the network, summed over workers.
    pub network_time: Duration,
    /// Pairs of files written.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += u64::from(game.plies());
        match game.winner {
            Some(Color::Black) => self.black_wins += 1,
            Some(Color::White) => self.white_wins += 1,
            None => {}
        }
        *self.end_reasons.entry(game.reason.name()).or_insert(0) += 1;
    }

    fn add(&mut self, other: Tally) {
        self.games += other.games;
        self.plies += other.plies;
        self.black_wins += other.black_wins;
        self.white_wins += other.white_wins;
        for (reason, count) in other.end_reasons {
            *self.end_reasons.entry(reason).or_insert(0) += count;
        }
        self.dropped += other.dropped;
        self.decided_at_start += other.decided_at_start;
        self.evaluations += other.evaluations;
        self.batches += other.batches;
        self.network_time += other.network_time;
        self.files += other.files;
        self.bytes += other.bytes;
    }
}

/// Result of [`run`].
#[derive(Clone, Debug, serde::Serialize)]
pub struct Report {
    /// All workers together.
    pub tally: Tally,
    /// Games of this generation that were there before.
    pub already_there: u64,
    /// Games still missing because of a stop.
    pub missing: u64,
    /// Files of this run that were not read, with reasons.
    pub refused: Vec<Refused>,
    /// Wall-clock time.
    pub duration: Duration,
    /// Worker threads.
    pub workers: usize,
}

impl Report {
    /// Share of the workers' time spent in the network, 0 to 1.
    pub fn network_share(&self) -> f64 {
        let all = self.duration.as_secs_f64() * self.workers as f64;
        if all > 0.0 {
            self.tally.network_time.as_secs_f64() / all
        } else {
            0.0
        }
    }

    /// Mean batch size.
    pub fn mean_batch(&self) -> f64 {
        self.tally.evaluations as f64 / self.tally.batches.max(1) as f64
    }
}

/// Makes a worker's evaluator, told the worker's number.
pub type EvaluatorFactory<'a, P> =
    dyn Fn(usize) -> Result<Box<dyn LeafEvaluator<P>>, EvalError> + Sync + 'a;

/// Plays the games of the job's generation that the run directory does not hold yet, and writes them.
///
/// Worker `w` of `n` plays the games whose number is `w` modulo `n`, each seeded by (run seed, generation, number):
/// the same job gives the same games, interrupted or not, up to the network's rounding in batches of other size.
///
/// # Errors
/// [`SelfplayError`]; games written before it stay.
pub fn run<P: Position>(
    job: &Job<'_, P>,
    evaluators: &EvaluatorFactory<'_, P>,
    stop: &AtomicBool,
    progress: &(dyn Fn(Shard) + Sync),
) -> Result<Report, SelfplayError> {
    let begun = Instant::now();
    records::clean_leftovers(job.run)?;
    let mut dataset = Dataset::open(job.run, &Shape::of::<P>())?;
    let done = dataset.game_indices(job.generation);
    let missing: Vec<u32> = (0..job.params.games)
        .filter(|i| !done.contains(i))
        .collect();
    let workers = job.params.worker_count();
    let shared = Shared {
        params: job.params,
        search: job.search,
        start: job.start,
        run_seed: job.run_seed,
        generation: job.generation,
        network_hash: job.network_hash,
        player: job.player,
    };
    let results: Mutex<Vec<Result<Tally, SelfplayError>>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let indices: Vec<u32> = missing
                .iter()
                .copied()
                .filter(|i| *i as usize % workers == worker)
                .collect();
            if indices.is_empty() {
                continue;
            }
            let (shared, results) = (&shared, &results);
            let work = move || {
                let result = (|| {
                    let mut evaluator = evaluators(worker)?;
                    let writer = ShardWriter::new(
                        job.run,
                        &worker.to_string(),
                        provenance(job),
                        limits(job.params),
                    )?;
                    worker::play(shared, indices, evaluator.as_mut(), writer, stop, progress)
                })();
                results.lock().expect("no panic while held").push(result);
            };
            let spawned = std::thread::Builder::new()
                .name(format!("selfplay-{worker}"))
                .spawn_scoped(scope, work);
            if let Err(error) = spawned {
                let error = SelfplayError::Worker(format!("cannot be started: {error}"));
                results
                    .lock()
                    .expect("no panic while held")
                    .push(Err(error));
            }
        }
    });
    let mut tally = Tally::default();
    for result in results.into_inner().expect("no panic while held") {
        tally.add(result?);
    }
    let missing = missing.len() as u64 - tally.games - tally.decided_at_start;
    Ok(Report {
        missing,
        already_there: done.len() as u64,
        refused: dataset.refused().to_vec(),
        duration: begun.elapsed(),
        workers,
        tally,
    })
}

fn provenance<P: Position>(job: &Job<'_, P>) -> Provenance {
    Provenance {
        game: P::GAME.to_string(),
        rules: job.start.rules().name(),
        config_hash: job.config_hash.to_string(),
        network_hash: job.network_hash.to_string(),
        run_seed: job.run_seed,
        code_version: env!("CARGO_PKG_VERSION").to_string(),
        generation: job.generation,
        kind: Kind::Selfplay,
    }
}

fn limits(params: &SelfplayParams) -> ShardLimits {
    ShardLimits {
        max_positions: params.rows_per_file,
        ..ShardLimits::default()
    }
}
