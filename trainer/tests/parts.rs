//! Steps in parts (micro-batches), and in bfloat16.

use network::Precision;
use network::tch::{Device, Kind};
use records::{ReplayWindow, Shape};
use trainer::{
    AuxiliaryParams, Batch, Example, HostBatch, OptimiserKind, OptimiserParams, ScheduleParams,
    TrainParams, TrainState,
};

mod common;
use common::{Toy, ToyRules, fresh, small_params, toy_batch, toy_run, values};

fn examples(params: &TrainParams, run: &std::path::Path, count: u32) -> Vec<Example> {
    let window = ReplayWindow::open(run, &Shape::of::<Toy>(), params.window.clone()).unwrap();
    window.train_rows()[..count as usize]
        .iter()
        .map(|&row| {
            let sample = window.read(row).unwrap();
            let mut example =
                trainer::example::<Toy>(&sample, &ToyRules, false, &params.into()).unwrap();
            example.auxiliary =
                trainer::auxiliary_target::<Toy>(&window, row, &sample, false, &params.into())
                    .unwrap();
            example
        })
        .collect()
}

fn double(batches: Vec<HostBatch>) -> Vec<Batch> {
    let batches = batches.into_iter();
    batches
        .map(|batch| batch.to_device(Device::Cpu).to_kind(Kind::Double))
        .collect()
}

/// Plain gradient descent with rate 1, so that the change of the weights is the gradient.
fn descent() -> TrainParams {
    TrainParams {
        optimiser: OptimiserParams {
            kind: OptimiserKind::Sgd,
            momentum: 0.0,
            weight_decay: 0.0,
            clip_norm: 0.0,
            ..Default::default()
        },
        schedule: ScheduleParams {
            learning_rate: 1.0,
            warmup_steps: 0,
            ..Default::default()
        },
        auxiliary: AuxiliaryParams {
            future: 0.3,
            future_plies: 2,
            short_term: 0.5,
            short_term_plies: vec![2],
            soft_policy: 0.7,
            ..Default::default()
        },
        ..small_params()
    }
}

fn state_in_f64(params: &TrainParams) -> TrainState {
    let network = fresh::<Toy>(4);
    let weights = network.weights.to_kind(Kind::Double);
    let mut state = TrainState::new(network.with_weights(weights).unwrap());
    state.set_heads(params.auxiliary.heads(), 1).unwrap();
    let heads = state.auxiliary.to_kind(Kind::Double);
    state
        .restore_heads(params.auxiliary.heads(), heads)
        .unwrap();
    state
}

/// Parts with the same positions have the same batch-norm statistics as the whole, so that all of the step must agree.
/// The targets differ from part to part, also in number.
#[test]
fn parts_of_the_same_positions_equal_the_whole() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = descent();
    let first = examples(&params, run.path(), 10);
    let mut second = first.clone();
    for (i, example) in second.iter_mut().enumerate() {
        example.value.wdl = (i % 3 != 0).then_some([0.1, 0.2, 0.7]);
        example.value.moves_left = None;
        if i % 2 == 0 {
            example.policy.reverse();
        } else {
            (example.slots, example.policy) = (Vec::new(), Vec::new());
            example.auxiliary.future = None;
        }
    }
    let all = [first, second].concat();
    let whole = double(HostBatch::split::<Toy>(&all, 0));
    let parts = double(HostBatch::split::<Toy>(&all, 10));
    assert_eq!((whole.len(), parts.len()), (1, 2));
    let (mut a, mut b) = (state_in_f64(&params), state_in_f64(&params));
    let before = a.network.weights.copy(Device::Cpu);
    let (stats_a, stats_b) = (
        a.step_in_parts(&whole, &params),
        b.step_in_parts(&parts, &params),
    );
    for (x, y) in [
        (stats_a.total, stats_b.total),
        (stats_a.policy, stats_b.policy),
        (stats_a.wdl, stats_b.wdl),
        (stats_a.moves_left, stats_b.moves_left),
        (stats_a.future, stats_b.future),
        (stats_a.short_term, stats_b.short_term),
        (stats_a.soft_policy, stats_b.soft_policy),
        (stats_a.gradient_norm, stats_b.gradient_norm),
    ] {
        assert!(
            x > 0.0 && (x - y).abs() < 1e-9 * x,
            "{stats_a:?} {stats_b:?}"
        );
    }
    assert!((stats_a.accuracy - stats_b.accuracy).abs() < 1e-9);
    let weights = |s: &TrainState| {
        let network = s.network.weights.clone().0.into_iter();
        network.chain(s.auxiliary.clone().0).collect::<Vec<_>>()
    };
    for ((name, x), (_, y)) in weights(&a).iter().zip(&weights(&b)) {
        // The variance of running statistics has n - 1 in its denominator: 20 x 25 values against 10 x 25, and 20 against 10
        // where the inputs are sums over the board.
        let tolerance = match name.as_str() {
            "value.linear.running_var" => 1e-2,
            name if name.ends_with("running_var") => 1e-3,
            _ => 1e-9,
        };
        let (x, y) = (values(x), values(y));
        let close = |(x, y): (&f64, &f64)| (x - y).abs() < tolerance * (1.0 + x.abs());
        assert!(x.iter().zip(&y).all(close), "{name} differs");
        if let Some(old) = before.0.get(name).filter(|_| name == "stem.weight") {
            assert_ne!(values(old), x, "nothing moved");
        }
    }
    let entropy = |batches: &[Batch]| batches.iter().map(|b| b.info.policy_entropy).sum::<f64>();
    assert!((entropy(&whole) - entropy(&parts)).abs() < 1e-9);
}

