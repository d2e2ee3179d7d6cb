//! Sets of squares, one bit each.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXorAssign, Not};

use super::square::{SIDE, SQUARES, Square};
use crate::Color;

/// A set of squares: bit `n` is the square with number `n`, bits from 81 on are 0.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Bitboard(pub u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const ALL: Bitboard = Bitboard((1 << SQUARES) - 1);

    /// The `count` ranks nearest to `color`'s far edge.
    pub const fn last_ranks(color: Color, count: usize) -> Bitboard {
        let top = (1 << (SIDE * count)) - 1;
        match color {
            Color::Black => Bitboard(top),
            Color::White => Bitboard(top << (SQUARES - SIDE * count)),
        }
    }

    /// Just `square`.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there are two or more.
    #[inline]
    pub const fn is_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Number of squares.
    #[inline]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The lowest square.
    ///
    /// # Panics
    /// If the set is empty.
    #[inline]
    pub const fn first(self) -> Square {
        Square::new(self.0.trailing_zeros() as usize)
    }

    /// Every square moved one rank towards `color`'s far edge; what leaves the board is gone.
    #[inline]
    pub const fn forward(self, color: Color) -> Bitboard {
        match color {
            Color::Black => Bitboard(self.0 >> SIDE),
            Color::White => Bitboard(self.0 << SIDE & Bitboard::ALL.0),
        }
    }

    /// Every square of each file on which the set has one.
    #[inline]
    pub const fn whole_files(self) -> Bitboard {
        // Ranks 5..9 onto 0..4, then 4 onto 0, 2 and 3 onto 0 and 1, 1 onto 0.
        const HALF: u64 = (1 << (5 * SIDE)) - 1;
        let half = (self.0 as u64 & HALF) | (self.0 >> (5 * SIDE)) as u64;
        let quarter = half | half >> (4 * SIDE) | half >> (2 * SIDE);
        let rank = (quarter | quarter >> SIDE) & ((1 << SIDE) - 1);
        const COPIES: u64 = 1 | 1 << SIDE | 1 << (2 * SIDE) | 1 << (3 * SIDE) | 1 << (4 * SIDE);
        let half = (rank * COPIES) as u128;
        Bitboard((half | half << (5 * SIDE)) & Bitboard::ALL.0)
    }

    /// Calls `f` with each square, from the lowest up.
    ///
    /// Inner iteration over the two halves: measurably faster than an iterator over the `u128`.
    #[inline(always)]
    pub fn each(self, mut f: impl FnMut(Square)) {
        let mut low = self.0 as u64;
        while low != 0 {
            f(Square::new(low.trailing_zeros() as usize));
            low &= low - 1;
        }
        let mut high = (self.0 >> 64) as u64;
        while high != 0 {
            f(Square::new(64 + high.trailing_zeros() as usize));
            high &= high - 1;
        }
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Bitboard::ALL.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}
