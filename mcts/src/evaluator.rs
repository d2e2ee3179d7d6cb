//! What the search asks of a network, and a stand-in that knows nothing.

use rules::Position;

/// Error of an evaluator: the back-end failed or gave non-finite numbers. Ends the search.
#[derive(Debug, thiserror::Error)]
#[error("leaf evaluation failed: {0}")]
pub struct EvalError(pub String);

/// The network's answers for a batch of positions, in the order in which they were pushed.
///
/// Cleared and refilled by [`LeafEvaluator::flush`], so a caller that keeps it allocates nothing.
#[derive(Clone, Default, Debug)]
pub struct Evaluations {
    /// Policy logits of all positions one after the other; position `i` owns
    /// `logits[offsets[i]..offsets[i + 1]]`, one a legal move in the order of the pushed list.
    pub logits: Vec<f32>,
    /// `len() + 1` offsets into `logits`.
    pub offsets: Vec<usize>,
    /// Probabilities of (win, draw, loss) for the side to move; sum 1.
    pub wdl: Vec<[f32; 3]>,
    /// Expected number of plies to the end of the game, at least 0.
    pub moves_left: Vec<f32>,
}

impl Evaluations {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.wdl.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// The logits of position `i`.
    pub fn logits(&self, i: usize) -> &[f32] {
        &self.logits[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Removes all answers, keeps the memory.
    pub fn clear(&mut self) {
        self.logits.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.wdl.clear();
        self.moves_left.clear();
    }
}

/// Evaluates leaves in batches. `push` takes what it needs of the position at once (it encodes), so that the
/// search can go on with the same `Position` value; `flush` runs the network over all that was pushed.
pub trait LeafEvaluator<P: Position> {
    /// Adds a position with its (non-empty) list of legal moves to the pending batch.
    fn push(&mut self, position: &P, moves: &[P::Move]);

    /// Number of positions pushed since the last flush.
    fn pending(&self) -> usize;

    /// Evaluates the pending positions; `out` is cleared and filled in the order of the pushes.
    ///
    /// # Errors
    /// [`EvalError`] if the back-end fails or gives non-finite values; the pending batch is dropped.
    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError>;
}

impl<P: Position, E: LeafEvaluator<P> + ?Sized> LeafEvaluator<P> for Box<E> {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        (**self).push(position, moves);
    }

    fn pending(&self) -> usize {
        (**self).pending()
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        (**self).flush(out)
    }
}

/// Knows nothing: equal logits, an even value. For tests, benchmarks of the tree, and games before there is a
/// network.
#[derive(Clone, Default, Debug)]
pub struct UniformEvaluator {
    lengths: Vec<usize>,
}

impl<P: Position> LeafEvaluator<P> for UniformEvaluator {
    fn push(&mut self, _position: &P, moves: &[P::Move]) {
        self.lengths.push(moves.len());
    }

    fn pending(&self) -> usize {
        self.lengths.len()
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        out.clear();
        for length in self.lengths.drain(..) {
            out.logits.resize(out.logits.len() + length, 0.0);
            out.offsets.push(out.logits.len());
            out.wdl.push([0.25, 0.5, 0.25]);
            out.moves_left.push(100.0);
        }
        Ok(())
    }
}
