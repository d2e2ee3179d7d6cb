//! From rows to batches.

use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt16Type;
use arrow_array::{Array, ArrayRef, Float32Array, ListArray, RecordBatch};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

use network::tch::{Device, Tensor};
use records::{GameInfo, PositionRecord, ReplayWindow, Sample, SearchKind, Shape, StmResult, Wdl};
use rules::tenjiku::Tenjiku;
use rules::{Color, EndReason, GameMove, Position};
use trainer::{
    EndTarget, EndTargets, Imitate, Loader, TrainParams, ValueTarget, log_policy, value_target,
};

mod common;
use common::{Toy, ToyRules, fresh, random_game, small_params, toy_run, values};

fn open(run: &std::path::Path, params: &TrainParams) -> ReplayWindow {
    ReplayWindow::open(run, &Shape::of::<Toy>(), params.window.clone()).unwrap()
}

#[test]
fn batches_don_t_depend_on_threads() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..10);
    let window = Arc::new(open(run.path(), &small_params()));
    let load = |threads, prefetch| {
        let params = TrainParams {
            decode_threads: threads,
            prefetch,
            ..small_params()
        };
        let mut loader = Loader::start::<Toy>(window.clone(), &params, 3..9).unwrap();
        (3..9).map(|_| loader.take().unwrap()).collect::<Vec<_>>()
    };
    for (a, b) in load(1, 1).iter().zip(&load(3, 4)) {
        assert!(a == b);
    }
    // Training may stop in the middle.
    drop(Loader::start::<Toy>(window.clone(), &small_params(), 0..1_000_000).unwrap());
}

#[test]
fn steps_draw_different_rows_and_half_of_them_mirrored() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..10);
    let params = TrainParams {
        batch_size: 1000,
        ..small_params()
    };
    let window = open(run.path(), &params);
    let a = trainer::draw(&window, &params, 0);
    assert_eq!(a, trainer::draw(&window, &params, 0));
    assert_ne!(a, trainer::draw(&window, &params, 1));
    assert_ne!(
        a,
        trainer::draw(
            &window,
            &TrainParams {
                seed: 2,
                ..params.clone()
            },
            0
        )
    );
    let mirrored = a.iter().filter(|(_, mirrored)| *mirrored).count();
    assert!((400..600).contains(&mirrored), "{mirrored} of 1000"); // six standard deviations are 95
    let plain = trainer::draw(
        &window,
        &TrainParams {
            mirror: false,
            ..params.clone()
        },
        0,
    );
    assert!(plain.iter().all(|(_, mirrored)| !mirrored));
    let rows: HashSet<u32> = window.validation_rows().iter().copied().collect();
    assert!(a.iter().all(|(row, _)| !rows.contains(row)));
}

#[test]
fn batches_mix_games_as_uniform_sampling_does() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..80);
    let params = TrainParams {
        batch_size: 64,
        ..small_params()
    };
    let window = open(run.path(), &params);
    let mut lengths = std::collections::HashMap::new();
    for &row in window.train_rows() {
        *lengths.entry(window.game(row).0.id.clone()).or_insert(0.0) += 1.0;
    }
    let total: f64 = lengths.values().sum();
    // A game with share p is in a batch of B with probability 1 - (1 - p)^B.
    let expected: f64 = lengths
        .values()
        .map(|n| 1.0 - (1.0 - n / total).powi(64))
        .sum();
    let batches = 200;
    let mut distinct = 0;
    for step in 0..batches {
        let games: HashSet<_> = trainer::draw(&window, &params, step)
            .iter()
            .map(|&(row, _)| window.game(row).0.id.clone())
            .collect();
        distinct += games.len();
    }
    let mean = distinct as f64 / batches as f64;
    // The standard deviation of one batch is below 3 (variance of occupancy), of the mean below 0.22.
    assert!(
        (mean - expected).abs() < 1.0,
        "{mean} distinct games a batch, expected {expected}"
    );
}

