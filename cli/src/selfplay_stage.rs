//! The self-play stage of a run: opens what plays, shows the progress, sums up.

use crate::game::Game;
use crate::live::{Counters, Watch};
use crate::stages::{Run, export_network, warn_refused};
use crate::status::State;
use anyhow::{Result, anyhow, bail};
use engine::PlayerSpec;
use evaluator::make_player;
use inference::{BatchEvaluator, Manifest};
use mcts::{EvalError, LeafEvaluator};
use selfplay::{
    BackendChoice, Batcher, Job, NetworkFiles, Progress, Report, SelfplayParams, Source, Starts,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Asks whether a newer network is there.
pub type Newer<'a> = Option<&'a (dyn Fn() -> bool + Sync)>;

/// Makes evaluators; owns what they share.
pub type Evaluators<P> = Box<dyn Fn(usize) -> Result<Box<dyn LeafEvaluator<P>>, EvalError> + Sync>;

impl<P: Game> Run<P> {
    /// Plays the games that the generation lacks. Returns whether all are there.
    pub fn self_play(&self, generation: u32, stop: &AtomicBool) -> Result<bool> {
        let report = self.self_play_until(generation, stop, None)?;
        Ok(report.is_none_or(|report| report.missing == 0))
    }

    /// Plays the games that the generation lacks, or those of them that begin before a newer network is there. `None` if
    /// there was nothing to play.
    pub fn self_play_until(
        &self,
        generation: u32,
        stop: &AtomicBool,
        newer: Newer<'_>,
    ) -> Result<Option<Report>> {
        let params = &self.config.selfplay;
        let mut dataset = records::Dataset::open(self.dir.root(), &records::Shape::of::<P>())?;
        let before = dataset.game_indices(generation).len() as u64;
        if before >= u64::from(params.games) {
            warn_refused(dataset.refused());
            return Ok(None);
        }
        let counters = Counters::default();
        let watch = Watch {
            counters: &counters,
            run: self.dir.root(),
            generation,
            before,
            wanted: params.games.into(),
            max_batch: params.games_in_flight,
        };
        let done = AtomicBool::new(false);
        let (result, watched) = std::thread::scope(|scope| {
            let watching = scope.spawn(|| watch.run(&done));
            let progress = |news| counters.add(news);
            let result = self.play_games(generation, stop, newer, &progress);
            done.store(true, Ordering::Release);
            watching.thread().unpark();
            (result, watching.join())
        });
        let (stage, status) = watched.map_err(|_| anyhow!("the progress display died"))?;
        let report = match result {
            Ok(report) => report,
            Err(error) => {
                watch.finish(status, State::Failed);
                return Err(error);
            }
        };
        watch.finish(
            status,
            match report.missing {
                0 => State::Finished,
                _ => State::Stopped,
            },
        );
        stage.finish(&summary(&report, params));
        warn_refused(&report.refused);
        for fault in &report.tally.faults {
            eprintln!("warning: not finished, will be played again: {fault}");
        }
        if report.tally.games == 0 && report.tally.decided_at_start > 0 {
            bail!("the start position is decided already; there is nothing to play");
        }
        Ok(Some(report))
    }

    /// Plays the games that the generation lacks, and says nothing but which network plays.
    pub fn play_games(
        &self,
        generation: u32,
        stop: &AtomicBool,
        newer: Newer<'_>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Report> {
        let params = &self.config.selfplay;
        let starts =
            Starts::<P>::resolve(&params.starts, &self.rules).map_err(crate::failure::usage)?;
        let job = |network_hash, player| Job {
            run: self.dir.root(),
            starts: &starts,
            params,
            search: &self.config.search,
            run_seed: self.config.seed,
            generation,
            network_hash,
            player,
            config_hash: &self.config_hash,
            newer,
        };
        if let Some(player) = params.player_of(generation) {
            let spec: PlayerSpec = player.parse()?;
            let name = spec.to_string();
            let make = player_maker(&spec, &self.start)?;
            eprintln!("self-play by {name}");
            let source = Source::Player(&make);
            return Ok(selfplay::run(&job("", &name), &source, stop, progress)?);
        }
        let folder = self.dir.network(generation);
        let manifest = Manifest::read(&folder)?;
        let choice = self.choose_backend(generation)?;
        let exported = match choice {
            BackendChoice::Torch => self.dir.export(generation),
            _ => self.ensure_export(generation)?,
        };
        let player = match choice {
            BackendChoice::Torch => format!("net:{}", folder.display()),
            _ => format!("onnx:{}", exported.display()),
        };
        let evaluators = evaluators::<P>(choice, folder, exported, params)?;
        let source = Source::Network(&*evaluators);
        let job = job(&manifest.hash, &player);
        Ok(selfplay::run(&job, &source, stop, progress)?)
    }

    /// The back-end of the config; where that says `auto`, the winner of a trial, once a process.
    pub fn choose_backend(&self, generation: u32) -> Result<BackendChoice> {
        let params = &self.config.selfplay;
        match params.backend {
            BackendChoice::Auto if params.device != "cpu" => return Ok(BackendChoice::Torch),
            BackendChoice::Auto => {}
            fixed => return Ok(fixed),
        }
        if let Some(&chosen) = self.backend.get() {
            return Ok(chosen);
        }
        let exported = self.ensure_export(generation)?;
        let files = NetworkFiles {
            folder: &self.dir.network(generation),
            exported: &exported,
        };
        let trials = selfplay::trial::<P>(files, params);
        let told: Vec<String> = trials.iter().map(ToString::to_string).collect();
        let told = told.join(", ");
        let best = trials.first().filter(|trial| trial.rate.is_ok());
        let best = best.ok_or_else(|| anyhow!("no back-end runs this network: {told}"))?;
        eprintln!(
            "self-play backend: {} of {told} (batches of {}, {} workers; selfplay.backend fixes it)",
            best.backend.name(),
            params.games_in_flight,
            params.worker_count()
        );
        Ok(*self.backend.get_or_init(|| best.backend))
    }
}

/// Makes players after checking that one can be made.
pub fn player_maker<P: Game>(
    spec: &PlayerSpec,
    start: &P,
) -> Result<impl Fn() -> Result<Box<dyn engine::Player<P>>, String> + Sync + use<P>> {
    network::set_threads(1);
    make_player::<P>(spec, start)?;
    let (spec, start) = (spec.clone(), start.clone());
    Ok(move || make_player::<P>(&spec, &start).map_err(|e| e.to_string()))
}

/// Evaluators over one network: of their own on a CPU, clients of one batcher where the settings say so.
pub fn evaluators<P: Game>(
    choice: BackendChoice,
    folder: PathBuf,
    exported: PathBuf,
    params: &SelfplayParams,
) -> Result<Evaluators<P>> {
    let device = params.device.clone();
    let open = move || {
        let files = NetworkFiles {
            folder: &folder,
            exported: &exported,
        };
        selfplay::open_backend::<P>(choice, files, &device)
    };
    let batcher = match params.shares_batches() {
        true => {
            let networks = (0..params.batcher.in_flight)
                .map(|_| open())
                .collect::<Result<Vec<_>, _>>()?;
            let wait = Duration::from_micros(params.batcher.wait_us);
            Some(Batcher::new(networks, params.max_batch(), wait)?)
        }
        false => None,
    };
    let told = AtomicBool::new(false);
    Ok(Box::new(move |_worker| {
        let backend = match &batcher {
            Some(batcher) => Ok(batcher.client()),
            None => open(),
        };
        let backend = backend.map_err(|e| EvalError(e.to_string()))?;
        if !told.swap(true, Ordering::Relaxed) {
            eprintln!("self-play network: {}", backend.describe());
        }
        Ok(Box::new(BatchEvaluator::<P>::new(backend)?))
    }))
}

/// An exported file of a network folder, made if it is not there.
pub fn ensure_exported<P: Game>(folder: &std::path::Path, exported: PathBuf) -> Result<PathBuf> {
    if !exported.exists() {
        export_network::<P>(folder, &exported, None, inference::Precision::F32)?;
    }
    Ok(exported)
}

fn summary(report: &Report, params: &SelfplayParams) -> String {
    let tally = &report.tally;
    let ends: Vec<String> = tally
        .end_reasons
        .iter()
        .map(|(name, games)| format!("{games} {name} ({} rows)", tally.end_reason_rows[name]))
        .collect();
    let mut text = format!(
        "{} games, {} positions, Black won {}, White {}, {}; {:.0} evals/s, batches {:.1} ({:.0} % full), cache {:.1} %, {:.0} % of the time in the network",
        tally.games,
        tally.plies,
        tally.black_wins,
        tally.white_wins,
        ends.join(", "),
        report.evaluations_per_second(),
        report.mean_batch(),
        100.0 * report.batch_fill(),
        100.0 * report.cache_hits(),
        100.0 * report.network_share(),
    );
    if params.resign.threshold > 0.0 {
        text += &resignation(&tally.resign, params);
    }
    for (count, what) in [
        (
            tally.dropped,
            "games in flight dropped, they will be played again",
        ),
        (tally.decided_at_start, "games decided at their start"),
        (
            tally.faults.len() as u64,
            "games that the player could not finish",
        ),
    ] {
        if count > 0 {
            text += &format!("; {count} {what}");
        }
    }
    text
}

fn resignation(resign: &selfplay::Resignations, params: &SelfplayParams) -> String {
    match resign.false_positive_rate() {
        None => format!("; {} resigned, no game played on to check", resign.resigned),
        Some(rate) => {
            let advice = match rate > 0.05 {
                true => format!(
                    ": above 5 %, lower selfplay.resign.threshold = {}",
                    params.resign.threshold
                ),
                false => String::new(),
            };
            format!(
                "; {} resigned; of {} played on {} were not lost, false positives {:.1} %{advice}",
                resign.resigned,
                resign.played_on,
                resign.wrong,
                100.0 * rate
            )
        }
    }
}
