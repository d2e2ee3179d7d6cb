//! The replay window: the newest positions of a run, for random access within bounded memory.
//!
//! What to sample is a separate, serialisable value ([`Sampler`]), so that a trainer that is stopped and
//! resumed over the same window draws the same rows.

mod params;
mod sampler;
mod shard;
mod store;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use rules::{Color, EndReason};

pub use params::WindowParams;
pub use sampler::Sampler;

use crate::dataset::{Dataset, Refused, Shard};
use crate::error::RecordsError;
use crate::record::{PositionRecord, StmResult};
use crate::schema::Shape;
use shard::PackedShard;
use store::Store;

/// What all rows of a game share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameInfo {
    /// Id of the game.
    pub id: Arc<str>,
    /// Canonical name of the rules in force.
    pub rules: Arc<str>,
    /// Generation of the network that played.
    pub generation: u32,
    /// Number of plies.
    pub plies: u32,
    /// Who won, `None` for a draw or no result.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub reason: EndReason,
}

/// A row of the window with what its game says about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample<'a> {
    /// The game.
    pub game: &'a GameInfo,
    /// Moves played before this position.
    pub ply: u32,
    /// Moves from here to the end, at least 1.
    pub plies_left: u32,
    /// Result of the game from the side to move's view.
    pub result: StmResult,
    /// Position, search and move.
    pub row: PositionRecord,
}

/// The newest positions of a run.
///
/// Rows are numbered from 0, oldest file first, the rows of a game one after the other; the numbers change at
/// each [`refresh`](Self::refresh) that changes the window. A clone shares the positions: refresh one in the
/// background while the other is read, then change over.
///
/// Memory: [`WindowParams::memory_mib`] for packed positions, and an index below 10 bytes a position.
#[derive(Clone)]
pub struct ReplayWindow {
    dataset: Dataset,
    params: WindowParams,
    store: Arc<Store>,
    shards: Vec<Arc<PackedShard>>,
    games: Vec<Place>,
    rows: u32,
    train: Vec<u32>,
    validation: Vec<u32>,
}

/// Where a game stands.
#[derive(Clone, Copy)]
struct Place {
    first_row: u32,
    shard: u32,
    game: u32,
}

impl ReplayWindow {
    /// Opens the newest positions below `run`.
    ///
    /// # Errors
    /// A setting out of range, a folder that cannot be read, or no usable row (saying what was found).
    pub fn open(
        run: &Path,
        shape: &Shape,
        params: WindowParams,
    ) -> Result<ReplayWindow, RecordsError> {
        let mut window = ReplayWindow::empty(run, shape, params)?;
        window.fill(|window| window.newest())?;
        window.require_rows()?;
        Ok(window)
    }

    /// Opens exactly the files with these [`stems`](Self::stems), to go on where a trainer stopped.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if one of the files is missing or refused.
    pub fn open_exact(
        run: &Path,
        shape: &Shape,
        params: WindowParams,
        stems: &[String],
    ) -> Result<ReplayWindow, RecordsError> {
        let mut window = ReplayWindow::empty(run, shape, params)?;
        let named = |w: &ReplayWindow| {
            w.dataset
                .shards()
                .iter()
                .filter(|s| stems.contains(&s.stem))
                .cloned()
                .collect()
        };
        window.fill(named)?;
        if let Some(missing) = stems
            .iter()
            .find(|s| !window.shards.iter().any(|w| w.shard.stem == **s))
        {
            return Err(RecordsError::NoData(format!(
                "{}: positions `{missing}`, which the window held when it was saved, are missing or damaged{}; \
                 restore the file, or open the newest positions instead",
                run.display(),
                window.refusals()
            )));
        }
        window.require_rows()?;
        Ok(window)
    }

    fn empty(
        run: &Path,
        shape: &Shape,
        params: WindowParams,
    ) -> Result<ReplayWindow, RecordsError> {
        params.validate()?;
        let store = Arc::new(Store::new(run, params.memory_mib << 20));
        Ok(ReplayWindow {
            dataset: Dataset::open(run, shape)?,
            params,
            store,
            shards: Vec::new(),
            games: Vec::new(),
            rows: 0,
            train: Vec::new(),
            validation: Vec::new(),
        })
    }

    /// Picks up new files and lets old ones go. Returns whether the window changed.
    ///
    /// # Errors
    /// A folder that cannot be read, or a temporary file that cannot be written.
    pub fn refresh(&mut self) -> Result<bool, RecordsError> {
        self.dataset.refresh()?;
        self.fill(|window| window.newest())
    }

