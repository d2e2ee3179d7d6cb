//! Directions, rays and neighbourhoods: what depends on squares alone, neither on pieces nor on rules.

use super::bitboard::Bitboard;
use super::square::Square;

/// The eight directions as Black sees the board, row by row through the 3x3 neighbourhood (NW, N, NE, W, E, SW,
/// S, SE), so that direction `7 - d` is the opposite of `d`, and what `d` is for White.
pub(crate) mod dir {
    pub const NW: usize = 0;
    pub const N: usize = 1;
    pub const NE: usize = 2;
    /// The diagonal directions as bits.
    pub const DIAGONAL: u8 = 0b1010_0101;
    /// The orthogonal directions as bits.
    pub const ORTHOGONAL: u8 = !DIAGONAL;
}

/// Row and column change of one step.
pub(crate) const STEP: [(i32, i32); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];

/// Change of the square number in one step; to be added with wrap-around.
pub(crate) const DELTA: [u8; 8] = {
    let mut delta = [0; 8];
    let mut d = 0;
    while d < 8 {
        delta[d] = (STEP[d].0 * 16 + STEP[d].1) as u8;
        d += 1;
    }
    delta
};

/// Number of occupancy words: rows, columns, diagonals, anti-diagonals, 32 of each.
pub(crate) const LINES: usize = 128;

/// Where a ray is found in the occupancy words.
///
/// Each line of the board has one 32-bit word. Its lower half has the squares in ascending order, its upper
/// half the same in descending order:
///
/// ```text
/// bit      31 ........ 16   15 ......... 0
/// position  0 ........ 15   15 ......... 0
/// ```
///
/// so that for either direction `word >> shift` has the squares ahead from bit 0 on. Bits at and above `edge`
/// belong to the other half and mean nothing.
#[derive(Clone, Copy)]
pub(crate) struct Ray {
    pub line: u8,
    pub shift: u8,
    /// Number of squares to the edge of the board.
    pub edge: u8,
}

/// `RAYS[square][direction]`.
pub(crate) static RAYS: [[Ray; 8]; 256] = {
    let mut rays = [[Ray {
        line: 0,
        shift: 0,
        edge: 0,
    }; 8]; 256];
    let mut square = 0;
    while square < 256 {
        let lines = lines_of(Square(square as u8));
        let mut d = 0;
        while d < 8 {
            let (line, position) = lines[if d < 4 { 3 - d } else { d - 4 }];
            let shift = if d < 4 { 32 - position } else { position + 1 };
            let (mut row, mut column) = (square / 16, square % 16);
            let mut edge = 0;
            loop {
                (row, column) = (row + STEP[d].0, column + STEP[d].1);
                if row < 0 || row > 15 || column < 0 || column > 15 {
                    break;
                }
                edge += 1;
            }
            rays[square as usize][d] = Ray { line, shift, edge };
            d += 1;
        }
        square += 1;
    }
    rays
};

/// The four lines through a square and its position on each, in the order of directions E, SW, S, SE.
pub(crate) const fn lines_of(square: Square) -> [(u8, u8); 4] {
    let (row, column) = (square.0 >> 4, square.0 & 15);
    [
        (row, column),
        (64 + row + column, row),
        (32 + column, row),
        (96 + row + 15 - column, row),
    ]
}

/// The bits of a position in a line's word, see [`Ray`].
pub(crate) const fn line_bits(position: u8) -> u32 {
    1 << position | 1 << (31 - position)
}

/// The directions that stay on the board, as bits.
pub(crate) static ON_BOARD: [u8; 256] = {
    let mut masks = [0; 256];
    let mut square = 0;
    while square < 256 {
        let mut d = 0;
        while d < 8 {
            if step(Square(square as u8), STEP[d].0, STEP[d].1).is_some() {
                masks[square] |= 1 << d;
            }
            d += 1;
        }
        square += 1;
    }
    masks
};

