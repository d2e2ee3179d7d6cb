//! Finished games to pairs of files.

use std::collections::HashSet;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use rules::Position;

use crate::check::check_game;
use crate::error::{RecordsError, RowError};
use crate::in_flight::InFlight;
use crate::journal::{Journal, stem_of};
use crate::provenance::Provenance;
use crate::record::{GameRecord, PositionRecord};
use crate::schema::Shape;

/// Bounds of one pair of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShardLimits {
    /// A pair is closed once it has this many position rows. At least 1; default 50,000 (about 10 MB).
    pub max_positions: usize,
    /// ... or this many games. At least 1; default 5,000.
    pub max_games: usize,
}

impl Default for ShardLimits {
    fn default() -> ShardLimits {
        ShardLimits {
            max_positions: 50_000,
            max_games: 5_000,
        }
    }
}

/// A pair of files that was made visible.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Written {
    /// Name of both files without `.parquet`.
    pub stem: String,
    /// Games in it.
    pub games: usize,
    /// Position rows in it.
    pub positions: usize,
    /// Size of both files.
    pub bytes: u64,
}

/// Takes finished games and writes them as `games/<stem>.parquet` and `positions/<stem>.parquet` below a run
/// directory, with stem `<generation>-<worker>-<n>`.
///
/// A game that [`push`](Self::push) took is in a journal and survives the death of the process:
/// [`clean_leftovers`](crate::clean_leftovers) makes a pair of it. The `positions` file of a pair comes first, the
/// `games` file commits it. Memory does not grow with the number of games.
pub struct ShardWriter<P: Position> {
    run: PathBuf,
    worker: String,
    provenance: Provenance,
    limits: ShardLimits,
    journal: Option<Journal>,
    in_flight: Option<InFlight>,
    ids: HashSet<String>,
    rows: usize,
    game: PhantomData<fn() -> P>,
}

