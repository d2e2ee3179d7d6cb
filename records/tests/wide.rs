//! Positions with more moves than 255, 512 and 1,024, through the checks of the writer, the files and the window.

use records::{
    Dataset, GameRecord, Policy, PositionRecord, ReplayWindow, SearchKind, Shape, WindowParams,
};
use rules::tenjiku::Tenjiku;
use rules::{EndReason, GameMove, Position, Rules};
use samples::{WIDE, wide, writer};

/// A game of one move, with a weight on every legal move that grows from the first to the last.
fn game(index: u32, mut position: Tenjiku) -> (GameRecord, PositionRecord) {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut codes: Vec<u32> = moves.iter().map(|mv| mv.code()).collect();
    codes.sort_unstable();
    let n = codes.len();
    let unit = 2.0 / (n * (n + 1)) as f32;
    // A quiet move of the king: no hawk takes part, and the game goes on.
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
    let numbered = wide().into_iter().zip(0..);
    let games: Vec<_> = numbered.map(|(start, index)| game(index, start)).collect();
    for ((_, row), least) in games.iter().zip(WIDE) {
        assert!(
            row.legal_moves as usize >= least,
            "{} moves",
            row.legal_moves
        );
    }
    let run = tempfile::tempdir().unwrap();
    let mut writer = writer::<Tenjiku>(run.path(), "0");
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
