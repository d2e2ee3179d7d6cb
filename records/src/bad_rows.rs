//! Rows that no writer of ours would write, in files whose seal is good: each is named and refused.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    ArrayRef, FixedSizeBinaryArray, ListArray, RecordBatch, StringArray, UInt16Array, UInt32Array,
};
use rules::{Color, EndReason, Snapshot};

use crate::file::SealedWriter;
use crate::schema::{GAMES, POSITIONS, arrow_schema};
use crate::table::{GameRow, PositionBuilder, games_batch};
use crate::{
    Dataset, GameRecord, Kind, Policy, PositionRecord, Provenance, SearchKind, Shape, Wdl,
};

fn shape() -> Shape {
    Shape {
        game: "toy".into(),
        squares: 9,
        hands: 0,
        codes: 5,
    }
}

fn provenance() -> Provenance {
    Provenance {
        game: "toy".into(),
        rules: "plain".into(),
        config_hash: String::new(),
        network_hash: String::new(),
        run_seed: 0,
        code_version: "0".into(),
        generation: 0,
        kind: Kind::Import,
    }
}

fn game() -> GameRecord {
    GameRecord {
        id: "000000-000007".into(),
        generation: 0,
        index: 7,
        rules: "plain".into(),
        start_sfen: "start".into(),
        moves: "a b c".into(),
        winner: Some(Color::Black),
        reason: EndReason::Resignation,
        final_sfen: "end".into(),
        seed: 1,
        black: "random".into(),
        white: "random".into(),
        network: None,
        play_on: false,
        resign_side: None,
        resign_ply: None,
        start_unix_ms: 0,
        duration_ms: 0,
    }
}

fn row(ply: u32) -> PositionRecord {
    PositionRecord {
        snapshot: Snapshot {
            board: vec![ply as u8; 9],
            hands: Vec::new(),
            turn: if ply.is_multiple_of(2) {
                Color::Black
            } else {
                Color::White
            },
            move_number: 1 + ply,
            repetitions: 0,
        },
        in_check: false,
        legal_moves: 3,
        search: SearchKind::Full,
        visits: 10,
        policy: Some(Policy {
            moves: vec![5, 6, 7],
            weights: vec![0.5, 0.25, 0.25],
        }),
        played: 6,
        root: Some(Wdl {
            win: 0.5,
            draw: 0.25,
            loss: 0.25,
        }),
        net: None,
    }
}

fn batches() -> (RecordBatch, RecordBatch) {
    let game = game();
    let mut builder = PositionBuilder::new(&shape());
    for ply in 0..3 {
        builder.push(&game, ply, 3, &row(ply)).unwrap();
    }
    (
        games_batch(&[GameRow {
            record: game,
            positions: 3,
            first_row: 0,
        }]),
        builder.finish(),
    )
}

/// Puts `values` in the place of a column.
fn with_column(batch: &RecordBatch, name: &str, values: ArrayRef) -> RecordBatch {
    let mut columns = batch.columns().to_vec();
    columns[batch.schema().index_of(name).unwrap()] = values;
    RecordBatch::try_new(batch.schema(), columns).unwrap()
}

fn write(run: &Path, games: &RecordBatch, positions: &RecordBatch) {
    for (dataset, columns, batch) in [
        ("games", &GAMES[..], games),
        ("positions", &POSITIONS[..], positions),
    ] {
        std::fs::create_dir_all(run.join(dataset)).unwrap();
        let path = run.join(dataset).join("a.parquet");
        let mut file = SealedWriter::create(
            &path,
            dataset,
            arrow_schema(columns, &shape()),
            &provenance(),
        )
        .unwrap();
        file.row_group(batch).unwrap();
        file.finish().unwrap();
    }
}

/// The error of reading the pair.
fn read(games: &RecordBatch, positions: &RecordBatch) -> Result<usize, String> {
    let run = tempfile::tempdir().unwrap();
    write(run.path(), games, positions);
    let dataset = Dataset::open(run.path(), &shape()).unwrap();
    assert_eq!(dataset.refused(), []);
    let mut rows = 0;
    let result = dataset.read(&dataset.shards()[0], |_, game_rows| {
        rows += game_rows.len();
        Ok(())
    });
    result.map(|()| rows).map_err(|e| e.to_string())
}

fn weights(lists: &[&[u16]]) -> ArrayRef {
    let mut builder =
        arrow_array::builder::ListBuilder::new(arrow_array::builder::UInt16Builder::new())
            .with_field(arrow_schema::Field::new(
                "element",
                arrow_schema::DataType::UInt16,
                false,
            ));
    for list in lists {
        builder.values().append_slice(list);
        builder.append(true);
    }
    Arc::new(builder.finish())
}

