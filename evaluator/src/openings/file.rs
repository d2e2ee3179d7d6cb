//! The text file of an opening set: one USI `position` line an opening, `#` before comments.
//!
//! ```text
//! # game: tenjiku
//! # rules: historical
//! position startpos moves 7l7k 5d3f   # 0.512
//! ```
//! Other programs read such lines, and `tenjiku import` does.

use super::Opening;
use rules::{Position, Rules};
use std::collections::HashMap;

/// The `position` line of an opening.
pub fn opening_line<P: Position>(opening: &Opening<P>) -> String {
    let sfen = opening.start.sfen();
    let mut line = if sfen == P::start(opening.start.rules()).sfen() {
        "position startpos".to_string()
    } else {
        format!("position sfen {sfen}")
    };
    if !opening.moves.is_empty() {
        line += " moves";
    }
    for mv in &opening.moves {
        line += &format!(" {mv}");
    }
    line
}

/// The file of these openings; each comes with a note, which may be empty. `about` goes into the head as comments.
pub fn write_openings<P: Position>(
    rules: &P::Rules,
    about: &[String],
    openings: &[(Opening<P>, String)],
) -> String {
    let mut text = format!("# game: {}\n# rules: {}\n", P::GAME, rules.name());
    for line in about {
        text += &format!("# {line}\n");
    }
    for (opening, note) in openings {
        text += &opening_line(opening);
        if !note.is_empty() {
            text += &format!("   # {note}");
        }
        text.push('\n');
    }
    text
}

/// Reads an opening file to be played by `rules`.
///
/// # Errors
/// The number of the first bad line and what is wrong with it: another game or other rules in the head, no `position`
/// line, an illegal move, a decided position, an opening that stands twice. Also a file without openings.
pub fn read_openings<P: Position>(text: &str, rules: &P::Rules) -> Result<Vec<Opening<P>>, String> {
    let mut openings = Vec::new();
    let mut seen = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let bad = |why: String| format!("line {number}: {why}");
        if let Some(comment) = line.trim().strip_prefix('#') {
            check_head::<P>(comment, rules).map_err(bad)?;
            continue;
        }
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let opening = read_line::<P>(line, rules).map_err(bad)?;
        if let Some(earlier) = seen.insert(opening_line(&opening), number) {
            return Err(bad(format!(
                "the same opening as in line {earlier}; remove one"
            )));
        }
        openings.push(opening);
    }
    if openings.is_empty() {
        return Err("no opening in it; make some with `tenjiku openings`".into());
    }
    Ok(openings)
}

fn check_head<P: Position>(comment: &str, rules: &P::Rules) -> Result<(), String> {
    let Some((key, value)) = comment.split_once(':') else {
        return Ok(());
    };
    let (value, wanted) = match key.trim() {
        "game" => (value.trim(), P::GAME.to_string()),
        "rules" => (value.trim(), rules.name()),
        _ => return Ok(()),
    };
    if value != wanted {
        return Err(format!(
            "made for the {} `{value}`, the games are to be played by `{wanted}`",
            key.trim()
        ));
    }
    Ok(())
}

fn read_line<P: Position>(line: &str, rules: &P::Rules) -> Result<Opening<P>, String> {
    let form = "write `position startpos moves ...` or `position sfen ... moves ...`";
    let rest = line
        .strip_prefix("position ")
        .ok_or_else(|| form.to_string())?;
    let (place, moves) = match rest.split_once("moves") {
        Some((place, moves)) => (place.trim(), moves),
        None => (rest.trim(), ""),
    };
    let start = match place.strip_prefix("sfen ") {
        Some(sfen) => P::from_sfen(rules, sfen.trim()).map_err(|e| e.to_string())?,
        None if place == "startpos" => P::start(rules),
        None => return Err(form.to_string()),
    };
    let mut position = start.clone();
    let mut list = Vec::new();
    for (i, text) in moves.split_whitespace().enumerate() {
        let mv = position
            .parse_move(text)
            .map_err(|e| format!("move {}: {e}", i + 1))?;
        position.play(mv);
        list.push(mv);
    }
    if position.outcome().is_some() {
        return Err("the game is over after it".into());
    }
    Ok(Opening { start, moves: list })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::random_openings;
    use rules::shogi::Shogi;
    use rules::tenjiku::{RuleSet, Tenjiku};

    #[test]
    fn what_is_written_is_read() {
        let rules = RuleSet::default();
        let start = Tenjiku::start(&rules);
        let mut openings = random_openings(&start, 3, 5, 20);
        // One that begins elsewhere.
        let other = openings[0].position();
        openings.push(random_openings(&other, 2, 6, 1).remove(0));
        let noted: Vec<_> = openings
            .iter()
            .map(|o| (o.clone(), "0.512".to_string()))
            .collect();
        let text = write_openings(&rules, &["made by a test".into()], &noted);
        let read = read_openings::<Tenjiku>(&text, &rules).unwrap();
        let lines = |list: &[Opening<Tenjiku>]| list.iter().map(opening_line).collect::<Vec<_>>();
        assert_eq!(lines(&read), lines(&openings));
        assert!(lines(&read)[20].starts_with("position sfen "));
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        let rules = RuleSet::default();
        let said = |text: &str| read_openings::<Tenjiku>(text, &rules).unwrap_err();
        for (text, part) in [
            ("", "no opening in it"),
            (
                "# rules: western\nposition startpos",
                "line 1: made for the rules `western`",
            ),
            ("# game: shogi\n", "line 1: made for the game `shogi`"),
            ("startpos moves 7l7k", "line 1: write `position startpos"),
            ("# x\nposition startpos moves 7l7k 7l7k", "line 2: move 2"),
            ("position sfen 16/16 b - 1", "line 1: bad SFEN"),
            (
                "position startpos moves 7l7k\n\nposition startpos moves 7l7k # again",
                "line 3: the same opening as in line 1",
            ),
            (
                "position sfen 16/16/16/16/16/16/16/16/16/16/16/16/16/16/16/K15 w - 1",
                "the game is over",
            ),
        ] {
            assert!(said(text).contains(part), "{text:?}: {}", said(text));
        }
        let shogi = read_openings::<Shogi>("position startpos moves 7g7f", &Default::default());
        assert_eq!(shogi.unwrap()[0].moves.len(), 1);
    }
}
