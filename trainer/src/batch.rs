//! From rows of the replay window to the tensors of one step.
//!
//! A row's policy may leave out legal moves of weight 0, but the softmax runs over all of them: the legal moves are
//! generated again from the recorded position. Moves of the target are never lost, should the generator not give them.

use std::collections::HashMap;
use std::sync::Arc;

use encoding::{Encoded, NO_VIA, PolicySlot};
use network::tch::{Device, Kind, Tensor};
use rayon::prelude::*;
use records::{ReplayWindow, Sample};
use rules::{GameMove, Rules};

use crate::TrainError;
use crate::params::{EndTargets, TrainParams};
use crate::targets::{ValueTarget, value_target};

/// Which row a sample of a batch is, for people.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Origin {
    /// Id of the game.
    #[serde(serialize_with = "as_text")]
    pub game: Arc<str>,
    /// Moves played before the position.
    pub ply: u32,
    /// Whether it is mirrored left to right.
    pub mirrored: bool,
}

fn as_text<S: serde::Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// One position, decoded: network input, legal moves and targets, from the side to move's view.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// Where it comes from.
    pub origin: Origin,
    /// `[S]` codes.
    pub squares: Vec<u8>,
    /// `[G]`.
    pub globals: Vec<f32>,
    /// Slots of all legal moves; empty where there is no policy target.
    pub slots: Vec<PolicySlot>,
    /// The policy target, one weight a slot, sum 1.
    pub policy: Vec<f32>,
    /// Targets of the value heads.
    pub value: ValueTarget,
    /// Generation of the network that played the game.
    pub generation: u32,
}

/// The tensors of one step: `N` positions with `M` legal moves in all, at most `W` in one position.
#[derive(Debug)]
pub struct Batch {
    /// `[N, S]` u8.
    pub squares: Tensor,
    /// `[N, G]`.
    pub globals: Tensor,
    /// `[2M + V]`: rows of the table of queries and keys (see [`crate::losses`]): the queries of all moves, their
    /// `lands here` keys, then the `captures here on the way` keys of the `V` moves that have one.
    pub gather: Tensor,
    /// `[V]`: which moves those `V` are.
    pub via_moves: Tensor,
    /// `[N, W]`: for each position the numbers of its moves, then `M`.
    pub layout: Tensor,
    /// `[N, W]`: target weights of these moves, 0 in the padding.
    pub policy: Tensor,
    /// `[N]`: weight of each position in the policy loss; sum 1, or all 0 where no position has a target.
    pub policy_weight: Tensor,
    /// `[N, 3]`.
    pub wdl: Tensor,
    /// `[N]`, as `policy_weight`.
    pub wdl_weight: Tensor,
    /// `[N]` plies.
    pub moves_left: Tensor,
    /// `[N]`, as `policy_weight`.
    pub moves_left_weight: Tensor,
    /// Mean entropy of the policy targets, nats.
    pub policy_entropy: f64,
    /// Mean generation of the games.
    pub generation: f64,
    /// Where the positions come from.
    pub origins: Vec<Origin>,
}

