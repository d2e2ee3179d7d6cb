//! One game between two players, under the eye of our own rules core.

use engine::{Fault, GameSoFar, Player};
use rules::{Color, EndReason, MoveError, Outcome, Position};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame<P: Position> {
    /// Position string of the start.
    pub start: String,
    /// All moves, opening included.
    pub moves: Vec<P::Move>,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub duration: Duration,
}

/// Why a game has no result.
#[derive(Debug)]
pub enum Unfinished {
    /// A player failed; the colour it had.
    Fault(Color, Fault),
    /// The stop flag was set.
    Stopped,
}

/// Plays a game from `start` after the moves of `opening`, which must be legal, `players[0]` as Black.
///
/// At `max_plies` moves, opening included, the game is a draw by [`EndReason::PlyCap`].
///
/// # Errors
/// [`Unfinished`] if a player failed or gave an illegal move, or `stop` was set.
pub fn play_game<P: Position>(
    start: &P,
    opening: &[P::Move],
    mut players: [&mut dyn Player<P>; 2],
    seed: u64,
    max_plies: usize,
    stop: &AtomicBool,
) -> Result<PlayedGame<P>, Unfinished> {
    let begun = Instant::now();
    let mut position = start.clone();
    let mut game = GameSoFar {
        start: start.sfen(),
        moves: Vec::new(),
    };
    for &mv in opening {
        position.play(mv);
        game.moves.push(mv);
    }
    for (color, player) in [Color::Black, Color::White].into_iter().zip(&mut players) {
        let seed = seed.wrapping_mul(2).wrapping_add(color.index() as u64);
        player
            .new_game(seed)
            .map_err(|fault| Unfinished::Fault(color, fault))?;
    }
    let outcome = loop {
        if stop.load(Ordering::Relaxed) {
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
        if game.moves.len() >= max_plies {
            break Outcome {
                winner: None,
                reason: EndReason::PlyCap,
            };
        }
        let color = position.turn();
        let player = &mut players[color.index()];
        let choice = player
            .choose(&position, &game)
            .map_err(|fault| Unfinished::Fault(color, fault))?;
        if !position.is_legal(choice.mv) {
            let text = choice.mv.to_string();
            let why = format!("not legal in {}", position.sfen());
            let error = MoveError::Illegal(text, why);
            let player = player.name().to_string();
            return Err(Unfinished::Fault(
                color,
                Fault::IllegalMove { player, error },
            ));
        }
        position.play(choice.mv);
        game.moves.push(choice.mv);
    };
    Ok(PlayedGame {
        start: game.start,
        moves: game.moves,
        outcome,
        duration: begun.elapsed(),
    })
}
