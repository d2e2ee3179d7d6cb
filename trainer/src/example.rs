//! From one row of the replay window to network input and targets.
//!
//! A row's policy may leave out legal moves of weight 0, but the softmax runs over all of them: the legal moves are
//! generated again from the recorded position. Moves of the target are never lost, should the generator not give them.

use std::sync::Arc;

use encoding::{Encoded, PolicySlot};
use records::Sample;
use rules::GameMove;

use crate::TrainError;
use crate::auxiliary::{AuxiliaryParams, AuxiliaryTarget};
use crate::params::{EndTargets, Imitate, TrainParams};
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
    /// Targets of the auxiliary heads, from later rows; [`example`] leaves them out.
    pub auxiliary: AuxiliaryTarget,
    /// Generation of the network that played the game.
    pub generation: u32,
}

/// What decoding depends on beside the row.
#[derive(Clone, PartialEq, Debug)]
pub struct DecodeParams {
    /// See [`TrainParams::ends`].
    pub ends: EndTargets,
    /// See [`crate::LossParams::root_value_share`].
    pub root_value_share: f64,
    /// See [`TrainParams::imitate`].
    pub imitate: Imitate,
    /// See [`TrainParams::auxiliary`].
    pub auxiliary: AuxiliaryParams,
}

impl From<&TrainParams> for DecodeParams {
    fn from(params: &TrainParams) -> Self {
        DecodeParams {
            ends: params.ends.clone(),
            root_value_share: params.loss.root_value_share,
            imitate: params.imitate,
            auxiliary: params.auxiliary.clone(),
        }
    }
}

/// In place of the weight of a target that has met its legal move; weights are never negative.
const TAKEN: f32 = -1.0;

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
    let (mut squares, mut globals) = (vec![0; spec.cells()], vec![0.0; spec.globals]);
    if snapshot.board.len() != spec.squares() {
        return Err(problem(format!(
            "a board of {} squares",
            snapshot.board.len()
        )));
    }
    encoding::encode::<P>(rules, snapshot, &mut squares, &mut globals);
    let (mut slots, mut policy) = (Vec::new(), Vec::new());
    let mut targets: Vec<(u32, f32)> = match &sample.row.policy {
        Some(target) => target
            .moves
            .iter()
            .copied()
            .zip(target.weights.iter().copied())
            .collect(),
        None if params.imitate.covers(sample.row.search) => vec![(sample.row.played, 1.0)],
        None => Vec::new(),
    };
    if !targets.is_empty() {
        // As the records give them they are in order already.
        targets.sort_by_key(|&(code, _)| code);
        // A list of all legal moves needs no second look at the position, but for marks.
        if spec.marks > 0 || targets.len() != sample.row.legal_moves as usize {
            let position = P::from_snapshot(rules, snapshot).map_err(|e| problem(e.to_string()))?;
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            slots.reserve_exact(legal.len());
            policy.reserve_exact(legal.len());
            encoding::slots::<P>(rules, snapshot, &squares, &legal, &mut slots);
            for mv in legal {
                policy.push(
                    match targets.binary_search_by_key(&mv.code(), |&(code, _)| code) {
                        Ok(i) => std::mem::replace(&mut targets[i].1, TAKEN),
                        Err(_) => 0.0,
                    },
                );
            }
        }
        for (code, weight) in targets.into_iter().filter(|&(_, weight)| weight != TAKEN) {
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
        auxiliary: AuxiliaryTarget::default(),
        generation: sample.game.generation,
    })
}
