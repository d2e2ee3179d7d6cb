//! Games of players that are no network: their moves and scores become rows, to start learning from.

use crate::job::SelfplayError;
use crate::log::{Finished, Log, Shared};
use crate::tally::Tally;
use crate::worker::Desk;
use engine::{Fault, GameSoFar, Player};
use records::{Policy, SearchKind, Wdl};
use rules::{GameMove, MoveError, Outcome, Position};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A worker gives up after so many games one after the other that its player could not finish.
const FAULTS_IN_A_ROW: u32 = 3;

/// Makes a worker's player, which plays both sides.
pub type PlayerMaker<'a, P> = dyn Fn() -> Result<Box<dyn Player<P>>, String> + Sync + 'a;

/// How a game of a player ended.
pub(crate) enum End {
    /// Played; `None` if the start was decided.
    Done(Option<Box<Finished>>),
    /// The stop flag was set.
    Stopped,
    /// The player failed.
    Fault(Fault),
}

/// Plays the games of `indices` one after the other.
pub(crate) fn play<P: Position>(
    mut desk: Desk<'_, P>,
    indices: Vec<u32>,
    player: &mut dyn Player<P>,
) -> Result<Tally, SelfplayError> {
    let mut faults = 0;
    for index in indices {
        if desk.outdated() || desk.stopped() {
            break;
        }
        let begun = Instant::now();
        desk.begin(index)?;
        let end = play_one(desk.shared, index, player, desk.stop);
        desk.tally.times.search += begun.elapsed();
        match end {
            End::Done(done) => {
                faults = 0;
                desk.keep(done.map(|done| *done))?;
            }
            End::Stopped => {
                desk.tally.dropped += 1;
                break;
            }
            End::Fault(fault) => {
                faults += 1;
                if faults == FAULTS_IN_A_ROW {
                    let problem = format!("stopped after {faults} failed games: {fault}");
                    desk.close()?;
                    return Err(SelfplayError::Worker(problem));
                }
                desk.tally.faults.push(format!("game {index}: {fault}"));
            }
        }
        desk.flush_now_and_then()?;
    }
    desk.close()
}

/// Plays game number `index`.
pub(crate) fn play_one<P: Position>(
    shared: &Shared<'_, P>,
    index: u32,
    player: &mut dyn Player<P>,
    stop: &AtomicBool,
) -> End {
    let mut log = match Log::start(shared, index) {
        Ok(log) => log,
        Err(_) => return End::Done(None),
    };
    match conduct(shared, &mut log, player, stop) {
        Ok(Some(outcome)) => End::Done(log.finish(shared, outcome).map(Box::new)),
        Ok(None) => End::Stopped,
        Err(fault) => End::Fault(fault),
    }
}

/// Plays a started game to its end; `None` if it should stop.
fn conduct<P: Position>(
    shared: &Shared<'_, P>,
    log: &mut Log<P>,
    player: &mut dyn Player<P>,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, Fault> {
    player.new_game(log.seed)?;
    let mut so_far = GameSoFar {
        start: log.start_sfen().to_string(),
        moves: log.moves.clone(),
    };
    let mut legal = Vec::new();
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let ended = log.end_before_search(shared.params.max_plies);
        if let Some(outcome) = ended.or_else(|| log.position.outcome()) {
            return Ok(Some(outcome));
        }
        log.position.legal_moves(&mut legal);
        let choice = player.choose(&log.position, &so_far)?;
        if !legal.contains(&choice.mv) {
            let why = format!("not legal in {}", log.position.sfen());
            return Err(Fault::IllegalMove {
                player: player.name().to_string(),
                error: MoveError::Illegal(choice.mv.to_string(), why),
            });
        }
        if let Some(score) = choice.expected_score
            && let Some(outcome) = log.resigns(shared.params, score)
        {
            return Ok(Some(outcome));
        }
        let mut row = log.row(SearchKind::Engine, legal.len(), choice.mv);
        row.visits = u32::try_from(choice.nodes).unwrap_or(u32::MAX);
        row.policy = Some(Policy {
            moves: vec![choice.mv.code()],
            weights: vec![1.0],
        });
        row.root = choice.expected_score.map(|score| {
            let win = score.clamp(0.0, 1.0);
            Wdl {
                win,
                draw: 0.0,
                loss: 1.0 - win,
            }
        });
        log.play(row, choice.mv);
        so_far.moves.push(choice.mv);
    }
}
