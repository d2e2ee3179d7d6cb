//! Examples put together: plain numbers first, which the loader's threads make, then tensors, which the step needs.

use encoding::{Encoded, NO_VIA};
use network::tch::{Device, Kind, Tensor};

#[cfg(doc)]
use crate::auxiliary::AuxiliaryTarget;
use crate::example::{Example, Origin};

/// The numbers of one step: `N` positions with `M` legal moves in all, at most `W` in one position, `V` of all moves with
/// a capture on the way.
///
/// No tensors, because libtorch would start a team of threads in each thread that makes large ones.
#[derive(Clone, PartialEq, Debug)]
pub struct HostBatch {
    /// `[N, S]` codes.
    pub squares: Vec<u8>,
    /// `[N, G]`.
    pub globals: Vec<f32>,
    /// `[2M + V]`: rows of the table of queries and keys (see [`crate::move_logits`]): the queries of all moves, their
    /// `lands here` keys, then the `captures here on the way` keys of the `V` moves that have one.
    pub gather: Vec<i32>,
    /// `[V]`: which moves those `V` are.
    pub via_moves: Vec<i32>,
    /// `[N, W]`: for each position the numbers of its moves, then `M`.
    pub layout: Vec<i32>,
    /// `[N, W]`: [`encoding::PolicySlot::marks`] of these moves, 0 in the padding.
    pub marks: Vec<i32>,
    /// `[N, W]`: target weights of these moves, 0 in the padding.
    pub policy: Vec<f32>,
    /// `[N]`: weight of each position in the policy loss; sum 1, or all 0 where no position has a target.
    pub policy_weight: Vec<f32>,
    /// `[N, 3]`: probabilities of (win, draw, loss), 0 where there is no target.
    pub wdl: Vec<f32>,
    /// `[N]`, as `policy_weight`.
    pub wdl_weight: Vec<f32>,
    /// `[N]` plies, 0 where there is no target.
    pub moves_left: Vec<f32>,
    /// `[N]`, as `policy_weight`.
    pub moves_left_weight: Vec<f32>,
    /// `[N, S]`: [`AuxiliaryTarget::future`], 0 where there is no target.
    pub future: Vec<u8>,
    /// `[N]`, as `policy_weight`.
    pub future_weight: Vec<f32>,
    /// `[N, T, 3]`: [`AuxiliaryTarget::short_term`], 0 where there is no target.
    pub short_term: Vec<f32>,
    /// `[N, T]`, as `policy_weight`: sum 1 over positions and horizons.
    pub short_term_weight: Vec<f32>,
    /// What is known of the batch as a whole.
    pub info: BatchInfo,
}

/// Facts about a batch that are no input of the network. Means are over the step: where it has several batches, each has
/// its part, and they add up.
#[derive(Clone, PartialEq, Debug)]
pub struct BatchInfo {
    /// Mean entropy of the policy targets, nats.
    pub policy_entropy: f64,
    /// Mean generation of the networks that played the games.
    pub generation: f64,
    /// Where the positions come from.
    pub origins: Vec<Origin>,
}

/// A [`HostBatch`] as tensors of the same names and shapes.
#[derive(Debug)]
pub struct Batch {
    /// `[N, S]` u8.
    pub squares: Tensor,
    /// `[N, G]`.
    pub globals: Tensor,
    /// `[2M + V]` i32.
    pub gather: Tensor,
    /// `[V]` i32.
    pub via_moves: Tensor,
    /// `[N, W]` i32.
    pub layout: Tensor,
    /// `[N, W]` i32.
    pub marks: Tensor,
    /// `[N, W]`.
    pub policy: Tensor,
    /// `[N]`.
    pub policy_weight: Tensor,
    /// `[N, 3]`.
    pub wdl: Tensor,
    /// `[N]`.
    pub wdl_weight: Tensor,
    /// `[N]`.
    pub moves_left: Tensor,
    /// `[N]`.
    pub moves_left_weight: Tensor,
    /// `[N, S]` u8.
    pub future: Tensor,
    /// `[N]`.
    pub future_weight: Tensor,
    /// `[N, T, 3]`.
    pub short_term: Tensor,
    /// `[N, T]`.
    pub short_term_weight: Tensor,
    /// See [`HostBatch::info`].
    pub info: BatchInfo,
}

/// How many examples of a step have each target: what weights and means are shares of.
struct Counts {
    all: usize,
    policy: usize,
    wdl: usize,
    moves_left: usize,
    future: usize,
    short_term: usize,
}

