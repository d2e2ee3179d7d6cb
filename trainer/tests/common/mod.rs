//! Runs of the toy game, small networks, and training them.
#![allow(dead_code)] // each test file uses its part

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use encoding::Encoded;
use inference::{Architecture, Trunk};
use network::tch::{Kind, Tensor};
use network::{Network, Weights};
use records::{GameRecord, Policy, PositionRecord};
use rules::{GameMove, Position};
use trainer::{Batch, EndTarget, Job, Progress, Report, Steps, TrainParams, TrainReport};

pub use samples::{Toy, ToyRules, random_game};

pub fn small_arch() -> Architecture {
    Architecture {
        channels: 8,
        blocks: 2,
        trunk: Trunk::Gpool,
        policy_dim: 4,
        value_channels: 8,
    }
}

/// Settings for quick tests: one thread, small batches.
pub fn small_params() -> TrainParams {
    let mut params = TrainParams {
        device: "cpu".into(),
        threads: 1,
        batch_size: 16,
        report_every: 5,
        checkpoint_every: 1000,
        validate_every: 0,
        validation_positions: 64,
        ema_decay: 0.9,
        ..Default::default()
    };
    // Few toy games come to an end in a few plies.
    params.ends.ply_cap = EndTarget::Result;
    params.schedule.warmup_steps = 10;
    params.schedule.learning_rate = 5e-3;
    params.window.validation_share = 0.2;
    params
}

/// A run of toy games with one pair of files.
pub fn toy_run(run: &Path, games: std::ops::Range<u32>) {
    write(
        run,
        "a",
        games.map(|i| random_game::<Toy>(i, 30, 0.5)).collect(),
    );
}

/// A run whose targets follow from the position: the best move is the one with the smallest target square.
pub fn learnable_run(run: &Path, games: std::ops::Range<u32>) {
    let games = games.map(|i| {
        let (game, mut rows) = random_game::<Toy>(i, 30, 1.0);
        for row in &mut rows {
            let position = Toy::from_snapshot(&ToyRules, &row.snapshot).unwrap();
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let best = moves
                .iter()
                .min_by_key(|&&mv| (Toy::move_to(mv), mv))
                .unwrap();
            row.policy = Some(Policy {
                moves: vec![best.code()],
                weights: vec![1.0],
            });
        }
        (game, rows)
    });
    write(run, "a", games.collect());
}

pub fn write(run: &Path, worker: &str, games: Vec<(GameRecord, Vec<PositionRecord>)>) {
    write_game::<Toy>(run, worker, games);
}

pub fn write_game<P: Position>(
    run: &Path,
    worker: &str,
    games: Vec<(GameRecord, Vec<PositionRecord>)>,
) {
    let mut writer = samples::writer::<P>(run, worker);
    for (game, rows) in &games {
        writer.push(game, rows).unwrap();
    }
    writer.finish().unwrap();
}

/// A batch of the toy game: the first rows of a few games.
pub fn toy_batch(run: &Path, params: &TrainParams, step: u64) -> Batch {
    let shape = records::Shape::of::<Toy>();
    let window = records::ReplayWindow::open(run, &shape, params.window.clone()).unwrap();
    let rows = trainer::draw(&window, params, step);
    trainer::decode::<Toy>(&window, &rows, &params.into())
        .unwrap()
        .to_device(network::tch::Device::Cpu)
}

/// All values of a tensor.
pub fn values(t: &network::tch::Tensor) -> Vec<f64> {
    let t = t
        .detach()
        .to_kind(network::tch::Kind::Double)
        .contiguous()
        .view(-1);
    Vec::try_from(t).unwrap()
}

pub fn fresh<P: Encoded>(seed: u64) -> Network {
    // Teams of threads gain nothing with such small tensors, and wait for each other on a busy machine.
    network::set_threads(1);
    Network::fresh::<P>(small_arch(), seed).unwrap()
}

/// The weights in f64, away from the small outputs and zero biases of fresh ones. `k` counts the numbers that were changed.
pub fn scrambled(weights: &Weights, k: &mut u32) -> Weights {
    let mut weights = weights.to_kind(Kind::Double);
    for t in weights.0.values_mut() {
        let noise: Vec<f64> = (0..t.numel())
            .map(|_| {
                *k += 1;
                f64::from(*k).sin() * 0.3
            })
            .collect();
        *t += Tensor::from_slice(&noise).reshape(t.size());
    }
    weights
}

/// Kernels that are symmetric from file to file: with them the mirror is a symmetry of the network.
pub fn symmetric_kernels(weights: &mut Weights) {
    for t in weights.0.values_mut().filter(|t| t.dim() == 4) {
        *t = (&*t + t.flip([3])) / 2.0;
    }
}

/// Stops at a step, and keeps the notes.
struct StopAt<'a>(u64, &'a AtomicBool, Vec<String>);

impl Progress for StopAt<'_> {
    fn note(&mut self, text: &str) {
        self.2.push(text.into());
    }
    fn report(&mut self, report: &Report) {
        self.1.store(report.step >= self.0, Ordering::Relaxed);
    }
}

/// Trains the toy game's run as far as `steps` says, or stops at `stop_at`; the report and the notes.
pub fn train_until(
    run: &Path,
    params: &TrainParams,
    steps: Steps,
    generation: Option<u32>,
    stop_at: u64,
) -> Result<(TrainReport, Vec<String>), String> {
    let stop = AtomicBool::new(false);
    let job = Job::<Toy> {
        run,
        params,
        architecture: &small_arch(),
        rules: &ToyRules,
        steps,
        generation,
    };
    let mut progress = StopAt(stop_at, &stop, Vec::new());
    let report = trainer::train(&job, &mut progress, &stop).map_err(|e| e.to_string())?;
    Ok((report, progress.2))
}
