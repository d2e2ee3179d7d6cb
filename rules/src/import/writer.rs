//! Our own game text: tags, then moves in human notation, numbered in pairs.

use super::{GameText, ImportedGame};
use crate::{Color, Rules};

/// Width at which lines are broken.
const WIDTH: usize = 100;

/// The text of a game, which [`import`](super::import) reads back to the same moves.
///
/// Tags are written as they are, with `Rules` and, unless the game starts from the initial position or a
/// handicap, `SFEN` added where they are missing. Where White moves first an ellipsis stands for Black's move.
/// Comments must not contain `}`; it is written as `)`.
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
    let mut tags = game.tags.clone();
    if game.tag("Rules").is_none() {
        tags.push(("Rules".to_string(), game.rules.name()));
    }
    let named =
        game.tag("SFEN").is_some() || game.tag("FEN").is_some() || game.tag("Handicap").is_some();
    if !named && game.start_sfen != P::start(&game.rules).sfen() {
        tags.push(("SFEN".to_string(), game.start_sfen.clone()));
    }
    let mut text: String = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{}\"]\n", value.replace('"', "'")))
        .collect();
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
