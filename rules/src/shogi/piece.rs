//! Piece kinds, their states, and the codes of pieces on squares.

use crate::Color;

/// A kind of piece, unpromoted. The first seven can be in hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    Pawn,
    Lance,
    Knight,
    Silver,
    Gold,
    Bishop,
    Rook,
    King,
}

/// Number of kinds that can be in hand.
pub(super) const HAND_KINDS: usize = 7;
/// Number of states: `kind + 8 * promoted`. Those of a promoted gold and king never occur.
pub(super) const STATES: usize = 16;

impl Kind {
    /// Every kind, in the order of the codes.
    pub const ALL: [Kind; 8] = [
        Kind::Pawn,
        Kind::Lance,
        Kind::Knight,
        Kind::Silver,
        Kind::Gold,
        Kind::Bishop,
        Kind::Rook,
        Kind::King,
    ];

    /// The kinds in the order in which SFEN lists a hand.
    pub const SFEN_HAND: [Kind; HAND_KINDS] = [
        Kind::Rook,
        Kind::Bishop,
        Kind::Gold,
        Kind::Silver,
        Kind::Knight,
        Kind::Lance,
        Kind::Pawn,
    ];

    /// Its English name.
    pub const fn name(self) -> &'static str {
        [
            "pawn", "lance", "knight", "silver", "gold", "bishop", "rook", "king",
        ][self as usize]
    }

    /// How many there are in a set.
    pub const fn in_set(self) -> usize {
        [18, 4, 4, 4, 4, 2, 2, 2][self as usize]
    }

    /// Its upper case letter.
    pub const fn letter(self) -> char {
        ['P', 'L', 'N', 'S', 'G', 'B', 'R', 'K'][self as usize]
    }

    /// The kind with this upper case letter.
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.letter() == letter)
    }

    /// Whether it can promote.
    pub const fn promotes(self) -> bool {
        !matches!(self, Kind::Gold | Kind::King)
    }

    /// The number of far ranks on which it could not move and so must not stand unpromoted.
    pub const fn dead_ranks(self) -> usize {
        match self {
            Kind::Pawn | Kind::Lance => 1,
            Kind::Knight => 2,
            _ => 0,
        }
    }
}

/// A piece on a square: its code in snapshots, `1 + kind + 8 * promoted + 16 * white`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Piece(u8);

impl Piece {
    /// A piece.
    #[inline]
    pub const fn new(kind: Kind, promoted: bool, color: Color) -> Piece {
        Piece(1 + kind as u8 + 8 * promoted as u8 + 16 * color as u8)
    }

    /// The piece with this code; `None` for 0, unknown codes and promoted golds and kings.
    pub fn from_code(code: u8) -> Option<Piece> {
        let piece = Piece(code);
        ((1..=2 * STATES as u8).contains(&code) && (!piece.promoted() || piece.kind().promotes()))
            .then_some(piece)
    }

    /// Its code, 1..=32.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// `kind + 8 * promoted`.
    #[inline]
    pub const fn state(self) -> usize {
        (self.0 - 1) as usize % STATES
    }

    /// Its kind, whether promoted or not.
    #[inline]
    pub const fn kind(self) -> Kind {
        Kind::ALL[self.state() % 8]
    }

    /// Whether it is promoted.
    #[inline]
    pub const fn promoted(self) -> bool {
        self.state() >= 8
    }

    /// Whose it is.
    #[inline]
    pub const fn color(self) -> Color {
        if self.0 > STATES as u8 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The same piece promoted.
    #[inline]
    pub const fn promote(self) -> Piece {
        Piece(((self.0 - 1) | 8) + 1)
    }

    /// The same piece unpromoted.
    #[inline]
    pub const fn unpromote(self) -> Piece {
        Piece(((self.0 - 1) & !8) + 1)
    }

    /// As in SFEN: `P`, `+r`.
    pub fn sfen(self) -> String {
        let letter = match self.color() {
            Color::Black => self.kind().letter(),
            Color::White => self.kind().letter().to_ascii_lowercase(),
        };
        let plus = if self.promoted() { "+" } else { "" };
        format!("{plus}{letter}")
    }
}