#[test]
fn good_rows_are_read() {
    let (games, positions) = batches();
    assert_eq!(read(&games, &positions), Ok(3));
    // 65535 * 0.5 = 32767.5 and 65535 * 0.25 = 16383.75: largest remainders first
    let units: &ListArray = positions
        .column_by_name("policy_weights")
        .unwrap()
        .as_list();
    assert_eq!(
        units
            .value(0)
            .as_primitive::<arrow_array::types::UInt16Type>()
            .values(),
        &[32767, 16384, 16384]
    );
}

#[test]
fn each_bad_value_is_named() {
    let (games, positions) = batches();
    let text = |values: [&str; 3]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let cases: Vec<(&str, ArrayRef, &str)> = vec![
        (
            "policy_weights",
            weights(&[&[32767, 16384, 16384], &[32767, 16384, 16383], &[65535]]),
            "row 1 (game 000000-000007, ply 1), column `policy_weights`: sum 65534",
        ),
        (
            "policy_weights",
            weights(&[&[65535], &[65535], &[65535]]),
            "ply 0), column `policy_weights`: 1 weights for 3 moves",
        ),
        (
            "reason",
            text(["resignation", "resignation", "boredom"]),
            "row 2 (game 000000-000007, ply 2), column `reason`: `boredom`",
        ),
        (
            "result_stm",
            text(["win", "win", "win"]),
            "row 1 (game 000000-000007, ply 1), column `result_stm`: `win`, expected `loss`",
        ),
        ("turn", text(["b", "white", "b"]), "column `turn`: `white`"),
        (
            "search",
            text(["full", "full", "deep"]),
            "column `search`: `deep`",
        ),
        (
            "game_id",
            text(["000000-000007", "000000-000008", "000000-000007"]),
            "row 1 (game 000000-000007, ply 1), column `game_id`",
        ),
        (
            "ply",
            Arc::new(UInt32Array::from(vec![0, 2, 1])),
            "column `ply`: 2, expected 1",
        ),
        (
            "plies_left",
            Arc::new(UInt32Array::from(vec![3, 2, 0])),
            "column `plies_left`: 0, expected 1",
        ),
        (
            "legal_moves",
            Arc::new(UInt32Array::from(vec![3, 2, 3])),
            "column `policy_moves`: more moves than the 2 legal ones",
        ),
        (
            "root_win_stm",
            Arc::new(UInt16Array::from(vec![1, 60_000, 1])),
            "column `root_win_stm`: [60000, 16384] exceed 65535",
        ),
        (
            "root_draw_stm",
            Arc::new(UInt16Array::from(vec![Some(1), None, Some(1)])),
            "column `root_win_stm`: only one",
        ),
        (
            "board",
            Arc::new(
                FixedSizeBinaryArray::try_from_iter(
                    [[0u8; 9], [0; 9], [0, 0, 0, 0, 5, 0, 0, 0, 0]].iter(),
                )
                .unwrap(),
            ),
            "column `board`: code 5 on square 4",
        ),
    ];
    for (column, values, expected) in cases {
        let error = read(&games, &with_column(&positions, column, values)).unwrap_err();
        assert!(error.contains(expected), "{column}: {error}");
    }
}

#[test]
fn each_bad_game_is_named() {
    let (games, positions) = batches();
    let text = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value])) };
    let cases: Vec<(&str, ArrayRef, &str)> = vec![
        (
            "reason",
            text("boredom"),
            "row 0, column `reason`: `boredom` is no end reason",
        ),
        ("winner", text("black"), "row 0, column `winner`: `black`"),
        (
            "plies",
            Arc::new(UInt32Array::from(vec![4])),
            "column `plies`: 4, but `moves` has 3",
        ),
        (
            "positions",
            Arc::new(UInt32Array::from(vec![2])),
            "column `positions`: 2 rows for 3 plies",
        ),
        (
            "first_row",
            Arc::new(UInt32Array::from(vec![1])),
            "begins at row 1, expected 0",
        ),
        (
            "positions",
            Arc::new(UInt32Array::from(vec![0])),
            "3 rows, its `games` file says 0",
        ),
    ];
    for (column, values, expected) in cases {
        let error = read(&with_column(&games, column, values), &positions).unwrap_err();
        assert!(error.contains(expected), "{column}: {error}");
    }
}
