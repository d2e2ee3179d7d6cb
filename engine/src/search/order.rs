//! Which moves are tried first: what was good elsewhere in the tree.

use rules::{Color, Position};
use std::marker::PhantomData;

/// Most that a history counter holds.
const MOST: i32 = 16_000;

/// How often quiet moves refuted, by colour, start square (or drop) and end square.
pub(super) struct History<P> {
    counters: Vec<i16>,
    game: PhantomData<fn() -> P>,
}

impl<P: Position> History<P> {
    const SQUARES: usize = P::FILES * P::RANKS;
    const STARTS: usize = Self::SQUARES + P::HAND_KINDS;

    pub fn new() -> Self {
        History {
            counters: vec![0; 2 * Self::STARTS * Self::SQUARES],
            game: PhantomData,
        }
    }

    #[inline]
    fn index(turn: Color, mv: P::Move) -> usize {
        (turn.index() * Self::STARTS + P::move_from(mv)) * Self::SQUARES + P::move_to(mv)
    }

    #[inline]
    pub fn get(&self, turn: Color, mv: P::Move) -> i32 {
        i32::from(self.counters[Self::index(turn, mv)])
    }

    /// `amount` for or against a move, less the nearer the counter is to its limit.
    pub fn add(&mut self, turn: Color, mv: P::Move, amount: i32) {
        let counter = &mut self.counters[Self::index(turn, mv)];
        let old = i32::from(*counter);
        *counter = (old + amount - old * amount.abs() / MOST) as i16;
    }

    /// What was learnt for the last move counts half for this one.
    pub fn fade(&mut self) {
        self.counters.iter_mut().for_each(|c| *c /= 2);
    }
}
