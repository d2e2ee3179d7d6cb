//! Heads that exist in training only: their settings, targets and losses. Their tensors are in [`network::Heads`].
//!
//! The targets come from later rows of the same game, so the records need nothing more for them.

mod loss;
mod target;

pub use loss::auxiliary_losses;
pub use target::{AuxiliaryTarget, auxiliary_target};

use network::Heads;

use crate::params::require;

/// Most values of [`AuxiliaryParams::short_term_plies`].
const MOST_HORIZONS: usize = 8;
/// Most plies that a head looks ahead.
const MOST_PLIES: u32 = 1000;

/// The auxiliary heads. A head with weight 0 is not there; one that is switched on in the middle of a run starts fresh.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuxiliaryParams {
    /// Weight of the cross-entropy of who holds each square `future_plies` later (nobody, the side to move now, its
    /// enemy), a mean over the squares. At least 0; default 0.
    pub future: f64,
    /// How much later. Positions whose game is over by then have no such target. Plies, 1..=1000; default 16.
    pub future_plies: u32,
    /// Weight of the cross-entropy of the values `short_term_plies` later. At least 0; default 0.
    pub short_term: f64,
    /// How much later: the target is the search's value there, or what [`crate::EndTargets`] says if the game is over.
    /// One to eight numbers of plies, 1..=1000; default `[6, 24]`.
    pub short_term_plies: Vec<u32>,
    /// Weight of the cross-entropy of a second policy head with a smoothed target. At least 0; default 0.
    pub soft_policy: f64,
    /// Its target is the policy target to the power `1 / soft_policy_temperature`, normalised. At least 1, at most
    /// 100; default 4.
    pub soft_policy_temperature: f64,
}

impl Default for AuxiliaryParams {
    fn default() -> Self {
        AuxiliaryParams {
            future: 0.0,
            future_plies: 16,
            short_term: 0.0,
            short_term_plies: vec![6, 24],
            soft_policy: 0.0,
            soft_policy_temperature: 4.0,
        }
    }
}

impl AuxiliaryParams {
    /// The heads that have a weight.
    pub fn heads(&self) -> Heads {
        Heads {
            future: self.future > 0.0,
            short_term: match self.short_term > 0.0 {
                true => self.short_term_plies.len(),
                false => 0,
            },
            soft_policy: self.soft_policy > 0.0,
        }
    }

    /// Whether a head's target comes from later rows.
    pub(crate) fn needs_later_rows(&self) -> bool {
        self.future > 0.0 || self.short_term > 0.0
    }

    /// Checks the ranges given at the fields.
    ///
    /// # Errors
    /// Names the first field out of range.
    pub fn check(&self) -> Result<(), String> {
        for (name, value) in [
            ("future", self.future),
            ("short_term", self.short_term),
            ("soft_policy", self.soft_policy),
        ] {
            let name = format!("auxiliary.{name}");
            let good = value >= 0.0 && value.is_finite();
            require(good, &name, value, "must be at least 0")?;
        }
        let in_range = |plies: &u32| (1..=MOST_PLIES).contains(plies);
        require(
            in_range(&self.future_plies),
            "auxiliary.future_plies",
            self.future_plies,
            "must be between 1 and 1000",
        )?;
        let plies = &self.short_term_plies;
        require(
            (1..=MOST_HORIZONS).contains(&plies.len()) && plies.iter().all(in_range),
            "auxiliary.short_term_plies",
            format!("{plies:?}"),
            "must be one to eight numbers between 1 and 1000",
        )?;
        require(
            (1.0..=100.0).contains(&self.soft_policy_temperature),
            "auxiliary.soft_policy_temperature",
            self.soft_policy_temperature,
            "must be between 1 and 100",
        )
    }
}
