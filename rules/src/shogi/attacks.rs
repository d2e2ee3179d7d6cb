//! Where pieces move: tables for steps and jumps, ray methods for sliders.
//!
//! No magic tables: on a ray towards higher bits the first blocker falls out of a subtraction, on a ray
//! towards lower bits out of the leading zeros. All tables together take about 30 kB and are worked out at
//! compile time.

use super::bitboard::Bitboard;
use super::piece::{Kind, Piece};
use super::square::{SIDE, SQUARES, Square};
use crate::Color;

type Steps = [Bitboard; SQUARES];

/// Offsets (columns to the right, rows up) of Black's pieces.
const PAWN_STEPS: &[(isize, isize)] = &[(0, 1)];
const KNIGHT_JUMPS: &[(isize, isize)] = &[(-1, 2), (1, 2)];
const SILVER_STEPS: &[(isize, isize)] = &[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];
const GOLD_STEPS: &[(isize, isize)] = &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
const KING_STEPS: &[(isize, isize)] = &DIRECTIONS;

/// The eight directions (columns to the right, rows up). The first four go to lower bits; `7 - d` is the
/// opposite of `d`.
const DIRECTIONS: [(isize, isize); 8] = [
    (0, 1),
    (-1, 0),
    (-1, 1),
    (1, 1),
    (-1, -1),
    (1, -1),
    (1, 0),
    (0, -1),
];
const UP: usize = 0;
const DOWN: usize = 7;
/// The "direction" between squares that share no line.
const NONE: usize = 8;

static PAWN: [Steps; 2] = both(PAWN_STEPS);
static KNIGHT: [Steps; 2] = both(KNIGHT_JUMPS);
static SILVER: [Steps; 2] = both(SILVER_STEPS);
static GOLD: [Steps; 2] = both(GOLD_STEPS);
static KING: Steps = steps(KING_STEPS, 1);

/// `RAYS[d][s]`: the squares from `s`, exclusive, to the edge in direction `d`; none in [`NONE`].
static RAYS: [Steps; 9] = rays();
static ROOK_LINES: Steps = lines([0, 1, 6, 7]);
static BISHOP_LINES: Steps = lines([2, 3, 4, 5]);
/// `TOWARDS[a][b]`: the direction from `a` to `b`.
static TOWARDS: [[u8; SQUARES]; SQUARES] = towards();

const fn shifted(square: usize, columns: isize, rows_up: isize) -> Option<usize> {
    let column = (square % SIDE) as isize + columns;
    let row = (square / SIDE) as isize - rows_up;
    if column < 0 || column >= SIDE as isize || row < 0 || row >= SIDE as isize {
        return None;
    }
    Some(row as usize * SIDE + column as usize)
}

