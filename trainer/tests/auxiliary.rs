//! Heads that exist in training only: targets, losses, gradients, and that nothing of them is left in the network.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use inference::layout;
use network::tch::{Device, Kind, Tensor, no_grad};
use network::{Heads, Mode, Network, Weights};
use records::{GameRecord, PositionRecord, ReplayWindow, Shape};
use rules::{Color, EndReason, Position};
use trainer::{
    AuxiliaryParams, Batch, EndTarget, Steps, TrainParams, TrainState, auxiliary_losses,
    checkpoint_path, losses,
};

mod common;
use common::{
    Toy, fresh, random_game, small_arch, small_params, toy_batch, toy_run, train_until, values,
};

fn all_heads() -> AuxiliaryParams {
    AuxiliaryParams {
        future: 0.3,
        future_plies: 3,
        short_term: 0.5,
        short_term_plies: vec![1, 4],
        soft_policy: 0.7,
        soft_policy_temperature: 4.0,
    }
}

fn with_heads() -> TrainParams {
    TrainParams {
        auxiliary: all_heads(),
        ..small_params()
    }
}

/// Who holds each square, as the side to move of row `now` sees it.
fn holders(rows: &[PositionRecord], now: usize, later: usize, mirrored: bool) -> Vec<u8> {
    let black = rows[now].snapshot.turn == Color::Black;
    let mut seen = vec![0; 25];
    for (square, &code) in rows[later].snapshot.board.iter().enumerate() {
        let (mut rank, mut file) = (square / 5, square % 5);
        if !black {
            (rank, file) = (4 - rank, 4 - file);
        }
        if mirrored {
            file = 4 - file;
        }
        // The toy's codes: 1 and 2 are Black's, 3 and 4 White's.
        seen[rank * 5 + file] = match code {
            0 => 0,
            1 | 2 if black => 1,
            3 | 4 if !black => 1,
            _ => 2,
        };
    }
    seen
}

#[test]
fn targets_are_those_of_later_rows() {
    let run = tempfile::tempdir().unwrap();
    let games: Vec<(GameRecord, Vec<PositionRecord>)> =
        (0..8).map(|i| random_game::<Toy>(i, 30, 1.0)).collect();
    common::write(run.path(), "a", games.clone());
    let mut params = with_heads();
    params.window.validation_share = 0.0;
    params.ends.ply_cap = EndTarget::Search;
    let window =
        ReplayWindow::open(run.path(), &Shape::of::<Toy>(), params.window.clone()).unwrap();
    let close = |found: Option<[f32; 3]>, expected: [f32; 3]| {
        let found = found.expect("a value");
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-4),
            "{found:?} against {expected:?}"
        );
    };
    let (mut capped, mut ended) = (0, 0);
    for row in 0..window.rows() {
        let sample = window.read(row).unwrap();
        let (game, rows) = games
            .iter()
            .find(|(game, _)| game.id == *sample.game.id)
            .unwrap();
        let (ply, plies) = (sample.ply as usize, rows.len());
        let mirrored = row % 2 == 1;
        let target =
            trainer::auxiliary_target::<Toy>(&window, row, &sample, mirrored, &(&params).into())
                .unwrap();
        let expected = (ply + 3 < plies).then(|| holders(rows, ply, ply + 3, mirrored));
        assert_eq!(target.future, expected);
        for (found, after) in target.short_term.iter().zip([1, 4]) {
            // One's own value after an even number of plies, the opponent's after an odd one.
            let root = |at: usize| {
                let root = rows[at].root.unwrap();
                match (at - ply) % 2 {
                    0 => [root.win, root.draw, root.loss],
                    _ => [root.loss, root.draw, root.win],
                }
            };
            let us = rows[ply].snapshot.turn;
            if ply + after < plies {
                close(*found, root(ply + after));
            } else if game.reason == EndReason::PlyCap {
                close(*found, root(plies - 1));
                capped += 1;
            } else {
                close(
                    *found,
                    match game.winner {
                        None => [0.0, 1.0, 0.0],
                        Some(winner) if winner == us => [1.0, 0.0, 0.0],
                        Some(_) => [0.0, 0.0, 1.0],
                    },
                );
                ended += 1;
            }
        }
    }
    assert!(capped > 0 && ended > 0, "{capped} {ended}");
    // Heads that are off look nothing up.
    let sample = window.read(0).unwrap();
    let none =
        trainer::auxiliary_target::<Toy>(&window, 0, &sample, false, &(&small_params()).into());
    assert_eq!(none.unwrap(), Default::default());
}

