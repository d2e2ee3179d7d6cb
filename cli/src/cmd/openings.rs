//! `tenjiku openings`: sets of balanced openings.

use crate::failure::usage;
use crate::game::{Game, GameTask, PositionArgs, with_game};
use crate::progress::Stage;
use anyhow::{Context, Result};
use engine::PlayerSpec;
use evaluator::{
    OpeningParams, make_openings, make_player, open_network, policy_move, write_openings,
};
use records::write_atomic;
use std::path::PathBuf;

/// Makes an opening file: lines of random moves, or of a network's policy, that the handcrafted engine thinks balanced.
///
/// No two openings are alike. The file has one USI `position` line an opening, with the judge's expected score for
/// Black; `match`, `tournament` and `gate` take it with --openings and play each opening twice, colours swapped.
///
/// Example: tenjiku openings --count 500 --plies 6 --bound 0.05 --out openings.txt
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct OpeningsArgs {
    /// How many.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Plies of each.
    #[arg(long, default_value_t = 6)]
    plies: usize,
    /// How far from 0.5 the judge's expected score may be.
    #[arg(long, default_value_t = 0.05)]
    bound: f32,
    /// Who judges: a player with an opinion on positions.
    #[arg(long, value_name = "SPEC", default_value = "engine:depth=2")]
    judge: String,
    /// Moves by the policy of this network (net:DIR, onnx:FILE) instead of random moves.
    #[arg(long, value_name = "SPEC")]
    policy: Option<String>,
    /// Above 1 the policy is flattened, below 1 sharpened.
    #[arg(long, default_value_t = 1.0)]
    temperature: f32,
    /// Seed of the moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    position: PositionArgs,
}

struct Openings(OpeningsArgs);

impl GameTask for Openings {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let start: P = args.position.position()?;
        let params = OpeningParams {
            count: args.count,
            plies: args.plies,
            bound: args.bound,
            seed: args.seed,
        };
        params.check().map_err(|e| usage(format!("openings.{e}")))?;
        if !(args.temperature > 0.0 && args.temperature.is_finite()) {
            return Err(usage(format!(
                "openings.temperature = {}, must be above 0",
                args.temperature
            )));
        }
        let spec = |text: &str| text.parse::<PlayerSpec>().map_err(|e| usage(e.to_string()));
        let mut judge = make_player::<P>(&spec(&args.judge)?, &start)?;
        let policy = args.policy.as_deref().map(spec).transpose()?;
        let mut choose = match &policy {
            Some(spec) => {
                network::set_threads(1);
                let network = open_network::<P>(spec)?;
                Some(policy_move(network, args.temperature, args.seed))
            }
            None => None,
        };
        let stage = Stage::new("openings", args.count as u64, 0);
        let made = make_openings(
            &start,
            &params,
            choose.as_mut().map(|c| c as _),
            judge.as_mut(),
            &mut |n| stage.set(n as u64, "openings"),
        )
        .map_err(anyhow::Error::msg)?;
        let moves = match &policy {
            Some(spec) => format!("the policy of {spec} at temperature {}", args.temperature),
            None => "random moves".to_string(),
        };
        let about = [
            format!(
                "{} openings of {} plies by {moves}, seed {}",
                args.count, args.plies, args.seed
            ),
            format!(
                "kept of {} lines where {} expects {} to {} for Black, which stands after each",
                made.tried,
                args.judge,
                0.5 - args.bound,
                0.5 + args.bound
            ),
        ];
        let noted: Vec<_> = made
            .openings
            .into_iter()
            .map(|(opening, score)| (opening, format!("{score:.3}")))
            .collect();
        let text = write_openings(start.rules(), &about, &noted);
        write_atomic(&args.out, text.as_bytes())
            .with_context(|| format!("{}", args.out.display()))?;
        stage.finish(&format!(
            "{} of {} lines are balanced",
            args.count, made.tried
        ));
        println!("{}", args.out.display());
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: OpeningsArgs) -> Result<()> {
    with_game(args.position.game, Openings(args))
}
