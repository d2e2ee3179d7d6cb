//! Sums up files for people and scripts: `tenjiku inspect`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;

use crate::dataset::{Dataset, Refused, SUFFIX, read_game_rows, read_positions};
use crate::error::RecordsError;
use crate::file::{Footer, Loaded, table_columns};
use crate::leftovers::leftovers;
use crate::provenance::Provenance;
use crate::record::GameRecord;
use crate::schema::{SCHEMA_VERSION, Shape};
use crate::table::GameRow;

/// Smallest, largest and mean of some numbers.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Spread {
    /// Smallest.
    pub min: u32,
    /// Arithmetic mean.
    pub mean: f64,
    /// Middle one (the lower of two).
    pub median: u32,
    /// Largest.
    pub max: u32,
}

impl Spread {
    fn of(mut numbers: Vec<u32>) -> Option<Spread> {
        numbers.sort_unstable();
        let (&min, &max) = (numbers.first()?, numbers.last()?);
        let sum: u64 = numbers.iter().map(|&n| u64::from(n)).sum();
        Some(Spread {
            min,
            max,
            mean: sum as f64 / numbers.len() as f64,
            median: numbers[(numbers.len() - 1) / 2],
        })
    }
}

/// A column as it stands in a file.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct ColumnReport {
    /// Name.
    pub name: String,
    /// Arrow type.
    pub kind: String,
    /// Bytes in the file, compressed.
    pub bytes: u64,
}

/// What a file of ours holds.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Version of its schema.
    pub schema_version: u32,
    /// `games` or `positions`.
    pub dataset: String,
    /// Number of rows.
    pub rows: u64,
    /// Size of the file divided by the number of rows.
    pub bytes_per_row: f64,
    /// Where the rows come from.
    pub provenance: Provenance,
    /// Its columns, in order.
    pub columns: Vec<ColumnReport>,
    /// Plies a game (`games`).
    pub plies: Option<Spread>,
    /// Games by winner: `b`, `w`, `draw` (`games`).
    pub winners: BTreeMap<String, u64>,
    /// Games by end reason (`games`).
    pub reasons: BTreeMap<String, u64>,
    /// Rows by kind of search (`positions`).
    pub searches: BTreeMap<String, u64>,
    /// Rows with a policy target (`positions`).
    pub policy_rows: Option<u64>,
    /// Moves a policy target (`positions`).
    pub policy_moves: Option<Spread>,
    /// Legal moves a row (`positions`).
    pub legal_moves: Option<Spread>,
    /// What is wrong with it; empty if all is well.
    pub problems: Vec<String>,
}

/// Sums up a `games` or `positions` file, reading all of it. Damage that leaves the footer readable is listed in
/// [`FileReport::problems`].
///
/// # Errors
/// If it cannot be read at all: not there, empty, truncated, foreign, of another schema version.
pub fn describe(path: &Path) -> Result<FileReport, RecordsError> {
    let footer = Footer::peek(path, None)?;
    let bytes = std::fs::metadata(path)
        .map_err(RecordsError::io(path))?
        .len();
    let mut report = FileReport {
        path: path.to_path_buf(),
        bytes,
        schema_version: SCHEMA_VERSION,
        dataset: footer.dataset.clone(),
        rows: footer.rows,
        bytes_per_row: bytes as f64 / footer.rows.max(1) as f64,
        provenance: footer.provenance.clone(),
        columns: footer.columns(),
        plies: None,
        winners: BTreeMap::new(),
        reasons: BTreeMap::new(),
        searches: BTreeMap::new(),
        policy_rows: None,
        policy_moves: None,
        legal_moves: None,
        problems: Vec::new(),
    };
    let outcome = match footer.dataset.as_str() {
        "games" => describe_games(path, &mut report),
        _ => describe_positions(path, &footer.shape, &mut report),
    };
    report.problems.extend(outcome.err().map(|e| e.reason()));
    Ok(report)
}

/// What any Parquet file holds, by its footer.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct TableReport {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Its columns, in order.
    pub columns: Vec<ColumnReport>,
}

/// Sums up a Parquet file that is no record of games: metrics.
///
/// # Errors
/// If it cannot be read, or is no Parquet file.
pub fn describe_table(path: &Path) -> Result<TableReport, RecordsError> {
    let (rows, columns) = table_columns(path)?;
    let bytes = std::fs::metadata(path)
        .map_err(RecordsError::io(path))?
        .len();
    Ok(TableReport {
        path: path.to_path_buf(),
        bytes,
        rows,
        columns,
    })
}

fn count(
    game: &GameRecord,
    winners: &mut BTreeMap<String, u64>,
    reasons: &mut BTreeMap<String, u64>,
) {
    let winner = game
        .winner
        .map_or("draw".to_string(), |side| side.letter().to_string());
    *winners.entry(winner).or_default() += 1;
    *reasons.entry(game.reason.name().into()).or_default() += 1;
}

