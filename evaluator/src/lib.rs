//! Matches, tournaments and gates between any players, and what their results are worth.
//!
//! - [`Plan`] says who meets whom with which [`Opening`]; [`run`] plays what the [`Store`] lacks, and can be killed at
//!   any moment.
//! - [`report()`] turns what was played into numbers, [`text`], [`html`] and (by serde) JSON.
//! - [`stats`] are the formulas; `docs/evaluation.md` explains them.
//! - [`RatingsFile`] keeps the strength of a run's generations.
//!
//! Our own rules core is the arbiter: what a player says about legality or results decides nothing.

mod conduct;
mod event;
mod fault;
mod openings;
mod players;
mod ratings;
mod report;
mod schedule;
pub mod stats;

pub use conduct::{Conditions, Late, PlayedGame, Unfinished, play_game};
pub use event::{
    Entrant, EventError, Ledger, Plan, PlayParams, PlayerFactory, Store, game_text, run,
};
pub use fault::{Cause, FaultRecord, Handling, OnFault};
pub use openings::{
    Made, Opening, OpeningParams, make_openings, opening_line, policy_move, random_opening,
    random_openings, read_openings, write_openings,
};
pub use players::{PlayerError, entrant, make_player, open_network};
pub use ratings::{RatedPlayer, RatingsFile, Role, ratings_page};
pub use report::{
    AnchorChoice, ColourSplit, EncounterReport, PlayerReport, Point, Report, Spread, Verdict, html,
    interval_plot, line_plot, one_line, report, text,
};
pub use schedule::{Format, Pairing, encounters};
