//! The past of a game: what taking back needs, and what sennichite compares.

use super::bitboard::Bitboard;
use super::moves::ShogiMove;
use super::piece::Piece;
use crate::{Color, EndReason, Outcome};

/// Check and pins, seen from the side to move. They follow from the board; kept as they are asked for often.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Threats {
    /// Enemy pieces that give check.
    pub checkers: Bitboard,
    /// Pieces of either side that alone stand between an enemy slider and the king.
    pub pinned: Bitboard,
}

/// Where the position occurred before.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Repetition {
    /// How often, 0 the first time.
    pub before: u32,
    /// The ply of the first occurrence, if there was one.
    pub first: usize,
}

/// What the position before a move had, and what the move did to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ply {
    pub mv: ShogiMove,
    pub captured: Option<Piece>,
    pub threats: Threats,
    repetition: Repetition,
    checks_in_a_row: [u32; 2],
}

/// Fourth occurrence.
const SENNICHITE: u32 = 3;

/// Every position since set-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct History {
    plies: Vec<Ply>,
    /// Keys of all positions, the current one last.
    keys: Vec<u64>,
    repetition: Repetition,
    /// How many of each side's latest moves gave check, without a gap.
    checks_in_a_row: [u32; 2],
}

impl History {
    /// No past: `key` is the first position.
    pub fn new(key: u64) -> History {
        History {
            plies: Vec::new(),
            keys: vec![key],
            repetition: Repetition::default(),
            checks_in_a_row: [0; 2],
        }
    }

    /// Number of moves.
    #[inline]
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    /// The key of the current position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys[self.keys.len() - 1]
    }

    /// Where the current position occurred before.
    #[inline]
    pub fn repetition(&self) -> Repetition {
        self.repetition
    }

    /// `mover` made a move out of a position with these `threats` to the position `key`.
    #[inline]
    pub fn push(
        &mut self,
        mover: Color,
        mv: ShogiMove,
        captured: Option<Piece>,
        threats: Threats,
        gives_check: bool,
        key: u64,
    ) {
        let (repetition, checks_in_a_row) = (self.repetition, self.checks_in_a_row);
        self.plies.push(Ply {
            mv,
            captured,
            threats,
            repetition,
            checks_in_a_row,
        });
        let in_a_row = &mut self.checks_in_a_row[mover.index()];
        *in_a_row = if gives_check { *in_a_row + 1 } else { 0 };
        self.repetition = self.find(key);
        self.keys.push(key);
    }

    /// The latest occurrence of `key`, and so all earlier ones. A position needs four plies to recur: both
    /// sides must move away and back.
    #[inline]
    fn find(&self, key: u64) -> Repetition {
        let earlier = self.keys.len().saturating_sub(3);
        match (0..earlier)
            .rev()
            .step_by(2)
            .find(|&ply| self.keys[ply] == key)
        {
            None => Repetition::default(),
            Some(ply) => {
                let Repetition { before, first } = self.plies[ply].repetition;
                Repetition {
                    before: before + 1,
                    first: if before == 0 { ply } else { first },
                }
            }
        }
    }

    /// Takes the last move back; `None` if there is none.
    #[inline]
    pub fn pop(&mut self) -> Option<Ply> {
        let ply = self.plies.pop()?;
        self.keys.pop();
        self.repetition = ply.repetition;
        self.checks_in_a_row = ply.checks_in_a_row;
        Some(ply)
    }

    /// The result if the current position is there for the fourth time.
    #[inline]
    pub fn sennichite(&self) -> Option<Outcome> {
        if self.repetition.before < SENNICHITE {
            return None;
        }
        // From the first occurrence to now both sides made the same number of moves.
        let moves_each = (self.len() - self.repetition.first) / 2;
        let only_checks = |color: Color| self.checks_in_a_row[color.index()] as usize >= moves_each;
        Some(sennichite_outcome(
            only_checks(Color::Black),
            only_checks(Color::White),
        ))
    }
}

/// Who wins by a fourth occurrence, given which sides made nothing but checks on the way to it. Where both
/// did, neither is the one to blame: a draw.
fn sennichite_outcome(black_only_checked: bool, white_only_checked: bool) -> Outcome {
    match (black_only_checked, white_only_checked) {
        (true, false) => Outcome {
            winner: Some(Color::White),
            reason: EndReason::PerpetualCheck,
        },
        (false, true) => Outcome {
            winner: Some(Color::Black),
            reason: EndReason::PerpetualCheck,
        },
        _ => Outcome {
            winner: None,
            reason: EndReason::Repetition,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Square;

    /// `before` plies of quiet positions, then a cycle of four positions until its first one is there for the
    /// fourth time. `checks(n)` tells whether the `n`th of those twelve moves, from 0, gives check; `mover`
    /// makes the first move of the cycle.
    fn end(before: usize, mover: Color, checks: impl Fn(usize) -> bool) -> Option<Outcome> {
        let square = Square::new(0);
        let mv = ShogiMove::step(square, square, false);
        let mut color = if before.is_multiple_of(2) {
            mover
        } else {
            mover.opponent()
        };
        let mut history = History::new(if before == 0 { 0 } else { 100 });
        for ply in 0..before + 12 {
            assert_eq!(history.sennichite(), None, "too early");
            let in_cycle = ply.checked_sub(before);
            // After `before` plies comes the first position of the cycle, key 0.
            let next = ply + 1;
            let key = if next < before {
                100 + next
            } else {
                (next - before) % 4
            };
            let check = in_cycle.is_some_and(&checks);
            history.push(color, mv, None, Threats::default(), check, key as u64);
            color = color.opponent();
        }
        history.sennichite()
    }

    fn won(winner: Color) -> Option<Outcome> {
        Some(Outcome {
            winner: Some(winner),
            reason: EndReason::PerpetualCheck,
        })
    }

    const DRAW: Option<Outcome> = Some(Outcome {
        winner: None,
        reason: EndReason::Repetition,
    });

    #[test]
    fn every_combination_of_checks() {
        for (before, mover) in (0..4).flat_map(|n| [(n, Color::Black), (n, Color::White)]) {
            let other = mover.opponent();
            assert_eq!(end(before, mover, |_| false), DRAW);
            // One side all the time, the other never, or all but once: the first one loses.
            assert_eq!(end(before, mover, |n| n % 2 == 0), won(other));
            assert_eq!(end(before, mover, |n| n % 2 == 1), won(mover));
            for quiet in 0..12 {
                let winner = if quiet % 2 == 0 { mover } else { other };
                assert_eq!(
                    end(before, mover, |n| n != quiet),
                    won(winner),
                    "quiet {quiet}"
                );
            }
            // Both all the time: nobody is to blame more than the other.
            assert_eq!(end(before, mover, |_| true), DRAW);
            // Each side quiet once.
            for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (2 * a, 2 * b + 1))) {
                assert_eq!(
                    end(before, mover, |n| n != a && n != b),
                    DRAW,
                    "quiet {a} and {b}"
                );
            }
        }
    }
}
