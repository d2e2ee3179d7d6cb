//! The board and the hands of a KIF start position.
//!
//! ```text
//! 後手の持駒：飛　歩四
//!   ９ ８ ７ ６ ５ ４ ３ ２ １
//! +---------------------------+
//! |v香v桂 ・ ・v玉 ・ ・v桂v香|一
//! ```

use super::super::builder::Builder;
use super::{digit, piece_name};
use crate::Color;
use crate::shogi::piece::Piece;
use crate::shogi::square::{SIDE, Square};

/// Reads one rank: nine cells of a mark (` ` or `^` Black, `v` White) and a piece or `・`, then its number.
pub(super) fn read_row(builder: &mut Builder, line: &str) -> Result<(), String> {
    let (cells, label) = line[1..]
        .split_once('|')
        .ok_or("a rank of the board ends with `|` and its number")?;
    let label = label.trim();
    let rank = label
        .chars()
        .next()
        .and_then(digit)
        .filter(|_| label.chars().count() == 1);
    let rank = rank.ok_or("a rank of the board has its number, 一 to 九, at the end")?;
    let cells: Vec<char> = cells.chars().collect();
    if cells.len() != 2 * SIDE {
        return Err(format!(
            "a rank of the board has 18 characters, here are {}",
            cells.len()
        ));
    }
    if builder.begun() {
        return Err("a board after the first move".to_string());
    }
    for (column, cell) in cells.chunks(2).enumerate() {
        let square = Square::at(SIDE - column, rank);
        let color = match cell[0] {
            'v' | 'V' => Color::White,
            ' ' | '^' => Color::Black,
            mark => return Err(format!("`{mark}` before a piece; expected a blank or `v`")),
        };
        let name = cell[1].to_string();
        match (name.as_str(), piece_name(&name)) {
            ("・" | "･", _) => {
                builder.board();
            }
            (_, Some((kind, promoted, _))) => {
                builder.place(Piece::new(kind, promoted, color), square)?
            }
            (name, None) => return Err(format!("`{name}` is no piece")),
        }
    }
    Ok(())
}

/// Reads `飛　角二　歩十八` or `なし`.
pub(super) fn read_hand(builder: &mut Builder, color: Color, text: &str) -> Result<(), String> {
    if text.is_empty() || text == "なし" {
        return Ok(());
    }
    for word in text.split_whitespace() {
        let (kind, promoted, count) =
            piece_name(word).ok_or(format!("`{word}` is no piece in hand"))?;
        if promoted {
            return Err(format!("`{word}`: pieces in hand are not promoted"));
        }
        let count = if count.is_empty() {
            1
        } else {
            number(count).ok_or(format!("`{count}` is no number from 一 to 十八"))?
        };
        builder.give(color, kind, count)?;
    }
    Ok(())
}

/// Reads 二 to 十八.
fn number(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    match (chars.next()?, chars.next(), chars.next()) {
        ('十', None, _) => Some(10),
        ('十', Some(unit), None) => Some(10 + digit(unit)?),
        (unit, None, _) => digit(unit),
        _ => None,
    }
}
