//! `tenjiku match`: two players, head to head.

use crate::failure::usage;
use crate::game::{Game, GameTask, PositionArgs};
use crate::progress::stop_on_signal;
use crate::stages::{run_match, verdict};
use anyhow::{Context, Result, bail};
use engine::PlayerSpec;
use evaluator::MatchParams;
use records::write_atomic;
use std::path::PathBuf;

/// Plays colour-swapped pairs of games between two players and tells score and Elo with 95 % intervals.
///
/// Players: random, greedy, net:DIR:visits=N, onnx:FILE:visits=N.
///
/// Example: tenjiku match --players net:runs/quickstart/networks/000003:visits=32 random --games 40 --out out/
#[derive(clap::Args)]
pub struct MatchArgs {
    /// The two players.
    #[arg(long, num_args = 2, value_names = ["SPEC", "SPEC"], required = true)]
    players: Vec<String>,
    /// Games; rounded up to whole pairs.
    #[arg(long, default_value_t = 40)]
    games: usize,
    /// Random plies at the start of each pair.
    #[arg(long, default_value_t = 4)]
    opening_plies: usize,
    /// A game of this many plies is a draw.
    #[arg(long, default_value_t = 600)]
    max_plies: usize,
    /// Games at a time; 0 means one a core.
    #[arg(long, default_value_t = 0)]
    concurrency: usize,
    /// Seed of openings and players.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for `report.json`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    position: PositionArgs,
}

struct Match(MatchArgs);

impl GameTask for Match {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let start: P = args.position.position()?;
        let spec = |i: usize| {
            args.players[i]
                .parse::<PlayerSpec>()
                .map_err(|e| usage(e.to_string()))
        };
        let specs = [spec(0)?, spec(1)?];
        let params = MatchParams {
            games: args.games,
            opening_plies: args.opening_plies,
            max_plies: args.max_plies,
            concurrency: args.concurrency,
            seed: args.seed,
        };
        params.check("match").map_err(usage)?;
        let stop = stop_on_signal();
        let report = run_match::<P>("match", &start, &specs, &params, &stop)?;
        let json = serde_json::to_string(&report)?;
        if let Some(dir) = &args.out {
            let path = dir.join("report.json");
            write_atomic(&path, json.as_bytes()).with_context(|| format!("{}", path.display()))?;
        }
        match args.json {
            true => println!("{json}"),
            false => println!("{} against {}: {}", specs[0], specs[1], verdict(&report)),
        }
        if !report.complete {
            bail!(
                "the match was stopped; its report counts {} games",
                report.tally.games()
            );
        }
        if !report.faults.is_empty() {
            bail!(
                "{} pairs could not be finished because a player failed",
                report.faults.len()
            );
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: MatchArgs) -> Result<()> {
    args.position.game.run(Match(args))
}
