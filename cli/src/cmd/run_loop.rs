//! `tenjiku loop`: the whole cycle, resumable at any point.

use crate::config;
use crate::failure::usage;
use crate::game::{Game, GameTask, with_game};
use crate::progress::stop_on_signal;
use crate::ratings_stage::summary;
use crate::run_config::RunConfig;
use crate::stages::Run;
use crate::train_stage::{adopt_network, train};
use anyhow::Result;
use evaluator::one_line;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Self-play, training and export for each generation, then matches of the last network.
///
/// Can be stopped or killed at any moment; the same command goes on from what the run directory holds.
///
/// Example: tenjiku loop --config configs/quickstart.toml
#[derive(clap::Args)]
pub struct LoopArgs {
    /// Config of the run.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Run directory; `runs/<name of the config>` if absent.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Network or checkpoint folder of another run to begin with, where this run has no network yet: tensors that fit
    /// are copied, the others start fresh.
    #[arg(long, value_name = "DIR")]
    init_from: Option<PathBuf>,
    /// Overrides a config value, e.g. `--set generations=5`. Can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

struct Loop(PathBuf, RunConfig, Option<PathBuf>);

impl GameTask for Loop {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let stop = stop_on_signal();
        let run = Run::<P>::open_or_create(&self.0, self.1, "loop", &["selfplay", "train"])?;
        if let Some(source) = &self.2
            && run.dir.latest_generation()?.is_none()
        {
            adopt_network(&run, source)?;
        }
        let config = &run.config;
        let stopped = || eprintln!("stopped; the same command goes on");
        eprintln!(
            "run {}: {} generations of {} games",
            run.dir.root().display(),
            config.generations,
            config.selfplay.games
        );
        // Every network up to the newest was trained on the games of the generations before it.
        let mut generation = run.ensure_network()?;
        while generation < config.generations {
            if !run.self_play(generation, &stop)? || !train::<P>(&run, None, generation + 1, &stop)?
            {
                stopped();
                return Ok(());
            }
            generation += 1;
        }
        let export = run.ensure_export(generation)?;
        let mut results = Vec::new();
        for opponent in &config.evaluation.opponents {
            match run.evaluate(generation, opponent, &stop)? {
                Some(report) if !stop.load(Ordering::Relaxed) => {
                    results.push((opponent, one_line(&report)));
                }
                _ => {
                    stopped();
                    return Ok(());
                }
            }
        }
        let ratings = match config.ratings.enabled {
            false => None,
            true => match run.rate(&stop)? {
                None => {
                    stopped();
                    return Ok(());
                }
                ratings => ratings,
            },
        };
        let root = run.dir.root().display();
        println!(
            "generation {generation} after {} games a generation:",
            config.selfplay.games
        );
        for (opponent, report) in &results {
            println!("  against {opponent}: {}", report);
        }
        if let Some(ratings) = &ratings {
            print!("{}", summary(ratings));
        }
        println!("results:  {root}");
        println!("network:  {}", run.dir.network(generation).display());
        println!("exported: {}", export.display());
        println!("next:");
        println!(
            "  look at the start position:  tenjiku analyze --network onnx:{}",
            export.display()
        );
        println!(
            "  go on learning:              tenjiku loop --config <FILE> --run {root} --set generations={}",
            generation + 3
        );
        println!("  look into the files:         tenjiku inspect {root}");
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: LoopArgs) -> Result<()> {
    let config: RunConfig = config::load(&args.config, &args.overrides)?;
    let root = match args.run {
        Some(root) => root,
        None => {
            let name = args
                .config
                .file_stem()
                .ok_or_else(|| usage("--config names no file"))?;
            PathBuf::from("runs").join(name)
        }
    };
    with_game(config.game, Loop(root, config, args.init_from))
}
