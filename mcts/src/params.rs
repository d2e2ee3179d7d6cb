//! Every setting of the search, as it stands in the configs.

use serde::{Deserialize, Serialize};

/// Which search runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Gumbel AlphaZero: sequential halving at the root, deterministic inside. Danihelka et al. 2022.
    Gumbel,
    /// AlphaZero's PUCT, with the additions of KataGo. Silver et al. 2018, Wu 2019.
    Puct,
}

/// How Q, in [-1, 1], becomes the q in [0, 1] that Gumbel's `sigma` scales.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QRange {
    /// `(Q + 1) / 2`: the range of the game. For `c_scale` near 1.
    Fixed,
    /// The completed Q of each node stretched to [0, 1], as the library mctx does. For `c_scale` near 0.1.
    MinMax,
}

/// The settings of a search. `Default` is self-play with Gumbel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchParams {
    /// `gumbel` or `puct`. Default `gumbel`.
    pub algorithm: Algorithm,
    /// Playouts below the root a search; the evaluation of the root itself is not counted. 0 plays by the
    /// policy alone. Range 0 to 4,000,000,000. Default 200.
    pub visits: u32,
    /// Playouts a legal move: the search gets `max(visits, visits_per_move * legal moves)`. Range 0 to 1000,
    /// 0 switches it off. Default 0.
    pub visits_per_move: f32,
    /// Back up proven results (Winands et al. 2008), and look for moves that win at once in every new node.
    /// Default true.
    pub solver: bool,
    /// How much a shorter game is worth to the side that leads, in units of Q: a move's Q gets
    /// `-moves_left_weight * Q * clamp((m - M) / 20, -1, 1)`, with m and M the plies left expected after the
    /// move and on average. Only selection sees it, no value does. Range 0 to 0.5. Default 0.
    /// Source: idea of Lc0's moves-left head.
    pub moves_left_weight: f32,
    /// Settings of `algorithm = "gumbel"`.
    pub gumbel: GumbelParams,
    /// Settings of `algorithm = "puct"`.
    pub puct: PuctParams,
}

/// Settings of Gumbel AlphaZero. Letters as in Danihelka et al., "Policy improvement by planning with Gumbel",
/// ICLR 2022.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GumbelParams {
    /// m: root moves that sequential halving starts with. Range 1 to 65536. Default 16 (the paper's Go).
    pub considered: u32,
    /// Considered moves a legal move: m becomes `max(considered, considered_per_move * legal moves)`. Range 0
    /// to 1, 0 switches it off. Default 0.
    pub considered_per_move: f32,
    /// In `sigma(q) = (c_visit + max N) * c_scale * q`. Range 0 to 10000. Default 50 (the paper).
    pub c_visit: f32,
    /// See `c_visit`. Range 0 to 100. Default 1 (the paper's board games).
    pub c_scale: f32,
    /// Factor on the Gumbel noise of the root: 1 samples from the policy (self-play), 0 is deterministic
    /// (play for strength). Range 0 to 1. Default 1.
    pub gumbel_scale: f32,
    /// `fixed` or `min_max`, see [`QRange`]. Default `fixed`.
    pub q_range: QRange,
}

/// Settings of PUCT.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PuctParams {
    /// In `U = c * P * sqrt(sum N) / (1 + N)`, `c = c_init + ln((1 + sum N + c_base) / c_base)`. Range 0 to
    /// 100. Default 1.25 (AlphaZero).
    pub c_init: f32,
    /// See `c_init`. Range 1 to 10^9. Default 19652 (AlphaZero).
    pub c_base: f32,
    /// First play urgency: an unvisited move counts as `Q = parent's Q - fpu_reduction * sqrt(P visited)`.
    /// Range 0 to 2. Default 0.2 (KataGo).
    pub fpu_reduction: f32,
    /// The same at the root. Range 0 to 2. Default 0 (KataGo, with noise).
    pub root_fpu_reduction: f32,
    /// Sum of the Dirichlet parameters: each legal move gets `noise_total / legal moves`. Range above 0 to
    /// 1000. Default 10.83 (KataGo; AlphaZero used about 10 in all its games).
    pub noise_total: f32,
    /// Share of the noise in the root prior: 0.25 in self-play, 0 switches it off. Range 0 to 1. Default 0.25
    /// (AlphaZero).
    pub noise_fraction: f32,
    /// The root prior becomes `P^(1/T)`, before the noise. Range 0.1 to 10. Default 1 (KataGo: 1.1 to 1.25).
    pub root_temperature: f32,
    /// k in KataGo's forced playouts: a visited root move gets at least `sqrt(k * P * sum N)`, and what was
    /// only forced is taken off the policy target again. Range 0 to 100, 0 switches both off. Default 2 (KataGo).
    pub forced_playouts: f32,
}

impl Default for SearchParams {
    fn default() -> Self {
        SearchParams {
            algorithm: Algorithm::Gumbel,
            visits: 200,
            visits_per_move: 0.0,
            solver: true,
            moves_left_weight: 0.0,
            gumbel: GumbelParams::default(),
            puct: PuctParams::default(),
        }
    }
}

