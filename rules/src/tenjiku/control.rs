//! What each side controls: the squares on which its pieces capture, and those that its fire demons burn.
//!
//! The same question as `attack` asks of one square, answered for all squares at once by going through the pieces.
//! The tests compare the two.

use super::Tenjiku;
use super::attack::area_ends;
use super::bitboard::Bitboard;
use super::board::Board;
use super::generate::{Sink, piece_moves};
use super::geometry::{DELTA, ON_BOARD, RAYS, STEP, spread, step, window_square};
use super::movement::{Movement, Special, Tables};
use super::moves::TenjikuMove;
use super::square::Square;
use crate::Color;

/// The squares that one side controls, whoever stands on them: its own pieces there are protected, enemy pieces
/// attacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Control {
    /// Where at least one piece captures, by ending there, igui or a shot, see [`Tenjiku::attackers`].
    pub once: Bitboard,
    /// Where at least two do.
    pub twice: Bitboard,
    /// Squares next to where a fire demon stands or could go by one move: enemies there burn, or would.
    pub fire: Bitboard,
}

impl Tenjiku {
    /// The control of `color`.
    pub fn control(&self, color: Color) -> Control {
        control(&self.board, &self.tables, color)
    }
}

fn control(board: &Board, tables: &Tables, color: Color) -> Control {
    let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for from in board.colors[color.index()].squares() {
        let reached = reach(board, tables, from);
        twice = twice | once & reached;
        once = once | reached;
    }
    let mut burning = Ends(board.demons[color.index()]);
    for from in board.demons[color.index()].squares() {
        piece_moves(board, tables, color, from, &mut burning);
    }
    Control {
        once,
        twice,
        fire: spread(burning.0),
    }
}

/// Collects the squares on which moves end.
struct Ends(Bitboard);

impl Sink for Ends {
    #[inline(always)]
    fn push(&mut self, mv: TenjikuMove) {
        self.0 = self.0 | Bitboard::of(mv.to());
    }
}

/// The squares on which the piece on `from` would capture an enemy piece of the rank that the piece there has.
fn reach(board: &Board, tables: &Tables, from: Square) -> Bitboard {
    let m = &tables.movements[board.at(from) as usize];
    let mut set = rides(board, m, from);
    let offset = |set: &mut Bitboard, rows: i32, columns: i32| {
        if let Some(to) = step(from, rows, columns) {
            *set = *set | Bitboard::of(to);
        }
    };
    let mut line = |dirs: u8, distances: std::ops::RangeInclusive<i32>| {
        for d in (0..8).filter(|d| dirs >> d & 1 != 0) {
            let (rows, columns) = STEP[d];
            for k in distances.clone() {
                offset(&mut set, rows * k, columns * k);
            }
        }
    };
    match m.special {
        Special::None => {}
        Special::Leaps => {
            for &(rows, columns) in &m.leaps[..usize::from(m.leap_count)] {
                offset(&mut set, i32::from(rows), i32::from(columns));
            }
        }
        Special::Lion => {
            for (rows, columns) in (-2..=2).flat_map(|r| (-2..=2).map(move |c| (r, c))) {
                if (rows, columns) != (0, 0) {
                    offset(&mut set, rows, columns);
                }
            }
        }
        Special::LineLion => line(m.special_dirs, 1..=2),
        Special::DiagonalLion => line(!0, 2..=2),
        Special::SecondSquare => line(m.special_dirs, 2..=2),
        Special::Tetrarch => line(!0, 1..=1),
        Special::Area => set = set | walks(board, m, from),
        Special::General => {
            set = set | walks(board, m, from);
            for d in 0..8 {
                jumps(board, tables, m, from, d, &mut set);
            }
        }
    }
    set
}

/// The squares of the rides, the first piece on each line included. A tetrarch neither touches nor sees the first
/// square of its way.
#[inline(always)]
fn rides(board: &Board, m: &Movement, from: Square) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let skip = u32::from(m.special == Special::Tetrarch);
    let mut dirs = m.dirs & ON_BOARD[from.index()];
    while dirs != 0 {
        let d = dirs.trailing_zeros() as usize;
        dirs &= dirs - 1;
        let ray = RAYS[from.index()][d];
        let ahead = board.ahead(ray) >> skip << skip;
        let last = (ahead.trailing_zeros() as u8).saturating_add(1);
        let mut to = from.0.wrapping_add(DELTA[d].wrapping_mul(skip as u8));
        for _ in skip as u8..m.limits[d].min(ray.edge).min(last) {
            to = to.wrapping_add(DELTA[d]);
            set.0[usize::from(to >> 6)] |= 1 << (to & 63);
        }
    }
    set
}

/// The squares that an area move ends on.
fn walks(board: &Board, m: &Movement, from: Square) -> Bitboard {
    let mut bits = area_ends(board, m.steps, from);
    let mut set = Bitboard::EMPTY;
    while bits != 0 {
        set = set | Bitboard::of(window_square(from, bits.trailing_zeros()));
        bits &= bits - 1;
    }
    set
}

/// Adds what a general captures beyond the pieces it jumps over in direction `d`.
fn jumps(board: &Board, tables: &Tables, m: &Movement, from: Square, d: usize, set: &mut Bitboard) {
    if m.limits[d] == 0 {
        return;
    }
    let mut jumped = false;
    for k in 1..=RAYS[from.index()][d].edge {
        let to = Square(from.0.wrapping_add(DELTA[d].wrapping_mul(k)));
        let rank = tables.movements[board.at(to) as usize].rank;
        if jumped && rank < m.captures_below {
            *set = *set | Bitboard::of(to);
        }
        if board.at(to) != 0 {
            if rank >= m.rank {
                return;
            }
            jumped = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attack::tests::{RULES, playouts};
    use super::super::generate::all_moves;
    use super::*;

    #[test]
    fn control_is_what_each_square_says_of_its_attackers() {
        let (mut checked, mut burning) = (0, 0);
        for rules in RULES {
            playouts(rules, 10, |position, chance| {
                if !chance.is_multiple_of(20) {
                    return;
                }
                for color in [Color::Black, Color::White] {
                    let control = position.control(color);
                    for square in (0..=255).map(Square) {
                        let count = position.attackers(color, square, &Bitboard::EMPTY).len();
                        assert_eq!(
                            (control.once.has(square), control.twice.has(square)),
                            (count >= 1, count >= 2),
                            "{color:?} on {square} in {position:?}"
                        );
                    }
                    burning += check_fire(position, color, &control);
                }
                checked += 1;
            });
        }
        assert!(checked > 300 && burning > 1000, "{checked}, {burning}");
    }

    /// Compares the fire with the neighbours of each square where a demon stands or ends a move; returns its size.
    fn check_fire(position: &Tenjiku, color: Color, control: &Control) -> u32 {
        let demon = |square: Square| {
            position.piece_at(square).is_some_and(|piece| {
                piece.color == color && piece.kind() == super::super::Kind::FireDemon
            })
        };
        let mut all = Vec::new();
        all_moves(&position.board, &position.tables, color, &mut all);
        let ends: Vec<Square> = (all.iter().filter(|mv| demon(mv.from())).map(|mv| mv.to()))
            .chain((0..=255).map(Square).filter(|&square| demon(square)))
            .collect();
        for square in (0..=255).map(Square) {
            let near = ends.iter().any(|end| {
                end.row().abs_diff(square.row()) <= 1 && end.column().abs_diff(square.column()) <= 1
            });
            assert_eq!(control.fire.has(square), near, "{square} in {position:?}");
        }
        control.fire.len()
    }
}
