//! What is made from the definitions of the command line and of the settings.

use std::process::{Command, Output};

fn tenjiku(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tenjiku"))
        .args(args)
        .output()
        .expect("the binary runs")
}

fn stdout(args: &[&str]) -> String {
    String::from_utf8(tenjiku(args).stdout).expect("text")
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let script = stdout(&["completions", "bash"]);
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("man");
    let out_text = out.to_str().expect("text");
    assert!(tenjiku(&["man", "--out", out_text]).status.success());
    for verb in ["perft", "selfplay", "train", "match", "export", "config"] {
        assert!(script.contains(verb), "{verb}");
        assert!(out.join(format!("tenjiku-{verb}.1")).is_file(), "{verb}");
    }
    let refused = tenjiku(&["man", "--out", "/dev/null/x"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn config_fills_in_the_defaults_of_a_file() {
    let quickstart = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/quickstart.toml");
    let shown = stdout(&[
        "config",
        "--config",
        quickstart,
        "--set",
        "search.visits=33",
    ]);
    let shown: toml::Table = shown.parse().expect("TOML");
    assert_eq!(shown["search"]["visits"].as_integer(), Some(33));
    assert_eq!(shown["search"]["puct"]["c_base"].as_float(), Some(19652.0));
    let refused = tenjiku(&["config", "--config", "/no/such.toml"]);
    assert_eq!(refused.status.code(), Some(2));
}