/// A network and heads of which no tensor has its neutral starting value, in f64.
fn scrambled(heads: &Heads) -> (Network, Weights) {
    let network = fresh::<Toy>(3);
    let (arch, spec, device) = (network.arch(), network.spec(), network.device());
    let fresh_heads = heads.fresh(arch, spec, 1, device).unwrap();
    let mut k = 0;
    let weights = common::scrambled(&network.weights.copy(device), &mut k);
    (
        network.with_weights(weights).unwrap(),
        common::scrambled(&fresh_heads, &mut k),
    )
}

fn batch_in_f64(params: &TrainParams) -> Batch {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    toy_batch(run.path(), params, 0).to_kind(Kind::Double)
}

/// The analytic gradient of each tensor against central differences along a direction, for each head alone.
#[test]
fn gradients_of_each_head_are_right() {
    let params = TrainParams {
        batch_size: 6,
        ..with_heads()
    };
    let batch = batch_in_f64(&params);
    let off = AuxiliaryParams {
        future: 0.0,
        short_term: 0.0,
        soft_policy: 0.0,
        ..all_heads()
    };
    let one = |future, short_term, soft_policy| AuxiliaryParams {
        future,
        short_term,
        soft_policy,
        ..off.clone()
    };
    for (settings, own) in [
        (one(1.0, 0.0, 0.0), 2),
        (one(0.0, 1.0, 0.0), 2),
        (one(0.0, 0.0, 1.0), 4),
    ] {
        let heads = settings.heads();
        let (network, auxiliary) = scrambled(&heads);
        assert_eq!(auxiliary.0.len(), own);
        let total = |network: &Network, auxiliary: &Weights| {
            let outputs = network.forward(&batch.squares, &batch.globals, Mode::Train);
            let outputs = heads.forward(auxiliary, &outputs, network.arch());
            auxiliary_losses(&outputs, &batch, &settings).total
        };
        let in_trunk = |name: &str| name.starts_with("stem.") || name.starts_with("blocks.");
        let names: Vec<String> = network
            .weights
            .0
            .keys()
            .filter(|name| !network::is_running(name) && in_trunk(name))
            .chain(auxiliary.0.keys())
            .cloned()
            .collect();
        let get = |name: &String| match auxiliary.0.get(name) {
            Some(t) => t,
            None => network.weights.get(name),
        };
        let tensors: Vec<Tensor> = names
            .iter()
            .map(|name| get(name).set_requires_grad(true))
            .collect();
        let gradients =
            Tensor::run_backward(&[&total(&network, &auxiliary)], &tensors, false, false);
        let mut seen = BTreeSet::new();
        for (name, gradient) in names.iter().zip(gradients) {
            let weight = get(name);
            let direction: Vec<f64> = (0..weight.numel())
                .map(|i| (i as f64 * 1.7 + 0.3).cos())
                .collect();
            let direction = Tensor::from_slice(&direction).reshape(weight.size());
            let h = 1e-6;
            let at = |step: f64| {
                no_grad(|| {
                    let moved = weight + &direction * step;
                    let (mut n, mut a) = (network.weights.clone(), auxiliary.clone());
                    match a.0.contains_key(name) {
                        true => a.0.insert(name.clone(), moved),
                        false => n.0.insert(name.clone(), moved),
                    };
                    total(&network.with_weights(n).unwrap(), &a).double_value(&[])
                })
            };
            let numeric = (at(h) - at(-h)) / (2.0 * h);
            let analytic = (gradient * direction).sum(Kind::Double).double_value(&[]);
            assert!(
                (numeric - analytic).abs() < 1e-6 + 1e-4 * numeric.abs(),
                "{settings:?}, {name}: {numeric} against {analytic}"
            );
            if numeric.abs() > 1e-6 {
                seen.insert(name.clone());
            }
        }
        assert!(seen.len() > 12, "only {seen:?} matter");
        assert!(seen.iter().filter(|n| n.starts_with("aux.")).count() >= own - 1);
    }
}

