//! Self-play from the command line: a run with a tiny network, its status file, and its games played again.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// tract is always there, and rounds alike in every batch.
const CONFIG: &str = r#"
game = "shogi"
seed = 7
[network]
channels = 8
blocks = 1
policy_dim = 4
value_channels = 4
[search]
visits = 8
[selfplay]
games = 4
workers = 2
games_in_flight = 2
max_plies = 16
full_share = 0.5
fast_visits = 4
opening_plies = 4
backend = "tract"
"#;

fn tenjiku(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tenjiku"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// Standard output and error of a command that must succeed.
fn succeed(args: &[&str]) -> (String, String) {
    let output = tenjiku(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{args:?}: {err}");
    (out, err)
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_run_tells_how_far_it_is_and_its_games_come_out_again() {
    let dir = tempfile::tempdir().unwrap();
    let (config, run) = (dir.path().join("c.toml"), dir.path().join("run"));
    std::fs::write(&config, CONFIG).unwrap();
    let (config, run_text) = (config.to_str().unwrap(), run.to_str().unwrap());
    let args = ["selfplay", "--config", config, "--run", run_text];

    let (out, err) = succeed(&[&args[..], &["--explain-speed"]].concat());
    for part in ["time in search", "time in network", "limited by", "try"] {
        assert!(out.contains(part), "{out}");
    }
    assert!(err.contains("4 games, 64 positions"), "{err}");
    assert!(err.contains("4 ply_cap (64 rows)"), "{err}");
    let status = json(&run.join("status.json"));
    assert_eq!(status["schema"], 1);
    assert_eq!(
        (&status["stage"], &status["state"]),
        (&"selfplay".into(), &"finished".into())
    );
    assert_eq!(
        (&status["games_done"], &status["games_wanted"]),
        (&4.into(), &4.into())
    );
    assert_eq!(status["plies"], 64);
    assert!(status["pid"].is_u64() && status["updated_unix_ms"].is_u64());

    // Again: nothing to do.
    let (_, err) = succeed(&args);
    assert!(err.contains("generation 0 has all its 4 games"), "{err}");

    for game in ["000000-000000", "000000-000003"] {
        let (out, _) = succeed(&["replay", "--run", run_text, "--game", game, "--json"]);
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(found["same_game"], true, "{out}");
        assert_eq!(
            (&found["plies"][0], &found["different_rows"]),
            (&16.into(), &0.into())
        );
    }
    let output = tenjiku(&["replay", "--run", run_text, "--game", "000000-000009"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(said.contains("no game `000000-000009`"), "{said}");
}

#[test]
fn an_engine_plays_the_first_generation_and_its_games_come_out_again() {
    let dir = tempfile::tempdir().unwrap();
    let (config, run) = (dir.path().join("c.toml"), dir.path().join("run"));
    let text = CONFIG.replace("[selfplay]", "[selfplay]\nplayer = \"engine:depth=1\"");
    std::fs::write(&config, text).unwrap();
    let (config, run) = (config.to_str().unwrap(), run.to_str().unwrap());
    let (out, err) = succeed(&["selfplay", "--config", config, "--run", run, "--json"]);
    assert!(err.contains("self-play by engine:depth=1"), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&report["tally"]["games"], &report["tally"]["evaluations"]),
        (&4.into(), &0.into())
    );
    let game = ["replay", "--run", run, "--game", "000000-000002"];
    let (out, _) = succeed(&game);
    assert!(out.contains("the same game again"), "{out}");
    assert!(out.contains("all rows are equal"), "{out}");
}

#[test]
fn shared_batches_work_on_the_cpu_too() {
    let dir = tempfile::tempdir().unwrap();
    let (config, run) = (dir.path().join("c.toml"), dir.path().join("run"));
    let text = CONFIG.replace("[selfplay]", "[selfplay]\nbatching = \"shared\"");
    std::fs::write(&config, text).unwrap();
    let (config, run) = (config.to_str().unwrap(), run.to_str().unwrap());
    let (_, err) = succeed(&["selfplay", "--config", config, "--run", run]);
    assert!(err.contains("batches of at most 2, 2 in flight"), "{err}");
    assert!(err.contains("4 games, 64 positions"), "{err}");
}

#[test]
fn bad_settings_are_refused_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("c.toml");
    for (extra, part) in [
        ("player = \"engine:deep=1\"", "unknown option `deep`"),
        (
            "[selfplay.resign]\nthreshold = 0.7",
            "selfplay.resign.threshold = 0.7, must be from 0 to 0.4",
        ),
        (
            "[selfplay.resign]\ntreshold = 0.1",
            "did you mean `threshold`",
        ),
        ("[[selfplay.starts]]\nhandicap = \"no such\"", "entry 1"),
        ("[[selfplay.starts]]\nfile = \"no/such\"", "no/such"),
    ] {
        std::fs::write(&config, format!("{CONFIG}{extra}\n")).unwrap();
        let run = dir.path().join("run");
        let (config, run) = (config.to_str().unwrap(), run.to_str().unwrap());
        let output = tenjiku(&["selfplay", "--config", config, "--run", run]);
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn benches_print_figures_with_units() {
    let small = ["--seconds", "1", "--game", "shogi", "--json"];
    let (out, _) = succeed(&[&["bench", "search"][..], &small].concat());
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["figures"][0]["unit"], "playouts/s");
    assert!(found["figures"][0]["value"].as_f64().unwrap() > 0.0);
}
