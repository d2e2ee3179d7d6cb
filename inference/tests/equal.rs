//! The exported network gives what `docs/network.md` says, on both run-times and at any batch size.

mod common;

use common::{Net, architecture, reference, spec};
use inference::{Backend, Documentation, OnnxFile, Precision, RawOutput, Runtime, Trunk};

const FULL: usize = 16;

fn backends(net: &Net, precision: Precision) -> Vec<Box<dyn Backend>> {
    let dir = tempfile::tempdir().unwrap();
    net.write(dir.path());
    let documentation = Documentation {
        precision,
        ..net.documentation()
    };
    let bytes = inference::build_model(dir.path(), &net.table, &documentation, &[]).unwrap();
    let path = dir.path().join("net.onnx");
    std::fs::write(&path, bytes).unwrap();
    let file = OnnxFile::open(&path).unwrap();
    let mut list = vec![file.backend(Runtime::Tract, 1).unwrap()];
    match inference::library() {
        Ok(_) => list.push(file.backend(Runtime::OnnxRuntime, 1).unwrap()),
        Err(reason) => eprintln!("tested without ONNX Runtime: {reason}"),
    }
    list
}

fn compare(name: &str, expected: &[f32], found: &[f32]) {
    assert_eq!(expected.len(), found.len(), "{name}");
    for (i, (e, f)) in expected.iter().zip(found).enumerate() {
        assert!(
            (e - f).abs() <= 1e-4 * e.abs().max(1.0),
            "{name}[{i}]: expected {e}, found {f}"
        );
    }
}

fn agrees(net: &Net) {
    let (squares, globals) = net.input(FULL, 99);
    let expected = reference::forward(net, FULL, &squares, &globals);
    let (s, g) = (net.spec.cells(), net.spec.globals);
    for mut backend in backends(net, Precision::F32) {
        let mut out = RawOutput::default();
        for batch in [1, 2, 7, FULL, 1] {
            let mut all = RawOutput::default();
            for start in (0..FULL).step_by(batch) {
                let n = batch.min(FULL - start);
                backend
                    .forward(
                        n,
                        &squares[start * s..(start + n) * s],
                        &globals[start * g..(start + n) * g],
                        &mut out,
                    )
                    .unwrap();
                all.policy.extend(&out.policy);
                all.drops.extend(&out.drops);
                all.marks.extend(&out.marks);
                all.wdl_logits.extend(&out.wdl_logits);
                all.moves_left.extend(&out.moves_left);
            }
            let name = |part: &str| format!("{} batch {batch}: {part}", backend.describe());
            compare(&name("policy"), &expected.policy, &all.policy);
            compare(&name("drops"), &expected.drops, &all.drops);
            compare(&name("marks"), &expected.marks, &all.marks);
            compare(&name("wdl"), &expected.wdl_logits, &all.wdl_logits);
            compare(&name("moves left"), &expected.moves_left, &all.moves_left);
        }
    }
}

#[test]
fn every_trunk_with_and_without_drops_and_marks_on_any_board() {
    for (k, trunk) in [Trunk::Gpool, Trunk::Se, Trunk::Plain]
        .into_iter()
        .enumerate()
    {
        for (j, (files, ranks, hands)) in [(5, 4, 0), (4, 6, 3), (9, 9, 7)].into_iter().enumerate()
        {
            agrees(&Net::arbitrary(
                architecture(trunk),
                spec(files, ranks, hands),
                (10 * k + j) as u64,
            ));
        }
    }
}

#[test]
fn channels_that_fill_vector_registers() {
    for trunk in [Trunk::Gpool, Trunk::Se] {
        let mut architecture = architecture(trunk);
        architecture.channels = 16;
        architecture.policy_dim = 8;
        agrees(&Net::arbitrary(architecture, spec(16, 16, 0), 5));
    }
}

#[test]
fn layers_of_codes_add_up() {
    let spec = encoding::InputSpec {
        layers: 3,
        ..spec(5, 4, 1)
    };
    agrees(&Net::arbitrary(architecture(Trunk::Gpool), spec, 8));
}

