//! Squares of the 16x16 board and their names. Not the geometry of moves (see `geometry`).

use std::fmt;

/// A square, numbered `row * 16 + column` from the top left corner as Black sees the board.
///
/// Row 0 is rank `a`, column 0 is file 16. All 256 values are squares, so there is no invalid one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(pub u8);

impl Square {
    /// The square in this row (0 = rank `a`) and column (0 = file 16); `None` off the board.
    pub const fn new(row: i32, column: i32) -> Option<Square> {
        if row < 0 || row > 15 || column < 0 || column > 15 {
            return None;
        }
        Some(Square((row * 16 + column) as u8))
    }

    /// 0..=255, row by row from the top left.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 (rank `a`, top) to 15 (rank `p`).
    #[inline]
    pub const fn row(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// 0 (file 16, left) to 15 (file 1).
    #[inline]
    pub const fn column(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The file number of square names, 16 (left) to 1 (right).
    pub const fn file(self) -> usize {
        16 - self.column()
    }

    /// The rank letter of square names, `a` (top) to `p`.
    pub const fn rank_letter(self) -> char {
        (b'a' + (self.0 >> 4)) as char
    }

    /// The square after a left-right mirror.
    #[inline]
    pub const fn mirror(self) -> Square {
        Square(self.0 ^ 15)
    }

    /// The square after turning the board by 180 degrees.
    #[inline]
    pub const fn turned(self) -> Square {
        Square(255 - self.0)
    }

    /// Reads a square name at the start of `text` and returns it with the rest.
    pub(crate) fn split(text: &str) -> Option<(Square, &str)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 2 || text.starts_with('0') {
            return None;
        }
        let file: i32 = text[..digits].parse().ok()?;
        let letter = text.as_bytes().get(digits).copied()?;
        let square = Square::new(i32::from(letter) - i32::from(b'a'), 16 - file)?;
        Some((square, &text[digits + 1..]))
    }

    /// The square of this name (`9l`, `16p`), or `None`.
    pub fn parse(text: &str) -> Option<Square> {
        Square::split(text).and_then(|(square, rest)| rest.is_empty().then_some(square))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), self.rank_letter())
    }
}
