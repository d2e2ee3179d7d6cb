//! `tenjiku selfplay`: adds games to a run.

use crate::config;
use crate::explain::explain;
use crate::game::{Game, GameTask, with_game};
use crate::progress::stop_on_signal;
use crate::run_config::RunConfig;
use crate::stages::Run;
use crate::status::{State, Status, StatusFile};
use anyhow::Result;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a process that waits looks for a newer network.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Plays the games that the run's newest network still lacks; starts the run if there is none.
///
/// Ctrl-C finishes the files; games in flight are played again the next time. `status.json` in the run directory tells
/// other programs how far it is.
///
/// Example: tenjiku selfplay --config configs/quickstart.toml --run runs/quickstart --explain-speed
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
    /// Takes newer networks of the run between games, and waits for them once all games are there, until Ctrl-C.
    #[arg(long)]
    follow: bool,
    /// Tells at the end where the time went, what limits, and which setting to try.
    #[arg(long)]
    explain_speed: bool,
    /// Print one JSON object a generation: counts, rates, time by stage.
    #[arg(long)]
    json: bool,
}

struct SelfPlay(SelfplayArgs, RunConfig);

impl GameTask for SelfPlay {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let SelfPlay(args, config) = self;
        let stop = stop_on_signal();
        let run = Run::<P>::open_or_create(&args.run, config, "selfplay", &["selfplay"])?;
        let games = run.config.selfplay.games;
        loop {
            let generation = run.ensure_network()?;
            let newer = || matches!(run.dir.latest_generation(), Ok(Some(g)) if g > generation);
            let report = match args.follow {
                true => run.self_play_until(generation, &stop, Some(&newer))?,
                false => run.self_play_until(generation, &stop, None)?,
            };
            if let Some(report) = &report {
                if args.json {
                    println!("{}", serde_json::to_string(report)?);
                }
                if args.explain_speed {
                    print!("{}", explain(report, &run.config.selfplay));
                }
            }
            let complete = report.is_none_or(|report| report.missing == 0);
            if complete {
                eprintln!("generation {generation} has all its {games} games");
            }
            if !args.follow || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if complete {
                wait(&run, generation, &newer, &stop);
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }
}

/// Waits for a newer network or the stop flag.
fn wait<P: Game>(run: &Run<P>, generation: u32, newer: &dyn Fn() -> bool, stop: &AtomicBool) {
    if newer() {
        return;
    }
    eprintln!("waiting for a newer network than {generation} (Ctrl-C ends)");
    let games = u64::from(run.config.selfplay.games);
    let mut file = StatusFile::of(run.dir.root());
    let mut status = Status::new(generation, games, games);
    status.state = State::Waiting;
    status.write(&mut file);
    while !newer() && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_EVERY);
    }
    if stop.load(Ordering::Relaxed) {
        status.state = State::Finished;
        status.write(&mut file);
    }
}

/// Runs the command.
pub fn run(args: SelfplayArgs) -> Result<()> {
    let config: RunConfig = config::load(&args.config, &args.overrides)?;
    with_game(config.game, SelfPlay(args, config))
}
