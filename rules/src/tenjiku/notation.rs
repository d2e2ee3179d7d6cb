//! Human notation, both ways (rules document, section 12): `P-8g`, `Lnx3ix2h`, `FDx15kx!16j,15j`, `Ln-6g*`.
//!
//! [`write`] gives the one canonical text of a legal move; [`read`] takes that and what people make of it: the
//! abbreviations of English texts, a start square always or no piece name at all, missing marks. It never
//! guesses between two moves, and it says where the text and the move differ.
//!
//! This is about one move. Whole game texts, their numbers, comments and tags are in [`crate::import`].

mod name;
mod read;
mod written;

use std::fmt::Write as _;

use super::{Piece, Tenjiku, TenjikuMove};
use crate::Position;

pub use read::read;

/// A move as read, with remarks on what the text says and the move does not bear out.
///
/// None of the remarks stops the move from being legal: a capture sign on a move that captures nothing (some
/// texts write one for a move that only burns), a burn list that is not what burns.
pub type Reading = crate::import::Reading<TenjikuMove>;

/// The canonical text of a legal move.
///
/// Nothing in it is needed to find the move among the legal ones except the piece, the squares and the promotion
/// sign; burn list and `*` are for people.
///
/// # Panics
/// May panic if the move is not legal, like [`Position::play`].
pub fn write(pos: &Tenjiku, mv: TenjikuMove) -> String {
    let mut legal = Vec::new();
    pos.legal_moves(&mut legal);
    let piece = pos.piece_at(mv.from());
    let steps = written::steps(pos, mv);

    let mut text = piece.map_or(String::new(), Piece::abbr);
    let another = legal.iter().any(|&other| {
        other.from() != mv.from()
            && pos.piece_at(other.from()) == piece
            && written::steps(pos, other) == steps
    });
    if another {
        let _ = write!(text, "{}", mv.from());
    }
    for step in &steps {
        let _ = write!(text, "{step}");
    }
    if mv.promotes() {
        text.push('+');
    } else if legal.contains(&mv.promoting()) {
        text.push('=');
    }
    let effects = pos.effects(mv);
    for (index, square) in effects.burned.squares().enumerate() {
        let _ = write!(text, "{}{square}", if index == 0 { "x!" } else { "," });
    }
    if effects.mover_burned {
        text.push('*');
    }
    text
}

impl crate::import::GameText for Tenjiku {
    fn write_move(&self, mv: TenjikuMove) -> String {
        write(self, mv)
    }

    fn read_move(&self, text: &str) -> Result<Reading, crate::MoveError> {
        read(self, text)
    }

    fn handicap(rules: &Self::Rules, name: &str) -> Result<Tenjiku, String> {
        super::handicap::handicap(rules, name)
    }

    fn handicaps() -> Vec<(&'static str, &'static str)> {
        super::handicap::HANDICAPS.to_vec()
    }
}
