//! One module a subcommand.

pub mod analyze;
pub mod doctor;
pub mod export;
pub mod import;
pub mod inspect;
pub mod play_match;
pub mod position;
pub mod run_loop;
pub mod selfplay;
pub mod show;
pub mod train;
pub mod tune;
