//! The replay window: size, sampling, splitting, memory, resuming.

use std::collections::BTreeMap;

use records::{ReplayWindow, Sampler, Shape, ShardLimits, ShardWriter, WindowParams};
use samples::{Toy, provenance, random_game, write_games};

fn shape() -> Shape {
    Shape::of::<Toy>()
}

#[test]
fn the_window_grows_by_a_power_law() {
    let params = WindowParams {
        min_positions: 250_000,
        max_positions: 5_000_000,
        ..WindowParams::default()
    };
    assert_eq!(params.size(0), 0);
    assert_eq!(params.size(100_000), 100_000);
    assert_eq!(params.size(250_000), 250_000);
    // N = 16 c: 16^0.75 = 8, so W = c (1 + 0.4 * 7 / 0.75) = c * 4.7333...
    assert_eq!(params.size(4_000_000), 1_183_333);
    // N = 256 c: 256^0.75 = 64, W = c (1 + 0.4 * 63 / 0.75) = 34.6 c = 8.65 M, above the maximum
    assert_eq!(params.size(64_000_000), 5_000_000);
}

#[test]
fn settings_out_of_range_are_named() {
    let good = WindowParams::default;
    for (params, field) in [
        (
            WindowParams {
                min_positions: 0,
                ..good()
            },
            "min_positions",
        ),
        (
            WindowParams {
                max_positions: 10,
                ..good()
            },
            "max_positions",
        ),
        (
            WindowParams {
                alpha: 0.0,
                ..good()
            },
            "alpha",
        ),
        (
            WindowParams {
                alpha: f64::NAN,
                ..good()
            },
            "alpha",
        ),
        (
            WindowParams {
                beta: 1.5,
                ..good()
            },
            "beta",
        ),
        (
            WindowParams {
                validation_share: 1.0,
                ..good()
            },
            "validation_share",
        ),
    ] {
        assert!(params.validate().unwrap_err().to_string().contains(field));
    }
    good().validate().unwrap();
}

#[test]
fn only_policy_rows_of_training_games_are_sampled() {
    let run = tempfile::tempdir().unwrap();
    let games = write_games::<Toy>(run.path(), "0", 0..200, 30);
    let params = WindowParams {
        validation_share: 0.3,
        ..WindowParams::default()
    };
    let window = ReplayWindow::open(run.path(), &shape(), params.clone()).unwrap();
    let with_policy = games
        .iter()
        .flat_map(|(_, rows)| rows)
        .filter(|row| row.policy.is_some())
        .count();
    assert_eq!(
        window.train_rows().len() + window.validation_rows().len(),
        with_policy
    );
    for (rows, validation) in [
        (window.train_rows(), false),
        (window.validation_rows(), true),
    ] {
        for &row in rows {
            let sample = window.read(row).unwrap();
            assert!(sample.row.policy.is_some());
            assert_eq!(params.is_validation(&sample.game.id), validation);
            assert_eq!(window.game(row), (sample.game, sample.ply));
        }
    }
    // 200 games, each kept apart with probability 0.3: 60, standard deviation 6.5
    let kept = games
        .iter()
        .filter(|(game, _)| params.is_validation(&game.id))
        .count();
    assert!((40..=80).contains(&kept), "{kept}");
}

