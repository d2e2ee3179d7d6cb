//! The exported network gives what `docs/network.md` says, on both run-times and at any batch size.

mod common;

use common::{Net, architecture, reference, spec};
use inference::{Backend, OnnxFile, RawOutput, Runtime, Trunk};

const FULL: usize = 16;

fn backends(net: &Net) -> Vec<Box<dyn Backend>> {
    let dir = tempfile::tempdir().unwrap();
    net.write(dir.path());
    let bytes = inference::build_model(dir.path(), &net.table, &net.documentation(), &[]).unwrap();
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
    let (s, g) = (net.spec.squares(), net.spec.globals);
    for mut backend in backends(net) {
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
                all.wdl_logits.extend(&out.wdl_logits);
                all.moves_left.extend(&out.moves_left);
            }
            let name = |part: &str| format!("{} batch {batch}: {part}", backend.describe());
            compare(&name("policy"), &expected.policy, &all.policy);
            compare(&name("drops"), &expected.drops, &all.drops);
            compare(&name("wdl"), &expected.wdl_logits, &all.wdl_logits);
            compare(&name("moves left"), &expected.moves_left, &all.moves_left);
        }
    }
}

#[test]
fn every_trunk_with_and_without_drops_on_any_board() {
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
