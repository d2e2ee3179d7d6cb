//! Means of losses and speeds over a report interval.

use std::time::{Duration, Instant};

use crate::batch::Batch;
use crate::loader::Loader;
use crate::progress::Report;
use crate::state::StepStats;

/// Means over a report interval.
pub(crate) struct Meter {
    steps: u64,
    finite: u64,
    positions: usize,
    sums: StepStats,
    entropy: f64,
    generation: f64,
    rate: f64,
    start: Instant,
    waited: Duration,
}

impl Meter {
    pub(crate) fn new() -> Meter {
        Meter {
            steps: 0,
            finite: 0,
            positions: 0,
            sums: StepStats::default(),
            entropy: 0.0,
            generation: 0.0,
            rate: 0.0,
            start: Instant::now(),
            waited: Duration::ZERO,
        }
    }

    /// Counts a step and, if it was finite, its losses.
    pub(crate) fn add(&mut self, stats: &StepStats, batch: &[Batch]) {
        self.steps += 1;
        self.positions += batch.iter().map(Batch::len).sum::<usize>();
        self.rate = stats.learning_rate;
        if stats.finite {
            self.finite += 1;
            let sums = &mut self.sums;
            for (sum, value) in [
                (&mut sums.total, stats.total),
                (&mut sums.policy, stats.policy),
                (&mut sums.wdl, stats.wdl),
                (&mut sums.moves_left, stats.moves_left),
                (&mut sums.future, stats.future),
                (&mut sums.short_term, stats.short_term),
                (&mut sums.soft_policy, stats.soft_policy),
                (&mut sums.accuracy, stats.accuracy),
                (&mut sums.gradient_norm, stats.gradient_norm),
            ] {
                *sum += value;
            }
            for part in batch {
                self.entropy += part.info.policy_entropy;
                self.generation += part.info.generation;
            }
        }
    }

    /// The means, and a new interval.
    pub(crate) fn report(&mut self, step: u64, goal: u64, newest: f64, loader: &Loader) -> Report {
        let n = (self.finite as f64).max(1.0);
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let waited = (loader.waited() - self.waited).as_secs_f64();
        let sums = &self.sums;
        let report = Report {
            step,
            goal,
            loss: sums.total / n,
            policy: sums.policy / n,
            policy_kl: (sums.policy - self.entropy) / n,
            policy_accuracy: sums.accuracy / n,
            wdl: sums.wdl / n,
            moves_left: sums.moves_left / n,
            future: sums.future / n,
            short_term: sums.short_term / n,
            soft_policy: sums.soft_policy / n,
            learning_rate: self.rate,
            gradient_norm: sums.gradient_norm / n,
            data_age: newest - self.generation / n,
            skipped: self.steps - self.finite,
            positions_per_second: self.positions as f64 / seconds,
            wait_share: waited / seconds,
            seconds_left: (goal - step) as f64 * seconds / self.steps.max(1) as f64,
        };
        *self = Meter {
            waited: loader.waited(),
            ..Meter::new()
        };
        report
    }
}
