//! The state of training and one step of it. No data, no files, no clock.

use std::collections::BTreeSet;

use inference::layout;
use network::tch::{Tensor, no_grad};
use network::{Heads, Mode, Network, Weights, WeightsError, is_decayed, is_running};

use crate::auxiliary::auxiliary_losses;
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
    /// The auxiliary heads; see [`TrainState::set_heads`].
    pub heads: Heads,
    /// Their tensors, which have no average.
    pub auxiliary: Weights,
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

/// The numbers of one step. Losses of heads that there aren't are 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
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
    /// Cross-entropy of who holds a square later, nats.
    pub future: f64,
    /// Cross-entropy of the values some plies later, nats.
    pub short_term: f64,
    /// Cross-entropy of the smoothed policy, nats.
    pub soft_policy: f64,
    /// Norm of the gradient over all weights, before clipping.
    pub gradient_norm: f64,
    /// Learning rate.
    pub learning_rate: f64,
    /// Whether loss and gradient were finite; if not, the weights did not change.
    pub finite: bool,
}

/// Mixed into the seed of the auxiliary heads, so that they have nothing in common with the network's weights.
const HEADS_SEED: u64 = 0x6865_6164;

impl TrainState {
    /// Starts from a network: step 0, its weights as their own average, no auxiliary heads.
    pub fn new(network: Network) -> TrainState {
        let average = network.weights.copy(network.device());
        TrainState::restore(network, average, Optimiser::default(), 0, 0)
    }

    /// Goes on from saved parts, without auxiliary heads.
    pub fn restore(
        network: Network,
        average: Weights,
        optimiser: Optimiser,
        step: u64,
        skipped: u64,
    ) -> TrainState {
        let mut state = TrainState {
            network,
            average,
            heads: Heads::default(),
            auxiliary: Weights::default(),
            optimiser,
            step,
            skipped,
            skips_in_row: 0,
            decayed: BTreeSet::new(),
        };
        state.prepare();
        state
    }

    /// Sets the auxiliary heads: those that are there stay as they are, new ones begin with fresh tensors, others go,
    /// with what the optimiser remembers of them. Returns the names of new tensors, and of those that went.
    ///
    /// # Errors
    /// Only if fresh tensors cannot be made.
    pub fn set_heads(
        &mut self,
        heads: Heads,
        seed: u64,
    ) -> Result<(Vec<String>, Vec<String>), WeightsError> {
        let (arch, spec) = (self.network.arch(), self.network.spec());
        let fresh = heads.fresh(arch, spec, seed ^ HEADS_SEED, self.network.device())?;
        let mut old = std::mem::take(&mut self.auxiliary.0);
        let mut new = Vec::new();
        for (name, tensor) in fresh.0 {
            let tensor = match old.remove(&name) {
                Some(known) if known.size() == tensor.size() => known,
                other => {
                    if let Some(unfit) = other {
                        old.insert(name.clone(), unfit);
                    }
                    new.push(name.clone());
                    tensor
                }
            };
            self.auxiliary.0.insert(name, tensor);
        }
        let gone: Vec<String> = old.into_keys().collect();
        for name in &gone {
            self.optimiser.first.remove(name);
            self.optimiser.second.remove(name);
        }
        self.heads = heads;
        self.prepare();
        Ok((new, gone))
    }

    /// Puts saved auxiliary heads back.
    ///
    /// # Errors
    /// Tensors that are not those of the heads.
    pub fn restore_heads(&mut self, heads: Heads, weights: Weights) -> Result<(), WeightsError> {
        weights.check(&heads.tensors(self.network.arch(), self.network.spec()))?;
        (self.heads, self.auxiliary) = (heads, weights);
        self.prepare();
        Ok(())
    }

    /// Asks for gradients, and notes which weights decay.
    fn prepare(&mut self) {
        for (_, weight) in self.trained() {
            let _ = weight.set_requires_grad(true);
        }
        let (arch, spec) = (self.network.arch(), self.network.spec());
        let mut tensors = layout::tensors(arch, spec);
        tensors.extend(self.heads.tensors(arch, spec));
        self.decayed = tensors
            .into_iter()
            .filter(is_decayed)
            .map(|tensor| tensor.name)
            .collect();
    }

    /// The weights that gradients move, the auxiliary heads' last.
    fn trained(&self) -> impl Iterator<Item = (&String, &Tensor)> {
        let network = self.network.weights.0.iter();
        network
            .filter(|(name, _)| !is_running(name))
            .chain(&self.auxiliary.0)
    }