#[test]
fn steps_are_split_as_asked() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = TrainParams {
        micro_batch: 6,
        ..small_params()
    };
    let window = ReplayWindow::open(run.path(), &Shape::of::<Toy>(), params.window.clone());
    let window = std::sync::Arc::new(window.unwrap());
    let mut loader = trainer::Loader::start::<Toy>(window, &params, 0..1).unwrap();
    let parts = loader.take().unwrap();
    let sizes: Vec<usize> = parts.iter().map(|part| part.info.origins.len()).collect();
    assert_eq!(sizes, [6, 6, 4]);
    let weights = parts.iter().flat_map(|part| &part.policy_weight);
    assert!((weights.sum::<f32>() - 1.0).abs() < 1e-6);
}

/// bfloat16 keeps 8 bits of a number: the gradient points nearly the same way, the weights stay f32, and it learns.
#[test]
fn bfloat16_takes_nearly_the_same_steps() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..8);
    let f32_params = descent();
    let bf16_params = TrainParams {
        precision: Precision::Bf16,
        ..descent()
    };
    let batch = toy_batch(run.path(), &f32_params, 0);
    let step = |params: &TrainParams| {
        let mut state = TrainState::new(fresh::<Toy>(4));
        state.set_heads(params.auxiliary.heads(), 1).unwrap();
        let before = state.network.weights.copy(Device::Cpu);
        let stats = state.step(&batch, params);
        assert!(stats.finite);
        let moved: Vec<f64> = before
            .0
            .iter()
            .filter(|(name, _)| !network::is_running(name))
            .flat_map(|(name, old)| values(&(state.network.weights.get(name) - old)))
            .collect();
        assert!(
            state
                .network
                .weights
                .0
                .values()
                .all(|t| t.kind() == Kind::Float)
        );
        (stats, moved)
    };
    let ((a, x), (b, y)) = (step(&f32_params), step(&bf16_params));
    assert_ne!(x, y, "the same number format twice");
    assert!((a.total - b.total).abs() < 0.02 * a.total, "{a:?} {b:?}");
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let cosine = dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt();
    assert!(cosine > 0.98, "cosine {cosine}");

    let mut params = small_params();
    params.precision = Precision::Bf16;
    params.schedule.learning_rate = 1e-2;
    let batch = toy_batch(run.path(), &params, 0);
    let mut state = TrainState::new(fresh::<Toy>(2));
    let first = state.step(&batch, &params);
    let mut last = first;
    for _ in 0..150 {
        last = state.step(&batch, &params);
    }
    assert!(last.total < 0.7 * first.total, "{first:?} {last:?}");
}
