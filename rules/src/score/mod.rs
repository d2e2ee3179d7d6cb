//! What pieces are worth, and the handcrafted evaluation as a running sum: what a move changes is added, nothing is
//! counted again.
//!
//! One value follows one game: it is told of each move before the position plays it, and takes moves back in the
//! same order. Scores are centipawns. Search is generic over [`Score`] and knows no piece; the terms are in the
//! games' own modules, and [`PlainScore`] serves games that have none.

mod material;
mod plain;

pub use crate::shogi::ShogiScore;
pub use crate::tenjiku::score::{MATERIALS, TenjikuScore, WEIGHTS, tenjiku_features, weight_names};
pub use material::{Material, XboardSetup};
pub use plain::PlainScore;

use crate::Position;

/// What [`Score::gain`] says of a move that neither captures, burns nor promotes.
pub const QUIET: i32 = i32::MIN;

/// What [`Score::gain`] says of a move that wins the game at once.
pub const WINS: i32 = i32::MAX;

/// A running evaluation of a game in progress, and what search asks about moves.
pub trait Score<P: Position>: Clone + Send {
    /// Bound of [`piece`](Self::piece).
    const PIECES: usize;

    /// The evaluation of a position.
    fn new(position: &P) -> Self;

    /// Centipawns for the side to move.
    fn score(&self, position: &P) -> i32;

    /// The centipawns of material that the legal move `mv` wins (captures, burns, promotion) less what it loses itself
    /// by fire, or [`QUIET`], or [`WINS`]. What the enemy takes back is not in it.
    fn gain(&self, position: &P, mv: P::Move) -> i32;

    /// What is won once everything is taken back on the square where `mv` ends, each side taking only where that is
    /// good for it; where that is a loss, a number below zero that the loss is at least. `gain` is what
    /// [`gain`](Self::gain) says.
    fn exchange(&self, position: &P, mv: P::Move, gain: i32) -> i32;

    /// A number that [`exchange`](Self::exchange) is not below, found without playing the exchange out; [`i32::MIN`]
    /// is always a safe answer.
    fn least_exchange(&self, _position: &P, _mv: P::Move, _gain: i32) -> i32 {
        i32::MIN
    }

    /// Centipawns of the piece that makes `mv`; 0 for a drop.
    fn mover(&self, position: &P, mv: P::Move) -> i32;

    /// A number below [`PIECES`](Self::PIECES) for the moved piece: colour and kind.
    fn piece(&self, position: &P, mv: P::Move) -> usize;

    /// Fills `moves` with the legal moves that capture, burn or promote.
    fn noisy_moves(&self, position: &P, moves: &mut Vec<P::Move>);

    /// [`noisy_moves`](Self::noisy_moves) in the same order, without some of those whose [`gain`](Self::gain) is at most
    /// `above` or not above 0.
    #[inline]
    fn gaining_moves(&self, position: &P, _above: i32, moves: &mut Vec<P::Move>) {
        self.noisy_moves(position, moves);
    }

    /// Fills `moves` with the other legal moves.
    fn quiet_moves(&self, position: &P, moves: &mut Vec<P::Move>);

    /// A move that wins the game at once, if there is one; `None` is always a safe answer.
    fn winning_move(position: &P) -> Option<P::Move>;

    /// [`winning_move`](Self::winning_move) where it is known that the side to move could not have won before the other
    /// side's last move either, had it been its turn.
    #[inline]
    fn winning_move_since(position: &P) -> Option<P::Move> {
        Self::winning_move(position)
    }

    /// [`Position::in_check`] where it is known that the other side could not have won by its last move.
    #[inline]
    fn in_check_since(position: &P) -> bool {
        position.in_check()
    }

    /// A move that leaves everything as it is and may be played whether or not it is legal, if the game has one. Asked
    /// only where the side to move is not in check.
    fn pass(position: &P) -> Option<P::Move>;

    /// Follows the move `mv` of `position`, which has not played it yet.
    fn play(&mut self, position: &P, mv: P::Move);

    /// Takes the last move back.
    ///
    /// # Panics
    /// If none was played.
    fn undo(&mut self);
}
