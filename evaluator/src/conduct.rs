//! One game between two players, under the eye of our own rules core.

use crate::fault::Cause;
use crate::openings::Opening;
use engine::{Fault, GameSoFar, Player};
use rules::{Color, EndReason, MoveError, Outcome, Position};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame<P: Position> {
    /// Position string of the start.
    pub start: String,
    /// All moves, opening included.
    pub moves: Vec<P::Move>,
    /// The last position.
    pub last: P,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began, milliseconds since 1970 (UTC).
    pub begun_unix_ms: u64,
    /// How long it took.
    pub duration: Duration,
    /// Moves of Black and White that came after their time, but within the margin.
    pub late: [Late; 2],
}

/// Late moves of a player in a game.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Late {
    /// How many.
    pub moves: u32,
    /// The longest time beyond what was allowed.
    pub worst: Duration,
}

/// Why a game has no result.
#[derive(Debug)]
pub enum Unfinished {
    /// A player failed.
    Fault {
        /// The colour it had.
        color: Color,
        /// Why.
        cause: Cause,
        /// All that is known.
        detail: String,
    },
    /// The game was asked to stop.
    Stopped,
}

/// What a game is played under.
pub struct Conditions<'a> {
    /// A game of so many moves, opening included, is a draw by [`EndReason::PlyCap`].
    pub max_plies: usize,
    /// Time a move of Black and White; `None` where the player has none.
    pub move_times: [Option<Duration>; 2],
    /// How much later a move may come. Later is a fault of cause [`Cause::Time`].
    pub margin: Duration,
    /// Asked before each move, and now and then while a player thinks that can be stopped.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Plays a game after an opening, `players[0]` as Black.
///
/// # Errors
/// [`Unfinished`] if a player failed, gave an illegal move or was too late, or the game was asked to stop.
pub fn play_game<P: Position>(
    opening: &Opening<P>,
    players: [&mut dyn Player<P>; 2],
    seed: u64,
    conditions: &Conditions<'_>,
) -> Result<PlayedGame<P>, Unfinished> {
    let stoppers: Vec<_> = players.iter().filter_map(|p| p.stopper()).collect();
    if stoppers.is_empty() {
        return play_to_end(opening, players, seed, conditions);
    }
    // A long think ends with the event: somebody has to look while a player thinks.
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if (conditions.stop)() {
                    stoppers
                        .iter()
                        .for_each(|s| s.store(true, Ordering::Relaxed));
                }
                std::thread::park_timeout(STOP_LATENCY);
            }
        });
        let guard = Unpark(&over, watch.thread());
        let played = play_to_end(opening, players, seed, conditions);
        drop(guard);
        played
    })
}

/// How often the stop is looked at while a player thinks.
const STOP_LATENCY: Duration = Duration::from_millis(50);

/// Ends the watch when the game is over, by a panic too.
struct Unpark<'a>(&'a AtomicBool, &'a std::thread::Thread);

impl Drop for Unpark<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

/// The game itself, see [`play_game`].
fn play_to_end<P: Position>(
    opening: &Opening<P>,
    mut players: [&mut dyn Player<P>; 2],
    seed: u64,
    conditions: &Conditions<'_>,
) -> Result<PlayedGame<P>, Unfinished> {
    let begun = Instant::now();
    let begun_unix_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_millis() as u64);
    let mut position = opening.position();
    let mut game = GameSoFar {
        start: opening.start.sfen(),
        moves: opening.moves.clone(),
    };
    for (color, player) in [Color::Black, Color::White].into_iter().zip(&mut players) {
        let seed = seed.wrapping_mul(2).wrapping_add(color.index() as u64);
        player.new_game(seed).map_err(|f| failed(color, &f))?;
    }
    let mut late = [Late::default(); 2];
    let outcome = loop {
        if (conditions.stop)() {
            return Err(Unfinished::Stopped);
        }
        if let Some(outcome) = position.outcome() {
            break outcome;
        }
        // Our players do not declare themselves: whoever may win by declaration does.
        if let Some(outcome) = position
            .declaration()
            .filter(|o| o.winner == Some(position.turn()))
        {
            break outcome;
        }
        if game.moves.len() >= conditions.max_plies {
            break Outcome {
                winner: None,
                reason: EndReason::PlyCap,
            };
        }
        let color = position.turn();
        let player = &mut players[color.index()];
        let asked = Instant::now();
        let choice = player
            .choose(&position, &game)
            .map_err(|f| failed(color, &f))?;
        let took = asked.elapsed();
        if !position.is_legal(choice.mv) {
            let text = choice.mv.to_string();
            let why = format!("not legal in {}", position.sfen());
            let error = MoveError::Illegal(text, why);
            let player = player.name().to_string();
            return Err(failed(color, &Fault::IllegalMove { player, error }));
        }
        if let Some(allowed) = conditions.move_times[color.index()]
            && took > allowed
        {
            if took > allowed + conditions.margin {
                let lines = player.last_lines().unwrap_or_default();
                let detail = format!(
                    "{}: {} after {took:.1?}, {allowed:?} and a margin of {:?} were allowed; {lines}",
                    player.name(),
                    choice.mv,
                    conditions.margin,
                );
                return Err(Unfinished::Fault {
                    color,
                    cause: Cause::Time,
                    detail,
                });
            }
            let late = &mut late[color.index()];
            late.moves += 1;
            late.worst = late.worst.max(took - allowed);
        }
        position.play(choice.mv);
        game.moves.push(choice.mv);
    };
    Ok(PlayedGame {
        start: game.start,
        moves: game.moves,
        last: position,
        outcome,
        begun_unix_ms,
        duration: begun.elapsed(),
        late,
    })
}

fn failed(color: Color, fault: &Fault) -> Unfinished {
    Unfinished::Fault {
        color,
        cause: Cause::of(fault),
        detail: fault.to_string(),
    }
}