/// With kernels that are symmetric from file to file the mirror is a symmetry: who will hold a square is said of the mirrored
/// square, values stay what they are, and so does every loss.
#[test]
fn a_mirrored_batch_has_the_mirrored_future_and_the_same_values() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = TrainParams {
        batch_size: 9,
        ..with_heads()
    };
    let window =
        ReplayWindow::open(run.path(), &Shape::of::<Toy>(), params.window.clone()).unwrap();
    let heads = params.auxiliary.heads();
    let (network, auxiliary) = scrambled(&heads);
    let mut weights = network.weights.copy(network.device());
    common::symmetric_kernels(&mut weights);
    let network = network.with_weights(weights).unwrap();
    let drawn = trainer::draw(&window, &params, 0);
    let [plain, mirrored] = [false, true].map(|mirrored| {
        let rows: Vec<(u32, bool)> = drawn.iter().map(|&(row, _)| (row, mirrored)).collect();
        let batch = trainer::decode::<Toy>(&window, &rows, &(&params).into()).unwrap();
        let batch = batch.to_device(Device::Cpu).to_kind(Kind::Double);
        let outputs = network.forward(&batch.squares, &batch.globals, Mode::Eval);
        let found = heads.forward(&auxiliary, &outputs, network.arch());
        let parts = auxiliary_losses(&found, &batch, &params.auxiliary).parts;
        (
            values(&found.future.unwrap()),
            values(&batch.future),
            values(&found.short_term.unwrap()),
            values(&batch.short_term),
            values(&parts),
        )
    });
    let close = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9));
    };
    assert_ne!(plain.0, mirrored.0, "a symmetric answer proves nothing");
    assert_ne!(plain.1, mirrored.1, "a symmetric target proves nothing");
    for (i, square) in (0..9).flat_map(|i| (0..25).map(move |square| (i, square))) {
        let (here, there) = (i * 25 + square, i * 25 + square / 5 * 5 + 4 - square % 5);
        assert_eq!(plain.1[here], mirrored.1[there]);
        close(&plain.0[3 * here..][..3], &mirrored.0[3 * there..][..3]);
    }
    close(&plain.2, &mirrored.2);
    close(&plain.3, &mirrored.3);
    assert_eq!(plain.4.len(), 3);
    close(&plain.4, &mirrored.4);
}

