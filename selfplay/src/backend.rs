//! Which back-end runs the network: the config's, or the fastest of a short trial.

use crate::params::{BackendChoice, SelfplayParams};
use encoding::Encoded;
use inference::{Backend, BackendError, RawOutput, Runtime};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Length of the whole trial.
const TRIAL: Duration = Duration::from_secs(2);

/// The files of a network.
#[derive(Clone, Copy, Debug)]
pub struct NetworkFiles<'a> {
    /// The network folder, for `torch`.
    pub folder: &'a Path,
    /// The exported file, for `onnx` and `tract`.
    pub exported: &'a Path,
}

/// Opens a network for one thread (`torch`: on `device`).
///
/// # Errors
/// A library or file is missing or bad; `auto` names no back-end.
pub fn open_backend<P: Encoded>(
    choice: BackendChoice,
    files: NetworkFiles<'_>,
    device: &str,
) -> Result<Box<dyn Backend>, BackendError> {
    let failed = |e: String| BackendError(e);
    let exported = |runtime| {
        inference::open_backend(files.exported, runtime, 1).map_err(|e| failed(e.to_string()))
    };
    match choice {
        BackendChoice::Onnx => exported(Runtime::OnnxRuntime),
        BackendChoice::Tract => exported(Runtime::Tract),
        BackendChoice::Torch => {
            network::set_threads(1);
            let device = network::parse_device(device).map_err(failed)?;
            let backend = network::TorchBackend::open::<P>(files.folder, device)
                .map_err(|e| failed(e.to_string()))?;
            Ok(Box::new(backend))
        }
        BackendChoice::Auto => Err(failed("auto is no back-end: choose one first".into())),
    }
}

/// How one back-end did.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Trial {
    /// The back-end.
    pub backend: BackendChoice,
    /// Evaluations a second of all workers together, or why it is not available.
    pub rate: Result<f64, String>,
}

impl std::fmt::Display for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.rate {
            Ok(rate) => write!(f, "{} {rate:.0} evals/s", self.backend.name()),
            Err(why) => write!(f, "{} not available ({why})", self.backend.name()),
        }
    }
}

/// Tries every back-end on the CPU for a moment, in batches and on as many threads as self-play will use, the fastest
/// first. Two seconds together, and the time it takes to open the networks.
pub fn trial<P: Encoded>(files: NetworkFiles<'_>, params: &SelfplayParams) -> Vec<Trial> {
    let choices = [
        BackendChoice::Onnx,
        BackendChoice::Torch,
        BackendChoice::Tract,
    ];
    let each = TRIAL / choices.len() as u32;
    let (batch, threads) = (params.games_in_flight, params.worker_count());
    let mut trials: Vec<Trial> = choices
        .into_iter()
        .map(|backend| {
            let open = || open_backend::<P>(backend, files, "cpu");
            let rate = bare_rate::<P>(&open, batch, threads, each).map_err(|e| e.to_string());
            Trial { backend, rate }
        })
        .collect();
    let speed = |trial: &Trial| trial.rate.as_ref().copied().unwrap_or(-1.0);
    trials.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
    trials
}

/// Evaluations a second of a back-end and nothing else: `threads` of them, each calling its own network with the same
/// `batch` positions for `duration`.
///
/// # Errors
/// The network cannot be opened, or fails.
pub fn bare_rate<P: Encoded>(
    open: &(dyn Fn() -> Result<Box<dyn Backend>, BackendError> + Sync),
    batch: usize,
    threads: usize,
    duration: Duration,
) -> Result<f64, BackendError> {
    let positions = sample_positions::<P>(batch, 80, 1);
    let (cells, globals) = (P::CELLS, P::GLOBALS);
    let mut squares = vec![0; batch * cells];
    let mut values = vec![0.0; batch * globals];
    for (i, position) in positions.iter().enumerate() {
        encoding::encode::<P>(
            position.rules(),
            &position.snapshot(),
            &mut squares[i * cells..(i + 1) * cells],
            &mut values[i * globals..(i + 1) * globals],
        );
    }
    let barrier = Barrier::new(threads);
    let work = || -> Result<f64, BackendError> {
        let mut output = RawOutput::default();
        let opened = open().and_then(|mut network| {
            network.forward(batch, &squares, &values, &mut output)?;
            Ok(network)
        });
        barrier.wait(); // all of them, also those that failed
        let mut network = opened?;
        let (begun, mut calls) = (Instant::now(), 0u32);
        while begun.elapsed() < duration {
            network.forward(batch, &squares, &values, &mut output)?;
            calls += 1;
        }
        Ok(f64::from(calls) * batch as f64 / begun.elapsed().as_secs_f64())
    };
    let work = &work;
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .map(|thread| {
                let died = |_| Err(BackendError("its thread died".into()));
                thread.join().unwrap_or_else(died)
            })
            .sum()
    })
}

/// Different positions after up to `plies` random moves from the start; the same ones for the same `seed`.
pub fn sample_positions<P: Position>(count: usize, plies: u32, seed: u64) -> Vec<P> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut moves = Vec::new();
    let mut one = || {
        let mut position = P::start(&P::Rules::default());
        for _ in 0..rng.random_range(plies / 2..=plies) {
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            position.play(mv);
            if position.outcome().is_some() {
                position.undo();
                break;
            }
        }
        position
    };
    (0..count).map(|_| one()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_positions_go_on_and_are_repeatable() {
        let positions = sample_positions::<rules::shogi::Shogi>(20, 60, 3);
        assert!(positions.iter().all(|p| p.outcome().is_none()));
        let sfens = |positions: &[rules::shogi::Shogi]| -> Vec<String> {
            positions.iter().map(Position::sfen).collect()
        };
        let again = sample_positions::<rules::shogi::Shogi>(20, 60, 3);
        assert_eq!(sfens(&positions), sfens(&again));
        let distinct: std::collections::BTreeSet<String> = sfens(&positions).into_iter().collect();
        assert_eq!(distinct.len(), 20);
    }
}
