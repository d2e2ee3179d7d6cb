//! The toy game of the records' tests with a network encoding, runs of its games, and small networks.
#![allow(dead_code)] // each test file uses its part

use std::path::Path;

use encoding::Encoded;
use inference::{Architecture, Trunk};
use network::Network;
use records::{GameRecord, Policy, PositionRecord, ShardLimits, ShardWriter};
use rules::{Color, GameMove, Position, Snapshot};
use trainer::{Batch, EndTarget, TrainParams};

#[path = "../../../records/tests/common/mod.rs"]
mod toy;

pub use toy::{Toy, ToyRules, provenance, random_game};

impl Encoded for Toy {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 4;
    const GLOBALS: usize = 3;

    fn plane_table() -> Vec<f32> {
        (0..5 * 4)
            .map(|i| if i / 4 == i % 4 + 1 { 1.0 } else { 0.0 })
            .collect()
    }

    fn plane_names() -> Vec<String> {
        ["own king", "own stone", "enemy king", "enemy stone"]
            .map(String::from)
            .to_vec()
    }

    fn write_globals(_: &ToyRules, s: &Snapshot, out: &mut [f32]) {
        let (own, enemy) = if s.turn == Color::Black {
            (0, 1)
        } else {
            (1, 0)
        };
        let values = [
            s.move_number as f32 / 200.0,
            f32::from(s.hands[own]) / 10.0,
            f32::from(s.hands[enemy]) / 10.0,
        ];
        out.copy_from_slice(&values);
    }

    fn global_names() -> Vec<String> {
        ["move number / 200", "own hand / 10", "enemy hand / 10"]
            .map(String::from)
            .to_vec()
    }
}

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
    let mut writer =
        ShardWriter::<P>::new(run, worker, provenance::<P>(3), ShardLimits::default()).unwrap();
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
