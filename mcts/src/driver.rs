//! The loop for one tree: play, analysis, matches. Self-play has its own, over many trees.

use crate::evaluator::{EvalError, Evaluations, LeafEvaluator};
use crate::playout::{Step, Ticket};
use crate::search::Search;
use rules::Position;

/// Known results that are backed up between two looks at `stop`.
const BACKED_BETWEEN_STOPS: u32 = 256;

/// Runs a started search to its end, with up to `batch` (at least 1) leaves in flight.
///
/// `stop` is asked after every batch and ends the search early: time is up, a node limit is reached, the user
/// wants a move. Nothing is in flight on return.
///
/// # Errors
/// [`EvalError`] of the evaluator; what was in flight is forgotten and the tree stays usable.
pub fn run<P: Position, E: LeafEvaluator<P> + ?Sized>(
    search: &mut Search<P>,
    evaluator: &mut E,
    batch: usize,
    mut stop: impl FnMut(&Search<P>) -> bool,
) -> Result<(), EvalError> {
    let mut answers = Evaluations::default();
    let mut tickets: Vec<Ticket> = Vec::with_capacity(batch);
    let mut result = Ok(());
    loop {
        let mut finished = false;
        let mut backed = 0;
        while tickets.len() < batch.max(1) && backed < BACKED_BETWEEN_STOPS {
            match search.gather(evaluator) {
                Step::Leaf(ticket) => tickets.push(ticket),
                Step::Backed => backed += 1,
                Step::Busy => break,
                Step::Finished => {
                    finished = true;
                    break;
                }
            }
        }
        if !tickets.is_empty() {
            result = evaluator.flush(&mut answers);
            for (i, ticket) in tickets.drain(..).enumerate() {
                result = result.and_then(|()| search.apply(ticket, &answers, i));
            }
        }
        if result.is_err() {
            search.abandon();
            return result;
        }
        if finished || stop(search) {
            return Ok(());
        }
    }
}