impl<P: Position> ShardWriter<P> {
    /// A writer of `worker` (letters, digits and `_`). Makes the folders `games` and `positions` in `run`.
    ///
    /// # Errors
    /// If the folders cannot be made, or a setting is out of range.
    pub fn new(
        run: &Path,
        worker: &str,
        provenance: Provenance,
        limits: ShardLimits,
    ) -> Result<Self, RecordsError> {
        let setting = |problem: String| Err(RecordsError::Setting(problem));
        if worker.is_empty()
            || !worker
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            return setting(format!(
                "worker name `{worker}`: use letters, digits and `_`"
            ));
        }
        if limits.max_positions == 0 || limits.max_games == 0 {
            return setting(format!("{limits:?}: both must be at least 1"));
        }
        check_provenance::<P>(&provenance)?;
        for folder in ["games", "positions"].map(|name| run.join(name)) {
            fs::create_dir_all(&folder).map_err(RecordsError::io(&folder))?;
        }
        Ok(ShardWriter {
            run: run.to_path_buf(),
            worker: worker.to_string(),
            provenance,
            limits,
            journal: None,
            in_flight: None,
            ids: HashSet::new(),
            rows: 0,
            game: PhantomData,
        })
    }

    /// Where later games come from; closes the open pair if that differs from before.
    ///
    /// # Errors
    /// As [`flush`](Self::flush), and if it is of another game; then it is not changed.
    pub fn set_provenance(
        &mut self,
        provenance: Provenance,
    ) -> Result<Option<Written>, RecordsError> {
        if provenance == self.provenance {
            return Ok(None);
        }
        check_provenance::<P>(&provenance)?;
        let written = self.flush()?;
        self.provenance = provenance;
        Ok(written)
    }

    /// Notes that a game has begun. Should the process be killed, [`clean_leftovers`](crate::clean_leftovers) counts
    /// the games that had begun and are not there.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn begin_game(&mut self, index: u32) -> Result<(), RecordsError> {
        let in_flight = match &mut self.in_flight {
            Some(in_flight) => in_flight,
            None => self
                .in_flight
                .insert(InFlight::begin(&self.run, &self.worker)?),
        };
        in_flight.add(self.provenance.generation, index)
    }

    /// Adds a finished game with one row a ply, or with no rows (then only the game is kept). Writes a pair
    /// of files when the bounds are reached, and says so.
    ///
    /// # Errors
    /// [`RecordsError::Row`] if the game breaks the contract: it is not added, and the writer can go on.
    /// Others if a file cannot be written; [`pending_games`](Self::pending_games) tells whether the game was
    /// added. What was added before stays safe in the journal, and the next call tries again.
    pub fn push(
        &mut self,
        game: &GameRecord,
        rows: &[PositionRecord],
    ) -> Result<Option<Written>, RecordsError> {
        check_game::<P>(game, rows)?;
        if self.ids.contains(&game.id) {
            return Err(RowError::new(&game.id, None, ("id", "stands twice".into())).into());
        }
        let journal = match &mut self.journal {
            Some(journal) => journal,
            None => self
                .journal
                .insert(begin::<P>(&self.run, &self.worker, &self.provenance)?),
        };
        journal.push(game, rows)?;
        self.ids.insert(game.id.clone());
        self.rows += rows.len();
        match self.rows >= self.limits.max_positions || self.ids.len() >= self.limits.max_games {
            true => self.flush(),
            false => Ok(None),
        }
    }

    /// Games that are not in a pair of files yet, only in the journal.
    pub fn pending_games(&self) -> usize {
        self.ids.len()
    }

    /// Writes the pending games as a pair of files; nothing if there are none.
    ///
    /// # Errors
    /// If a file cannot be written. Nothing half-made is visible, and the games stay pending.
    pub fn flush(&mut self) -> Result<Option<Written>, RecordsError> {
        let Some(journal) = &mut self.journal else {
            return Ok(None);
        };
        let written = journal.publish(&self.run)?;
        self.journal = None;
        self.ids.clear();
        self.rows = 0;
        Ok(written)
    }

    /// Writes what is pending and ends. Games that were [begun](Self::begin_game) and not finished are the
    /// caller's to count.
    ///
    /// # Errors
    /// As [`flush`](Self::flush); the games stay in the journal.
    pub fn finish(mut self) -> Result<Option<Written>, RecordsError> {
        let written = self.flush()?;
        if let Some(in_flight) = self.in_flight {
            in_flight.end()?;
        }
        Ok(written)
    }
}

fn check_provenance<P: Position>(provenance: &Provenance) -> Result<(), RecordsError> {
    match provenance.game == P::GAME {
        true => Ok(()),
        false => Err(RecordsError::Setting(format!(
            "provenance says game `{}`, the writer is for `{}`",
            provenance.game,
            P::GAME
        ))),
    }
}

/// Begins a journal under the next free number of this generation and worker.
fn begin<P: Position>(
    run: &Path,
    worker: &str,
    provenance: &Provenance,
) -> Result<Journal, RecordsError> {
    let prefix = format!("{:06}-{worker}-", provenance.generation);
    let mut next = 0;
    for folder in ["games", "positions"].map(|name| run.join(name)) {
        for entry in fs::read_dir(&folder).map_err(RecordsError::io(&folder))? {
            let name = entry.map_err(RecordsError::io(&folder))?.file_name();
            let number = name.to_str().and_then(|name| {
                let stem = name.strip_suffix(".parquet").or_else(|| stem_of(name))?;
                stem.strip_prefix(&prefix)?.parse::<u32>().ok()
            });
            next = next.max(number.map_or(0, |n| n + 1));
        }
    }
    loop {
        let stem = format!("{prefix}{next:06}");
        if let Some(journal) = Journal::create(run, stem, provenance, &Shape::of::<P>())? {
            return Ok(journal);
        }
        next += 1;
    }
}