const fn steps(offsets: &[(isize, isize)], up: isize) -> Steps {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let mut i = 0;
        while i < offsets.len() {
            if let Some(to) = shifted(square, offsets[i].0, up * offsets[i].1) {
                table[square].0 |= 1 << to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn both(offsets: &[(isize, isize)]) -> [Steps; 2] {
    [steps(offsets, 1), steps(offsets, -1)]
}

const fn rays() -> [Steps; 9] {
    let mut table = [[Bitboard::EMPTY; SQUARES]; 9];
    let mut d = 0;
    while d < 8 {
        let mut square = 0;
        while square < SQUARES {
            let mut next = shifted(square, DIRECTIONS[d].0, DIRECTIONS[d].1);
            while let Some(to) = next {
                table[d][square].0 |= 1 << to;
                next = shifted(to, DIRECTIONS[d].0, DIRECTIONS[d].1);
            }
            square += 1;
        }
        d += 1;
    }
    table
}

const fn lines(directions: [usize; 4]) -> Steps {
    let rays = rays();
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let mut i = 0;
        while i < 4 {
            table[square].0 |= rays[directions[i]][square].0;
            i += 1;
        }
        square += 1;
    }
    table
}

const fn towards() -> [[u8; SQUARES]; SQUARES] {
    let rays = rays();
    let mut table = [[NONE as u8; SQUARES]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut d = 0;
        while d < 8 {
            let mut ray = rays[d][from].0;
            while ray != 0 {
                table[from][ray.trailing_zeros() as usize] = d as u8;
                ray &= ray - 1;
            }
            d += 1;
        }
        from += 1;
    }
    table
}

#[inline]
pub(super) fn pawn(color: Color, from: Square) -> Bitboard {
    PAWN[color.index()][from.index()]
}

#[inline]
pub(super) fn knight(color: Color, from: Square) -> Bitboard {
    KNIGHT[color.index()][from.index()]
}

#[inline]
pub(super) fn silver(color: Color, from: Square) -> Bitboard {
    SILVER[color.index()][from.index()]
}

#[inline]
pub(super) fn gold(color: Color, from: Square) -> Bitboard {
    GOLD[color.index()][from.index()]
}

#[inline]
pub(super) fn king(from: Square) -> Bitboard {
    KING[from.index()]
}

/// All squares of the rank and file of `from`, without it.
#[inline]
pub(super) fn rook_lines(from: Square) -> Bitboard {
    ROOK_LINES[from.index()]
}

/// All squares of the diagonals of `from`, without it.
#[inline]
pub(super) fn bishop_lines(from: Square) -> Bitboard {
    BISHOP_LINES[from.index()]
}

/// All squares straight ahead of `from`.
#[inline]
pub(super) fn lance_line(color: Color, from: Square) -> Bitboard {
    RAYS[ahead(color)][from.index()]
}

const fn ahead(color: Color) -> usize {
    match color {
        Color::Black => UP,
        Color::White => DOWN,
    }
}

/// The part of the ray up to and including the first square of `occupied`.
#[inline]
fn slide(direction: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let ray = RAYS[direction][from.index()].0;
    let blockers = ray & occupied.0;
    if direction < 4 {
        // Towards lower bits: all from the highest blocker up. Without blocker, all from bit 0 up.
        let highest = 127 - (blockers | 1).leading_zeros();
        Bitboard(ray & (u128::MAX << highest))
    } else {
        // Towards higher bits: the subtraction flips all up to the lowest blocker, without one all bits.
        Bitboard(ray & (blockers ^ blockers.wrapping_sub(1)))
    }
}

#[inline]
pub(super) fn lance(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    slide(ahead(color), from, occupied)
}

#[inline]
pub(super) fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    slide(0, from, occupied)
        | slide(1, from, occupied)
        | slide(6, from, occupied)
        | slide(7, from, occupied)
}

#[inline]
pub(super) fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    slide(2, from, occupied)
        | slide(3, from, occupied)
        | slide(4, from, occupied)
        | slide(5, from, occupied)
}

/// Where a piece moves when `occupied` are the occupied squares, whoever stands there.
pub(super) fn of(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    let color = piece.color();
    match (piece.kind(), piece.promoted()) {
        (Kind::Pawn, false) => pawn(color, from),
        (Kind::Lance, false) => lance(color, from, occupied),
        (Kind::Knight, false) => knight(color, from),
        (Kind::Silver, false) => silver(color, from),
        (Kind::Bishop, false) => bishop(from, occupied),
        (Kind::Rook, false) => rook(from, occupied),
        (Kind::Bishop, true) => bishop(from, occupied) | king(from),
        (Kind::Rook, true) => rook(from, occupied) | king(from),
        (Kind::King, _) => king(from),
        (Kind::Gold, _) | (Kind::Pawn | Kind::Lance | Kind::Knight | Kind::Silver, true) => {
            gold(color, from)
        }
    }
}

/// The squares strictly between two squares of one line; none if they share no line.
#[inline]
pub(super) fn between(a: Square, b: Square) -> Bitboard {
    let d = TOWARDS[a.index()][b.index()] as usize;
    let back = if d == NONE { NONE } else { 7 - d };
    RAYS[d][a.index()] & RAYS[back][b.index()]
}

/// The whole line through two squares, without `a`; none if they share no line.
#[inline]
pub(super) fn line(a: Square, b: Square) -> Bitboard {
    let d = TOWARDS[a.index()][b.index()] as usize;
    let back = if d == NONE { NONE } else { 7 - d };
    RAYS[d][a.index()] | RAYS[back][a.index()]
}

/// Whether some piece of some colour could move from one square to the other on some board.
pub(super) fn is_reachable(from: Square, to: Square) -> bool {
    TOWARDS[from.index()][to.index()] as usize != NONE
        || knight(Color::Black, from).has(to)
        || knight(Color::White, from).has(to)
}
