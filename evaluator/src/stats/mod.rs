//! From results to numbers with their uncertainty. Pure functions of counts: no games, no files, no clock.
//!
//! The unit is the colour-swapped pair ([`Pentanomial`]), because its two games share an opening and so are not
//! independent. `docs/evaluation.md` derives every formula.

mod bradley_terry;
mod interval;
mod normal;
mod sprt;
mod superiority;
mod tally;

pub use bradley_terry::{Anchor, Encounter, Rating, Ratings, fit};
pub use interval::{elo, elo_of_score, score_interval, score_of_elo};
pub use normal::{Z95, normal_cdf};
pub use sprt::{Decision, Sprt, SprtParams, llr, normalised_elo};
pub use superiority::superiority;
pub use tally::{Estimate, Pentanomial, Tally, moments};
