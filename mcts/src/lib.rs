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
//!
//! ```
//! use mcts::{Search, SearchParams, UniformEvaluator, run};
//! use rand::SeedableRng;
//! use rules::Position;
//! use rules::shogi::Shogi;
//!
//! // A gold dropped before the king mates.
//! let position = Shogi::from_sfen(&Default::default(), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
//! let mut params = SearchParams::default();
//! params.gumbel.considered = 100; // the evaluator has no idea which of the 80 moves are good
//! let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
//! let mut search = Search::new(position);
//! search.resume(&params, 500, &mut rng).unwrap();
//! run(&mut search, &mut UniformEvaluator::default(), 8, |_| false).unwrap();
//! let result = search.result().unwrap();
//! assert_eq!(result.best.to_string(), "G*5b");
//! assert_eq!(result.value.value().0, 1.0);
//! ```

mod cache;
mod driver;
mod evaluator;
mod exp;
mod gumbel;
mod halving;
mod params;
mod playout;
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
pub use playout::{Step, Ticket};
pub use result::{MoveStats, SearchResult};
pub use search::{IllegalMove, Search, StartError};
pub use value::{Proof, ProofPov, ValuePov, WdlAbs, WdlPov};
