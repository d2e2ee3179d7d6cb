//! What is written is read back: through files, through memory.

use records::{
    Dataset, PositionRecord, ReplayWindow, Shape, ShardLimits, ShardWriter, StmResult, Wdl,
    WindowParams,
};
use samples::{Toy, provenance, random_game, write_games};

/// Values are stored in steps of 1/65535.
const STEP: f32 = 1.01 / 65535.0;

fn same_wdl(a: Option<Wdl>, b: Option<Wdl>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            (a.win - b.win).abs() < STEP
                && (a.draw - b.draw).abs() < STEP
                && (a.loss - b.loss).abs() < STEP
        }
        (None, None) => true,
        _ => false,
    }
}

fn assert_same(read: &PositionRecord, written: &PositionRecord) {
    assert!(
        same_wdl(read.root, written.root) && same_wdl(read.net, written.net),
        "{read:?} {written:?}"
    );
    assert_eq!(read.policy.is_some(), written.policy.is_some());
    if let (Some(read), Some(written)) = (&read.policy, &written.policy) {
        assert!(read.moves.is_sorted());
        for (mv, weight) in written.moves.iter().zip(&written.weights) {
            let found = read
                .moves
                .iter()
                .position(|m| m == mv)
                .map_or(0.0, |i| read.weights[i]);
            assert!((found - weight).abs() < STEP, "{mv}: {found} for {weight}");
        }
    }
    let plain = |row: &PositionRecord| PositionRecord {
        root: None,
        net: None,
        policy: None,
        ..row.clone()
    };
    assert_eq!(plain(read), plain(written));
}

#[test]
fn files_give_back_games_and_rows() {
    let run = tempfile::tempdir().unwrap();
    let games = write_games::<Toy>(run.path(), "0", 0..30, 60);
    let dataset = Dataset::open(run.path(), &Shape::of::<Toy>()).unwrap();
    assert_eq!(dataset.refused(), []);
    assert_eq!(dataset.shards().len(), 1);
    assert_eq!(dataset.shards()[0].stem, "000003-0-000000");
    assert_eq!(dataset.shards()[0].provenance, provenance::<Toy>(3));
    assert_eq!(dataset.total_games(), 30);
    assert_eq!(
        dataset.total_positions(),
        games.iter().map(|(_, rows)| rows.len() as u64).sum::<u64>()
    );
    let mut read = Vec::new();
    dataset
        .read(&dataset.shards()[0], |game, rows| {
            read.push((game, rows));
            Ok(())
        })
        .unwrap();
    assert_eq!(read.len(), 30);
    for ((game, rows), (read_game, read_rows)) in games.iter().zip(&read) {
        assert_eq!(game, read_game);
        assert_eq!(rows.len(), read_rows.len());
        rows.iter()
            .zip(read_rows)
            .for_each(|(written, read)| assert_same(read, written));
    }
}

#[test]
fn the_window_gives_back_rows() {
    let run = tempfile::tempdir().unwrap();
    let games = write_games::<Toy>(run.path(), "0", 0..30, 60);
    let params = WindowParams {
        policy_only: false,
        validation_share: 0.2,
        ..WindowParams::default()
    };
    let window = ReplayWindow::open(run.path(), &Shape::of::<Toy>(), params).unwrap();
    let flat: Vec<_> = games
        .iter()
        .flat_map(|(game, rows)| {
            rows.iter()
                .enumerate()
                .map(move |(ply, row)| (game, ply, row))
        })
        .collect();
    assert_eq!(window.rows() as usize, flat.len());
    assert_eq!(
        window.train_rows().len() + window.validation_rows().len(),
        flat.len()
    );
    for (number, (game, ply, row)) in flat.iter().enumerate() {
        let sample = window.read(number as u32).unwrap();
        assert_eq!(
            (&*sample.game.id, sample.ply as usize),
            (game.id.as_str(), *ply)
        );
        assert_eq!(sample.plies_left, game.plies() - *ply as u32);
        let expected = match game.winner {
            None => StmResult::Draw,
            Some(winner) if winner == row.snapshot.turn => StmResult::Win,
            Some(_) => StmResult::Loss,
        };
        assert_eq!(sample.result, expected);
        assert_same(&sample.row, row);
    }
}

#[test]
fn pairs_are_bounded_and_numbered_on() {
    let run = tempfile::tempdir().unwrap();
    let limits = ShardLimits {
        max_positions: 100,
        max_games: 1_000,
    };
    let mut stems = Vec::new();
    for round in 0..2 {
        let mut writer =
            ShardWriter::<Toy>::new(run.path(), "w1", provenance::<Toy>(3), limits).unwrap();
        for index in 0..10 {
            let (game, rows) = random_game::<Toy>(round * 10 + index, 40, 0.5);
            stems.extend(writer.push(&game, &rows).unwrap().map(|w| w.stem));
        }
        stems.extend(writer.finish().unwrap().map(|w| w.stem));
    }
    let expected: Vec<String> = (0..stems.len())
        .map(|n| format!("000003-w1-{n:06}"))
        .collect();
    assert_eq!(stems, expected);
    let mut dataset = Dataset::open(run.path(), &Shape::of::<Toy>()).unwrap();
    assert!(
        dataset.shards().iter().all(|s| s.positions < 140),
        "100 rows, and the rest of a game of at most 40"
    );
    assert_eq!(dataset.game_indices(3), (0..20).collect());
    assert_eq!(dataset.game_indices(4), [].into());
}

#[test]
fn games_alone_make_no_positions_file() {
    let run = tempfile::tempdir().unwrap();
    let mut writer = ShardWriter::<Toy>::new(
        run.path(),
        "0",
        provenance::<Toy>(0),
        ShardLimits::default(),
    )
    .unwrap();
    let (game, _) = random_game::<Toy>(1, 50, 0.0);
    writer.push(&game, &[]).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        std::fs::read_dir(run.path().join("positions"))
            .unwrap()
            .count(),
        0
    );
    let dataset = Dataset::open(run.path(), &Shape::of::<Toy>()).unwrap();
    assert_eq!(dataset.games(&dataset.shards()[0]).unwrap(), [game]);
    assert_eq!(dataset.total_positions(), 0);
}
