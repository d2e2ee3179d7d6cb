//! `tenjiku train`: the next network from the run's games.

use crate::config;
use crate::game::{Game, GameTask, with_game};
use crate::progress::stop_on_signal;
use crate::run_config::RunConfig;
use crate::stages::Run;
use crate::train_stage::{adopt_network, train};
use anyhow::{Result, bail};
use records::{Dataset, RunDir, Shape};
use std::path::PathBuf;

/// Trains the next generation from the run's newest checkpoint and games.
///
/// The run may be any folder with `games` and `positions`, also of imported games and games of engines; see
/// docs/training.md.
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
    /// Network or checkpoint folder of another run to begin with: tensors that fit are copied, the others start fresh.
    #[arg(long, value_name = "DIR")]
    init_from: Option<PathBuf>,
    /// Overrides a config value, e.g. `--set train.batch_size=64`. Can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

struct Train {
    root: PathBuf,
    config: RunConfig,
    steps: Option<u64>,
    init_from: Option<PathBuf>,
}

impl GameTask for Train {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        // Nothing is written to a folder that has nothing to train on.
        let data = Dataset::open(&self.root, &Shape::of::<P>())?;
        if data.shards().is_empty() && data.refused().is_empty() {
            RunDir::open(&self.root)?;
        }
        if data.total_positions() == 0 {
            let first = data.refused().first().map_or(String::new(), |refused| {
                format!(
                    " (the first: {}: {})",
                    refused.file.display(),
                    refused.reason
                )
            });
            bail!(
                "{}: no {} positions to train on in `games` and `positions`: {} good files with {} games, {} \
                 refused{first}; play some with `tenjiku selfplay`, or import some with `tenjiku import`",
                self.root.display(),
                P::GAME,
                data.shards().len(),
                data.total_games(),
                data.refused().len(),
            );
        }
        let stop = stop_on_signal();
        let run = Run::<P>::open_or_create(&self.root, self.config, "train", &["train"])?;
        if let Some(source) = &self.init_from {
            adopt_network(&run, source)?;
        }
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
    with_game(
        config.game,
        Train {
            root: args.run,
            config,
            steps: args.steps,
            init_from: args.init_from,
        },
    )
}