#[test]
fn the_softmax_runs_over_all_legal_moves() {
    let run = tempfile::tempdir().unwrap();
    let (game, mut rows) = random_game::<Toy>(1, 10, 1.0);
    for row in &mut rows {
        let policy = row.policy.as_mut().unwrap();
        policy.moves.truncate(2);
        policy.weights = vec![0.25, 0.75];
    }
    common::write(run.path(), "a", vec![(game, rows)]);
    let mut params = small_params();
    params.window.validation_share = 0.0;
    let window = open(run.path(), &params);
    for row in 0..window.rows() {
        let sample = window.read(row).unwrap();
        let example =
            trainer::example::<Toy>(&sample, &ToyRules, false, &(&params).into()).unwrap();
        assert_eq!(example.slots.len(), sample.row.legal_moves as usize);
        let mut weights: Vec<f32> = example
            .policy
            .iter()
            .copied()
            .filter(|&w| w > 0.0)
            .collect();
        weights.sort_by(f32::total_cmp);
        assert!(
            (weights[0] - 0.25).abs() < 1e-4
                && (weights[1] - 0.75).abs() < 1e-4
                && weights.len() == 2
        );
    }
}

#[test]
fn a_target_move_that_is_not_generated_is_kept() {
    let (game, mut rows) = random_game::<Toy>(1, 1, 1.0);
    let mut row = rows.remove(0);
    // A king that jumps: no legal move has this code, but it is a move.
    row.policy = Some(records::Policy {
        moves: vec![2200],
        weights: vec![1.0],
    });
    let info = GameInfo {
        id: game.id.into(),
        rules: "plain".into(),
        generation: 3,
        plies: 1,
        winner: None,
        reason: EndReason::PlyCap,
    };
    let mut sample = Sample {
        game: &info,
        ply: 0,
        plies_left: 1,
        result: StmResult::Draw,
        row,
    };
    let params = small_params();
    let example = trainer::example::<Toy>(&sample, &ToyRules, false, &(&params).into()).unwrap();
    assert_eq!(example.slots.len(), sample.row.legal_moves as usize + 1);
    let last = example.slots.last().unwrap();
    assert_eq!(
        (last.query, last.to, example.policy.last()),
        (22, 0, Some(&1.0))
    );
    sample.row.policy.as_mut().unwrap().moves[0] = 9999;
    let error = trainer::example::<Toy>(&sample, &ToyRules, false, &(&params).into())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("000003-000001, ply 0") && error.contains("9999"),
        "{error}"
    );
}

#[test]
fn ends_decide_the_value_target() {
    let (_, mut rows) = random_game::<Toy>(1, 1, 1.0);
    let mut row = rows.remove(0);
    row.root = Some(Wdl {
        win: 0.5,
        draw: 0.25,
        loss: 0.25,
    });
    let info = |reason| GameInfo {
        id: "g".into(),
        rules: "plain".into(),
        generation: 0,
        plies: 7,
        winner: Some(Color::White),
        reason,
    };
    let ends = EndTargets {
        ply_cap: EndTarget::Draw,
        adjudication: EndTarget::Search,
        ..Default::default()
    };
    let target = |reason, root: bool| {
        let mut row = row.clone();
        if !root {
            row.root = None;
        }
        let info = info(reason);
        value_target(
            &Sample {
                game: &info,
                ply: 0,
                plies_left: 7,
                result: StmResult::Loss,
                row,
            },
            &ends,
            0.5,
        )
    };
    let expect = |wdl, moves_left| ValueTarget { wdl, moves_left };
    assert_eq!(
        target(EndReason::RoyalCaptured, true),
        expect(Some([0.25, 0.125, 0.625]), Some(7.0))
    );
    assert_eq!(
        target(EndReason::RoyalCaptured, false),
        expect(Some([0.0, 0.0, 1.0]), Some(7.0))
    );
    assert_eq!(
        target(EndReason::PlyCap, true),
        expect(Some([0.25, 0.625, 0.125]), None)
    );
    assert_eq!(
        target(EndReason::Adjudication, true),
        expect(Some([0.5, 0.25, 0.25]), None)
    );
    assert_eq!(target(EndReason::Adjudication, false), expect(None, None));
    assert_eq!(target(EndReason::Time, true), expect(None, None));
}

