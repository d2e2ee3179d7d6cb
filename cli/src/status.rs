//! `status.json` in the run directory: what self-play is doing right now, for scripts and for the web page. Its fields
//! are described in `docs/selfplay.md`.

use records::write_atomic;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Version of the fields.
const SCHEMA: u32 = 1;

/// What a stage is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Games are being played.
    Running,
    /// All games are there; `--follow` waits for a newer network.
    Waiting,
    /// All games are there.
    Finished,
    /// Ended early: by a signal, or for a newer network.
    Stopped,
    /// Ended by an error.
    Failed,
}

/// The contents of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Version of these fields, 1.
    pub schema: u32,
    /// `selfplay`.
    pub stage: String,
    pub state: State,
    /// Generation of the network that plays.
    pub generation: u32,
    /// Games of the generation that are there.
    pub games_done: u64,
    /// Games it should have.
    pub games_wanted: u64,
    /// Plies of the games that this process finished.
    pub plies: u64,
    /// Network evaluations a second, since the stage began.
    pub evals_per_s: f64,
    /// Plies of finished games a second, since the stage began.
    pub positions_per_s: f64,
    /// Mean batch size as a share of the largest, 0 to 1.
    pub batch_fill: f64,
    /// Share of the positions asked for that the cache knew, 0 to 1.
    pub cache_hits: f64,
    /// Seconds to the end of the stage at this speed; `null` while unknown.
    pub seconds_left: Option<f64>,
    /// The process.
    pub pid: u32,
    /// When the stage began, milliseconds since 1970 (UTC).
    pub started_unix_ms: u64,
    /// When this was written.
    pub updated_unix_ms: u64,
}

impl Status {
    /// The beginning of a stage.
    pub fn new(generation: u32, games_done: u64, games_wanted: u64) -> Status {
        let now = unix_ms();
        Status {
            schema: SCHEMA,
            stage: "selfplay".into(),
            state: State::Running,
            generation,
            games_done,
            games_wanted,
            plies: 0,
            evals_per_s: 0.0,
            positions_per_s: 0.0,
            batch_fill: 0.0,
            cache_hits: 0.0,
            seconds_left: None,
            pid: std::process::id(),
            started_unix_ms: now,
            updated_unix_ms: now,
        }
    }

    /// Writes it into the run directory. A failure is told once and does not end the work.
    pub fn write(&mut self, file: &mut StatusFile) {
        self.updated_unix_ms = unix_ms();
        let text = serde_json::to_vec_pretty(self).expect("plain values");
        if let Err(error) = write_atomic(&file.path, &text)
            && !std::mem::replace(&mut file.failed, true)
        {
            eprintln!("warning: {}: {error}", file.path.display());
        }
    }
}

/// Where the status goes.
pub struct StatusFile {
    path: PathBuf,
    failed: bool,
}

impl StatusFile {
    /// `status.json` of a run.
    pub fn of(run: &Path) -> StatusFile {
        StatusFile {
            path: run.join("status.json"),
            failed: false,
        }
    }
}

fn unix_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_back_and_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = StatusFile::of(dir.path());
        let mut status = Status::new(3, 10, 120);
        for done in [10, 11] {
            status.games_done = done;
            status.write(&mut file);
            let text = std::fs::read_to_string(dir.path().join("status.json")).unwrap();
            assert_eq!(serde_json::from_str::<Status>(&text).unwrap(), status);
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