    /// Loss and gradients of a part of a step's batch; the weights stay as they are.
    fn gradients(&self, batch: &Batch, params: &TrainParams) -> Gradients {
        let network = &self.network;
        let outputs = network.forward_in(
            &batch.squares,
            &batch.globals,
            Mode::Train,
            params.precision,
        );
        let main = losses(&outputs, batch, &params.loss);
        let (mut total, mut parts) = (main.total, main.parts);
        if !self.heads.is_none() {
            let outputs = self
                .heads
                .forward(&self.auxiliary, &outputs, network.arch());
            let auxiliary = auxiliary_losses(&outputs, batch, &params.auxiliary);
            total += auxiliary.total;
            parts = Tensor::cat(&[parts, auxiliary.parts], 0);
        }
        let weights: Vec<&Tensor> = self.trained().map(|(_, weight)| weight).collect();
        let by_weight = Tensor::run_backward(&[&total], &weights, false, false);
        Gradients {
            total: total.detach(),
            parts,
            running: outputs.running.into_iter().collect(),
            by_weight,
        }
    }

    /// Takes one step with a batch on the network's device.
    ///
    /// A loss or gradient that is not finite leaves weights, averages and optimiser as they are; the step counts.
    pub fn step(&mut self, batch: &Batch, params: &TrainParams) -> StepStats {
        self.step_in_parts(std::slice::from_ref(batch), params)
    }

    /// As [`step`](Self::step), with a batch in parts ([`crate::HostBatch::split`]) that go through the network one after
    /// the other. Their gradients add up to those of the whole but for batch norms, which see one part at a time; their
    /// running statistics take the mean of the parts'.
    ///
    /// # Panics
    /// If there is no part.
    pub fn step_in_parts(&mut self, parts: &[Batch], params: &TrainParams) -> StepStats {
        let positions: usize = parts.iter().map(Batch::len).sum();
        let mut sum: Option<Gradients> = None;
        for part in parts {
            let gradients = self.gradients(part, params);
            let share = part.len() as f64 / positions.max(1) as f64;
            sum = Some(no_grad(|| match sum.take() {
                None if parts.len() == 1 => gradients,
                None => gradients.with_running_times(share),
                Some(sum) => sum.plus(gradients.with_running_times(share)),
            }));
        }
        let gradients = sum.expect("a step has at least one part");
        no_grad(|| self.apply(gradients, params))
    }

    fn apply(&mut self, mut gradients: Gradients, params: &TrainParams) -> StepStats {
        let norms: Vec<Tensor> = gradients.by_weight.iter().map(Tensor::norm).collect();
        let norm = Tensor::stack(&norms, 0).norm().double_value(&[]);
        let parts = Vec::<f64>::try_from(gradients.parts.to_device(network::tch::Device::Cpu))
            .expect("some numbers");
        let part = |i| parts.get(i).copied().unwrap_or(0.0);
        let rate = params.schedule.rate(self.step);
        let total = gradients.total.double_value(&[]);
        let stats = StepStats {
            total,
            policy: part(0),
            wdl: part(1),
            moves_left: part(2),
            accuracy: part(3),
            future: part(4),
            short_term: part(5),
            soft_policy: part(6),
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
                .by_weight
                .iter_mut()
                .for_each(|g| *g *= clip / norm);
        }
        for (name, moved) in &gradients.running {
            if let Some(weight) = self.network.weights.0.get_mut(name) {
                weight.copy_(moved);
            }
        }
        let decayed = &self.decayed;
        let trained = self
            .network
            .weights
            .0
            .iter_mut()
            .filter(|(name, _)| !is_running(name))
            .chain(&mut self.auxiliary.0);
        let stepped = trained
            .zip(&gradients.by_weight)
            .map(|((name, weight), gradient)| Stepped {
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
    pub fn averaged(&self) -> Result<Network, WeightsError> {
        self.network.with_weights(self.average.clone())
    }
}

struct Gradients {
    total: Tensor,
    /// The losses' parts, then those of the auxiliary heads, if there are any.
    parts: Tensor,
    /// Running statistics after the batch.
    running: Vec<(String, Tensor)>,
    /// In the order of [`TrainState::trained`].
    by_weight: Vec<Tensor>,
}

impl Gradients {
    fn with_running_times(mut self, share: f64) -> Gradients {
        self.running.iter_mut().for_each(|(_, t)| *t *= share);
        self
    }

    fn plus(mut self, other: Gradients) -> Gradients {
        self.total += other.total;
        self.parts += other.parts;
        let pairs = self.by_weight.iter_mut().zip(other.by_weight);
        pairs.for_each(|(sum, g)| *sum += g);
        let pairs = self.running.iter_mut().zip(other.running);
        pairs.for_each(|((_, sum), (_, t))| *sum += t);
        self
    }
}
