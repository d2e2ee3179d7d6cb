//! Monte Carlo tree search over any [`rules::Position`]: Gumbel AlphaZero and PUCT, with a solver.
//!
//! The tree never sees a tensor and starts no thread. A search gathers leaves into a [`LeafEvaluator`], whoever
//! drives it flushes the evaluator once for many games, and applies the answers:
//!
//! ```text
//! for each game:  search.gather(&mut evaluator)  ->  Step::Leaf(ticket)
//!                 evaluator.flush(&mut answers)      one network call for all
//! for each game:  search.apply(ticket, &answers, i)
//! ```
//!
//! [`run`] does this for a single tree with several leaves in flight. Formulas, parameters and memory:
//! `docs/search.md`.

mod cache;
mod driver;
mod evaluator;
mod exp;
mod gumbel;
mod params;
mod puct;
mod random;
mod report;
mod result;
mod search;
mod select;
mod solver;
mod tree;
mod value;

pub use cache::{CacheStats, CachedEvaluator};
pub use driver::run;
pub use evaluator::{EvalError, Evaluations, LeafEvaluator, UniformEvaluator};
pub use params::{Algorithm, GumbelParams, ParamError, PuctParams, QRange, SearchParams};
pub use result::{MoveStats, SearchResult};
pub use search::{IllegalMove, Search, StartError, Step, Ticket};
pub use value::{Proof, ProofPov, ValuePov, WdlAbs, WdlPov};
