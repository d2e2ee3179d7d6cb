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

/// Imported games to a network, and from there to a larger one in a new run.
#[test]
fn imported_games_are_trained_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "games.txt",
        "position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b\n\
         position startpos moves 2g2f 8c8d 2f2e 8d8e 2e2d 2c2d 2h2d 8e8f\n",
    );
    let config = |imitate: &str, blocks: u32| {
        format!(
            "game = \"shogi\"\n[network]\nchannels = 4\nblocks = {blocks}\npolicy_dim = 2\nvalue_channels = 4\n\
             [train]\nbatch_size = 8\nthreads = 1\ndevice = \"cpu\"\n{imitate}\n\
             [train.window]\nvalidation_share = 0.0\npolicy_only = {}\n",
            imitate.is_empty()
        )
    };
    write("searched.toml", &config("", 1));
    write("imitate.toml", &config("imitate = \"all\"", 1));
    write("larger.toml", &config("imitate = \"all\"", 2));
    let good = |args: &[&str]| -> (String, String) {
        let output = tenjiku(args);
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(output.status.success(), "{args:?}: {said}");
        (stdout(&output), said)
    };

    // No folder, an empty one, and one of another game are told apart; nothing is left in them.
    let [none, empty] = ["none", "empty"].map(path);
    std::fs::create_dir(&empty).unwrap();
    let train =
        |config: &str, run: &str| ["train", "--config", config, "--run", run].map(String::from);
    let refused = |args: &[String], code, part: &str| {
        refused(
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
            code,
            part,
        );
    };
    refused(&train(&path("imitate.toml"), &none), 1, "no run here");
    refused(&train(&path("imitate.toml"), &empty), 1, "no run here");
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
    // Nor does an import in which no game is good.
    write("nonsense.txt", "nonsense");
    refused(
        &["import", &path("nonsense.txt"), "--out", &empty].map(String::from),
        1,
        "no game could be imported",
    );
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
    let run = path("run");
    good(&[
        "import",
        &path("games.txt"),
        "--game",
        "shogi",
        "--out",
        &run,
    ]);
    // The evaluation that is fitted to games is tenjiku's.
    refused(
        &["tune".into(), run.clone()],
        1,
        "no games of tenjiku in it",
    );
    write("tenjiku.toml", "");
    refused(
        &train(&path("tenjiku.toml"), &run),
        1,
        "no tenjiku positions to train on",
    );
    assert!(!dir.path().join("run/run.toml").exists());

    refused(
        &train(&path("searched.toml"), &run),
        1,
        "train.imitate = \"all\"",
    );
    let (out, said) = good(&["train", "--config", &path("imitate.toml"), "--run", &run]);
    assert_eq!(out.trim(), format!("{run}/networks/000001"));
    for part in [
        "parameters",
        "MFLOP a position",
        "GB in all",
        "16 positions of 2 games",
        "top move",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (out, _) = good(&["inspect", "--json", &format!("{run}/networks/000001")]);
    let about: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(
        about["cost"]["parameters"].as_u64().unwrap() > 100,
        "{about}"
    );
    assert!(about["cost"]["flops"].as_u64().unwrap() > 1000, "{about}");

    // A larger network in a new run begins with what fits.
    let second = path("second");
    good(&[
        "import",
        &path("games.txt"),
        "--game",
        "shogi",
        "--out",
        &second,
    ]);
    let source = format!("{run}/networks/000001");
    let with_source = |run: &str, source: &str| {
        let mut args = train(&path("larger.toml"), run).to_vec();
        args.extend(["--init-from".into(), source.into()]);
        args
    };
    refused(
        &with_source(&second, &path("nowhere")),
        1,
        "no network or checkpoint folder",
    );
    let args = with_source(&second, &source);
    let (_, said) = good(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(
        said.contains("tensors copied: ") && said.contains("blocks.0.conv1.weight"),
        "{said}"
    );
    assert!(
        said.contains("initialised: ") && said.contains("blocks.1.conv1.weight"),
        "{said}"
    );
    assert!(said.contains("dropped: none"), "{said}");
    let hash = &about["manifest"]["hash"];
    let (out, _) = good(&["inspect", "--json", &format!("{second}/networks/000000")]);
    let about: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(&about["manifest"]["parent"], hash);
    refused(&args, 1, "leave --init-from out");
    refused(
        &train(&path("imitate.toml"), &second),
        1,
        "blocks is 2, the config says 1",
    );
}

#[test]
fn configs_name_bad_training_settings() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c.toml");
    std::fs::write(&path, "[train]\nbatch_size = 0\n").unwrap();
    let path = path.display().to_string();
    refused(
        &["loop", "--config", &path],
        2,
        "c.toml:2: train.batch_size = 0, must be between 1 and 65536",
    );
}

#[test]
fn every_config_file_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let output = tenjiku(&["config", "--config", &path.display().to_string()]);
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(output.status.success(), "{}: {said}", path.display());
        files += 1;
    }
    assert!(files >= 3);
}

/// A few games of the handcrafted engine, and a network that learns from them with every auxiliary head.
#[test]
fn the_bootstrap_config_learns_from_the_engine() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run").display().to_string();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/bootstrap.toml");
    let small = "selfplay.player=engine:depth=1 selfplay.games=2 selfplay.max_plies=14 selfplay.opening_plies=2 \
                 network.channels=4 network.blocks=1 train.batch_size=8 train.threads=1 train.device=cpu \
                 train.auxiliary.future_plies=4 train.auxiliary.short_term_plies=[2,5] train.auxiliary.soft_policy=0.5";
    let run_it = |verb: &str| {
        let mut args = vec![verb, "--config", config, "--run", &run];
        args.extend(small.split_whitespace().flat_map(|set| ["--set", set]));
        let output = tenjiku(&args);
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(output.status.success(), "{verb}: {said}");
        said
    };
    run_it("selfplay");
    let said = run_it("train");
    for part in [
        "parameters in auxiliary heads",
        ", future ",
        ", short term ",
        ", soft policy ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        dir.path()
            .join("run/networks/000001/model.safetensors")
            .is_file()
    );
}
