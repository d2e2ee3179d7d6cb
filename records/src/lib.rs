//! Parquet records of games and positions, and the replay window over them.
//!
//! A run keeps two data sets (see `docs/records.md` for every column):
//!
//! ```text
//! runs/<name>/games/000012-<worker>-<n>.parquet       one row a game: enough to replay everything
//! runs/<name>/positions/000012-<worker>-<n>.parquet   one row a ply, games contiguous: what is trained on
//! ```
//!
//! - [`ShardWriter`] takes finished games ([`GameRecord`] with its [`PositionRecord`]s), checks them by playing
//!   them again, and writes pairs of files. The `games` file is the commit mark of its pair.
//! - [`Dataset`] lists what is there, and what it [refuses](Refused) with a reason.
//! - [`ReplayWindow`] samples the newest positions, uniformly, within bounded memory.
//! - [`describe`] sums one file up for people.
//!
//! Nothing here knows a piece: positions are [`rules::Snapshot`]s, moves are codes and text.

#[cfg(test)]
mod bad_rows;
mod check;
mod dataset;
mod error;
mod file;
mod in_flight;
mod journal;
mod leftovers;
mod pack;
mod provenance;
mod quantise;
mod record;
mod report;
mod run_dir;
mod schema;
mod table;
mod temporary;
mod window;
mod writer;

pub use check::check_game;
pub use dataset::{Dataset, Refused, Shard};
pub use error::{RecordsError, RowError};
pub use files::write_atomic;
pub use leftovers::{Cleaned, clean_leftovers, leftovers};
pub use provenance::{Kind, Provenance};
pub use quantise::{QUANTUM, quantise};
pub use record::{GameRecord, Policy, PositionRecord, SearchKind, StmResult, Wdl};
pub use report::{
    ColumnReport, FileReport, RunReport, Spread, TableReport, describe, describe_run,
    describe_table,
};
pub use run_dir::{RunDir, RunDirError, RunInfo, StageClaim};
pub use schema::{Column, ColumnType, GAMES, POSITIONS, SCHEMA_VERSION, Shape, markdown};
pub use window::{GameInfo, ReplayWindow, Sample, Sampler, WindowParams};
pub use writer::{ShardLimits, ShardWriter, Written};
