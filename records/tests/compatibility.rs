//! Committed files of every schema version are still read, and say what they said when they were written.
//!
//! The expectations were worked out by hand from the moves of the games, the column tables of `docs/records.md` and the
//! numberings of squares, pieces and moves that are part of the format; `examples/golden.rs` wrote the files.

use std::path::{Path, PathBuf};

use records::{
    Dataset, GameRecord, Kind, Policy, PositionRecord, Provenance, ReplayWindow, SearchKind, Shape,
    StmResult, Wdl, WindowParams, check_game, describe,
};
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use rules::{Color, EndReason, Position};

/// One step of a stored probability.
const UNIT: f32 = 1.0 / 65535.0;

fn run_of(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/v1")
        .join(game)
}

type Games = Vec<(GameRecord, Vec<PositionRecord>)>;

/// Reads the run and checks what both games have in common. `moves` of the first game; its first row has a policy over
/// three moves of these `codes`.
fn version_1<P: Position>(rules: &str, moves: &str, codes: [u32; 3], weights: [u32; 3]) -> Games {
    let run = run_of(P::GAME);
    let plies = moves.split(' ').count();
    let dataset = Dataset::open(&run, &Shape::of::<P>()).unwrap();
    assert_eq!(dataset.refused(), []);
    let [shard] = dataset.shards() else {
        panic!("{:?}", dataset.shards())
    };
    assert_eq!(
        (shard.stem.as_str(), shard.games, shard.positions),
        ("000003-0-000000", 2, plies as u64)
    );
    let provenance = Provenance {
        game: P::GAME.into(),
        rules: rules.into(),
        config_hash: "c0ffee".into(),
        network_hash: "ab12".into(),
        run_seed: 42,
        code_version: "0.1.0".into(),
        generation: 3,
        kind: Kind::Selfplay,
    };
    assert_eq!(shard.provenance, provenance);

    let mut games = Games::new();
    dataset
        .read(shard, |game, rows| {
            games.push((game, rows));
            Ok(())
        })
        .unwrap();
    let [(game, rows), (short, none)] = &games[..] else {
        panic!("{} games", games.len())
    };
    assert_eq!(
        (game.id.as_str(), short.id.as_str()),
        ("000003-000000", "000003-000001")
    );
    assert_eq!((game.index, short.index), (0, 1));
    assert_eq!((game.rules.as_str(), game.moves.as_str()), (rules, moves));
    assert_eq!(
        (game.winner, game.reason),
        (Some(Color::Black), EndReason::Resignation)
    );
    assert_eq!(
        (game.resign_side, game.resign_ply, game.play_on),
        (Some(Color::White), Some(plies as u32), false)
    );
    assert_eq!(game.seed, 18_446_744_073_709_551_615);
    assert_eq!(game.black, "net:networks/000003:visits=64");
    assert_eq!(game.white, "engine:depth=4");
    assert_eq!(game.network.as_deref(), Some("ab12"));
    assert_eq!(
        (game.start_unix_ms, game.duration_ms),
        (1_700_000_000_000, 1_500)
    );
    assert_eq!((short.winner, short.reason), (None, EndReason::PlyCap));
    assert_eq!(
        (short.resign_side, short.resign_ply, short.play_on),
        (None, None, true)
    );
    assert_eq!((short.network.as_deref(), short.plies()), (None, 2));
    assert_eq!(none.len(), 0);
    check_game::<P>(game, rows).unwrap();
    check_game::<P>(short, none).unwrap();

    // Searches and values: the rows of `examples/golden.rs`, rounded to 1/65535 by largest remainders.
    let kinds = [SearchKind::Full, SearchKind::Engine, SearchKind::Fast];
    let half = Wdl {
        win: 32767.0 * UNIT,
        draw: 16384.0 * UNIT,
        loss: 16384.0 * UNIT,
    };
    for (ply, row) in rows.iter().enumerate() {
        let turn = [Color::Black, Color::White][ply % 2];
        assert_eq!(row.snapshot.turn, turn);
        assert_eq!(row.snapshot.move_number, ply as u32 + 1);
        assert_eq!(row.snapshot.repetitions, 0);
        assert!(!row.in_check);
        assert_eq!(
            row.search,
            kinds.get(ply).copied().unwrap_or(SearchKind::None)
        );
        assert_eq!(row.visits, [200, 1234, 32].get(ply).copied().unwrap_or(0));
        assert_eq!(row.root, (ply < 3).then_some(half));
    }
    assert_eq!(
        rows[0].net,
        Some(Wdl {
            win: half.draw,
            draw: half.win,
            loss: half.loss
        })
    );
    let policy = Policy {
        moves: codes.to_vec(),
        weights: weights.map(|units| units as f32 * UNIT).to_vec(),
    };
    assert_eq!(rows[0].policy.as_ref(), Some(&policy));
    assert!(
        rows[1..]
            .iter()
            .all(|row| row.policy.is_none() && row.net.is_none())
    );

    // The window gives the results from the side to move's view.
    let params = WindowParams {
        policy_only: false,
        validation_share: 0.0,
        ..WindowParams::default()
    };
    let window = ReplayWindow::open(&run, &Shape::of::<P>(), params).unwrap();
    for (ply, row) in rows.iter().enumerate() {
        let sample = window.read(ply as u32).unwrap();
        assert_eq!(
            (sample.ply, sample.plies_left),
            (ply as u32, (plies - ply) as u32)
        );
        assert_eq!(sample.result, [StmResult::Win, StmResult::Loss][ply % 2]);
        assert_eq!(&sample.row, row);
    }

    for (folder, count) in [("games", 2), ("positions", plies as u64)] {
        let report = describe(&run.join(folder).join("000003-0-000000.parquet")).unwrap();
        assert_eq!(report.problems, [] as [&str; 0]);
        assert_eq!((report.schema_version, report.rows), (1, count));
    }
    games
}

