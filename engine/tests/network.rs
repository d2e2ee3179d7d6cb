//! `tenjiku-engine --network`: transcripts, the same moves as a match player, and files that are refused.

mod talk;

use encoding::Encoded;
use engine::{GameSoFar, NetworkPlayer, Player, SearchKind};
use inference::{Runtime, open_evaluator};
use rules::Position;
use rules::shogi::Shogi;
use rules::tenjiku::{RuleSet, Tenjiku};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use talk::{Engine, network};

/// The numbers after `word` in an info line.
fn numbers<const N: usize>(line: &str, word: &str) -> [i64; N] {
    let mut rest = line.split(' ').skip_while(|w| *w != word).skip(1);
    [(); N].map(|()| rest.next().unwrap().parse().unwrap())
}

/// Plays `text` after checking that it is legal.
fn play<P: Position>(position: &mut P, text: &str) {
    let mv = position.parse_move(text).unwrap();
    position.play(mv);
}

#[test]
fn usi_shows_lines_with_win_rates_and_keeps_to_its_limits() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Tenjiku>(dir.path());
    let mut engine = Engine::start(&["--network", file.to_str().unwrap()]);
    let options = engine.ask("usi", "usiok").join("\n");
    for option in ["Network", "Visits", "MultiPV", "Search", "Threads"] {
        assert!(
            options.contains(&format!("option name {option} type ")),
            "{options}"
        );
    }
    engine.say("setoption name MultiPV value 3");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    engine.say("position startpos moves 9l9k 9e9f");
    let mut position = Tenjiku::start(&RuleSet::HISTORICAL);
    play(&mut position, "9l9k");
    play(&mut position, "9e9f");

    let lines = engine.ask("go nodes 48", "bestmove ");
    let (best, infos) = lines.split_last().unwrap();
    assert_eq!(infos.len(), 3, "{lines:?}");
    for (i, info) in infos.iter().enumerate() {
        assert_eq!(numbers(info, "multipv"), [i as i64 + 1]);
        assert_eq!(numbers(info, "nodes"), [48]);
        let wdl: [i64; 3] = numbers(info, "wdl");
        assert!((wdl.iter().sum::<i64>() - 1000).abs() <= 2, "{info}");
        // 1500 ln(p / (1 - p)) with p the expected score in thousandths, as rounded in the line.
        let [cp]: [i64; 1] = numbers(info, "cp");
        let score = (wdl[0] as f64 + wdl[1] as f64 / 2.0) / 1000.0;
        let exact = 1500.0 * (score / (1.0 - score)).ln();
        assert!((cp as f64 - exact).abs() < 15.0, "{info}: {exact}");
        let mut line = position.clone();
        let pv = info.split(" pv ").nth(1).unwrap();
        pv.split(' ').for_each(|text| play(&mut line, text));
    }
    let first = infos[0].split(" pv ").nth(1).unwrap();
    let first = first.split(' ').next().unwrap();
    assert_eq!(*best, format!("bestmove {first}"));

    engine.say("setoption name Visits value 20");
    let lines = engine.ask("go", "bestmove ");
    assert_eq!(numbers(&lines[0], "nodes"), [20]);
    engine.say("setoption name Visits value 0");
    for go in [
        "go movetime 60",
        "go btime 1000 wtime 1000 binc 100 winc 100",
        "go btime 0 wtime 0 byoyomi 50",
        "go btime 100 wtime 100",
    ] {
        let lines = engine.ask(go, "bestmove ");
        let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
        assert!(position.parse_move(best).is_ok(), "{go}: {best}");
    }
    // Without bound until told, then with more playouts than any other limit would have given.
    engine.say("go infinite");
    engine.ask("isready", "readyok");
    let lines = engine.ask("stop", "bestmove ");
    assert!(lines.last().unwrap().len() > "bestmove ".len());
    engine.say("go nodes 100000000");
    engine.ask("isready", "readyok");
    engine.ask("stop", "bestmove ");
    for bad in ["MultiPV value 0", "Visits value -1", "Search value deep"] {
        let answer = engine.ask(&format!("setoption name {bad}"), "info string");
        assert!(answer[0].contains("must be"), "{answer:?}");
    }
    engine.quit();
}

