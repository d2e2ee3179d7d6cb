//! Losses and calibration on the games that are kept apart.

use encoding::Encoded;
use network::tch::{Device, no_grad};
use network::{Mode, Network};
use records::ReplayWindow;

use crate::TrainError;
use crate::batch::Batch;
use crate::decode::decode;
use crate::example::DecodeParams;
use crate::loss::losses;
use crate::params::LossParams;

/// Bins of the calibration table over the predicted score in [0, 1].
pub const CALIBRATION_BINS: usize = 10;

/// Means over the validation positions.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Validation {
    /// Positions.
    pub positions: usize,
    /// Policy cross-entropy, nats.
    pub policy: f64,
    /// Kullback-Leibler divergence of the policy from its target, nats.
    pub policy_kl: f64,
    /// Share of positions whose most probable move is the target's heaviest.
    pub policy_accuracy: f64,
    /// WDL cross-entropy, nats.
    pub wdl: f64,
    /// Huber loss of plies to the end, units of 100 plies.
    pub moves_left: f64,
    /// Value calibration: bin `i` has the positions with a predicted score (win + draw / 2) in `[i / 10, (i + 1) / 10)`.
    pub calibration: Vec<CalibrationBin>,
}

/// One line of the calibration table.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct CalibrationBin {
    /// Positions with a value target.
    pub positions: usize,
    /// Mean predicted score, 0 where there are none.
    pub predicted: f64,
    /// Mean score of the targets, 0 where there are none.
    pub observed: f64,
}

/// Evaluates `network` on at most `positions` of the window's validation rows, evenly spread over them, never mirrored.
/// `None` where there are none.
///
/// # Errors
/// A row that cannot be decoded.
pub fn validate<P: Encoded>(
    network: &Network,
    window: &ReplayWindow,
    positions: usize,
    batch_size: usize,
    params: &DecodeParams,
    loss: &LossParams,
) -> Result<Option<Validation>, TrainError> {
    let all = window.validation_rows();
    let count = positions.min(all.len());
    if count == 0 {
        return Ok(None);
    }
    let rows: Vec<(u32, bool)> = (0..count)
        .map(|i| (all[i * all.len() / count], false))
        .collect();
    let mut sums = Sums::default();
    for rows in rows.chunks(batch_size) {
        let batch = decode::<P>(window, rows, params)?.to_device(network.device());
        no_grad(|| sums.add(network, &batch, loss));
    }
    Ok(Some(sums.means(count)))
}

#[derive(Default)]
struct Sums {
    /// Policy, WDL, moves left: sums over positions that have the target, and their number.
    parts: [(f64, f64); 3],
    entropy: f64,
    hits: f64,
    bins: [CalibrationBin; CALIBRATION_BINS],
}

impl Sums {
    fn add(&mut self, network: &Network, batch: &Batch, loss: &LossParams) {
        let outputs = network.forward(&batch.squares, &batch.globals, Mode::Eval);
        let losses = losses(&outputs, batch, loss);
        let parts =
            Vec::<f64>::try_from(losses.parts.to_device(Device::Cpu)).expect("four numbers");
        let counts: Vec<f64> = [
            &batch.policy_weight,
            &batch.wdl_weight,
            &batch.moves_left_weight,
        ]
        .iter()
        .map(|weight| weight.count_nonzero(None).int64_value(&[]) as f64)
        .collect();
        for (i, (sum, total)) in self.parts.iter_mut().enumerate() {
            *sum += parts[i] * counts[i];
            *total += counts[i];
        }
        self.entropy += batch.info.policy_entropy * counts[0];
        self.hits += parts[3] * counts[0];
        let values = |t: &network::tch::Tensor| -> Vec<f32> {
            Vec::try_from(t.to_device(Device::Cpu).contiguous().view(-1)).expect("a tensor of f32")
        };
        let predicted = values(&outputs.wdl_logits.softmax(1, None));
        let (targets, weights) = (values(&batch.wdl), values(&batch.wdl_weight));
        for ((p, t), &w) in predicted.chunks(3).zip(targets.chunks(3)).zip(&weights) {
            if w > 0.0 {
                let score = |wdl: &[f32]| f64::from(wdl[0]) + f64::from(wdl[1]) / 2.0;
                let bin = ((score(p) * CALIBRATION_BINS as f64) as usize).min(CALIBRATION_BINS - 1);
                let bin = &mut self.bins[bin];
                bin.positions += 1;
                bin.predicted += score(p);
                bin.observed += score(t);
            }
        }
    }

    fn means(self, positions: usize) -> Validation {
        let mean = |(sum, count): (f64, f64)| sum / count.max(1.0);
        let [policy, wdl, moves_left] = self.parts;
        let calibration = self.bins.into_iter().map(|bin| {
            let n = bin.positions.max(1) as f64;
            CalibrationBin {
                predicted: bin.predicted / n,
                observed: bin.observed / n,
                ..bin
            }
        });
        Validation {
            positions,
            policy: mean(policy),
            policy_kl: mean((policy.0 - self.entropy, policy.1)),
            policy_accuracy: mean((self.hits, policy.1)),
            wdl: mean(wdl),
            moves_left: mean(moves_left),
            calibration: calibration.collect(),
        }
    }
}
