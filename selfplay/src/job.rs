//! A generation of self-play: which games are missing, and the workers that play them.

use crate::game::{Game, Next};
use crate::log::{Finished, Shared};
use crate::params::SelfplayParams;
use crate::players::{self, End, PlayerMaker};
use crate::starts::Starts;
use crate::tally::{Progress, Report, Tally};
use crate::worker::{self, Desk};
use mcts::{EvalError, Evaluations, LeafEvaluator, SearchParams};
use records::{Dataset, Kind, Provenance, RecordsError, Shape, ShardLimits, ShardWriter};
use rules::{Position, Rules};
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
    /// A worker thread cannot be started or died, or its player cannot play.
    #[error("a self-play worker {0}")]
    Worker(String),
}

/// What to play.
pub struct Job<'a, P: Position> {
    /// The run directory.
    pub run: &'a Path,
    /// Where games start.
    pub starts: &'a Starts<P>,
    /// Settings of self-play, checked.
    pub params: &'a SelfplayParams,
    /// Settings of the search, checked; `visits` is the budget of full searches.
    pub search: &'a SearchParams,
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation of the network, part of every game's id and seed.
    pub generation: u32,
    /// Hash of the network, for the records; empty where none plays.
    pub network_hash: &'a str,
    /// The player in the records, e.g. `onnx:export/000003.onnx`.
    pub player: &'a str,
    /// Hash of the resolved config, for the records.
    pub config_hash: &'a str,
    /// Asked before each game: whether a newer network is there. Then no further game of this job begins, and those in
    /// flight are played to their end.
    pub newer: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// Makes a worker's evaluator, told the worker's number.
pub type EvaluatorFactory<'a, P> =
    dyn Fn(usize) -> Result<Box<dyn LeafEvaluator<P>>, EvalError> + Sync + 'a;

/// Who plays.
pub enum Source<'a, P: Position> {
    /// Searches over a network.
    Network(&'a EvaluatorFactory<'a, P>),
    /// Another player, on both sides.
    Player(&'a PlayerMaker<'a, P>),
}

/// Plays the games of the job's generation that the run directory does not hold yet, and writes them.
///
/// Worker `w` of `n` plays the games whose number is `w` modulo `n`, each seeded by (run seed, generation, number):
/// the same job gives the same games, interrupted or not, up to the network's rounding in batches of other size.
///
/// # Errors
/// [`SelfplayError`]; games written before it stay.
pub fn run<P: Position>(
    job: &Job<'_, P>,
    source: &Source<'_, P>,
    stop: &AtomicBool,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, SelfplayError> {
    let begun = Instant::now();
    records::clean_leftovers(job.run)?;
    let mut dataset = Dataset::open(job.run, &Shape::of::<P>())?;
    let done = dataset.game_indices(job.generation);
    let missing: Vec<u32> = (0..job.params.games)
        .filter(|i| !done.contains(i))
        .collect();
    let workers = job.params.worker_count();
    let shared = shared(job);
    type Outcome = Result<(Tally, Duration), SelfplayError>;
    let results: Mutex<Vec<Outcome>> = Mutex::new(Vec::new());
    let push = |result| results.lock().expect("no panic while held").push(result);
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
            let (shared, push) = (&shared, &push);
            let work = move || {
                push((|| {
                    let name = worker.to_string();
                    let writer =
                        ShardWriter::new(job.run, &name, provenance(job), limits(job.params))?;
                    let desk = Desk::new(shared, job, writer, stop, progress);
                    match source {
                        Source::Network(evaluators) => {
                            let evaluator = evaluators(worker)?;
                            let begun = Instant::now();
                            Ok((worker::play(desk, indices, evaluator)?, begun.elapsed()))
                        }
                        Source::Player(make) => {
                            let mut player = make().map_err(SelfplayError::Worker)?;
                            let begun = Instant::now();
                            let tally = players::play(desk, indices, player.as_mut())?;
                            Ok((tally, begun.elapsed()))
                        }
                    }
                })());
            };
            let spawned = std::thread::Builder::new()
                .name(format!("selfplay-{worker}"))
                .spawn_scoped(scope, work);
            if let Err(error) = spawned {
                let problem = format!("cannot be started: {error}");
                push(Err(SelfplayError::Worker(problem)));
            }
        }
    });
    let duration = begun.elapsed();
    let mut tally = Tally::default();
    let mut busy = Duration::ZERO;
    for result in results.into_inner().expect("no panic while held") {
        let (worker, time) = result?;
        tally.add(worker);
        busy += time;
    }
    tally.times.idle = (duration * workers as u32).saturating_sub(busy);
    Ok(Report {
        missing: missing.len() as u64 - tally.games - tally.decided_at_start,
        already_there: done.len() as u64,
        refused: dataset.refused().to_vec(),
        duration,
        workers,
        max_batch: job.params.games_in_flight,
        tally,
    })
}

/// Plays one game of the job again, without writing it; `None` if its start position is decided. The network sees one
/// position at a time.
///
/// # Errors
/// The network or player cannot be made, or fails.
pub fn replay<P: Position>(
    job: &Job<'_, P>,
    source: &Source<'_, P>,
    index: u32,
) -> Result<Option<Finished>, SelfplayError> {
    let shared = shared(job);
    let evaluators = match source {
        Source::Network(evaluators) => evaluators,
        Source::Player(make) => {
            let mut player = make().map_err(SelfplayError::Worker)?;
            let never = AtomicBool::new(false);
            return match players::play_one(&shared, index, player.as_mut(), &never) {
                End::Done(done) => Ok(done.map(|done| *done)),
                End::Fault(fault) => Err(SelfplayError::Worker(fault.to_string())),
                End::Stopped => Ok(None),
            };
        }
    };
    let mut evaluator = evaluators(0)?;
    let mut answers = Evaluations::default();
    let Ok(mut game) = Game::start(&shared, index) else {
        return Ok(None);
    };
    loop {
        match game.advance(&shared, evaluator.as_mut()) {
            Next::Leaf(ticket) => {
                evaluator.flush(&mut answers)?;
                game.apply(ticket, &answers, 0)?;
            }
            Next::Over(outcome) => return Ok(game.finish(&shared, outcome)),
        }
    }
}

fn shared<'a, P: Position>(job: &Job<'a, P>) -> Shared<'a, P> {
    Shared {
        params: job.params,
        search: job.search,
        quiet: job.search.without_noise(),
        starts: job.starts,
        run_seed: job.run_seed,
        generation: job.generation,
        network_hash: job.network_hash,
        player: job.player,
    }
}

fn provenance<P: Position>(job: &Job<'_, P>) -> Provenance {
    Provenance {
        game: P::GAME.to_string(),
        rules: job.starts.positions()[0].rules().name(),
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
