//! What a move does to the board (rules, sections 6, 8 and 9), and taking it back.

use super::Tenjiku;
use super::bitboard::Bitboard;
use super::board::Board;
use super::geometry::NEIGHBOURS;
use super::movement::Tables;
use super::moves::TenjikuMove;
use super::options::FireDemonClash;
use super::piece::promoted;
use super::square::Square;
use crate::Color;

/// A move that was played, with what is needed to take it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Played {
    pub mv: TenjikuMove,
    /// [`Tenjiku::reversible`] before the move.
    reversible: u32,
    /// The mover's code before the move.
    pub moved: u8,
    /// The code of the piece captured on the way, 0 for none.
    pub via_code: u8,
    /// The code of the piece captured on the end square, 0 for none.
    pub to_code: u8,
    /// How many enemies burned; they are on top of [`Tenjiku::burned`].
    pub burned: u8,
    /// Whether the mover burned.
    pub mover_burned: bool,
}

const _: () = assert!(size_of::<Played>() == 16);
// What a position and the undo stack take, as `docs/benchmarks.md` says.
const _: () = assert!(size_of::<Tenjiku>() <= 2368 && size_of::<(Square, u8)>() == 2);

/// What a move does to the pieces besides moving one: see [`Tenjiku::effects`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// The squares of the pieces that the move itself captures, in path order.
    pub captured: [Option<Square>; 2],
    /// The squares of the enemies that the mover burns. [`Bitboard::squares`] lists them in the order of the
    /// notation: by rank from a, within a rank from file 16.
    pub burned: Bitboard,
    /// Whether the mover, on its end square, is burned by an enemy demon.
    pub mover_burned: bool,
}

impl Effects {
    /// Whether no piece leaves the board.
    pub fn is_quiet(&self) -> bool {
        self.captured == [None; 2] && self.burned.is_empty() && !self.mover_burned
    }

    /// The squares of all enemies that leave the board, by capture or fire.
    pub fn enemies_lost(&self) -> Bitboard {
        let mut lost = self.burned;
        for square in self.captured.into_iter().flatten() {
            lost = lost | Bitboard::of(square);
        }
        lost
    }
}

/// The fire of a move that ends on `to` (rules, section 6): the enemies it burns, and whether the mover burns.
///
/// `enemies` and `demons` are the enemy's pieces and demons after the captures.
#[inline(always)]
pub(crate) fn fire(
    tables: &Tables,
    to: Square,
    mover_is_demon: bool,
    enemies: Bitboard,
    demons: Bitboard,
) -> (Bitboard, bool) {
    let beside = NEIGHBOURS[to.index()];
    let mover_burns = !(demons & beside).is_empty();
    let clash_burns = tables.rules.fire_demon_clash == FireDemonClash::OthersBurnToo;
    if mover_is_demon && (!mover_burns || clash_burns) {
        (enemies & beside & !demons, mover_burns)
    } else {
        (Bitboard::EMPTY, mover_burns)
    }
}

/// Whether the mover is a fire demon when its move ends, its own fate aside.
#[inline]
pub(super) fn ends_as_demon(board: &Board, color: Color, mv: TenjikuMove) -> bool {
    let from = mv.from();
    board.demons[color.index()].has(from)
        || mv.promotes() && board.buffaloes[color.index()].has(from)
}

/// What `mv` of `color` does, see [`Tenjiku::effects`].
#[inline]
pub(crate) fn effects(board: &Board, tables: &Tables, color: Color, mv: TenjikuMove) -> Effects {
    let to = mv.to();
    let on_end = (to != mv.from() && board.at(to) != 0).then_some(to);
    let captured = match mv.via() {
        Some(via) => [Some(via), on_end],
        None => [on_end, None],
    };
    let (burned, mover_burned) = fire_of(board, tables, color, mv);
    Effects {
        captured,
        burned,
        mover_burned,
    }
}

