//! Stopping and going on changes nothing, and what cannot be gone on from is refused with words.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use inference::Architecture;
use trainer::{Job, OptimiserKind, Steps, TrainParams, TrainReport, checkpoint_path};

mod common;
use common::{Toy, ToyRules, small_arch, small_params, toy_run};

fn train_until(
    run: &Path,
    params: &TrainParams,
    steps: Steps,
    stop_at: u64,
) -> Result<TrainReport, String> {
    common::train_until(run, params, steps, Some(1), stop_at).map(|(report, _)| report)
}

fn assert_same_files(a: &Path, b: &Path) {
    for name in [
        "model.safetensors",
        "average.safetensors",
        "optimiser.safetensors",
        "manifest.toml",
    ] {
        assert!(
            fs::read(a.join(name)).unwrap() == fs::read(b.join(name)).unwrap(),
            "{name} differs"
        );
    }
}

#[test]
fn two_hundred_steps_are_a_hundred_and_a_hundred() {
    for kind in [OptimiserKind::Adamw, OptimiserKind::Sgd] {
        let mut params = small_params();
        params.optimiser.kind = kind;
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        toy_run(one.path(), 0..12);
        toy_run(two.path(), 0..12);
        let whole = train_until(one.path(), &params, Steps::Until(200), u64::MAX).unwrap();
        assert_eq!(
            (whole.first_step, whole.step, whole.stopped),
            (0, 200, false)
        );

        let first = train_until(two.path(), &params, Steps::Until(200), 100).unwrap();
        assert_eq!(
            (first.first_step, first.step, first.stopped),
            (0, 100, true)
        );
        // Files that come in between don't matter: the interrupted call goes on with its own.
        common::write(
            two.path(),
            "b",
            (50..53)
                .map(|i| common::random_game::<Toy>(i, 30, 0.5))
                .collect(),
        );
        let second = train_until(two.path(), &params, Steps::Until(200), u64::MAX).unwrap();
        assert_eq!(
            (second.first_step, second.step, second.stopped),
            (100, 200, false)
        );
        assert_same_files(
            &checkpoint_path(one.path(), 200),
            &checkpoint_path(two.path(), 200),
        );
    }
}

#[test]
fn a_repeated_call_of_a_generation_trains_no_more() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let params = small_params();
    assert_eq!(
        train_until(run.path(), &params, Steps::More(20), 10)
            .unwrap()
            .step,
        10
    );
    assert_eq!(
        train_until(run.path(), &params, Steps::More(20), u64::MAX)
            .unwrap()
            .step,
        20
    );
    let again = train_until(run.path(), &params, Steps::More(20), u64::MAX).unwrap();
    assert_eq!((again.first_step, again.step), (20, 20));
    assert_eq!(again.checkpoint, Some(checkpoint_path(run.path(), 20)));
}

#[test]
fn data_decide_the_steps() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let params = TrainParams {
        samples_per_position: 2.0,
        ..small_params()
    };
    let total: u64 = records::Dataset::open(run.path(), &records::Shape::of::<Toy>())
        .unwrap()
        .total_positions();
    let report = train_until(run.path(), &params, Steps::ByData, u64::MAX).unwrap();
    assert_eq!(report.step, 2 * total / 16);
    assert_eq!(
        train_until(run.path(), &params, Steps::ByData, u64::MAX)
            .unwrap()
            .first_step,
        report.step
    );
}

#[test]
fn only_the_newest_checkpoints_stay() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let params = TrainParams {
        checkpoint_every: 2,
        keep_checkpoints: 2,
        ..small_params()
    };
    train_until(run.path(), &params, Steps::Until(9), u64::MAX).unwrap();
    assert_eq!(trainer::checkpoints(run.path()).unwrap(), [8, 9]);
    let mut names: Vec<_> = fs::read_dir(run.path().join("checkpoints"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["0000008", "0000009"]);
}

#[test]
fn damaged_checkpoints_are_named() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let params = TrainParams {
        checkpoint_every: 2,
        ..small_params()
    };
    train_until(run.path(), &params, Steps::Until(4), u64::MAX).unwrap();
    let dir = checkpoint_path(run.path(), 4);
    let fails = |name: &str, bytes: Option<Vec<u8>>| {
        let path = dir.join(name);
        let good = fs::read(&path).unwrap();
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let error = train_until(run.path(), &params, Steps::Until(6), u64::MAX).unwrap_err();
        assert!(
            error.contains(name) && error.contains("move") && error.contains("0000004"),
            "{error}"
        );
        fs::write(&path, good).unwrap();
    };
    for name in [
        "model.safetensors",
        "average.safetensors",
        "optimiser.safetensors",
    ] {
        let mut flipped = fs::read(dir.join(name)).unwrap();
        *flipped.last_mut().unwrap() ^= 1;
        fails(name, Some(flipped));
        fails(
            name,
            Some(fs::read(dir.join(name)).unwrap()[..100].to_vec()),
        );
        fails(name, None);
    }
    fails("manifest.toml", Some(b"format = ".to_vec()));
    fails("manifest.toml", None);
    // Moved away, the one before it is used.
    fs::rename(&dir, run.path().join("checkpoints/bad")).unwrap();
    assert_eq!(
        train_until(run.path(), &params, Steps::Until(6), u64::MAX)
            .unwrap()
            .first_step,
        2
    );
}

