//! `tenjiku inspect`: any file or folder of ours, in words.

use crate::game::{Game, GameName, GameTask, with_game};
use anyhow::{Context, Result, bail};
use inference::{Manifest, OnnxFile};
use records::{RunDir, Shape, describe_run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Tells what a file or folder of a run holds, and what is wrong with it.
///
/// Knows run directories, network and checkpoint folders, exported networks, record files, metrics, and reports in JSON.
/// Of a run every row is read; files that are refused are listed and counted. A damaged file given by name is an error.
///
/// Example: tenjiku inspect runs/quickstart
#[derive(clap::Args)]
pub struct InspectArgs {
    /// File or folder.
    path: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Of a run, read the `games` files only: faster, but damage in `positions` goes unseen.
    #[arg(long)]
    quick: bool,
}

struct OfRun {
    run: RunDir,
    thorough: bool,
}

impl GameTask for OfRun {
    type Output = Result<Value>;
    fn run<P: Game>(self) -> Result<Value> {
        let report = describe_run(self.run.root(), &Shape::of::<P>(), self.thorough)?;
        let mut value = serde_json::to_value(&report)?;
        value["what"] = "run".into();
        value["files"] = report.shards.into();
        value["info"] = serde_json::to_value(self.run.info())?;
        value["newest_generation"] = json!(self.run.latest_generation()?);
        Ok(value)
    }
}

fn describe(path: &Path, thorough: bool) -> Result<Value> {
    if !path.exists() {
        bail!("{}: no such file or folder", path.display());
    }
    if path.join("run.toml").is_file() {
        let run = RunDir::open(path)?;
        let Ok(game) = run.info().game.parse::<GameName>() else {
            bail!(
                "{}: the run's game `{}` is unknown",
                path.display(),
                run.info().game
            );
        };
        return with_game(game, OfRun { run, thorough });
    }
    if path.join(Manifest::FILE).is_file() {
        let manifest = Manifest::read(path)?;
        let cost = network::Cost::of(&manifest.input, &manifest.architecture);
        return Ok(
            json!({"what": "network", "manifest": manifest, "cost": cost, "summary": format!("{cost}")}),
        );
    }
    let checkpoint = path.join("manifest.toml");
    if checkpoint.is_file() {
        let manifest: toml::Value = toml::from_str(&text_of(&checkpoint)?).with_context(|| {
            format!("{}: not the manifest of a checkpoint", checkpoint.display())
        })?;
        return Ok(json!({"what": "checkpoint", "manifest": manifest}));
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("onnx") => {
            let file = OnnxFile::open(path)?;
            let about = file.metadata();
            Ok(json!({
                "what": "exported network", "rules": about.rules, "input": about.input,
                "architecture": about.architecture, "generation": about.generation, "step": about.step,
                "network_hash": about.network_hash, "rating": about.rating, "code_version": about.code_version,
                "canaries": file.canaries().len(),
            }))
        }
        Some("parquet") if in_folder(path, "metrics") => {
            let mut value = serde_json::to_value(records::describe_table(path)?)?;
            value["what"] = "metrics".into();
            Ok(value)
        }
        Some("parquet") => {
            let mut value = serde_json::to_value(records::describe(path)?)?;
            value["what"] = "records".into();
            Ok(value)
        }
        Some("json") => serde_json::from_str(&text_of(path)?)
            .with_context(|| format!("{}: not JSON", path.display())),
        _ => bail!(
            "{}: neither a run, a network or checkpoint folder, nor an .onnx, .parquet or .json file of ours",
            path.display()
        ),
    }
}

fn text_of(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))
}

fn in_folder(path: &Path, name: &str) -> bool {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    whole.parent().is_some_and(|folder| folder.ends_with(name))
}

/// Runs the command.
pub fn run(args: InspectArgs) -> Result<()> {
    let value = describe(&args.path, !args.quick).with_context(|| "inspect".to_string())?;
    if args.json {
        println!("{value}");
    } else {
        print_tree(&value, 0);
    }
    let count = |key: &str| value[key].as_array().map_or(0, Vec::len);
    let refused = count("refused");
    if refused > 0 {
        eprintln!("warning: {refused} files are not read, see `refused`");
    }
    let unfinished = count("unfinished") + count("orphans");
    if unfinished > 0 {
        eprintln!(
            "note: {unfinished} files are unfinished; unless a process is at work, the next self-play settles them"
        );
    }
    if let Some(problem) = value["problems"].get(0).and_then(Value::as_str) {
        bail!("inspect: {}: {problem}", args.path.display());
    }
    Ok(())
}

/// `key: value` lines, nested by indentation; lists of plain values in one line.
fn print_tree(value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match plain(value) {
                    Some(text) => println!("{indent}{key}: {text}"),
                    None => {
                        println!("{indent}{key}:");
                        print_tree(value, depth + 1);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match plain(item) {
                    Some(text) => println!("{indent}{text}"),
                    None => {
                        print_tree(item, depth);
                        println!("{indent}-");
                    }
                }
            }
        }
        other => println!("{indent}{other}"),
    }
}

/// The value in one line, if it is a plain one or a short list of numbers.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Object(map) if map.is_empty() => Some("none".into()),
        Value::Array(items) if items.is_empty() => Some("none".into()),
        Value::Array(items) if items.len() <= 4 && items.iter().all(Value::is_number) => {
            let texts: Vec<String> = items.iter().map(Value::to_string).collect();
            Some(texts.join(", "))
        }
        Value::Object(_) | Value::Array(_) => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
