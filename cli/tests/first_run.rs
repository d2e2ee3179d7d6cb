//! What a newcomer meets: wrong words on the command line, things that are missing on the machine. Each gets one line that names
//! what was looked for, where, and what to do.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn tenjiku() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenjiku"));
    command.stdin(Stdio::null());
    command
}

/// Asserts that the command ends with this code and says one line, in which all of `parts` stand.
fn one_line(command: &mut Command, code: i32, parts: &[&str]) {
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{command:?}: {said}");
    assert!(said.starts_with("error: "), "{command:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{command:?}: no {part}: {said}");
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn wrong_usage_is_one_line_that_says_where_to_look() {
    one_line(
        tenjiku().args(["perft", "99999999999"]),
        2,
        &["99999999999"],
    );
    for (words, parts) in [
        ("loop", &["--config <FILE>", "`tenjiku loop --help`"][..]),
        ("lopp", &["'lopp'", "tip:", "'loop'", "`tenjiku --help`"]),
        ("perft x", &["'x'", "<DEPTH>", "`tenjiku perft --help`"]),
        (
            "bench nothing",
            &["[possible values: rules, search,", "`tenjiku bench --help`"],
        ),
        (
            "moves --game go",
            &["'go'", "[possible values: tenjiku, shogi]"],
        ),
        (
            "match --players random",
            &["2 values required", "`tenjiku match --help`"],
        ),
        ("show --nothing", &["'--nothing'", "`tenjiku show --help`"]),
    ] {
        one_line(tenjiku().args(words.split(' ')), 2, parts);
    }
    // Help is no error.
    for words in [&["--help"][..], &["loop", "--help"], &["--version"]] {
        let output = tenjiku().args(words).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
        assert!(!out(&output).is_empty());
    }
}

#[test]
fn positions_from_flags_name_the_flag_and_what_to_do() {
    for verb in ["moves", "show"] {
        one_line(
            tenjiku().args([verb, "--sfen", "16/16 b - 1"]),
            1,
            &[
                "--sfen: bad SFEN: board: expected 16 ranks, found 2",
                "`tenjiku show --game tenjiku`",
            ],
        );
        one_line(
            tenjiku().args([verb, "--moves", "7l7k 7l7k"]),
            1,
            &["--moves: move 2: `7l7k`", "`tenjiku moves`"],
        );
    }
    // Where the message sends people: the last line of `show` is a position string.
    for game in ["tenjiku", "shogi"] {
        let shown = tenjiku().args(["show", "--game", game]).output().unwrap();
        let shown = out(&shown);
        let sfen = shown
            .lines()
            .last()
            .unwrap()
            .strip_prefix("sfen: ")
            .unwrap();
        let list = |args: &[&str]| out(&tenjiku().args(args).output().unwrap());
        let moves = list(&["moves", "--game", game, "--sfen", sfen]);
        assert_eq!(moves, list(&["moves", "--game", game]));
        assert!(moves.lines().count() > 20, "{moves}");
    }
    one_line(
        tenjiku().args(["perft", "1", "--rules", "easter"]),
        2,
        &["--rules easter: "],
    );
    one_line(
        tenjiku().args([
            "moves",
            "--sfen",
            "4k4/9/9/9/9/9/9/9/4K4 b - 1000001",
            "--game",
            "shogi",
        ]),
        1,
        &["--sfen: ", "1000000"],
    );
}

#[test]
fn a_missing_config_is_named_with_those_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let config = ["loop", "--config", "configs/quickstrat.toml"];
    one_line(
        tenjiku().args(config).current_dir(&root),
        2,
        &[
            "configs/quickstrat.toml: cannot read the config",
            "configs/quickstart.toml",
        ],
    );
    one_line(
        tenjiku()
            .args(["train", "--config", "quickstart.toml", "--run", "x"])
            .current_dir(&root),
        2,
        &[
            "quickstart.toml: cannot",
            "; there are configs/bootstrap.toml, ",
        ],
    );
    let empty = tempfile::tempdir().unwrap();
    one_line(
        tenjiku().args(config).current_dir(empty.path()),
        2,
        &["configs/quickstrat.toml", "--config FILE"],
    );
    // A folder is no config.
    one_line(
        tenjiku()
            .args(["loop", "--config", "configs"])
            .current_dir(&root),
        2,
        &["configs: cannot read the config", "--config FILE"],
    );
}

/// On a machine with more than 900 GPUs this tests nothing.
#[test]
fn a_gpu_that_is_not_there_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, "[train]\ndevice = \"cuda:900\"\n").unwrap();
    let config = config.to_str().unwrap();
    let output = tenjiku()
        .args(["doctor", "--config", config, "--run"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    let line = text.lines().find(|l| l.starts_with("config")).unwrap();
    assert!(
        line.contains("BAD: ") && line.contains("train.device: device `cuda:900`"),
        "{text}"
    );
    let run = folder.path().join("run");
    let mut begin = tenjiku();
    begin.args(["loop", "--config", config, "--run"]).arg(&run);
    one_line(&mut begin, 1, &["train.device: device `cuda:900`"]);
    assert!(!run.exists());
}

#[test]
fn the_doctor_tells_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let output = tenjiku()
        .args(["doctor", "--json", "--run"])
        .arg(folder.path().join("not/yet"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let found: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    let names: Vec<_> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["what"].as_str().unwrap())
        .collect();
    for name in ["libtorch", "ONNX Runtime", "CUDA", "disk", "run folder"] {
        assert!(names.contains(&name), "{name}: {found}");
    }
    // It looks only.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Without its library ONNX Runtime is asked for in vain, and the message says where it was looked for; the doctor knows the way
/// without it.
#[test]
fn a_missing_onnx_runtime_is_said() {
    let folder = tempfile::tempdir().unwrap();
    // A copy of the program: from where it is built, a folder `onnxruntime` could be found above it.
    let program = folder.path().join("tenjiku");
    if std::fs::hard_link(env!("CARGO_BIN_EXE_tenjiku"), &program).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_tenjiku"), &program).unwrap();
    }
    let library = folder.path().join("onnxruntime/lib/libonnxruntime.so");
    let library = library.to_str().unwrap();
    let here = || {
        let mut command = Command::new(&program);
        command
            .current_dir(folder.path())
            .env("ORT_DYLIB_PATH", library);
        command
    };
    let output = here().arg("doctor").output().unwrap();
    let text = out(&output);
    let line = text
        .lines()
        .find(|l| l.starts_with("ONNX Runtime"))
        .unwrap();
    for part in [library, "no such file", "./setup.sh", "tract"] {
        assert!(line.contains(part), "{part}: {text}");
    }
    assert!(output.status.success(), "{text}");
    std::fs::write(
        folder.path().join("c.toml"),
        "[selfplay]\nbackend = \"onnx\"\n",
    )
    .unwrap();
    let output = here()
        .args(["doctor", "--config", "c.toml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    assert!(
        text.contains("selfplay.backend = \"onnx\"") && text.contains("\"auto\""),
        "{text}"
    );
}
