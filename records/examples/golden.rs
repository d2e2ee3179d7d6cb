//! Writes a small run of both games for the compatibility test of a schema version, into a folder that must not exist:
//! `cargo run -p records --example golden -- records/tests/data/v2`. Committed runs of old versions stay.
//!
//! What it writes stands once more, worked out by hand, in `tests/compatibility.rs`.

use std::path::Path;

use records::{
    GameRecord, Kind, Policy, PositionRecord, Provenance, SearchKind, ShardLimits, ShardWriter,
};
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use rules::{Color, EndReason, GameMove, Position, Rules};

fn main() {
    let folder = std::env::args().nth(1).expect("the folder to make");
    let folder = Path::new(&folder);
    assert!(!folder.exists(), "{} is there already", folder.display());
    write::<Tenjiku>(
        &folder.join("tenjiku"),
        "7l7k 7e7f 10m10d+ 7f7g",
        ["7l7k", "8l8k", "9l9k"],
    );
    write::<Shogi>(
        &folder.join("shogi"),
        "7g7f 3c3d 8h2b+ 3a2b B*4e",
        ["7g7f", "2g2f", "5g5f"],
    );
}

/// A game that White resigns, with rows, and one of two plies that nobody won, without.
fn write<P: Position>(run: &Path, moves: &str, policy: [&str; 3]) {
    let provenance = Provenance {
        game: P::GAME.into(),
        rules: P::Rules::default().name(),
        config_hash: "c0ffee".into(),
        network_hash: "ab12".into(),
        run_seed: 42,
        code_version: "0.1.0".into(),
        generation: 3,
        kind: Kind::Selfplay,
    };
    let mut writer =
        ShardWriter::<P>::new(run, "0", provenance, ShardLimits::default()).expect("a writer");
    let (game, rows) = record::<P>(0, moves, policy);
    writer.push(&game, &rows).expect("a good game");
    let two: Vec<&str> = moves.split(' ').take(2).collect();
    let (short, _) = record::<P>(1, &two.join(" "), policy);
    let short = GameRecord {
        winner: None,
        reason: EndReason::PlyCap,
        network: None,
        resign_side: None,
        resign_ply: None,
        ..short
    };
    writer.push(&short, &[]).expect("a good game");
    writer.finish().expect("a pair of files");
}

fn record<P: Position>(
    index: u32,
    moves: &str,
    policy: [&str; 3],
) -> (GameRecord, Vec<PositionRecord>) {
    let mut position = P::start(&P::Rules::default());
    let start_sfen = position.sfen();
    let mut rows = Vec::new();
    for (ply, text) in moves.split(' ').enumerate() {
        let played = position.parse_move(text).expect("a legal move");
        let full = ply == 0;
        let code = |text| position.parse_move(text).expect("a legal move").code();
        rows.push(PositionRecord {
            snapshot: position.snapshot(),
            in_check: position.in_check(),
            legal_moves: position.legal_count() as u32,
            search: [SearchKind::Full, SearchKind::Engine, SearchKind::Fast]
                .get(ply)
                .copied()
                .unwrap_or(SearchKind::None),
            visits: [200, 1234, 32].get(ply).copied().unwrap_or(0),
            policy: full.then(|| Policy {
                moves: policy.map(code).to_vec(),
                weights: vec![0.5, 0.25, 0.25],
            }),
            played: played.code(),
            root: (ply < 3).then_some([0.5, 0.25, 0.25].into()),
            net: full.then_some([0.25, 0.5, 0.25].into()),
        });
        position.play(played);
    }
    let plies = rows.len() as u32;
    let game = GameRecord {
        id: GameRecord::self_play_id(3, index),
        generation: 3,
        index,
        rules: position.rules().name(),
        start_sfen,
        moves: moves.into(),
        winner: Some(Color::Black),
        reason: EndReason::Resignation,
        final_sfen: position.sfen(),
        seed: u64::MAX - u64::from(index),
        black: "net:networks/000003:visits=64".into(),
        white: "engine:depth=4".into(),
        network: Some("ab12".into()),
        play_on: index == 1,
        resign_side: Some(Color::White),
        resign_ply: Some(plies),
        start_unix_ms: 1_700_000_000_000,
        duration_ms: 1_500,
    };
    (game, rows)
}