/// The eight neighbours, fewer at the edge.
pub(crate) static NEIGHBOURS: [Bitboard; 256] = {
    let mut sets = [Bitboard::EMPTY; 256];
    let mut square = 0;
    while square < 256 {
        let mut d = 0;
        while d < 8 {
            if let Some(Square(near)) = step(Square(square as u8), STEP[d].0, STEP[d].1) {
                sets[square].0[(near >> 6) as usize] |= 1 << (near & 63);
            }
            d += 1;
        }
        square += 1;
    }
    sets
};

/// The squares up to three king steps away.
pub(crate) static WITHIN_THREE: [Bitboard; 256] = {
    let mut sets = [Bitboard::EMPTY; 256];
    let mut square = 0;
    while square < 256 {
        let mut offset = 0;
        while offset < 49 {
            let (rows, columns) = (offset / 7 - 3, offset % 7 - 3);
            if (rows != 0 || columns != 0)
                && let Some(Square(near)) = step(Square(square as u8), rows, columns)
            {
                sets[square].0[(near >> 6) as usize] |= 1 << (near & 63);
            }
            offset += 1;
        }
        square += 1;
    }
    sets
};

/// The squares on the eight rays from a square and those up to three king steps away: whether a piece on it can be
/// captured depends on no others.
pub(crate) static IN_SIGHT: [Bitboard; 256] = {
    let mut sets = WITHIN_THREE;
    let mut square = 0;
    while square < 256 {
        let mut d = 0;
        while d < 8 {
            let mut at = Square(square as u8);
            while let Some(next) = step(at, STEP[d].0, STEP[d].1) {
                sets[square].0[(next.0 >> 6) as usize] |= 1 << (next.0 & 63);
                at = next;
            }
            d += 1;
        }
        square += 1;
    }
    sets
};

/// The directions, as bits, in which a ray comes next to or onto the square so many rows down and columns right.
#[inline]
pub(crate) fn passing(rows: i32, columns: i32) -> u8 {
    PASSING[(rows + 15) as usize][(columns + 15) as usize]
}

static PASSING: [[u8; 31]; 31] = {
    let mut passing = [[0; 31]; 31];
    let mut place = 0;
    while place < 31 * 31 {
        let (rows, columns) = (place / 31 - 15, place % 31 - 15);
        let mut way = 0;
        while way < 8 * 15 {
            let (d, distance) = (way / 15, way as i32 % 15 + 1);
            let (r, c) = (rows - distance * STEP[d].0, columns - distance * STEP[d].1);
            if r.abs() <= 1 && c.abs() <= 1 {
                passing[(rows + 15) as usize][(columns + 15) as usize] |= 1 << d;
            }
            way += 1;
        }
        place += 1;
    }
    passing
};

/// The square so many rows down and columns right, if on the board.
#[inline]
pub(crate) const fn step(square: Square, rows: i32, columns: i32) -> Option<Square> {
    Square::new(
        (square.0 >> 4) as i32 + rows,
        (square.0 & 15) as i32 + columns,
    )
}

/// Which of the eight neighbours of `square` are in `set`, as direction bits.
#[inline]
pub(crate) fn near(set: &Bitboard, square: Square) -> u8 {
    let (row, column) = (square.row(), square.column());
    // Three columns around the square, from the left; zero beyond the edges.
    let three = |bits: u16| ((u32::from(bits) << 1) >> column) & 7;
    let above = if row > 0 { three(set.row(row - 1)) } else { 0 };
    let level = three(set.row(row));
    let below = if row < 15 { three(set.row(row + 1)) } else { 0 };
    (above | (level & 1) << 3 | (level >> 2) << 4 | below << 5) as u8
}

