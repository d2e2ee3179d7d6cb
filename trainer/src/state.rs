//! The state of training and one step of it. No data, no files, no clock.

use std::collections::BTreeSet;

use inference::layout;
use network::tch::{Tensor, no_grad};
use network::{Mode, Network, Weights, is_decayed, is_running};

use crate::batch::Batch;
use crate::loss::losses;
use crate::optimiser::{Optimiser, Stepped};
use crate::params::TrainParams;

/// The network in training with everything that changes from step to step.
#[derive(Debug)]
pub struct TrainState {
    /// The network; its trained weights want gradients.
    pub network: Network,
    /// The average of the weights: what is exported.
    pub average: Weights,
    /// The optimiser's memory.
    pub optimiser: Optimiser,
    /// Steps done, skipped ones counted: the number of the next batch.
    pub step: u64,
    /// Steps skipped, ever.
    pub skipped: u64,
    /// Steps skipped in a row, just now.
    pub skips_in_row: u32,
    /// Names of the weights with decay.
    decayed: BTreeSet<String>,
}

/// The numbers of one step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepStats {
    /// Weighted sum of the losses.
    pub total: f64,
    /// Policy cross-entropy, nats.
    pub policy: f64,
    /// WDL cross-entropy, nats.
    pub wdl: f64,
    /// Huber loss of the plies to the end, in units of 100 plies.
    pub moves_left: f64,
    /// Share of positions whose most probable move is the target's heaviest.
    pub accuracy: f64,
    /// Norm of the gradient over all weights, before clipping.
    pub gradient_norm: f64,
    /// Learning rate.
    pub learning_rate: f64,
    /// Whether loss and gradient were finite; if not, the weights did not change.
    pub finite: bool,
}

impl TrainState {
    /// Starts from a network: step 0, its weights as their own average.
    pub fn new(network: Network) -> TrainState {
        let average = network.weights.copy(network.device());
        TrainState::restore(network, average, Optimiser::default(), 0, 0)
    }

    /// Goes on from saved parts.
    pub fn restore(
        network: Network,
        average: Weights,
        optimiser: Optimiser,
        step: u64,
        skipped: u64,
    ) -> TrainState {
        for (_, weight) in network
            .weights
            .0
            .iter()
            .filter(|(name, _)| !is_running(name))
        {
            let _ = weight.set_requires_grad(true);
        }
        let decayed = layout::tensors(network.arch(), network.spec())
            .into_iter()
            .filter(is_decayed)
            .map(|tensor| tensor.name)
            .collect();
        TrainState {
            network,
            average,
            optimiser,
            step,
            skipped,
            skips_in_row: 0,
            decayed,
        }
    }

    /// Loss and gradients of a batch, the weights untouched: (total and parts as [`StepStats`] orders them, running
    /// statistics after the batch, gradients by name).
    fn gradients(&self, batch: &Batch, params: &TrainParams) -> Gradients {
        let outputs = self
            .network
            .forward(&batch.squares, &batch.globals, Mode::Train);
        let losses = losses(&outputs, batch, &params.loss);
        let (names, weights): (Vec<&String>, Vec<&Tensor>) = self
            .network
            .weights
            .0
            .iter()
            .filter(|(name, _)| !is_running(name))
            .unzip();
        let gradients = Tensor::run_backward(&[&losses.total], &weights, false, false);
        Gradients {
            total: losses.total.detach(),
            parts: losses.parts,
            running: outputs.running.into_iter().collect(),
            by_name: names.into_iter().cloned().zip(gradients).collect(),
        }
    }

    /// Takes one step with a batch on the network's device.
    ///
    /// A loss or gradient that is not finite leaves weights, averages and optimiser as they are; the step counts.
    pub fn step(&mut self, batch: &Batch, params: &TrainParams) -> StepStats {
        let gradients = self.gradients(batch, params);
        no_grad(|| self.apply(gradients, params))
    }

    fn apply(&mut self, mut gradients: Gradients, params: &TrainParams) -> StepStats {
        let norms: Vec<Tensor> = gradients.by_name.iter().map(|(_, g)| g.norm()).collect();
        let norm = Tensor::stack(&norms, 0).norm().double_value(&[]);
        let part = |i| gradients.parts.double_value(&[i]);
        let rate = params.schedule.rate(self.step);
        let total = gradients.total.double_value(&[]);
        let stats = StepStats {
            total,
            policy: part(0),
            wdl: part(1),
            moves_left: part(2),
            accuracy: part(3),
            gradient_norm: norm,
            learning_rate: rate,
            finite: total.is_finite() && norm.is_finite(),
        };
        self.step += 1;
        if !stats.finite {
            self.skipped += 1;
            self.skips_in_row += 1;
            return stats;
        }
        self.skips_in_row = 0;
        let clip = params.optimiser.clip_norm;
        if clip > 0.0 && norm > clip {
            gradients
                .by_name
                .iter_mut()
                .for_each(|(_, g)| *g *= clip / norm);
        }
        for (name, moved) in &gradients.running {
            if let Some(weight) = self.network.weights.0.get_mut(name) {
                weight.copy_(moved);
            }
        }
        let by_name = &gradients.by_name;
        let decayed = &self.decayed;
        let trained = self
            .network
            .weights
            .0
            .iter_mut()
            .filter(|(name, _)| !is_running(name));
        let stepped = trained
            .zip(by_name)
            .map(|((name, weight), (_, gradient))| Stepped {
                name,
                weight,
                gradient,
                decayed: decayed.contains(name),
            });
        self.optimiser.step(&params.optimiser, rate, stepped);
        let t = self.optimiser.steps as f64;
        let decay = params.ema_decay.min((1.0 + t) / (10.0 + t));
        for (average, weight) in self
            .average
            .0
            .values_mut()
            .zip(self.network.weights.0.values())
        {
            let _ = average.lerp_(weight, 1.0 - decay);
        }
        stats
    }

    /// The network with the averaged weights.
    pub fn averaged(&self) -> Result<Network, network::WeightsError> {
        self.network.with_weights(self.average.clone())
    }
}

struct Gradients {
    total: Tensor,
    parts: Tensor,
    running: Vec<(String, Tensor)>,
    /// In the order of the weights.
    by_name: Vec<(String, Tensor)>,
}