#[test]
fn losses_agree_with_plain_loops() {
    let params = TrainParams {
        batch_size: 9,
        ..with_heads()
    };
    let batch = batch_in_f64(&params);
    let heads = params.auxiliary.heads();
    let (network, auxiliary) = scrambled(&heads);
    let outputs = network.forward(&batch.squares, &batch.globals, Mode::Eval);
    let found = heads.forward(&auxiliary, &outputs, network.arch());
    let parts = values(&auxiliary_losses(&found, &batch, &params.auxiliary).parts);

    let get = |name: &str| values(auxiliary.get(name));
    let dense = |w: &[f64], b: &[f64], x: &[f64]| -> Vec<f64> {
        let rows = w.chunks(x.len()).zip(b);
        rows.map(|(w, b)| b + w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>())
            .collect()
    };
    let log_softmax = |z: &[f64]| -> Vec<f64> {
        let sum: f64 = z.iter().map(|z| z.exp()).sum();
        z.iter().map(|z| z - sum.ln()).collect()
    };
    let (trunk, pooled) = (values(&outputs.trunk), values(&outputs.pooled));
    let (holders, future_weight) = (values(&batch.future), values(&batch.future_weight));
    let at = |i: usize, square: usize| -> Vec<f64> {
        (0..8).map(|c| trunk[(i * 8 + c) * 25 + square]).collect()
    };
    let mut future = 0.0;
    for (i, weight) in future_weight.iter().enumerate() {
        for square in 0..25 {
            let z = dense(
                &get("aux.future.weight"),
                &get("aux.future.bias"),
                &at(i, square),
            );
            future -= log_softmax(&z)[holders[i * 25 + square] as usize] * weight / 25.0;
        }
    }
    let (wdl, weight) = (values(&batch.short_term), values(&batch.short_term_weight));
    assert!((weight.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    let mut short_term = 0.0;
    for i in 0..9 {
        let z = dense(
            &get("aux.short_term.weight"),
            &get("aux.short_term.bias"),
            &pooled[i * 16..][..16],
        );
        for t in 0..2 {
            let log = log_softmax(&z[3 * t..3 * t + 3]);
            let target = &wdl[(i * 2 + t) * 3..][..3];
            let sum: f64 = log.iter().zip(target).map(|(l, t)| l * t).sum();
            short_term -= sum * weight[i * 2 + t];
        }
    }
    // The soft policy: the same logits as the policy head's from its own tensors, a target of fourth roots.
    let (gather, layout) = (values(&batch.gather), values(&batch.layout));
    let (policy, policy_weight) = (values(&batch.policy), values(&batch.policy_weight));
    let moves = gather.len() / 2; // nothing is captured on the way in the toy game
    let width = layout.len() / 9;
    let row = |number: f64| -> Vec<f64> {
        let number = number as usize;
        let scale = 1.0 / 2.0; // 1 / sqrt(4)
        if number >= 9 * 25 * 4 {
            let i = number - 9 * 25 * 4;
            let z = dense(
                &get("aux.soft_drops.weight"),
                &get("aux.soft_drops.bias"),
                &pooled[i * 16..][..16],
            );
            return z.iter().map(|z| z * scale).collect();
        }
        let (part, square, i) = (number % 4, number / 4 % 25, number / 100);
        let z = dense(
            &get("aux.soft_policy.weight"),
            &get("aux.soft_policy.bias"),
            &at(i, square),
        );
        let factor = if part < 2 { scale } else { 1.0 };
        z[part * 4..part * 4 + 4]
            .iter()
            .map(|z| z * factor)
            .collect()
    };
    let mut soft_policy = 0.0;
    for (i, weight) in policy_weight.iter().enumerate() {
        let numbers: Vec<usize> = layout[i * width..][..width]
            .iter()
            .map(|&m| m as usize)
            .filter(|&m| m < moves)
            .collect();
        let logits: Vec<f64> = numbers
            .iter()
            .map(|&m| {
                let (query, key) = (row(gather[m]), row(gather[moves + m]));
                query.iter().zip(&key).map(|(q, k)| q * k).sum()
            })
            .collect();
        let roots: Vec<f64> = (0..numbers.len())
            .map(|j| policy[i * width + j].sqrt().sqrt())
            .collect();
        let sum: f64 = roots.iter().sum();
        let log = log_softmax(&logits);
        let cross: f64 = log.iter().zip(&roots).map(|(l, r)| l * r / sum).sum();
        soft_policy -= cross * weight;
    }
    for (found, expected) in parts.iter().zip([future, short_term, soft_policy]) {
        assert!(
            (found - expected).abs() < 1e-6,
            "{found} against {expected}"
        );
        assert!(*found > 0.1, "nothing to compare");
    }
}

#[test]
fn heads_learn_and_the_network_is_exported_without_them() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..8);
    let mut params = with_heads();
    params.schedule.learning_rate = 1e-2;
    params.optimiser.weight_decay = 0.0;
    let batch = toy_batch(run.path(), &params, 0);
    let mut state = TrainState::new(fresh::<Toy>(2));
    let (new, gone) = state.set_heads(params.auxiliary.heads(), 1).unwrap();
    assert_eq!((new.len(), gone.len()), (8, 0));
    let first = state.step(&batch, &params);
    let mut last = first;
    for _ in 0..300 {
        last = state.step(&batch, &params);
    }
    // Fresh heads know nothing: three classes, and values of which most are near even.
    assert!((first.future - 3f64.ln()).abs() < 0.05, "{first:?}");
    assert!((first.short_term - 3f64.ln()).abs() < 0.05, "{first:?}");
    assert!(last.future < 0.3 * first.future, "{last:?}");
    assert!(last.short_term < 0.8 * first.short_term, "{last:?}");
    assert!(last.soft_policy < first.soft_policy, "{last:?}");
    let averaged = state.averaged().unwrap();
    let names: Vec<String> = layout::tensors(&small_arch(), averaged.spec())
        .into_iter()
        .map(|tensor| tensor.name)
        .collect();
    assert_eq!(averaged.weights.0.len(), names.len());
    assert!(
        names
            .iter()
            .all(|name| averaged.weights.0.contains_key(name))
    );
}

/// Trains until `goal`, or stops at `stop_at`; the notes.
fn train(run: &Path, params: &TrainParams, goal: u64, stop_at: u64) -> Vec<String> {
    let trained = train_until(run, params, Steps::Until(goal), None, stop_at);
    trained.unwrap().1
}

