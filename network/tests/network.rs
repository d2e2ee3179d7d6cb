//! The network against a naive reference, its symmetry, its files, and its bad inputs.

use inference::{Architecture, Backend, Manifest, RawOutput, Trunk, layout};
use network::tch::{Device, Tensor};
use network::{
    Cost, Mode, Network, NetworkMeta, TorchBackend, Weights, load_network, save_network,
};
use rules::tenjiku::Tenjiku;
use std::collections::BTreeMap;

mod reference;

const SQUARES: usize = 256;

fn arch(trunk: Trunk) -> Architecture {
    Architecture {
        channels: 6,
        blocks: 2,
        trunk,
        policy_dim: 3,
        value_channels: 5,
    }
}

/// Numbers in [0, 1) that look random, from a linear congruence.
fn noise(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// A network in which no tensor has its neutral starting value.
fn scrambled(trunk: Trunk) -> Network {
    let arch = arch(trunk);
    let spec = encoding::spec::<Tenjiku>();
    let mut noise = noise(7);
    let weights = layout::tensors(&arch, &spec).into_iter().map(|tensor| {
        let n: usize = tensor.shape.iter().product();
        let shape: Vec<i64> = tensor.shape.iter().map(|&d| d as i64).collect();
        let variance = tensor.name.ends_with("running_var");
        // Its inputs are numbers of squares.
        let size = match tensor.name.as_str() {
            "value.linear.weight" => 0.01,
            _ => 0.8,
        };
        let values: Vec<f32> = (0..n)
            .map(|_| {
                if variance {
                    0.5 + noise()
                } else {
                    (noise() - 0.5) * size
                }
            })
            .collect();
        (tensor.name, Tensor::from_slice(&values).reshape(shape))
    });
    Network::new::<Tenjiku>(arch, Weights(weights.collect::<BTreeMap<_, _>>())).unwrap()
}

fn inputs(n: usize) -> (Vec<u8>, Vec<f32>) {
    let spec = encoding::spec::<Tenjiku>();
    let mut noise = noise(3);
    let squares = (0..n * spec.cells())
        .map(|_| {
            if noise() < 0.5 {
                0
            } else {
                (noise() * spec.codes as f32) as u8
            }
        })
        .collect();
    (squares, (0..n * spec.globals).map(|_| noise()).collect())
}

fn raw(network: &Network, n: usize, squares: &[u8], globals: &[f32]) -> RawOutput {
    let mut out = RawOutput::default();
    TorchBackend::new(network.with_weights(network.weights.clone()).unwrap())
        .forward(n, squares, globals, &mut out)
        .unwrap();
    out
}

fn values(t: &Tensor) -> Vec<f32> {
    Vec::<f32>::try_from(t.contiguous().view(-1)).unwrap()
}

#[track_caller]
fn assert_close(a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(
            (a - b).abs() <= tolerance * (1.0 + b.abs()),
            "value {i}: {a} against {b}"
        );
    }
}

#[test]
fn agrees_with_loops_over_plain_arrays() {
    let (squares, globals) = inputs(2);
    for trunk in [Trunk::Plain, Trunk::Gpool, Trunk::Se] {
        let network = scrambled(trunk);
        let out = raw(&network, 2, &squares, &globals);
        let expected = reference::forward::<Tenjiku>(&network, 2, &squares, &globals);
        assert_close(&out.policy, &expected.policy, 1e-4);
        assert!(out.drops.is_empty());
        assert_close(&out.marks, &expected.marks, 1e-4);
        assert_close(&out.wdl_logits, &expected.wdl_logits, 1e-4);
        assert_close(&out.moves_left, &expected.moves_left, 1e-4);
    }
}

#[test]
fn one_position_gives_the_same_alone_and_in_a_batch() {
    let (squares, globals) = inputs(3);
    let network = scrambled(Trunk::Gpool);
    let all = raw(&network, 3, &squares, &globals);
    let (s, g) = (squares.len() / 3, globals.len() / 3);
    let one = raw(&network, 1, &squares[s..2 * s], &globals[g..2 * g]);
    assert_close(
        &one.policy,
        &all.policy[one.policy.len()..2 * one.policy.len()],
        1e-5,
    );
    assert_close(&one.wdl_logits, &all.wdl_logits[3..6], 1e-5);
}