#[test]
fn smallest_network() {
    let mut architecture = architecture(Trunk::Plain);
    (
        architecture.channels,
        architecture.blocks,
        architecture.policy_dim,
        architecture.value_channels,
    ) = (1, 1, 1, 1);
    agrees(&Net::arbitrary(architecture, spec(3, 3, 1), 1));
}

/// Rounds to 11 significant bits, as half precision does within its range.
fn half(v: f32) -> f32 {
    let unit = 2f32.powi(v.abs().max(2f32.powi(-14)).log2().floor() as i32 - 10);
    (v / unit).round_ties_even() * unit
}

/// What the weights of a file with reduced precision mean, computed on its f32 twin: the graph's own nodes must give the
/// same numbers.
#[test]
fn reduced_precision_keeps_rounded_weights_and_computes_in_f32() {
    for precision in [Precision::F16, Precision::Int8] {
        let mut architecture = architecture(Trunk::Se);
        architecture.blocks = 2;
        let mut net = Net::arbitrary(architecture, spec(5, 4, 2), 3);
        // Neutral batch norms, so that the folded weights are the weights of the file, rounded or not.
        for (name, (_, values)) in &mut net.tensors {
            if name.contains("norm") {
                let one = name.ends_with("weight") || name.ends_with("running_var");
                // sqrt(1 - eps + eps) = 1.
                let value = if name.ends_with("running_var") {
                    1.0 - 1e-5
                } else {
                    1.0
                };
                values.fill(if one { value } else { 0.0 });
            }
        }
        net.architecture.policy_dim = 4; // 1 / sqrt(4) scales without rounding
        let d = net.architecture.policy_dim;
        let (c, hands) = (net.architecture.channels, net.spec.hand_kinds);
        let mut resize = |name: &str, shape: Vec<usize>| {
            let (old, values) = net.tensors.get_mut(name).unwrap();
            values.truncate(shape.iter().product());
            *old = shape;
        };
        resize("policy.out.weight", vec![4 * d, c, 1, 1]);
        resize("policy.out.bias", vec![4 * d]);
        resize("drops.weight", vec![hands * d, 2 * c]);
        resize("drops.bias", vec![hands * d]);
        let mut rounded = Net {
            architecture: net.architecture.clone(),
            spec: net.spec.clone(),
            tensors: net.tensors.clone(),
            table: net.table.clone(),
        };
        // The plane table selects and adds rows of the stem; with one plane a code its rows are those of `embed`.
        for table in [&mut net.table, &mut rounded.table] {
            for (i, value) in table.iter_mut().enumerate() {
                *value = f32::from(i % 7 == i / 7 % 7);
            }
        }
        for (name, (shape, values)) in &mut rounded.tensors {
            let exact = name.contains("norm") || name.ends_with("bias");
            // The linear part of the value is kept in full precision.
            if exact || name.starts_with("value.linear") {
                continue;
            }
            if precision == Precision::Int8 && shape.len() == 4 && shape[3] == 3 {
                let fan = shape[1..].iter().product();
                for row in values.chunks_mut(fan) {
                    let factor = row.iter().fold(0f32, |m, v| m.max(v.abs())) / 127.0;
                    row.iter_mut()
                        .for_each(|v| *v = (*v / factor).round() * factor);
                }
            } else {
                values.iter_mut().for_each(|v| *v = half(*v));
            }
        }
        let (squares, globals) = net.input(FULL, 4);
        let expected = reference::forward(&rounded, FULL, &squares, &globals);
        for mut backend in backends(&net, precision) {
            let mut out = RawOutput::default();
            backend.forward(FULL, &squares, &globals, &mut out).unwrap();
            let name = |part: &str| format!("{} {precision}: {part}", backend.describe());
            compare(&name("policy"), &expected.policy, &out.policy);
            compare(&name("drops"), &expected.drops, &out.drops);
            compare(&name("marks"), &expected.marks, &out.marks);
            compare(&name("wdl"), &expected.wdl_logits, &out.wdl_logits);
            compare(&name("moves left"), &expected.moves_left, &out.moves_left);
        }
    }
}
