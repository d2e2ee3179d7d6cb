//! Matches between any two players, and what their results are worth.

mod conduct;
mod head_to_head;
mod openings;
mod players;
pub mod stats;

pub use conduct::{PlayedGame, Unfinished, play_game};
pub use head_to_head::{
    FaultReport, MatchGame, MatchParams, MatchReport, PlayerFactory, play_match,
};
pub use openings::random_opening;
pub use players::{PlayerError, make_player};