/// The set with all neighbours of its squares.
#[inline]
pub(crate) fn spread(set: Bitboard) -> Bitboard {
    const LEFT: u64 = 0x0001_0001_0001_0001;
    const RIGHT: u64 = LEFT << 15;
    let wide = set
        .0
        .map(|bits| bits | (bits & !RIGHT) << 1 | (bits & !LEFT) >> 1);
    Bitboard(std::array::from_fn(|i| {
        let above = if i > 0 { wide[i - 1] >> 48 } else { 0 };
        let below = if i < 3 { wide[i + 1] << 48 } else { 0 };
        wide[i] | wide[i] << 16 | wide[i] >> 16 | above | below
    }))
}

/// The squares from which one of the eight directions leads to one of `targets`, with nothing but squares of `empty` between.
pub(crate) fn in_line(targets: Bitboard, empty: Bitboard) -> Bitboard {
    const LEFT: u64 = 0x0001_0001_0001_0001;
    const RIGHT: u64 = LEFT << 15;
    let mut found = Bitboard::EMPTY;
    macro_rules! look {
        ($($step:literal beside $edge:expr),*) => {$(
            // Where a step does not come to by going round the edge.
            let inside = Bitboard([!$edge; 4]);
            let (mut reached, mut open) = (targets, empty & inside);
            // Each line doubles the way: `open` are the squares with so many open ones behind.
            reached = reached | open & shifted::<{ $step }>(reached);
            open = open & shifted::<{ $step }>(open);
            reached = reached | open & shifted::<{ $step << 1 }>(reached);
            open = open & shifted::<{ $step << 1 }>(open);
            reached = reached | open & shifted::<{ $step << 2 }>(reached);
            open = open & shifted::<{ $step << 2 }>(open);
            reached = reached | open & shifted::<{ $step << 3 }>(reached);
            found = found | inside & shifted::<{ $step }>(reached);
        )*};
    }
    look!(1 beside LEFT, -1 beside RIGHT, 16 beside 0, -16 beside 0);
    look!(17 beside LEFT, 15 beside RIGHT, -15 beside LEFT, -17 beside RIGHT);
    found
}

/// The set with `BY` added to the number of each square, without those that leave the board.
#[inline(always)]
fn shifted<const BY: i32>(set: Bitboard) -> Bitboard {
    let (words, bits) = (BY.unsigned_abs() as usize / 64, BY.unsigned_abs() % 64);
    let word = |i: usize| if i < 4 { set.0[i] } else { 0 };
    let moved = |i: usize| {
        if BY > 0 {
            let (near, far) = (word(i.wrapping_sub(words)), word(i.wrapping_sub(words + 1)));
            near << bits | far.unbounded_shr(64 - bits)
        } else {
            let (near, far) = (word(i + words), word(i + words + 1));
            near >> bits | far.unbounded_shl(64 - bits)
        }
    };
    Bitboard([moved(0), moved(1), moved(2), moved(3)])
}

/// The 7x7 squares around `square` as an 8x8 bit square: bit `8 * (row + 3) + (column + 3)` for an offset of
/// `row` and `column`. The eighth row and column, and what is off the board, are zero.
#[inline]
pub(crate) fn window(set: &Bitboard, square: Square) -> u64 {
    // Eight rows from the third above on, 16 bits each, as two words: from rows of zeros around the board.
    let rows = [0, set.0[0], set.0[1], set.0[2], set.0[3], 0, 0];
    let first = 16 * (square.row() as u32 + 1);
    let (word, shift) = (first as usize / 64, first % 64);
    // From the third column to the left on; what comes round the edge is off the board.
    let seven = |word: usize| {
        let four = rows[word] >> shift | rows[word + 1].unbounded_shl(64 - shift);
        let level = four.rotate_right(square.column() as u32 + 61) & 0x007f_007f_007f_007f;
        let pairs = (level | level >> 8) & 0x0000_ffff_0000_ffff;
        (pairs | pairs >> 16) & 0xffff_ffff
    };
    (seven(word) | seven(word + 1) << 32) & WINDOWS[square.index()]
}

