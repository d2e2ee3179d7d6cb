//! Pictures of positions: text for terminals, SVG for everything else.
//!
//! [`text`] draws letters or kanji in fixed-width columns; [`svg`] draws wedge-shaped pieces that point where they
//! go, promoted ones in red, with the last move marked. Both take any game that says how its pieces look
//! ([`Show`]). They return strings; where those go is the caller's affair.

mod faces;
mod svg;
mod text;

pub use svg::{Mark, SvgOptions, losses, svg};
pub use text::{TextOptions, text};

use crate::{Color, Position};

/// What drawing needs of a game beyond [`Position`].
pub trait Show: Position {
    /// How the piece with this board code looks; `None` for empty and for codes that no piece has.
    fn face(code: u8) -> Option<Face>;

    /// How a piece of this hand kind looks.
    fn hand_face(kind: usize, color: Color) -> Option<Face>;

    /// Squares that fire empties when the legal move `mv` is played here; none in games without fire.
    fn burned_by(&self, mv: Self::Move) -> Vec<usize>;

    /// The dots on the board: squares at whose lower right corner there is one.
    fn dots() -> &'static [usize];
}

/// How a piece looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Face {
    /// The owner.
    pub color: Color,
    /// Its abbreviation with `+` if promoted, e.g. `P`, `Kr`, `+CS`.
    pub letters: String,
    /// One kanji, of what it moves as.
    pub kanji: &'static str,
    /// The full inscription of what it moves as, one to three kanji.
    pub inscription: &'static str,
    /// Its name for people, lower case: `fire demon (kaki)`, `tokin, promoted pawn`.
    pub name: String,
    /// Whether it is promoted: then it is red.
    pub promoted: bool,
    /// How big the piece is, in percent of the biggest: 85 (pawns) to 100 (kings, great generals).
    pub size: u32,
}

/// What is written on the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Labels {
    /// Abbreviations, upper case for Black and lower case for White in text.
    Letters,
    /// One kanji a piece.
    #[default]
    Kanji,
    /// The full inscription, as on real pieces; in text the same as `Kanji`.
    Inscription,
}

/// `Black to move, move 12, after 7l7k`, or how the game ended.
fn caption<P: Position>(pos: &P, last_move: Option<P::Move>) -> String {
    let name = |color| match color {
        Color::Black => "Black",
        Color::White => "White",
    };
    let state = match pos.outcome() {
        None => format!("{} to move", name(pos.turn())),
        Some(outcome) => {
            let reason = outcome.reason.name().replace('_', " ");
            match outcome.winner {
                Some(winner) => format!("{} has won ({reason})", name(winner)),
                None => format!("draw ({reason})"),
            }
        }
    };
    let after = last_move.map_or(String::new(), |mv| format!(", after {mv}"));
    format!("{state}, move {}{after}", pos.move_number())
}
