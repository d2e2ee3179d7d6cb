//! Config files: TOML in, a checked struct out, the resolved text saved beside the results.

use crate::failure::usage;
use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::path::Path;

/// A config section that can check its values and their relations.
pub trait Checked {
    /// # Errors
    /// `section.key = value, must be ...` for the first bad value.
    fn check(&self) -> Result<(), String>;
}

/// A config from text alone, for commands that need no file: `text` with the overrides applied, checked.
///
/// # Errors
/// As [`load`].
pub fn from_text<T: DeserializeOwned + Checked>(text: &str, overrides: &[String]) -> Result<T> {
    parse("config", text, overrides)
}

/// Reads the TOML file at `path`, applies the `key.path=value` overrides, and checks the result.
///
/// # Errors
/// A usage error naming file and line: not readable, not TOML, an unknown key (with the nearest valid one), a
/// value of the wrong type or out of range.
pub fn load<T: DeserializeOwned + Checked>(path: &Path, overrides: &[String]) -> Result<T> {
    parse(&path.display().to_string(), &read(path)?, overrides)
}

/// The text of the config at `path`.
///
/// # Errors
/// A usage error naming the file and, where there is none, those that there are.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| {
        let advice = match others(path) {
            others if e.kind() != std::io::ErrorKind::NotFound || others.is_empty() => {
                "give a TOML file as --config FILE".to_string()
            }
            others => format!("there are {}", others.join(", ")),
        };
        usage(format!(
            "{}: cannot read the config: {e}; {advice}",
            path.display()
        ))
    })
}

/// The TOML files where `path` should be, else in `configs`, sorted. The folder of the project has others.
fn others(path: &Path) -> Vec<String> {
    let beside = path.parent().filter(|folder| *folder != Path::new(""));
    let in_folder = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "toml"))
            .map(|path| path.display().to_string())
            .collect();
        names.sort();
        names
    };
    [beside, Some(Path::new("configs"))]
        .into_iter()
        .flatten()
        .map(in_folder)
        .find(|names| !names.is_empty())
        .unwrap_or_default()
}

/// A config from `text`, which came from `file`, with the overrides applied, checked.
///
/// # Errors
/// As [`load`].
pub fn parse<T: DeserializeOwned + Checked>(
    file: &str,
    text: &str,
    overrides: &[String],
) -> Result<T> {
    let from_text: T = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |span| {
            text[..span.start.min(text.len())].matches('\n').count() + 1
        });
        usage(format!("{file}:{line}: {}", explain(e.message())))
    })?;
    let config = if overrides.is_empty() {
        from_text
    } else {
        let mut table: toml::Table =
            toml::from_str(text).map_err(|e| usage(format!("{file}: {}", e.message())))?;
        for text in overrides {
            apply_override(&mut table, text)?;
        }
        let list = overrides.join(" ");
        table.try_into().map_err(|e: toml::de::Error| {
            usage(format!("--set {list}: {}", explain(e.message())))
        })?
    };
    config.check().map_err(|reason| {
        let line = reason
            .split_once(" = ")
            .and_then(|(key, _)| line_of(text, key));
        match line {
            Some(line) if overrides.is_empty() => usage(format!("{file}:{line}: {reason}")),
            _ => usage(format!("{file}: {reason}")),
        }
    })?;
    Ok(config)
}

/// The resolved config as TOML, and the first 12 hex digits of its SHA-256.
pub fn resolved<T: Serialize>(config: &T) -> Result<(String, String)> {
    let text = toml::to_string(config)?;
    let hash = Sha256::digest(text.as_bytes());
    Ok((text, hash[..6].iter().map(|b| format!("{b:02x}")).collect()))
}

/// Serde's message, with the nearest valid name where a key or variant is unknown.
fn explain(message: &str) -> String {
    let message = message.trim().replace('\n', " ");
    let mut quoted = message.split('`').skip(1).step_by(2);
    if !message.starts_with("unknown ") {
        return message;
    }
    let Some(found) = quoted.next() else {
        return message;
    };
    let nearest = quoted
        .max_by(|a, b| strsim::jaro_winkler(a, found).total_cmp(&strsim::jaro_winkler(b, found)));
    match nearest {
        Some(name) => format!(
            "{}; did you mean `{name}`?",
            message.split(", expected").next().unwrap_or(&message)
        ),
        None => message,
    }
}