#[test]
fn cecp_shows_lines_with_win_rates_in_play_and_analysis() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Tenjiku>(dir.path());
    let mut engine = Engine::start(&[]);
    engine.say("xboard");
    let features = engine.ask("protover 2", "feature done=1").join("\n");
    assert!(features.contains("option=\"Network -file "), "{features}");
    engine.say("new");
    engine.say(&format!("option Network={}", file.display()));
    for line in ["option MultiPV=2", "option Visits=30", "post", "st 100"] {
        engine.say(line);
    }
    let lines = engine.ask("go", "move ");
    let thoughts: Vec<_> = lines.iter().filter(|l| l.contains("{win ")).collect();
    assert_eq!(thoughts.len(), 2, "{lines:?}");
    // Depth, score, centiseconds, nodes.
    assert_eq!(thoughts[0].split(' ').nth(3), Some("30"), "{lines:?}");
    engine.say("option Visits=0");
    engine.say("st 0.05");
    let lines = engine.ask("usermove h12h11", "move ");
    assert!(lines.iter().any(|l| l.contains("{win ")), "{lines:?}");
    engine.say("analyze");
    engine.say("exit");
    assert_eq!(engine.ask("ping 4", "pong").pop().unwrap(), "pong 4");
    let answer = engine.ask("option MultiPV=0", "Error");
    assert!(answer[0].contains("from 1 to"), "{answer:?}");
    engine.quit();
}

#[test]
fn the_game_is_that_of_the_network() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Shogi>(dir.path());
    let mut engine = Engine::start(&["--network", file.to_str().unwrap()]);
    engine.ask("usi", "usiok");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    // The gold drops before the king: a proven win in one ply, which ends the search long before its time.
    engine.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    let lines = engine.ask("go movetime 200000", "bestmove ");
    assert_eq!(lines.last().unwrap(), "bestmove G*5b", "{lines:?}");
    let last = &lines[lines.len() - 2];
    assert!(last.contains(" score mate 1 "), "{lines:?}");
    engine.quit();
}

/// With `net:` players equal to `onnx:` players (evaluator/tests/mirror.rs), this is equality with the original.
#[test]
fn at_equal_playouts_the_engine_plays_the_moves_of_a_match_player() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Tenjiku>(dir.path());
    for (name, kind) in [
        ("gumbel", SearchKind::default()),
        ("puct", SearchKind::Puct),
    ] {
        let mut engine = Engine::start(&[
            "--network",
            file.to_str().unwrap(),
            "--visits",
            "24",
            "--search",
            name,
        ]);
        engine.ask("usi", "usiok");
        let mut position = Tenjiku::start(&RuleSet::HISTORICAL);
        let evaluator = open_evaluator::<Tenjiku>(&file, Runtime::Auto, 1, true).unwrap();
        let evaluator = Box::new(evaluator);
        let mut player = NetworkPlayer::new(name.into(), evaluator, kind, 24, &position);
        player.new_game(3).unwrap();
        let mut game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        let mut line = "position startpos moves".to_string();
        for ply in 0..16 {
            // A network that knows nothing may lose its king early.
            if position.outcome().is_some() {
                break;
            }
            let choice = player.choose(&position, &game).unwrap();
            engine.say(&line);
            let answer = engine.ask("go", "bestmove ").pop().unwrap();
            assert_eq!(answer, format!("bestmove {}", choice.mv), "ply {ply}");
            position.play(choice.mv);
            game.moves.push(choice.mv);
            line += &format!(" {}", choice.mv);
        }
        assert!(game.moves.len() >= 8, "{line}");
        engine.quit();
    }
}

/// Standard error and exit code of the engine with this network.
fn refused(file: &Path, game: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tenjiku-engine"))
        .args(["--game", game, "--network"])
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(output.stdout.is_empty());
    said
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "lengths are part of the format");
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes());
    let at = at.unwrap_or_else(|| panic!("no {from} in the file"));
    let mut bytes = bytes.to_vec();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    bytes
}

