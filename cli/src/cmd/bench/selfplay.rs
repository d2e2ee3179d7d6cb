//! Self-play for some seconds in a temporary run, and the bare back-end before and after it.

use super::Figure;
use crate::game::Game;
use crate::live::Counters;
use crate::run_config::RunConfig;
use crate::stages::Run;
use anyhow::{Context, Result, anyhow};
use mcts::{EvalError, LeafEvaluator, UniformEvaluator};
use selfplay::{
    BackendChoice, Job, NetworkFiles, Progress, Report, Source, Starts, bare_rate, open_backend,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Games that are there to be played; the clock ends the measurement.
const GAMES: u32 = 1_000_000;
/// Self-play is measured from this long after its first batch.
const WARM_UP: Duration = Duration::from_secs(1);

pub(super) fn measure<P: Game>(
    config: &RunConfig,
    duration: Duration,
    uniform: bool,
) -> Result<Vec<Figure>> {
    let scratch = tempfile::tempdir().context("a temporary folder")?;
    let mut config = config.clone();
    config.selfplay.games = GAMES;
    let run = Run::<P>::open_or_create(scratch.path(), config, "bench", &[])?;
    if uniform {
        let (report, window) = timed(duration, |stop, progress| {
            play_uniform(&run, stop, progress)
        })?;
        return Ok(figures(&report, &window));
    }
    let generation = run.ensure_network()?;
    let params = &run.config.selfplay;
    let choice = run.choose_backend(generation)?;
    let (folder, exported) = (run.dir.network(generation), run.dir.export(generation));
    if choice != BackendChoice::Torch {
        run.ensure_export(generation)?;
    }
    let files = NetworkFiles {
        folder: &folder,
        exported: &exported,
    };
    let (batch, threads) = (params.games_in_flight, params.worker_count());
    let bare = || {
        let open = || open_backend::<P>(choice, files, &params.device);
        bare_rate::<P>(&open, batch, threads, duration / 2)
    };
    let before = bare()?;
    let (report, window) = timed(duration, |stop, progress| {
        run.play_games(generation, stop, None, progress)
    })?;
    let rate = (before + bare()?) / 2.0;
    let mut list = figures(&report, &window);
    let name = format!(
        "bare {}, batches of {batch}, {threads} threads",
        choice.name()
    );
    list.push(Figure::new(name, rate, "evals/s"));
    list.push(Figure::new(
        "self-play / bare",
        window.rate(window.news.evaluations) / rate,
        "(goal 0.95)",
    ));
    Ok(list)
}

/// What happened in the time that counts.
struct Window {
    news: Progress,
    time: Duration,
}

impl Window {
    fn rate(&self, count: u64) -> f64 {
        count as f64 / self.time.as_secs_f64()
    }
}

/// Runs `play` until `duration` after the warm-up.
fn timed(
    duration: Duration,
    play: impl FnOnce(&AtomicBool, &(dyn Fn(Progress) + Sync)) -> Result<Report>,
) -> Result<(Report, Window)> {
    let stop = AtomicBool::new(false);
    let counters = Counters::default();
    let (result, window) = std::thread::scope(|scope| {
        let clock = scope.spawn(|| {
            let started = || counters.sums().batches > 0 || stop.load(Ordering::Relaxed);
            while !started() {
                std::thread::sleep(Duration::from_millis(10));
            }
            std::thread::sleep(WARM_UP);
            let (before, begun) = (counters.sums(), Instant::now());
            std::thread::sleep(duration);
            let (after, time) = (counters.sums(), begun.elapsed());
            stop.store(true, Ordering::Relaxed);
            Window {
                news: Progress {
                    games: after.games - before.games,
                    plies: after.plies - before.plies,
                    evaluations: after.evaluations - before.evaluations,
                    batches: after.batches - before.batches,
                    lookups: after.lookups - before.lookups,
                    hits: after.hits - before.hits,
                },
                time,
            }
        });
        let result = play(&stop, &|news| counters.add(news));
        stop.store(true, Ordering::Relaxed);
        (result, clock.join())
    });
    Ok((result?, window.map_err(|_| anyhow!("the clock died"))?))
}

/// Self-play with an evaluator that knows nothing and costs nothing.
pub(super) fn play_uniform<P: Game>(
    run: &Run<P>,
    stop: &AtomicBool,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report> {
    let starts = Starts::one(run.start.clone());
    let job = Job {
        run: run.dir.root(),
        starts: &starts,
        params: &run.config.selfplay,
        search: &run.config.search,
        run_seed: run.config.seed,
        generation: 0,
        network_hash: "",
        player: "uniform",
        config_hash: &run.config_hash,
        newer: None,
    };
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<P>>, EvalError> {
        Ok(Box::new(UniformEvaluator::default()))
    };
    let source = Source::Network(&evaluators);
    Ok(selfplay::run(&job, &source, stop, progress)?)
}

fn figures(report: &Report, window: &Window) -> Vec<Figure> {
    let news = &window.news;
    let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    let all = report.tally.times.total().as_secs_f64().max(1e-9);
    let mut figures = vec![
        Figure::new("evaluations", window.rate(news.evaluations), "evals/s"),
        Figure::new(
            "positions searched",
            window.rate(news.lookups),
            "playouts/s",
        ),
        Figure::new(
            "plies of finished games",
            window.rate(news.plies),
            "plies/s",
        ),
        Figure::new("games", 3600.0 * window.rate(news.games), "games/h"),
        Figure::new(
            "mean batch",
            share(news.evaluations, news.batches),
            "positions",
        ),
        Figure::new(
            "cache hits",
            100.0 * share(news.hits, news.lookups),
            "% of the positions",
        ),
    ];
    for (name, time) in report.tally.times.stages() {
        figures.push(Figure::new(
            format!("time in {name}"),
            100.0 * time.as_secs_f64() / all,
            "%",
        ));
    }
    figures
}
