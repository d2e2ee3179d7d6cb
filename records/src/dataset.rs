//! The files of a run: which are good, and what is wrong with the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::RecordsError;
use crate::file::{Footer, Loaded};
use crate::journal;
use crate::provenance::Provenance;
use crate::record::{GameRecord, PositionRecord};
use crate::schema::Shape;
use crate::table::{GameRow, PositionTable, games_of};

/// A file that is not read, and why.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Refused {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Refused {
    pub(crate) fn of(file: &Path, error: &RecordsError) -> Refused {
        let file = match error {
            RecordsError::BadFile { path, .. } | RecordsError::Io { path, .. } => path,
            _ => file,
        };
        Refused {
            file: file.to_path_buf(),
            reason: error.reason(),
        }
    }
}

/// A pair of files whose footers are good. Its rows are checked when they are read.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Shard {
    /// Name of both files without `.parquet`.
    pub stem: String,
    /// Where the rows come from.
    pub provenance: Provenance,
    /// Number of games.
    pub games: u64,
    /// Number of position rows; 0 where there is no `positions` file.
    pub positions: u64,
}

/// The good pairs of files below a run directory, oldest generation first, and the refused files.
#[derive(Clone, Debug)]
pub struct Dataset {
    run: PathBuf,
    shape: Shape,
    shards: Vec<Shard>,
    refused: Vec<Refused>,
    orphans: Vec<PathBuf>,
}

pub(crate) const SUFFIX: &str = ".parquet";

impl Dataset {
    /// Lists `run/games` and `run/positions`, reading footers only. Missing folders count as empty.
    ///
    /// # Errors
    /// If a folder cannot be read. Bad files are no errors, see [`refused`](Self::refused).
    pub fn open(run: &Path, shape: &Shape) -> Result<Dataset, RecordsError> {
        let mut dataset = Dataset {
            run: run.to_path_buf(),
            shape: shape.clone(),
            shards: Vec::new(),
            refused: Vec::new(),
            orphans: Vec::new(),
        };
        dataset.refresh()?;
        Ok(dataset)
    }

