//! CSA: the record of computer shogi, in ASCII but for names and comments.
//!
//! ```text
//! V2.2
//! N+A
//! N-B
//! PI
//! +
//! +7776FU
//! T12
//! -3334FU
//! %TORYO
//! ```
//! Read are players, headers, start positions in all three forms, comments, moves and the end; a line with `/`
//! begins another game. Times are passed over.

mod setup;

use super::Imported;
use super::builder::{Builder, Ending, Wrong};
use crate::shogi::piece::{Kind, Piece};
use crate::shogi::square::Square;
use crate::shogi::{RuleSet, ShogiMove};
use crate::{Color, Position};

/// Whether a text is in this form: its first line that is no comment is one that only CSA has.
pub(super) fn looks_like_csa(text: &str) -> bool {
    let first = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim_end)
        .find(|line| !line.is_empty() && !line.starts_with('\''));
    first.is_some_and(|line| {
        let version = |line: &str| {
            line.starts_with('V') && line[1..].starts_with(|c: char| c.is_ascii_digit())
        };
        let start = ["N+", "N-", "PI", "P1", "P+", "P-", "$"]
            .iter()
            .any(|s| line.starts_with(s));
        version(line) || start || line == "+" || line == "-"
    })
}

/// Reads a CSA text with one game or several.
///
/// Tags are `Black` and `White` for the players, the `$` headers under their names, and `Termination` for the
/// mark that ends the game, such as `%TORYO`. `result` is `1-0` if Black won. After an error reading goes on with the next game.
pub fn read_csa(text: &str, rules: &RuleSet) -> Vec<Imported> {
    let mut games = Vec::new();
    let mut current: Option<Builder> = None;
    let mut failed = false;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim_end();
        if line == "/" {
            games.extend(current.take().map(Builder::finish));
            failed = false;
            continue;
        }
        if failed || line.is_empty() {
            continue;
        }
        let builder = current.get_or_insert_with(|| Builder::new(number, rules));
        let wrong = statements(line).find_map(|part| take(builder, number, part).err());
        if let Some(wrong) = wrong {
            games.extend(current.take().map(|builder| builder.fail(number, wrong)));
            failed = true;
        }
    }
    games.extend(current.map(Builder::finish));
    games
}

/// Moves, times and marks may share a line, separated by commas; names, headers and comments are whole lines.
fn statements(line: &str) -> impl Iterator<Item = &str> {
    let whole = line.starts_with(['\'', 'N', '$', 'V', 'P']);
    let limit = if whole { 1 } else { usize::MAX };
    line.splitn(limit, ',').filter(|part| !part.is_empty())
}

fn take(builder: &mut Builder, number: usize, text: &str) -> Result<(), Wrong> {
    statement(builder, number, text).map_err(|why| (text.to_string(), why))
}

fn statement(builder: &mut Builder, line: usize, text: &str) -> Result<(), String> {
    if let Some(comment) = text.strip_prefix('\'') {
        builder.comment(comment.trim_start_matches('*').trim());
        return Ok(());
    }
    if let Some(mark) = text.strip_prefix('%') {
        let (_, ending) = ENDINGS
            .iter()
            .find(|(name, _)| *name == mark)
            .ok_or("unknown mark; known is e.g. `%TORYO`")?;
        return match ending {
            Some(ending) => builder.end(line, text, *ending),
            None => {
                builder.remark(line, text, "no end of a game, passed over");
                Ok(())
            }
        };
    }
    match text.as_bytes() {
        [b'V', ..] => builder.tag("Version", &text[1..]),
        [b'T', ..] => {}
        [b'N', b'+', ..] => builder.tag("Black", text[2..].trim()),
        [b'N', b'-', ..] => builder.tag("White", text[2..].trim()),
        [b'$', ..] => {
            let (name, value) = text[1..]
                .split_once(':')
                .ok_or("a header has the form `$NAME:value`")?;
            builder.tag(name, value);
        }
        [b'P', ..] if builder.begun() => {
            return Err("a start position after the first move".to_string());
        }
        [b'P', ..] => return setup::read(builder, text),
        [b'+'] | [b'-'] if builder.begun() || builder.has_turn() => {
            return Err("the side that moves first is given twice".to_string());
        }
        [b'+'] => builder.set_turn(Color::Black),
        [b'-'] => builder.set_turn(Color::White),
        [b'+' | b'-', ..] => {
            let mv = parse_move(builder, text)?;
            return builder.play(line, mv);
        }
        _ => return Err("no statement of CSA".to_string()),
    }
    Ok(())
}

