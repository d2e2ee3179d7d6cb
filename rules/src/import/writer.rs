//! Our own game text: tags, then moves in human notation, numbered in pairs.

use super::{GameText, ImportedGame, meant_by_tags};
use crate::{Color, Rules};

/// Width at which lines are broken.
const WIDTH: usize = 100;

/// The text of a game, which [`import`](super::import) reads back to the same moves.
///
/// Tags are written as they are, but for those of which a reader would take other rules or another start than
/// the game's: `Rules` and, unless the tags lead there, `SFEN` are written instead. Where White moves first an
/// ellipsis stands for Black's move. What the form has no place for is replaced: `}` in comments by `)`, `"` in
/// values by `'`, blanks in names of tags by `_`.
pub fn write_game<P: GameText>(game: &ImportedGame<P>) -> String {
    let mut text = tags(game);
    let mut words = Words {
        text: &mut text,
        column: 0,
    };
    let mut pos = match P::from_sfen(&game.rules, &game.start_sfen) {
        Ok(pos) => pos,
        Err(_) => P::start(&game.rules),
    };
    let offset = usize::from(pos.turn() == Color::White);
    let mut comments = game.comments.iter().peekable();
    for (ply, &mv) in game.moves.iter().enumerate() {
        let mut commented = false;
        while let Some((_, comment)) = comments.next_if(|(before, _)| *before <= ply) {
            words.push(&format!("{{{}}}", comment.replace('}', ")")));
            commented = true;
        }
        let second = (ply + offset) % 2 == 1;
        let number = match second {
            false => format!("{}. ", (ply + offset) / 2 + 1),
            true if ply == 0 || commented => format!("{}. ... ", (ply + offset) / 2 + 1),
            true => String::new(),
        };
        words.push(&format!("{number}{}", pos.write_move(mv)));
        pos.play(mv);
    }
    for (_, comment) in comments {
        words.push(&format!("{{{}}}", comment.replace('}', ")")));
    }
    words.push(game.result.as_deref().unwrap_or("*"));
    text.push('\n');
    text
}

fn tags<P: GameText>(game: &ImportedGame<P>) -> String {
    let mut told = game.clone();
    let drop = |told: &mut ImportedGame<P>, names: &[&str]| {
        told.tags
            .retain(|(tag, _)| !names.iter().any(|name| tag.eq_ignore_ascii_case(name)));
    };
    let read_as = |text: &str| P::Rules::parse(text).ok().as_ref() == Some(&game.rules);
    if !told.tag("Rules").is_some_and(read_as) {
        drop(&mut told, &["Rules"]);
        told.tags.push(("Rules".to_string(), game.rules.name()));
    }
    if !meant_by_tags(&told).is_ok_and(|(_, start)| start.sfen() == game.start_sfen) {
        drop(&mut told, &["SFEN", "FEN", "Handicap"]);
        told.tags
            .push(("SFEN".to_string(), game.start_sfen.clone()));
    }
    let mut text = String::new();
    for (name, value) in &told.tags {
        let mut name = name.replace(char::is_whitespace, "_");
        if name.is_empty() {
            name.push('_');
        }
        text += &format!("[{name} \"{}\"]\n", value.replace('"', "'"));
    }
    text.push('\n');
    text
}

struct Words<'a> {
    text: &'a mut String,
    column: usize,
}

impl Words<'_> {
    /// Adds a word after a blank or, where the line is full, on a new line.
    fn push(&mut self, word: &str) {
        let width = word.chars().count();
        if self.column > 0 && self.column + 1 + width > WIDTH {
            self.text.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += width;
    }
}