#[test]
fn shogi_version_1() {
    // Moves: 128 * from + to, squares row by row from 9a; drops come from 81 + kind (P L N S G B R), promotion adds 16384.
    let games = version_1::<Shogi>(
        "standard",
        "7g7f 3c3d 8h2b+ 3a2b B*4e",
        [56 * 128 + 47, 58 * 128 + 49, 61 * 128 + 52], // 7g7f, 5g5f, 2g2f
        [32767, 16384, 16384],
    );
    let (game, rows) = &games[0];
    assert_eq!(
        game.start_sfen,
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
    );
    assert_eq!(
        game.final_sfen,
        "lnsgkg1nl/1r5s1/pppppp1pp/6p2/5B3/2P6/PP1PPPPPP/7R1/LNSGKGSNL w b 6"
    );
    let played: Vec<u32> = rows.iter().map(|row| row.played).collect();
    let codes = [
        56 * 128 + 47,
        24 * 128 + 33,
        16384 + 64 * 128 + 16,
        6 * 128 + 16,
        86 * 128 + 41,
    ];
    assert_eq!(played, codes);
    // 30 moves at the start for both; then the bishop has 8, the left knight 1 and the bishop no longer stands in the way.
    let legal: Vec<u32> = rows.iter().map(|row| row.legal_moves).collect();
    assert_eq!(legal[..3], [30, 30, 39]);
    // Pieces: P L N S G B R K = 1..=8, 8 more promoted, 16 more for White.
    let start: [u8; 81] = [
        18, 19, 20, 21, 24, 21, 20, 19, 18, // lnsgkgsnl
        0, 23, 0, 0, 0, 0, 0, 22, 0, // 1r5b1
        17, 17, 17, 17, 17, 17, 17, 17, 17, //
        0, 0, 0, 0, 0, 0, 0, 0, 0, //
        0, 0, 0, 0, 0, 0, 0, 0, 0, //
        0, 0, 0, 0, 0, 0, 0, 0, 0, //
        1, 1, 1, 1, 1, 1, 1, 1, 1, //
        0, 6, 0, 0, 0, 0, 0, 7, 0, // 1B5R1
        2, 3, 4, 5, 8, 5, 4, 3, 2, // LNSGKGSNL
    ];
    assert_eq!(rows[0].snapshot.board, start);
    assert_eq!(rows[0].snapshot.hands, [0; 14]);
    let mut board = start;
    (board[56], board[47], board[24], board[33]) = (0, 1, 0, 17); // 7g7f 3c3d
    assert_eq!(rows[2].snapshot.board, board);
    (board[64], board[16]) = (0, 14); // 8h2b+: a horse
    assert_eq!(rows[3].snapshot.board, board);
    assert_eq!(
        rows[3].snapshot.hands,
        [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    );
    (board[6], board[16]) = (0, 20); // 3a2b
    assert_eq!(rows[4].snapshot.board, board);
    assert_eq!(
        rows[4].snapshot.hands,
        [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    );
}

#[test]
fn tenjiku_version_1() {
    // Moves: from + 256 * to, squares row by row from 16a; promotion adds 2^25.
    let games = version_1::<Tenjiku>(
        "historical",
        "7l7k 7e7f 10m10d+ 7f7g",
        [183 + 256 * 167, 184 + 256 * 168, 185 + 256 * 169], // 9l9k, 8l8k, 7l7k
        [16384, 16384, 32767],
    );
    let (game, rows) = &games[0];
    assert!(game.final_sfen.ends_with(" b - 5"), "{}", game.final_sfen);
    let played: Vec<u32> = rows.iter().map(|row| row.played).collect();
    let codes = [
        185 + 256 * 169,
        73 + 256 * 89,
        198 + 256 * 54 + (1 << 25),
        89 + 256 * 105,
    ];
    assert_eq!(played, codes);
    assert_eq!(rows[0].legal_moves, 74); // rules/tenjiku.md, section 17
    // Pieces: P D I C S G FL N L RC CS BT Kr Ph Q Ln ... from 1, 36 more promoted, 72 more for White.
    let board = &rows[0].snapshot.board;
    assert_eq!(board.len(), 256);
    let back = [9, 8, 7, 3, 4, 5, 6, 36, 35, 6, 5, 4, 3, 7, 8, 9]; // LN[FL]ICSGK[DE]GSCI[FL]NL
    assert_eq!(board[240..], back);
    let mut front = back.map(|code| code + 72); // turned by 180 degrees
    front.reverse();
    assert_eq!(board[..16], front);
    assert_eq!(board[176..192], [1; 16]); // pawns
    assert_eq!(board[64..80], [73; 16]);
    let dogs = [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]; // 4D6D4
    assert_eq!(board[160..176], dogs);
    assert!(board[96..160].iter().all(|&code| code == 0));
    assert_eq!((board[198], board[54]), (28, 28 + 72)); // the rook generals of file 10
    assert_eq!(rows[0].snapshot.hands, [] as [u8; 0]);
    let mut board = board.clone();
    (board[185], board[169], board[73], board[89]) = (0, 1, 0, 73); // 7l7k 7e7f
    assert_eq!(rows[2].snapshot.board, board);
    (board[198], board[54]) = (0, 0); // 10m10d+ takes one, and the demon on 10c burns the taker
    assert_eq!(board[38], 34 + 72);
    assert_eq!(rows[3].snapshot.board, board);
}
