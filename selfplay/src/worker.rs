//! One worker thread: some games in lockstep, one batch for all of them, rows to its own files.

use crate::game::{Game, Next, Shared};
use crate::job::{SelfplayError, Shard, Tally};
use mcts::{Evaluations, LeafEvaluator, Ticket};
use records::{ShardWriter, Written};
use rules::Position;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Finished games wait at most this long for their file: what a power cut may cost.
const FLUSH_EVERY: Duration = Duration::from_secs(30);

/// Plays the games of `indices`, as many at a time as the settings say, until all are done or `stop` is set; then
/// finished games are written and games in flight are dropped.
pub(crate) fn play<P: Position>(
    shared: &Shared<'_, P>,
    indices: Vec<u32>,
    evaluator: &mut dyn LeafEvaluator<P>,
    mut writer: ShardWriter<P>,
    stop: &AtomicBool,
    report: &(dyn Fn(Shard) + Sync),
) -> Result<Tally, SelfplayError> {
    let mut waiting = indices.into_iter();
    let mut games: Vec<Game<P>> = Vec::new();
    let mut tickets: Vec<(usize, Ticket)> = Vec::new();
    let mut answers = Evaluations::default();
    let mut tally = Tally::default();
    let mut last_flush = Instant::now();
    loop {
        while games.len() < shared.params.games_in_flight {
            let Some(index) = waiting.next() else { break };
            match Game::start(shared, index) {
                Ok(game) => {
                    writer.begin_game(index)?;
                    games.push(game);
                }
                Err(_) => tally.decided_at_start += 1,
            }
        }
        if games.is_empty() {
            break;
        }
        if stop.load(Ordering::Relaxed) {
            tally.dropped += games.len() as u64;
            break;
        }
        // Every game goes on to its next leaf; finished ones make room. Removing keeps the order of the others, so
        // that the batches, and with them the games, are the same each time.
        let mut i = 0;
        while i < games.len() {
            match games[i].advance(shared, evaluator) {
                Next::Leaf(ticket) => {
                    tickets.push((i, ticket));
                    i += 1;
                }
                Next::Over(outcome) => {
                    let game = games.remove(i);
                    if let Some(done) = game.finish(shared, outcome) {
                        tally.count(&done.game);
                        let plies = done.rows.len() as u64;
                        let written = writer.push(&done.game, &done.rows)?;
                        report(Shard {
                            games: 1,
                            plies,
                            evaluations: 0,
                        });
                        count_file(&mut tally, written);
                    }
                }
            }
        }
        let begun = Instant::now();
        let batch = evaluator.pending() as u64;
        if batch > 0 {
            evaluator.flush(&mut answers)?;
            tally.network_time += begun.elapsed();
            tally.evaluations += batch;
            tally.batches += 1;
            report(Shard {
                games: 0,
                plies: 0,
                evaluations: batch,
            });
            for (answer, (game, ticket)) in tickets.drain(..).enumerate() {
                games[game].apply(ticket, &answers, answer)?;
            }
        }
        if last_flush.elapsed() >= FLUSH_EVERY {
            count_file(&mut tally, writer.flush()?);
            last_flush = Instant::now();
        }
    }
    count_file(&mut tally, writer.finish()?);
    Ok(tally)
}

fn count_file(tally: &mut Tally, written: Option<Written>) {
    if let Some(written) = written {
        tally.files += 1;
        tally.bytes += written.bytes;
    }
}
