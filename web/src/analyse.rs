//! What a network or an engine makes of a position, shown while it thinks.
//!
//! A network is searched here, so that priors, visits and lines of every move can be shown; an exported one (`onnx:`),
//! since this crate knows no libtorch. Any other player is asked for its move, and then for the answers to it: that is
//! its line.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{GameSoFar, PlayerSpec};
use inference::Runtime;
use mcts::{Search, SearchParams, SearchResult};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Refusal, bad};
use crate::games::{GameTask, WebGame, with_game};
use crate::jobs::{Class, JobView, Jobs, Progress};
use crate::play::check_name;
use crate::players::Pool;
use crate::view::GameRequest;

/// Leaves in flight in the one tree.
const LEAVES_IN_FLIGHT: usize = 8;
/// How often the page sees how far the search is.
const SHOW_EVERY: Duration = Duration::from_millis(250);
/// Plies of an engine's line.
const ENGINE_LINE: usize = 4;
/// Most moves that are shown.
const MAX_LINES: usize = 30;

/// Asks for an analysis.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalyseRequest {
    pub game: GameRequest,
    /// A player spec.
    pub player: String,
    /// How many moves are listed.
    pub lines: usize,
    /// The page's name for this very question.
    pub key: String,
}

struct Analyse<'a> {
    request: AnalyseRequest,
    spec: PlayerSpec,
    jobs: &'a Jobs,
    pool: &'a Arc<Pool>,
}

impl GameTask for Analyse<'_> {
    type Output = Result<JobView, Refusal>;
    fn run<P: WebGame>(self) -> Self::Output {
        let request = self.request;
        let start = request.game.start::<P>()?;
        let mut moves = Vec::new();
        let mut position = start.clone();
        request
            .game
            .play(&mut position, |_: &P, mv, _| moves.push(mv))?;
        if let Some(outcome) = position.outcome() {
            return Err(bad(format!("the game is over ({})", outcome.reason.name())));
        }
        let lines = request.lines.clamp(1, MAX_LINES);
        let (spec, pool) = (self.spec, Arc::clone(self.pool));
        let work = move |progress: &Progress| match &spec {
            PlayerSpec::Onnx {
                file,
                visits,
                search,
                ..
            } => {
                let mut evaluator = inference::open_evaluator::<P>(file, Runtime::Auto, 1, true)
                    .map_err(|e| e.to_string())?;
                search_network(
                    &position,
                    &mut evaluator,
                    &search.params(),
                    *visits,
                    lines,
                    progress,
                )
            }
            _ => ask_player(start, position, moves, &spec, &pool, progress),
        };
        self.jobs
            .start(&request.key, Class::Analysis, Box::new(work))
    }
}

fn search_network<P: WebGame>(
    position: &P,
    evaluator: &mut inference::BatchEvaluator<P>,
    params: &SearchParams,
    visits: u32,
    lines: usize,
    progress: &Progress,
) -> Result<Value, String> {
    let mut search = Search::new(position.clone());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    search
        .resume(params, visits, &mut rng)
        .map_err(|e| e.to_string())?;
    let mut shown = Instant::now();
    mcts::run(&mut search, evaluator, LEAVES_IN_FLIGHT, |search| {
        if shown.elapsed() >= SHOW_EVERY {
            shown = Instant::now();
            if let Some(result) = search.result() {
                progress.show(told(position, &result, visits, lines));
            }
        }
        !progress.wanted()
    })
    .map_err(|e| e.to_string())?;
    let result = search.result().ok_or("the search found nothing")?;
    Ok(told(position, &result, visits, lines))
}

/// A search result for the page. Values are Black's: `[win, draw, loss]` of Black.
fn told<P: Position>(
    position: &P,
    result: &SearchResult<P::Move>,
    wanted: u32,
    lines: usize,
) -> Value {
    let turn = position.turn();
    let black = |wdl: mcts::WdlPov| {
        let abs = wdl.abs(turn);
        [abs.black, abs.draw, abs.white]
    };
    let mut moves: Vec<_> = result.moves.iter().collect();
    // The best move is first even where another has as many visits.
    moves.sort_by(|a, b| {
        (b.mv == result.best)
            .cmp(&(a.mv == result.best))
            .then(b.visits.cmp(&a.visits))
            .then(b.prior.total_cmp(&a.prior))
    });
    let moves: Vec<Value> = moves
        .into_iter()
        .take(lines)
        .map(|stats| {
            json!({
                "m": stats.mv.to_string(), "f": P::move_from(stats.mv), "v": P::move_via(stats.mv),
                "t": P::move_to(stats.mv), "prior": stats.prior, "policy": stats.policy,
                "visits": stats.visits, "wdl": stats.wdl.map(black),
            })
        })
        .collect();
    let pv: Vec<String> = result.pv.iter().map(ToString::to_string).collect();
    json!({
        "wdl": black(result.value), "network": result.network.map(black), "moves_left": result.moves_left,
        "proof": result.proof.map(|p| format!("{p:?}")), "playouts": result.playouts, "wanted": wanted,
        "pv": pv, "moves": moves,
    })
}

fn ask_player<P: WebGame>(
    start: P,
    mut position: P,
    moves: Vec<P::Move>,
    spec: &PlayerSpec,
    pool: &Pool,
    progress: &Progress,
) -> Result<Value, String> {
    let session = "analysis".to_string();
    let mut player = pool.take(spec, &session, &start)?;
    let mut so_far = GameSoFar {
        start: start.sfen(),
        moves,
    };
    let turn = position.turn();
    let mut value = json!({ "pv": [], "moves": [] });
    let mut pv = Vec::new();
    for ply in 0..ENGINE_LINE {
        if position.outcome().is_some() || !progress.wanted() {
            break;
        }
        let choice = player
            .choose(&position, &so_far)
            .map_err(|e| e.to_string())?;
        if !position.is_legal(choice.mv) {
            return Err(format!("{spec} chose {}, which is not legal", choice.mv));
        }
        pv.push(choice.mv.to_string());
        if ply == 0 {
            let score = choice.expected_score.map(|s| match turn {
                rules::Color::Black => s,
                rules::Color::White => 1.0 - s,
            });
            value = json!({
                "wdl": score.map(|s| [s, 0.0, 1.0 - s]), "playouts": choice.nodes,
                "moves": [{
                    "m": choice.mv.to_string(), "f": P::move_from(choice.mv),
                    "v": P::move_via(choice.mv), "t": P::move_to(choice.mv),
                }],
            });
        }
        value["pv"] = json!(pv);
        progress.show(value.clone());
        position.play(choice.mv);
        so_far.moves.push(choice.mv);
    }
    pool.give(spec, session, &start, player);
    Ok(value)
}

/// Starts an analysis.
///
/// # Errors
/// A game that is wrong or over, a network that needs libtorch, too much waiting.
pub(crate) fn analyse(
    request: AnalyseRequest,
    spec: PlayerSpec,
    jobs: &Jobs,
    pool: &Arc<Pool>,
) -> Result<JobView, Refusal> {
    check_name("key", &request.key)?;
    let game = request.game.game.clone();
    let task = Analyse {
        request,
        spec,
        jobs,
        pool,
    };
    with_game(&game, task)?
}
