//! Self-play: games of a network against itself, written as Parquet records.
//!
//! Each worker thread plays some games in lockstep: every game goes on to its next leaf, one network call answers all
//! of them. No lock, no shared queue, and so the same games each time.

mod game;
mod job;
mod params;
mod worker;

pub use job::{EvaluatorFactory, Job, Report, SelfplayError, Shard, Tally, run};
pub use params::{BackendChoice, SelfplayParams};