#[test]
fn another_network_or_optimiser_is_refused() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let params = small_params();
    train_until(run.path(), &params, Steps::Until(2), u64::MAX).unwrap();
    let stop = AtomicBool::new(false);
    let architecture = Architecture {
        channels: 16,
        policy_dim: 8,
        ..small_arch()
    };
    let job = Job::<Toy> {
        run: run.path(),
        params: &params,
        architecture: &architecture,
        rules: &ToyRules,
        steps: Steps::Until(4),
        generation: None,
    };
    let error = trainer::train(&job, &mut trainer::Quiet, &stop)
        .unwrap_err()
        .to_string();
    for part in [
        "channels is 8, the config says 16",
        "policy_dim is 4, the config says 8",
        "--init-from",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(!error.contains("blocks"), "{error}");
    let mut other = params.clone();
    other.optimiser.kind = OptimiserKind::Sgd;
    let error = train_until(run.path(), &other, Steps::Until(4), u64::MAX).unwrap_err();
    assert!(error.contains("optimiser"), "{error}");
}

#[test]
fn a_network_of_other_sizes_is_refused() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let other = Architecture {
        blocks: 1,
        value_channels: 9,
        ..small_arch()
    };
    let network = network::Network::fresh::<Toy>(other, 1).unwrap();
    let dir = run.path().join("networks/000000");
    network::save_network(&dir, &network, &Default::default()).unwrap();
    let error = train_until(run.path(), &small_params(), Steps::Until(2), u64::MAX).unwrap_err();
    for part in [
        "networks/000000",
        "blocks is 1, the config says 2",
        "value_channels is 9, the config says 8",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(!error.contains("channels is 8"), "{error}");
}

/// A loss that overflows in every step: the last good checkpoint stays alone and as it was, and training goes on from it.
#[test]
fn divergence_leaves_the_good_checkpoint() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let good = small_params();
    train_until(run.path(), &good, Steps::Until(4), u64::MAX).unwrap();
    let file = checkpoint_path(run.path(), 4).join("model.safetensors");
    let before = fs::read(&file).unwrap();
    let mut bad = TrainParams {
        max_skips: 3,
        checkpoint_every: 1,
        keep_checkpoints: 1,
        micro_batch: 10,
        ..small_params()
    };
    bad.loss.wdl = 1e300;
    let error = train_until(run.path(), &bad, Steps::Until(20), u64::MAX).unwrap_err();
    assert!(
        error.contains("step 7") && error.contains("3 times in a row"),
        "{error}"
    );
    assert_eq!(trainer::checkpoints(run.path()).unwrap(), [4]);
    assert!(before == fs::read(&file).unwrap());
    let saved = run.path().join("bad-batches/0000007");
    let rows: serde_json::Value =
        serde_json::from_slice(&fs::read(saved.join("rows.json")).unwrap()).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 16);
    assert!(
        saved.join("batch.safetensors").is_file() && saved.join("batch-1.safetensors").is_file()
    );
    let report = train_until(run.path(), &good, Steps::Until(20), u64::MAX).unwrap();
    assert_eq!((report.first_step, report.step, report.skipped), (4, 20, 0));
}

#[test]
fn a_checkpoint_of_another_encoding_is_refused() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    train_until(run.path(), &small_params(), Steps::Until(2), u64::MAX).unwrap();
    let path = checkpoint_path(run.path(), 2).join("manifest.toml");
    let text = fs::read_to_string(&path).unwrap();
    let changed = text
        .replace("planes = 4", "planes = 5")
        .replace("game = \"toy\"", "game = \"go\"");
    assert_ne!(changed, text);
    fs::write(&path, changed).unwrap();
    let error = train_until(run.path(), &small_params(), Steps::Until(4), u64::MAX).unwrap_err();
    for part in [
        "game is go, expected toy",
        "planes is 5, expected 4",
        "--init-from",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(!error.contains("files is"), "{error}");
}

