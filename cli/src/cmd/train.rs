//! `tenjiku train`: the next network from the run's games.

use crate::config;
use crate::game::{Game, GameTask};
use crate::progress::stop_on_signal;
use crate::run_config::RunConfig;
use crate::stages::Run;
use anyhow::Result;
use records::RunDir;
use std::path::PathBuf;

/// Trains the next generation from the run's newest checkpoint and games.
///
/// Example: tenjiku train --config configs/quickstart.toml --run runs/quickstart
#[derive(clap::Args)]
pub struct TrainArgs {
    /// Config of the run.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Run directory, with games.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Optimiser steps instead of what the config says.
    #[arg(long)]
    steps: Option<u64>,
    /// Overrides a config value, e.g. `--set train.batch_size=64`. Can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

struct Train(PathBuf, RunConfig);

impl GameTask for Train {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        RunDir::open(&self.0)?;
        let stop = stop_on_signal();
        let run = Run::<P>::open_or_create(&self.0, self.1, "train")?;
        let generation = run.ensure_network()?;
        if run.train(generation, &stop)? {
            println!("{}", run.dir.network(generation + 1).display());
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: TrainArgs) -> Result<()> {
    let mut overrides = args.overrides;
    overrides.extend(args.steps.map(|steps| format!("train.steps={steps}")));
    let config: RunConfig = config::load(&args.config, &overrides)?;
    config.game.run(Train(args.run, config))
}