#[test]
fn symmetric_kernels_make_the_mirror_a_symmetry() {
    let (squares, globals) = inputs(1);
    let mut network = scrambled(Trunk::Gpool);
    for (_, t) in network
        .weights
        .0
        .iter_mut()
        .filter(|(_, t)| t.size().len() == 4)
    {
        *t = (&*t + t.flip([3])) / 2.0; // kernels symmetric from file to file
    }
    let spec = network.spec().clone();
    let mut mirrored = squares.clone();
    encoding::mirror_squares(&spec, &mut mirrored);
    let (a, b) = (
        raw(&network, 1, &squares, &globals),
        raw(&network, 1, &mirrored, &globals),
    );
    assert_ne!(a.policy, b.policy);
    let each = a.policy.len() / SQUARES;
    for square in 0..SQUARES {
        let other = encoding::mirror_square(&spec, square);
        assert_close(
            &a.policy[square * each..][..each],
            &b.policy[other * each..][..each],
            1e-4,
        );
    }
    assert_close(&a.wdl_logits, &b.wdl_logits, 1e-4);
    assert_close(&a.moves_left, &b.moves_left, 1e-4);
}

#[test]
fn training_uses_the_batch_and_moves_the_statistics_a_tenth() {
    let (squares, globals) = inputs(4);
    let network = scrambled(Trunk::Plain);
    let before = network.weights.copy(Device::Cpu);
    let squares = Tensor::from_slice(&squares).reshape([4, -1]);
    let globals = Tensor::from_slice(&globals).reshape([4, -1]);
    let out = network.forward(&squares, &globals, Mode::Train);
    assert_eq!(out.running.len(), 2 * 6);
    for (name, t) in &before.0 {
        assert_eq!(
            t,
            network.weights.get(name),
            "{name} was changed by a forward pass"
        );
    }
    // moved = 0.9 * before + 0.1 * batch, the variance over N * S values with N * S - 1 in the denominator; those of the
    // linear part of the value, which sees sums over the board, over N values. So the
    // batch's statistics follow, and with them the eval pass must say what the training pass said.
    let mut weights = before.copy(Device::Cpu);
    for (name, moved) in &out.running {
        let batch = (moved - before.get(name) * 0.9) / 0.1;
        let count = if name.starts_with("value.linear") {
            4.0
        } else {
            4.0 * SQUARES as f64
        };
        let batch = if name.ends_with("var") {
            batch * ((count - 1.0) / count)
        } else {
            batch
        };
        weights.0.insert(name.clone(), batch);
    }
    let eval = network
        .with_weights(weights)
        .unwrap()
        .forward(&squares, &globals, Mode::Eval);
    assert_close(&values(&eval.policy), &values(&out.policy), 1e-3);
    assert_close(&values(&eval.wdl_logits), &values(&out.wdl_logits), 1e-3);
    assert!(
        network
            .forward(&squares, &globals, Mode::Eval)
            .running
            .is_empty()
    );
}

#[test]
fn fresh_weights_depend_on_the_seed_alone() {
    let fresh = |seed| {
        Network::fresh::<Tenjiku>(Architecture::default(), seed)
            .unwrap()
            .weights
    };
    network::tch::manual_seed(1);
    let a = fresh(5).to_safetensors().unwrap();
    network::tch::manual_seed(2);
    assert_eq!(a, fresh(5).to_safetensors().unwrap());
    assert_ne!(a, fresh(6).to_safetensors().unwrap());
}

#[test]
fn a_folder_round_trips_and_may_be_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("networks/000012");
    let network = scrambled(Trunk::Se);
    let meta = NetworkMeta {
        generation: Some(12),
        step: 4000,
        parent: "ab".into(),
        rules: "historical".into(),
    };
    let manifest = save_network(&path, &network, &meta).unwrap();
    assert_eq!(save_network(&path, &network, &meta).unwrap(), manifest);
    let (read, loaded) = load_network::<Tenjiku>(&path, Device::Cpu).unwrap();
    assert_eq!(read, manifest);
    assert_eq!(
        (read.generation, read.step, read.parent.as_str()),
        (Some(12), 4000, "ab")
    );
    assert_eq!(
        loaded.weights.to_safetensors().unwrap(),
        network.weights.to_safetensors().unwrap()
    );
    let error = save_network(&path, &scrambled(Trunk::Plain), &meta)
        .unwrap_err()
        .to_string();
    assert!(error.contains("another network"), "{error}");
    assert_eq!(
        std::fs::read_dir(dir.path().join("networks"))
            .unwrap()
            .count(),
        1,
        "temporary folders stay"
    );
}

