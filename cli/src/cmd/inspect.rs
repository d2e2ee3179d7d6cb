//! `tenjiku inspect`: any file or folder of ours, in words.

use crate::game::{Game, GameName, GameTask};
use anyhow::{Context, Result, bail};
use inference::{Manifest, OnnxFile};
use records::{Dataset, RunDir, Shape};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Tells what a file or folder of a run holds, and what is wrong with it.
///
/// Knows run directories, network folders, exported networks and record files.
///
/// Example: tenjiku inspect runs/quickstart
#[derive(clap::Args)]
pub struct InspectArgs {
    /// File or folder.
    path: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

struct OfRun(RunDir);

impl GameTask for OfRun {
    type Output = Result<Value>;
    fn run<P: Game>(self) -> Result<Value> {
        let dataset = Dataset::open(self.0.root(), &Shape::of::<P>())?;
        Ok(json!({
            "what": "run", "info": self.0.info(), "newest_generation": self.0.latest_generation()?,
            "games": dataset.total_games(), "positions": dataset.total_positions(),
            "files": dataset.shards().len(), "refused": dataset.refused(), "orphans": dataset.orphans(),
        }))
    }
}

fn describe(path: &Path) -> Result<Value> {
    if !path.exists() {
        bail!("{}: no such file or folder", path.display());
    }
    if path.join("run.toml").is_file() {
        let run = RunDir::open(path)?;
        let Some(game) = GameName::from_name(&run.info().game) else {
            bail!(
                "{}: the run's game `{}` is unknown",
                path.display(),
                run.info().game
            );
        };
        return game.run(OfRun(run));
    }
    if path.join(Manifest::FILE).is_file() {
        let manifest = Manifest::read(path)?;
        let cost = network::Cost::of(&manifest.input, &manifest.architecture);
        return Ok(
            json!({"what": "network", "manifest": manifest, "cost": cost, "summary": format!("{cost}")}),
        );
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
        Some("parquet") => Ok(serde_json::to_value(records::describe(path)?)?),
        _ => bail!(
            "{}: neither a run, a network folder, an .onnx file nor a .parquet file of ours",
            path.display()
        ),
    }
}

/// Runs the command.
pub fn run(args: InspectArgs) -> Result<()> {
    let value = describe(&args.path).with_context(|| "inspect".to_string())?;
    if args.json {
        println!("{value}");
    } else {
        print_tree(&value, 0);
    }
    Ok(())
}

/// `key: value` lines, nested by indentation.
fn print_tree(value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::Object(_) | Value::Array(_) => {
                        println!("{indent}{key}:");
                        print_tree(value, depth + 1);
                    }
                    Value::String(text) => println!("{indent}{key}: {text}"),
                    other => println!("{indent}{key}: {other}"),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::Object(_) => {
                        print_tree(item, depth);
                        println!("{indent}-");
                    }
                    other => println!("{indent}{other}"),
                }
            }
        }
        other => println!("{indent}{other}"),
    }
}