    /// Looks again; only files that were not listed before are opened. Returns the number of new shards.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn refresh(&mut self) -> Result<usize, RecordsError> {
        let games = stems(&self.run.join("games"))?;
        let positions = stems(&self.run.join("positions"))?;
        let known: BTreeMap<String, Shard> =
            self.shards.drain(..).map(|s| (s.stem.clone(), s)).collect();
        let mut new = 0;
        self.refused.retain(|refused| refused.file.exists());
        for stem in &games {
            if let Some(shard) = known.get(stem) {
                self.shards.push(shard.clone());
                continue;
            }
            if self.is_refused(stem) {
                continue;
            }
            match self.peek(stem, positions.contains(stem)) {
                Ok(shard) => {
                    self.shards.push(shard);
                    new += 1;
                }
                Err(error) => self
                    .refused
                    .push(Refused::of(&self.games_path(stem), &error)),
            }
        }
        // A writer that is publishing has a journal until its pair is complete.
        let orphan = |stem: &&String| !journal::path_of(&self.run, stem).exists();
        self.orphans = positions
            .difference(&games)
            .filter(orphan)
            .map(|stem| self.positions_path(stem))
            .collect();
        self.shards.sort_by(|a, b| {
            (a.provenance.generation, &a.stem).cmp(&(b.provenance.generation, &b.stem))
        });
        Ok(new)
    }

    fn is_refused(&self, stem: &str) -> bool {
        self.refused
            .iter()
            .any(|r| r.file == self.games_path(stem) || r.file == self.positions_path(stem))
    }

    fn peek(&self, stem: &str, has_positions: bool) -> Result<Shard, RecordsError> {
        let path = self.games_path(stem);
        let footer = Footer::peek(&path, Some("games"))?;
        self.check_game(&path, &footer)?;
        let mut positions = 0;
        if has_positions {
            let path = self.positions_path(stem);
            let twin = Footer::peek(&path, Some("positions"))?;
            self.check_game(&path, &twin)?;
            if (twin.shape.squares, twin.shape.hands)
                != (self.shape.squares, self.shape.hands.max(1))
            {
                return Err(RecordsError::bad(
                    &path,
                    format!(
                        "boards of {} squares and {} hand bytes, must be {} and {}",
                        twin.shape.squares,
                        twin.shape.hands,
                        self.shape.squares,
                        self.shape.hands.max(1)
                    ),
                ));
            }
            if twin.provenance != footer.provenance {
                return Err(RecordsError::bad(
                    &path,
                    "its metadata differ from those of its `games` file",
                ));
            }
            positions = twin.rows;
        }
        Ok(Shard {
            stem: stem.to_string(),
            provenance: footer.provenance,
            games: footer.rows,
            positions,
        })
    }

    fn check_game(&self, path: &Path, footer: &Footer) -> Result<(), RecordsError> {
        match footer.provenance.game == self.shape.game {
            true => Ok(()),
            false => Err(RecordsError::bad(
                path,
                format!(
                    "holds the game `{}`, expected `{}`",
                    footer.provenance.game, self.shape.game
                ),
            )),
        }
    }

    fn games_path(&self, stem: &str) -> PathBuf {
        self.run.join("games").join(format!("{stem}{SUFFIX}"))
    }

    fn positions_path(&self, stem: &str) -> PathBuf {
        self.run.join("positions").join(format!("{stem}{SUFFIX}"))
    }

    /// The good pairs, oldest generation first.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// The files that are not read. Grows when reading finds a bad row.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// `positions` files without a `games` file: left over from a stopped writer, not read.
    pub fn orphans(&self) -> &[PathBuf] {
        &self.orphans
    }

    /// All games in the good pairs.
    pub fn total_games(&self) -> u64 {
        self.shards.iter().map(|s| s.games).sum()
    }

    /// All position rows in the good pairs.
    pub fn total_positions(&self) -> u64 {
        self.shards.iter().map(|s| s.positions).sum()
    }

    /// The run directory.
    pub fn run(&self) -> &Path {
        &self.run
    }

    /// The shape of the game.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Takes a shard out and lists it as refused for `error`.
    pub fn refuse(&mut self, stem: &str, error: &RecordsError) {
        self.shards.retain(|s| s.stem != stem);
        self.refused
            .push(Refused::of(&self.games_path(stem), error));
    }

    /// The numbers of the finished games of a generation, for resuming. Shards of which a file turns out to be
    /// damaged are listed as refused, and their games count as missing.
    pub fn game_indices(&mut self, generation: u32) -> BTreeSet<u32> {
        let shards: Vec<Shard> = self
            .shards
            .iter()
            .filter(|s| s.provenance.generation == generation)
            .cloned()
            .collect();
        let mut indices = BTreeSet::new();
        for shard in shards {
            match self.sealed_games(&shard) {
                Ok(games) => indices.extend(games.iter().map(|g| g.index)),
                Err(error) => self.refuse(&shard.stem, &error),
            }
        }
        indices
    }

    /// The games of a shard, if the seals of both its files are unbroken.
    fn sealed_games(&self, shard: &Shard) -> Result<Vec<GameRecord>, RecordsError> {
        if shard.positions > 0 {
            Loaded::open(&self.positions_path(&shard.stem), Some("positions"))?;
        }
        self.games(shard)
    }

    /// The games of a shard.
    ///
    /// # Errors
    /// If the file is damaged or has a bad row.
    pub fn games(&self, shard: &Shard) -> Result<Vec<GameRecord>, RecordsError> {
        Ok(read_game_rows(&self.games_path(&shard.stem))?
            .into_iter()
            .map(|row| row.record)
            .collect())
    }

    /// Reads a shard game by game, with the rows of each (none where only the game was kept).
    ///
    /// Every row is checked, but games come before the whole file has been: collect, and drop what came if
    /// this fails.
    ///
    /// # Errors
    /// The first damage or bad row, naming file, row, game, ply and column; and what `visit` returns.
    pub fn read(
        &self,
        shard: &Shard,
        mut visit: impl FnMut(GameRecord, Vec<PositionRecord>) -> Result<(), RecordsError>,
    ) -> Result<(), RecordsError> {
        let games = read_game_rows(&self.games_path(&shard.stem))?;
        if shard.positions == 0 {
            return games
                .into_iter()
                .try_for_each(|game| visit(game.record, Vec::new()));
        }
        read_positions(&self.positions_path(&shard.stem), &self.shape, games, visit)
    }
}

