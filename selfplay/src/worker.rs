//! One worker thread: some games in lockstep, one batch for all of them, rows to its own files.

use crate::game::{Game, Next};
use crate::job::{Job, SelfplayError};
use crate::log::{Finished, Shared};
use crate::tally::{Progress, Tally};
use crate::timed::Timed;
use mcts::{CachedEvaluator, Evaluations, LeafEvaluator, Ticket};
use records::ShardWriter;
use rules::Position;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Finished games wait at most this long for their file: what a power cut may cost.
const FLUSH_EVERY: Duration = Duration::from_secs(30);

/// What a worker has at hand, whoever plays.
pub(crate) struct Desk<'a, P: Position> {
    pub shared: &'a Shared<'a, P>,
    pub job: &'a Job<'a, P>,
    pub writer: ShardWriter<P>,
    pub stop: &'a AtomicBool,
    pub report: &'a (dyn Fn(Progress) + Sync),
    pub tally: Tally,
    last_flush: Instant,
}

impl<'a, P: Position> Desk<'a, P> {
    pub fn new(
        shared: &'a Shared<'a, P>,
        job: &'a Job<'a, P>,
        writer: ShardWriter<P>,
        stop: &'a AtomicBool,
        report: &'a (dyn Fn(Progress) + Sync),
    ) -> Self {
        Desk {
            shared,
            job,
            writer,
            stop,
            report,
            tally: Tally::default(),
            last_flush: Instant::now(),
        }
    }

    /// Whether the user wants to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether a newer network is there, for which no further game should begin.
    pub fn outdated(&self) -> bool {
        self.job.newer.is_some_and(|newer| newer())
    }

    /// Notes that a game begins, so that it is counted as lost should the process be killed.
    pub fn begin(&mut self, index: u32) -> Result<(), SelfplayError> {
        Ok(self.writer.begin_game(index)?)
    }

    /// Counts and writes a finished game.
    pub fn keep(&mut self, done: Option<Finished>) -> Result<(), SelfplayError> {
        let Some(done) = done else {
            self.tally.decided_at_start += 1;
            return Ok(());
        };
        let begun = Instant::now();
        let written = self.writer.push(&done.game, &done.rows)?;
        self.tally.count(&done.game);
        self.tally.count_file(written);
        self.tally.times.records += begun.elapsed();
        (self.report)(Progress {
            games: 1,
            plies: done.rows.len() as u64,
            ..Progress::default()
        });
        Ok(())
    }

    /// Writes the file if the last one is long ago.
    pub fn flush_now_and_then(&mut self) -> Result<(), SelfplayError> {
        if self.last_flush.elapsed() >= FLUSH_EVERY {
            let begun = Instant::now();
            self.tally.count_file(self.writer.flush()?);
            self.last_flush = Instant::now();
            self.tally.times.records += begun.elapsed();
        }
        Ok(())
    }

    /// Writes the rest.
    pub fn close(mut self) -> Result<Tally, SelfplayError> {
        let begun = Instant::now();
        self.tally.count_file(self.writer.finish()?);
        self.tally.times.records += begun.elapsed();
        Ok(self.tally)
    }
}

/// Plays the games of `indices`, as many at a time as the settings say, until all are done or it should stop; then
/// finished games are written and games in flight are dropped.
pub(crate) fn play<P: Position>(
    mut desk: Desk<'_, P>,
    indices: Vec<u32>,
    evaluator: Box<dyn LeafEvaluator<P>>,
) -> Result<Tally, SelfplayError> {
    let shared = desk.shared;
    let mut evaluator = CachedEvaluator::new(Timed::new(evaluator), shared.params.cache_entries);
    let mut waiting = indices.into_iter();
    let mut games: Vec<Game<P>> = Vec::new();
    let mut tickets: Vec<(usize, Ticket)> = Vec::new();
    let mut answers = Evaluations::default();
    let mut reported = Progress::default();
    loop {
        let begun = Instant::now();
        let before = elsewhere(&desk.tally, &evaluator);
        while games.len() < shared.params.games_in_flight {
            let Some(index) = waiting.next() else { break };
            if desk.outdated() {
                waiting = Vec::new().into_iter();
                break;
            }
            match Game::start(shared, index) {
                Ok(game) => {
                    desk.begin(index)?;
                    games.push(game);
                }
                Err(_) => desk.keep(None)?,
            }
        }
        if games.is_empty() {
            break;
        }
        if desk.stopped() {
            desk.tally.dropped += games.len() as u64;
            break;
        }
        // Every game goes on to its next leaf; finished ones make room. Removing keeps the order of the others, so
        // that the batches, and with them the games, are the same each time.
        let mut i = 0;
        while i < games.len() {
            match games[i].advance(shared, &mut evaluator) {
                Next::Leaf(ticket) => {
                    tickets.push((i, ticket));
                    i += 1;
                }
                Next::Over(outcome) => {
                    let game = games.remove(i);
                    desk.keep(game.finish(shared, outcome))?;
                }
            }
        }
        if evaluator.pending() > 0 {
            evaluator.flush(&mut answers)?;
            for (answer, (game, ticket)) in tickets.drain(..).enumerate() {
                games[game].apply(ticket, &answers, answer)?;
            }
            (desk.report)(news(&evaluator, &mut reported));
        }
        let other = elsewhere(&desk.tally, &evaluator) - before;
        desk.tally.times.search += begun.elapsed().saturating_sub(other);
        desk.flush_now_and_then()?;
    }
    let done = evaluator.inner();
    desk.tally.times.encode = done.encode;
    desk.tally.times.network = done.network;
    desk.tally.evaluations = done.evaluations;
    desk.tally.batches = done.batches;
    (desk.tally.lookups, desk.tally.hits) = asked(&evaluator);
    desk.close()
}

/// Time so far that is not the search's.
fn elsewhere<P: Position, E: LeafEvaluator<P>>(
    tally: &Tally,
    evaluator: &CachedEvaluator<P, Timed<E>>,
) -> Duration {
    tally.times.records + evaluator.inner().encode + evaluator.inner().network
}

/// Positions asked for and known.
fn asked<P: Position, E: LeafEvaluator<P>>(evaluator: &CachedEvaluator<P, Timed<E>>) -> (u64, u64) {
    let stats = evaluator.stats();
    match stats.lookups {
        0 => (evaluator.inner().evaluations, 0), // no cache
        lookups => (lookups, stats.hits + stats.shared),
    }
}

/// What is new since the last report.
fn news<P: Position, E: LeafEvaluator<P>>(
    evaluator: &CachedEvaluator<P, Timed<E>>,
    reported: &mut Progress,
) -> Progress {
    let (lookups, hits) = asked(evaluator);
    let now = Progress {
        games: 0,
        plies: 0,
        evaluations: evaluator.inner().evaluations,
        batches: evaluator.inner().batches,
        lookups,
        hits,
    };
    let before = std::mem::replace(reported, now);
    Progress {
        games: 0,
        plies: 0,
        evaluations: now.evaluations - before.evaluations,
        batches: now.batches - before.batches,
        lookups: now.lookups - before.lookups,
        hits: now.hits - before.hits,
    }
}