#[test]
fn bad_networks_are_refused_with_the_reason_at_the_start_and_over_both_protocols() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Tenjiku>(dir.path());
    let good = std::fs::read(&file).unwrap();
    let version = format!("\"version\":{}", Tenjiku::ENCODING_VERSION);
    let mut tampered = good.clone();
    // The graph with its weights comes before the metadata: a byte in its first half is a weight's.
    let embed = good.windows(5).position(|w| w == b"embed").unwrap();
    tampered[embed + 4000] ^= 1;
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("tampered weight", tampered, "weights were changed"),
        (
            "newer encoding",
            replaced(&good, &version, "\"version\":9"),
            "update this program",
        ),
        (
            "truncated",
            good[..good.len() / 2].to_vec(),
            "truncated or damaged",
        ),
        ("not ONNX", b"hello world".to_vec(), "not an ONNX file"),
        ("empty", Vec::new(), "is empty"),
        (
            "wrong shapes",
            replaced(&good, "\"policy_dim\":4", "\"policy_dim\":5"),
            "output `policy` is FLOAT [N, 256, 16], the metadata promise FLOAT [N, 256, 20]",
        ),
    ];
    let bad = dir.path().join("bad.onnx");
    for (name, bytes, reason) in &cases {
        std::fs::write(&bad, bytes).unwrap();
        let said = refused(&bad, "tenjiku");
        assert!(said.contains(reason), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        let path = bad.display().to_string();
        assert!(said.starts_with(&format!("error: {path}")), "{said}");
    }
    let said = refused(&file, "shogi");
    assert!(
        said.contains("a network for tenjiku, this is shogi"),
        "{said}"
    );
    let said = refused(&dir.path().join("none.onnx"), "tenjiku");
    assert!(said.contains("cannot read the network"), "{said}");

    // Over the protocols the program goes on: another file, or none, can be set.
    for (name, bytes, reason) in &cases {
        std::fs::write(&bad, bytes).unwrap();
        let mut engine = Engine::start(&["--hash", "1"]);
        engine.ask("usi", "usiok");
        engine.say(&format!("setoption name Network value {}", bad.display()));
        let lines = engine.ask("isready", "readyok");
        assert!(
            lines[0].starts_with("info string ") && lines[0].contains(reason),
            "{name}: {lines:?}"
        );
        assert!(lines[0].ends_with("alpha-beta plays on"), "{lines:?}");
        plays_alpha_beta(&mut engine);
        // The network that worked before stays as well.
        engine.say(&format!("setoption name Network value {}", file.display()));
        let line = format!("setoption name Network value {}", bad.display());
        let answer = engine.ask(&line, "info string").pop().unwrap();
        let old = format!("{} plays on", file.display());
        assert!(answer.ends_with(&old), "{name}: {answer}");
        plays_network(&mut engine);
        engine.say("setoption name Network value <empty>");
        assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
        plays_alpha_beta(&mut engine);
        engine.quit();

        let mut engine = Engine::start(&["--hash", "1"]);
        engine.say("xboard");
        engine.ask("protover 2", "feature done=1");
        let line = format!("option Network={}", bad.display());
        let answer = engine.ask(&line, "tellusererror").pop().unwrap();
        assert!(answer.contains(reason), "{name}: {answer}");
        engine.say("new");
        assert_eq!(engine.ask("ping 1", "pong").pop().unwrap(), "pong 1");
        engine.say("sd 1");
        engine.ask("go", "move ");
        engine.quit();
    }

    // Only running the network shows that its answers are not those of the canaries.
    let changed = replaced(&good, "\"wdl\":[0.", "\"wdl\":[7.");
    std::fs::write(&bad, changed).unwrap();
    let mut engine = Engine::start(&["--network", bad.to_str().unwrap()]);
    engine.ask("usi", "usiok");
    let lines = engine.ask("isready", "readyok");
    assert!(
        lines[0].contains("canary 1 ") && lines[0].contains("win is"),
        "{lines:?}"
    );
    plays_alpha_beta(&mut engine);
    engine.quit();
}

/// A short search gives a move, with the odds that only a network has.
fn plays_network(engine: &mut Engine) {
    let lines = engine.ask("go nodes 8", "bestmove ");
    assert!(lines[lines.len() - 2].contains(" wdl "), "{lines:?}");
}

/// The same without odds.
fn plays_alpha_beta(engine: &mut Engine) {
    let lines = engine.ask("go depth 1", "bestmove ");
    assert!(
        lines[0].starts_with("info depth 1 ") && !lines[0].contains(" wdl "),
        "{lines:?}"
    );
}

