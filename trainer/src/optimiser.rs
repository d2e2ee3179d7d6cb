//! AdamW and SGD over named tensors: plain arithmetic whose whole state is named tensors too, so that a checkpoint
//! holds it and a resumed run goes on bit for bit.

use network::tch::Tensor;
use std::collections::BTreeMap;

use crate::params::{OptimiserKind, OptimiserParams};

/// The state of an optimiser.
#[derive(Debug, Default)]
pub struct Optimiser {
    /// Steps taken (skipped ones not counted); AdamW's bias correction needs it.
    pub steps: u64,
    /// AdamW: mean of gradients; SGD: momentum. By name of the weight; empty before the first step.
    pub first: BTreeMap<String, Tensor>,
    /// AdamW: mean of squared gradients. Empty for SGD.
    pub second: BTreeMap<String, Tensor>,
}

/// One weight to be stepped.
pub struct Stepped<'a> {
    /// Its name.
    pub name: &'a str,
    /// The weight; changed in place.
    pub weight: &'a mut Tensor,
    /// The gradient, already clipped.
    pub gradient: &'a Tensor,
    /// Whether weight decay applies.
    pub decayed: bool,
}

impl Optimiser {
    /// Takes one step at learning rate `rate`. Call under `no_grad`.
    ///
    /// AdamW (Loshchilov and Hutter 2019, algorithm 2, decay scaled by the rate as in common use):
    /// `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) g^2`, then
    /// `w -= rate * decay * w` and `w -= rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)`.
    ///
    /// SGD with Nesterov momentum: `m = mu m + g`, `w -= rate * decay * w`, `w -= rate * (g + mu m)`.
    pub fn step<'a>(
        &mut self,
        params: &OptimiserParams,
        rate: f64,
        weights: impl IntoIterator<Item = Stepped<'a>>,
    ) {
        self.steps += 1;
        for Stepped {
            name,
            weight,
            gradient,
            decayed,
        } in weights
        {
            if decayed && params.weight_decay > 0.0 {
                *weight *= 1.0 - rate * params.weight_decay;
            }
            let first = self
                .first
                .entry(name.to_string())
                .or_insert_with(|| gradient.zeros_like());
            match params.kind {
                OptimiserKind::Adamw => {
                    let second = self
                        .second
                        .entry(name.to_string())
                        .or_insert_with(|| gradient.zeros_like());
                    let t = self.steps.min(i32::MAX as u64) as i32;
                    let (c1, c2) = (1.0 - params.beta1.powi(t), 1.0 - params.beta2.powi(t));
                    let _ = first.lerp_(gradient, 1.0 - params.beta1);
                    let _ = second.lerp_(&(gradient * gradient), 1.0 - params.beta2);
                    let root = (&*second / c2).sqrt() + params.epsilon;
                    *weight -= &*first / root * (rate / c1);
                }
                OptimiserKind::Sgd => {
                    *first *= params.momentum;
                    *first += gradient;
                    *weight -= (gradient + &*first * params.momentum) * rate;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::tch::no_grad;

    /// Runs three steps on two numbers, with gradients that change; returns the numbers.
    fn run(params: &OptimiserParams, decayed: bool) -> Vec<f64> {
        let mut weight = Tensor::from_slice(&[1.0f64, -2.0]);
        let mut optimiser = Optimiser::default();
        for g in [[0.5, 0.1], [-0.2, 0.1], [0.3, -0.4f64]] {
            let gradient = Tensor::from_slice(&g);
            let stepped = Stepped {
                name: "w",
                weight: &mut weight,
                gradient: &gradient,
                decayed,
            };
            no_grad(|| optimiser.step(params, 0.1, [stepped]));
        }
        assert_eq!(optimiser.steps, 3);
        Vec::try_from(weight).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) {
        assert!(
            a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12),
            "{a:?} against {b:?}"
        );
    }

    #[test]
    fn adamw_follows_the_paper() {
        let params = OptimiserParams {
            weight_decay: 0.3,
            beta2: 0.99,
            ..Default::default()
        };
        let mut expected = [1.0f64, -2.0];
        let gradients = [[0.5, -0.2, 0.3], [0.1, 0.1, -0.4]];
        for (w, g) in expected.iter_mut().zip(gradients) {
            let (mut m, mut v) = (0.0, 0.0);
            for (t, g) in g.iter().enumerate() {
                m = 0.9 * m + 0.1 * g;
                v = 0.99 * v + 0.01 * g * g;
                let n = t as i32 + 1;
                let (m_hat, v_hat) = (m / (1.0 - 0.9f64.powi(n)), v / (1.0 - 0.99f64.powi(n)));
                *w -= 0.1 * (m_hat / (v_hat.sqrt() + 1e-8) + 0.3 * *w);
            }
        }
        close(&run(&params, true), &expected);
    }

    #[test]
    fn sgd_with_nesterov_momentum_by_hand() {
        let params = OptimiserParams {
            kind: OptimiserKind::Sgd,
            momentum: 0.5,
            weight_decay: 0.0,
            ..Default::default()
        };
        // First number: m = 0.5, 0.05, 0.325; updates g + 0.5 m = 0.75, -0.175, 0.4625.
        // Second: m = 0.1, 0.15, -0.325; updates 0.15, 0.175, -0.5625.
        close(&run(&params, true), &[1.0 - 0.10375, -2.0 + 0.02375]);
    }

    #[test]
    fn decay_leaves_its_group_alone() {
        let with = OptimiserParams {
            weight_decay: 0.3,
            ..Default::default()
        };
        let without = OptimiserParams {
            weight_decay: 0.0,
            ..Default::default()
        };
        assert_eq!(run(&with, false), run(&without, true));
        assert_ne!(run(&with, true), run(&without, true));
    }
}
