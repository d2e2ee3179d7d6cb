//! `tenjiku config`: every setting of a run and of an event, as a reference for people and as a schema for editors.

use crate::config::{self, Checked};
use crate::event_config::EventConfig;
use crate::failure::usage;
use crate::run_config::RunConfig;
use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Explains the settings of runs and tournaments, or shows what a config file comes to.
///
/// Without `--config`: every key with type, default and meaning, as Markdown (docs/configuration.md is this text), or
/// with `--json` as JSON Schema, which editors use to complete and check TOML files.
/// With `--config`: the file with all defaults filled in, as the stages would save it.
///
/// Example: tenjiku config --config configs/quickstart.toml --set search.visits=64
#[derive(clap::Args)]
pub struct ConfigArgs {
    /// Show this config with its defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change a setting.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "config")]
    overrides: Vec<String>,
    /// Print JSON: the schema, or the config.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: ConfigArgs) -> Result<()> {
    let text = match (&args.config, args.json) {
        (Some(path), _) => {
            let text = config::read(path)?;
            // Players are named in the config of an event alone.
            let table = text.parse::<toml::Table>();
            match table.is_ok_and(|table| table.contains_key("players")) {
                true => filled_in::<EventConfig>(path, &text, &args)?,
                false => filled_in::<RunConfig>(path, &text, &args)?,
            }
        }
        (None, true) => serde_json::to_string_pretty(&json!({
            "run": schemars::schema_for!(RunConfig),
            "event": schemars::schema_for!(EventConfig),
        }))?,
        (None, false) => reference()?,
    };
    writeln!(std::io::stdout().lock(), "{}", text.trim_end())?;
    Ok(())
}

/// The config `text` of the file `path` with its defaults.
fn filled_in<T: DeserializeOwned + Serialize + Checked>(
    path: &Path,
    text: &str,
    args: &ConfigArgs,
) -> Result<String> {
    let config: T = config::parse(&path.display().to_string(), text, &args.overrides)?;
    Ok(match args.json {
        true => serde_json::to_string(&config)?,
        false => config::resolved(&config)?.0,
    })
}

/// The reference as Markdown: one table a section, keys sorted.
fn reference() -> Result<String> {
    let mut text = String::from(
        "# Configuration\n\nMade by `tenjiku config`. All keys are optional; an unknown one is refused with the nearest valid name, \
         and every key can be set\non the command line with `--set section.key=value`.\n",
    );
    for (title, schema) in [
        (
            "Runs: `loop`, `selfplay`, `train`",
            schemars::schema_for!(RunConfig),
        ),
        (
            "Events: `match`, `tournament`, `gate`",
            schemars::schema_for!(EventConfig),
        ),
    ] {
        let _ = writeln!(text, "\n# {title}");
        let schema = schema.to_value();
        section(&schema, &schema, "", &mut text)?;
    }
    Ok(text)
}

fn section(root: &Value, node: &Value, path: &str, text: &mut String) -> Result<()> {
    let title = if path.is_empty() {
        "Top level".to_string()
    } else {
        format!("`[{path}]`")
    };
    let _ = writeln!(text, "\n## {title}");
    if let Some(about) = node["description"].as_str().filter(|_| !path.is_empty()) {
        let _ = writeln!(text, "{}", prose(about));
    }
    text.push_str("\n| key | type | default | meaning |\n|---|---|---|---|\n");
    let empty = Map::new();
    let keys = node["properties"].as_object().unwrap_or(&empty);
    let mut below = Vec::new();
    for (key, value) in keys {
        let target = resolve(root, value)?;
        if target["properties"].is_object() {
            below.push((key, target));
            continue;
        }
        let about = value["description"].as_str().unwrap_or_default();
        let default = match &value["default"] {
            Value::Null => String::new(),
            other => format!("`{}`", round(other)),
        };
        let _ = writeln!(
            text,
            "| `{key}` | {} | {default} | {} |",
            kind(root, value)?,
            prose(about).replace('|', "\\|")
        );
    }
    for (key, target) in below {
        let path = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        section(root, target, &path, text)?;
    }
    Ok(())
}

/// What a `$ref` stands for; the node itself where there is none.
fn resolve<'a>(root: &'a Value, node: &'a Value) -> Result<&'a Value> {
    let Some(reference) = node["$ref"].as_str() else {
        return Ok(node);
    };
    root.pointer(reference.trim_start_matches('#'))
        .ok_or_else(|| usage(format!("the schema lacks {reference}")))
}

/// The type in a word or two, or the allowed words of an enum.
fn kind(root: &Value, node: &Value) -> Result<String> {
    let target = resolve(root, node)?;
    let words: Vec<&str> = target["enum"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(
            target["oneOf"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|v| &v["const"]),
        )
        .filter_map(Value::as_str)
        .collect();
    if !words.is_empty() {
        return Ok(format!("`{}`", words.join("`, `")));
    }
    if let Some(choice) = target["anyOf"].as_array().and_then(|a| a.first()) {
        return kind(root, choice);
    }
    let name = match &target["type"] {
        Value::Array(types) => types.first().and_then(Value::as_str),
        other => other.as_str(),
    };
    Ok(match name {
        Some("integer") => "integer",
        Some("number") => "number",
        Some("boolean") => "true or false",
        Some("array") => "list",
        Some("string") => "text",
        _ => "",
    }
    .to_string())
}

/// Defaults that are `f32` in the code come as `0.20000000298`: as short as the `f32` is.
fn round(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => {
            let short = number as f32;
            if f64::from(short) == number {
                short.to_string()
            } else {
                number.to_string()
            }
        }
        _ => value.to_string(),
    }
}

/// A doc comment on one line, without rustdoc's links.
fn prose(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("[`", "`")
        .replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed reference is what the code says; to renew it: `tenjiku config > docs/configuration.md`.
    #[test]
    fn the_committed_reference_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md");
        let committed = std::fs::read_to_string(path).unwrap();
        let made = reference().unwrap();
        assert!(
            committed.trim_end() == made.trim_end(),
            "docs/configuration.md is out of date: cargo run --release -- config > docs/configuration.md"
        );
    }

    #[test]
    fn every_key_has_a_meaning() {
        let made = reference().unwrap();
        let bare: Vec<&str> = made.lines().filter(|l| l.ends_with("|  |")).collect();
        assert!(bare.is_empty(), "no doc comment: {bare:#?}");
        assert!(made.contains("| `visits` | integer | `200` |"), "{made}");
    }
}
