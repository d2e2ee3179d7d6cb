//! What a row of a game teaches the value heads.

use records::Sample;

use crate::params::{EndTarget, EndTargets};

/// Targets of the value heads for one position, from the side to move's view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ValueTarget {
    /// Probabilities of (win, draw, loss), sum 1; `None` where nothing is known.
    pub wdl: Option<[f32; 3]>,
    /// Plies to the end of the game, at least 1; `None` where the game was cut off.
    pub moves_left: Option<f32>,
}

/// The value targets of a sample: see [`EndTarget`] and [`crate::LossParams::root_value_share`].
pub fn value_target(sample: &Sample<'_>, ends: &EndTargets, root_value_share: f64) -> ValueTarget {
    let root = sample.row.root.map(|w| [w.win, w.draw, w.loss]);
    let mixed = |result: [f32; 3]| match root {
        Some(root) => {
            let share = root_value_share as f32;
            std::array::from_fn(|i| (1.0 - share) * result[i] + share * root[i])
        }
        None => result,
    };
    let result = sample.result.wdl();
    let result = [result.win, result.draw, result.loss];
    match ends.of(sample.game.reason) {
        EndTarget::Result => ValueTarget {
            wdl: Some(mixed(result)),
            moves_left: Some(sample.plies_left as f32),
        },
        EndTarget::Draw => ValueTarget {
            wdl: Some(mixed([0.0, 1.0, 0.0])),
            moves_left: None,
        },
        EndTarget::Search => ValueTarget {
            wdl: root,
            moves_left: None,
        },
        EndTarget::Drop => ValueTarget {
            wdl: None,
            moves_left: None,
        },
    }
}
