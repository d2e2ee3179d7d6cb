//! What training tells its caller while it runs.

use std::path::Path;

use network::Cost;

use crate::validate::Validation;

/// Receives the news of a training run; every method may stay empty.
pub trait Progress {
    /// Something people should know: where training starts from, settings that changed, files that are not read.
    fn note(&mut self, _text: &str) {}
    /// Training begins.
    fn started(&mut self, _start: &Start) {}
    /// Every `report_every` steps.
    fn report(&mut self, _report: &Report) {}
    /// After a validation.
    fn validated(&mut self, _step: u64, _validation: &Validation) {}
    /// A checkpoint was written.
    fn saved(&mut self, _step: u64, _folder: &Path) {}
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {}

/// The facts at the beginning.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// First step (number of steps done before).
    pub step: u64,
    /// Steps done at the end.
    pub goal: u64,
    /// Size and work of the network.
    pub cost: Cost,
    /// Parameters of the auxiliary heads.
    pub auxiliary_parameters: usize,
    /// Bytes that weights, optimiser and one pass through the network take; an estimate.
    pub training_bytes: usize,
    /// Device and threads, for people.
    pub device: String,
    /// Rows to train on.
    pub train_rows: usize,
    /// Rows to validate on.
    pub validation_rows: usize,
    /// Games in the window.
    pub games: usize,
    /// Bytes of memory of the window.
    pub window_bytes: usize,
}

/// Means over the steps since the last report.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Report {
    /// Steps done.
    pub step: u64,
    /// Steps done at the end.
    pub goal: u64,
    /// Weighted sum of the losses; of the finite steps, as all that follows.
    pub loss: f64,
    /// Policy cross-entropy, nats.
    pub policy: f64,
    /// The same less the entropy of the targets: Kullback-Leibler divergence, nats.
    pub policy_kl: f64,
    /// Share of positions whose most probable move is the target's heaviest.
    pub policy_accuracy: f64,
    /// WDL cross-entropy, nats.
    pub wdl: f64,
    /// Huber loss of plies to the end, units of 100 plies.
    pub moves_left: f64,
    /// Cross-entropy of who holds a square later, nats; 0 where there is no such head, as the next two.
    pub future: f64,
    /// Cross-entropy of the values some plies later, nats.
    pub short_term: f64,
    /// Cross-entropy of the smoothed policy, nats.
    pub soft_policy: f64,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f64,
    /// Generations between the newest games of the window and the mean sample.
    pub data_age: f64,
    /// Steps skipped in this interval for not being finite.
    pub skipped: u64,
    /// Positions a second, waiting included.
    pub positions_per_second: f64,
    /// Share of the time spent waiting for data.
    pub wait_share: f64,
    /// Seconds to the goal at this speed.
    pub seconds_left: f64,
}
