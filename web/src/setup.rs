//! The set-up editor's check: from squares to a position string, with what is odd about it.

use rules::{Color, Snapshot};
use serde::{Deserialize, Serialize};

use crate::error::Refusal;
use crate::games::{GameTask, WebGame, rules_of, with_game};

/// A board as the editor holds it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetupRequest {
    game: String,
    #[serde(default)]
    rules: String,
    /// One code a square.
    board: Vec<u8>,
    #[serde(default)]
    hands: Vec<u8>,
    turn: Color,
    #[serde(default = "one")]
    number: u32,
}

fn one() -> u32 {
    1
}

/// Answer to `POST /api/setup`.
#[derive(Serialize)]
pub(crate) struct SetupAnswer {
    /// The position string, if the squares make a position of the game.
    sfen: Option<String>,
    /// Why they do not, or what is odd though they do.
    problems: Vec<String>,
    /// Whether one can play on from here.
    playable: bool,
}

struct Check(SetupRequest);

impl GameTask for Check {
    type Output = Result<SetupAnswer, Refusal>;
    fn run<P: WebGame>(self) -> Result<SetupAnswer, Refusal> {
        let request = self.0;
        let rules = rules_of::<P>(&request.rules)?;
        let snapshot = Snapshot {
            board: request.board,
            hands: request.hands,
            turn: request.turn,
            move_number: request.number,
            repetitions: 0,
        };
        // What counts is that the string can be read back.
        let read = P::from_snapshot(&rules, &snapshot)
            .and_then(|position| P::from_sfen(&rules, &position.sfen()));
        let position = match read {
            Ok(position) => position,
            Err(error) => {
                return Ok(SetupAnswer {
                    sfen: None,
                    problems: vec![error.to_string()],
                    playable: false,
                });
            }
        };
        let mut problems = Vec::new();
        let outcome = position.outcome();
        if let Some(outcome) = outcome {
            problems.push(match outcome.winner {
                Some(winner) => format!(
                    "the game is over here: {} has won ({})",
                    side(winner),
                    outcome.reason.name().replace('_', " ")
                ),
                None => "the game is over here: a draw".to_string(),
            });
        }
        Ok(SetupAnswer {
            sfen: Some(position.sfen()),
            problems,
            playable: outcome.is_none(),
        })
    }
}

fn side(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// Checks a set-up.
///
/// # Errors
/// If game or rules are unknown; a bad board is an answer, not an error.
pub(crate) fn check(request: SetupRequest) -> Result<SetupAnswer, Refusal> {
    let game = request.game.clone();
    with_game(&game, Check(request))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(game: &str, squares: usize, pieces: &[(usize, u8)], turn: Color) -> SetupAnswer {
        let mut board = vec![0; squares];
        for &(at, code) in pieces {
            board[at] = code;
        }
        let hands = vec![0; if game == "shogi" { 14 } else { 0 }];
        check(SetupRequest {
            game: game.into(),
            rules: String::new(),
            board,
            hands,
            turn,
            number: 1,
        })
        .unwrap()
    }

    #[test]
    fn kings_make_a_position_and_no_king_is_told() {
        use rules::tenjiku::{Kind, Piece};
        let king = |color| Piece::new(color, Kind::King).code();
        let both = [(8, king(Color::White)), (248, king(Color::Black))];
        let answer = ask("tenjiku", 256, &both, Color::White);
        assert!(answer.playable && answer.problems.is_empty());
        assert_eq!(
            answer.sfen.as_deref(),
            Some("8k7/16/16/16/16/16/16/16/16/16/16/16/16/16/16/8K7 w - 1")
        );
        let answer = ask("tenjiku", 256, &both[1..], Color::White);
        assert!(!answer.playable);
        assert!(
            answer.problems[0].contains("Black has won"),
            "{:?}",
            answer.problems
        );
        let answer = ask("tenjiku", 255, &both[..1], Color::White);
        assert!(answer.sfen.is_none() && answer.problems[0].contains("256"));
        let answer = ask("tenjiku", 256, &[(0, 255)], Color::White);
        assert!(answer.sfen.is_none() && answer.problems[0].contains("255"));
    }

    #[test]
    fn shogi_needs_its_kings() {
        let answer = ask("shogi", 81, &[(4, 8)], Color::Black);
        assert!(!answer.playable && !answer.problems.is_empty());
    }
}
