//! The handcrafted evaluation as a running sum: what a move changes is added, nothing is counted again.
//!
//! One value follows one game: it is told of each move before the position plays it, and takes moves back in the
//! same order. Scores are centipawns. The search is generic over this trait; the terms are in the games' modules.

mod shogi;
mod tenjiku;

pub use shogi::ShogiScore;
pub use tenjiku::TenjikuScore;

use rules::{Color, Position};

/// What [`Score::gains`] says of a move that neither captures, burns nor promotes.
pub const QUIET: i32 = i32::MIN;

/// What [`Score::gains`] says of a move that wins the game at once.
pub const WINS: i32 = i32::MAX;

/// A running evaluation of a game in progress.
pub trait Score<P: Position>: Clone + Send {
    /// The evaluation of a position.
    fn new(position: &P) -> Self;

    /// Centipawns, positive where `turn`, the side to move, stands better.
    fn score(&self, turn: Color) -> i32;

    /// Fills `gains` with one number a move of `position`: the centipawns of material that it wins (captures,
    /// burns, promotion) less what it loses itself by fire, or [`QUIET`], or [`WINS`]. What the enemy takes back is
    /// not in it.
    fn gains(&self, position: &P, moves: &[P::Move], gains: &mut Vec<i32>);

    /// Centipawns of the piece that makes `mv`; 0 for a drop.
    fn mover(&self, position: &P, mv: P::Move) -> i32;

    /// Follows the legal move `mv` of `position`, which has not played it yet.
    fn play(&mut self, position: &P, mv: P::Move);

    /// Takes the last move back.
    ///
    /// # Panics
    /// If none was played.
    fn undo(&mut self);
}
