//! The start position of a CSA game: `PI82HI22KA`, `P1-KY-KE...`, `P+27FU00KI`, `P-00AL`.

use super::super::builder::Builder;
use super::{piece, square};
use crate::Color;
use crate::Position;
use crate::shogi::Shogi;
use crate::shogi::piece::{Kind, Piece};
use crate::shogi::square::{SIDE, SQUARES, Square};

pub(super) fn read(builder: &mut Builder, text: &str) -> Result<(), String> {
    if !text.is_ascii() {
        return Err("a start position is written in ASCII".to_string());
    }
    match text.as_bytes() {
        [b'P', b'I', ..] => even_game(builder, &text[2..]),
        [b'P', rank @ b'1'..=b'9', ..] => row(builder, (rank - b'0') as usize, &text[2..]),
        [b'P', b'+', ..] => pieces(builder, Color::Black, &text[2..]),
        [b'P', b'-', ..] => pieces(builder, Color::White, &text[2..]),
        _ => Err("a start position is `PI`, `P1` to `P9`, `P+` or `P-`".to_string()),
    }
}

/// The usual start without the pieces that are listed.
fn even_game(builder: &mut Builder, without: &str) -> Result<(), String> {
    let start = Shogi::start(builder.rules());
    for square in (0..SQUARES).map(Square::new) {
        if let Some(piece) = start.board.on(square) {
            builder.place(piece, square)?;
        }
    }
    for item in items(without)? {
        let (square, (kind, promoted)) = (square([item[0], item[1]])?, piece([item[2], item[3]])?);
        match builder.board().on(square) {
            Some(found) if found.kind() == kind && !promoted => builder.board().take(found, square),
            _ => {
                return Err(format!(
                    "no {} stands on {square} at the start",
                    kind.name()
                ));
            }
        }
    }
    Ok(())
}

/// Nine cells of three characters: a sign and a piece, or ` * `; blanks at the end may be missing.
fn row(builder: &mut Builder, rank: usize, cells: &str) -> Result<(), String> {
    builder.board();
    let cells = format!("{cells:<width$}", width = 3 * SIDE);
    if cells.trim_end().len() > 3 * SIDE {
        return Err("a rank has nine squares of three characters".to_string());
    }
    for (column, cell) in cells.as_bytes().chunks(3).take(SIDE).enumerate() {
        let color = match cell {
            b" * " => continue,
            [b'+', ..] => Color::Black,
            [b'-', ..] => Color::White,
            _ => {
                let cell = String::from_utf8_lossy(cell);
                return Err(format!(
                    "`{cell}` on file {}; expected ` * ` or a piece like `-FU`",
                    SIDE - column
                ));
            }
        };
        let (kind, promoted) = piece([cell[1], cell[2]])?;
        builder.place(
            Piece::new(kind, promoted, color),
            Square::at(SIDE - column, rank),
        )?;
    }
    Ok(())
}

/// Single pieces of one side: square and piece, `00` for in hand, `00AL` for all that are left.
fn pieces(builder: &mut Builder, color: Color, text: &str) -> Result<(), String> {
    builder.board();
    for item in items(text)? {
        if item == b"00AL" {
            for kind in Kind::SFEN_HAND {
                let board = builder.board();
                let there = (board.plain(kind) | board.promoted(kind)).count()
                    + (board.in_hand(Color::Black, kind) + board.in_hand(Color::White, kind))
                        as usize;
                builder.give(color, kind, kind.in_set().saturating_sub(there))?;
            }
            continue;
        }
        let (kind, promoted) = piece([item[2], item[3]])?;
        if item.starts_with(b"00") {
            if promoted {
                return Err("pieces in hand are not promoted".to_string());
            }
            builder.give(color, kind, 1)?;
        } else {
            builder.place(
                Piece::new(kind, promoted, color),
                square([item[0], item[1]])?,
            )?;
        }
    }
    Ok(())
}

/// The items of four characters.
fn items(text: &str) -> Result<impl Iterator<Item = &[u8]>, String> {
    let text = text.trim_end();
    if !text.len().is_multiple_of(4) {
        return Err("pieces are listed as square and piece, like `82HI`".to_string());
    }
    Ok(text.as_bytes().chunks(4))
}
