//! Positions with more moves than 255, 512 and 1,024, through the checks of the writer, the files and the window.

mod common;

use common::provenance;
use records::{
    Dataset, GameRecord, Policy, PositionRecord, ReplayWindow, SearchKind, Shape, ShardLimits,
    ShardWriter, WindowParams,
};
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{EndReason, GameMove, Position, Rules};

/// Free eagles on the first `ranks` of a grid that leaves their lines open, and two kings.
fn eagles(ranks: usize) -> Tenjiku {
    let mut rows = Vec::new();
    for rank in 0..16 {
        let mut cells: Vec<String> = (0..16)
            .map(|column| match (column + 3 * rank) % 5 {
                0 if (1..=ranks).contains(&rank) => "[FE]".into(),
                _ => "1".to_string(),
            })
            .collect();
        match rank {
            0 => cells[15] = "k".into(),
            15 => cells[15] = "K".into(),
            _ => {}
        }
        rows.push(merge_empty(&cells));
    }
    let sfen = format!("{} b - 1", rows.join("/"));
    Tenjiku::from_sfen(&RuleSet::default(), &sfen).unwrap()
}

/// Runs of empty squares as one number.
fn merge_empty(cells: &[String]) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    for cell in cells.iter().map(String::as_str).chain(["end"]) {
        if cell == "1" {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        empty = 0;
        if cell != "end" {
            text += cell;
        }
    }
    text
}

/// A game of one move, with a weight on every legal move that grows from the first to the last.
fn game(index: u32, mut position: Tenjiku) -> (GameRecord, PositionRecord) {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut codes: Vec<u32> = moves.iter().map(|mv| mv.code()).collect();
    codes.sort_unstable();
    let n = codes.len();
    let unit = 2.0 / (n * (n + 1)) as f32;
    // A quiet move of the king: no eagle takes part, and the game goes on.
    let played = position.parse_move("1p2p").unwrap();
    let row = PositionRecord {
        snapshot: position.snapshot(),
        in_check: position.in_check(),
        legal_moves: n as u32,
        search: SearchKind::Full,
        visits: 64,
        policy: Some(Policy {
            moves: codes,
            weights: (1..=n).map(|i| i as f32 * unit).collect(),
        }),
        played: played.code(),
        root: Some([0.5, 0.0, 0.5].into()),
        net: None,
    };
    let start_sfen = position.sfen();
    position.play(played);
    let game = GameRecord {
        id: GameRecord::self_play_id(3, index),
        generation: 3,
        index,
        rules: position.rules().name(),
        start_sfen,
        moves: played.to_string(),
        winner: None,
        reason: EndReason::PlyCap,
        final_sfen: position.sfen(),
        seed: 0,
        black: "random".into(),
        white: "random".into(),
        network: None,
        play_on: false,
        resign_side: None,
        resign_ply: None,
        start_unix_ms: 0,
        duration_ms: 0,
    };
    (game, row)
}

#[test]
fn every_move_keeps_its_weight() {
    let games: Vec<_> = [3, 6, 14]
        .into_iter()
        .zip(0..)
        .map(|(ranks, index)| game(index, eagles(ranks)))
        .collect();
    for ((_, row), least) in games.iter().zip([255, 512, 1_024]) {
        assert!(row.legal_moves > least, "{} moves", row.legal_moves);
    }
    let run = tempfile::tempdir().unwrap();
    let provenance = provenance::<Tenjiku>(3);
    let mut writer =
        ShardWriter::<Tenjiku>::new(run.path(), "0", provenance, ShardLimits::default()).unwrap();
    for (game, row) in &games {
        writer.push(game, std::slice::from_ref(row)).unwrap();
    }
    writer.finish().unwrap();

    let shape = Shape::of::<Tenjiku>();
    let dataset = Dataset::open(run.path(), &shape).unwrap();
    let mut read = Vec::new();
    dataset
        .read(&dataset.shards()[0], |_, rows| {
            read.extend(rows);
            Ok(())
        })
        .unwrap();
    let params = WindowParams {
        validation_share: 0.0,
        ..WindowParams::default()
    };
    let window = ReplayWindow::open(run.path(), &shape, params).unwrap();
    for (i, ((_, written), read)) in games.iter().zip(&read).enumerate() {
        assert_eq!(&window.read(i as u32).unwrap().row, read);
        assert_eq!(read.legal_moves, written.legal_moves);
        let [read, written] = [read, written].map(|row| row.policy.as_ref().unwrap());
        // The smallest weights are below half a unit of 1/65535; which of them get one is not the point.
        let unit = 1.0 / 65535.0;
        let mut found = read.moves.iter().zip(&read.weights).peekable();
        for (code, &weight) in written.moves.iter().zip(&written.weights) {
            let stored = found
                .next_if(|(mv, _)| *mv == code)
                .map_or(0.0, |(_, &w)| w);
            assert!(
                (stored - weight).abs() < 1.01 * unit,
                "{code}: {stored} for {weight}"
            );
        }
        assert!(found.next().is_none(), "a move that was not written");
    }
}
