//! Handicap starts by name (rules document, section 13): White gives pieces and moves first.
//!
//! A name is a list of pieces joined by `+`, each an abbreviation with an optional count in front: `gg`, `2fd`,
//! `fd+gg`. Any White piece but the king may be given. Of several pieces of a type the giver's left ones go
//! first, as with the lance in ordinary shogi. [`HANDICAPS`] lists sensible ones in order of size; no historical
//! list is known.

use super::{Kind, Piece, Square, Tenjiku};
use crate::{Color, Position, Snapshot};

/// Suggested handicaps, from the smallest to the largest by the piece values of the rules document (section 16):
/// name and what it means.
pub const HANDICAPS: [(&str, &str); 12] = [
    ("ln", "without the lion"),
    ("fe", "without the free eagle"),
    ("lh", "without the lion hawk"),
    ("vg", "without the vice general"),
    ("gg", "without the great general"),
    ("2rg", "without both rook generals"),
    ("fd", "without the fire demon on 7c"),
    ("gg+vg", "without the great general and the vice general"),
    ("fd+gg", "without a fire demon and the great general"),
    ("2fd", "without both fire demons"),
    ("2fd+gg", "without both fire demons and the great general"),
    (
        "2fd+gg+vg",
        "without both fire demons, the great general and the vice general",
    ),
];

/// The start position of a handicap.
///
/// # Errors
/// What is wrong with the name, and which names there are.
pub fn handicap(rules: &<Tenjiku as Position>::Rules, name: &str) -> Result<Tenjiku, String> {
    let start = Tenjiku::start(rules).snapshot();
    let mut snapshot = Snapshot {
        turn: Color::White,
        ..start
    };
    for part in name.split('+') {
        remove(&mut snapshot.board, part.trim())
            .map_err(|why| format!("bad handicap `{name}`: {why}; {}", hint()))?;
    }
    Tenjiku::from_snapshot(rules, &snapshot).map_err(|error| error.to_string())
}

/// Takes pieces off; `part` is such as `gg` or `2fd`.
fn remove(board: &mut [u8], part: &str) -> Result<(), String> {
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    let (count, abbr) = part.split_at(digits);
    let count: usize = match count {
        "" => 1,
        _ => count
            .parse()
            .ok()
            .filter(|&n| n > 0)
            .ok_or(format!("`{count}` is no number of pieces"))?,
    };
    let kind = Kind::from_abbr(abbr)
        .filter(|k| k.is_base())
        .ok_or(format!("there is no piece `{abbr}`"))?;
    if kind == Kind::King {
        return Err("the king cannot be given".to_string());
    }
    let code = Piece::new(Color::White, kind).code();
    // The giver's left is the low files: the right of the board as Black sees it.
    let mut squares: Vec<Square> = (0..=255)
        .map(Square)
        .filter(|s| board[s.index()] == code)
        .collect();
    squares.sort_by_key(|square| square.file());
    if squares.len() < count {
        return Err(format!(
            "White has only {} {} left",
            squares.len(),
            kind.abbr()
        ));
    }
    for square in &squares[..count] {
        board[square.index()] = 0;
    }
    Ok(())
}

fn hint() -> String {
    let names: Vec<&str> = HANDICAPS.iter().map(|(name, _)| *name).collect();
    format!("write pieces joined by `+`, such as {}", names.join(", "))
}
