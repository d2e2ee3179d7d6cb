//! What it takes to play: the trait that every opponent in a match or in self-play implements.

use rules::{MoveError, Position};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The game so far, as an outside engine needs it: where it started and what was played.
#[derive(Clone, Debug)]
pub struct GameSoFar<P: Position> {
    /// Position string of the start.
    pub start: String,
    /// All moves since then.
    pub moves: Vec<P::Move>,
}

/// A chosen move with what the player is ready to say about it.
#[derive(Clone, Debug)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Expected score of the side to move, 0 (lost) to 1 (won); `None` if the player has no opinion.
    pub expected_score: Option<f32>,
    /// Nodes or playouts spent.
    pub nodes: u64,
}

/// A player that could not give a legal move: never a result, counted apart by the evaluator.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The program died or closed its pipe.
    #[error("{player}: crashed: {detail}")]
    Crash {
        /// Who.
        player: String,
        /// What was seen, with the last protocol lines.
        detail: String,
    },
    /// No answer within the time allowed and the grace.
    #[error("{player}: no answer within {limit:?}: {detail}")]
    Hang {
        /// Who.
        player: String,
        /// How long was waited.
        limit: Duration,
        /// The last protocol lines.
        detail: String,
    },
    /// An answer that is no legal move.
    #[error("{player}: {error}")]
    IllegalMove {
        /// Who.
        player: String,
        /// The move and why it is none.
        error: MoveError,
    },
    /// The network or the program's own code failed.
    #[error("{player}: {detail}")]
    Failure {
        /// Who.
        player: String,
        /// What failed.
        detail: String,
    },
}

/// Chooses moves. One value plays one game at a time, of either colour.
pub trait Player<P: Position>: Send {
    /// The player's spec as in `design/interfaces.md`, e.g. `engine:depth=4`.
    fn name(&self) -> &str;

    /// Forgets the last game. `seed` fixes the random choices of the next one.
    ///
    /// # Errors
    /// [`Fault`] if an outside program does not start.
    fn new_game(&mut self, seed: u64) -> Result<(), Fault>;

    /// Chooses a move for the side to move. `position` has at least one legal move and knows its history;
    /// `game` is the same game as start and moves.
    ///
    /// # Errors
    /// [`Fault`] if no legal move could be had.
    fn choose(&mut self, position: &P, game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault>;

    /// The flag that ends the choice in progress early, with any legal move; `None` where nothing can. Until the next
    /// [`new_game`](Self::new_game) it ends all further ones as well.
    fn stopper(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// How an outside program is and the last lines spoken with it, each after a line break; `None` for players that are
    /// none.
    fn last_lines(&mut self) -> Option<String> {
        None
    }
}
