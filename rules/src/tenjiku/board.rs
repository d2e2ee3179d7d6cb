//! The pieces on the board in every form that generation needs, kept in step. No rules, no history.

use super::bitboard::Bitboard;
use super::geometry::{LINES, Ray, line_bits, lines_of};
use super::kind::Kind;
use super::piece::{CODES, Piece, STATES};
use super::square::Square;
use crate::Color;

/// Mailbox, sets of squares by colour and by role, occupancy of each line, hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Board {
    /// The piece code on each square, 0 = empty.
    pub cells: [u8; 256],
    /// Each side's pieces.
    pub colors: [Bitboard; 2],
    /// Each side's kings and princes.
    pub royals: [Bitboard; 2],
    /// Each side's fire demons, promoted buffaloes included.
    pub demons: [Bitboard; 2],
    /// Each side's water buffaloes that may still promote to a demon.
    pub buffaloes: [Bitboard; 2],
    /// Each side's range-jumping generals.
    pub generals: [Bitboard; 2],
    /// Each side's pieces that do more than ride or step, near where they stand.
    pub close: [Bitboard; 2],
    /// Each side's heavenly tetrarchs.
    pub tetrarchs: [Bitboard; 2],
    /// Each side's pieces by line, see [`Ray`].
    pub lines: [[u32; LINES]; 2],
    /// Both sides' pieces of a rank above 0, royals and generals, by line.
    pub tall: [u32; LINES],
    /// Exclusive or of [`square_key`] over the pieces.
    pub key: u64,
}

/// What a piece code is apart from its owner, as bits.
mod role {
    pub const ROYAL: u8 = 1;
    pub const DEMON: u8 = 2;
    pub const BUFFALO: u8 = 4;
    pub const GENERAL: u8 = 8;
    pub const CLOSE: u8 = 16;
    pub const TETRARCH: u8 = 32;
}

static ROLES: [u8; CODES] = {
    let mut roles = [0; CODES];
    let mut code = 1;
    while code < CODES {
        if let Some(piece) = Piece::from_code(code as u8) {
            let kind = piece.kind();
            if kind.is_royal() {
                roles[code] |= role::ROYAL;
            }
            if kind.is_demon() {
                roles[code] |= role::DEMON;
            }
            if matches!(kind, Kind::WaterBuffalo) {
                roles[code] |= role::BUFFALO;
            }
            if kind.is_general() {
                roles[code] |= role::GENERAL;
            }
            if kind.is_close() {
                roles[code] |= role::CLOSE;
            }
            if matches!(kind, Kind::Tetrarch) {
                roles[code] |= role::TETRARCH;
            }
        }
        code += 1;
    }
    roles
};

/// The hash of one piece on one square: the finaliser of SplitMix64 (Steele, Lea, Flood 2014), which costs less
/// than a look-up in a table of 145 x 256 words that is not in the first-level cache.
#[inline]
const fn square_key(code: u8, square: Square) -> u64 {
    let mut z = ((code as u64) << 8 | square.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The hash of "White to move".
pub(crate) const WHITE_KEY: u64 = square_key(0, Square(1));

impl Board {
    pub const EMPTY: Board = Board {
        cells: [0; 256],
        colors: [Bitboard::EMPTY; 2],
        royals: [Bitboard::EMPTY; 2],
        demons: [Bitboard::EMPTY; 2],
        buffaloes: [Bitboard::EMPTY; 2],
        generals: [Bitboard::EMPTY; 2],
        close: [Bitboard::EMPTY; 2],
        tetrarchs: [Bitboard::EMPTY; 2],
        lines: [[0; LINES]; 2],
        tall: [0; LINES],
        key: 0,
    };

    /// The piece code on a square, 0 = empty.
    #[inline]
    pub fn at(&self, square: Square) -> u8 {
        self.cells[square.index()]
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub fn put(&mut self, square: Square, code: u8) {
        debug_assert!(self.at(square) == 0 && code != 0, "put {code} on {square}");
        self.cells[square.index()] = code;
        self.toggle(square, code);
    }

    /// Takes the piece off a square and returns its code.
    #[inline]
    pub fn take(&mut self, square: Square) -> u8 {
        let code = self.at(square);
        debug_assert!(code != 0, "nothing to take on {square}");
        self.cells[square.index()] = 0;
        self.toggle(square, code);
        code
    }

    /// The squares ahead on a ray that are not empty, from bit 0 on.
    #[inline(always)]
    pub fn ahead(&self, ray: Ray) -> u32 {
        let line = ray.line as usize;
        (u64::from(self.lines[0][line] | self.lines[1][line]) >> ray.shift) as u32
    }

    /// Those with pieces of `color`.
    #[inline(always)]
    pub fn ahead_of(&self, color: Color, ray: Ray) -> u32 {
        (u64::from(self.lines[color.index()][ray.line as usize]) >> ray.shift) as u32
    }

    /// Those with pieces of a rank above 0.
    #[inline(always)]
    pub fn tall_ahead(&self, ray: Ray) -> u32 {
        (u64::from(self.tall[ray.line as usize]) >> ray.shift) as u32
    }

    /// Whether a piece with this code is a king or prince.
    #[inline]
    pub fn is_royal(code: u8) -> bool {
        ROLES[code as usize] & role::ROYAL != 0
    }

    #[inline]
    fn toggle(&mut self, square: Square, code: u8) {
        let side = usize::from(code > STATES as u8);
        self.colors[side].toggle(square);
        let roles = ROLES[code as usize];
        if roles != 0 {
            self.toggle_roles(side, square, roles);
        }
        for (line, position) in lines_of(square) {
            self.lines[side][line as usize] ^= line_bits(position);
        }
        self.key ^= square_key(code, square);
    }

    fn toggle_roles(&mut self, side: usize, square: Square, roles: u8) {
        for (role, sets) in [
            (role::ROYAL, &mut self.royals),
            (role::DEMON, &mut self.demons),
            (role::BUFFALO, &mut self.buffaloes),
            (role::GENERAL, &mut self.generals),
            (role::CLOSE, &mut self.close),
            (role::TETRARCH, &mut self.tetrarchs),
        ] {
            if roles & role != 0 {
                sets[side].toggle(square);
            }
        }
        if roles & (role::ROYAL | role::GENERAL) != 0 {
            for (line, position) in lines_of(square) {
                self.tall[line as usize] ^= line_bits(position);
            }
        }
    }

    /// The hash with the side to move in it.
    #[inline]
    pub fn key_with(&self, turn: Color) -> u64 {
        match turn {
            Color::Black => self.key,
            Color::White => self.key ^ WHITE_KEY,
        }
    }

    /// The same pieces put up square by square: what the incremental updates must agree with.
    pub fn rebuilt(&self) -> Board {
        let mut board = Board::EMPTY;
        for (square, &code) in self.cells.iter().enumerate() {
            if code != 0 {
                board.put(Square(square as u8), code);
            }
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_keys_differ() {
        let mut keys = vec![WHITE_KEY];
        for code in 1..CODES as u8 {
            keys.extend((0..=255).map(|square| square_key(code, Square(square))));
        }
        let total = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), total);
    }
}
