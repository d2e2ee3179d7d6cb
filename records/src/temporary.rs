//! Temporary names of files and folders that a killed process was writing, anywhere in a run.
//!
//! The crate `files` puts the process id into the temporary name: `.NAME.ID.tmp`. (The record files themselves have a
//! journal instead, see `leftovers`.) Earlier versions exported to `NAME.ID.part`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::RecordsError;

/// A process on another machine that shares the run may be writing; none takes so long between two writes.
const QUIET: Duration = Duration::from_secs(60);

/// Where processes cannot be looked up, only age tells.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// Files and folders with temporary names in `run` and its folders, with the ids of their processes, in order.
pub(crate) fn find(run: &Path) -> Result<Vec<(PathBuf, u32)>, RecordsError> {
    let mut found = Vec::new();
    let mut folders = vec![run.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            other => other.map_err(RecordsError::io(&folder))?,
        };
        for entry in entries {
            let entry = entry.map_err(RecordsError::io(&folder))?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if let Some(process) = process_of(&name) {
                found.push((path, process));
            } else if folder == run && !name.starts_with('.') && path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn process_of(name: &str) -> Option<u32> {
    let stem = match name.strip_prefix('.') {
        Some(hidden) => hidden.strip_suffix(".tmp")?,
        None => name.strip_suffix(".part")?,
    };
    stem.rsplit_once('.')?.1.parse().ok()
}

/// Removes one if its process is gone. Returns whether it did.
pub(crate) fn remove_if_stale(path: &Path, process: u32) -> Result<bool, RecordsError> {
    let age = fs::symlink_metadata(path)
        .and_then(|about| about.modified())
        .ok()
        .and_then(|modified| modified.elapsed().ok());
    let stale_after = match Path::new("/proc/self").exists() {
        true if Path::new(&format!("/proc/{process}")).exists() => return Ok(false),
        true => QUIET,
        false => LONG,
    };
    if age.is_none_or(|age| age < stale_after) {
        return Ok(false);
    }
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    match removed {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        other => other.map(|()| true).map_err(RecordsError::io(path)),
    }
}
