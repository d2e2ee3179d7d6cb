//! The back-ends alone, in the batches that self-play uses and smaller ones.

use super::Figure;
use crate::game::Game;
use crate::run_config::RunConfig;
use crate::stages::Run;
use anyhow::{Context, Result};
use selfplay::{BackendChoice, NetworkFiles, bare_rate, open_backend};
use std::time::Duration;

pub(super) fn measure<P: Game>(config: &RunConfig, duration: Duration) -> Result<Vec<Figure>> {
    let scratch = tempfile::tempdir().context("a temporary folder")?;
    let run = Run::<P>::open_or_create(scratch.path(), config.clone(), "bench", &[])?;
    let generation = run.ensure_network()?;
    let (folder, exported) = (run.dir.network(generation), run.ensure_export(generation)?);
    let files = NetworkFiles {
        folder: &folder,
        exported: &exported,
    };
    let params = &config.selfplay;
    let workers = params.worker_count();
    let mut cases = vec![(1, 1), (params.games_in_flight, 1)];
    cases.push((params.games_in_flight, workers));
    cases.dedup();
    let mut figures = Vec::new();
    for choice in [
        BackendChoice::Onnx,
        BackendChoice::Torch,
        BackendChoice::Tract,
    ] {
        for &(batch, threads) in &cases {
            let open = || open_backend::<P>(choice, files, &params.device);
            match bare_rate::<P>(&open, batch, threads, duration) {
                Ok(rate) => {
                    let name = format!("{}, batches of {batch}, {threads} threads", choice.name());
                    figures.push(Figure::new(name, rate, "evals/s"));
                }
                Err(error) => {
                    eprintln!("{}: not available: {error}", choice.name());
                    break;
                }
            }
        }
    }
    Ok(figures)
}
