//! A network that runs on raw input: the seam between batching and tensors.

use crate::policy::PolicyVectors;
use encoding::InputSpec;

/// Failure of a back-end, with the cause in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BackendError(pub String);

/// Raw outputs for `n` positions, row-major. `S` squares, `D` policy dimension, `H` hand kinds, `Q` marks.
#[derive(Clone, Default, Debug)]
pub struct RawOutput {
    /// `[n, S, 4 * D]`: per square the plain query, the promoting query, the `lands here` key and the
    /// `captures here on the way` key. Queries are already scaled by `1 / sqrt(D)`.
    pub policy: Vec<f32>,
    /// `[n, H, D]`: queries of drops, already scaled. Empty where `H = 0`.
    pub drops: Vec<f32>,
    /// `[n, Q]`: what each mark adds to a move's logit. Empty where `Q = 0`.
    pub marks: Vec<f32>,
    /// `[n, 3]`: logits of (win, draw, loss) for the side to move.
    pub wdl_logits: Vec<f32>,
    /// `[n]`: expected plies to the end, at least 0.
    pub moves_left: Vec<f32>,
}

impl RawOutput {
    /// Checks that the outputs have the lengths given at the fields, for `n` positions.
    ///
    /// # Errors
    /// Names the output: the graph does not make what its file declares.
    pub(crate) fn check(&self, n: usize, spec: &InputSpec, dim: usize) -> Result<(), BackendError> {
        for (name, values, expected) in [
            ("policy", &self.policy, n * spec.squares() * 4 * dim),
            ("drops", &self.drops, n * spec.hand_kinds * dim),
            ("marks", &self.marks, n * spec.marks),
            ("wdl_logits", &self.wdl_logits, 3 * n),
            ("moves_left", &self.moves_left, n),
        ] {
            if values.len() != expected {
                return Err(BackendError(format!(
                    "output `{name}` has {} values for {n} positions, expected {expected}",
                    values.len()
                )));
            }
        }
        Ok(())
    }

    /// The outputs by name.
    pub(crate) fn by_name(&mut self) -> [(&'static str, &mut Vec<f32>); 5] {
        [
            ("policy", &mut self.policy),
            ("drops", &mut self.drops),
            ("marks", &mut self.marks),
            ("wdl_logits", &mut self.wdl_logits),
            ("moves_left", &mut self.moves_left),
        ]
    }

    /// What the policy head says of position `i`.
    ///
    /// # Panics
    /// If the outputs have not the lengths given at the fields.
    pub fn vectors(&self, i: usize, spec: &InputSpec, dim: usize) -> PolicyVectors<'_> {
        let squares = spec.squares();
        PolicyVectors {
            policy: part(&self.policy, i, squares * 4 * dim),
            drops: part(&self.drops, i, spec.hand_kinds * dim),
            marks: part(&self.marks, i, spec.marks),
            squares,
            dim,
        }
    }
}

/// The `i`-th run of `each` values.
fn part(values: &[f32], i: usize, each: usize) -> &[f32] {
    &values[i * each..(i + 1) * each]
}

/// Runs a network.
pub trait Backend: Send {
    /// What the network reads.
    fn spec(&self) -> &InputSpec;

    /// Policy dimension `D`.
    fn policy_dim(&self) -> usize;

    /// A short description for people, e.g. `ONNX Runtime 1.32, 1 thread`.
    fn describe(&self) -> String;

    /// Evaluates `n` positions: `squares` is `[n, S]` codes, `globals` is `[n, G]`. `out` is overwritten.
    ///
    /// # Errors
    /// [`BackendError`] if the run fails. Non-finite outputs are not checked here.
    fn forward(
        &mut self,
        n: usize,
        squares: &[u8],
        globals: &[f32],
        out: &mut RawOutput,
    ) -> Result<(), BackendError>;
}
