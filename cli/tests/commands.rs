//! The command line from outside: contracts of `design/interfaces.md`, exit codes, one-line errors.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn tenjiku(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tenjiku"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Asserts a failure with this exit code and one error line that contains `part`.
fn refused(args: &[&str], code: i32, part: &str) {
    let output = tenjiku(args);
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    let errors: Vec<_> = said.lines().filter(|l| l.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{args:?}: {said}");
    assert!(errors[0].contains(part), "{args:?}: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
}

fn batch(lines: &str) -> Vec<serde_json::Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tenjiku"))
        .args(["moves", "--batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(lines.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    stdout(&output)
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON lines"))
        .collect()
}

#[test]
fn perft_prints_the_published_counts() {
    // rules/tenjiku.md, section 17.
    assert_eq!(stdout(&tenjiku(&["perft", "2"])), "5550\n");
    assert_eq!(
        stdout(&tenjiku(&[
            "perft",
            "2",
            "--rules",
            "tsa",
            "--threads",
            "2"
        ])),
        "4955\n"
    );
    assert_eq!(stdout(&tenjiku(&["perft", "0"])), "1\n");
    let divided = stdout(&tenjiku(&["perft", "2", "--divide"]));
    let lines: Vec<_> = divided.lines().collect();
    assert_eq!(lines.len(), 75);
    let sum: u64 = lines[..74]
        .iter()
        .map(|l| l.split('\t').nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!((sum, lines[74]), (5550, "5550"));
}

#[test]
fn moves_are_sorted_and_a_finished_game_has_none() {
    let output = tenjiku(&["moves"]);
    let text = stdout(&output);
    let lines: Vec<_> = text.lines().collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    assert_eq!((lines.len(), &lines), (74, &sorted));
    // White has no king: Black has won.
    let over = tenjiku(&[
        "moves",
        "--sfen",
        "16/16/16/16/16/16/16/16/16/16/16/16/16/16/16/K15 w - 1",
    ]);
    assert!(over.status.success());
    assert_eq!(stdout(&over), "");
    assert!(String::from_utf8_lossy(&over.stderr).contains("the game is over: b (royal_captured)"));
}

#[test]
fn batch_answers_every_line_and_survives_bad_ones() {
    let answers = batch(concat!(
        "{\"sfen\":\"\"}\n",
        "{\"sfen\":\"\",\"moves\":[\"7l7k\",\"5d3f\"],\"rules\":\"western\"}\n",
        "{\"sfen\":\"nonsense\"}\n",
        "not json\n",
        "{\"sfen\":\"\",\"moves\":[\"7l7j\"]}\n",
        "{\"sfen\":\"\",\"rules\":\"eastern\"}\n",
        "{\"sfen\":\"\",\"game\":\"go\"}\n",
        "{\"sfen\":\"16/16/16/16/16/16/16/16/16/16/16/16/16/16/16/K15 w - 1\"}\n",
    ));
    assert_eq!(answers.len(), 8);
    assert_eq!(answers[0]["legal"].as_array().unwrap().len(), 74);
    assert_eq!(
        (answers[0]["status"].as_str(), answers[0]["check"].as_bool()),
        (Some("*"), Some(false))
    );
    assert!(answers[1]["sfen"].as_str().unwrap().ends_with(" b - 3"));
    for answer in &answers[2..7] {
        assert!(answer["error"].is_string(), "{answer}");
    }
    assert!(
        answers[4]["error"].as_str().unwrap().contains("move 1"),
        "{}",
        answers[4]
    );
    assert_eq!(answers[7]["status"], "b");
    assert_eq!(answers[7]["reason"], "royal_captured");
}

#[test]
fn bad_input_is_refused_in_one_line() {
    refused(&["moves", "--sfen", "16/16 b - 1"], 1, "SFEN");
    refused(&["moves", "--moves", "7l7k 7l7k"], 1, "move 2");
    refused(&["moves", "--rules", "easter"], 2, "easter");
    refused(
        &["moves", "--rules", "western,forced_promotion=maybe"],
        2,
        "maybe",
    );
    refused(&["moves", "--batch", "file"], 2, "standard input");
    refused(&["match", "--players", "random", "clever"], 2, "clever");
    refused(
        &["match", "--players", "random", "net:/nowhere"],
        1,
        "/nowhere",
    );
    refused(
        &["match", "--players", "random", "greedy", "--games", "0"],
        2,
        "match.games = 0",
    );
    refused(
        &["analyze", "--network", "onnx:/nowhere.onnx"],
        1,
        "/nowhere.onnx",
    );
    refused(&["analyze", "--network", "random"], 2, "only net:DIR");
    refused(
        &["export", "--network", "/nowhere", "--out", "x.onnx"],
        1,
        "/nowhere",
    );
    refused(&["inspect", "/nowhere"], 1, "no such file");
    refused(&["loop", "--config", "/nowhere.toml"], 2, "/nowhere.toml");
}

#[test]
fn bad_configs_and_runs_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("key.toml", "seed = 1\n[search]\nvisist = 3\n");
    refused(
        &["loop", "--config", &path("key.toml")],
        2,
        "key.toml:3: unknown field `visist`; did you mean `visits`?",
    );
    write("range.toml", "[selfplay]\ngames = 0\n");
    refused(
        &["loop", "--config", &path("range.toml")],
        2,
        "range.toml:2: selfplay.games = 0",
    );
    write("rules.toml", "rules = \"eastern\"\n");
    refused(
        &[
            "loop",
            "--config",
            &path("rules.toml"),
            "--run",
            &path("r0"),
        ],
        2,
        "eastern",
    );
    write("good.toml", "seed = 1\n");
    refused(
        &[
            "train",
            "--config",
            &path("good.toml"),
            "--run",
            &path("none"),
        ],
        1,
        "no run here",
    );
    refused(
        &[
            "loop",
            "--config",
            &path("good.toml"),
            "--set",
            "selfplay.gams=3",
        ],
        2,
        "did you mean `games`?",
    );
    // A run that was started with another seed.
    write(
        "run.toml",
        "game = \"tenjiku\"\nrules = \"historical\"\nseed = 2\ncreated = 0\ncode_version = \"0\"\n",
    );
    refused(
        &[
            "selfplay",
            "--config",
            &path("good.toml"),
            "--run",
            &path(""),
        ],
        1,
        "seed = 2, the config says 1",
    );
    write("run.toml", "game = 3\n");
    refused(&["inspect", &path("")], 1, "run.toml");
}

#[test]
fn every_command_of_the_readme_exists_with_its_options() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    let mut commands = 0;
    for part in text.split("cargo run --release -- ").skip(1) {
        let line = part.split(['`', '\n']).next().unwrap();
        let words: Vec<_> = line.split_whitespace().collect();
        let help = tenjiku(&[words[0], "--help"]);
        assert!(help.status.success(), "README: no command `{}`", words[0]);
        let help = stdout(&help);
        assert!(
            help.contains("Example:"),
            "`{} --help` has no example",
            words[0]
        );
        for option in words.iter().filter(|w| w.starts_with("--")) {
            assert!(
                help.contains(option),
                "README: `{}` has no {option}",
                words[0]
            );
        }
        if let Some(config) = words.iter().find(|w| w.starts_with("configs/")) {
            assert!(
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("..")
                    .join(config)
                    .is_file(),
                "README: {config}"
            );
        }
        commands += 1;
    }
    assert!(commands >= 5, "the README shows {commands} commands");
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let script = stdout(&tenjiku(&["completions", "bash"]));
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("man");
    let out_text = out.to_str().expect("text");
    assert!(tenjiku(&["man", "--out", out_text]).status.success());
    for verb in ["perft", "selfplay", "train", "match", "export", "config"] {
        assert!(script.contains(verb), "{verb}");
        assert!(out.join(format!("tenjiku-{verb}.1")).is_file(), "{verb}");
    }
    refused(&["man", "--out", "/dev/null/x"], 1, "/dev/null/x");
}

#[test]
fn config_fills_in_the_defaults_of_a_file() {
    let quickstart = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/quickstart.toml");
    let args = [
        "config",
        "--config",
        quickstart,
        "--set",
        "search.visits=33",
    ];
    let shown = stdout(&tenjiku(&args));
    let shown: toml::Table = shown.parse().expect("TOML");
    assert_eq!(shown["search"]["visits"].as_integer(), Some(33));
    assert_eq!(shown["search"]["puct"]["c_base"].as_float(), Some(19652.0));
    refused(&["config", "--config", "/no/such.toml"], 2, "/no/such.toml");
}
