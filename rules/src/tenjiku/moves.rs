//! The move as a packed value, and its string.

use std::fmt;

use super::square::Square;
use crate::GameMove;

/// A move, packed: bits 0-7 start square, 8-15 end square, 16-23 square captured on the way, 24 whether there is
/// one, 25 promotion. The layout is part of the record format.
///
/// - an ordinary move, jump, direct lion or area move: from, to;
/// - a lion-type move that captures on its first step: from, via, to;
/// - igui and the tetrarch's shot: from, via, and the start square as end;
/// - a pass: the start square twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenjikuMove(u32);

const _: () = assert!(size_of::<TenjikuMove>() == 4 && size_of::<Option<TenjikuMove>>() == 8);

const HAS_VIA: u32 = 1 << 24;
const PROMOTE: u32 = 1 << 25;

// Three squares and two flags, none over another.
const _: () = assert!((HAS_VIA | PROMOTE) & 0x00ff_ffff == 0 && HAS_VIA & PROMOTE == 0);

impl TenjikuMove {
    /// The move from `from` to `to` without a capture on the way. `from == to` is a pass.
    #[inline]
    pub const fn new(from: Square, to: Square) -> TenjikuMove {
        TenjikuMove(from.0 as u32 | (to.0 as u32) << 8)
    }

    /// The move that captures on `via` and ends on `to`, which may be `from`.
    #[inline]
    pub const fn capturing_via(from: Square, via: Square, to: Square) -> TenjikuMove {
        TenjikuMove(from.0 as u32 | (to.0 as u32) << 8 | (via.0 as u32) << 16 | HAS_VIA)
    }

    /// The same move with promotion.
    #[inline]
    pub const fn promoting(self) -> TenjikuMove {
        TenjikuMove(self.0 | PROMOTE)
    }

    /// The same move without promotion.
    #[inline]
    pub const fn declining(self) -> TenjikuMove {
        TenjikuMove(self.0 & !PROMOTE)
    }

    /// The start square.
    #[inline]
    pub const fn from(self) -> Square {
        Square(self.0 as u8)
    }

    /// The end square.
    #[inline]
    pub const fn to(self) -> Square {
        Square((self.0 >> 8) as u8)
    }

    /// The square captured on the way, if any.
    #[inline]
    pub const fn via(self) -> Option<Square> {
        if self.0 & HAS_VIA != 0 {
            Some(Square((self.0 >> 16) as u8))
        } else {
            None
        }
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn promotes(self) -> bool {
        self.0 & PROMOTE != 0
    }

    /// Whether the piece leaves its square and comes back without capturing.
    #[inline]
    pub const fn is_pass(self) -> bool {
        self.0 & HAS_VIA == 0 && self.0 as u8 == (self.0 >> 8) as u8
    }

    /// The move on the mirrored board.
    pub const fn mirror(self) -> TenjikuMove {
        let via = if self.0 & HAS_VIA != 0 { 15 << 16 } else { 0 };
        TenjikuMove(self.0 ^ (15 | 15 << 8 | via))
    }

    /// Reads a move string of section 11 of the rules; says only that it is well-formed, not that it is legal.
    ///
    /// # Errors
    /// What is wrong with the form.
    pub fn parse(text: &str) -> Result<TenjikuMove, &'static str> {
        const FORM: &str =
            "expected two or three squares such as 9l9k or 8h8g9f, then + if it promotes";
        let (from, rest) = Square::split(text).ok_or(FORM)?;
        let (second, rest) = Square::split(rest).ok_or(FORM)?;
        let (mv, rest) = match Square::split(rest) {
            Some((to, rest)) => {
                let mv = TenjikuMove::capturing_via(from, second, to);
                if !mv.is_possible() {
                    return Err("no piece captures on the middle square on this way");
                }
                (mv, rest)
            }
            None => (TenjikuMove::new(from, second), rest),
        };
        match rest {
            "" => Ok(mv),
            "+" => Ok(mv.promoting()),
            _ => Err(FORM),
        }
    }

    /// Whether some piece could make the move on some board, as far as the middle square goes: it is next to
    /// both others and is neither of them.
    fn is_possible(self) -> bool {
        let near = |a: Square, b: Square| {
            a != b && a.row().abs_diff(b.row()) <= 1 && a.column().abs_diff(b.column()) <= 1
        };
        self.via()
            .is_none_or(|via| near(self.from(), via) && near(via, self.to()))
    }
}

impl GameMove for TenjikuMove {
    fn code(self) -> u32 {
        self.0
    }

    fn from_code(code: u32) -> Option<TenjikuMove> {
        let mv = TenjikuMove(code);
        let unused = !(0xffff
            | PROMOTE
            | if code & HAS_VIA != 0 {
                HAS_VIA | 0xff << 16
            } else {
                0
            });
        (code & unused == 0 && mv.is_possible()).then_some(mv)
    }
}

impl fmt::Display for TenjikuMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.from())?;
        if let Some(via) = self.via() {
            write!(f, "{via}")?;
        }
        write!(f, "{}{}", self.to(), if self.promotes() { "+" } else { "" })
    }
}

impl fmt::Debug for TenjikuMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
