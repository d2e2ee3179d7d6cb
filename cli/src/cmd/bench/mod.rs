//! `tenjiku bench`: figures of this machine, with units.

mod loader;
mod network;
mod rules;
mod search;
mod selfplay;

use crate::config;
use crate::game::{Game, GameName, GameTask, game_parser, parse_rules, with_game};
use crate::run_config::RunConfig;
use anyhow::Result;
use std::path::PathBuf;
use std::time::Duration;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum What {
    /// Leaves of the move tree and plies of random games a second.
    Rules,
    /// Playouts a second of the tree alone.
    Search,
    /// Evaluations a second of each back-end alone.
    Network,
    /// Evaluations, plies and games a second of self-play, and its share of the bare back-end.
    Selfplay,
    /// Positions a second from record files to training batches.
    Loader,
}

/// Measures the speed of the rules, the search, the network's back-ends, self-play, or the way from records to batches.
///
/// Networks are fresh ones with the sizes of the config; `--set network.channels=64` changes them.
///
/// Examples: tenjiku bench search
///           tenjiku bench network --set network.channels=32 --set network.blocks=4
///           tenjiku bench selfplay --game shogi --uniform --set search.visits=200
///           tenjiku bench loader --run runs/quickstart
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BenchArgs {
    /// What to measure.
    #[arg(value_enum)]
    what: What,
    /// The game; the config's where one is given.
    #[arg(long, value_parser = game_parser())]
    game: Option<GameName>,
    /// Config with the settings to measure; defaults if absent.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Overrides a config value. Can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Seconds of measuring, for each figure.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// In `selfplay`: an evaluator that knows nothing and costs nothing, instead of a network.
    #[arg(long)]
    uniform: bool,
    /// In `loader`: the run whose records are read; some are made if absent.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A figure: what, how much, of what.
#[derive(serde::Serialize)]
struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
}

impl Figure {
    fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Figure {
        Figure {
            name: name.into(),
            value,
            unit,
        }
    }
}

struct Bench(BenchArgs, RunConfig);

impl GameTask for Bench {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let Bench(args, config) = self;
        let duration = Duration::from_secs(args.seconds);
        let figures = match args.what {
            What::Rules => {
                let rules = parse_rules::<P>("rules", config.rules.as_deref())?;
                rules::measure(&P::start(&rules), duration)
            }
            What::Search => search::measure::<P>(&config, duration)?,
            What::Network => network::measure::<P>(&config, duration)?,
            What::Selfplay => selfplay::measure::<P>(&config, duration, args.uniform)?,
            What::Loader => loader::measure::<P>(&config, duration, args.run.as_deref())?,
        };
        if args.json {
            let value = serde_json::json!({
                "bench": format!("{:?}", args.what).to_lowercase(), "game": P::GAME, "figures": figures,
                "cores": std::thread::available_parallelism().map_or(1, usize::from),
            });
            println!("{value}");
            return Ok(());
        }
        println!("{}, {} s a figure", P::GAME, args.seconds);
        for figure in figures {
            let digits = match figure.value {
                value if value >= 100.0 => 0,
                value if value >= 10.0 => 1,
                _ => 3,
            };
            println!(
                "{:<44}{:>12.digits$} {}",
                figure.name, figure.value, figure.unit
            );
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: BenchArgs) -> Result<()> {
    let mut overrides = args.overrides.clone();
    if let Some(game) = args.game {
        let name = format!("{game:?}").to_lowercase();
        overrides.push(format!("game={name}"));
    }
    let config: RunConfig = match &args.config {
        Some(path) => config::load(path, &overrides)?,
        None => config::from_text("", &overrides)?,
    };
    with_game(config.game, Bench(args, config))
}
