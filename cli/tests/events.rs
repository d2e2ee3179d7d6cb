//! `match`, `tournament`, `gate`, `openings` and `ratings` from outside: exit codes, kills, faults, a tiny run.

use records::{Dataset, GameRecord, Shape};
use rules::tenjiku::Tenjiku;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenjiku"));
    command.args(args).stdin(Stdio::null());
    command
}

fn tenjiku(args: &[&str]) -> Output {
    command(args).output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Runs, asserts the exit code, and gives what was said.
fn ends(args: &[&str], code: i32) -> String {
    let output = tenjiku(args);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert!(!text.contains("panicked"), "{args:?}: {text}");
    text
}

fn report(folder: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(folder.join("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn games(folder: &Path) -> Vec<GameRecord> {
    let dataset = Dataset::open(folder, &Shape::of::<Tenjiku>()).unwrap();
    assert!(dataset.refused().is_empty(), "{:?}", dataset.refused());
    let mut games: Vec<GameRecord> = dataset
        .shards()
        .iter()
        .flat_map(|shard| dataset.games(shard).unwrap())
        .collect();
    games.sort_by_key(|g| g.index);
    games
}

/// Starts the command, waits until its text record has at least `games` games, and sends it a signal.
#[cfg(unix)]
fn interrupt(args: &[&str], folder: &Path, games: usize, signal: &str) -> Option<i32> {
    let mut child = command(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let count = || {
        let text = std::fs::read_to_string(folder.join("games.txt")).unwrap_or_default();
        text.matches("[Event ").count()
    };
    while count() < games && begun.elapsed() < Duration::from_secs(120) {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill")
        .args([signal, &id])
        .stderr(Stdio::null())
        .status();
    assert!(sent.is_ok());
    child.wait().unwrap().code()
}

#[cfg(unix)]
#[test]
fn a_match_that_is_killed_plays_every_game_once() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    let args = |out: &Path| {
        let out = out.display().to_string();
        let words = [
            "match",
            "--players",
            "greedy",
            "random",
            "--games",
            "300",
            "--max-plies",
            "60",
        ];
        let more = ["--concurrency", "2", "--boards", "2", "--out", &out];
        words
            .iter()
            .chain(&more)
            .map(|w| w.to_string())
            .collect::<Vec<_>>()
    };
    let of_killed = args(&killed);
    let of_killed: Vec<&str> = of_killed.iter().map(String::as_str).collect();
    for (games, signal) in [(1, "-KILL"), (20, "-KILL"), (60, "-INT"), (110, "-KILL")] {
        let code = interrupt(&of_killed, &killed, games, signal);
        // On a busy machine it may have played to its end before the signal.
        if signal == "-INT" && code != Some(0) {
            assert_eq!(code, Some(1), "a stopped match is not finished");
            assert_eq!(report(&killed)["complete"], false);
        }
    }
    ends(&of_killed, 0);
    let of_whole = args(&whole);
    ends(&of_whole.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    let [a, b] = [games(&killed), games(&whole)];
    assert_eq!(a.len(), 300);
    for (a, b) in a.iter().zip(&b) {
        assert!(a.same_play(b), "{} differs from {}", a.id, b.id);
    }
    let numbers = |folder: &Path| {
        let mut report = report(folder);
        report["seconds"] = serde_json::Value::Null;
        report
    };
    assert_eq!(numbers(&killed), numbers(&whole));
    for name in [
        "report.txt",
        "report.html",
        "games.txt",
        "openings.txt",
        "event.json",
    ] {
        assert!(killed.join(name).is_file(), "{name}");
    }
    // The texts can be imported again.
    let text = killed.join("games.txt").display().to_string();
    let again = dir.path().join("again").display().to_string();
    assert!(ends(&["import", &text, "--out", &again], 0).contains("300 games imported"));
}

#[test]
fn a_gate_tells_its_verdict_by_its_exit_code() {
    let gate = |candidate: &str, baseline: &str, more: &[&str], code: i32| {
        let mut args = vec![
            "gate",
            "--candidate",
            candidate,
            "--baseline",
            baseline,
            "--elo1",
            "200",
        ];
        args.extend(more);
        ends(&args, code)
    };
    assert!(gate("greedy", "random", &["--games", "200"], 0).contains(": accept"));
    assert!(gate("random", "greedy", &["--games", "200"], 3).contains(": reject"));
    assert!(gate("greedy", "random", &["--games", "2"], 4).contains("undecided"));
    // A deterministic player against itself from one position: no verdict.
    let engine = "engine:depth=1";
    let alike = ["--games", "8", "--opening-plies", "0", "--max-plies", "12"];
    let text = gate(engine, engine, &alike, 1);
    assert!(
        text.contains("the verdict is refused: only 1 of 8 games are distinct"),
        "{text}"
    );
    ends(&["gate", "--candidate", "random"], 2);
    let text = ends(
        &[
            "gate",
            "--candidate",
            "random",
            "--baseline",
            "greedy",
            "--elo1",
            "-5",
        ],
        2,
    );
    assert!(
        text.contains("gate.sprt.elo1 = -5, must be above elo0 = 0"),
        "{text}"
    );
}

#[test]
fn openings_are_made_and_played() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let file = path("openings.txt");
    ends(
        &[
            "openings",
            "--count",
            "5",
            "--plies",
            "4",
            "--judge",
            "engine:depth=1",
            "--out",
            &file,
        ],
        0,
    );
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("position startpos moves"))
        .collect();
    assert_eq!(lines.len(), 5);
    for line in &lines {
        let score: f64 = line.split('#').nth(1).unwrap().trim().parse().unwrap();
        assert!((0.45..=0.55).contains(&score), "{line}");
    }
    let out = path("event");
    let play = [
        "match",
        "--players",
        "random",
        "random",
        "--max-plies",
        "10",
        "--openings",
        &file,
    ];
    let with = |games: &'static str| [&play[..], &["--games", games, "--out", &out]].concat();
    ends(&with("10"), 0);
    for (i, pair) in games(Path::new(&out)).chunks(2).enumerate() {
        let moves = lines[i]
            .split("moves ")
            .nth(1)
            .unwrap()
            .split("   #")
            .next()
            .unwrap();
        assert!(pair.iter().all(|g| g.moves.starts_with(moves)), "{moves}");
    }
    assert!(ends(&with("12"), 2).contains("5 openings for 6 pairs"));
    let text = ends(
        &[
            "openings", "--count", "3", "--judge", "random", "--out", &file,
        ],
        1,
    );
    assert!(text.contains("has no opinion"), "{text}");
    ends(&["openings", "--bound", "0.7", "--out", &file], 2);
}

#[cfg(unix)]
#[test]
fn a_tournament_with_a_broken_engine_ends_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let stub = dir.path().join("stub.sh");
    let pids = dir.path().join("pids");
    let script = format!(
        "echo $$ >> '{}'\nwhile read -r l; do case \"$l\" in usi) echo usiok;; isready) echo readyok;; go*) echo bestmove 9l9a;; esac; done\n",
        pids.display()
    );
    std::fs::write(&stub, script).unwrap();
    let spec = format!("usi:\"sh {}\":movetime=50", stub.display());
    let out = dir.path().join("event");
    let out_text = out.display().to_string();
    let args = [
        "tournament",
        "--players",
        "greedy",
        "random",
        &spec,
        "--games",
        "2",
        "--max-plies",
        "60",
    ];
    let more = [
        "--anchor",
        "random",
        "--anchor-elo",
        "100",
        "--attempts",
        "2",
        "--out",
        &out_text,
    ];
    let text = ends(&[&args[..], &more[..]].concat(), 1);
    assert!(
        text.contains("2 pairs could not be finished because a player failed"),
        "{text}"
    );
    let report = report(&out);
    assert_eq!(
        (&report["games"], &report["pairs_dropped"]),
        (&2.into(), &2.into())
    );
    assert_eq!(report["players"][2]["faults"]["illegal_move"], 4);
    assert_eq!(report["players"][1]["rating"]["elo"]["value"], 100.0);
    assert!(
        report["players"][2]["rating"]["elo"].is_null(),
        "not enough games"
    );
    assert_eq!(std::fs::read_dir(out.join("faults")).unwrap().count(), 4);
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        let runs = Command::new("kill")
            .args(["-0", pid])
            .stderr(Stdio::null())
            .status();
        assert!(!runs.unwrap().success(), "process {pid} was left");
    }
}

#[test]
fn settings_come_from_files_and_flags() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "good.toml",
        "players = [\"random\", \"greedy\"]\ngames = 4\n[play]\nmax_plies = 20\nseed = 3\n",
    );
    let text = ends(
        &[
            "match",
            "--config",
            &path("good.toml"),
            "--set",
            "games=2",
            "--json",
        ],
        0,
    );
    assert!(text.contains("\"games\":2,"), "{text}");
    let text = ends(
        &[
            "match",
            "--config",
            &path("good.toml"),
            "--games",
            "6",
            "--json",
        ],
        0,
    );
    assert!(text.contains("\"games\":6,"), "{text}");
    write(
        "bad.toml",
        "players = [\"random\"]\n[play]\nmax_plys = 20\n",
    );
    let text = ends(&["match", "--config", &path("bad.toml")], 2);
    assert!(
        text.contains("bad.toml:3: unknown field `max_plys`; did you mean `max_plies`?"),
        "{text}"
    );
    for (args, part) in [
        (
            vec!["match", "--players", "random", "greedy", "--attempts", "0"],
            "match.play.attempts = 0",
        ),
        (
            vec![
                "match",
                "--players",
                "random",
                "greedy",
                "--anchor",
                "engine:depth=1",
            ],
            "must be one of the players",
        ),
        (
            vec![
                "match",
                "--players",
                "random",
                "greedy",
                "--on-fault",
                "cry",
            ],
            "must be replay or drop",
        ),
        (
            vec!["tournament", "--players", "random"],
            "nobody meets anybody",
        ),
        (
            vec![
                "tournament",
                "--players",
                "random",
                "--format",
                "generations",
            ],
            "run is missing",
        ),
        (
            vec![
                "tournament",
                "--players",
                "random",
                "greedy",
                "--format",
                "swiss",
            ],
            "must be round-robin",
        ),
    ] {
        let text = ends(&args, 2);
        assert!(text.contains(part), "{args:?}: {text}");
    }
}

