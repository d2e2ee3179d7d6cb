//! `tenjiku analyze`: what a network thinks of a position.

use crate::failure::usage;
use crate::game::{Game, GameTask, PositionArgs, with_game};
use anyhow::{Context, Result, bail};
use engine::{PlayerSpec, SearchKind};
use inference::Runtime;
use mcts::{LeafEvaluator, Search, SearchResult};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::fmt::Write as _;

/// Searches a position with a network: expected result, principal variation, best moves.
///
/// Example: tenjiku analyze --network onnx:runs/quickstart/export/000003.onnx --visits 400
#[derive(clap::Args)]
pub struct AnalyzeArgs {
    /// `net:DIR` or `onnx:FILE`, with `:search=puct` or `:c_scale=4` if wanted.
    #[arg(long, value_name = "SPEC")]
    network: String,
    /// Playouts; the spec's if absent.
    #[arg(long)]
    visits: Option<u32>,
    /// Moves listed.
    #[arg(long, default_value_t = 10)]
    lines: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    position: PositionArgs,
}

struct Analyze(AnalyzeArgs);

impl GameTask for Analyze {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let position: P = args.position.position()?;
        if let Some(outcome) = position.outcome() {
            bail!(
                "the game is over ({}); give a position with legal moves",
                outcome.reason.name()
            );
        }
        let spec = args
            .network
            .parse::<PlayerSpec>()
            .map_err(|e| usage(e.to_string()))?;
        let (mut evaluator, visits, search) = open::<P>(&spec)?;
        let mut tree = Search::new(position.clone());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        tree.resume(&search.params(), args.visits.unwrap_or(visits), &mut rng)?;
        mcts::run(&mut tree, evaluator.as_mut(), 8, |_| false)?;
        let result = tree.result().context("the search found nothing")?;
        if args.json {
            println!("{}", json(&position, &result));
        } else {
            print!("{}", text(&position, &result, args.lines));
        }
        Ok(())
    }
}

type Opened<P> = (Box<dyn LeafEvaluator<P>>, u32, SearchKind);

/// Opens the network of a `net:` or `onnx:` spec on the CPU.
fn open<P: Game>(spec: &PlayerSpec) -> Result<Opened<P>> {
    Ok(match spec {
        PlayerSpec::Net {
            dir,
            visits,
            search,
        } => {
            let device = network::parse_device("cpu").map_err(anyhow::Error::msg)?;
            (
                Box::new(network::open_evaluator::<P>(dir, device)?),
                *visits,
                *search,
            )
        }
        PlayerSpec::Onnx {
            file,
            visits,
            search,
        } => (
            Box::new(inference::open_evaluator::<P>(
                file,
                Runtime::Auto,
                1,
                true,
            )?),
            *visits,
            *search,
        ),
        other => {
            return Err(usage(format!(
                "--network {other}: only net:DIR and onnx:FILE can be analysed"
            )));
        }
    })
}

fn join<M: ToString>(moves: &[M]) -> String {
    moves
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

fn text<P: Position>(position: &P, result: &SearchResult<P::Move>, lines: usize) -> String {
    let mut out = String::new();
    let wdl = result.value;
    let _ = writeln!(out, "{}", position.sfen());
    let _ = writeln!(
        out,
        "{} to move: win {:.1} %, draw {:.1} %, loss {:.1} %; about {:.0} plies to the end; {} playouts",
        if position.turn() == rules::Color::Black {
            "Black"
        } else {
            "White"
        },
        100.0 * wdl.win,
        100.0 * wdl.draw,
        100.0 * wdl.loss,
        result.moves_left,
        result.playouts
    );
    if let Some(proof) = result.proof {
        let _ = writeln!(out, "proven: {proof:?}");
    }
    let _ = writeln!(out, "line: {}", join(&result.pv));
    let _ = writeln!(
        out,
        "{:<14}{:>8}{:>9}{:>9}{:>9}",
        "move", "visits", "prior", "policy", "win"
    );
    let mut moves: Vec<_> = result.moves.iter().collect();
    moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.policy.total_cmp(&a.policy)));
    for stats in moves.iter().take(lines) {
        let win = stats.wdl.map_or("-".into(), |w| {
            format!("{:.1} %", 100.0 * (w.win + 0.5 * w.draw))
        });
        let _ = writeln!(
            out,
            "{:<14}{:>8}{:>7.2} %{:>7.2} %{:>9}",
            stats.mv.to_string(),
            stats.visits,
            100.0 * stats.prior,
            100.0 * stats.policy,
            win
        );
    }
    out
}

fn json<P: Position>(position: &P, result: &SearchResult<P::Move>) -> serde_json::Value {
    let moves: Vec<_> = result
        .moves
        .iter()
        .map(|m| {
            serde_json::json!({
                "move": m.mv.to_string(), "visits": m.visits, "prior": m.prior, "policy": m.policy,
                "wdl": m.wdl.map(|w| w.to_array()),
            })
        })
        .collect();
    serde_json::json!({
        "sfen": position.sfen(), "best": result.best.to_string(), "wdl": result.value.to_array(),
        "network_wdl": result.network.map(|w| w.to_array()), "moves_left": result.moves_left,
        "proof": result.proof.map(|p| format!("{p:?}")), "playouts": result.playouts,
        "pv": result.pv.iter().map(ToString::to_string).collect::<Vec<_>>(), "moves": moves,
    })
}

/// Runs the command.
pub fn run(args: AnalyzeArgs) -> Result<()> {
    with_game(args.position.game, Analyze(args))
}
