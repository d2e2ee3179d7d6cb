//! Bad files among good ones: each is named with its reason, the rest is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Int32Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use records::{Dataset, GameRecord, PositionRecord, ReplayWindow, Shape, WindowParams, describe};
use samples::{Toy, write_games};

fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes
        .windows(what.len())
        .position(|w| w == what)
        .expect("is in the file")
}

/// A run with a good pair of worker `good` and one of worker `bad`; the paths of the bad one.
fn run() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let run = tempfile::tempdir().unwrap();
    write_games::<Toy>(run.path(), "good", 0..10, 30);
    write_games::<Toy>(run.path(), "bad", 10..20, 30);
    let path = |folder: &str| run.path().join(folder).join("000003-bad-000000.parquet");
    let (games, positions) = (path("games"), path("positions"));
    (run, games, positions)
}

/// Opens the window and expects the good pair alone, and one refusal of `file` for `reason`.
fn expect_refused(run: &Path, file: &Path, reason: &str) {
    let window = ReplayWindow::open(run, &Shape::of::<Toy>(), WindowParams::default()).unwrap();
    assert_eq!(window.stems(), ["000003-good-000000"]);
    let [refused] = window.refused() else {
        panic!("{:?}", window.refused())
    };
    assert_eq!(refused.file, file);
    assert!(refused.reason.contains(reason), "{}", refused.reason);
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn empty_files() {
    let (run, games, positions) = run();
    edit(&positions, Vec::clear);
    expect_refused(run.path(), &positions, "is empty");
    edit(&games, Vec::clear);
    expect_refused(run.path(), &games, "is empty");
}

#[test]
fn truncated_files() {
    let (run, games, positions) = run();
    edit(&positions, |bytes| bytes.truncate(bytes.len() / 2));
    expect_refused(run.path(), &positions, "truncated");
    edit(&games, |bytes| bytes.truncate(7));
    expect_refused(run.path(), &games, "7 bytes");
}

#[test]
fn another_schema_version() {
    let (run, _, positions) = run();
    edit(&positions, |bytes| {
        let key = b"tenjiku.schema_version";
        let value = find(bytes, key) + key.len() + 2; // field header and length, then the value
        assert_eq!(bytes[value], b'1');
        bytes[value] = b'9';
    });
    expect_refused(
        run.path(),
        &positions,
        "schema version 9, this program reads version 1",
    );
}

#[test]
fn a_flipped_byte_in_a_page() {
    let (run, games, positions) = run();
    let size = fs::metadata(&positions).unwrap().len() as usize;
    edit(&positions, |bytes| bytes[size / 3] ^= 0x10);
    expect_refused(run.path(), &positions, "checksum");
    edit(&games, |bytes| bytes[200] ^= 1);
    expect_refused(run.path(), &games, "checksum");
}

#[test]
fn changed_metadata() {
    let (run, _, positions) = run();
    edit(&positions, |bytes| {
        let at = find(bytes, b"c0ffee");
        bytes[at] = b'd';
    });
    expect_refused(
        run.path(),
        &positions,
        "differ from those of its `games` file",
    );
}

#[test]
fn a_foreign_parquet_file() {
    let (run, games, _) = run();
    let batch =
        RecordBatch::try_from_iter([("x", Arc::new(Int32Array::from(vec![1, 2])) as _)]).unwrap();
    let mut writer =
        ArrowWriter::try_new(fs::File::create(&games).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    expect_refused(run.path(), &games, "a foreign Parquet file");
}

#[test]
fn no_parquet_file() {
    let (run, games, _) = run();
    fs::write(&games, "these are not the rows that you are looking for").unwrap();
    expect_refused(run.path(), &games, "no readable Parquet file");
}

#[test]
fn the_wrong_folder() {
    let (run, games, positions) = run();
    fs::copy(&positions, &games).unwrap();
    expect_refused(run.path(), &games, "holds `positions`, expected `games`");
}

#[test]
fn positions_without_games_are_orphans() {
    let (run, games, positions) = run();
    fs::remove_file(&games).unwrap();
    let dataset = Dataset::open(run.path(), &Shape::of::<Toy>()).unwrap();
    assert_eq!(dataset.orphans(), std::slice::from_ref(&positions));
    assert_eq!(dataset.shards().len(), 1);
    assert_eq!(dataset.refused(), []);
    let problems = describe(&positions).unwrap().problems;
    assert!(problems[0].contains("no `games` file"), "{problems:?}");
}

#[test]
fn positions_of_another_pair() {
    let (run, _, positions) = run();
    fs::copy(
        run.path().join("positions/000003-good-000000.parquet"),
        &positions,
    )
    .unwrap();
    expect_refused(run.path(), &positions, "");
}

#[test]
fn another_game() {
    let (run, ..) = run();
    let other = Shape {
        game: "go".into(),
        ..Shape::of::<Toy>()
    };
    let dataset = Dataset::open(run.path(), &other).unwrap();
    assert_eq!(dataset.shards(), []);
    assert_eq!(dataset.refused().len(), 2);
    assert!(
        dataset.refused()[0]
            .reason
            .contains("holds the game `toy`, expected `go`")
    );
    let error = ReplayWindow::open(run.path(), &other, WindowParams::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("0 good files with 0 rows, 2 refused (the first: "),
        "{error}"
    );
    let wider = Shape {
        squares: 36,
        ..Shape::of::<Toy>()
    };
    let dataset = Dataset::open(run.path(), &wider).unwrap();
    assert!(
        dataset.refused()[0].reason.contains("boards of 25 squares"),
        "{:?}",
        dataset.refused()
    );
}

#[test]
fn nothing_to_train_on() {
    let run = tempfile::tempdir().unwrap();
    for path in [run.path().to_path_buf(), run.path().join("missing")] {
        let error = ReplayWindow::open(&path, &Shape::of::<Toy>(), WindowParams::default())
            .err()
            .unwrap();
        assert!(
            error
                .to_string()
                .contains("no position with a policy target"),
            "{error}"
        );
        assert!(error.to_string().contains("run self-play first"), "{error}");
    }
}

fn read_all(run: &Path) -> Option<Vec<(GameRecord, Vec<PositionRecord>)>> {
    let dataset = Dataset::open(run, &Shape::of::<Toy>()).unwrap();
    let shard = dataset.shards().first()?;
    let mut rows = Vec::new();
    let read = dataset.read(shard, |game, game_rows| {
        rows.push((game, game_rows));
        Ok(())
    });
    read.ok().map(|()| rows)
}

/// Whatever single byte is damaged: the pair is refused, or the rows are what was written. Never a panic.
#[test]
fn any_flipped_byte() {
    let run = tempfile::tempdir().unwrap();
    write_games::<Toy>(run.path(), "0", 0..3, 10);
    let written = read_all(run.path()).unwrap();
    for folder in ["games", "positions"] {
        let path = run.path().join(folder).join("000003-0-000000.parquet");
        let good = fs::read(&path).unwrap();
        let (mut refused, mut tried) = (0, 0);
        let footer = good.len()
            - 8
            - u32::from_le_bytes(good[good.len() - 8..good.len() - 4].try_into().unwrap()) as usize;
        for at in (0..footer)
            .step_by(37)
            .chain((footer..good.len()).step_by(5))
        {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&path, &bad).unwrap();
            tried += 1;
            match read_all(run.path()) {
                None => refused += 1,
                Some(rows) => {
                    assert!(at >= footer, "byte {at} of the rows went unnoticed");
                    assert!(rows == written, "byte {at} of the footer changed rows");
                }
            }
        }
        fs::write(&path, &good).unwrap();
        println!("{folder}: {refused} of {tried} refused");
    }
    assert_eq!(read_all(run.path()).unwrap(), written);
}
