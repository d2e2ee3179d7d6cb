//! Which request is answered by what.

use encoding::GameName;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::assets::asset;
use crate::error::{Refusal, bad, refuse};
use crate::games::{GameTask, WebGame, catalogue, with_game};
use crate::guard::Guard;
use crate::http::{Request, Response};
use crate::jobs::Jobs;
use crate::players::{Allowed, MAX_DEPTH, MAX_MOVETIME_MS, MAX_NODES, MAX_VISITS, Pool};
use crate::run::{GameQuery, Run};
use crate::{analyse, play, setup, texts, view};

/// All that the server knows.
pub(crate) struct Site {
    pub guard: Guard,
    pub allowed: Allowed,
    pub run: Option<Run>,
    pub jobs: Jobs,
    pub pool: Arc<Pool>,
}

impl Site {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Response {
        self.guard
            .check(request)
            .and_then(|()| self.route(request))
            .unwrap_or_else(Response::from)
    }

    fn route(&self, request: &Request) -> Result<Response, Refusal> {
        let post = request.method == "POST";
        let Some(path) = request.path.strip_prefix("/api/") else {
            return asset(&request.path).ok_or_else(|| refuse(404, "no such page"));
        };
        let run_root = self.run.as_ref().map(Run::root);
        match (post, path) {
            (false, "info") => self.info(),
            (true, "position") => ok(&view::look(body(request)?)?),
            (true, "setup") => ok(&setup::check(body(request)?)?),
            (true, "import") => ok(&texts::read(body(request)?)?),
            (true, "export") => ok(&texts::write(body(request)?)?),
            (true, "think") => {
                let asked: play::ThinkRequest = body(request)?;
                let spec = self.allowed.parse(&asked.player, run_root)?;
                ok(&play::think(asked, spec, &self.jobs, &self.pool)?)
            }
            (true, "analyse") => {
                let asked: analyse::AnalyseRequest = body(request)?;
                let spec = self.allowed.parse(&asked.player, run_root)?;
                ok(&analyse::analyse(asked, spec, &self.jobs, &self.pool)?)
            }
            (false, "run") => ok(&self.run()?.overview()),
            (false, "run/games") => ok(&self.run()?.games(&query(request)?)),
            (false, "run/game") => {
                let id = request.parameter("id").ok_or_else(|| bad("give id"))?;
                ok(&self.run()?.game_by_id(&id)?)
            }
            (post, path) => match (post, path.strip_prefix("jobs/")) {
                (false, Some(id)) => {
                    let since = number(request, "since")?.unwrap_or(0);
                    let wait = Duration::from_millis(number(request, "wait")?.unwrap_or(0));
                    ok(&self.jobs.ask(id, since, wait)?)
                }
                (true, Some(rest)) => match rest.strip_suffix("/cancel") {
                    Some(id) => ok(&self.jobs.cancel(id)?),
                    None => Err(refuse(404, "no such question")),
                },
                (_, None) => Err(refuse(404, "no such question, or GET and POST mixed up")),
            },
        }
    }

    fn run(&self) -> Result<&Run, Refusal> {
        self.run
            .as_ref()
            .ok_or_else(|| refuse(404, "no run is shown; start with --run DIR"))
    }

    /// What the page needs to begin with.
    fn info(&self) -> Result<Response, Refusal> {
        struct Describe;
        impl GameTask for Describe {
            type Output = Result<serde_json::Value, Refusal>;
            fn run<P: WebGame>(self) -> Self::Output {
                serde_json::to_value(catalogue::<P>()).map_err(|e| refuse(500, e.to_string()))
            }
        }
        let run: Option<PathBuf> = self.run.as_ref().map(|run| run.root().to_path_buf());
        let games = GameName::ALL
            .iter()
            .map(|game| with_game(game.name(), Describe)?)
            .collect::<Result<Vec<_>, _>>()?;
        ok(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "games": games,
            "players": self.allowed.offers(run.as_deref()),
            "run": self.run.as_ref().map(|run| run.game().to_string()),
            "limits": {
                "movetime": MAX_MOVETIME_MS, "depth": MAX_DEPTH, "nodes": MAX_NODES, "visits": MAX_VISITS,
            },
        }))
    }
}

fn ok(value: &impl Serialize) -> Result<Response, Refusal> {
    Ok(Response::json_value(200, value))
}

/// The body as JSON of this form.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Refusal> {
    serde_json::from_slice(&request.body).map_err(|e| {
        let why: String = e.to_string().chars().take(300).collect();
        bad(format!("the body is not what is expected: {why}"))
    })
}

/// A query parameter that must be a whole number.
fn number<T: std::str::FromStr>(request: &Request, name: &str) -> Result<Option<T>, Refusal> {
    match request.parameter(name).filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => text
            .parse()
            .map(Some)
            .map_err(|_| bad(format!("{name} must be a whole number"))),
    }
}

fn query(request: &Request) -> Result<GameQuery, Refusal> {
    let text = |name| request.parameter(name).filter(|text| !text.is_empty());
    Ok(GameQuery {
        generation: number(request, "generation")?,
        winner: text("winner"),
        reason: text("reason"),
        min_plies: number(request, "min_plies")?,
        max_plies: number(request, "max_plies")?,
        opening: text("opening"),
        id: text("id"),
        offset: number(request, "offset")?.unwrap_or(0),
        limit: number(request, "limit")?.unwrap_or(50),
    })
}
