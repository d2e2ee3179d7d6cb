//! `tenjiku train`: the next network from the run's games.

use crate::config;
use crate::game::{Game, GameTask};
use crate::progress::stop_on_signal;
use crate::run_config::RunConfig;
use crate::stages::Run;
use crate::train_stage::train;
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

struct Train {
    root: PathBuf,
    config: RunConfig,
    steps: Option<u64>,
}

impl GameTask for Train {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        RunDir::open(&self.root)?;
        let stop = stop_on_signal();
        let run = Run::<P>::open_or_create(&self.root, self.config, "train", &["train"])?;
        let generation = run.ensure_network()?;
        if train::<P>(&run, self.steps, generation + 1, &stop)? {
            println!("{}", run.dir.network(generation + 1).display());
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: TrainArgs) -> Result<()> {
    let config: RunConfig = config::load(&args.config, &args.overrides)?;
    config.game.run(Train {
        root: args.run,
        config,
        steps: args.steps,
    })
}