#[test]
fn a_larger_network_begins_with_what_fits() {
    let source = tempfile::tempdir().unwrap();
    toy_run(source.path(), 0..5);
    train_until(source.path(), &small_params(), Steps::Until(3), u64::MAX).unwrap();
    let dir = checkpoint_path(source.path(), 3);
    let architecture = Architecture {
        blocks: 3,
        value_channels: 9,
        ..small_arch()
    };
    let (network, adopted) = trainer::init_from::<Toy>(&dir, &architecture, 1).unwrap();
    let average =
        network::Weights::from_safetensors(&fs::read(dir.join("average.safetensors")).unwrap())
            .unwrap();
    assert_eq!(
        network.weights.get("stem.weight"),
        average.get("stem.weight")
    );
    assert!(
        adopted
            .copied
            .contains(&"blocks.1.conv2.weight".to_string())
    );
    let value = [
        "value.fc1.weight",
        "value.fc1.bias",
        "value.wdl.weight",
        "value.moves_left.weight",
    ];
    assert_eq!(
        adopted
            .initialised
            .iter()
            .filter(|name| name.starts_with("value."))
            .collect::<Vec<_>>(),
        value.iter().collect::<Vec<_>>()
    );
    assert_eq!(
        adopted
            .initialised
            .iter()
            .filter(|name| name.starts_with("blocks.2."))
            .count(),
        10
    );
    assert_eq!(adopted.initialised.len(), 14);
    assert_eq!(adopted.dropped.len(), 4);

    let empty = tempfile::tempdir().unwrap();
    let error = trainer::init_from::<Toy>(empty.path(), &architecture, 1)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no network or checkpoint"), "{error}");
}

#[test]
fn without_data_it_says_what_was_looked_for() {
    let params = small_params();
    let dir = tempfile::tempdir().unwrap();
    for run in [dir.path().join("nothing"), dir.path().to_path_buf()] {
        let error = train_until(&run, &params, Steps::Until(1), u64::MAX).unwrap_err();
        assert!(error.contains(run.to_str().unwrap()), "{error}");
    }
    assert!(!dir.path().join("checkpoints").exists());
    // Too few rows for a batch.
    let few = tempfile::tempdir().unwrap();
    toy_run(few.path(), 0..1);
    let large = TrainParams {
        batch_size: 1000,
        ..small_params()
    };
    let error = train_until(few.path(), &large, Steps::Until(1), u64::MAX).unwrap_err();
    assert!(
        error.contains(few.path().to_str().unwrap())
            && error.contains("to train on, train.batch_size = 1000")
            && error.contains("play or import more games"),
        "{error}"
    );
    // Too few for one step.
    let rarely = TrainParams {
        samples_per_position: 0.01,
        batch_size: 4,
        ..small_params()
    };
    let error = train_until(few.path(), &rarely, Steps::ByData, u64::MAX).unwrap_err();
    assert!(
        error.contains("train.samples_per_position = 0.01"),
        "{error}"
    );
    // Rows of another game.
    let other = tempfile::tempdir().unwrap();
    let games = (0..2).map(|i| common::random_game::<rules::shogi::Shogi>(i, 20, 1.0));
    common::write_game::<rules::shogi::Shogi>(other.path(), "a", games.collect());
    let error = train_until(other.path(), &small_params(), Steps::Until(1), u64::MAX).unwrap_err();
    for part in ["for toy", "shogi", "0 good files", "1 refused"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    // Games without searches.
    let played = tempfile::tempdir().unwrap();
    let games = (0..2).map(|i| common::random_game::<Toy>(i, 20, 0.0));
    common::write(played.path(), "a", games.collect());
    let error = train_until(played.path(), &small_params(), Steps::Until(1), u64::MAX).unwrap_err();
    assert!(
        error.contains("no position with a policy target") && error.contains("train.imitate"),
        "{error}"
    );
    let mut imitating = small_params();
    imitating.imitate = trainer::Imitate::All;
    imitating.window.policy_only = false;
    imitating.window.validation_share = 0.0;
    let report = train_until(played.path(), &imitating, Steps::Until(3), u64::MAX).unwrap();
    assert!(report.last.is_none_or(|last| last.policy > 0.0));
    let wrong = TrainParams {
        batch_size: 0,
        ..params
    };
    let error = train_until(dir.path(), &wrong, Steps::Until(1), u64::MAX).unwrap_err();
    assert_eq!(error, "train.batch_size = 0, must be between 1 and 65536");
}

#[test]
fn the_average_becomes_the_network() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..5);
    let error = trainer::save_network::<Toy>(run.path(), 1)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no checkpoint"), "{error}");
    train_until(run.path(), &small_params(), Steps::Until(3), u64::MAX).unwrap();
    let first = trainer::save_network::<Toy>(run.path(), 1).unwrap();
    let saved = fs::read(run.path().join("networks/000001/model.safetensors")).unwrap();
    assert_eq!(
        saved,
        fs::read(checkpoint_path(run.path(), 3).join("average.safetensors")).unwrap()
    );
    assert_eq!(
        (first.generation, first.step, first.rules.as_str()),
        (Some(1), 3, "plain")
    );
    train_until(run.path(), &small_params(), Steps::Until(6), u64::MAX).unwrap();
    assert_eq!(
        trainer::save_network::<Toy>(run.path(), 2).unwrap().parent,
        first.hash
    );
}
