//! The learning rate as a pure function of the step, so that nothing of it needs to be saved.

use crate::params::require;

/// Warm-up, then a shape.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScheduleParams {
    /// The highest learning rate. Above 0, at most 10; default 1e-3 (for SGD use about 0.05).
    pub learning_rate: f64,
    /// Steps of linear warm-up from `learning_rate / warmup_steps`. Default 200.
    pub warmup_steps: u64,
    /// What follows: `constant`, `cosine` or `step`. Default `constant`.
    pub shape: ScheduleShape,
    /// Cosine: the step at which `final_share` is reached, and kept from there on. At least 1; default 100,000.
    pub total_steps: u64,
    /// Cosine: the last learning rate as a share of the highest. In [0, 1]; default 0.05.
    pub final_share: f64,
    /// Step: after each this many steps the rate is multiplied by `step_factor`. At least 1; default 20,000.
    pub step_every: u64,
    /// Step: the factor. Above 0, at most 1; default 0.3.
    pub step_factor: f64,
}

/// See [`ScheduleParams::shape`].
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ScheduleShape {
    /// The highest rate for ever.
    #[default]
    Constant,
    /// Half a cosine from the highest rate down to a share of it.
    Cosine,
    /// Down by a factor from time to time.
    Step,
}

impl Default for ScheduleParams {
    fn default() -> Self {
        ScheduleParams {
            learning_rate: 1e-3,
            warmup_steps: 200,
            shape: ScheduleShape::Constant,
            total_steps: 100_000,
            final_share: 0.05,
            step_every: 20_000,
            step_factor: 0.3,
        }
    }
}

impl ScheduleParams {
    /// Checks the ranges given at the fields.
    ///
    /// # Errors
    /// Names the first field out of range.
    pub fn check(&self) -> Result<(), String> {
        let rate = self.learning_rate;
        require(
            rate > 0.0 && rate <= 10.0,
            "schedule.learning_rate",
            rate,
            "must be above 0 and at most 10",
        )?;
        require(
            self.total_steps >= 1,
            "schedule.total_steps",
            self.total_steps,
            "must be at least 1",
        )?;
        let share = self.final_share;
        require(
            (0.0..=1.0).contains(&share),
            "schedule.final_share",
            share,
            "must be in [0, 1]",
        )?;
        require(
            self.step_every >= 1,
            "schedule.step_every",
            self.step_every,
            "must be at least 1",
        )?;
        let factor = self.step_factor;
        require(
            factor > 0.0 && factor <= 1.0,
            "schedule.step_factor",
            factor,
            "must be above 0 and at most 1",
        )
    }

    /// The learning rate of the step that follows `step` finished ones.
    pub fn rate(&self, step: u64) -> f64 {
        let shape = match self.shape {
            ScheduleShape::Constant => 1.0,
            ScheduleShape::Cosine => {
                let progress = (step as f64 / self.total_steps as f64).min(1.0);
                let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
                self.final_share + (1.0 - self.final_share) * cosine
            }
            ScheduleShape::Step => self
                .step_factor
                .powi((step / self.step_every).min(i32::MAX as u64) as i32),
        };
        let warmup = ((step + 1) as f64 / self.warmup_steps.max(1) as f64).min(1.0);
        self.learning_rate * warmup * shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} against {b}");
    }

    #[test]
    fn shapes_have_the_values_one_expects() {
        let constant = ScheduleParams {
            learning_rate: 0.4,
            warmup_steps: 4,
            ..Default::default()
        };
        for (step, rate) in [(0, 0.1), (1, 0.2), (3, 0.4), (4, 0.4), (1_000_000, 0.4)] {
            close(constant.rate(step), rate);
        }
        let cosine = ScheduleParams {
            shape: ScheduleShape::Cosine,
            warmup_steps: 0,
            total_steps: 100,
            final_share: 0.5,
            ..constant.clone()
        };
        for (step, rate) in [(0, 0.4), (50, 0.3), (100, 0.2), (1000, 0.2)] {
            close(cosine.rate(step), rate);
        }
        let step = ScheduleParams {
            shape: ScheduleShape::Step,
            warmup_steps: 0,
            step_every: 10,
            step_factor: 0.5,
            ..constant
        };
        for (at, rate) in [(9, 0.4), (10, 0.2), (29, 0.1)] {
            close(step.rate(at), rate);
        }
    }

    #[test]
    fn bad_fields_are_named() {
        let bad = ScheduleParams {
            step_factor: 1.5,
            ..Default::default()
        };
        assert_eq!(
            bad.check().unwrap_err(),
            "train.schedule.step_factor = 1.5, must be above 0 and at most 1"
        );
        assert!(
            ScheduleParams {
                learning_rate: f64::NAN,
                ..Default::default()
            }
            .check()
            .is_err()
        );
    }
}
