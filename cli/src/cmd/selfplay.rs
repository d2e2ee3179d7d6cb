//! `tenjiku selfplay`: adds games to a run.

use crate::config;
use crate::game::{Game, GameTask};
use crate::progress::stop_on_signal;
use crate::run_config::RunConfig;
use crate::stages::Run;
use anyhow::Result;
use std::path::PathBuf;

/// Plays the games that the run's newest network still lacks; starts the run if there is none.
///
/// Ctrl-C finishes the files; games in flight are played again the next time.
///
/// Example: tenjiku selfplay --config configs/quickstart.toml --run runs/quickstart
#[derive(clap::Args)]
pub struct SelfplayArgs {
    /// Config of the run.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Overrides a config value, e.g. `--set selfplay.games=10`. Can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

struct SelfPlay(PathBuf, RunConfig);

impl GameTask for SelfPlay {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let stop = stop_on_signal();
        let run = Run::<P>::open_or_create(&self.0, self.1, "selfplay", &["selfplay"])?;
        let generation = run.ensure_network()?;
        if run.self_play(generation, &stop)? {
            eprintln!(
                "generation {generation} has all its {} games",
                run.config.selfplay.games
            );
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: SelfplayArgs) -> Result<()> {
    let config: RunConfig = config::load(&args.config, &args.overrides)?;
    config.game.run(SelfPlay(args.run, config))
}