impl Default for GumbelParams {
    fn default() -> Self {
        GumbelParams {
            considered: 16,
            considered_per_move: 0.0,
            c_visit: 50.0,
            c_scale: 1.0,
            gumbel_scale: 1.0,
            q_range: QRange::Fixed,
        }
    }
}

impl Default for PuctParams {
    fn default() -> Self {
        PuctParams {
            c_init: 1.25,
            c_base: 19652.0,
            fpu_reduction: 0.2,
            root_fpu_reduction: 0.0,
            noise_total: 10.83,
            noise_fraction: 0.25,
            root_temperature: 1.0,
            forced_playouts: 2.0,
        }
    }
}

/// A setting outside its range.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{key} = {value}, must be from {low} to {high}")]
pub struct ParamError {
    /// The key below the table of the search, e.g. `gumbel.c_visit`.
    pub key: &'static str,
    /// What was found.
    pub value: f64,
    /// Smallest value allowed.
    pub low: f64,
    /// Largest value allowed.
    pub high: f64,
}

/// The most playouts a search can have, so that counters of 32 bits suffice.
pub(crate) const MAX_VISITS: u32 = 4_000_000_000;

impl SearchParams {
    /// Checks every range.
    ///
    /// # Errors
    /// [`ParamError`] naming the first key that is out of range (or not a number).
    pub fn check(&self) -> Result<(), ParamError> {
        let (g, p) = (&self.gumbel, &self.puct);
        for (key, value, low, high) in [
            ("visits", f64::from(self.visits), 0.0, f64::from(MAX_VISITS)),
            ("visits_per_move", self.visits_per_move.into(), 0.0, 1000.0),
            ("moves_left_weight", self.moves_left_weight.into(), 0.0, 0.5),
            ("gumbel.considered", g.considered.into(), 1.0, 65536.0),
            (
                "gumbel.considered_per_move",
                g.considered_per_move.into(),
                0.0,
                1.0,
            ),
            ("gumbel.c_visit", g.c_visit.into(), 0.0, 10_000.0),
            ("gumbel.c_scale", g.c_scale.into(), 0.0, 100.0),
            ("gumbel.gumbel_scale", g.gumbel_scale.into(), 0.0, 1.0),
            ("puct.c_init", p.c_init.into(), 0.0, 100.0),
            ("puct.c_base", p.c_base.into(), 1.0, 1e9),
            ("puct.fpu_reduction", p.fpu_reduction.into(), 0.0, 2.0),
            (
                "puct.root_fpu_reduction",
                p.root_fpu_reduction.into(),
                0.0,
                2.0,
            ),
            ("puct.noise_total", p.noise_total.into(), 1e-3, 1000.0),
            ("puct.noise_fraction", p.noise_fraction.into(), 0.0, 1.0),
            (
                "puct.root_temperature",
                f64::from(p.root_temperature),
                f64::from(0.1_f32),
                10.0,
            ),
            ("puct.forced_playouts", p.forced_playouts.into(), 0.0, 100.0),
        ] {
            if !(low..=high).contains(&value) {
                return Err(ParamError {
                    key,
                    value,
                    low,
                    high,
                });
            }
        }
        Ok(())
    }

    /// These settings without any randomness: play for strength, fast searches of self-play.
    pub fn without_noise(&self) -> SearchParams {
        let mut params = self.clone();
        params.gumbel.gumbel_scale = 0.0;
        params.puct.noise_fraction = 0.0;
        params.puct.forced_playouts = 0.0;
        params.puct.root_temperature = 1.0;
        params
    }

    /// The playouts that `visits` become at a root with `legal` moves.
    pub fn scaled_visits(&self, visits: u32, legal: usize) -> u32 {
        let scaled = f64::from(self.visits_per_move) * legal as f64;
        visits.max(scaled.min(f64::from(MAX_VISITS)) as u32)
    }

    /// m at a root with `legal` moves.
    pub(crate) fn scaled_considered(&self, legal: usize) -> usize {
        let scaled = (f64::from(self.gumbel.considered_per_move) * legal as f64) as usize;
        scaled.max(self.gumbel.considered as usize).min(legal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_range() {
        assert_eq!(SearchParams::default().check(), Ok(()));
    }

    #[test]
    fn a_value_out_of_range_is_named() {
        let mut params = SearchParams::default();
        params.gumbel.considered = 0;
        assert_eq!(
            params.check().unwrap_err().to_string(),
            "gumbel.considered = 0, must be from 1 to 65536"
        );
        params = SearchParams::default();
        params.puct.c_init = f32::NAN;
        assert_eq!(params.check().unwrap_err().key, "puct.c_init");
    }

    #[test]
    fn budgets_scale_with_the_number_of_legal_moves() {
        let mut params = SearchParams {
            visits_per_move: 2.0,
            ..SearchParams::default()
        };
        params.gumbel.considered_per_move = 0.1;
        assert_eq!(params.scaled_visits(200, 30), 200);
        assert_eq!(params.scaled_visits(200, 300), 600);
        assert_eq!(params.scaled_considered(300), 30);
        assert_eq!(params.scaled_considered(40), 16);
        assert_eq!(params.scaled_considered(5), 5);
    }
}
