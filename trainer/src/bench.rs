//! How fast training is: the bare step, and decoding without a network.

use std::path::Path;
use std::time::Instant;

use encoding::Encoded;
use inference::Architecture;
use network::tch::Device;
use network::{Network, keep_memory, parse_device, set_threads};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use records::{ReplayWindow, Shape};

use crate::TrainError;
use crate::auxiliary::AuxiliaryTarget;
use crate::batch::HostBatch;
use crate::decode::{decode, decode_split};
use crate::example::{DecodeParams, Example, Origin};
use crate::loader::draw;
use crate::params::TrainParams;
use crate::state::TrainState;
use crate::targets::ValueTarget;

/// Positions of random games with made-up targets.
pub fn random_batch<P: Encoded>(rules: &P::Rules, positions: usize, seed: u64) -> HostBatch {
    let spec = encoding::spec::<P>();
    let mut rng = SplitMix64::seed_from_u64(seed);
    let mut examples = Vec::with_capacity(positions);
    let (mut position, mut moves) = (P::start(rules), Vec::new());
    while examples.len() < positions {
        position.legal_moves(&mut moves);
        if moves.is_empty() || position.plies() > 200 {
            position = P::start(rules);
            continue;
        }
        let snapshot = position.snapshot();
        let (mut squares, mut globals) = (vec![0; spec.cells()], vec![0.0; spec.globals]);
        encoding::encode::<P>(rules, &snapshot, &mut squares, &mut globals);
        let mut slots = Vec::with_capacity(moves.len());
        encoding::slots::<P>(rules, &snapshot, &squares, &moves, &mut slots);
        examples.push(Example {
            origin: Origin {
                game: "random".into(),
                ply: position.plies() as u32,
                mirrored: false,
            },
            squares,
            globals,
            slots,
            policy: vec![1.0 / moves.len() as f32; moves.len()],
            value: ValueTarget {
                wdl: Some([0.5, 0.25, 0.25]),
                moves_left: Some(100.0),
            },
            auxiliary: AuxiliaryTarget::default(),
            generation: 0,
        });
        position.play(moves[rng.next_u64() as usize % moves.len()]);
    }
    HostBatch::new::<P>(&examples)
}

/// Positions a second of bare steps (forward, backward, optimiser, average) on one made-up batch that is ready.
///
/// # Errors
/// Settings or sizes out of range, or no such device.
pub fn step_rate<P: Encoded>(
    rules: &P::Rules,
    architecture: &Architecture,
    params: &TrainParams,
    seconds: f64,
) -> Result<f64, TrainError> {
    let batch = random_batch::<P>(rules, params.batch_size, params.seed);
    bare_rate::<P>(vec![batch], architecture, params, seconds)
}

/// As [`step_rate`], on one batch of the records of a run.
///
/// # Errors
/// As [`step_rate`] and [`decode_rate`].
pub fn step_rate_on<P: Encoded>(
    run: &Path,
    architecture: &Architecture,
    params: &TrainParams,
    seconds: f64,
) -> Result<f64, TrainError> {
    let window = ReplayWindow::open(run, &Shape::of::<P>(), params.window.clone())?;
    let rows = draw(&window, params, 0);
    let batch = decode_split::<P>(
        &window,
        &rows,
        &DecodeParams::from(params),
        params.micro_batch,
    )?;
    bare_rate::<P>(batch, architecture, params, seconds)
}

fn bare_rate<P: Encoded>(
    batch: Vec<HostBatch>,
    architecture: &Architecture,
    params: &TrainParams,
    seconds: f64,
) -> Result<f64, TrainError> {
    params.check().map_err(TrainError::Config)?;
    let device = parse_device(&params.device).map_err(TrainError::Config)?;
    set_threads(params.resolved_threads());
    keep_memory();
    let network = Network::fresh::<P>(architecture.clone(), params.seed)
        .map_err(|e| TrainError::Config(e.to_string()))?
        .to_device(device);
    let mut state = TrainState::new(network);
    state
        .set_heads(params.auxiliary.heads(), params.seed)
        .map_err(|e| TrainError::Config(e.to_string()))?;
    let batch: Vec<_> = batch
        .into_iter()
        .map(|part| part.to_device(device))
        .collect();
    for _ in 0..2 {
        state.step_in_parts(&batch, params);
    }
    let (start, mut steps) = (Instant::now(), 0);
    while steps == 0 || start.elapsed().as_secs_f64() < seconds {
        state.step_in_parts(&batch, params);
        steps += 1;
    }
    if let Device::Cuda(index) = device {
        network::tch::Cuda::synchronize(index as i64);
    }
    Ok((steps * params.batch_size) as f64 / start.elapsed().as_secs_f64())
}

/// Positions a second that one thread decodes from the records of a run: sampled, mirrored, with their legal moves,
/// put together to batches; no network.
///
/// # Errors
/// No usable records, or a row that cannot be decoded.
pub fn decode_rate<P: Encoded>(
    run: &Path,
    params: &TrainParams,
    seconds: f64,
) -> Result<f64, TrainError> {
    let window = ReplayWindow::open(run, &Shape::of::<P>(), params.window.clone())?;
    window_decode_rate::<P>(&window, params, seconds)
}

/// As [`decode_rate`], from a window that is open.
///
/// # Errors
/// A row that cannot be decoded.
pub fn window_decode_rate<P: Encoded>(
    window: &ReplayWindow,
    params: &TrainParams,
    seconds: f64,
) -> Result<f64, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|e| TrainError::Config(format!("cannot start a thread: {e}")))?;
    let decode_params = DecodeParams::from(params);
    let (start, mut step) = (Instant::now(), 0);
    while step == 0 || start.elapsed().as_secs_f64() < seconds {
        pool.install(|| decode::<P>(window, &draw(window, params, step), &decode_params))?;
        step += 1;
    }
    Ok((step * params.batch_size as u64) as f64 / start.elapsed().as_secs_f64())
}