impl Batch {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The tensors by name.
    pub fn tensors(&self) -> [(&'static str, &Tensor); 11] {
        [
            ("squares", &self.squares),
            ("globals", &self.globals),
            ("gather", &self.gather),
            ("via_moves", &self.via_moves),
            ("layout", &self.layout),
            ("policy", &self.policy),
            ("policy_weight", &self.policy_weight),
            ("wdl", &self.wdl),
            ("wdl_weight", &self.wdl_weight),
            ("moves_left", &self.moves_left),
            ("moves_left_weight", &self.moves_left_weight),
        ]
    }

    /// The same batch on `device`.
    pub fn to_device(self, device: Device) -> Batch {
        if device == Device::Cpu {
            return self;
        }
        Batch {
            squares: self.squares.to_device(device),
            globals: self.globals.to_device(device),
            gather: self.gather.to_device(device),
            via_moves: self.via_moves.to_device(device),
            layout: self.layout.to_device(device),
            policy: self.policy.to_device(device),
            policy_weight: self.policy_weight.to_device(device),
            wdl: self.wdl.to_device(device),
            wdl_weight: self.wdl_weight.to_device(device),
            moves_left: self.moves_left.to_device(device),
            moves_left_weight: self.moves_left_weight.to_device(device),
            ..self
        }
    }

    /// Puts examples of game `P` together, on the CPU.
    pub fn new<P: Encoded>(examples: Vec<Example>) -> Batch {
        let spec = encoding::spec::<P>();
        let (n, s) = (examples.len(), spec.squares());
        let moves: usize = examples.iter().map(|e| e.slots.len()).sum();
        let width = examples
            .iter()
            .map(|e| e.slots.len())
            .max()
            .unwrap_or(0)
            .max(1);
        let (mut queries, mut keys) = (Vec::with_capacity(moves), Vec::with_capacity(moves));
        let (mut vias, mut via_moves) = (Vec::new(), Vec::new());
        let mut layout = vec![moves as i32; n * width];
        let mut policy = vec![0f32; n * width];
        let mut entropy = 0.0;
        for (i, example) in examples.iter().enumerate() {
            let row = |square: usize, part: usize| (((i * s + square) * 4) + part) as i32;
            for (j, (slot, &weight)) in example.slots.iter().zip(&example.policy).enumerate() {
                layout[i * width + j] = queries.len() as i32;
                policy[i * width + j] = weight;
                let query = slot.query as usize;
                if slot.via != NO_VIA {
                    vias.push(row(slot.via as usize, 3));
                    via_moves.push(queries.len() as i32);
                }
                queries.push(match query.checked_sub(2 * s) {
                    Some(kind) => (n * s * 4 + i * spec.hand_kinds + kind) as i32,
                    None => row(query % s, query / s),
                });
                keys.push(row(slot.to as usize, 2));
            }
            entropy -= example
                .policy
                .iter()
                .filter(|&&w| w > 0.0)
                .map(|&w| f64::from(w * w.ln()))
                .sum::<f64>();
        }
        let weights = |has: &dyn Fn(&Example) -> bool| {
            let count = examples.iter().filter(|e| has(e)).count().max(1) as f32;
            let weights: Vec<f32> = examples
                .iter()
                .map(|e| if has(e) { 1.0 / count } else { 0.0 })
                .collect();
            Tensor::from_slice(&weights)
        };
        let with_policy = examples
            .iter()
            .filter(|e| !e.slots.is_empty())
            .count()
            .max(1);
        let squares: Vec<u8> = examples
            .iter()
            .flat_map(|e| e.squares.iter().copied())
            .collect();
        let globals: Vec<f32> = examples
            .iter()
            .flat_map(|e| e.globals.iter().copied())
            .collect();
        let wdl: Vec<f32> = examples
            .iter()
            .flat_map(|e| e.value.wdl.unwrap_or([0.0; 3]))
            .collect();
        let moves_left: Vec<f32> = examples
            .iter()
            .map(|e| e.value.moves_left.unwrap_or(0.0))
            .collect();
        let gather = [queries, keys, vias].concat();
        let (n, s, g, width) = (n as i64, s as i64, spec.globals as i64, width as i64);
        Batch {
            squares: Tensor::from_slice(&squares).reshape([n, s]),
            globals: Tensor::from_slice(&globals).reshape([n, g]),
            gather: Tensor::from_slice(&gather),
            via_moves: Tensor::from_slice(&via_moves),
            layout: Tensor::from_slice(&layout).reshape([n, width]),
            policy: Tensor::from_slice(&policy).reshape([n, width]),
            policy_weight: weights(&|e| !e.slots.is_empty()),
            wdl: Tensor::from_slice(&wdl).reshape([n, 3]),
            wdl_weight: weights(&|e| e.value.wdl.is_some()),
            moves_left: Tensor::from_slice(&moves_left),
            moves_left_weight: weights(&|e| e.value.moves_left.is_some()),
            policy_entropy: entropy / with_policy as f64,
            generation: examples
                .iter()
                .map(|e| f64::from(e.generation))
                .sum::<f64>()
                / (n as f64).max(1.0),
            origins: examples.into_iter().map(|e| e.origin).collect(),
        }
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
            ..self
        }
    }
}

/// What decoding depends on beside the row.
#[derive(Clone, PartialEq, Debug)]
pub struct DecodeParams {
    /// See [`TrainParams::ends`].
    pub ends: EndTargets,
    /// See [`crate::LossParams::root_value_share`].
    pub root_value_share: f64,
}

