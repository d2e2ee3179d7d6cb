//! The exported file against libtorch, on both run-times, for positions from games of both games.
//!
//! `EXPORT_POSITIONS=1000` compares that many positions (default 40); `EXPORT_NETWORK=DIR` takes a network of your own for
//! its game; with `--nocapture` the differences are printed.

use encoding::Encoded;
use inference::{
    Architecture, Canary, Documentation, Manifest, OnnxFile, Precision, Report, Runtime, Trunk,
    check_answers, fresh, make_canaries,
};
use network::tch::Device;
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use std::path::{Path, PathBuf};

fn positions() -> usize {
    std::env::var("EXPORT_POSITIONS").map_or(40, |n| n.parse().unwrap())
}

/// The user's network folder, if it is for the game.
fn own<P: Encoded>() -> Option<PathBuf> {
    let own = PathBuf::from(std::env::var("EXPORT_NETWORK").ok()?);
    (Manifest::read(&own).unwrap().input.game == P::GAME).then_some(own)
}

/// A network folder for the game, arbitrary unless the user has one.
fn network<P: Encoded>(dir: &Path, trunk: Trunk) -> PathBuf {
    if let Some(own) = own::<P>() {
        return own;
    }
    let architecture = Architecture {
        channels: 16,
        blocks: 2,
        trunk,
        policy_dim: 8,
        value_channels: 16,
    };
    let weights = fresh::arbitrary_weights(&architecture, &encoding::spec::<P>(), 11);
    fresh::write_loose_network::<P>(dir, &architecture, &weights).unwrap();
    dir.to_path_buf()
}

fn truth<P: Encoded>(folder: &Path, n: usize) -> Vec<Canary> {
    let mut original = network::open_evaluator::<P>(folder, Device::Cpu).unwrap();
    make_canaries::<P>(&P::Rules::default(), &mut original, n, 77).unwrap()
}

fn exported<P: Encoded>(folder: &Path, out: &Path, precision: Precision) -> OnnxFile {
    let documentation = Documentation {
        plane_names: P::plane_names(),
        global_names: P::global_names(),
        mark_names: P::mark_names(),
        rating: None,
        precision,
    };
    let bytes = inference::build_model(folder, &P::plane_table(), &documentation, &[]).unwrap();
    std::fs::write(out, bytes).unwrap();
    OnnxFile::open(out).unwrap()
}

/// The differences on each run-time that is there, at these batch sizes.
fn differences(file: &OnnxFile, truth: &[Canary], batches: &[usize]) -> Vec<Report> {
    let tolerance = file.metadata().precision.tolerance();
    let mut reports = Vec::new();
    for runtime in [Runtime::OnnxRuntime, Runtime::Tract] {
        if runtime == Runtime::OnnxRuntime
            && let Err(reason) = inference::library()
        {
            eprintln!("without ONNX Runtime: {reason}");
            continue;
        }
        let mut backend = file.backend(runtime, 1).unwrap();
        for &batch in batches {
            let report = check_answers(truth, tolerance, backend.as_mut(), batch).unwrap();
            println!(
                "{} {} batch {batch}: {report:?}",
                file.metadata().input.game,
                backend.describe()
            );
            reports.push(report);
        }
    }
    reports
}

fn equal<P: Encoded>(trunk: Trunk) {
    let dir = tempfile::tempdir().unwrap();
    let folder = network::<P>(dir.path(), trunk);
    let truth = truth::<P>(&folder, positions());
    let file = exported::<P>(&folder, &dir.path().join("net.onnx"), Precision::F32);
    for report in differences(&file, &truth, &[1, 2, 7, truth.len()]) {
        assert_eq!(report.positions, truth.len());
        assert!(report.policy <= 1e-4 && report.wdl <= 1e-4, "{report:?}");
        assert!(report.moves_left <= 1e-4, "{report:?}");
    }
}

#[test]
fn tenjiku_exported_is_the_original_at_batch_1_2_odd_and_full() {
    equal::<Tenjiku>(Trunk::Gpool);
}

#[test]
fn shogi_exported_is_the_original_at_batch_1_2_odd_and_full() {
    equal::<Shogi>(Trunk::Se);
}

#[test]
fn less_precision_costs_size_for_a_little_error() {
    let dir = tempfile::tempdir().unwrap();
    // A trained network: most arbitrary ones are so sharp that eight bits change a move's probability by more than an
    // export may.
    let folder = own::<Tenjiku>()
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../networks/tenjiku"));
    let truth = truth::<Tenjiku>(&folder, positions());
    let mut last: Option<(usize, f32)> = None;
    for precision in Precision::ALL {
        let file = exported::<Tenjiku>(&folder, &dir.path().join("net.onnx"), precision);
        let bytes = file.bytes().len();
        println!("{precision}: {bytes} bytes");
        let worst = differences(&file, &truth, &[truth.len()])
            .into_iter()
            .map(|report| report.policy_kl)
            .fold(0.0, f32::max);
        if let Some((larger, better)) = last {
            assert!(bytes < larger, "{precision}: {bytes} of {larger}");
            assert!(worst > better, "{precision}: {worst} after {better}");
        }
        last = Some((bytes, worst));
    }
}
