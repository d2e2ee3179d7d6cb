//! `tenjiku status`: what a run is doing, on the terminal.

use crate::failure::usage;
use anyhow::Result;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;
use web::RunStatus;

/// A stage that wrote no status for this long, in seconds, is not at work.
const STALE: f64 = 15.0;

/// Generations shown, the newest.
const GENERATIONS: usize = 10;

/// Shows what a run is doing and how far it is: stage at work, generations, training, ratings.
///
/// Example: tenjiku status --run runs/quickstart --watch
#[derive(clap::Args)]
pub struct StatusArgs {
    /// The run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Look again every two seconds until Ctrl-C.
    #[arg(long)]
    watch: bool,
    /// Print one JSON object; with --watch one a line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: StatusArgs) -> Result<()> {
    if !args.run.is_dir() {
        return Err(usage(format!(
            "--run {}: no such folder; name the folder of a run",
            args.run.display()
        )));
    }
    let run = RunStatus::open(&args.run)?;
    let in_place = args.watch && !args.json && std::io::stdout().is_terminal();
    loop {
        let state = run.now()?;
        let text = match args.json {
            true => format!("{state}\n"),
            false => page(&state),
        };
        let clear = if in_place { "\x1b[H\x1b[2J" } else { "" };
        let mut out = std::io::stdout().lock();
        write!(out, "{clear}{text}")?;
        out.flush()?;
        if !args.watch {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(2));
    }
}

/// The state in words. What a run does not have yet is left out.
fn page(state: &Value) -> String {
    let mut text = String::new();
    let word = |key: &str| state[key].as_str().unwrap_or("?");
    let _ = writeln!(
        text,
        "{}: {}, {}, seed {}; {} games, {} positions",
        word("name"),
        word("game"),
        word("rules"),
        state["seed"],
        state["games"],
        state["plies"],
    );
    if let Some(line) = at_work(state) {
        let _ = writeln!(text, "{line}");
    }
    let generations = state["generations"]
        .as_array()
        .map_or(&[][..], |all| &all[all.len().saturating_sub(GENERATIONS)..]);
    for g in generations {
        let count = |side: &str| g["winners"][side].as_u64().unwrap_or(0);
        let _ = writeln!(
            text,
            "generation {:>4}: {} games of {:.0} plies, Black {} draw {} White {}, self-play {:.0} s{}",
            g["generation"].to_string(),
            g["games"],
            number(&g["mean_plies"]),
            count("b"),
            count("draw"),
            count("w"),
            number(&g["selfplay_s"]),
            g["train_s"]
                .as_f64()
                .map_or(String::new(), |s| format!(", training {s:.0} s")),
        );
    }
    for (key, name) in [("training", "training"), ("validation", "validation")] {
        let row = &state[key];
        if row.is_object() {
            let _ = write!(text, "{name}, step {:.0}:", number(&row["step"]));
            for column in [
                "loss",
                "policy",
                "wdl",
                "policy_accuracy",
                "positions_per_second",
            ] {
                if let Some(value) = row[column].as_f64() {
                    let _ = write!(text, " {} {value:.3}", column.replace('_', " "));
                }
            }
            text.push('\n');
        }
    }
    for player in state["ratings"]["players"].as_array().into_iter().flatten() {
        let _ = writeln!(
            text,
            "rating {:<28} {}{}",
            player["name"].as_str().unwrap_or("?"),
            elo(&player["elo"]),
            match (player["low"].as_f64(), player["high"].as_f64()) {
                (Some(low), Some(high)) => format!(" (95 %: {low:.0} to {high:.0})"),
                _ => String::new(),
            },
        );
    }
    for problem in state["problems"].as_array().into_iter().flatten() {
        let _ = writeln!(text, "warning: {}", problem.as_str().unwrap_or_default());
    }
    text
}

/// The stage at work, or the last one.
fn at_work(state: &Value) -> Option<String> {
    let status = &state["status"];
    let stage = status["stage"].as_str()?;
    let mut line = format!(
        "{stage}, generation {}: {}/{} games, {:.0} evals/s, batches {:.0} % full, cache {:.0} %",
        status["generation"],
        status["games_done"],
        status["games_wanted"],
        number(&status["evals_per_s"]),
        100.0 * number(&status["batch_fill"]),
        100.0 * number(&status["cache_hits"]),
    );
    let age = state["status_age_s"].as_f64().unwrap_or(0.0);
    match (status["state"].as_str()?, status["seconds_left"].as_f64()) {
        ("running", _) if age > STALE => {
            let _ = write!(line, "; no word for {age:.0} s, so it was killed or hangs");
        }
        ("running", Some(left)) => {
            let _ = write!(line, ", {left:.0} s left");
        }
        ("running", None) => {}
        (other, _) => {
            let _ = write!(line, "; {other}");
        }
    }
    Some(line)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn elo(value: &Value) -> String {
    value
        .as_f64()
        .map_or("not known".into(), |elo| format!("{elo:+.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_page_says_what_is_there_and_leaves_out_what_is_not() {
        let mut state = json!({
            "name": "r", "game": "shogi", "rules": "standard", "seed": 4, "games": 2, "plies": 90,
            "generations": [{"generation": 0, "games": 2, "mean_plies": 45.0, "winners": {"b": 2},
                             "selfplay_s": 3.0, "train_s": null}],
            "problems": [], "ratings": null, "training": null, "validation": null, "status": null,
        });
        assert_eq!(
            page(&state),
            "r: shogi, standard, seed 4; 2 games, 90 positions\n\
             generation    0: 2 games of 45 plies, Black 2 draw 0 White 0, self-play 3 s\n"
        );
        state["status"] = json!({
            "stage": "selfplay", "state": "running", "generation": 1, "games_done": 3, "games_wanted": 9,
            "evals_per_s": 1000.4, "batch_fill": 0.5, "cache_hits": 0.02, "seconds_left": 7.0,
        });
        state["status_age_s"] = json!(1.0);
        let line = "selfplay, generation 1: 3/9 games, 1000 evals/s, batches 50 % full, cache 2 %, 7 s left";
        assert_eq!(page(&state).lines().nth(1), Some(line));
        state["status_age_s"] = json!(60.0);
        assert!(page(&state).contains("no word for 60 s"));
    }
}