#[test]
fn stopping_in_the_middle_changes_nothing() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let params = TrainParams {
        micro_batch: 7,
        ..with_heads()
    };
    for run in [&one, &two] {
        toy_run(run.path(), 0..10);
    }
    train(one.path(), &params, 40, u64::MAX);
    train(two.path(), &params, 40, 20);
    train(two.path(), &params, 40, u64::MAX);
    let dirs = [one.path(), two.path()].map(|run| checkpoint_path(run, 40));
    for name in ["model", "average", "optimiser", "auxiliary"] {
        let [a, b] = dirs
            .each_ref()
            .map(|dir| fs::read(dir.join(format!("{name}.safetensors"))));
        assert!(a.unwrap() == b.unwrap(), "{name} differs");
    }
}

#[test]
fn heads_come_and_go_in_the_middle_of_a_run() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..10);
    let manifest =
        |step| fs::read_to_string(checkpoint_path(run.path(), step).join("manifest.toml"));
    train(run.path(), &small_params(), 5, u64::MAX);
    // Without heads a checkpoint is what it was before there were any.
    assert!(!manifest(5).unwrap().contains("heads"));
    assert!(
        !checkpoint_path(run.path(), 5)
            .join("auxiliary.safetensors")
            .exists()
    );
    let notes = train(run.path(), &with_heads(), 10, u64::MAX).join("\n");
    assert!(
        notes.contains("aux.future.weight") && notes.contains("start fresh"),
        "{notes}"
    );
    let fewer = TrainParams {
        auxiliary: AuxiliaryParams {
            future: 0.0,
            ..all_heads()
        },
        ..small_params()
    };
    let notes = train(run.path(), &fewer, 15, u64::MAX).join("\n");
    assert!(
        notes.contains("aux.future.bias, aux.future.weight are dropped"),
        "{notes}"
    );
    assert!(!notes.contains("start fresh"), "{notes}");
    let (_, state) = trainer::load_checkpoint::<Toy>(
        &checkpoint_path(run.path(), 15),
        network::tch::Device::Cpu,
    )
    .unwrap();
    assert_eq!(state.heads, fewer.auxiliary.heads());
    let manifest = trainer::save_network::<Toy>(run.path(), 1).unwrap();
    let weights = inference::Weights::read(&run.path().join("networks/000001"));
    assert!(weights.is_ok(), "the exported network reads: {manifest:?}");
    let bytes = fs::read(run.path().join("networks/000001/model.safetensors")).unwrap();
    assert!(
        Weights::from_safetensors(&bytes)
            .unwrap()
            .0
            .keys()
            .all(|n| !n.starts_with("aux."))
    );
    // A damaged file of heads is named.
    let file = checkpoint_path(run.path(), 15).join("auxiliary.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    let error = trainer::load_checkpoint::<Toy>(
        &checkpoint_path(run.path(), 15),
        network::tch::Device::Cpu,
    )
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("auxiliary.safetensors") && error.contains("damaged"),
        "{error}"
    );
}

#[test]
fn settings_out_of_range_are_named() {
    let check = |auxiliary: AuxiliaryParams| auxiliary.check().unwrap_err();
    assert_eq!(
        check(AuxiliaryParams {
            future: -1.0,
            ..Default::default()
        }),
        "train.auxiliary.future = -1, must be at least 0"
    );
    let error = check(AuxiliaryParams {
        short_term_plies: vec![3, 0],
        ..Default::default()
    });
    assert!(error.contains("short_term_plies = [3, 0]"), "{error}");
    let error = check(AuxiliaryParams {
        soft_policy_temperature: 0.5,
        ..Default::default()
    });
    assert!(error.contains("soft_policy_temperature = 0.5"), "{error}");
}

/// The losses of the network itself do not change when heads are there.
#[test]
fn heads_leave_the_other_losses_alone() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..6);
    let params = with_heads();
    let batch = toy_batch(run.path(), &params, 0);
    let network = fresh::<Toy>(1);
    let outputs = network.forward(&batch.squares, &batch.globals, Mode::Train);
    let expected = values(&losses(&outputs, &batch, &params.loss).parts);
    let mut state = TrainState::new(network);
    state.set_heads(params.auxiliary.heads(), 1).unwrap();
    let stats = state.step(&batch, &params);
    assert_eq!(
        [stats.policy, stats.wdl, stats.moves_left, stats.accuracy].to_vec(),
        expected
    );
    let sum = stats.policy
        + stats.wdl
        + 0.1 * stats.moves_left
        + 0.3 * stats.future
        + 0.5 * stats.short_term
        + 0.7 * stats.soft_policy;
    assert!((stats.total - sum).abs() < 1e-5, "{stats:?}");
    assert_eq!(Toy::GAME, "toy");
}
