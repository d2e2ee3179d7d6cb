//! A slow referee of standard shogi, written from the wording of the rules alone.
//!
//! It shares nothing with the rules core: own board (file and rank from 1 to 9), own reading and writing of
//! strings, and every rule as the rules text puts it. A move is legal if, after it has been made on a copy, the
//! own king cannot be taken. Whole games are kept, so that repetition is found by comparing positions.

mod game;
mod pieces;
mod state;

pub use game::{Game, Status};
