//! A piece on the board and its byte code.

use super::kind::Kind;
use crate::Color;

/// Number of (base type, promoted) states of one side: 36 unpromoted, then 36 promoted.
///
/// Six of the promoted ones never occur (K, GG, VG, FE, LH, FD do not promote); the gaps keep the arithmetic.
pub(crate) const STATES: usize = 2 * Kind::BASES;

/// Number of byte codes: 0 = empty, then both sides' states.
pub(crate) const CODES: usize = 1 + 2 * STATES;

const _: () = assert!(CODES - 1 <= u8::MAX as usize, "a piece code is a byte");

/// What identifies a piece: owner, base type, promoted flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// The owner.
    pub color: Color,
    /// What it is or was before promotion, one of the base types.
    pub base: Kind,
    /// Whether it has promoted.
    pub promoted: bool,
}

impl Piece {
    /// An unpromoted piece.
    pub const fn new(color: Color, base: Kind) -> Piece {
        Piece {
            color,
            base,
            promoted: false,
        }
    }

    /// How it moves.
    pub const fn kind(self) -> Kind {
        match (self.promoted, self.base.promotes_to()) {
            (true, Some(kind)) => kind,
            _ => self.base,
        }
    }

    /// Whether it may ever promote: unpromoted, and of a type that does.
    pub const fn can_promote(self) -> bool {
        !self.promoted && self.base.promotes_to().is_some()
    }

    /// Rank among the generals by how it moves now, see [`Kind::rank`].
    pub const fn rank(self) -> u8 {
        self.kind().rank()
    }

    /// King or prince.
    pub const fn is_royal(self) -> bool {
        self.kind().is_royal()
    }

    /// Fire demon or promoted water buffalo.
    pub const fn is_demon(self) -> bool {
        self.kind().is_demon()
    }

    /// The name in human notation: the abbreviation of the base type, `+` in front if promoted (`+CS`).
    pub fn abbr(self) -> String {
        let plus = if self.promoted { "+" } else { "" };
        format!("{plus}{}", self.base.abbr())
    }

    /// 0..72: the base type, plus 36 if promoted.
    #[inline]
    pub const fn state(self) -> usize {
        self.base.index() + if self.promoted { Kind::BASES } else { 0 }
    }

    /// The board code of snapshots and records: 1 + base + 36 if promoted + 72 if White.
    #[inline]
    pub const fn code(self) -> u8 {
        (1 + self.state() + STATES * self.color.index()) as u8
    }

    /// The piece with this code; `None` for 0 (empty) and for codes that no piece has.
    pub const fn from_code(code: u8) -> Option<Piece> {
        if code == 0 || code as usize >= CODES {
            return None;
        }
        let (white, state) = ((code as usize - 1) / STATES, (code as usize - 1) % STATES);
        let piece = Piece {
            color: if white == 0 {
                Color::Black
            } else {
                Color::White
            },
            base: Kind::ALL[state % Kind::BASES],
            promoted: state >= Kind::BASES,
        };
        if piece.promoted && piece.base.promotes_to().is_none() {
            return None;
        }
        Some(piece)
    }
}

/// Whether a code is a piece of `color`.
#[inline]
pub(crate) const fn is_of(code: u8, color: Color) -> bool {
    match color {
        Color::Black => code != 0 && code <= STATES as u8,
        Color::White => code > STATES as u8,
    }
}

/// The code of the same piece, promoted.
#[inline]
pub(crate) const fn promoted(code: u8) -> u8 {
    code + Kind::BASES as u8
}