impl From<&TrainParams> for DecodeParams {
    fn from(params: &TrainParams) -> Self {
        DecodeParams {
            ends: params.ends.clone(),
            root_value_share: params.loss.root_value_share,
        }
    }
}

/// Decodes one sample, mirrored or not.
///
/// # Errors
/// [`TrainError::Data`] naming game and ply of a row whose rules, position or moves make no sense.
pub fn example<P: Encoded>(
    sample: &Sample<'_>,
    rules: &P::Rules,
    mirrored: bool,
    params: &DecodeParams,
) -> Result<Example, TrainError> {
    let spec = encoding::spec::<P>();
    let snapshot = &sample.row.snapshot;
    let problem = |what: String| {
        TrainError::Data(format!(
            "game {}, ply {}: {what}; `tenjiku inspect` tells more about the file",
            sample.game.id, sample.ply
        ))
    };
    let (mut squares, mut globals) = (vec![0; spec.squares()], vec![0.0; spec.globals]);
    if snapshot.board.len() != squares.len() {
        return Err(problem(format!(
            "a board of {} squares",
            snapshot.board.len()
        )));
    }
    encoding::encode::<P>(rules, snapshot, &mut squares, &mut globals);
    let (mut slots, mut policy) = (Vec::new(), Vec::new());
    if let Some(target) = &sample.row.policy {
        let mut weights: HashMap<u32, f32> = target
            .moves
            .iter()
            .copied()
            .zip(target.weights.iter().copied())
            .collect();
        let position = P::from_snapshot(rules, snapshot).map_err(|e| problem(e.to_string()))?;
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        for mv in legal {
            slots.push(encoding::slot::<P>(mv, snapshot.turn));
            policy.push(weights.remove(&mv.code()).unwrap_or(0.0));
        }
        let mut rest: Vec<(u32, f32)> = weights.into_iter().collect();
        rest.sort_unstable_by_key(|&(code, _)| code);
        for (code, weight) in rest {
            let slot = encoding::slot_of_code::<P>(code, snapshot.turn).ok_or_else(|| {
                problem(format!(
                    "the policy has a move of code {code}, which no move has"
                ))
            })?;
            slots.push(slot);
            policy.push(weight);
        }
    }
    if mirrored {
        encoding::mirror_squares(&spec, &mut squares);
        slots
            .iter_mut()
            .for_each(|slot| *slot = encoding::mirror_slot(&spec, *slot));
    }
    Ok(Example {
        origin: Origin {
            game: sample.game.id.clone(),
            ply: sample.ply,
            mirrored,
        },
        squares,
        globals,
        slots,
        policy,
        value: value_target(sample, &params.ends, params.root_value_share),
        generation: sample.game.generation,
    })
}

/// Decodes rows of a window, (row number, mirrored), on the threads of the current rayon pool.
///
/// # Errors
/// As [`example`], for the first bad row in the order of `rows`.
pub fn decode<P: Encoded>(
    window: &ReplayWindow,
    rows: &[(u32, bool)],
    params: &DecodeParams,
) -> Result<Batch, TrainError> {
    let chunk = rows.len().div_ceil(rayon::current_num_threads()).max(1);
    let parts: Vec<Result<Vec<Example>, TrainError>> = rows
        .par_chunks(chunk)
        .map(|rows| {
            // The games of a run have few rule sets between them.
            let mut known: Option<(Arc<str>, P::Rules)> = None;
            let mut examples = Vec::with_capacity(rows.len());
            for &(row, mirrored) in rows {
                let sample = window.read(row)?;
                let text = &sample.game.rules;
                if known.as_ref().is_none_or(|(name, _)| name != text) {
                    let rules = P::Rules::parse(text)
                        .map_err(|e| TrainError::Data(format!("game {}: {e}", sample.game.id)))?;
                    known = Some((text.clone(), rules));
                }
                let (_, rules) = known.as_ref().expect("set above");
                examples.push(example::<P>(&sample, rules, mirrored, params)?);
            }
            Ok(examples)
        })
        .collect();
    let mut examples = Vec::with_capacity(rows.len());
    for part in parts {
        examples.append(&mut part?);
    }
    Ok(Batch::new::<P>(examples))
}