fn describe_games(path: &Path, report: &mut FileReport) -> Result<(), RecordsError> {
    let games = read_game_rows(path)?;
    for GameRow { record, .. } in &games {
        count(record, &mut report.winners, &mut report.reasons);
    }
    report.plies = Spread::of(games.iter().map(|row| row.record.plies()).collect());
    Ok(())
}

fn describe_positions(
    path: &Path,
    shape: &Shape,
    report: &mut FileReport,
) -> Result<(), RecordsError> {
    let file = Loaded::open(path, Some("positions"))?;
    let (mut policy_moves, mut legal_moves) = (Vec::new(), Vec::new());
    for batch in file.batches(path, 1 << 12)? {
        let batch = batch?;
        let column = |name: &str| {
            batch
                .column_by_name(name)
                .expect("the schema has been checked")
        };
        for search in column("search").as_string::<i32>().iter().flatten() {
            *report.searches.entry(search.into()).or_default() += 1;
        }
        let policies = column("policy_moves").as_list::<i32>();
        let lengths = (0..policies.len())
            .filter(|&i| policies.is_valid(i))
            .map(|i| policies.value_length(i) as u32);
        policy_moves.extend(lengths);
        legal_moves.extend_from_slice(column("legal_moves").as_primitive::<UInt32Type>().values());
    }
    report.policy_rows = Some(policy_moves.len() as u64);
    report.policy_moves = Spread::of(policy_moves);
    report.legal_moves = Spread::of(legal_moves);

    // The rows can be checked only against their games.
    let twin = path
        .parent()
        .and_then(Path::parent)
        .map(|run| run.join("games").join(path.file_name().unwrap_or_default()));
    match twin {
        Some(twin) if twin.exists() => {
            let shape = Shape {
                hands: if shape.hands > 1 { shape.hands } else { 0 },
                ..shape.clone()
            };
            read_positions(path, &shape, read_game_rows(&twin)?, |_, _| Ok(()))
        }
        _ => Err(RecordsError::NoData(
            "no `games` file of the same name in ../games: left over, not read".into(),
        )),
    }
}

/// What the files of a run hold together.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct RunReport {
    /// The run directory.
    pub path: PathBuf,
    /// Good pairs of files.
    pub shards: u64,
    /// Games in them.
    pub games: u64,
    /// Position rows in them.
    pub positions: u64,
    /// Size of their `positions` files divided by the rows.
    pub bytes_per_position: f64,
    /// Games and position rows by generation.
    pub generations: BTreeMap<u32, (u64, u64)>,
    /// Plies a game.
    pub plies: Option<Spread>,
    /// Games by winner.
    pub winners: BTreeMap<String, u64>,
    /// Games by end reason.
    pub reasons: BTreeMap<String, u64>,
    /// Files that are not read, with reasons.
    pub refused: Vec<Refused>,
    /// `positions` files without a `games` file.
    pub orphans: Vec<PathBuf>,
    /// Journals and temporary names, of killed processes or of those at work.
    pub unfinished: Vec<PathBuf>,
}

/// Sums up the `games` and `positions` of a run. Reads all `games` files, and all `positions` files too if
/// `thorough`; otherwise damage in those may go unseen.
///
/// # Errors
/// If a folder cannot be read.
pub fn describe_run(run: &Path, shape: &Shape, thorough: bool) -> Result<RunReport, RecordsError> {
    let mut dataset = Dataset::open(run, shape)?;
    let mut report = RunReport {
        path: run.to_path_buf(),
        shards: 0,
        games: 0,
        positions: 0,
        bytes_per_position: 0.0,
        generations: BTreeMap::new(),
        plies: None,
        winners: BTreeMap::new(),
        reasons: BTreeMap::new(),
        refused: Vec::new(),
        orphans: dataset.orphans().to_vec(),
        unfinished: leftovers(run)?,
    };
    let (mut plies, mut bytes) = (Vec::new(), 0);
    for shard in dataset.shards().to_vec() {
        let games = match thorough {
            true => {
                let mut games = Vec::new();
                let read = dataset.read(&shard, |game, _| {
                    games.push(game);
                    Ok(())
                });
                read.map(|()| games)
            }
            false => dataset.games(&shard),
        };
        let games = match games {
            Ok(games) => games,
            Err(error) => {
                dataset.refuse(&shard.stem, &error);
                continue;
            }
        };
        let file = run
            .join("positions")
            .join(format!("{}{SUFFIX}", shard.stem));
        bytes += if shard.positions > 0 {
            std::fs::metadata(&file)
                .map_err(RecordsError::io(&file))?
                .len()
        } else {
            0
        };
        report.shards += 1;
        report.games += shard.games;
        report.positions += shard.positions;
        let sum = report
            .generations
            .entry(shard.provenance.generation)
            .or_default();
        *sum = (sum.0 + shard.games, sum.1 + shard.positions);
        for game in games {
            count(&game, &mut report.winners, &mut report.reasons);
            plies.push(game.plies());
        }
    }
    report.plies = Spread::of(plies);
    report.bytes_per_position = bytes as f64 / report.positions.max(1) as f64;
    report.refused = dataset.refused().to_vec();
    Ok(report)
}