    /// Loads the shards that `choose` names. Shards that turn out to be bad are refused, and it chooses again.
    fn fill(&mut self, choose: impl Fn(&ReplayWindow) -> Vec<Shard>) -> Result<bool, RecordsError> {
        let before = self.stems();
        loop {
            let chosen = choose(self);
            let (dataset, store, kept) =
                (&self.dataset, &self.store, std::mem::take(&mut self.shards));
            let kept: Vec<_> = kept
                .into_iter()
                .filter(|k| chosen.contains(&k.shard))
                .collect();
            let loaded: Vec<Result<Arc<PackedShard>, (String, RecordsError)>> = chosen
                .into_par_iter()
                .map(|shard| match kept.iter().find(|k| k.shard == shard) {
                    Some(known) => Ok(known.clone()),
                    None => {
                        let stem = shard.stem.clone();
                        PackedShard::load(dataset, shard, store)
                            .map(Arc::new)
                            .map_err(|e| (stem, e))
                    }
                })
                .collect();
            let mut complete = true;
            for result in loaded {
                match result {
                    Ok(shard) => self.shards.push(shard),
                    Err((_, error @ RecordsError::Io { .. })) if self.store.is_full() => {
                        return Err(error);
                    }
                    Err((stem, error)) => {
                        self.dataset.refuse(&stem, &error);
                        complete = false;
                    }
                }
            }
            if complete {
                break;
            }
        }
        self.build_index()?;
        Ok(self.stems() != before)
    }

    fn newest(&self) -> Vec<Shard> {
        let size = self.params.size(self.dataset.total_positions());
        let mut rows = 0;
        let mut chosen: Vec<Shard> = Vec::new();
        for shard in self
            .dataset
            .shards()
            .iter()
            .rev()
            .filter(|s| s.positions > 0)
        {
            if rows >= size {
                break;
            }
            rows += shard.positions;
            chosen.push(shard.clone());
        }
        chosen.reverse();
        chosen
    }

    fn build_index(&mut self) -> Result<(), RecordsError> {
        (self.games, self.train, self.validation, self.rows) = Default::default();
        for (s, shard) in self.shards.iter().enumerate() {
            for (g, game) in shard.games.iter().enumerate() {
                self.games.push(Place {
                    first_row: self.rows,
                    shard: s as u32,
                    game: g as u32,
                });
                let rows = match self.params.is_validation(&game.info.id) {
                    true => &mut self.validation,
                    false => &mut self.train,
                };
                match self.params.policy_only {
                    true => rows.extend(shard.targets(game).map(|ply| self.rows + ply)),
                    false => rows.extend(self.rows..self.rows + game.info.plies),
                }
                let next = self.rows.checked_add(game.info.plies);
                self.rows = next.ok_or_else(|| {
                    RecordsError::Setting("more than 2^32 rows in the window".into())
                })?;
            }
        }
        Ok(())
    }

    fn require_rows(&self) -> Result<(), RecordsError> {
        if !self.train.is_empty() {
            return Ok(());
        }
        let kind = if self.params.policy_only {
            "with a policy target "
        } else {
            ""
        };
        Err(RecordsError::NoData(format!(
            "{}: no position {kind}to train on in `games` and `positions` for {}: {} good files with {} rows, {} refused{}; \
             run self-play first, or check the folder and the game",
            self.dataset.run().display(),
            self.dataset.shape().game,
            self.dataset.shards().len(),
            self.dataset.total_positions(),
            self.dataset.refused().len(),
            self.refusals(),
        )))
    }

    fn refusals(&self) -> String {
        match self.dataset.refused().first() {
            Some(first) => format!(" (the first: {}: {})", first.file.display(), first.reason),
            None => String::new(),
        }
    }

    /// Names of the files in the window, oldest first.
    pub fn stems(&self) -> Vec<String> {
        self.shards.iter().map(|s| s.shard.stem.clone()).collect()
    }

    /// Rows in the window, sampled or not.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Games in the window.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Position rows in the whole run.
    pub fn total_positions(&self) -> u64 {
        self.dataset.total_positions()
    }

    /// The rows to train on, ascending.
    pub fn train_rows(&self) -> &[u32] {
        &self.train
    }

    /// The rows to validate on, ascending.
    pub fn validation_rows(&self) -> &[u32] {
        &self.validation
    }

    /// Files that are not read, with reasons.
    pub fn refused(&self) -> &[Refused] {
        self.dataset.refused()
    }

    /// Bytes of memory that the positions and their index take.
    pub fn memory_bytes(&self) -> usize {
        let shards: usize = self.shards.iter().map(|s| s.memory_bytes()).sum();
        shards
            + size_of::<Place>() * self.games.len()
            + 4 * (self.train.len() + self.validation.len())
    }

    /// Bytes of packed positions in temporary files, for want of memory.
    pub fn disk_bytes(&self) -> usize {
        self.shards.iter().map(|s| s.disk_bytes()).sum()
    }

    /// The game of a row, and the row's ply in it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn game(&self, row: u32) -> (&GameInfo, u32) {
        let (shard, game, ply) = self.locate(row);
        (&self.shards[shard].games[game].info, ply)
    }

    fn locate(&self, row: u32) -> (usize, usize, u32) {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        let place = self.games[self.games.partition_point(|place| place.first_row <= row) - 1];
        (
            place.shard as usize,
            place.game as usize,
            row - place.first_row,
        )
    }

    /// Decodes a row. For rows of the same game some plies later, add to the row number, and see
    /// [`game`](Self::game) for where the game ends.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn read(&self, row: u32) -> Result<Sample<'_>, RecordsError> {
        let (shard, game, ply) = self.locate(row);
        let shard = &self.shards[shard];
        let info = &shard.games[game].info;
        let row = shard.row(game, ply, self.dataset.shape())?;
        let result = StmResult::of(info.winner, row.snapshot.turn);
        Ok(Sample {
            game: info,
            ply,
            plies_left: info.plies - ply,
            result,
            row,
        })
    }
}