/// The enemies that `mv` of `color` burns, and whether the mover burns.
#[inline]
fn fire_of(board: &Board, tables: &Tables, color: Color, mv: TenjikuMove) -> (Bitboard, bool) {
    let enemy = color.opponent().index();
    let (mut enemies, mut demons) = (board.colors[enemy], board.demons[enemy]);
    // What is captured on the end square is not beside it.
    if let Some(via) = mv.via() {
        enemies.remove(via);
        demons.remove(via);
    }
    let demon = ends_as_demon(board, color, mv);
    fire(tables, mv.to(), demon, enemies, demons)
}

impl Tenjiku {
    /// The squares of the enemies that the legal move `mv` burns, and whether the mover burns.
    #[inline]
    pub(super) fn fire(&self, mv: TenjikuMove) -> (Bitboard, bool) {
        fire_of(&self.board, &self.tables, self.turn, mv)
    }

    /// What the legal move `mv` captures and burns.
    #[inline]
    pub fn effects(&self, mv: TenjikuMove) -> Effects {
        effects(&self.board, &self.tables, self.turn, mv)
    }

    /// Whether the mover of `mv` is a fire demon when its move ends, its own fate aside.
    #[inline]
    pub(super) fn ends_as_demon(&self, mv: TenjikuMove) -> bool {
        ends_as_demon(&self.board, self.turn, mv)
    }

    /// Plays a move in the order of section 8.
    pub(super) fn make(&mut self, mv: TenjikuMove) {
        let (from, to) = (mv.from(), mv.to());
        let enemy = self.turn.opponent().index();
        let moved = self.board.take(from);

        // 1. Captures by the move itself, in path order.
        let via_code = mv.via().map_or(0, |via| self.board.take(via));
        let to_code = if self.board.at(to) != 0 {
            self.board.take(to)
        } else {
            0
        };

        // 2. The mover stands on the end square, promoted if chosen.
        let mover = if mv.promotes() {
            promoted(moved)
        } else {
            moved
        };
        self.board.put(to, mover);

        // 3. Fire around the end square.
        let (burned, mover_burned) = fire(
            &self.tables,
            to,
            self.board.demons[self.turn.index()].has(to),
            self.board.colors[enemy],
            self.board.demons[enemy],
        );
        let mut burned_count = 0;
        if !burned.is_empty() {
            for square in burned.squares() {
                let code = self.board.take(square);
                self.burned.push((square, code));
                burned_count += 1;
            }
        }
        if mover_burned {
            self.board.take(to);
        }

        // 4. The side to move changes, and with the history the move number grows.
        self.turn = self.turn.opponent();
        self.history.push(Played {
            mv,
            reversible: self.reversible,
            moved,
            via_code,
            to_code,
            burned: burned_count,
            mover_burned,
        });
        let lost = via_code | to_code | burned_count != 0 || mover_burned || mv.promotes();
        self.reversible = if lost { 0 } else { self.reversible + 1 };

        // 5. The result is worked out when asked for, see `early_outcome`.
        debug_assert_eq!(self.board, self.board.rebuilt(), "after {mv}");
    }

    /// Takes the last move back: the steps of [`make`](Self::make) in reverse.
    pub(super) fn unmake(&mut self) {
        let last = self
            .history
            .pop()
            .expect("undo without a move since set-up");
        let (from, to) = (last.mv.from(), last.mv.to());
        self.reversible = last.reversible;
        self.turn = self.turn.opponent();
        if !last.mover_burned {
            self.board.take(to);
        }
        for _ in 0..last.burned {
            let (square, code) = self.burned.pop().expect("burned pieces are kept for undo");
            self.board.put(square, code);
        }
        if last.to_code != 0 {
            self.board.put(to, last.to_code);
        }
        if let Some(via) = last.mv.via()
            && last.via_code != 0
        {
            self.board.put(via, last.via_code);
        }
        self.board.put(from, last.moved);
        debug_assert_eq!(self.board, self.board.rebuilt(), "before {}", last.mv);
    }
}
