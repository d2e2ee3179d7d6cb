//! KIF: the Japanese record of one game, a move a line with its start square.
//!
//! ```text
//! 手合割：平手
//! 先手：A
//! 後手：B
//! 手数----指手---------消費時間--
//!    1 ７六歩(77)   ( 0:01/00:00:01)
//!    2 ３四歩(33)   ( 0:02/00:00:02)
//!    3 ２二角成(88)
//!    4 同　銀(31)
//!    5 投了
//! ```
//! Read are headers, handicaps, board diagrams with hands, comments, the moves of the main line and the end.
//! Times, bookmarks and variations are passed over.

mod diagram;

use super::builder::{Builder, Ending, Wrong};
use super::{Imported, handicap};
use crate::shogi::piece::{Kind, Piece};
use crate::shogi::square::Square;
use crate::shogi::{RuleSet, ShogiMove};
use crate::{Color, Position};

/// Whether a text is in this form: it has the line above the moves, a header that only KIF has, or a numbered
/// Japanese move.
pub(super) fn looks_like_kif(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start_matches('\u{feff}');
        let numbered = |line: &str| {
            let rest = line
                .trim_start()
                .trim_start_matches(|c: char| c.is_ascii_digit());
            rest.len() < line.trim_start().len()
                && rest
                    .trim_start()
                    .starts_with(|c| c == '同' || ('１'..='９').contains(&c))
        };
        line.starts_with("手数----")
            || line.starts_with("#KIF")
            || line.starts_with("手合割：")
            || numbered(line)
    })
}

/// Reads a KIF text.
///
/// Tags are the headers as they stand, with `Black` for 先手 and 下手, `White` for 後手 and 上手, and
/// `Termination` for the mark that ends the game, such as 投了. `result` is `1-0` if Black won.
///
/// # Errors
/// The line that is no KIF or holds an illegal move, why, and the game before it.
pub fn read_kif(text: &str, rules: &RuleSet) -> Imported {
    let mut builder = Builder::new(1, rules);
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim_end();
        if line.starts_with("変化：") {
            builder.remark(number, line, "variations are left out");
            break;
        }
        if let Err(wrong) = take(&mut builder, number, line) {
            return builder.fail(number, wrong);
        }
    }
    builder.finish()
}

fn take(builder: &mut Builder, number: usize, line: &str) -> Result<(), Wrong> {
    let at = |text: &str| {
        let text = text.trim().to_string();
        move |why: String| (text, why)
    };
    let body = line.trim_start();
    match line.chars().next() {
        None | Some('#' | '&') => return Ok(()),
        Some('*') => {
            builder.comment(line[1..].trim());
            return Ok(());
        }
        Some('|') => return diagram::read_row(builder, line).map_err(at(line)),
        _ => {}
    }
    if body.is_empty()
        || line.starts_with("手数----")
        || line.starts_with("+--")
        || body.starts_with('９')
    {
        return Ok(());
    }
    match body {
        "先手番" | "下手番" => {
            builder.set_turn(Color::Black);
            return Ok(());
        }
        "後手番" | "上手番" => {
            builder.set_turn(Color::White);
            return Ok(());
        }
        _ => {}
    }
    if body.starts_with(|c: char| c.is_ascii_digit()) {
        return take_move(builder, number, body).map_err(at(body));
    }
    if body.starts_with("まで") {
        builder.comment(body);
        return Ok(());
    }
    match line.split_once('：') {
        Some((name, value)) => header(builder, name.trim(), value.trim()).map_err(at(line)),
        None => Err(at(line)(
            "neither a header, a board, a comment nor a numbered move".to_string(),
        )),
    }
}

fn header(builder: &mut Builder, name: &str, value: &str) -> Result<(), String> {
    if builder.begun() {
        builder.comment(&format!("{name}：{value}"));
        return Ok(());
    }
    match name {
        "手合割" if value == "その他" => {}
        "手合割" => {
            let rules = builder.rules().clone();
            builder.start_from(handicap::start(&rules, value)?);
        }
        "先手の持駒" | "下手の持駒" => {
            return diagram::read_hand(builder, Color::Black, value);
        }
        "後手の持駒" | "上手の持駒" => {
            return diagram::read_hand(builder, Color::White, value);
        }
        _ => {}
    }
    let name = match name {
        "先手" | "下手" => "Black",
        "後手" | "上手" => "White",
        other => other,
    };
    builder.tag(name, value);
    Ok(())
}

/// The marks that stand in place of a move.
const ENDINGS: [(&str, Ending); 13] = [
    ("中断", Ending::Open),
    ("投了", Ending::Resigns),
    ("持将棋", Ending::Drawn),
    ("千日手", Ending::Repetition),
    ("詰み", Ending::Mated),
    ("不詰", Ending::Open),
    ("切れ負け", Ending::OutOfTime),
    ("反則勝ち", Ending::IllegalBefore),
    ("反則負け", Ending::Illegal(None)),
    ("入玉勝ち", Ending::Declares),
    ("不戦勝", Ending::Forfeit { wins: true }),
    ("不戦敗", Ending::Forfeit { wins: false }),
    ("最大手数", Ending::PlyCap),
];

