//! How large and how slow a network is.

use encoding::InputSpec;
use inference::{Architecture, layout};

use crate::is_running;

/// Size and work of a network, computed from its shapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Cost {
    /// Trained values (running statistics of batch norms not counted).
    pub parameters: usize,
    /// Floating-point operations of matrices and convolutions for one position, forward; a multiply-add counts as 2.
    /// The logits of legal moves (at most a few per cent) are not in it.
    pub flops: usize,
    /// Bytes of f32 activations that training keeps for one position until the backward pass; an estimate.
    pub training_bytes: usize,
}

/// f32 values that AdamW training keeps for each parameter: itself, its gradient, two moments, its average.
const VALUES_A_PARAMETER: usize = 5;

impl Cost {
    /// The cost of an architecture.
    pub fn of(spec: &InputSpec, arch: &Architecture) -> Cost {
        let mut cost = Cost {
            parameters: 0,
            flops: 0,
            training_bytes: 0,
        };
        for tensor in layout::tensors(arch, spec)
            .iter()
            .filter(|t| !is_running(&t.name))
        {
            let values: usize = tensor.shape.iter().product();
            cost.parameters += values;
            cost.flops += match tensor.shape.len() {
                4 => 2 * values * spec.squares(), // convolution: every square
                2 if tensor.name == "stem.weight" || tensor.name == "stem.rank" => 0, // a table look-up
                2 => 2 * values, // linear layer: once
                _ => 0,
            };
        }
        // Kept for the backward pass: the stem; per block the inputs and outputs of both convolutions, the first ReLU
        // and the sum; the policy head's convolution, its ReLU, and its output.
        let maps = 1 + 6 * arch.blocks + 3;
        cost.training_bytes = 4 * spec.squares() * (maps * arch.channels + 4 * arch.policy_dim);
        cost
    }

    /// Bytes that training takes with `batch` positions at a time: activations, weights, gradients, and AdamW's memory.
    pub fn training_memory(&self, batch: usize) -> usize {
        batch * self.training_bytes + 4 * VALUES_A_PARAMETER * self.parameters
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} parameters, {:.1} MFLOP a position, about {:.2} MB a position in training",
            self.parameters,
            self.flops as f64 / 1e6,
            self.training_bytes as f64 / 1e6
        )
    }
}
