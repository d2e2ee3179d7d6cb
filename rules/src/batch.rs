//! Questions about positions as JSON lines: what `tenjiku moves --batch` reads and writes.
//!
//! Reading a line and answering it are apart, because the game is chosen between them by the caller: this module
//! does not know which games there are. It does no I/O.

use serde::{Deserialize, Serialize};

use crate::{Color, Outcome, Position, Rules};

/// A question: a position and moves from there. All fields but `sfen` may be left out.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The game's name ([`Position::GAME`]); what it is by default is the caller's affair.
    #[serde(default)]
    pub game: Option<String>,
    /// A rules text; the default preset if absent.
    #[serde(default)]
    pub rules: Option<String>,
    /// Position string; empty or `startpos` for the initial position.
    pub sfen: String,
    /// Moves from there, one by one.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Answer {
    /// The position string after the moves.
    pub sfen: String,
    /// The legal moves there, sorted by bytes.
    pub legal: Vec<String>,
    /// `*` while the game goes on, `b` or `w` for a win of that side, `draw`.
    pub status: &'static str,
    /// Why the game is over, see [`EndReason::name`](crate::EndReason::name).
    pub reason: Option<&'static str>,
    /// Whether the side to move is in check.
    pub check: bool,
    /// Whether the side to move may end the game by declaration ([`Position::declaration`]).
    pub declare: bool,
}

impl Query {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it as JSON, or which field.
    pub fn read(line: &[u8]) -> Result<Query, String> {
        serde_json::from_slice(line).map_err(|error| format!("not a query: {error}"))
    }

    /// Answers the question as one about the game `P`.
    ///
    /// # Errors
    /// Names the unknown rules, the bad field of the position string, or the first bad move with its number.
    pub fn answer<P: Position>(&self) -> Result<Answer, String> {
        let rules = match &self.rules {
            None => P::Rules::default(),
            Some(text) => {
                P::Rules::parse(text).map_err(|error| format!("rules {text}: {error}"))?
            }
        };
        let mut position = match self.sfen.as_str() {
            "" | "startpos" => P::start(&rules),
            sfen => P::from_sfen(&rules, sfen).map_err(|error| error.to_string())?,
        };
        for (index, text) in self.moves.iter().enumerate() {
            let mv = position
                .parse_move(text)
                .map_err(|error| format!("move {}: {error}", index + 1))?;
            position.play(mv);
        }
        let outcome = position.outcome();
        Ok(Answer {
            sfen: position.sfen(),
            legal: sorted_moves(&position),
            status: status(outcome),
            reason: outcome.map(|outcome| outcome.reason.name()),
            check: position.in_check(),
            declare: position.declaration().is_some(),
        })
    }
}

/// The legal move strings, sorted by bytes.
pub fn sorted_moves<P: Position>(position: &P) -> Vec<String> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts
}

/// A result as in [`Answer::status`].
pub fn status(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(|outcome| outcome.winner) {
        None => "*",
        Some(None) => "draw",
        Some(Some(Color::Black)) => "b",
        Some(Some(Color::White)) => "w",
    }
}
