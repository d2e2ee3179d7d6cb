//! Which rows a call trains on, and up to which step. A call that repeats an interrupted one gets the same answers.

use encoding::Encoded;
use records::{RecordsError, ReplayWindow, Shape};

use crate::TrainError;
use crate::checkpoint::CheckpointManifest;
use crate::params::TrainParams;
use crate::progress::Progress;
use crate::train::Job;

/// How far to train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// This many steps from the latest checkpoint; where that belongs to the same [`Job::generation`], the goal of the
    /// call that wrote it, so that a repeated call trains no more than one that was not interrupted.
    More(u64),
    /// Until this many steps are done in all. Repeating the call after an interruption goes on where it stopped.
    Until(u64),
    /// As many steps in all as the run's positions are worth, see [`TrainParams::samples_per_position`]. As `Until`.
    ByData,
}

/// The window, and the step to reach. A call that repeats an interrupted one gets the very same files.
pub(crate) fn open_window<P: Encoded>(
    job: &Job<'_, P>,
    previous: Option<&CheckpointManifest>,
    step: u64,
    progress: &mut dyn Progress,
) -> Result<(ReplayWindow, u64), TrainError> {
    let params = job.params;
    let shape = Shape::of::<P>();
    let window = ReplayWindow::open(job.run, &shape, params.window.clone())
        .map_err(|e| without_rows(e, params))?;
    for refused in window.refused() {
        progress.note(&format!(
            "not read: {}: {}",
            refused.file.display(),
            refused.reason
        ));
    }
    let repeated = previous
        .filter(|manifest| job.generation.is_some() && manifest.generation == job.generation);
    let goal = match job.steps {
        Steps::More(steps) => repeated.map_or(step.saturating_add(steps), |manifest| manifest.goal),
        Steps::Until(goal) => goal,
        Steps::ByData => {
            (window.total_positions() as f64 * params.samples_per_position
                / params.batch_size as f64) as u64
        }
    };
    let too_few = |what: String| {
        TrainError::Data(format!(
            "{}: {what}; play or import more games, or change the setting",
            job.run.display()
        ))
    };
    if window.train_rows().len() < params.batch_size {
        return Err(too_few(format!(
            "too few positions: {} to train on, train.batch_size = {}",
            window.train_rows().len(),
            params.batch_size
        )));
    }
    if goal == 0 && job.steps == Steps::ByData {
        return Err(too_few(format!(
            "too few positions: {} are not worth one step at train.samples_per_position = {}",
            window.total_positions(),
            params.samples_per_position
        )));
    }
    let interrupted =
        previous.filter(|manifest| manifest.step < manifest.goal && manifest.goal == goal);
    let window = match interrupted {
        Some(manifest) if manifest.window != window.stems() => {
            progress.note("the last call was interrupted: going on with the same position files");
            ReplayWindow::open_exact(job.run, &shape, params.window.clone(), &manifest.window)?
        }
        _ => window,
    };
    Ok((window, goal))
}

/// The error of a window without rows, with what the trainer knows about it.
fn without_rows(error: RecordsError, params: &TrainParams) -> TrainError {
    match error {
        RecordsError::NoData(text) if params.window.policy_only => TrainError::Data(format!(
            "{text}; games without searches, such as imported ones, need train.imitate = \"all\" and \
             train.window.policy_only = false"
        )),
        error => error.into(),
    }
}