/// Sets `a.b.c` in `table` from `a.b.c=value`. A value that is not TOML is taken as a string.
fn apply_override(table: &mut toml::Table, text: &str) -> Result<()> {
    let bad = |why: &str| {
        usage(format!(
            "--set {text}: {why}; write --set section.key=value"
        ))
    };
    let (key, value) = text.split_once('=').ok_or_else(|| bad("no `=`"))?;
    let value = toml::from_str::<toml::Table>(&format!("v = {value}"))
        .ok()
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| toml::Value::String(value.to_string()));
    let mut parts: Vec<&str> = key.split('.').map(str::trim).collect();
    let last = parts
        .pop()
        .filter(|k| !k.is_empty())
        .ok_or_else(|| bad("no key"))?;
    let mut current = table;
    for part in parts {
        current = current
            .entry(part)
            .or_insert_with(|| toml::Value::Table(toml::Table::new()))
            .as_table_mut()
            .ok_or_else(|| bad(&format!("`{part}` is not a section")))?;
    }
    current.insert(last.to_string(), value);
    Ok(())
}

/// The line on which `section.key` is set.
fn line_of(text: &str, dotted: &str) -> Option<usize> {
    let (section, key) = dotted.rsplit_once('.').unwrap_or(("", dotted));
    let mut current = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.split(']').next()) {
            current = name.trim().to_string();
        } else if current == section && line.split('=').next().is_some_and(|k| k.trim() == key) {
            return Some(number + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Usage;

    #[derive(serde::Deserialize, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        seed: u64,
        search: Section,
    }

    #[derive(serde::Deserialize, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Section {
        visits: u32,
        name: String,
    }

    impl Checked for Sample {
        fn check(&self) -> Result<(), String> {
            if self.search.visits == 0 {
                return Err("search.visits = 0, must be at least 1".into());
            }
            Ok(())
        }
    }

    fn try_load(text: &str, overrides: &[&str]) -> Result<Sample> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, text).unwrap();
        load(
            &path,
            &overrides.iter().map(|s| s.to_string()).collect::<Vec<_>>(),
        )
    }

    fn message(text: &str, overrides: &[&str]) -> String {
        let error = try_load(text, overrides).unwrap_err();
        assert!(
            error.downcast_ref::<Usage>().is_some(),
            "{error:?} must be a usage error"
        );
        error.to_string()
    }

    const GOOD: &str = "seed = 1\n[search]\nvisits = 8\nname = \"a\"\n";

    #[test]
    fn overrides_reach_nested_keys() {
        let sample = try_load(GOOD, &["search.visits=32", "search.name=b c", "seed=7"]).unwrap();
        assert_eq!(
            sample,
            Sample {
                seed: 7,
                search: Section {
                    visits: 32,
                    name: "b c".into()
                }
            }
        );
    }

    #[test]
    fn errors_name_file_line_and_the_nearest_key() {
        let text = GOOD.replace("visits", "visist");
        let said = message(&text, &[]);
        assert!(
            said.contains("c.toml:3: unknown field `visist`; did you mean `visits`?"),
            "{said}"
        );
        let said = message(&GOOD.replace("= 8", "= 0"), &[]);
        assert!(
            said.contains("c.toml:3: search.visits = 0, must be at least 1"),
            "{said}"
        );
        assert!(message("seed = ", &[]).contains("c.toml:1: "));
        assert!(message(&GOOD.replace("= 8", "= \"x\""), &[]).contains("c.toml:3: "));
        assert!(message(GOOD, &["search.visist=3"]).contains("did you mean `visits`"));
        assert!(message(GOOD, &["search"]).contains("no `=`"));
        assert!(message(GOOD, &["seed.x=3"]).contains("not a section"));
    }
}