/// The squares of each [`window`] that are on the board.
pub(crate) static WINDOWS: [u64; 256] = {
    let mut windows = [0; 256];
    let mut square = 0;
    while square < 256 {
        let mut bit = 0;
        while bit < 56 {
            let (rows, columns) = (bit / 8 - 3, bit % 8 - 3);
            if columns < 4 && step(Square(square as u8), rows, columns).is_some() {
                windows[square] |= 1 << bit;
            }
            bit += 1;
        }
        square += 1;
    }
    windows
};

/// The middle of a [`window`].
pub(crate) const CENTRE: u64 = 1 << 27;

/// A window's squares and all their neighbours inside it.
#[inline]
pub(crate) const fn dilate(bits: u64) -> u64 {
    let wide = (bits | bits << 1 | bits >> 1) & 0x007f_7f7f_7f7f_7f7f;
    (wide | wide << 8 | wide >> 8) & 0x007f_7f7f_7f7f_7f7f
}

/// The square of bit `bit` of the [`window`] around `square`.
#[inline]
pub(crate) const fn window_square(square: Square, bit: u32) -> Square {
    let offset = (bit as u8 >> 3)
        .wrapping_sub(3)
        .wrapping_mul(16)
        .wrapping_add(bit as u8 & 7);
    Square(square.0.wrapping_add(offset).wrapping_sub(3))
}

#[cfg(test)]
mod tests {
    use super::super::attack::tests::random;
    use super::*;

    #[test]
    fn squares_in_line_are_those_from_which_a_ray_comes_to_a_target() {
        let mut seed = 1;
        for round in 0..200 {
            // From nearly empty boards to nearly full ones.
            let mut squares = |rare: u64| -> Bitboard {
                (0..=255)
                    .map(Square)
                    .filter(|_| random(&mut seed).is_multiple_of(rare))
                    .collect()
            };
            let targets = squares(10 + round);
            let empty = !squares(2 + round % 20);
            let sees = |from: Square| {
                (0..8).any(|d| {
                    let mut at = from;
                    while let Some(next) = step(at, STEP[d].0, STEP[d].1) {
                        if targets.has(next) {
                            return true;
                        }
                        if !empty.has(next) {
                            return false;
                        }
                        at = next;
                    }
                    false
                })
            };
            let expected: Bitboard = (0..=255).map(Square).filter(|&s| sees(s)).collect();
            assert_eq!(in_line(targets, empty), expected, "{targets:?} {empty:?}");
        }
    }

    #[test]
    fn windows_have_the_squares_up_to_three_steps_away() {
        let mut seed = 2;
        for _ in 0..20 {
            let set: Bitboard = (0..=255)
                .map(Square)
                .filter(|_| random(&mut seed).is_multiple_of(2))
                .collect();
            for square in (0..=255).map(Square) {
                let mut expected = 0;
                for (rows, columns) in (-3..=3).flat_map(|r| (-3..=3).map(move |c| (r, c))) {
                    let there = step(square, rows, columns).is_some_and(|s| set.has(s));
                    expected |= u64::from(there) << (8 * (rows + 3) + columns + 3);
                }
                assert_eq!(window(&set, square), expected, "{square} {set:?}");
            }
        }
    }

    #[test]
    fn directions_that_pass_a_square_come_within_one_step_of_it() {
        for from in (0..=255).map(Square) {
            for to in (0..=255).map(Square).filter(|&to| to != from) {
                let (rows, columns) = (
                    to.row() as i32 - from.row() as i32,
                    to.column() as i32 - from.column() as i32,
                );
                for (d, &(r, c)) in STEP.iter().enumerate() {
                    let ray = std::iter::successors(Some(from), |&at| step(at, r, c));
                    let close = ray
                        .skip(1)
                        .any(|s| s == to || NEIGHBOURS[to.index()].has(s));
                    // Those that leave the board before are no harm.
                    assert!(
                        !close || passing(rows, columns) >> d & 1 != 0,
                        "{from} {to} {d}"
                    );
                }
            }
        }
    }
}
