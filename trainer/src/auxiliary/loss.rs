//! Losses of the auxiliary heads.

use network::AuxiliaryOutputs;
use network::tch::{Kind, Tensor};

use crate::auxiliary::AuxiliaryParams;
use crate::batch::Batch;
use crate::loss::{Losses, log_policy_of};

/// The losses of a batch: `total` is the weighted sum, `parts` is `[3]`: future, short term, soft policy, cross-entropies
/// in nats, 0 where there is no such head.
pub fn auxiliary_losses(
    outputs: &AuxiliaryOutputs,
    batch: &Batch,
    params: &AuxiliaryParams,
) -> Losses {
    let last = |t: Tensor| t.sum_dim_intlist([-1i64].as_slice(), false, None);
    let zero = || {
        batch
            .policy_weight
            .new_zeros([], (batch.policy_weight.kind(), batch.device()))
    };

    let future = outputs.future.as_ref().map_or_else(zero, |logits| {
        let size = logits.size(); // [N, S, 3]
        let classes = Tensor::arange(3, (Kind::Int64, batch.device()));
        let target = batch
            .future
            .unsqueeze(2)
            .eq_tensor(&classes)
            .to_kind(logits.kind());
        let each = last(-(logits.log_softmax(2, None) * target)); // [N, S]
        last(each).dot(&batch.future_weight) / size[1] as f64
    });
    let short_term = outputs.short_term.as_ref().map_or_else(zero, |logits| {
        let each = last(-(logits.log_softmax(2, None) * &batch.short_term)); // [N, T]
        each.view(-1).dot(&batch.short_term_weight.view(-1))
    });
    let soft_policy = outputs
        .soft_policy
        .as_ref()
        .map_or_else(zero, |(policy, drops)| {
            let soft = batch
                .policy
                .pow_tensor_scalar(1.0 / params.soft_policy_temperature);
            // Positions without a target have weight 0, and must not become 0 / 0.
            let sum = soft
                .sum_dim_intlist([1i64].as_slice(), true, None)
                .clamp_min(1e-30);
            let log_policy = log_policy_of(policy, drops.as_ref(), None, batch);
            last(-(log_policy * (soft / sum))).dot(&batch.policy_weight)
        });

    let parts = Tensor::stack(&[&future, &short_term, &soft_policy], 0)
        .detach()
        .to_kind(Kind::Double);
    let total =
        future * params.future + short_term * params.short_term + soft_policy * params.soft_policy;
    Losses { total, parts }
}
