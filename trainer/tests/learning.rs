//! The arithmetic: gradients, losses, skipped steps, averages; and that it learns.

use std::sync::atomic::AtomicBool;

use inference::{Architecture, RawOutput};
use network::tch::{Device, Kind, Tensor, no_grad};
use network::{Mode, Network};
use trainer::{
    Example, HostBatch, Job, LossParams, Quiet, ScheduleShape, Steps, TrainParams, TrainState,
    losses,
};

mod common;
use common::{Toy, ToyRules, fresh, small_arch, small_params, toy_batch, toy_run, values};

fn loss_of_head(i: usize) -> LossParams {
    let one = |k| if i == k { 1.0 } else { 0.0 };
    LossParams {
        policy: one(0),
        wdl: one(1),
        moves_left: one(2),
        root_value_share: 0.5,
    }
}

/// The analytic gradient of each tensor against central differences along a direction, in f64.
#[test]
fn gradients_of_each_head_are_right() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let batch = toy_batch(
        run.path(),
        &TrainParams {
            batch_size: 6,
            ..small_params()
        },
        0,
    )
    .to_kind(Kind::Double);
    assert!(
        values(&batch.gather)
            .iter()
            .any(|&row| row >= 6.0 * 25.0 * 4.0),
        "no drop in the batch"
    );
    let network = fresh::<Toy>(3);
    let weights = common::scrambled(&network.weights, &mut 0);
    let network = network.with_weights(weights).unwrap();
    for head in 0..3 {
        let params = loss_of_head(head);
        let total = |network: &Network| {
            let outputs = network.forward(&batch.squares, &batch.globals, Mode::Train);
            losses(&outputs, &batch, &params).total
        };
        let trained: Vec<String> = network
            .weights
            .0
            .keys()
            .filter(|name| !network::is_running(name))
            .cloned()
            .collect();
        let tensors: Vec<Tensor> = trained
            .iter()
            .map(|name| network.weights.get(name).set_requires_grad(true))
            .collect();
        let gradients = Tensor::run_backward(&[&total(&network)], &tensors, false, false);
        let mut seen = 0;
        for (name, gradient) in trained.iter().zip(gradients) {
            let weight = network.weights.get(name);
            let direction: Vec<f64> = (0..weight.numel())
                .map(|i| (i as f64 * 1.7 + 0.3).cos())
                .collect();
            let direction = Tensor::from_slice(&direction).reshape(weight.size());
            let h = 1e-6;
            let at = |step: f64| {
                no_grad(|| {
                    let mut moved = network.weights.clone();
                    moved.0.insert(name.clone(), weight + &direction * step);
                    total(&network.with_weights(moved).unwrap()).double_value(&[])
                })
            };
            let numeric = (at(h) - at(-h)) / (2.0 * h);
            let analytic = (gradient * direction).sum(Kind::Double).double_value(&[]);
            let error = (numeric - analytic).abs();
            assert!(
                error < 1e-6 + 1e-4 * numeric.abs(),
                "head {head}, {name}: {numeric} against {analytic}"
            );
            seen += usize::from(numeric.abs() > 1e-6);
        }
        assert!(seen > 15, "head {head}: only {seen} tensors matter");
    }
}

