//! Monte Carlo tree search over any [`rules::Position`]. (under construction)

mod evaluator;

pub use evaluator::{EvalError, Evaluations, LeafEvaluator, UniformEvaluator};