impl Counts {
    fn of(examples: &[Example]) -> Counts {
        let with = |has: fn(&Example) -> bool| examples.iter().filter(|e| has(e)).count();
        let horizons = |e: &Example| e.auxiliary.short_term.iter().flatten().count();
        Counts {
            all: examples.len(),
            policy: with(has_policy),
            wdl: with(|e| e.value.wdl.is_some()),
            moves_left: with(|e| e.value.moves_left.is_some()),
            future: with(|e| e.auxiliary.future.is_some()),
            short_term: examples.iter().map(horizons).sum(),
        }
    }
}

fn has_policy(example: &Example) -> bool {
    !example.slots.is_empty()
}

/// The weight of one of `count` targets.
fn share(has: bool, count: usize) -> f32 {
    if has { 1.0 / count as f32 } else { 0.0 }
}

impl HostBatch {
    /// Puts examples of game `P` together.
    pub fn new<P: Encoded>(examples: &[Example]) -> HostBatch {
        HostBatch::part::<P>(examples, &Counts::of(examples))
    }

    /// Puts the examples of one step together to batches of at most `size`, 0 = all in one. The weights have sum 1 over
    /// all of them, so that the losses of the batches add up to the step's.
    pub fn split<P: Encoded>(examples: &[Example], size: usize) -> Vec<HostBatch> {
        let counts = Counts::of(examples);
        let size = if size == 0 { examples.len() } else { size };
        let parts = examples.chunks(size.max(1));
        parts
            .map(|part| HostBatch::part::<P>(part, &counts))
            .collect()
    }

    fn part<P: Encoded>(examples: &[Example], counts: &Counts) -> HostBatch {
        let (n, s) = (examples.len(), P::FILES * P::RANKS);
        let moves: usize = examples.iter().map(|e| e.slots.len()).sum();
        let width = examples
            .iter()
            .map(|e| e.slots.len())
            .max()
            .unwrap_or(0)
            .max(1);
        let mut gather = vec![0i32; 2 * moves];
        let (queries, keys) = gather.split_at_mut(moves);
        let (mut vias, mut via_moves) = (Vec::new(), Vec::new());
        let mut layout = vec![moves as i32; n * width];
        let (mut marks, mut policy) = (vec![0; n * width], vec![0f32; n * width]);
        let (mut first, mut entropy) = (0, 0.0);
        for (i, example) in examples.iter().enumerate() {
            let count = example.slots.len();
            let row = |square: usize, part: usize| (((i * s + square) * 4) + part) as i32;
            let numbers = first as i32..;
            layout[i * width..][..count]
                .iter_mut()
                .zip(numbers)
                .for_each(|(out, mv)| *out = mv);
            policy[i * width..][..count].copy_from_slice(&example.policy);
            for (k, slot) in example.slots.iter().enumerate() {
                let j = first + k;
                marks[i * width + k] = slot.marks as i32;
                let query = slot.query as usize;
                queries[j] = match query.checked_sub(2 * s) {
                    Some(kind) => (n * s * 4 + i * P::HAND_KINDS + kind) as i32,
                    None => row(query % s, query / s),
                };
                keys[j] = row(slot.to as usize, 2);
                if slot.via != NO_VIA {
                    vias.push(row(slot.via as usize, 3));
                    via_moves.push(j as i32);
                }
            }
            first += count;
            let weights = example.policy.iter().filter(|&&w| w > 0.0);
            entropy -= f64::from(weights.map(|&w| w * w.ln()).sum::<f32>());
        }
        gather.append(&mut vias);
        let (mut squares, mut globals) = (
            Vec::with_capacity(n * s),
            Vec::with_capacity(n * P::GLOBALS),
        );
        for example in examples {
            squares.extend_from_slice(&example.squares);
            globals.extend_from_slice(&example.globals);
        }
        let horizons = examples
            .iter()
            .map(|e| e.auxiliary.short_term.len())
            .max()
            .unwrap_or(0);
        let mut future = vec![0u8; n * s];
        let mut short_term = vec![0f32; n * horizons * 3];
        let mut short_term_weight = vec![0f32; n * horizons];
        for (i, Example { auxiliary, .. }) in examples.iter().enumerate() {
            if let Some(holders) = &auxiliary.future {
                future[i * s..][..s].copy_from_slice(holders);
            }
            for (t, wdl) in auxiliary.short_term.iter().enumerate() {
                if let Some(wdl) = wdl {
                    short_term[(i * horizons + t) * 3..][..3].copy_from_slice(wdl);
                    short_term_weight[i * horizons + t] = share(true, counts.short_term);
                }
            }
        }
        let generations: f64 = examples.iter().map(|e| f64::from(e.generation)).sum();
        let weights = |has: fn(&Example) -> bool, count: usize| -> Vec<f32> {
            examples.iter().map(|e| share(has(e), count)).collect()
        };
        HostBatch {
            squares,
            globals,
            gather,
            via_moves,
            layout,
            marks,
            policy,
            policy_weight: weights(has_policy, counts.policy),
            wdl: examples
                .iter()
                .flat_map(|e| e.value.wdl.unwrap_or([0.0; 3]))
                .collect(),
            wdl_weight: weights(|e| e.value.wdl.is_some(), counts.wdl),
            moves_left: examples
                .iter()
                .map(|e| e.value.moves_left.unwrap_or(0.0))
                .collect(),
            moves_left_weight: weights(|e| e.value.moves_left.is_some(), counts.moves_left),
            future,
            future_weight: weights(|e| e.auxiliary.future.is_some(), counts.future),
            short_term,
            short_term_weight,
            info: BatchInfo {
                policy_entropy: entropy / counts.policy.max(1) as f64,
                generation: generations / counts.all.max(1) as f64,
                origins: examples.iter().map(|e| e.origin.clone()).collect(),
            },
        }
    }

