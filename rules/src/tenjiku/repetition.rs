//! The repetition rule (section 10): which moves would recreate an earlier position of the game.
//!
//! Only a move that changes nothing but the place of one piece can do so, and only a position after the last
//! capture, burn or promotion can come back. So the recent plies are taken back on a copy of the mailbox, while
//! the squares that differ from the present are counted. An earlier position with the right side to move is one
//! quiet move away where exactly two squares differ, one pass away where none does. This compares the boards
//! themselves, no hashes, and costs a few operations per reversible ply and none per generated move.

use super::Tenjiku;
use super::bitboard::Bitboard;
use super::generate::Sink;
use super::moves::TenjikuMove;
use super::options::Repetition;
use super::piece::is_of;
use super::square::Square;

/// A move that would recreate an earlier position, if the piece on its start square can make it, does not
/// promote, and nothing burns by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recreating {
    /// Any pass.
    Pass,
    /// From one square to another.
    Move(Square, Square),
}

impl Recreating {
    /// Whether `mv` is this move.
    pub(super) fn is(self, mv: TenjikuMove) -> bool {
        let plain = mv.via().is_none() && !mv.promotes();
        plain
            && match self {
                Recreating::Pass => mv.is_pass(),
                Recreating::Move(from, to) => mv.from() == from && mv.to() == to,
            }
    }
}

impl Tenjiku {
    /// Whether the repetition rule binds the side to move.
    pub(super) fn repetition_binds(&self) -> bool {
        let rules = &self.tables.rules;
        self.reversible > 0
            && rules.repetition == Repetition::Forbidden
            && !(rules.repetition_in_check_allowed && self.check())
    }

    /// Whether `mv`, which the pieces allow, would recreate an earlier position.
    pub(super) fn recreates(&self, mv: TenjikuMove) -> bool {
        let mut found = false;
        self.each_recreating(|recreating| found |= recreating.is(mv));
        found && self.effects(mv).is_quiet()
    }

    /// The squares of the pieces by a move of which an earlier position may be recreated.
    pub(super) fn recreators(&self) -> Bitboard {
        let mut squares = Bitboard::EMPTY;
        self.each_recreating(|recreating| match recreating {
            Recreating::Pass => squares = self.pieces(self.turn),
            Recreating::Move(from, _) => squares = squares | Bitboard::of(from),
        });
        squares
    }

    /// Calls `report` for each earlier position that is one move away. Passes may be reported more than once.
    pub(super) fn each_recreating(&self, mut report: impl FnMut(Recreating)) {
        let now = &self.board.cells;
        let mut then = *now;
        let mut differing = 0u32;
        let recent = &self.history[self.history.len() - self.reversible as usize..];
        for (back, played) in recent.iter().rev().enumerate() {
            // Take the ply back; it only moved a piece from one square to another, or to itself.
            for (square, code) in [(played.mv.to(), 0), (played.mv.from(), played.moved)] {
                let square = square.index();
                differing -= u32::from(then[square] != now[square]);
                then[square] = code;
                differing += u32::from(then[square] != now[square]);
            }
            // Each remaining ply can mend two squares at most.
            if differing as usize > 2 + 2 * (recent.len() - 1 - back) {
                return;
            }
            // One ply back the other side was to move, as it will be after the next move.
            if back % 2 == 0 {
                match differing {
                    0 => report(Recreating::Pass),
                    2 => self.report_move(&then, &mut report),
                    _ => {}
                }
            }
        }
    }

    /// Reports the move that leads to the board `then`, which differs on two squares, if there is one.
    #[cold]
    fn report_move(&self, then: &[u8; 256], report: &mut impl FnMut(Recreating)) {
        let now = &self.board.cells;
        let differs = |square: &Square| now[square.index()] != then[square.index()];
        let mut squares = (0..=255).map(Square).filter(differs);
        let (Some(a), Some(b)) = (squares.next(), squares.next()) else {
            return;
        };
        for (from, to) in [(a, b), (b, a)] {
            let moves = is_of(now[from.index()], self.turn)
                && now[to.index()] == 0
                && then[from.index()] == 0
                && then[to.index()] == now[from.index()];
            if moves {
                report(Recreating::Move(from, to));
            }
        }
    }
}

/// Counts the moves that recreate nothing.
pub(super) struct CountLegal<'a> {
    pub game: &'a Tenjiku,
    /// See [`Tenjiku::recreators`]: other pieces' moves need no second look.
    pub bound: Bitboard,
    pub count: usize,
}

impl Sink for CountLegal<'_> {
    fn push(&mut self, mv: TenjikuMove) {
        let illegal = self.bound.has(mv.from()) && self.game.recreates(mv);
        self.count += usize::from(!illegal);
    }
}
