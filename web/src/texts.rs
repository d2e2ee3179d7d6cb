//! Game texts in and out.

use rules::import::{ImportedGame, import, write_game};
use rules::{Position, Rules};
use serde::{Deserialize, Serialize};

use crate::error::{Refusal, bad};
use crate::games::{GameTask, WebGame, rules_of, with_game};
use crate::view::{GameRequest, MAX_PLIES};

/// Most games taken from one text.
const MAX_GAMES: usize = 200;
/// Most tags of an exported game, and their longest text.
const MAX_TAGS: usize = 32;
const MAX_TAG: usize = 400;

/// A text to read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportRequest {
    game: String,
    /// Rules of games that do not name theirs.
    #[serde(default)]
    rules: String,
    text: String,
}

/// A game of the text, up to the first move that could not be read.
#[derive(Serialize)]
pub(crate) struct ImportAnswer {
    line: usize,
    rules: String,
    sfen: String,
    moves: Vec<String>,
    result: Option<String>,
    tags: Vec<(String, String)>,
    remarks: Vec<String>,
    /// Why it is not read to its end.
    error: Option<String>,
}

struct Import(ImportRequest);

impl GameTask for Import {
    type Output = Result<Vec<ImportAnswer>, Refusal>;
    fn run<P: WebGame>(self) -> Self::Output {
        let rules = rules_of::<P>(&self.0.rules)?;
        let games = import::<P>(&self.0.text, &rules);
        if games.is_empty() {
            return Err(bad("there is no move and no tag in this text"));
        }
        if games.len() > MAX_GAMES {
            return Err(bad(format!(
                "{} games; at most {MAX_GAMES} at a time, use `tenjiku import` for more",
                games.len()
            )));
        }
        let answers = games.into_iter().map(|game| match game {
            Ok(game) => answer(game, None),
            Err(error) => {
                let why = error.to_string();
                answer(*error.good, Some(why))
            }
        });
        Ok(answers.collect())
    }
}

fn answer<P: Position>(mut game: ImportedGame<P>, mut error: Option<String>) -> ImportAnswer {
    if game.moves.len() > MAX_PLIES {
        game.moves.truncate(MAX_PLIES);
        error = Some(format!("cut after {MAX_PLIES} moves"));
    }
    ImportAnswer {
        line: game.line,
        rules: game.rules.name(),
        sfen: game.start_sfen,
        moves: game.moves.iter().map(ToString::to_string).collect(),
        result: game.result,
        tags: game.tags,
        remarks: game
            .remarks
            .iter()
            .map(|r| format!("line {}, move {}: {}", r.line, r.ply, r.what))
            .collect(),
        error,
    }
}

/// Reads the games of a text.
///
/// # Errors
/// Unknown game or rules; a text without games, or with too many. A bad game is an answer with its reason.
pub(crate) fn read(request: ImportRequest) -> Result<Vec<ImportAnswer>, Refusal> {
    let game = request.game.clone();
    with_game(&game, Import(request))?
}

/// A game to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportRequest {
    game: GameRequest,
    #[serde(default)]
    tags: Vec<(String, String)>,
    /// `1-0`, `0-1`, `1/2-1/2`; absent while the game goes on.
    #[serde(default)]
    result: Option<String>,
}

/// Answer to `POST /api/export`.
#[derive(Serialize)]
pub(crate) struct ExportAnswer {
    /// Human notation with tags, as `tenjiku import` reads it.
    text: String,
    /// The USI line.
    usi: String,
}

struct Export(ExportRequest);

impl GameTask for Export {
    type Output = Result<ExportAnswer, Refusal>;
    fn run<P: WebGame>(self) -> Self::Output {
        let ExportRequest { game, tags, result } = self.0;
        if tags.len() > MAX_TAGS
            || tags.iter().any(|(name, value)| {
                let word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
                !word || name.len() > 40 || value.len() > MAX_TAG || value.contains(['\n', '\r'])
            })
        {
            return Err(bad(format!(
                "at most {MAX_TAGS} tags with a word for a name and one line of at most {MAX_TAG} bytes"
            )));
        }
        if let Some(result) = &result
            && !["1-0", "0-1", "1/2-1/2", "*"].contains(&result.as_str())
        {
            return Err(bad("the result must be 1-0, 0-1, 1/2-1/2 or *"));
        }
        let mut position = game.start::<P>()?;
        let start_sfen = position.sfen();
        let rules = position.rules().clone();
        let mut moves = Vec::new();
        game.play(&mut position, |_: &P, mv, _| moves.push(mv))?;
        let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let from = match start_sfen == P::start(&rules).sfen() {
            true => "startpos".to_string(),
            false => format!("sfen {start_sfen}"),
        };
        let usi = match words.is_empty() {
            true => format!("position {from}"),
            false => format!("position {from} moves {}", words.join(" ")),
        };
        let text = write_game(&ImportedGame::<P> {
            line: 1,
            tags,
            rules,
            start_sfen,
            moves,
            result,
            outcome: position.outcome(),
            comments: Vec::new(),
            remarks: Vec::new(),
        });
        Ok(ExportAnswer { text, usi })
    }
}

/// Writes a game.
///
/// # Errors
/// A game or tag that is wrong.
pub(crate) fn write(request: ExportRequest) -> Result<ExportAnswer, Refusal> {
    let game = request.game.game.clone();
    with_game(&game, Export(request))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exported_is_imported_again() {
        let moves = ["9l9k", "8e8f", "7l7k"].map(String::from).to_vec();
        let written = write(ExportRequest {
            game: GameRequest {
                game: "tenjiku".into(),
                rules: "western".into(),
                moves: moves.clone(),
                ..GameRequest::default()
            },
            tags: vec![("Black".into(), "a person".into())],
            result: Some("0-1".into()),
        })
        .unwrap();
        assert_eq!(written.usi, "position startpos moves 9l9k 8e8f 7l7k");
        let read = read(ImportRequest {
            game: "tenjiku".into(),
            rules: String::new(),
            text: written.text,
        })
        .unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].moves, moves);
        assert_eq!(read[0].rules, "western");
        assert_eq!(read[0].result.as_deref(), Some("0-1"));
        assert!(read[0].error.is_none());
    }

    #[test]
    fn a_bad_game_keeps_what_was_good() {
        let read = read(ImportRequest {
            game: "tenjiku".into(),
            rules: String::new(),
            text: "1. P-9k P-8f 2. K-1a".into(),
        })
        .unwrap();
        assert_eq!(read[0].moves.len(), 2);
        assert!(read[0].error.as_ref().unwrap().contains("move 3"));
    }

    #[test]
    fn tags_and_results_are_checked() {
        let export = |tags: Vec<(String, String)>, result: Option<&str>| {
            write(ExportRequest {
                game: GameRequest {
                    game: "tenjiku".into(),
                    ..GameRequest::default()
                },
                tags,
                result: result.map(String::from),
            })
        };
        assert!(export(vec![("A]".into(), "x".into())], None).is_err());
        assert!(export(vec![("A".into(), "x\n[B \"y\"]".into())], None).is_err());
        assert!(export(vec![("A".into(), "x".into()); 33], None).is_err());
        assert!(export(Vec::new(), Some("won")).is_err());
        assert!(export(Vec::new(), None).is_ok());
    }
}
