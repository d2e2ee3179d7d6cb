//! The run view and the report over a run with one small pair of files.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::path::Path;

use records::{
    GameRecord, Kind, Policy, PositionRecord, Provenance, SearchKind, ShardLimits, ShardWriter, Wdl,
};
use rules::tenjiku::Tenjiku;
use rules::{Color, EndReason, GameMove, Position, Rules};
use web::{ServeOptions, Server};

/// Three plies that end nowhere.
const START: &str = "8k7/16/8P7/16/16/16/16/16/16/16/16/16/16/16/16/8K7 b - 1";
const MOVES: [&str; 3] = ["8c8b", "8a9a", "8b8a"];

fn write_run(root: &Path) {
    std::fs::write(
        root.join("run.toml"),
        "game = \"tenjiku\"\nrules = \"historical\"\nseed = 5\ncreated = 1700000000\ncode_version = \"test\"\n",
    )
    .unwrap();
    let rules = <Tenjiku as Position>::Rules::parse("historical").unwrap();
    let mut position = Tenjiku::from_sfen(&rules, START).unwrap();
    let mut rows = Vec::new();
    for (i, text) in MOVES.iter().enumerate() {
        let mv = position.parse_move(text).unwrap();
        rows.push(PositionRecord {
            snapshot: position.snapshot(),
            in_check: position.in_check(),
            legal_moves: position.legal_count() as u32,
            search: SearchKind::Full,
            visits: 10,
            policy: Some(Policy {
                moves: vec![mv.code()],
                weights: vec![1.0],
            }),
            played: mv.code(),
            root: Some(Wdl {
                win: 0.75,
                draw: 0.25,
                loss: 0.0,
            }),
            net: (i == 0).then_some(Wdl {
                win: 0.5,
                draw: 0.0,
                loss: 0.5,
            }),
        });
        position.play(mv);
    }
    let game = GameRecord {
        id: GameRecord::self_play_id(0, 0),
        generation: 0,
        index: 0,
        rules: "historical".into(),
        start_sfen: START.into(),
        moves: MOVES.join(" "),
        winner: None,
        reason: EndReason::PlyCap,
        final_sfen: position.sfen(),
        seed: 1,
        black: "random".into(),
        white: "random".into(),
        network: None,
        play_on: false,
        resign_side: None::<Color>,
        resign_ply: None,
        start_unix_ms: 1_700_000_000_000,
        duration_ms: 2000,
    };
    let provenance = Provenance {
        game: "tenjiku".into(),
        rules: "historical".into(),
        config_hash: String::new(),
        network_hash: String::new(),
        run_seed: 5,
        generation: 0,
        code_version: "test".into(),
        kind: Kind::Selfplay,
    };
    let mut writer =
        ShardWriter::<Tenjiku>::new(root, "0", provenance, ShardLimits::default()).unwrap();
    writer.push(&game, &rows).unwrap();
    writer.finish().unwrap();
}

fn get(address: std::net::SocketAddr, target: &str) -> serde_json::Value {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_run_is_shown_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    std::fs::create_dir(folder.path().join("matches")).unwrap();
    std::fs::write(
        folder.path().join("matches/a.json"),
        "{\"players\":[\"</script><b>\",\"random\"]}",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("status.json"),
        "{\"stage\":\"selfplay\"}",
    )
    .unwrap();
    std::fs::write(folder.path().join("ratings.json"), "not json").unwrap();

    let server = Server::bind(ServeOptions {
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        run: Some(folder.path().to_path_buf()),
        players: Vec::new(),
        hosts: Vec::new(),
        engines: 1,
    })
    .unwrap();
    let address = server.address().unwrap();
    std::thread::spawn(move || server.run());

    let run = get(address, "/api/run");
    assert_eq!(run["games"], 1);
    assert_eq!(run["generations"][0]["mean_plies"], 3.0);
    assert_eq!(run["generations"][0]["selfplay_s"], 2.0);
    assert_eq!(run["status"]["stage"], "selfplay");
    assert_eq!(run["matches"][0][0], "a");
    let problems = run["problems"].to_string();
    assert!(problems.contains("ratings.json"), "{problems}");

    let total = |query: &str| get(address, &format!("/api/run/games?{query}"))["total"].clone();
    assert_eq!(total(""), 1);
    assert_eq!(
        total("winner=draw&reason=ply_cap&min_plies=3&max_plies=3"),
        1
    );
    assert_eq!(total("opening=8c8b%208a9a"), 1);
    for none in [
        "winner=b",
        "reason=time",
        "min_plies=4",
        "max_plies=2",
        "opening=1a",
        "generation=1",
    ] {
        assert_eq!(total(none), 0, "{none}");
    }

    let game = get(address, "/api/run/game?id=000000-000000");
    let plies = game["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 3);
    // White's view of 0.75 and 0.25 is Black's 0 and 0.25.
    assert_eq!(plies[0]["q"], serde_json::json!([750, 250]));
    assert_eq!(plies[1]["q"], serde_json::json!([0, 250]));
    assert_eq!(plies[0]["nq"], serde_json::json!([500, 0]));
    assert_eq!(plies[0]["pol"][0]["m"], "8c8b");
    assert_eq!(plies[0]["pol"][0]["w"], 1000);

    let page = web::report(folder.path()).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("000000-000000"));
    // A name in a file of the run cannot end the element that holds the data.
    assert!(!page.contains("</script><b>"));
    assert!(!page.contains("https://"));
}

#[test]
fn a_folder_that_is_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = web::report(folder.path()).unwrap_err().to_string();
    assert!(error.contains("run.toml"), "{error}");
}