    /// As tensors on `device`.
    pub fn to_device(self, device: Device) -> Batch {
        let n = self.info.origins.len() as i64;
        let horizons = self.short_term_weight.len() as i64 / n.max(1);
        let ints = |values: &[i32]| Tensor::from_slice(values).to_device(device);
        let floats = |values: &[f32]| Tensor::from_slice(values).to_device(device);
        Batch {
            squares: Tensor::from_slice(&self.squares)
                .view([n, -1])
                .to_device(device),
            globals: floats(&self.globals).view([n, -1]),
            gather: ints(&self.gather),
            via_moves: ints(&self.via_moves),
            layout: ints(&self.layout).view([n, -1]),
            marks: ints(&self.marks).view([n, -1]),
            policy: floats(&self.policy).view([n, -1]),
            policy_weight: floats(&self.policy_weight),
            wdl: floats(&self.wdl).view([n, 3]),
            wdl_weight: floats(&self.wdl_weight),
            moves_left: floats(&self.moves_left),
            moves_left_weight: floats(&self.moves_left_weight),
            future: Tensor::from_slice(&self.future)
                .view([n, -1])
                .to_device(device),
            future_weight: floats(&self.future_weight),
            short_term: floats(&self.short_term).view([n, horizons, 3]),
            short_term_weight: floats(&self.short_term_weight).view([n, horizons]),
            info: self.info,
        }
    }
}

impl Batch {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.info.origins.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.info.origins.is_empty()
    }

    /// Where its tensors are.
    pub fn device(&self) -> Device {
        self.squares.device()
    }

    /// The tensors by name.
    pub fn tensors(&self) -> [(&'static str, &Tensor); 16] {
        [
            ("squares", &self.squares),
            ("globals", &self.globals),
            ("gather", &self.gather),
            ("via_moves", &self.via_moves),
            ("layout", &self.layout),
            ("marks", &self.marks),
            ("policy", &self.policy),
            ("policy_weight", &self.policy_weight),
            ("wdl", &self.wdl),
            ("wdl_weight", &self.wdl_weight),
            ("moves_left", &self.moves_left),
            ("moves_left_weight", &self.moves_left_weight),
            ("future", &self.future),
            ("future_weight", &self.future_weight),
            ("short_term", &self.short_term),
            ("short_term_weight", &self.short_term_weight),
        ]
    }

    /// The same batch with all real numbers as `kind`, for checks in double precision.
    pub fn to_kind(self, kind: Kind) -> Batch {
        Batch {
            globals: self.globals.to_kind(kind),
            policy: self.policy.to_kind(kind),
            policy_weight: self.policy_weight.to_kind(kind),
            wdl: self.wdl.to_kind(kind),
            wdl_weight: self.wdl_weight.to_kind(kind),
            moves_left: self.moves_left.to_kind(kind),
            moves_left_weight: self.moves_left_weight.to_kind(kind),
            future_weight: self.future_weight.to_kind(kind),
            short_term: self.short_term.to_kind(kind),
            short_term_weight: self.short_term_weight.to_kind(kind),
            ..self
        }
    }
}
