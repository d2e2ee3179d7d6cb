//! Made-up games and positions for the tests and examples of other crates; no program uses them.

mod games;
mod toy;
mod wide;

pub use games::{provenance, random_game, write_games, writer};
pub use toy::{Toy, ToyMove, ToyRules};
pub use wide::{WIDE, wide};
