//! Fast core against slow reference: comparing, counting what was seen, shrinking what fails.

pub mod case;
pub mod shrink;
pub mod tally;
