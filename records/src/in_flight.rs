//! Which games a process is playing, so that the next one can say what a kill has cost.
//!
//! ```text
//! games/.<worker>.<process id>.playing      one line a game that has begun: generation, number
//! ```
//! Whoever plays holds the file's lock and removes it at the end; one without a lock holder is left over. The lines are
//! for counting alone: which games are missing follows from those that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::RecordsError;

pub(crate) const SUFFIX: &str = ".playing";

/// The list of a worker that plays.
pub(crate) struct InFlight {
    path: PathBuf,
    file: File,
}

impl InFlight {
    /// Begins the list of `worker` in this process.
    pub(crate) fn begin(run: &Path, worker: &str) -> Result<InFlight, RecordsError> {
        let name = format!(".{worker}.{}{SUFFIX}", std::process::id());
        let path = run.join("games").join(name);
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(RecordsError::io(&path))?;
        // Someone who cleans up may hold the lock for a moment; then this list is not counted, no harm done.
        let _ = file.try_lock();
        Ok(InFlight { path, file })
    }

    /// Notes that a game has begun.
    pub(crate) fn add(&mut self, generation: u32, index: u32) -> Result<(), RecordsError> {
        let line = format!("{generation} {index}\n");
        self.file
            .write_all(line.as_bytes())
            .map_err(RecordsError::io(&self.path))
    }

    /// Ends the list: nothing is in flight any more.
    pub(crate) fn end(self) -> Result<(), RecordsError> {
        remove(&self.path)
    }
}

/// The games on a list that is left over, numbers by generation; `None` if its process is at work.
pub(crate) fn left_over(path: &Path) -> Result<Option<BTreeMap<u32, BTreeSet<u32>>>, RecordsError> {
    let file = match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(RecordsError::io(path))?,
    };
    if file.try_lock().is_err() {
        return Ok(None);
    }
    let text = fs::read(path).map_err(RecordsError::io(path))?;
    let mut games = BTreeMap::<u32, BTreeSet<u32>>::new();
    // The kill may have cut the last line.
    for line in String::from_utf8_lossy(&text).split_inclusive('\n') {
        let numbers = line
            .strip_suffix('\n')
            .and_then(|line| line.split_once(' '));
        if let Some((generation, index)) = numbers
            && let (Ok(generation), Ok(index)) = (generation.parse(), index.parse())
        {
            games.entry(generation).or_default().insert(index);
        }
    }
    Ok(Some(games))
}

/// Removes a list.
pub(crate) fn remove(path: &Path) -> Result<(), RecordsError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other.map_err(RecordsError::io(path)),
    }
}
