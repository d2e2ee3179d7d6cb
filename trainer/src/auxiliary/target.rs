//! What later rows of a game teach the auxiliary heads.

use encoding::Encoded;
use records::{ReplayWindow, Sample, Wdl};
use rules::Color;

use crate::TrainError;
use crate::example::DecodeParams;
use crate::params::EndTarget;

/// Targets of the auxiliary heads for one position, from the side to move's view.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AuxiliaryTarget {
    /// `[S]`: 0 nobody, 1 own, 2 enemy; `None` where the game is over by then, or there is no such head.
    pub future: Option<Vec<u8>>,
    /// For each horizon probabilities of (win, draw, loss), sum 1; `None` where nothing is known. Empty where there is
    /// no such head.
    pub short_term: Vec<Option<[f32; 3]>>,
}

/// The targets of `sample`, which is row number `row`; none of them is looked up for heads that have no weight.
///
/// # Errors
/// A later row cannot be read.
pub fn auxiliary_target<P: Encoded>(
    window: &ReplayWindow,
    row: u32,
    sample: &Sample<'_>,
    mirrored: bool,
    params: &DecodeParams,
) -> Result<AuxiliaryTarget, TrainError> {
    let settings = &params.auxiliary;
    let turn = sample.row.snapshot.turn;
    let left = sample.plies_left;
    let mut target = AuxiliaryTarget::default();
    if settings.future > 0.0 && settings.future_plies < left {
        let later = window.read(row + settings.future_plies)?;
        let mut holders = holders::<P>(&later.row.snapshot.board, turn);
        if mirrored {
            encoding::mirror_squares(&encoding::spec::<P>(), &mut holders);
        }
        target.future = Some(holders);
    }
    if settings.short_term > 0.0 {
        // The search's value in a later row, seen by the side to move now.
        let value = |plies: u32| -> Result<Option<[f32; 3]>, TrainError> {
            let later = window.read(row + plies)?;
            let same_side = later.row.snapshot.turn == turn;
            Ok(later.row.root.map(|Wdl { win, draw, loss }| {
                if same_side {
                    [win, draw, loss]
                } else {
                    [loss, draw, win]
                }
            }))
        };
        for &plies in &settings.short_term_plies {
            let end = || params.ends.of(sample.game.reason);
            target.short_term.push(if plies < left {
                value(plies)?
            } else {
                match end() {
                    EndTarget::Result => {
                        let result = sample.result.wdl();
                        Some([result.win, result.draw, result.loss])
                    }
                    EndTarget::Draw => Some([0.0, 1.0, 0.0]),
                    EndTarget::Search => value(left - 1)?,
                    EndTarget::Drop => None,
                }
            });
        }
    }
    Ok(target)
}

/// Who holds each square, in the order in which `turn` sees them.
fn holders<P: Encoded>(board: &[u8], turn: Color) -> Vec<u8> {
    let states = P::PIECE_STATES as u8;
    let holder = |&code: &u8| match code {
        0 => 0,
        // Codes are 1 + state + states * colour.
        code if usize::from((code - 1) / states) == turn.index() => 1,
        _ => 2,
    };
    match turn {
        Color::Black => board.iter().map(holder).collect(),
        Color::White => board.iter().rev().map(holder).collect(),
    }
}