#[test]
fn losses_agree_with_a_loop_over_moves() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = TrainParams {
        batch_size: 9,
        ..small_params()
    };
    let shape = records::Shape::of::<Toy>();
    let window = records::ReplayWindow::open(run.path(), &shape, params.window.clone()).unwrap();
    let network = fresh::<Toy>(1);
    let rows = trainer::draw(&window, &params, 0);
    let mut examples: Vec<Example> = rows
        .iter()
        .map(|&(row, mirrored)| {
            let sample = window.read(row).unwrap();
            trainer::example::<Toy>(&sample, &ToyRules, mirrored, &(&params).into()).unwrap()
        })
        .collect();
    // Not every position has every target.
    examples[1].value.wdl = None;
    examples[4].value.moves_left = None;
    (examples[5].slots, examples[5].policy) = (Vec::new(), Vec::new());
    let batch = HostBatch::new::<Toy>(&examples).to_device(Device::Cpu);
    let outputs = network.forward(&batch.squares, &batch.globals, Mode::Eval);
    let found = values(&losses(&outputs, &batch, &params.loss).parts);
    let floats = |t: &Tensor| -> Vec<f32> { Vec::try_from(t.contiguous().view(-1)).unwrap() };
    let raw = RawOutput {
        policy: floats(&outputs.policy),
        drops: floats(outputs.drops.as_ref().unwrap()),
        marks: outputs.marks.as_ref().map_or_else(Vec::new, floats),
        wdl_logits: floats(&outputs.wdl_logits),
        moves_left: floats(&outputs.moves_left),
    };
    let (mut expected, mut with) = ([0.0f64; 4], [0.0f64; 4]);
    let dim = small_arch().policy_dim;
    for (i, example) in examples.iter().enumerate() {
        let vectors = raw.vectors(i, network.spec(), dim);
        let logits: Vec<f64> = example
            .slots
            .iter()
            .map(|&slot| f64::from(inference::logit(&vectors, slot)))
            .collect();
        if !logits.is_empty() {
            let sum: f64 = logits.iter().map(|l| l.exp()).sum();
            let target: Vec<f64> = example.policy.iter().map(|&w| f64::from(w)).collect();
            expected[0] -= logits
                .iter()
                .zip(&target)
                .map(|(l, w)| w * (l - sum.ln()))
                .sum::<f64>();
            let best = |v: &[f64]| (0..v.len()).max_by(|&a, &b| v[a].total_cmp(&v[b])).unwrap();
            expected[3] += if best(&logits) == best(&target) {
                1.0
            } else {
                0.0
            };
            (with[0], with[3]) = (with[0] + 1.0, with[3] + 1.0);
        }
        if let Some(wdl) = example.value.wdl {
            let z: Vec<f64> = raw.wdl_logits[3 * i..3 * i + 3]
                .iter()
                .map(|&v| f64::from(v))
                .collect();
            let sum: f64 = z.iter().map(|z| z.exp()).sum();
            expected[1] -= z
                .iter()
                .zip(wdl)
                .map(|(z, t)| f64::from(t) * (z - sum.ln()))
                .sum::<f64>();
            with[1] += 1.0;
        }
        if let Some(left) = example.value.moves_left {
            let e = f64::from(raw.moves_left[i] - left).abs() / 100.0;
            expected[2] += if e < 1.0 { e * e / 2.0 } else { e - 0.5 };
            with[2] += 1.0;
        }
    }
    assert_eq!(with, [8.0; 4]);
    let expected = expected.map(|sum| sum / 8.0);
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-5,
            "{found} against {expected}"
        );
    }
}

#[test]
fn one_batch_is_learnt_by_heart() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..8);
    let mut params = small_params();
    params.loss = LossParams {
        root_value_share: 0.0,
        moves_left: 1.0,
        ..Default::default()
    };
    params.schedule.learning_rate = 1e-2;
    params.schedule.shape = ScheduleShape::Cosine;
    params.schedule.total_steps = 500;
    params.optimiser.weight_decay = 0.0;
    // Openings left out: the same position may come twice there, with different targets.
    let shape = records::Shape::of::<Toy>();
    let window = records::ReplayWindow::open(run.path(), &shape, params.window.clone()).unwrap();
    let late = window
        .train_rows()
        .iter()
        .filter(|&&row| window.game(row).1 > 5);
    let rows: Vec<(u32, bool)> = late.step_by(4).take(16).map(|&row| (row, false)).collect();
    let batch = trainer::decode::<Toy>(&window, &rows, &(&params).into())
        .unwrap()
        .to_device(Device::Cpu);
    let arch = Architecture {
        channels: 16,
        policy_dim: 16,
        ..small_arch()
    };
    let mut state = TrainState::new(Network::fresh::<Toy>(arch, 2).unwrap());
    let mut stats = state.step(&batch, &params);
    assert!(stats.policy - batch.info.policy_entropy > 0.3, "{stats:?}");
    for _ in 0..500 {
        stats = state.step(&batch, &params);
    }
    assert!(
        stats.policy - batch.info.policy_entropy < 0.05,
        "{stats:?}, entropy {}",
        batch.info.policy_entropy
    );
    assert!(
        stats.wdl < 0.02 && stats.moves_left < 0.01 && stats.accuracy > 0.9,
        "{stats:?}"
    );
}

