//! One module a subcommand.

pub mod analyze;
pub mod bench;
pub mod config;
pub mod doctor;
pub mod export;
pub mod gate;
pub mod import;
pub mod inspect;
pub mod openings;
pub mod play_match;
pub mod position;
pub mod ratings;
pub mod replay;
pub mod report;
pub mod run_loop;
pub mod selfplay;
pub mod serve;
pub mod shell;
pub mod show;
pub mod status;
pub mod tournament;
pub mod train;
pub mod tune;
