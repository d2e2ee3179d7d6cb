//! Small self-play runs through the command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use records::{Dataset, Shape};
use rules::tenjiku::Tenjiku;

/// Words of a command on `run` with a network and searches as small as can be; `games` in all, two workers.
fn words(stage: &str, run: &Path, games: u32) -> Vec<String> {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/quickstart.toml");
    let mut words = vec![
        stage.to_string(),
        "--config".into(),
        config.display().to_string(),
        "--run".into(),
        run.display().to_string(),
    ];
    for setting in [
        "network.blocks=1",
        "network.channels=8",
        "search.visits=2",
        "selfplay.workers=2",
        "selfplay.games_in_flight=4",
        "selfplay.max_plies=40",
        "selfplay.rows_per_file=1000",
        "train.batch_size=8",
        &format!("selfplay.games={games}"),
    ] {
        words.extend(["--set".to_string(), setting.to_string()]);
    }
    words
}

/// `tenjiku selfplay` or `train` on `run`.
pub fn command(stage: &str, run: &Path, games: u32) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenjiku"));
    command.args(words(stage, run, games)).stdin(Stdio::null());
    command
}

/// The same, started by a shell after `before`, which may set limits.
#[cfg(unix)]
#[allow(dead_code)]
pub fn limited(before: &str, stage: &str, run: &Path, games: u32) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{before}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_tenjiku"))
        .args(words(stage, run, games))
        .stdin(Stdio::null());
    command
}

/// Runs it to its end; what it said on standard error.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    said
}

/// What it said on standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The numbers of all games of a run, in the order of its files. Every file under a final name must be good to the
/// last row; `positions` files that wait for their `games` file are not looked at.
pub fn games(run: &Path) -> Vec<u32> {
    let dataset = Dataset::open(run, &Shape::of::<Tenjiku>()).unwrap();
    assert_eq!(dataset.refused(), []);
    let mut indices = Vec::new();
    for shard in dataset.shards() {
        dataset
            .read(shard, |game, rows| {
                assert_eq!(rows.len(), game.plies() as usize, "{}", game.id);
                indices.push(game.index);
                Ok(())
            })
            .unwrap();
    }
    indices
}

/// Files and folders below `run` whose name begins with a dot, tells that it is temporary, or both.
pub fn hidden(run: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![run.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".lock") {
                continue;
            }
            if name.starts_with('.') || name.ends_with(".part") || name.ends_with(".tmp") {
                found.push(path);
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}