/// The marks; `None` for what does not end a game.
const ENDINGS: [(&str, Option<Ending>); 15] = [
    ("TORYO", Some(Ending::Resigns)),
    ("CHUDAN", Some(Ending::Open)),
    ("SENNICHITE", Some(Ending::Repetition)),
    ("TIME_UP", Some(Ending::OutOfTime)),
    ("ILLEGAL_MOVE", Some(Ending::Illegal(None))),
    ("+ILLEGAL_ACTION", Some(Ending::Illegal(Some(Color::Black)))),
    ("-ILLEGAL_ACTION", Some(Ending::Illegal(Some(Color::White)))),
    ("JISHOGI", Some(Ending::Drawn)),
    ("KACHI", Some(Ending::Declares)),
    ("HIKIWAKE", Some(Ending::Drawn)),
    ("MAX_MOVES", Some(Ending::PlyCap)),
    ("TSUMI", Some(Ending::Mated)),
    ("FUZUMI", Some(Ending::Open)),
    ("ERROR", Some(Ending::Open)),
    ("MATTA", None),
];

/// Reads `+7776FU`: colour, start (`00` for a drop), end, and the piece as it stands after the move.
fn parse_move(builder: &mut Builder, text: &str) -> Result<ShogiMove, String> {
    let form = "a move has the form `+7776FU`";
    let (from, to, name) = match *text.as_bytes() {
        [_, a, b, c, d, e, f] => ([a, b], [c, d], [e, f]),
        _ => return Err(form.to_string()),
    };
    let color = if text.starts_with('+') {
        Color::Black
    } else {
        Color::White
    };
    let (kind, promoted) = piece(name)?;
    let to = square(to)?;
    if !builder.begun() && !builder.has_turn() {
        return Err(
            "the side that moves first is not given; a line `+` or `-` belongs before the moves"
                .to_string(),
        );
    }
    let position = builder.position()?;
    if position.turn() != color {
        return Err(format!("it is {:?}'s turn", position.turn()));
    }
    if from == *b"00" {
        if promoted || kind == Kind::King {
            return Err("only unpromoted pieces other than the king are dropped".to_string());
        }
        return Ok(ShogiMove::drop(kind, to));
    }
    let from = square(from)?;
    let Some(before) = position.board.on(from) else {
        return Err(format!("there is no piece on {from}"));
    };
    let after = Piece::new(kind, promoted, color);
    if before == after {
        Ok(ShogiMove::step(from, to, false))
    } else if kind.promotes() && !before.promoted() && before.promote() == after {
        Ok(ShogiMove::step(from, to, true))
    } else {
        Err(format!(
            "the piece on {from} is {} (in SFEN letters) and cannot become {}",
            before.sfen(),
            after.sfen()
        ))
    }
}

fn square(digits: [u8; 2]) -> Result<Square, String> {
    match digits {
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => {
            Ok(Square::at((file - b'0') as usize, (rank - b'0') as usize))
        }
        _ => Err(format!(
            "`{}` is no square",
            String::from_utf8_lossy(&digits)
        )),
    }
}

/// The piece with a two-letter name.
fn piece(name: [u8; 2]) -> Result<(Kind, bool), String> {
    Ok(match &name {
        b"FU" => (Kind::Pawn, false),
        b"KY" => (Kind::Lance, false),
        b"KE" => (Kind::Knight, false),
        b"GI" => (Kind::Silver, false),
        b"KI" => (Kind::Gold, false),
        b"KA" => (Kind::Bishop, false),
        b"HI" => (Kind::Rook, false),
        b"OU" => (Kind::King, false),
        b"TO" => (Kind::Pawn, true),
        b"NY" => (Kind::Lance, true),
        b"NK" => (Kind::Knight, true),
        b"NG" => (Kind::Silver, true),
        b"UM" => (Kind::Bishop, true),
        b"RY" => (Kind::Rook, true),
        _ => return Err(format!("`{}` is no piece", String::from_utf8_lossy(&name))),
    })
}
