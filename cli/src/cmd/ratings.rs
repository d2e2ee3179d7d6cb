//! `tenjiku ratings`: the strength of a run's generations.

use crate::failure::usage;
use crate::game::{Game, GameName, GameTask, parse_rules, with_game};
use crate::progress::stop_on_signal;
use crate::ratings_stage::{RatingsParams, rate, summary};
use anyhow::{Result, bail};
use records::RunDir;
use std::path::PathBuf;

/// Rates every generation of a run against a fixed pool: random, greedy, the engine at depth 1, 2 and 3, the oldest and
/// the best generation. Writes ratings.json and ratings.html into the run folder.
///
/// Games are kept in matches/ratings and never played twice: the same command goes on after a stop or a kill, and later
/// rates only the new generations.
///
/// Example: tenjiku ratings --run runs/quickstart --games 20 --visits 32
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct RatingsArgs {
    /// Run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Games against each player of the pool; rounded up to whole pairs.
    #[arg(long, default_value_t = RatingsParams::default().games)]
    games: usize,
    /// Playouts a move of the networks.
    #[arg(long, default_value_t = RatingsParams::default().visits)]
    visits: u32,
    /// Every so many generations one is rated, and the newest.
    #[arg(long, default_value_t = 1)]
    every: u32,
    /// The pool.
    #[arg(long, num_args = 1.., value_name = "SPEC")]
    pool: Vec<String>,
    /// Random plies at the start of each pair.
    #[arg(long, default_value_t = 4)]
    opening_plies: usize,
    /// A game of this many plies is a draw.
    #[arg(long, default_value_t = 600)]
    max_plies: usize,
    /// Games at a time; 0 means one a core.
    #[arg(long, default_value_t = 0)]
    concurrency: usize,
    /// Print ratings.json.
    #[arg(long)]
    json: bool,
}

struct Ratings(RunDir, RatingsParams, bool);

impl GameTask for Ratings {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let Ratings(dir, params, json) = self;
        let rules = parse_rules::<P>("rules of the run:", Some(&dir.info().rules))?;
        let stop = stop_on_signal();
        let Some(file) = rate::<P>(&dir, &P::start(&rules), &params, dir.info().seed, &stop)?
        else {
            bail!("stopped; the same command goes on");
        };
        match json {
            true => println!("{}", serde_json::to_string(&file)?),
            false => print!("{}", summary(&file)),
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: RatingsArgs) -> Result<()> {
    let dir = RunDir::open(&args.run)?;
    let mut params = RatingsParams {
        enabled: true,
        games: args.games,
        visits: args.visits,
        every: args.every,
        opening_plies: args.opening_plies,
        max_plies: args.max_plies,
        concurrency: args.concurrency,
        ..RatingsParams::default()
    };
    if !args.pool.is_empty() {
        params.anchor = args.pool[0].clone();
        params.pool = args.pool;
    }
    params.check().map_err(|e| usage(format!("ratings.{e}")))?;
    let Ok(game) = dir.info().game.parse::<GameName>() else {
        bail!("the run's game `{}` is unknown", dir.info().game);
    };
    with_game(game, Ratings(dir, params, args.json))
}
