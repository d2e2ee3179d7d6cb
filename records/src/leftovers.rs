//! What a killed writer leaves behind, and what becomes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::dataset::{Refused, SUFFIX, read_game_rows, stems};
use crate::error::RecordsError;
use crate::file::TMP_SUFFIX;
use crate::in_flight;
use crate::journal::{self, Found};
use crate::temporary;
use crate::writer::Written;

/// What [`clean_leftovers`] found and did.
#[derive(Clone, Default, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Cleaned {
    /// Pairs of files made of games that a killed writer had finished.
    pub recovered: Vec<Written>,
    /// Games whose record was being written when the writer was killed: lost.
    pub cut_games: usize,
    /// Games that a killed process had begun and that are not there, those cut among them.
    pub lost_games: usize,
    /// Unfinished files and folders, removed.
    pub unfinished: Vec<PathBuf>,
    /// `positions` files whose `games` file was never written, removed.
    pub orphans: Vec<PathBuf>,
    /// Writers that are at work in the run; nothing of theirs was touched.
    pub live: usize,
    /// Journals that cannot be read; they stay where they are.
    pub refused: Vec<Refused>,
}

impl Cleaned {
    /// Whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        *self
            == Cleaned {
                live: self.live,
                ..Cleaned::default()
            }
    }
}

impl Cleaned {
    /// What was found and done, a line each, for people; none if there is nothing to tell.
    pub fn lines(&self) -> Vec<String> {
        let games = |n: usize| format!("{n} game{}", if n == 1 { "" } else { "s" });
        let mut lines = Vec::new();
        if !self.recovered.is_empty() {
            let kept = self.recovered.iter().map(|written| written.games).sum();
            lines.push(format!(
                "an earlier process ended early: {} that it had finished are kept",
                games(kept)
            ));
        }
        if self.lost_games > 0 {
            lines.push(format!(
                "an earlier process ended early: {} in flight were lost",
                games(self.lost_games)
            ));
        }
        let removed = self.unfinished.len() + self.orphans.len();
        if removed > 0 {
            lines.push(format!("unfinished files removed: {removed}"));
        }
        for refused in &self.refused {
            lines.push(format!(
                "warning: {} is not read: {}",
                refused.file.display(),
                refused.reason
            ));
        }
        lines
    }
}

/// What unfinished work stands below `run`, of killed processes and of those at work: journals, lists of games in
/// flight, temporary files and folders. Changes nothing.
///
/// # Errors
/// If a folder cannot be read.
pub fn leftovers(run: &Path) -> Result<Vec<PathBuf>, RecordsError> {
    let mut found: Vec<PathBuf> = temporary::find(run)?
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    for folder in ["games", "positions"].map(|name| run.join(name)) {
        let unfinished = |name: &String| {
            journal::stem_of(name).is_some() || unfinished_stem(name).is_some() || is_list(name)
        };
        found.extend(
            names(&folder)?
                .into_iter()
                .filter(unfinished)
                .map(|name| folder.join(name)),
        );
    }
    found.sort();
    Ok(found)
}

/// Settles what killed writers left below `run`: makes pairs of files of their finished games, removes unfinished
/// files and `positions` files without their `games` file, and counts the games that were lost in flight. Writers at
/// work, here or in another process, are left alone; so are temporary names younger than a minute.
///
/// # Errors
/// If a folder cannot be read, a file cannot be removed, or a pair cannot be written.
pub fn clean_leftovers(run: &Path) -> Result<Cleaned, RecordsError> {
    let mut cleaned = Cleaned::default();
    // First the list, then the question whether their writer lives: a writer has a locked journal for as long as
    // it has unfinished files, so what is listed and has no live writer now will never be finished.
    let mut unfinished = Vec::new();
    let mut journals = Vec::new();
    let mut lists = Vec::new();
    for folder in ["games", "positions"].map(|name| run.join(name)) {
        for name in names(&folder)? {
            if let Some(stem) = journal::stem_of(&name) {
                journals.push(stem.to_string());
            } else if let Some(stem) = unfinished_stem(&name) {
                unfinished.push((stem.to_string(), folder.join(&name)));
            } else if is_list(&name) {
                lists.push(folder.join(&name));
            }
        }
    }
    unfinished.sort();
    journals.sort();
    let positions = stems(&run.join("positions"))?;

    for stem in &journals {
        match journal::recover(run, stem) {
            Ok(Found::Live) => cleaned.live += 1,
            Ok(Found::Done) => {}
            Ok(Found::Published { written, cut }) => {
                cleaned.recovered.extend(written);
                cleaned.cut_games += usize::from(cut);
            }
            Err(error @ RecordsError::BadFile { .. }) => {
                cleaned
                    .refused
                    .push(Refused::of(&journal::path_of(run, stem), &error));
            }
            Err(error) => return Err(error),
        }
    }
    // A journal that is still there is live, or kept for someone to look at.
    let settled = |stem: &str| !journal::path_of(run, stem).exists();
    for (stem, path) in unfinished {
        if settled(&stem) && remove(&path)? {
            cleaned.unfinished.push(path);
        }
    }
    for stem in &positions {
        let [games, path] =
            ["games", "positions"].map(|folder| run.join(folder).join(format!("{stem}{SUFFIX}")));
        if settled(stem) && !games.exists() && remove(&path)? {
            cleaned.orphans.push(path);
        }
    }
    cleaned.lost_games = count_lost(run, &lists)?;
    for (path, process) in temporary::find(run)? {
        if temporary::remove_if_stale(&path, process)? {
            cleaned.unfinished.push(path);
        }
    }
    Ok(cleaned)
}

/// Counts the games on lists left over that are not there, and removes the lists.
fn count_lost(run: &Path, lists: &[PathBuf]) -> Result<usize, RecordsError> {
    let mut begun = BTreeMap::<u32, BTreeSet<u32>>::new();
    let mut settled = Vec::new();
    for list in lists {
        if let Some(games) = in_flight::left_over(list)? {
            for (generation, indices) in games {
                begun.entry(generation).or_default().extend(indices);
            }
            settled.push(list);
        }
    }
    if !begun.is_empty() {
        for stem in stems(&run.join("games"))? {
            let generation = stem.split('-').next().and_then(|text| text.parse().ok());
            let Some(missing) = generation.and_then(|g: u32| begun.get_mut(&g)) else {
                continue;
            };
            // A file that cannot be read is refused elsewhere, and its games are played again.
            let path = run.join("games").join(format!("{stem}{SUFFIX}"));
            for row in read_game_rows(&path).unwrap_or_default() {
                missing.remove(&row.record.index);
            }
        }
    }
    for list in settled {
        in_flight::remove(list)?;
    }
    Ok(begun.values().map(BTreeSet::len).sum())
}

/// Whether this is the name of a list of games in flight.
fn is_list(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(in_flight::SUFFIX)
}

fn names(folder: &Path) -> Result<Vec<String>, RecordsError> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(RecordsError::io(folder))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(
            entry
                .map_err(RecordsError::io(folder))?
                .file_name()
                .into_string(),
        );
    }
    Ok(names)
}

fn unfinished_stem(name: &str) -> Option<&str> {
    name.strip_prefix('.')?
        .strip_suffix(TMP_SUFFIX)?
        .strip_suffix(SUFFIX)
}

/// Removes a file; whether it was there.
fn remove(path: &Path) -> Result<bool, RecordsError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        other => other.map(|()| true).map_err(RecordsError::io(path)),
    }
}