/// A file as another program might write it: real numbers for the policy, one of them NaN.
#[test]
fn a_file_with_a_nan_in_a_policy_is_named_and_never_trained_on() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..10);
    let games: Vec<_> = (10..20).map(|i| random_game::<Toy>(i, 30, 1.0)).collect();
    let bad: HashSet<String> = games.iter().map(|(game, _)| game.id.clone()).collect();
    // Our own writer refuses such a row, with its place.
    let (game, mut rows) = games[0].clone();
    rows[2].policy.as_mut().unwrap().weights[0] = f32::NAN;
    let error = records::check_game::<Toy>(&game, &rows)
        .unwrap_err()
        .to_string();
    for part in [game.id.as_str(), "ply 2", "policy_weights", "NaN"] {
        assert!(error.contains(part), "{error}");
    }
    common::write(run.path(), "nan", games);
    let path = run.path().join("positions/000003-nan-000000.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let metadata = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .cloned();
    let batch = reader
        .with_batch_size(1 << 20)
        .build()
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let schema = batch.schema();
    let columns = schema
        .fields()
        .iter()
        .zip(batch.columns())
        .map(|(field, column)| {
            if field.name() != "policy_weights" {
                return (field.name().clone(), column.clone());
            }
            let lists = column.as_list::<i32>();
            let units = lists.values().as_primitive::<UInt16Type>().values();
            let mut values: Vec<f32> = units.iter().map(|&u| f32::from(u) / 65535.0).collect();
            values[3] = f32::NAN;
            let lists = ListArray::new(
                Arc::new(Field::new("item", DataType::Float32, false)),
                lists.offsets().clone(),
                Arc::new(Float32Array::from(values)),
                lists.nulls().cloned(),
            );
            (field.name().clone(), Arc::new(lists) as ArrayRef)
        });
    let batch = RecordBatch::try_from_iter(columns.collect::<Vec<_>>()).unwrap();
    let properties = WriterProperties::builder()
        .set_key_value_metadata(metadata)
        .build();
    let file = File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let params = small_params();
    let mut notes = Notes(Vec::new());
    let job = trainer::Job::<Toy> {
        run: run.path(),
        params: &params,
        architecture: &common::small_arch(),
        rules: &ToyRules,
        steps: trainer::Steps::Until(5),
        generation: None,
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let report = trainer::train(&job, &mut notes, &stop).unwrap();
    assert_eq!((report.step, report.skipped), (5, 0));
    assert!(
        notes
            .0
            .iter()
            .any(|n| n.starts_with("not read: ") && n.contains("000003-nan-000000")),
        "{:?}",
        notes.0
    );
    let window = open(run.path(), &params);
    assert!(window.rows() > 0);
    assert!((0..window.rows()).all(|row| !bad.contains(&*window.game(row).0.id)));
}

/// Keeps what the trainer says.
struct Notes(Vec<String>);

impl trainer::Progress for Notes {
    fn note(&mut self, text: &str) {
        self.0.push(text.into());
    }
}

#[test]
fn played_moves_may_be_policy_targets() {
    let (game, mut rows) = random_game::<Toy>(1, 3, 0.0);
    rows[1].search = SearchKind::Engine;
    let info = GameInfo {
        id: game.id.into(),
        rules: "plain".into(),
        generation: 0,
        plies: 3,
        winner: None,
        reason: EndReason::PlyCap,
    };
    let learnt = |imitate, row: &PositionRecord| {
        let params = TrainParams {
            imitate,
            ..small_params()
        };
        let sample = Sample {
            game: &info,
            ply: 0,
            plies_left: 1,
            result: StmResult::Draw,
            row: row.clone(),
        };
        trainer::example::<Toy>(&sample, &ToyRules, false, &(&params).into()).unwrap()
    };
    for (imitate, fast, engine) in [
        (Imitate::Nothing, false, false),
        (Imitate::Engine, false, true),
        (Imitate::All, true, true),
    ] {
        for (row, has) in [(&rows[0], fast), (&rows[1], engine)] {
            let example = learnt(imitate, row);
            assert_eq!(!example.slots.is_empty(), has);
            if has {
                assert_eq!(example.slots.len(), row.legal_moves as usize);
                let played = encoding::slot_of_code::<Toy>(row.played, row.snapshot.turn).unwrap();
                let at = example
                    .slots
                    .iter()
                    .position(|&slot| slot == played)
                    .unwrap();
                assert_eq!(example.policy[at], 1.0);
                assert_eq!(example.policy.iter().sum::<f32>(), 1.0);
            }
        }
    }
    // Of rows with a policy, that is the target.
    let (_, rows) = random_game::<Toy>(2, 1, 1.0);
    assert_eq!(
        learnt(Imitate::All, &rows[0]),
        learnt(Imitate::Nothing, &rows[0])
    );
    let error = TrainParams {
        imitate: Imitate::Engine,
        ..small_params()
    }
    .check()
    .unwrap_err();
    assert!(
        error.starts_with("train.window.policy_only = true, must be false"),
        "{error}"
    );
}

/// With kernels that are symmetric from file to file, mirrored positions have mirrored policies: the same probability
/// move by move, through encoding, moves with captures on the way, batch and network.
#[test]
fn a_mirrored_batch_has_the_mirrored_policy() {
    let mut network = fresh::<Tenjiku>(5);
    common::symmetric_kernels(&mut network.weights);
    for (name, t) in &mut network.weights.0 {
        if name == "policy.out.weight" || name.ends_with(".bias") {
            *t = noise_like(t);
        }
    }
    let params = small_params();
    let mut examples = [Vec::new(), Vec::new()];
    let (game, mut rows) = random_game::<Tenjiku>(4, 200, 1.0);
    let via = |code: &u32| {
        let mv: <Tenjiku as Position>::Move = GameMove::from_code(*code).unwrap();
        Tenjiku::move_via(mv).is_some()
    };
    rows.retain(|row| row.policy.as_ref().unwrap().moves.iter().any(via));
    assert!(rows.len() >= 4, "no captures on the way in this game");
    let info = GameInfo {
        id: game.id.as_str().into(),
        rules: game.rules.as_str().into(),
        generation: 3,
        plies: 200,
        winner: game.winner,
        reason: game.reason,
    };
    let rules = <Tenjiku as Position>::Rules::default();
    for row in rows.into_iter().take(4) {
        let sample = Sample {
            game: &info,
            ply: 0,
            plies_left: 1,
            result: StmResult::Draw,
            row,
        };
        for (mirrored, examples) in [false, true].into_iter().zip(&mut examples) {
            examples.push(
                trainer::example::<Tenjiku>(&sample, &rules, mirrored, &(&params).into()).unwrap(),
            );
        }
    }
    let [plain, mirrored] = examples.map(|examples| {
        let batch = trainer::HostBatch::new::<Tenjiku>(&examples).to_device(Device::Cpu);
        let outputs = network.forward(&batch.squares, &batch.globals, network::Mode::Eval);
        (
            values(&log_policy(&outputs, &batch)),
            values(&outputs.wdl_logits),
            values(&batch.squares),
        )
    });
    assert_ne!(plain.2, mirrored.2);
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
    assert!(close(&plain.0, &mirrored.0) && close(&plain.1, &mirrored.1));
    assert!(
        plain
            .0
            .iter()
            .filter(|&&l| l > -1e8)
            .any(|&l| (l - plain.0[0]).abs() > 1e-3),
        "a flat policy proves nothing"
    );
}

/// Fixed numbers in [-0.5, 0.5] of the shape of `t`.
fn noise_like(t: &Tensor) -> Tensor {
    let noise: Vec<f32> = (0..t.numel())
        .map(|i| (i as f32 * 1.3 + 0.7).sin() / 2.0)
        .collect();
    Tensor::from_slice(&noise).reshape(t.size())
}
