//! An engine's move.

use engine::{GameSoFar, PlayerSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Refusal, bad};
use crate::games::{GameTask, WebGame, with_game};
use crate::jobs::{Class, JobView, Jobs};
use crate::players::Pool;
use crate::view::GameRequest;
use std::sync::Arc;

/// Asks for a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThinkRequest {
    pub game: GameRequest,
    /// A player spec.
    pub player: String,
    /// The page's name for this game: a player keeps its memory within it.
    pub session: String,
    /// The page's name for this very question.
    pub key: String,
}

/// Names that a page may choose: short words.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), Refusal> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    match (1..=64).contains(&name.len()) && name.bytes().all(word) {
        true => Ok(()),
        false => Err(bad(format!(
            "{what} must be 1 to 64 letters, digits or dashes"
        ))),
    }
}

struct Think<'a> {
    request: ThinkRequest,
    spec: PlayerSpec,
    jobs: &'a Jobs,
    pool: &'a Arc<Pool>,
}

impl GameTask for Think<'_> {
    type Output = Result<JobView, Refusal>;
    fn run<P: WebGame>(self) -> Self::Output {
        let ThinkRequest {
            game, session, key, ..
        } = self.request;
        let start = game.start::<P>()?;
        let mut moves = Vec::new();
        let mut position = start.clone();
        game.play(&mut position, |_: &P, mv, _| moves.push(mv))?;
        if let Some(outcome) = position.outcome() {
            return Err(bad(format!("the game is over ({})", outcome.reason.name())));
        }
        let (spec, pool) = (self.spec, Arc::clone(self.pool));
        let work = move |_: &crate::jobs::Progress| -> Result<Value, String> {
            let so_far = GameSoFar {
                start: start.sfen(),
                moves,
            };
            let mut player = pool.take(&spec, &session, &start)?;
            // A player that fails is not given back.
            let choice = player
                .choose(&position, &so_far)
                .map_err(|e| e.to_string())?;
            pool.give(&spec, session, &start, player);
            if !position.is_legal(choice.mv) {
                return Err(format!("{spec} chose {}, which is not legal", choice.mv));
            }
            Ok(json!({
                "move": choice.mv.to_string(), "score": choice.expected_score, "nodes": choice.nodes,
            }))
        };
        self.jobs.start(&key, Class::Move, Box::new(work))
    }
}

/// Starts thinking.
///
/// # Errors
/// A game that is wrong or over; too much waiting.
pub(crate) fn think(
    request: ThinkRequest,
    spec: PlayerSpec,
    jobs: &Jobs,
    pool: &Arc<Pool>,
) -> Result<JobView, Refusal> {
    check_name("session", &request.session)?;
    check_name("key", &request.key)?;
    let game = request.game.game.clone();
    let task = Think {
        request,
        spec,
        jobs,
        pool,
    };
    with_game(&game, task)?
}
