//! From the network's outputs and a batch to the losses.

use network::Outputs;
use network::tch::{Kind, Reduction, Tensor};

use crate::batch::Batch;
use crate::params::LossParams;

/// Plies in one unit of the moves-left loss.
const PLIES_UNIT: f64 = 100.0;
/// Logit of the padding; its probability is 0 in f32, and nothing of it is infinite.
const PADDING: f64 = -1e9;

/// Scalars of one batch. `total` carries the gradient, the others do not.
#[derive(Debug)]
pub struct Losses {
    /// The weighted sum.
    pub total: Tensor,
    /// `[4]`: policy cross-entropy (nats), WDL cross-entropy (nats), moves-left Huber (units of 100 plies), share of
    /// positions whose most probable move is the target's heaviest.
    pub parts: Tensor,
}

/// Logits of all legal moves without what their marks add, `[M]`: `query · to_key + query · via_key`.
///
/// The table of queries and keys that [`Batch::gather`] points into has `N * S * 4` rows of `D` for the squares, in the
/// order of [`Outputs::policy`], then `N * H` rows for drops.
pub fn move_logits(policy: &Tensor, drops: Option<&Tensor>, batch: &Batch) -> Tensor {
    let size = policy.size(); // [N, S, 4D]
    let dim = size[2] / 4;
    let squares = policy.reshape([size[0] * size[1] * 4, dim]);
    let table = match drops {
        Some(drops) => Tensor::cat(&[squares, drops.reshape([-1, dim])], 0),
        None => squares,
    };
    let vias = batch.via_moves.size()[0];
    let moves = (batch.gather.size()[0] - vias) / 2;
    // One look-up: its backward pass makes one table-sized gradient. `embedding` because its backward pass is fast and
    // deterministic on the CPU.
    let rows = Tensor::embedding(&table, &batch.gather, -1, false, false);
    let parts = rows.split_with_sizes([moves, moves, vias], 0);
    let keys = match vias {
        0 => parts[1].shallow_clone(),
        _ => parts[1].index_add(0, &batch.via_moves, &parts[2]),
    };
    (&parts[0] * keys).sum_dim_intlist([1i64].as_slice(), false, None)
}

/// Log-probabilities of the legal moves, `[N, W]` in [`Batch::layout`]; the padding is very negative.
pub fn log_policy(outputs: &Outputs, batch: &Batch) -> Tensor {
    let drops = outputs.drops.as_ref();
    log_policy_of(&outputs.policy, drops, outputs.marks.as_ref(), batch)
}

/// As [`log_policy`], of queries and keys, and of what each mark adds.
pub(crate) fn log_policy_of(
    policy: &Tensor,
    drops: Option<&Tensor>,
    marks: Option<&Tensor>,
    batch: &Batch,
) -> Tensor {
    let logits = move_logits(policy, drops, batch);
    let padding = Tensor::full([1], PADDING, (logits.kind(), logits.device()));
    let logits = Tensor::cat(&[logits, padding], 0);
    let size = batch.layout.size();
    let logits = logits
        .index_select(0, &batch.layout.view(-1))
        .view([size[0], size[1]]);
    match marks {
        Some(marks) => logits + mark_logits(marks, &batch.marks),
        None => logits,
    }
    .log_softmax(1, None)
}

/// What the marks of each move add to its logit, `[N, W]`: `marks` is `[N, Q]`, `bits` has one bit a mark.
fn mark_logits(marks: &Tensor, bits: &Tensor) -> Tensor {
    let each = Tensor::arange(marks.size()[1], (bits.kind(), bits.device()));
    let set = bits.unsqueeze(2).bitwise_right_shift(&each).bitwise_and(1); // [N, W, Q]
    set.to_kind(marks.kind())
        .matmul(&marks.unsqueeze(2))
        .squeeze_dim(2)
}

/// The losses of a batch.
pub fn losses(outputs: &Outputs, batch: &Batch, weights: &LossParams) -> Losses {
    let weighted = |values: Tensor, weight: &Tensor| values.dot(weight);
    let sum = |t: Tensor| t.sum_dim_intlist([1i64].as_slice(), false, None);

    let log_policy = log_policy(outputs, batch);
    let policy = weighted(sum(-(&log_policy * &batch.policy)), &batch.policy_weight);
    let hit = log_policy
        .argmax(1, false)
        .eq_tensor(&batch.policy.argmax(1, false))
        .to_kind(log_policy.kind());
    let accuracy = weighted(hit, &batch.policy_weight);

    let log_wdl = outputs.wdl_logits.log_softmax(1, None);
    let wdl = weighted(sum(-(log_wdl * &batch.wdl)), &batch.wdl_weight);

    let (predicted, target) = (
        &outputs.moves_left / PLIES_UNIT,
        &batch.moves_left / PLIES_UNIT,
    );
    let moves_left = weighted(
        predicted.huber_loss(&target, Reduction::None, 1.0),
        &batch.moves_left_weight,
    );

    let parts = Tensor::stack(&[&policy, &wdl, &moves_left, &accuracy], 0)
        .detach()
        .to_kind(Kind::Double);
    let total = policy * weights.policy + wdl * weights.wdl + moves_left * weights.moves_left;
    Losses { total, parts }
}
