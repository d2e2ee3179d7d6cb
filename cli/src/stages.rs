//! The stages of a run, as the single commands and `tenjiku loop` both use them. Each looks at the run directory for
//! what is done already, and does the rest.

use crate::config::resolved;
use crate::event_stage::exported;
use crate::game::{Game, parse_rules};
use crate::progress::Stage;
use crate::run_config::RunConfig;
use anyhow::{Context, Result, bail};
use inference::{Manifest, Runtime};
use mcts::{EvalError, LeafEvaluator};
use records::{RunDir, StageClaim};
use rules::Rules;
use selfplay::{BackendChoice, Job};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An opened run with its config.
pub struct Run<P: Game> {
    pub dir: RunDir,
    pub config: RunConfig,
    pub config_hash: String,
    pub rules: P::Rules,
    pub start: P,
    /// Keeps other processes off these stages.
    _claims: Vec<StageClaim>,
}

impl<P: Game> Run<P> {
    /// Opens the run directory of `config`, or starts it, claims the stages `claims`, and keeps the resolved config
    /// there as that of `command`.
    pub fn open_or_create(
        root: &Path,
        config: RunConfig,
        command: &str,
        claims: &[&str],
    ) -> Result<Self> {
        let rules = parse_rules::<P>(config.rules.as_deref())?;
        let dir = RunDir::open_or_create(root, P::GAME, &rules.name(), config.seed)?;
        let claims = claims
            .iter()
            .map(|stage| dir.claim(stage))
            .collect::<Result<_, _>>()?;
        let (text, config_hash) = resolved(&config)?;
        dir.save_config(command, &config_hash, &text)?;
        let start = P::start(&rules);
        Ok(Run {
            dir,
            config,
            config_hash,
            rules,
            start,
            _claims: claims,
        })
    }

    /// Generation 0: a network with random weights, if the run has none yet. Returns the newest generation.
    pub fn ensure_network(&self) -> Result<u32> {
        if let Some(generation) = self.dir.latest_generation()? {
            return Ok(generation);
        }
        let fresh = network::Network::fresh::<P>(self.config.network.clone(), self.config.seed)?;
        let meta = network::NetworkMeta {
            generation: Some(0),
            rules: self.rules.name(),
            ..network::NetworkMeta::default()
        };
        network::save_network(&self.dir.network(0), &fresh, &meta)?;
        eprintln!(
            "generation 0: a fresh network in {}",
            self.dir.network(0).display()
        );
        Ok(0)
    }

    /// The exported file of a generation, made from its network folder if it is not there.
    pub fn ensure_export(&self, generation: u32) -> Result<PathBuf> {
        exported::<P>(&self.dir, generation)
    }

