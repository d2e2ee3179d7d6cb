//! Game texts: records that people and programs write, read into legal moves, and our own written.
//!
//! Understood are, freely mixed (see `docs/game-texts.md`):
//! - numbered records in human notation, numbered by pair or by ply, with or without piece names;
//! - lists of our own move strings;
//! - USI lines, `position startpos moves ...` and `position sfen ... moves ...`, each one a game;
//! - tags `[Rules "western"]`, `[SFEN "..."]`, `[Handicap "fd"]`, any others; comments in braces or after `;`.
//!
//! A text may hold several games. Every move is checked; where a game stops being legal, the error says in which
//! line, at which move and why, and keeps what was good before.
//!
//! Everything here works on strings: reading files is the caller's affair.

mod decode;
mod reader;
mod tokens;
mod usi;
mod writer;

use std::fmt;

use crate::{MoveError, Outcome, Position, Rules};

pub use decode::decode;
pub use writer::write_game;

/// What game texts need of a game beyond [`Position`]: how people write its moves.
pub trait GameText: Position {
    /// The move in human notation.
    fn write_move(&self, mv: Self::Move) -> String;

    /// The legal move that a text in human notation means.
    ///
    /// # Errors
    /// [`MoveError`] if it cannot be read, or means no legal move, or more than one.
    fn read_move(&self, text: &str) -> Result<Reading<Self::Move>, MoveError>;

    /// The start position of a handicap, by name.
    ///
    /// # Errors
    /// What is wrong with the name and which there are.
    fn handicap(rules: &Self::Rules, name: &str) -> Result<Self, String>;

    /// Handicaps to suggest, from the smallest to the largest: name and meaning. [`handicap`](Self::handicap) may
    /// know more.
    fn handicaps() -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// The games of a text in a file format of this game alone (shogi: KIF, CSA); `None` if it is in none.
    fn import_native(
        _text: &str,
        _rules: &Self::Rules,
    ) -> Option<Vec<Result<ImportedGame<Self>, ImportError<Self>>>> {
        None
    }
}

/// A move as read from a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading<M> {
    /// The legal move meant.
    pub mv: M,
    /// What the text says and the move does not bear out; empty if they agree.
    pub remarks: Vec<String>,
}

/// A game read from a text. All its moves are legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportedGame<P: Position> {
    /// The line of the text in which it begins, counted from 1.
    pub line: usize,
    /// The tags in order, the ones with a meaning included.
    pub tags: Vec<(String, String)>,
    /// The rules it is played by: its tag `Rules`, else what the caller gave.
    pub rules: P::Rules,
    /// Where it starts.
    pub start_sfen: String,
    /// The moves.
    pub moves: Vec<P::Move>,
    /// What the text says about the end: `1-0`, `0-1`, `1/2-1/2`, `*`, or words such as `White resigns`.
    pub result: Option<String>,
    /// How the game ended by the rules, if its last position is an end; else, in KIF and CSA, how the end mark
    /// says that it ended.
    pub outcome: Option<Outcome>,
    /// Comments, with the number of moves before them.
    pub comments: Vec<(usize, String)>,
    /// Places where the text is odd though the move is clear and legal.
    pub remarks: Vec<Remark>,
}

/// An oddity in a game that could nevertheless be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Line of the text, from 1.
    pub line: usize,
    /// Number of the move in the game, from 1, every ply counted.
    pub ply: usize,
    /// The text in question.
    pub text: String,
    /// What is odd about it.
    pub what: String,
}

/// A game that could not be read to its end.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportError<P: Position> {
    /// Line of the text, from 1.
    pub line: usize,
    /// Number of the move that could not be played, from 1, every ply counted.
    pub ply: usize,
    /// The text at that place.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
    /// The game up to there.
    pub good: Box<ImportedGame<P>>,
}

impl<P: Position> fmt::Display for ImportError<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, move {}, at `{}`: {}",
            self.line, self.ply, self.text, self.why
        )
    }
}

impl<P: Position> std::error::Error for ImportError<P> {}

/// Reads every game of a text.
///
/// Games are told apart by tags, by a result, by numbers that begin again after an empty line, and, where there
/// are no numbers, by an empty line. After an error reading goes on with the next game. A text without any move
/// or tag gives no games. A text in a format of the game's own ([`GameText::import_native`]) is read as such.
pub fn import<P: GameText>(
    text: &str,
    rules: &P::Rules,
) -> Vec<Result<ImportedGame<P>, ImportError<P>>> {
    if let Some(games) = P::import_native(text, rules) {
        return games;
    }
    reader::Reader::new(rules.clone()).read(tokens::split(text))
}

impl<P: Position> ImportedGame<P> {
    /// The value of a tag, whatever the case of its name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(tag, _)| tag.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// The rules and the start position that the tags of a game mean; without a tag, the game's rules and their
/// usual start.
///
/// # Errors
/// The value of the tag at fault, and what is wrong with it.
fn meant_by_tags<P: GameText>(game: &ImportedGame<P>) -> Result<(P::Rules, P), (String, String)> {
    let wrong = |value: &str, why: String| (value.to_string(), why);
    let rules = match game.tag("Rules") {
        Some(text) => P::Rules::parse(text).map_err(|error| wrong(text, error.to_string()))?,
        None => game.rules.clone(),
    };
    let sfen = game.tag("SFEN").or(game.tag("FEN"));
    let start = match (sfen, game.tag("Handicap")) {
        (Some(sfen), _) => {
            P::from_sfen(&rules, sfen).map_err(|error| wrong(sfen, error.to_string()))?
        }
        (None, Some(name)) => P::handicap(&rules, name).map_err(|why| wrong(name, why))?,
        (None, None) => P::start(&rules),
    };
    Ok((rules, start))
}