#[test]
fn bad_folders_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path| {
        load_network::<Tenjiku>(path, Device::Cpu)
            .unwrap_err()
            .to_string()
    };
    let error = open(&dir.path().join("nothing"));
    assert!(
        error.contains("nothing") && error.contains("no such network folder"),
        "{error}"
    );

    let network = scrambled(Trunk::Plain);
    let make = |name: &str| {
        let path = dir.path().join(name);
        save_network(&path, &network, &NetworkMeta::default()).unwrap();
        path
    };
    let edit = |path: &std::path::Path, from: &str, to: &str| {
        let file = path.join(Manifest::FILE);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from} not in {text}");
        std::fs::write(file, text.replace(from, to)).unwrap();
    };

    let path = make("damaged");
    let file = path.join(Manifest::WEIGHTS);
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let error = open(&path);
    assert!(
        error.contains("model.safetensors") && error.contains("damaged"),
        "{error}"
    );

    let path = make("missing");
    std::fs::remove_file(path.join(Manifest::WEIGHTS)).unwrap();
    assert!(open(&path).contains("model.safetensors"));

    let path = make("encoding");
    edit(&path, "planes = ", "planes = 1");
    let error = open(&path);
    assert!(error.contains("planes is 1"), "{error}");

    let path = make("sizes");
    edit(&path, "value_channels = 5", "value_channels = 6");
    let error = open(&path);
    assert!(error.contains("value.fc1.weight"), "{error}");

    let mut weights = network.weights.copy(Device::Cpu);
    weights
        .0
        .insert("value.fc1.bias".into(), Tensor::from_slice(&[f32::NAN; 5]));
    let error = network.with_weights(weights).unwrap_err().to_string();
    assert!(
        error.contains("value.fc1.bias") && error.contains("not finite"),
        "{error}"
    );
}

#[test]
fn the_backend_refuses_wrong_input() {
    let (mut squares, globals) = inputs(1);
    let mut backend = TorchBackend::new(scrambled(Trunk::Plain));
    let mut out = RawOutput::default();
    assert!(backend.forward(2, &squares, &globals, &mut out).is_err());
    squares[9] = 255;
    let error = backend
        .forward(1, &squares, &globals, &mut out)
        .unwrap_err()
        .to_string();
    assert!(error.contains("255"), "{error}");
}

#[test]
fn costs_are_counted_by_hand() {
    let spec = encoding::spec::<Tenjiku>();
    let (p, g) = (spec.planes, spec.globals);
    let arch = Architecture {
        channels: 4,
        blocks: 1,
        trunk: Trunk::Plain,
        policy_dim: 2,
        value_channels: 3,
    };
    let cost = Cost::of(&spec, &arch);
    let stem = 4 * p + 4 * g + 4 + 4 * 16;
    let block = 2 * (4 * 4 * 9 + 8);
    let policy = 16 + 8 + 8 * 4 + 8;
    let linear = 3 * (p + g);
    let marks = 22 * 8;
    let value = 3 * 8 + 3 + 3 * 3 + 3 + 3 + 1 + linear;
    assert_eq!(cost.parameters, stem + block + policy + marks + 22 + value);
    let convolutions = 2 * 256 * (2 * 144 + 16 + 32);
    let heads = 4 * g + marks + 24 + 9 + 3 + linear;
    assert_eq!(cost.flops, convolutions + 2 * heads);
}

#[test]
fn devices_have_names() {
    assert_eq!(network::parse_device("cpu"), Ok(Device::Cpu));
    assert!(network::parse_device("auto").is_ok());
    assert!(network::parse_device("gpu").unwrap_err().contains("cuda:N"));
    assert!(network::parse_device("cuda:99").is_err());
}
