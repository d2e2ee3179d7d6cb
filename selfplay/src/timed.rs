//! A [`LeafEvaluator`] that looks at the clock and counts.

use mcts::{EvalError, Evaluations, LeafEvaluator};
use rules::Position;
use std::time::{Duration, Instant};

/// Passes everything on and measures it.
pub(crate) struct Timed<E> {
    inner: E,
    /// Time in `push`.
    pub encode: Duration,
    /// Time in `flush`.
    pub network: Duration,
    /// Positions evaluated.
    pub evaluations: u64,
    /// Calls that had positions.
    pub batches: u64,
}

impl<E> Timed<E> {
    pub fn new(inner: E) -> Self {
        Timed {
            inner,
            encode: Duration::ZERO,
            network: Duration::ZERO,
            evaluations: 0,
            batches: 0,
        }
    }
}

impl<P: Position, E: LeafEvaluator<P>> LeafEvaluator<P> for Timed<E> {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        let begun = Instant::now();
        self.inner.push(position, moves);
        self.encode += begun.elapsed();
    }

    fn pending(&self) -> usize {
        self.inner.pending()
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        let n = self.inner.pending() as u64;
        let begun = Instant::now();
        let result = self.inner.flush(out);
        self.network += begun.elapsed();
        self.evaluations += n;
        self.batches += u64::from(n > 0);
        result
    }
}
