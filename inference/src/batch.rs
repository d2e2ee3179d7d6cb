//! [`LeafEvaluator`] over any [`Backend`]: encodes on push, batches, and turns raw output into logits.

use crate::policy::{logit, softmax3};
use crate::{Backend, RawOutput};
use encoding::{Encoded, InputSpec, PolicySlot};
use mcts::{EvalError, Evaluations, LeafEvaluator};

/// Batches positions of one game into a [`Backend`].
pub struct BatchEvaluator<P: Encoded> {
    backend: Box<dyn Backend>,
    squares: Vec<u8>,
    globals: Vec<f32>,
    slots: Vec<PolicySlot>,
    /// `pending() + 1` offsets into `slots`.
    offsets: Vec<usize>,
    raw: RawOutput,
    game: std::marker::PhantomData<fn() -> P>,
}

impl<P: Encoded> BatchEvaluator<P> {
    /// Wraps a back-end.
    ///
    /// # Errors
    /// [`EvalError`] if the network was made for another game or encoding.
    pub fn new(backend: Box<dyn Backend>) -> Result<Self, EvalError> {
        let expected = encoding::spec::<P>();
        if *backend.spec() != expected {
            return Err(EvalError(format!(
                "the network reads {}, this program writes {}; export or train a matching network",
                in_words(backend.spec()),
                in_words(&expected)
            )));
        }
        Ok(BatchEvaluator {
            backend,
            squares: Vec::new(),
            globals: Vec::new(),
            slots: Vec::new(),
            offsets: vec![0],
            raw: RawOutput::default(),
            game: std::marker::PhantomData,
        })
    }

    /// The back-end.
    pub fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }
}

/// An encoding in words, for messages.
fn in_words(spec: &InputSpec) -> String {
    format!(
        "`{}` in encoding version {} ({} layers of {}x{} squares, {} codes, {} planes, {} globals, {} hand kinds, \
         {} marks)",
        spec.game,
        spec.version,
        spec.layers,
        spec.files,
        spec.ranks,
        spec.codes,
        spec.planes,
        spec.globals,
        spec.hand_kinds,
        spec.marks
    )
}

impl<P: Encoded> LeafEvaluator<P> for BatchEvaluator<P> {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        let snapshot = position.snapshot();
        let (s, g) = (self.squares.len(), self.globals.len());
        self.squares.resize(s + P::CELLS, 0);
        self.globals.resize(g + P::GLOBALS, 0.0);
        encoding::encode::<P>(
            position.rules(),
            &snapshot,
            &mut self.squares[s..],
            &mut self.globals[g..],
        );
        let squares = &self.squares[s..];
        encoding::slots::<P>(position.rules(), &snapshot, squares, moves, &mut self.slots);
        self.offsets.push(self.slots.len());
    }

    fn pending(&self) -> usize {
        self.offsets.len() - 1
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        out.clear();
        let n = LeafEvaluator::<P>::pending(self);
        let result = if n == 0 {
            Ok(())
        } else {
            self.backend
                .forward(n, &self.squares, &self.globals, &mut self.raw)
                .map_err(|e| EvalError(e.to_string()))
                .and_then(|()| self.fill(n, out))
        };
        self.squares.clear();
        self.globals.clear();
        self.slots.clear();
        self.offsets.truncate(1);
        result
    }
}

impl<P: Encoded> BatchEvaluator<P> {
    fn fill(&self, n: usize, out: &mut Evaluations) -> Result<(), EvalError> {
        let (spec, dim) = (self.backend.spec(), self.backend.policy_dim());
        let (wdl_logits, _) = self.raw.wdl_logits.as_chunks::<3>();
        for (i, logits) in wdl_logits.iter().enumerate().take(n) {
            let vectors = self.raw.vectors(i, spec, dim);
            let slots = &self.slots[self.offsets[i]..self.offsets[i + 1]];
            out.logits
                .extend(slots.iter().map(|&slot| logit(&vectors, slot)));
            out.offsets.push(out.logits.len());
            out.wdl.push(softmax3(logits));
            out.moves_left.push(self.raw.moves_left[i]);
        }
        let finite = |values: &[f32]| values.iter().all(|v| v.is_finite());
        if !finite(&out.logits) || !finite(&out.moves_left) || !finite(out.wdl.as_flattened()) {
            out.clear();
            return Err(EvalError(
                "the network gave non-finite values; its weights are broken".into(),
            ));
        }
        Ok(())
    }
}
