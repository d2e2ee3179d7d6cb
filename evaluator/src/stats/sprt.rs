//! The sequential probability ratio test over colour-swapped pairs, in normalised Elo.
//!
//! Normalised Elo measures the score's surplus in standard deviations of one game: `t = (s - ½) / σ`, times
//! `800 / ln 10` so that it equals Elo near 0 where there are no draws. So the number of games to tell two
//! hypotheses apart depends on neither the draw rate nor the openings (M. Van den Bergh, *Normalized Elo*).

use super::{Pentanomial, moments};

/// Normalised Elo of one standard deviation of a game.
const PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// Two hypotheses and the errors allowed.
#[derive(
    Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(default, deny_unknown_fields)]
pub struct SprtParams {
    /// Normalised Elo under the null hypothesis. Default 0.
    pub elo0: f64,
    /// Normalised Elo under the alternative, above `elo0`. Both within -200..=200. Default 20.
    pub elo1: f64,
    /// Probability of accepting the alternative where the null hypothesis holds, in (0, 0.5). Default 0.05.
    pub alpha: f64,
    /// Probability of accepting the null hypothesis where the alternative holds, in (0, 0.5). Default 0.05.
    pub beta: f64,
}

impl Default for SprtParams {
    fn default() -> Self {
        SprtParams {
            elo0: 0.0,
            elo1: 20.0,
            alpha: 0.05,
            beta: 0.05,
        }
    }
}

impl SprtParams {
    /// Checks ranges; `section` names the config section in the message.
    ///
    /// # Errors
    /// Names the first bad value.
    pub fn check(&self, section: &str) -> Result<(), String> {
        for (key, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-200.0..=200.0).contains(&value) {
                return Err(format!(
                    "{section}.{key} = {value}, must be from -200 to 200"
                ));
            }
        }
        if self.elo1 <= self.elo0 {
            return Err(format!(
                "{section}.elo1 = {}, must be above elo0 = {}",
                self.elo1, self.elo0
            ));
        }
        for (key, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(format!(
                    "{section}.{key} = {value}, must be above 0 and below 0.5"
                ));
            }
        }
        Ok(())
    }

    /// Bounds of the log-likelihood ratio: at or below the first the null hypothesis is accepted, at or above the
    /// second the alternative. These are the ones for which Wald proved that the errors are at most `alpha` and
    /// `beta`; his usual ones, `ln((1 - beta) / alpha)`, only come near that (simulated: 5.04 % for 5 %).
    pub fn bounds(&self) -> (f64, f64) {
        (self.beta.ln(), -self.alpha.ln())
    }

    /// The state of the test after these pairs, from the first player's view.
    pub fn test(&self, pairs: &Pentanomial) -> Sprt {
        let llr = llr(pairs, self.elo0, self.elo1);
        let (lower, upper) = self.bounds();
        let decision = if llr >= upper {
            Decision::Accept
        } else if llr <= lower {
            Decision::Reject
        } else {
            Decision::Open
        };
        Sprt {
            params: *self,
            pairs: pairs.iter().sum(),
            llr,
            lower,
            upper,
            decision,
        }
    }
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The alternative is accepted: the first player is better by about `elo1`.
    Accept,
    /// The null hypothesis is accepted: it is not.
    Reject,
    /// Neither yet.
    Open,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sprt {
    /// The hypotheses.
    pub params: SprtParams,
    /// Pairs that count.
    pub pairs: u64,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Lower bound: at or below it the null hypothesis is accepted.
    pub lower: f64,
    /// Upper bound: at or above it the alternative is accepted.
    pub upper: f64,
    /// What follows.
    pub decision: Decision,
}

/// Generalised log-likelihood ratio of normalised Elo `elo1` to `elo0`; 0 with no pairs, always finite.
///
/// Pair scores are taken as normal with mean `½ + t σ √2` and unknown deviation `σ` (that of a pair score; one game's is
/// `σ √2`, which is where the root comes from). Each hypothesis gets the `σ` that suits it best; this maximum has a
/// closed form, see `docs/evaluation.md`.
pub fn llr(pairs: &Pentanomial, elo0: f64, elo1: f64) -> f64 {
    let Some((n, mean, variance)) = moments(pairs) else {
        return 0.0;
    };
    let surplus = mean - 0.5;
    let square = variance + surplus * surplus;
    // Log-likelihood a pair, less what both hypotheses share; `u` is 1 / σ at its maximum.
    let log_likelihood = |elo: f64| {
        let s = elo / PER_SIGMA * std::f64::consts::SQRT_2;
        if square == 0.0 {
            // All pairs drawn: the limit of the formula below, less the shared ln u.
            return -0.5 * s * s;
        }
        let u = (surplus * s + (surplus * surplus * s * s + 4.0 * square).sqrt()) / (2.0 * square);
        u.ln() - 0.5 * square * u * u + surplus * s * u - 0.5 * s * s
    };
    n * (log_likelihood(elo1) - log_likelihood(elo0))
}

/// Normalised Elo seen in the pairs; `None` with no pairs or where they show no variance.
pub fn normalised_elo(pairs: &Pentanomial) -> Option<f64> {
    let (_, mean, variance) = moments(pairs)?;
    (variance > 0.0).then(|| PER_SIGMA * (mean - 0.5) / (2.0 * variance).sqrt())
}

#[cfg(test)]
mod tests;
