//! The packed move and its USI string.

use std::fmt;

use super::attacks::is_reachable;
use super::piece::{HAND_KINDS, Kind};
use super::square::{SIDE, SQUARES, Square};
use crate::GameMove;

/// A move on the board or a drop.
///
/// ```text
/// bit  15        14         13 ........ 7   6 ....... 0
///      0      promotes    from, 81 + kind       to
/// ```
/// `from` is a square or, in a drop, `81 + kind` with the kinds P L N S G B R = 0..7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ShogiMove(u16);

const PROMOTE: u16 = 1 << 14;

const _: () = assert!(size_of::<ShogiMove>() == 2);
// Start square or hand kind, and end square, fit in seven bits each.
const _: () = assert!(SQUARES + HAND_KINDS <= 128 && SQUARES <= 128);

impl ShogiMove {
    /// A move on the board.
    #[inline]
    pub(super) const fn step(from: Square, to: Square, promotes: bool) -> ShogiMove {
        ShogiMove((promotes as u16) << 14 | (from.index() as u16) << 7 | to.index() as u16)
    }

    /// A drop.
    #[inline]
    pub(super) const fn drop(kind: Kind, to: Square) -> ShogiMove {
        ShogiMove((SQUARES as u16 + kind as u16) << 7 | to.index() as u16)
    }

    /// The start square, or `81 + kind`.
    #[inline]
    pub(super) const fn origin(self) -> usize {
        (self.0 >> 7 & 127) as usize
    }

    /// The start square; `None` for a drop.
    #[inline]
    pub(super) const fn from(self) -> Option<Square> {
        if self.origin() < SQUARES {
            Some(Square::new(self.origin()))
        } else {
            None
        }
    }

    /// The kind of the dropped piece; `None` for a move on the board.
    #[inline]
    pub(super) const fn dropped(self) -> Option<Kind> {
        if self.origin() < SQUARES {
            None
        } else {
            Some(Kind::ALL[self.origin() - SQUARES])
        }
    }

    /// Where the piece ends.
    #[inline]
    pub(super) const fn to(self) -> Square {
        Square::new((self.0 & 127) as usize)
    }

    /// Whether the piece promotes.
    #[inline]
    pub(super) const fn promotes(self) -> bool {
        self.0 & PROMOTE != 0
    }

    /// The move on the board mirrored left to right.
    pub(super) fn mirrored(self) -> ShogiMove {
        let to = self.to().mirrored();
        match self.from() {
            Some(from) => ShogiMove::step(from.mirrored(), to, self.promotes()),
            None => ShogiMove(self.0 & !127 | to.index() as u16),
        }
    }

    /// Reads a USI move string; the error says what is wrong with its form.
    pub(super) fn parse(text: &str) -> Result<ShogiMove, String> {
        let square = |bytes: &[u8]| {
            Square::parse(bytes).ok_or_else(|| {
                let text = String::from_utf8_lossy(bytes);
                format!("`{text}` is no square; files are 1 to 9, ranks a to i, as in `7g`")
            })
        };
        let bytes = text.as_bytes();
        match *bytes {
            [letter, b'*', ref to @ ..] => {
                let to = square(to)?;
                match Kind::from_letter(letter as char) {
                    Some(Kind::King) | None => {
                        let letter = letter as char;
                        Err(format!(
                            "`{letter}` cannot be dropped; use one of P L N S G B R"
                        ))
                    }
                    Some(kind) => Ok(ShogiMove::drop(kind, to)),
                }
            }
            [_, _, _, _] | [_, _, _, _, b'+'] => {
                let mv = ShogiMove::step(
                    square(&bytes[..2])?,
                    square(&bytes[2..4])?,
                    bytes.len() == 5,
                );
                if is_reachable(mv.from().expect("a step"), mv.to()) {
                    Ok(mv)
                } else {
                    Err("no piece moves like that".to_string())
                }
            }
            _ => Err("expected a form like `7g7f`, `2b3c+` or `P*5e`".to_string()),
        }
    }
}

impl GameMove for ShogiMove {
    #[inline]
    fn code(self) -> u32 {
        u32::from(self.0)
    }

    fn from_code(code: u32) -> Option<ShogiMove> {
        let mv = ShogiMove(u16::try_from(code).ok()?);
        if mv.0 >> 15 != 0
            || (mv.0 & 127) as usize >= SQUARES
            || mv.origin() >= SQUARES + HAND_KINDS
        {
            return None;
        }
        let to = mv.to();
        let possible = match mv.from() {
            Some(from) => {
                let in_a_zone = |square: Square| !(3..SIDE - 3).contains(&square.row());
                is_reachable(from, to) && (!mv.promotes() || in_a_zone(from) || in_a_zone(to))
            }
            None => !mv.promotes(),
        };
        possible.then_some(mv)
    }
}

impl fmt::Display for ShogiMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from(), self.dropped()) {
            (Some(from), _) => {
                let plus = if self.promotes() { "+" } else { "" };
                write!(f, "{from}{}{plus}", self.to())
            }
            (None, Some(kind)) => write!(f, "{}*{}", kind.letter(), self.to()),
            (None, None) => unreachable!("a move is a step or a drop"),
        }
    }
}
