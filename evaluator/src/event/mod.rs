//! An event: a match, a tournament or a gate. A [`Plan`] says what is to be played, a [`Store`] keeps what was played,
//! and [`run`] plays what is missing.

mod ledger;
mod plan;
mod run;
mod store;

pub use ledger::Ledger;
pub(crate) use ledger::half_points;
pub use plan::{Entrant, Plan, PlayParams};
pub use run::{PlayerFactory, run};
pub use store::{Store, game_text};

use std::path::PathBuf;

/// An event that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// A player cannot be made.
    #[error("player `{player}`: {reason}")]
    Player {
        /// Its spec.
        player: String,
        /// Why.
        reason: String,
    },
    /// A player failed again and again.
    #[error(
        "player `{player}` failed {times} times in a row, the last time: {what}; see faults.jsonl, mend it, and start the same command again"
    )]
    Abandoned {
        /// Its spec.
        player: String,
        /// How often.
        times: u32,
        /// In one line.
        what: String,
    },
    /// The folder holds another event.
    #[error(
        "{folder}: holds an event with another {what} ({found}, now {wanted}); use another folder, or the same settings"
    )]
    Mismatch {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: &'static str,
        /// There.
        found: String,
        /// Asked for.
        wanted: String,
    },
    /// Another process plays in the folder.
    #[error("{0}: another tenjiku plays this event; wait for it, or stop it first")]
    Busy(PathBuf),
    /// A file of the event is damaged.
    #[error("{path}: {reason}")]
    Bad {
        /// Which.
        path: PathBuf,
        /// How, and what to do.
        reason: String,
    },
    /// The file system refused.
    #[error("{path}: {error}")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The game records cannot be written or read.
    #[error(transparent)]
    Records(#[from] records::RecordsError),
}