/// The names, without suffix, of the visible Parquet files in a folder; none if it does not exist.
pub(crate) fn stems(folder: &Path) -> Result<BTreeSet<String>, RecordsError> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        other => other.map_err(RecordsError::io(folder))?,
    };
    let mut stems = BTreeSet::new();
    for entry in entries {
        let name = entry.map_err(RecordsError::io(folder))?.file_name();
        if let Some(stem) = name.to_str().and_then(|n| n.strip_suffix(SUFFIX))
            && !stem.starts_with('.')
        {
            stems.insert(stem.to_string());
        }
    }
    Ok(stems)
}

/// The rows of a `games` file.
pub(crate) fn read_game_rows(path: &Path) -> Result<Vec<GameRow>, RecordsError> {
    let file = Loaded::open(path, Some("games"))?;
    let mut rows = Vec::new();
    for batch in file.batches(path, 1 << 12)? {
        let before = rows.len();
        let games = games_of(&batch?).map_err(|(row, column, problem)| {
            RecordsError::bad(
                path,
                format!("row {}, column `{column}`: {problem}", before + row),
            )
        })?;
        rows.extend(games);
    }
    Ok(rows)
}

/// Checks a `positions` file against its games and visits game by game.
pub(crate) fn read_positions(
    path: &Path,
    shape: &Shape,
    games: Vec<GameRow>,
    mut visit: impl FnMut(GameRecord, Vec<PositionRecord>) -> Result<(), RecordsError>,
) -> Result<(), RecordsError> {
    let file = Loaded::open(path, Some("positions"))?;
    let mut next_row = 0u64;
    for game in &games {
        if game.positions > 0 && u64::from(game.first_row) != next_row {
            return Err(RecordsError::bad(
                path,
                format!(
                    "game {} begins at row {}, expected {next_row}",
                    game.record.id, game.first_row
                ),
            ));
        }
        next_row += u64::from(game.positions);
    }
    if next_row != file.footer.rows {
        return Err(RecordsError::bad(
            path,
            format!(
                "{} rows, its `games` file says {next_row}",
                file.footer.rows
            ),
        ));
    }

    let mut games = games.into_iter();
    let mut current: Option<GameRow> = None;
    let mut rows = Vec::new();
    let mut row_number = 0u64;
    for batch in file.batches(path, 1 << 12)? {
        let batch = batch?;
        let table = PositionTable::new(&batch, shape);
        for i in 0..batch.num_rows() {
            while current.is_none() {
                let game = games.next().expect("row counts agree");
                match game.positions {
                    0 => visit(game.record, Vec::new())?,
                    _ => current = Some(game),
                }
            }
            let game = current.as_ref().expect("just set");
            let ply = rows.len() as u32;
            rows.push(table.row(i, &game.record, game.positions, ply).map_err(
                |(column, problem)| {
                    let at = format!(
                        "row {row_number} (game {}, ply {ply}), column `{column}`",
                        game.record.id
                    );
                    RecordsError::bad(path, format!("{at}: {problem}"))
                },
            )?);
            row_number += 1;
            if rows.len() as u32 == game.positions {
                let game = current.take().expect("set");
                visit(game.record, std::mem::take(&mut rows))?;
            }
        }
    }
    games.try_for_each(|game| visit(game.record, Vec::new()))
}
