//! Every metric is in the Parquet tables and in the event files.

use std::fs;
use std::sync::atomic::AtomicBool;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use trainer::{AuxiliaryParams, CALIBRATION_BINS, Job, Quiet, Steps, TrainParams};

mod common;
use common::{Toy, ToyRules, small_arch, small_params, toy_run};

const TRAIN: [&str; 15] = [
    "loss",
    "policy",
    "policy_kl",
    "policy_accuracy",
    "wdl",
    "moves_left",
    "future",
    "short_term",
    "soft_policy",
    "learning_rate",
    "gradient_norm",
    "data_age",
    "skipped",
    "positions_per_second",
    "wait_share",
];
const VALIDATION: [&str; 6] = [
    "positions",
    "policy",
    "policy_kl",
    "policy_accuracy",
    "wdl",
    "moves_left",
];

#[test]
fn tables_and_events_hold_every_metric() {
    let run = tempfile::tempdir().unwrap();
    toy_run(run.path(), 0..20);
    let params = TrainParams {
        auxiliary: AuxiliaryParams {
            future: 0.1,
            short_term: 0.1,
            soft_policy: 0.1,
            short_term_plies: vec![2],
            future_plies: 2,
            ..Default::default()
        },
        validate_every: 10,
        ..small_params()
    };
    let job = Job::<Toy> {
        run: run.path(),
        params: &params,
        architecture: &small_arch(),
        rules: &ToyRules,
        steps: Steps::Until(10),
        generation: None,
    };
    let report = trainer::train(&job, &mut Quiet, &AtomicBool::new(false)).unwrap();
    let open = |name: &str| {
        let path = run.path().join(format!("metrics/{name}-0000000.parquet"));
        SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap()
    };
    let columns = |name: &str| -> Vec<String> {
        let reader = open(name);
        let schema = reader.metadata().file_metadata().schema();
        let names = schema.get_fields().iter().map(|field| field.name());
        names.map(String::from).collect()
    };
    assert_eq!(columns("train"), [&["step"], &TRAIN[..]].concat());
    assert_eq!(columns("validation"), [&["step"], &VALIDATION[..]].concat());
    assert_eq!(
        columns("calibration"),
        ["step", "bin", "positions", "predicted", "observed"]
    );
    let rows: Vec<_> = open("train")
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), 2); // every 5 steps
    let last = report.last.unwrap();
    let value = |i: usize| rows[1].get_double(1 + i).unwrap();
    for (i, expected) in [
        (0, last.loss),
        (6, last.future),
        (7, last.short_term),
        (8, last.soft_policy),
        (9, last.learning_rate),
        (14, last.wait_share),
    ] {
        assert_eq!(value(i), expected, "{}", TRAIN[i]);
        assert!(
            value(i) >= 0.0 && (i == 14 || value(i) > 0.0),
            "{}",
            TRAIN[i]
        );
    }
    let calibration = open("calibration");
    let bins = calibration.get_row_iter(None).unwrap().map(Result::unwrap);
    let positions: Vec<f64> = bins.map(|row| row.get_double(2).unwrap()).collect();
    assert_eq!(positions.len(), CALIBRATION_BINS);
    let validation = report.validation.unwrap();
    let with_target: usize = validation.calibration.iter().map(|bin| bin.positions).sum();
    assert_eq!(positions.iter().sum::<f64>(), with_target as f64);

    let event_file = fs::read_dir(run.path().join("tb"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let events = fs::read(event_file.path()).unwrap();
    let has = |tag: &str| events.windows(tag.len()).any(|w| w == tag.as_bytes());
    for name in TRAIN {
        assert!(has(&format!("train/{name}")), "{name}");
    }
    for name in VALIDATION {
        assert!(has(&format!("validation/{name}")), "{name}");
    }
    assert!(has("/predicted") && has("/observed") && has("calibration/"));
}
