//! From a network's vectors to a move's logit, and from logits to probabilities.

use encoding::{NO_VIA, PolicySlot};

/// What the policy head says of one position, as in [`RawOutput`](crate::RawOutput).
#[derive(Clone, Copy, Debug)]
pub struct PolicyVectors<'a> {
    /// `[S, 4D]`.
    pub policy: &'a [f32],
    /// `[H, D]`.
    pub drops: &'a [f32],
    /// `[Q]`.
    pub marks: &'a [f32],
    /// `S`.
    pub squares: usize,
    /// `D`.
    pub dim: usize,
}

/// The `query · to_key + query · via_key` of one move, and what its marks add.
///
/// # Panics
/// If the slot lies outside the board, the hand kinds or the marks.
#[inline]
pub fn logit(vectors: &PolicyVectors<'_>, slot: PolicySlot) -> f32 {
    let PolicyVectors {
        policy,
        drops,
        marks,
        squares,
        dim,
    } = *vectors;
    let part = |square: usize, part: usize| &policy[(square * 4 + part) * dim..][..dim];
    let query = slot.query as usize;
    let query = if query >= 2 * squares {
        &drops[(query - 2 * squares) * dim..][..dim]
    } else if query >= squares {
        part(query - squares, 1)
    } else {
        part(query, 0)
    };
    let mut logit = dot(query, part(slot.to as usize, 2));
    if slot.via != NO_VIA {
        logit += dot(query, part(slot.via as usize, 3));
    }
    let mut bits = slot.marks;
    while bits != 0 {
        logit += marks[bits.trailing_zeros() as usize];
        bits &= bits - 1;
    }
    logit
}

/// Dot product with eight partial sums, so that it compiles to vector instructions.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (x, y) in a8.iter().zip(b8) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

/// Softmax of (win, draw, loss) logits.
pub fn softmax3(logits: &[f32; 3]) -> [f32; 3] {
    let mut out = *logits;
    softmax(&mut out);
    out
}

/// Softmax in place. Non-finite input gives non-finite output.
pub fn softmax(values: &mut [f32]) {
    let max = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = (*value - max).exp();
        sum += *value;
    }
    for value in values.iter_mut() {
        *value /= sum;
    }
}