/// Reads `  12 ５五角打  ( 0:01/...)`.
fn take_move(builder: &mut Builder, line: usize, text: &str) -> Result<(), String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let expected = builder.plies() + 1;
    if number.parse() != Ok(expected) {
        return Err(format!("expected the move number {expected}"));
    }
    let rest = rest.trim_start();
    if let Some((mark, ending)) = ENDINGS.iter().find(|(mark, _)| rest.starts_with(mark)) {
        return builder.end(line, mark, *ending);
    }
    let mv = parse_move(builder, rest)?;
    builder.play(line, mv)
}

/// Reads `７六歩(77)`, `同　銀(31)`, `２二角成(88)` or `５五角打`.
fn parse_move(builder: &mut Builder, text: &str) -> Result<ShogiMove, String> {
    let (to, rest) = match text.strip_prefix('同') {
        Some(rest) => {
            let to = builder.last_target().ok_or("`同` needs a move before it")?;
            (to, rest.trim_start())
        }
        None => {
            let mut chars = text.chars();
            let square = chars
                .next()
                .and_then(digit)
                .zip(chars.next().and_then(digit));
            let (file, rank) = square.ok_or("expected a square like `７六` or `同`")?;
            (Square::at(file, rank), chars.as_str())
        }
    };
    let (kind, promoted, rest) = piece_name(rest).ok_or("expected the name of a piece")?;
    if let Some(rest) = rest.strip_prefix('打') {
        end_of_move(rest)?;
        if promoted || kind == Kind::King {
            return Err("only unpromoted pieces other than the king are dropped".to_string());
        }
        return Ok(ShogiMove::drop(kind, to));
    }
    let (promotes, rest) = match (rest.strip_prefix("不成"), rest.strip_prefix('成')) {
        (Some(rest), _) => (false, rest),
        (None, Some(rest)) => (true, rest),
        (None, None) => (false, rest),
    };
    let from = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    let (from, rest) =
        from.ok_or("expected the start square in parentheses, like `(77)`, or `打`")?;
    end_of_move(rest)?;
    let from = match *from.as_bytes() {
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => {
            Square::at((file - b'0') as usize, (rank - b'0') as usize)
        }
        _ => return Err(format!("`({from})` is no start square like `(77)`")),
    };
    let position = builder.position()?;
    let piece = Piece::new(kind, promoted, position.turn());
    match position.board.on(from) {
        Some(found) if found == piece => Ok(ShogiMove::step(from, to, promotes)),
        Some(found) => Err(format!(
            "the piece on {from} is {} (in SFEN letters), not {}",
            found.sfen(),
            piece.sfen()
        )),
        None => Err(format!("there is no piece on {from}")),
    }
}

/// After a move come only its times.
fn end_of_move(rest: &str) -> Result<(), String> {
    let rest = rest.trim_start().trim_end_matches('+').trim_end();
    if rest.is_empty() || rest.starts_with('(') {
        Ok(())
    } else {
        Err(format!("`{rest}` after the move"))
    }
}

/// A digit from 1 to 9, ASCII, full width or Chinese.
fn digit(c: char) -> Option<usize> {
    let place = |digits: &str| digits.chars().position(|d| d == c).map(|i| i + 1);
    place("123456789")
        .or_else(|| place("１２３４５６７８９"))
        .or_else(|| place("一二三四五六七八九"))
}

/// Names of pieces; longer ones first.
const NAMES: [(&str, Kind, bool); 19] = [
    ("成香", Kind::Lance, true),
    ("成桂", Kind::Knight, true),
    ("成銀", Kind::Silver, true),
    ("歩", Kind::Pawn, false),
    ("香", Kind::Lance, false),
    ("桂", Kind::Knight, false),
    ("銀", Kind::Silver, false),
    ("金", Kind::Gold, false),
    ("角", Kind::Bishop, false),
    ("飛", Kind::Rook, false),
    ("玉", Kind::King, false),
    ("王", Kind::King, false),
    ("と", Kind::Pawn, true),
    ("杏", Kind::Lance, true),
    ("圭", Kind::Knight, true),
    ("全", Kind::Silver, true),
    ("馬", Kind::Bishop, true),
    ("龍", Kind::Rook, true),
    ("竜", Kind::Rook, true),
];

/// The piece at the start of a text, and the rest.
fn piece_name(text: &str) -> Option<(Kind, bool, &str)> {
    NAMES
        .iter()
        .find_map(|&(name, kind, promoted)| Some((kind, promoted, text.strip_prefix(name)?)))
}