#[test]
fn a_tiny_run_is_rated_and_a_network_scores_half_against_itself() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let run_text = run.display().to_string();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/quickstart.toml");
    let config = config.display().to_string();
    let loop_args = [
        "loop",
        "--config",
        &config,
        "--run",
        &run_text,
        "--set",
        "generations=1",
        "--set",
        "selfplay.games=4",
        "--set",
        "selfplay.games_in_flight=4",
        "--set",
        "selfplay.max_plies=30",
        "--set",
        "search.visits=8",
        "--set",
        "network.blocks=1",
        "--set",
        "network.channels=8",
        "--set",
        "train.batch_size=16",
        "--set",
        "train.samples_per_position=1",
        "--set",
        "evaluation.games=2",
        "--set",
        "evaluation.visits=4",
        "--set",
        "evaluation.max_plies=40",
        "--set",
        "ratings.enabled=true",
        "--set",
        "ratings.games=2",
        "--set",
        "ratings.visits=4",
        "--set",
        "ratings.max_plies=40",
        "--set",
        "ratings.pool=[\"random\", \"greedy\"]",
    ];
    let text = ends(&loop_args, 0);
    assert!(text.contains("generation:1:visits=4"), "{text}");
    let read = || -> serde_json::Value {
        let text = std::fs::read_to_string(run.join("ratings.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let ratings = read();
    let names: Vec<&str> = ratings["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "generation:0:visits=4",
            "generation:1:visits=4",
            "random",
            "greedy"
        ]
    );
    // Pool 2, generation 0 against two, generation 1 against two and the oldest: 6 encounters of 2 games.
    assert_eq!(ratings["games"], 12);
    assert_eq!(
        (&ratings["anchor"], &ratings["version"]),
        (&"random".into(), &1.into())
    );
    assert!(
        std::fs::read_to_string(run.join("ratings.html"))
            .unwrap()
            .contains("<svg")
    );
    // Again: nothing is played, nothing changes.
    let again = [
        "ratings",
        "--run",
        &run_text,
        "--games",
        "2",
        "--visits",
        "4",
        "--max-plies",
        "40",
        "--pool",
        "random",
        "greedy",
    ];
    ends(&again, 0);
    assert_eq!(read(), ratings);
    // The matches of the loop lie in folders of their own and are complete.
    let folder = run.join("matches/000001-generation_0");
    assert_eq!(
        (report(&folder)["complete"].as_bool(), games(&folder).len()),
        (Some(true), 2)
    );

    let network = format!("onnx:{}:visits=4", run.join("export/000001.onnx").display());
    let itself = [
        "match",
        "--players",
        &network,
        &network,
        "--games",
        "12",
        "--max-plies",
        "60",
        "--json",
    ];
    let output = tenjiku(&itself);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let score = |i: usize| value["encounters"][0]["score"][i].as_f64().unwrap();
    assert!(score(1) <= 0.5 && score(2) >= 0.5, "{value}");
    assert_eq!(value["warnings"].as_array().unwrap().len(), 0, "{value}");
    let text = ends(
        &[&itself[..itself.len() - 1], &["--opening-plies", "0"]].concat(),
        0,
    );
    assert!(
        text.contains("games are distinct, the others repeat them"),
        "{text}"
    );

    let pool = [
        "tournament",
        "--format",
        "generations",
        "--run",
        &run_text,
        "--players",
        "random",
    ];
    let text = ends(
        &[
            &pool[..],
            &["--games", "2", "--visits", "2", "--max-plies", "20"],
        ]
        .concat(),
        0,
    );
    assert!(
        text.contains("generation:0:visits=2") && text.contains("generation:1:visits=2"),
        "{text}"
    );
    // Openings by the policy of the network.
    let file = dir.path().join("policy.txt").display().to_string();
    let policy = [
        "openings",
        "--count",
        "2",
        "--policy",
        &network,
        "--judge",
        "engine:depth=1",
        "--bound",
        "0.2",
    ];
    ends(&[&policy[..], &["--out", &file]].concat(), 0);
}

#[test]
fn settings_need_no_config_file() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out").display().to_string();
    let mut args = vec!["match", "--players", "random", "random", "--out", &out];
    args.extend(["--games", "2", "--set", "play.max_plies=12"]);
    ends(&args, 0);
    assert!(games(Path::new(&out)).iter().all(|game| game.plies() <= 12));
    *args.last_mut().unwrap() = "play.max_pies=12";
    assert!(ends(&args, 2).contains("max_plies"));
}

#[test]
fn a_folder_that_is_a_file_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("taken");
    std::fs::write(&path, "").unwrap();
    let path = path.display().to_string();
    let text = ends(
        &["match", "--players", "random", "random", "--out", &path],
        1,
    );
    assert_eq!(text.matches("File exists").count(), 1, "{text}");
}