#[test]
fn alpha_beta_plays_where_a_network_can_be_loaded_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Tenjiku>(dir.path());
    let passing = dir.path().join("passing.onnx");
    std::fs::copy(&file, &passing).unwrap();
    let mut engine = Engine::start(&["--hash", "1"]);
    engine.ask("usi", "usiok");
    engine.say(&format!(
        "setoption name Network value {}",
        passing.display()
    ));
    plays_network(&mut engine);
    std::fs::remove_file(&passing).unwrap();
    engine.say("setoption name Threads value 2");
    let lines = engine.ask("isready", "readyok");
    assert!(
        lines[0].contains("cannot read") && lines[0].ends_with("; alpha-beta plays"),
        "{lines:?}"
    );
    plays_alpha_beta(&mut engine);
    engine.quit();

    std::fs::copy(&file, &passing).unwrap();
    let mut engine = Engine::start(&["--hash", "1"]);
    engine.say("xboard");
    engine.say(&format!("option Network={}", passing.display()));
    for line in ["new", "option Visits=8", "ping 1"] {
        engine.say(line);
    }
    assert_eq!(engine.until("pong").len(), 1);
    std::fs::remove_file(&passing).unwrap();
    engine.say("cores 2");
    engine.say("sd 1");
    let lines = engine.ask("go", "move ");
    assert!(
        lines[0].starts_with("tellusererror ") && lines[0].ends_with("; alpha-beta plays"),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn a_network_of_the_other_game_is_told_at_once_and_waits() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = network::<Tenjiku>(dir.path());
    let shogi = network::<Shogi>(other.path());
    let mut engine = Engine::start(&["--hash", "1", "--network", file.to_str().unwrap()]);
    engine.ask("usi", "usiok");
    plays_network(&mut engine);
    let told = engine.ask("setoption name USI_Variant value shogi", "info string");
    let part = "a network for tenjiku, this is shogi";
    assert!(
        told[0].contains(part) && told[0].ends_with("alpha-beta plays"),
        "{told:?}"
    );
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    plays_alpha_beta(&mut engine);
    engine.say("setoption name USI_Variant value tenjiku");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    plays_network(&mut engine);
    let line = format!("setoption name Network value {}", shogi.display());
    let told = engine.ask(&line, "info string");
    assert!(
        told[0].contains("a network for shogi, this is tenjiku")
            && told[0].ends_with("alpha-beta plays until then"),
        "{told:?}"
    );
    plays_alpha_beta(&mut engine);
    engine.say("setoption name USI_Variant value shogi");
    plays_network(&mut engine);
    engine.quit();

    let mut engine = Engine::start(&["--hash", "1", "--network", file.to_str().unwrap()]);
    for line in ["xboard", "new", "sd 1"] {
        engine.say(line);
    }
    let told = engine.ask("variant shogi", "tellusererror");
    assert!(told[0].contains(part), "{told:?}");
    engine.say("sd 1");
    engine.ask("go", "move ");
    engine.quit();
}

#[test]
fn a_network_says_that_it_knows_no_depth() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Tenjiku>(dir.path());
    let mut engine = Engine::start(&["--network", file.to_str().unwrap()]);
    engine.ask("usi", "usiok");
    let lines = engine.ask("go depth 3", "bestmove ");
    assert!(
        lines[0].starts_with("info string depth is ignored"),
        "{lines:?}"
    );
    assert_eq!(numbers(&lines[lines.len() - 2], "nodes"), [800]);
    engine.quit();
    let mut engine = Engine::start(&["--network", file.to_str().unwrap()]);
    for line in ["xboard", "new", "option Visits=8", "sd 3"] {
        engine.say(line);
    }
    let lines = engine.ask("go", "move ");
    assert!(lines[0].starts_with("# sd is ignored"), "{lines:?}");
    engine.quit();
}

/// Another library may be found elsewhere; either way the user hears that it is not the one that was named.
#[test]
fn a_library_that_cannot_be_loaded_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = network::<Shogi>(dir.path());
    let library = dir.path().join("none.so");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tenjiku-engine"))
        .arg("--network")
        .arg(&file)
        .env("ORT_DYLIB_PATH", &library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"usi\nisready\nisready\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("ORT_DYLIB_PATH") && said.contains(library.to_str().unwrap()),
        "{said}"
    );
}
