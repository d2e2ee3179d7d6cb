//! Openings for colour-swapped pairs: where they come from, and the file that keeps them.

mod file;
mod make;
mod random;

pub use file::{opening_line, read_openings, write_openings};
pub use make::{Made, OpeningParams, make_openings, policy_move};
pub use random::{random_opening, random_openings};

use rules::Position;

/// Where a pair of games starts: a position, and moves that both games begin with.
#[derive(Clone, Debug)]
pub struct Opening<P: Position> {
    /// The first position.
    pub start: P,
    /// Legal moves from there; may be none.
    pub moves: Vec<P::Move>,
}

impl<P: Position> Opening<P> {
    /// The position after the moves.
    pub fn position(&self) -> P {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|&mv| position.play(mv));
        position
    }
}