#[test]
fn sampling_is_uniform() {
    let run = tempfile::tempdir().unwrap();
    write_games::<Toy>(run.path(), "0", 0..40, 30);
    let window = ReplayWindow::open(run.path(), &shape(), WindowParams::default()).unwrap();
    let rows = window.train_rows();
    let mut counts: BTreeMap<u32, f64> = rows.iter().map(|&row| (row, 0.0)).collect();
    let per_row = 200;
    for row in Sampler::new(5).batch(rows, rows.len() * per_row) {
        *counts.get_mut(&row).unwrap() += 1.0;
    }
    // Chi-square with k - 1 degrees of freedom: mean k - 1, variance 2 (k - 1); five standard deviations.
    let expected = per_row as f64;
    let chi: f64 = counts
        .values()
        .map(|n| (n - expected).powi(2) / expected)
        .sum();
    let freedom = rows.len() as f64 - 1.0;
    assert!(
        (chi - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(),
        "{chi} for {freedom} degrees of freedom"
    );
}

#[test]
fn batches_mix_games_as_uniform_sampling_does() {
    let run = tempfile::tempdir().unwrap();
    write_games::<Toy>(run.path(), "0", 0..300, 30);
    let params = WindowParams {
        policy_only: false,
        validation_share: 0.0,
        ..WindowParams::default()
    };
    let window = ReplayWindow::open(run.path(), &shape(), params).unwrap();
    // Expected distinct games in a batch of n: sum over games of 1 - (1 - rows / all)^n.
    let (all, n) = (f64::from(window.rows()), 256);
    let mut rows_of: BTreeMap<&str, f64> = BTreeMap::new();
    for row in 0..window.rows() {
        *rows_of.entry(&window.game(row).0.id).or_default() += 1.0;
    }
    let expected: f64 = rows_of
        .values()
        .map(|rows| 1.0 - (1.0 - rows / all).powi(n))
        .sum();
    let mut sampler = Sampler::new(1);
    let batches = 50;
    let mut distinct = 0;
    for _ in 0..batches {
        let batch = sampler.batch(window.train_rows(), n as usize);
        let ids: std::collections::BTreeSet<&str> =
            batch.iter().map(|&row| &*window.game(row).0.id).collect();
        distinct += ids.len();
    }
    let mean = distinct as f64 / f64::from(batches);
    assert!(
        (mean / expected - 1.0).abs() < 0.03,
        "{mean} distinct games a batch, {expected} expected"
    );
}

#[test]
fn a_saved_sampler_goes_on_exactly() {
    let rows: Vec<u32> = (0..1000).collect();
    let mut sampler = Sampler::new(9);
    sampler.batch(&rows, 77);
    let saved = serde_json::to_string(&sampler).unwrap();
    let expected = (sampler.batch(&rows, 500), sampler.coin());
    let mut restored: Sampler = serde_json::from_str(&saved).unwrap();
    assert_eq!((restored.batch(&rows, 500), restored.coin()), expected);
    assert_ne!(
        Sampler::new(10).batch(&rows, 20),
        Sampler::new(9).batch(&rows, 20)
    );
}

/// Writes one pair of files of `generation` with `games` games.
fn generation(run: &std::path::Path, generation: u32, games: u32) -> u64 {
    let mut writer = ShardWriter::<Toy>::new(
        run,
        "0",
        provenance::<Toy>(generation),
        ShardLimits::default(),
    )
    .unwrap();
    for index in 0..games {
        let (mut game, rows) = random_game::<Toy>(generation * 1000 + index, 30, 0.5);
        game.generation = generation;
        writer.push(&game, &rows).unwrap();
    }
    writer.finish().unwrap().unwrap().positions as u64
}

#[test]
fn old_files_leave_and_new_ones_come() {
    let run = tempfile::tempdir().unwrap();
    let mut total = generation(run.path(), 0, 20);
    let params = WindowParams {
        min_positions: 500,
        max_positions: 1_000,
        validation_share: 0.1,
        ..WindowParams::default()
    };
    let mut window = ReplayWindow::open(run.path(), &shape(), params.clone()).unwrap();
    assert!(!window.refresh().unwrap(), "nothing new");
    for number in 1..6 {
        total += generation(run.path(), number, 20);
        assert!(window.refresh().unwrap());
        assert_eq!(window.total_positions(), total);
        // Whole files, newest first, until the size is reached.
        assert!(u64::from(window.rows()) >= params.size(total));
        assert_eq!(
            *window.stems().last().unwrap(),
            format!("{number:06}-0-000000")
        );
        let first_generation = window.game(0).0.generation;
        let without_first: u64 = (0..window.rows())
            .filter(|&r| window.game(r).0.generation > first_generation)
            .count() as u64;
        assert!(without_first < params.size(total));
    }
    assert!(window.stems().len() < 6, "the oldest left");

    // A trainer that resumes names the files of its window.
    let stems = window.stems();
    generation(run.path(), 6, 20);
    let resumed = ReplayWindow::open_exact(run.path(), &shape(), params.clone(), &stems).unwrap();
    assert_eq!(resumed.stems(), stems);
    assert_eq!(resumed.train_rows(), window.train_rows());
    let row = window.train_rows()[7];
    assert_eq!(resumed.read(row).unwrap(), window.read(row).unwrap());
    std::fs::remove_file(
        run.path()
            .join("games")
            .join(format!("{}.parquet", stems[0])),
    )
    .unwrap();
    let error = ReplayWindow::open_exact(run.path(), &shape(), params, &stems)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains(&stems[0]) && error.contains("missing"),
        "{error}"
    );
}

#[test]
fn what_exceeds_the_memory_goes_to_disk_and_reads_the_same() {
    let run = tempfile::tempdir().unwrap();
    for number in 0..4 {
        generation(run.path(), number, 30);
    }
    let params = WindowParams {
        policy_only: false,
        ..WindowParams::default()
    };
    let memory = ReplayWindow::open(run.path(), &shape(), params.clone()).unwrap();
    let disk = ReplayWindow::open(
        run.path(),
        &shape(),
        WindowParams {
            memory_mib: 0,
            ..params
        },
    )
    .unwrap();
    assert_eq!((memory.disk_bytes(), memory.rows()), (0, disk.rows()));
    assert!(disk.disk_bytes() > 0 && disk.memory_bytes() < memory.memory_bytes());
    for row in 0..memory.rows() {
        assert_eq!(memory.read(row).unwrap(), disk.read(row).unwrap());
    }
    // The temporary file has no name.
    let names: Vec<_> = std::fs::read_dir(run.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}
