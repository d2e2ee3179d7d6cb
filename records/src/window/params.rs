//! How large the window is, and which of its games are kept for validation.

use sha2::{Digest, Sha256};

use crate::error::RecordsError;

/// Which positions the window holds and which of them are sampled.
///
/// With `N` position rows in the run the window aims at
/// `W = c * (1 + beta * ((N / c)^alpha - 1) / alpha)` newest rows for `N > c`, and at all for `N <= c`, where `c`
/// is `min_positions`; never more than `max_positions`. It takes whole files, newest generation first, until
/// it has `W` rows. Source: Wu, Accelerating Self-Play Learning in Go (2019), training window.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WindowParams {
    /// `c`: up to this many rows, the window holds everything. Positions, at least 1; default 250,000.
    pub min_positions: u64,
    /// The window never aims at more. Positions, at least `min_positions`; default 10,000,000.
    pub max_positions: u64,
    /// Exponent of the growth: 1 grows in proportion, near 0 like a logarithm. In (0, 1]; default 0.75.
    pub alpha: f64,
    /// Growth at `N = c`, in window rows per new row. In [0, 1]; default 0.4.
    pub beta: f64,
    /// Sample only positions with a policy target. Default true.
    pub policy_only: bool,
    /// Memory for packed positions; what exceeds it goes to a temporary file in the run directory. MiB; default 1,500.
    /// The index (below 10 bytes a position) comes on top.
    pub memory_mib: u64,
    /// Share of the games kept apart for validation, chosen by a hash of the game's id. In [0, 1); default 0.05.
    pub validation_share: f64,
}

impl Default for WindowParams {
    fn default() -> WindowParams {
        WindowParams {
            min_positions: 250_000,
            max_positions: 10_000_000,
            alpha: 0.75,
            beta: 0.4,
            policy_only: true,
            memory_mib: 1_500,
            validation_share: 0.05,
        }
    }
}

impl WindowParams {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`RecordsError::Setting`] naming the field, its value and its range.
    pub fn validate(&self) -> Result<(), RecordsError> {
        let checks = [
            (
                self.min_positions >= 1,
                format!("min_positions = {}, must be at least 1", self.min_positions),
            ),
            (
                (self.min_positions..=u64::from(u32::MAX)).contains(&self.max_positions),
                format!(
                    "max_positions = {}, must be at least min_positions and below 2^32",
                    self.max_positions
                ),
            ),
            (
                self.alpha > 0.0 && self.alpha <= 1.0,
                format!("alpha = {}, must be in (0, 1]", self.alpha),
            ),
            (
                (0.0..=1.0).contains(&self.beta),
                format!("beta = {}, must be in [0, 1]", self.beta),
            ),
            (
                (0.0..1.0).contains(&self.validation_share),
                format!(
                    "validation_share = {}, must be in [0, 1)",
                    self.validation_share
                ),
            ),
        ];
        match checks.into_iter().find(|(ok, _)| !ok) {
            Some((_, problem)) => Err(RecordsError::Setting(problem)),
            None => Ok(()),
        }
    }

    /// The number of newest rows to aim at when the run has `total`.
    pub fn size(&self, total: u64) -> u64 {
        if total <= self.min_positions {
            return total;
        }
        let c = self.min_positions as f64;
        let grown =
            c * (1.0 + self.beta * ((total as f64 / c).powf(self.alpha) - 1.0) / self.alpha);
        (grown as u64).min(self.max_positions).min(total)
    }

    /// Whether a game is kept for validation.
    pub fn is_validation(&self, game_id: &str) -> bool {
        let hash = Sha256::digest(game_id.as_bytes());
        let word = u64::from_be_bytes(hash[..8].try_into().expect("8 bytes"));
        (word as f64) < self.validation_share * 2f64.powi(64)
    }
}