    /// Plays the games that the generation lacks. Returns whether all are there.
    pub fn self_play(&self, generation: u32, stop: &AtomicBool) -> Result<bool> {
        let params = &self.config.selfplay;
        let folder = self.dir.network(generation);
        let manifest = Manifest::read(&folder)?;
        let use_torch = match params.backend {
            BackendChoice::Torch => true,
            BackendChoice::Auto => params.device != "cpu",
            BackendChoice::Onnx | BackendChoice::Tract => false,
        };
        let runtime = match params.backend {
            BackendChoice::Onnx => Runtime::OnnxRuntime,
            BackendChoice::Tract => Runtime::Tract,
            BackendChoice::Auto | BackendChoice::Torch => Runtime::Auto,
        };
        let file = if use_torch {
            None
        } else {
            Some(self.ensure_export(generation)?)
        };
        let told = AtomicBool::new(false);
        let evaluators = |_worker: usize| -> Result<Box<dyn LeafEvaluator<P>>, EvalError> {
            let failed = |e: String| EvalError(e);
            let evaluator = match &file {
                Some(file) => inference::open_evaluator::<P>(file, runtime, 1, false)
                    .map_err(|e| failed(e.to_string()))?,
                None => {
                    network::set_threads(1);
                    let device = network::parse_device(&params.device).map_err(failed)?;
                    network::open_evaluator::<P>(&folder, device)
                        .map_err(|e| failed(e.to_string()))?
                }
            };
            if !told.swap(true, Ordering::Relaxed) {
                eprintln!("self-play network: {}", evaluator.backend().describe());
            }
            Ok(Box::new(evaluator))
        };
        let player = match &file {
            Some(file) => format!("onnx:{}", file.display()),
            None => format!("net:{}", folder.display()),
        };
        let job = Job {
            run: self.dir.root(),
            start: &self.start,
            params,
            search: &self.config.search,
            run_seed: self.config.seed,
            generation,
            network_hash: &manifest.hash,
            player: &player,
            config_hash: &self.config_hash,
        };
        let mut dataset = records::Dataset::open(self.dir.root(), &records::Shape::of::<P>())?;
        let before = dataset.game_indices(generation).len() as u64;
        if before >= u64::from(params.games) {
            return Ok(true);
        }
        let stage = Mutex::new(Stage::new(
            &format!("self-play, generation {generation}"),
            params.games.into(),
            before,
        ));
        let (games, plies, evaluations) =
            (AtomicU64::new(before), AtomicU64::new(0), AtomicU64::new(0));
        let begun = std::time::Instant::now();
        let progress = |shard: selfplay::Shard| {
            let games = games.fetch_add(shard.games, Ordering::Relaxed) + shard.games;
            let plies = plies.fetch_add(shard.plies, Ordering::Relaxed) + shard.plies;
            let evaluations =
                evaluations.fetch_add(shard.evaluations, Ordering::Relaxed) + shard.evaluations;
            let seconds = begun.elapsed().as_secs_f64().max(1e-3);
            let speed = format!(
                "games, {plies} positions, {:.0} evals/s",
                evaluations as f64 / seconds
            );
            stage
                .lock()
                .expect("no panic while held")
                .set(games, &speed);
        };
        let report = selfplay::run(&job, &evaluators, stop, &progress)?;
        let tally = &report.tally;
        let mut summary = format!(
            "{} games, {} positions, Black won {}, White {}, {}; {:.0} evals/s, batch {:.1}, {:.0} % of the time in the network",
            tally.games,
            tally.plies,
            tally.black_wins,
            tally.white_wins,
            join_counts(&tally.end_reasons),
            tally.evaluations as f64 / report.duration.as_secs_f64().max(1e-3),
            report.mean_batch(),
            100.0 * report.network_share(),
        );
        if tally.dropped > 0 {
            summary += &format!(
                "; {} games in flight dropped, they will be played again",
                tally.dropped
            );
        }
        if tally.decided_at_start > 0 {
            summary += &format!("; {} games decided at their start", tally.decided_at_start);
        }
        stage
            .into_inner()
            .expect("no panic while held")
            .finish(&summary);
        warn_refused(&report.refused);
        if tally.games == 0 && tally.decided_at_start > 0 {
            bail!("the start position is decided already; there is nothing to play");
        }
        Ok(report.missing == 0)
    }
}

/// Exports a network folder with canaries answered by libtorch, and proves the file.
pub fn export_network<P: Game>(network: &Path, out: &Path) -> Result<inference::Report> {
    if let Some(parent) = out.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("{}", parent.display()))?;
    }
    network::set_threads(1);
    let device = network::parse_device("cpu").map_err(anyhow::Error::msg)?;
    let mut evaluator = network::open_evaluator::<P>(network, device)?;
    Ok(inference::export_network::<P>(
        network,
        &mut evaluator,
        None,
        out,
    )?)
}

/// Files that were not read, for people.
pub fn warn_refused(refused: &[records::Refused]) {
    for refused in refused {
        eprintln!(
            "warning: {} is not read: {}",
            refused.file.display(),
            refused.reason
        );
    }
    if !refused.is_empty() {
        eprintln!("warning: {} files of the run were skipped", refused.len());
    }
}

fn join_counts(counts: &std::collections::BTreeMap<&'static str, u64>) -> String {
    counts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect::<Vec<_>>()
        .join(", ")
}
