//! Heads that exist in training only: more to learn from each game, at no cost in play.
//!
//! They read the trunk's output and have tensors of their own, beside those of the network: a network folder never has
//! them. See `docs/network.md`.

use encoding::InputSpec;
use inference::layout::{AUXILIARY, Role, TensorSpec};
use inference::{Architecture, random_tensors};
use tch::{Device, Tensor};

use crate::{Outputs, Weights, WeightsError};

/// Which auxiliary heads there are.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Heads {
    /// Who holds each square some plies later.
    pub future: bool,
    /// Values some plies later, so many of them.
    pub short_term: usize,
    /// A second policy, for a smoothed target.
    pub soft_policy: bool,
}

/// What the auxiliary heads say about `N` positions; `None` for heads that there aren't.
#[derive(Debug)]
pub struct AuxiliaryOutputs {
    /// `[N, S, 3]`: logits of (empty, own, enemy).
    pub future: Option<Tensor>,
    /// `[N, T, 3]`: logits of (win, draw, loss) for the side to move now.
    pub short_term: Option<Tensor>,
    /// As [`Outputs::policy`] and [`Outputs::drops`].
    pub soft_policy: Option<(Tensor, Option<Tensor>)>,
}

impl Heads {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Heads::default()
    }

    /// Their tensors; every name begins with [`AUXILIARY`].
    pub fn tensors(&self, architecture: &Architecture, input: &InputSpec) -> Vec<TensorSpec> {
        let (c, d) = (architecture.channels, architecture.policy_dim);
        let mut list = Vec::new();
        let mut linear = |name: &str, outputs: usize, inputs: usize| {
            for (part, shape, role) in [
                ("weight", vec![outputs, inputs], Role::Last(inputs)),
                ("bias", vec![outputs], Role::Zero),
            ] {
                let name = format!("{AUXILIARY}{name}.{part}");
                list.push(TensorSpec { name, shape, role });
            }
        };
        if self.future {
            linear("future", 3, c);
        }
        if self.short_term > 0 {
            linear("short_term", 3 * self.short_term, 2 * c);
        }
        if self.soft_policy {
            linear("soft_policy", 4 * d, c);
            if input.hand_kinds > 0 {
                linear("soft_drops", input.hand_kinds * d, 2 * c);
            }
        }
        list
    }

    /// Fresh tensors on `device`, drawn as those of the network are; the same seed gives the same bits.
    ///
    /// # Errors
    /// Only if the safetensors library refuses.
    pub fn fresh(
        &self,
        architecture: &Architecture,
        input: &InputSpec,
        seed: u64,
        device: Device,
    ) -> Result<Weights, WeightsError> {
        let bytes = random_tensors(self.tensors(architecture, input), seed);
        Ok(Weights::from_safetensors(&bytes)?.copy(device))
    }

    /// Runs the heads on a network's outputs.
    ///
    /// # Panics
    /// If `weights` has not the tensors of these heads.
    pub fn forward(
        &self,
        weights: &Weights,
        outputs: &Outputs,
        architecture: &Architecture,
    ) -> AuxiliaryOutputs {
        let size = outputs.trunk.size(); // [N, C, R, F]
        let d = architecture.policy_dim as i64;
        let scale = 1.0 / (d as f64).sqrt();
        let linear = |name: &str, x: &Tensor| {
            let get = |part: &str| weights.get(&format!("{AUXILIARY}{name}.{part}"));
            x.to_kind(get("weight").kind())
                .linear(get("weight"), Some(get("bias")))
        };
        let by_square = (self.future || self.soft_policy).then(|| {
            let channels_last = outputs.trunk.permute([0, 2, 3, 1]);
            channels_last.reshape([size[0], size[2] * size[3], size[1]])
        });
        let squares = || by_square.as_ref().expect("made for these heads");
        AuxiliaryOutputs {
            future: self.future.then(|| linear("future", squares())),
            short_term: (self.short_term > 0).then(|| {
                let shape = [size[0], self.short_term as i64, 3];
                linear("short_term", &outputs.pooled).view(shape)
            }),
            soft_policy: self.soft_policy.then(|| {
                let parts = linear("soft_policy", squares()).split_with_sizes([2 * d, 2 * d], 2);
                let policy = Tensor::cat(&[&parts[0] * scale, parts[1].shallow_clone()], 2);
                let drops = outputs.drops.as_ref().map(|drops| {
                    linear("soft_drops", &outputs.pooled).view(drops.size().as_slice()) * scale
                });
                (policy, drops)
            }),
        }
    }
}
