//! The board in fixed-width text.
//!
//! ```text
//!    16  15  14 ...
//!     l   n  fl ...  a       letters: lower case is White, `+` is promoted
//!   v香 v桂 v豹 ...  a       kanji: `v` is White, `+` is promoted; a kanji fills two columns
//! ```

use super::{Face, Labels, Show, caption};
use crate::Color;

/// How to draw a position as text.
#[derive(Clone, Debug, Default)]
pub struct TextOptions<M> {
    /// What stands for the pieces. [`Labels::Letters`] is plain ASCII.
    pub labels: Labels,
    /// Whether to colour with ANSI codes: promoted pieces red, the last move on a lighter ground.
    pub color: bool,
    /// The move that led here, marked by `>` before its squares.
    pub last_move: Option<M>,
}

/// Columns of the terminal that a square takes.
const CELL: usize = 4;

/// The position as text: files, ranks, pieces in hand, side to move or result. Ends with a line feed.
pub fn text<P: Show>(pos: &P, options: &TextOptions<P::Move>) -> String {
    let snapshot = pos.snapshot();
    let marked: Vec<usize> = options
        .last_move
        .map(|mv| {
            [
                Some(P::move_from(mv)),
                P::move_via(mv),
                Some(P::move_to(mv)),
            ]
            .into_iter()
            .flatten()
            .collect()
        })
        .unwrap_or_default();
    let mut text = String::new();
    text += &hand::<P>(&snapshot.hands, Color::White, options.labels);
    for file in (1..=P::FILES).rev() {
        text += &format!("{file:>CELL$}");
    }
    text.push('\n');
    for (row, rank) in snapshot.board.chunks(P::FILES).enumerate() {
        for (column, &code) in rank.iter().enumerate() {
            let mark = marked.contains(&(row * P::FILES + column));
            text += &cell(P::face(code), mark, options.labels, options.color);
        }
        text += &format!("  {}\n", (b'a' + row as u8) as char);
    }
    text += &hand::<P>(&snapshot.hands, Color::Black, options.labels);
    text += &caption(pos, options.last_move);
    text.push('\n');
    text
}

/// One square, [`CELL`] columns wide.
fn cell(face: Option<Face>, marked: bool, labels: Labels, color: bool) -> String {
    let mark = if marked { '>' } else { ' ' };
    let kanji = labels != Labels::Letters;
    let text = match &face {
        None if kanji => format!("{mark} ・"),
        None => format!("{:>CELL$}", format!("{mark}.")),
        Some(face) if kanji => {
            // Two columns for three signs. Where they clash the mark gives way: the caption names the move.
            let (first, second) = match (face.color, face.promoted) {
                (Color::Black, false) => (mark, ' '),
                (Color::Black, true) => (mark, '+'),
                (Color::White, false) => (mark, 'v'),
                (Color::White, true) => ('+', 'v'),
            };
            format!("{first}{second}{}", face.kanji)
        }
        Some(face) => format!("{:>CELL$}", format!("{mark}{}", letters(face))),
    };
    let red = face.is_some_and(|face| face.promoted);
    match (color, red, marked) {
        (true, true, true) => format!("\x1b[31;7m{text}\x1b[0m"),
        (true, true, false) => format!("\x1b[31m{text}\x1b[0m"),
        (true, false, true) => format!("\x1b[7m{text}\x1b[0m"),
        _ => text,
    }
}

fn letters(face: &Face) -> String {
    match face.color {
        Color::Black => face.letters.to_uppercase(),
        Color::White => face.letters.to_lowercase(),
    }
}

/// `White in hand: B 2P`, and nothing in games without hands.
fn hand<P: Show>(hands: &[u8], color: Color, labels: Labels) -> String {
    if P::HAND_KINDS == 0 {
        return String::new();
    }
    let counts = &hands[color.index() * P::HAND_KINDS..][..P::HAND_KINDS];
    let mut pieces = String::new();
    for (kind, &count) in counts
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, count)| **count > 0)
    {
        let Some(face) = P::hand_face(kind, color) else {
            continue;
        };
        let name = if labels == Labels::Letters {
            letters(&face)
        } else {
            face.kanji.to_string()
        };
        pieces += &if count == 1 {
            format!(" {name}")
        } else {
            format!(" {count}{name}")
        };
    }
    let side = if color == Color::Black {
        "Black"
    } else {
        "White"
    };
    format!(
        "{side} in hand:{}\n",
        if pieces.is_empty() {
            " nothing"
        } else {
            &pieces
        }
    )
}