#[test]
fn the_loss_falls_on_games_kept_apart() {
    let run = tempfile::tempdir().unwrap();
    common::learnable_run(run.path(), 0..200);
    // The targets are not symmetric.
    let params = TrainParams {
        batch_size: 64,
        mirror: false,
        validation_positions: 500,
        ..small_params()
    };
    let stop = AtomicBool::new(false);
    let train = |steps| {
        let job = Job::<Toy> {
            run: run.path(),
            params: &params,
            architecture: &small_arch(),
            rules: &ToyRules,
            steps: Steps::Until(steps),
            generation: None,
        };
        trainer::train(&job, &mut Quiet, &stop)
            .unwrap()
            .validation
            .unwrap()
    };
    let (early, late) = (train(1), train(400));
    assert!(late.policy < early.policy / 2.0, "{early:?} {late:?}");
    assert!(late.policy_accuracy > 0.5, "{late:?}");
    assert!(
        (late.policy_kl - late.policy).abs() < 1e-6,
        "the targets have no entropy: {late:?}"
    );
    assert!(
        late.calibration
            .iter()
            .map(|bin| bin.positions)
            .sum::<usize>()
            > 0
    );
    for name in [
        "metrics/train-0000001.parquet",
        "metrics/validation-0000001.parquet",
        "metrics/calibration-0000001.parquet",
    ] {
        assert!(run.path().join(name).is_file(), "{name} is missing");
    }
}

#[test]
fn a_step_that_is_not_finite_changes_nothing() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = small_params();
    let good = toy_batch(run.path(), &params, 0);
    let mut bad = toy_batch(run.path(), &params, 1);
    bad.globals *= f64::NAN;
    let mut state = TrainState::new(fresh::<Toy>(1));
    state.step(&good, &params);
    let bytes = |state: &TrainState| {
        let moments: Vec<f64> = state.optimiser.second.values().flat_map(values).collect();
        (
            state.network.weights.to_safetensors().unwrap(),
            state.average.to_safetensors().unwrap(),
            moments,
        )
    };
    let before = bytes(&state);
    for skips in 1..=2 {
        let stats = state.step(&bad, &params);
        assert!(!stats.finite);
        assert_eq!(
            (state.skipped, state.skips_in_row, state.step),
            (u64::from(skips), skips, 1 + u64::from(skips))
        );
    }
    assert!(before == bytes(&state));
    assert_eq!(state.optimiser.steps, 1);
    assert!(state.step(&good, &params).finite);
    assert_eq!((state.skipped, state.skips_in_row), (2, 0));
}

#[test]
fn training_stops_when_no_step_is_finite() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = TrainParams {
        max_skips: 3,
        ..small_params()
    };
    let mut network = fresh::<Toy>(1);
    for name in ["value.fc1.weight", "value.wdl.weight"] {
        let huge = network.weights.get(name).ones_like() * 1e30;
        network.weights.0.insert(name.into(), huge);
    }
    network::save_network(
        &run.path().join("networks/000000"),
        &network,
        &Default::default(),
    )
    .unwrap();
    let job = Job::<Toy> {
        run: run.path(),
        params: &params,
        architecture: &small_arch(),
        rules: &ToyRules,
        steps: Steps::Until(100),
        generation: None,
    };
    let error = trainer::train(&job, &mut Quiet, &AtomicBool::new(false))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("3 times in a row") && error.contains("bad-batches"),
        "{error}"
    );
    let folder = run.path().join("bad-batches/0000003");
    let rows: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("rows.json")).unwrap()).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 16);
    let batch = std::fs::read(folder.join("batch.safetensors")).unwrap();
    assert_eq!(
        network::Weights::from_safetensors(&batch)
            .unwrap()
            .get("squares")
            .size(),
        [16, 25]
    );
    assert!(trainer::checkpoints(run.path()).unwrap().is_empty());
}

#[test]
fn the_average_follows_its_formula() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = TrainParams {
        ema_decay: 0.25,
        ..small_params()
    };
    let mut state = TrainState::new(fresh::<Toy>(1));
    let mut expected = values(state.average.get("stem.weight"));
    // (1 + t) / (10 + t) = 2/11, 3/12, then the setting.
    for (step, decay) in [2.0 / 11.0, 0.25, 0.25].into_iter().enumerate() {
        state.step(&toy_batch(run.path(), &params, step as u64), &params);
        for (e, w) in expected
            .iter_mut()
            .zip(values(state.network.weights.get("stem.weight")))
        {
            *e = decay * *e + (1.0 - decay) * w;
        }
        let found = values(state.average.get("stem.weight"));
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
    }
    let norm = "policy.norm.running_var";
    assert_ne!(state.average.get(norm), state.network.weights.get(norm));
    assert_eq!(state.network.device(), Device::Cpu);
}
