//! Sets of squares as 256 bits.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::square::Square;

/// A set of squares: square `s` is bit `s % 64` of word `s / 64`, so each word holds four ranks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bitboard(pub [u64; 4]);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard([0; 4]);

    /// The set of one square.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        let mut words = [0; 4];
        words[(square.0 >> 6) as usize] = 1 << (square.0 & 63);
        Bitboard(words)
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        self.0[(square.0 >> 6) as usize] >> (square.0 & 63) & 1 != 0
    }

    /// The one square of the set; `None` if it has none or several.
    #[inline]
    pub(crate) const fn single(self) -> Option<Square> {
        let mut word = 0;
        while word < 4 {
            let bits = self.0[word];
            if bits != 0 {
                let square = Square((word * 64) as u8 + bits.trailing_zeros() as u8);
                let mut left = self;
                left.0[word] = bits & (bits - 1);
                return if left.is_empty() { Some(square) } else { None };
            }
            word += 1;
        }
        None
    }

    /// The number of squares in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones()
            + self.0[1].count_ones()
            + self.0[2].count_ones()
            + self.0[3].count_ones()
    }

    /// [`len`](Self::len) of a set on at most eight neighbouring ranks: words two apart have nothing in common then.
    #[inline]
    pub(crate) const fn len_near(self) -> u32 {
        (self.0[0] | self.0[2]).count_ones() + (self.0[1] | self.0[3]).count_ones()
    }

    /// The set with `square` put in or taken out.
    #[inline]
    pub(crate) const fn toggle(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize] ^= 1 << (square.0 & 63);
    }

    /// Puts `square` in: only one word is touched.
    #[inline]
    pub(crate) const fn insert(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize] |= 1 << (square.0 & 63);
    }

    /// Takes `square` out.
    #[inline]
    pub(crate) const fn remove(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize] &= !(1 << (square.0 & 63));
    }

    /// Row `row` as 16 bits, bit `c` = column `c`.
    #[inline]
    pub const fn row(self, row: usize) -> u16 {
        (self.0[row >> 2] >> ((row & 3) * 16)) as u16
    }

    /// The squares of the set, in ascending order.
    #[inline]
    pub fn squares(self) -> impl Iterator<Item = Square> {
        (0..4u8).flat_map(move |word| {
            let mut bits = self.0[word as usize];
            std::iter::from_fn(move || {
                if bits == 0 {
                    return None;
                }
                let square = Square(word * 64 + bits.trailing_zeros() as u8);
                bits &= bits - 1;
                Some(square)
            })
        })
    }
}

/// Calls `look` with each square of the set, in ascending order: quicker than the iterator in hot loops.
#[inline(always)]
pub(crate) fn each(set: Bitboard, mut look: impl FnMut(Square)) {
    for (word, mut bits) in set.0.into_iter().enumerate() {
        while bits != 0 {
            look(Square((word * 64) as u8 + bits.trailing_zeros() as u8));
            bits &= bits - 1;
        }
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(self.0.map(|word| !word))
    }
}
