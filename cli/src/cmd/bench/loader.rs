//! From record files to training batches, without a network: opening a replay window, and decoding its rows.

use super::{Figure, selfplay};
use crate::game::Game;
use crate::run_config::RunConfig;
use crate::stages::Run;
use anyhow::{Context, Result};
use records::{ReplayWindow, Shape};
use std::path::Path;
use std::time::{Duration, Instant};

/// Games that are made where no run is given, each of at most so many plies.
const GAMES: u32 = 64;
const PLIES: u32 = 80;

/// Measures on the records of `of_run`, or on those of games made for it.
pub(super) fn measure<P: Game>(
    config: &RunConfig,
    duration: Duration,
    of_run: Option<&Path>,
) -> Result<Vec<Figure>> {
    let Some(root) = of_run else {
        let scratch = tempfile::tempdir().context("a temporary folder")?;
        let mut config = config.clone();
        config.selfplay.games = GAMES;
        config.selfplay.max_plies = PLIES;
        config.selfplay.full_share = 1.0;
        config.search.visits = 2;
        let run = Run::<P>::open_or_create(scratch.path(), config, "bench", &[])?;
        selfplay::play_uniform(&run, &false.into(), &|_| {})?;
        return measure::<P>(&run.config, duration, Some(scratch.path()));
    };
    let begun = Instant::now();
    let window = ReplayWindow::open(root, &Shape::of::<P>(), config.train.window.clone())?;
    let rows = f64::from(window.rows());
    let opening = rows / begun.elapsed().as_secs_f64();
    let seconds = duration.as_secs_f64();
    let decoding = trainer::bench::window_decode_rate::<P>(&window, &config.train, seconds)?;
    let name = format!(
        "decoding batches of {}, one thread",
        config.train.batch_size
    );
    Ok(vec![
        Figure::new("positions in the window", rows, "positions"),
        Figure::new("opening the window, all threads", opening, "positions/s"),
        Figure::new(name, decoding, "positions/s"),
    ])
}
