//! What can end training.

use std::path::PathBuf;

use inference::NetworkFileError;
use records::RecordsError;

/// Error of this crate; its text says where, what, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A setting out of its range, or settings that do not fit together.
    #[error("{0}")]
    Config(String),
    /// A row that cannot be trained on.
    #[error("{0}")]
    Data(String),
    /// No usable records, or a broken file of them.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// A network folder that cannot be read or written.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// A checkpoint that is missing, damaged, or of another network.
    #[error("{}: {reason}", .path.display())]
    Checkpoint {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Too many steps in a row with a loss or gradient that is not finite.
    #[error(
        "step {step}: loss or gradient not finite {skips} times in a row; the last good checkpoint is untouched, the \
         last batch is in {}; lower train.schedule.learning_rate or look at the batch, then train on", .batch.display()
    )]
    Diverged {
        /// The step.
        step: u64,
        /// How many were skipped.
        skips: u32,
        /// Where the last batch was saved.
        batch: PathBuf,
    },
    /// The file system refused.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl TrainError {
    pub(crate) fn checkpoint(
        path: impl Into<PathBuf>,
        reason: impl std::fmt::Display,
    ) -> TrainError {
        TrainError::Checkpoint {
            path: path.into(),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> TrainError {
        let path = path.into();
        move |error| TrainError::Io { path, error }
    }
}
