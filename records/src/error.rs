//! What can go wrong, always with the file, game, ply or column it concerns.

use std::path::{Path, PathBuf};

/// A game or row that breaks the contract of the records.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("game {game}{}, column `{column}`: {problem}", .ply.map(|p| format!(", ply {p}")).unwrap_or_default())]
pub struct RowError {
    /// Id of the game.
    pub game: String,
    /// Ply of the row (0 = first move), `None` where the game as a whole is meant.
    pub ply: Option<u32>,
    /// The column at fault.
    pub column: &'static str,
    /// What was found and what was expected.
    pub problem: String,
}

impl RowError {
    /// From a column and what is wrong in it.
    pub(crate) fn new(
        game: &str,
        ply: Option<u32>,
        (column, problem): (&'static str, String),
    ) -> RowError {
        RowError {
            game: game.to_string(),
            ply,
            column,
            problem,
        }
    }
}

/// Error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// The file system said no.
    #[error("{}: {error}{}", .path.display(), advice(.error))]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Cause.
        error: std::io::Error,
    },
    /// A file of ours that is not as it should be, or a file that is not ours.
    #[error("{}: {reason}", .path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// A row that must not be written.
    #[error(transparent)]
    Row(#[from] RowError),
    /// Not one usable file, or not enough rows: what was looked for, what was found, what to do.
    #[error("{0}")]
    NoData(String),
    /// A setting out of its range.
    #[error("{0}")]
    Setting(String),
}

/// What to do about an error of the file system, to be put behind it; empty where nothing general helps.
pub(crate) fn advice(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind as Kind;
    match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "; make room and start again: finished games are kept"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "; make the folder writable, or use another one"
        }
        _ => "",
    }
}

impl RecordsError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RecordsError + '_ {
        move |error| RecordsError::Io {
            path: path.to_path_buf(),
            error,
        }
    }

    pub(crate) fn bad(path: &Path, reason: impl Into<String>) -> RecordsError {
        RecordsError::BadFile {
            path: path.to_path_buf(),
            reason: reason.into(),
        }
    }

    /// What is wrong, without the path in front of it.
    pub(crate) fn reason(&self) -> String {
        match self {
            RecordsError::Io { error, .. } => format!("{error}{}", advice(error)),
            RecordsError::BadFile { reason, .. } => reason.clone(),
            other => other.to_string(),
        }
    }
}
