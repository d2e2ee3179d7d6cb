//! What a killed writer leaves behind, and what becomes of it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::dataset::{Refused, SUFFIX, stems};
use crate::error::RecordsError;
use crate::file::TMP_SUFFIX;
use crate::journal::{self, Found};
use crate::writer::Written;

/// What [`clean_leftovers`] found and did.
#[derive(Clone, Default, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Cleaned {
    /// Pairs of files made of games that a killed writer had finished.
    pub recovered: Vec<Written>,
    /// Games whose record was being written when the writer was killed: lost.
    pub cut_games: usize,
    /// Unfinished files, removed.
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

/// Settles what killed writers left below `run`: makes pairs of files of their finished games, removes unfinished
/// files and `positions` files without their `games` file. Writers at work, here or in another process, are
/// left alone.
///
/// # Errors
/// If a folder cannot be read, a file cannot be removed, or a pair cannot be written.
pub fn clean_leftovers(run: &Path) -> Result<Cleaned, RecordsError> {
    let mut cleaned = Cleaned::default();
    // First the list, then the question whether their writer lives: a writer has a locked journal for as long as
    // it has unfinished files, so what is listed and has no live writer now will never be finished.
    let mut unfinished = Vec::new();
    let mut journals = Vec::new();
    for folder in ["games", "positions"].map(|name| run.join(name)) {
        for name in names(&folder)? {
            if let Some(stem) = journal::stem_of(&name) {
                journals.push(stem.to_string());
            } else if let Some(stem) = unfinished_stem(&name) {
                unfinished.push((stem.to_string(), folder.join(&name)));
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
    Ok(cleaned)
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
