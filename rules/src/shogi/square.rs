//! Squares of the 9x9 board and their names.
//!
//! Numbered as the trait [`Position`](crate::Position) says: `rank * 9 + column`, rank 0 = `a`, column 0 = file 9.

use std::fmt;

/// Columns, and rows.
pub(super) const SIDE: usize = 9;
/// Number of squares.
pub(super) const SQUARES: usize = SIDE * SIDE;

/// A square, always one of the 81.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Square(u8);

impl Square {
    /// The square with this number.
    ///
    /// # Panics
    /// From 81 on.
    #[inline]
    pub const fn new(index: usize) -> Square {
        assert!(index < SQUARES);
        Square(index as u8)
    }

    /// The square on `file` 1..=9 (9 is leftmost) and `rank` 1..=9 (1 is topmost).
    ///
    /// # Panics
    /// Outside of these ranges.
    pub const fn at(file: usize, rank: usize) -> Square {
        assert!(1 <= file && file <= 9 && 1 <= rank && rank <= 9);
        Square(((rank - 1) * SIDE + 9 - file) as u8)
    }

    /// Its number, 0..81.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0..9 from the top.
    #[inline]
    pub const fn row(self) -> usize {
        self.index() / SIDE
    }

    /// 0..9 from the left.
    #[inline]
    pub const fn column(self) -> usize {
        self.index() % SIDE
    }

    /// The same rank, left and right exchanged.
    pub const fn mirrored(self) -> Square {
        Square((self.row() * SIDE + SIDE - 1 - self.column()) as u8)
    }

    /// Reads `7g`.
    pub fn parse(text: &[u8]) -> Option<Square> {
        match *text {
            [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => Some(Square::at(
                (file - b'0') as usize,
                (rank - b'a') as usize + 1,
            )),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = (9 - self.column(), b'a' + self.row() as u8);
        write!(f, "{file}{}", rank as char)
    }
}
