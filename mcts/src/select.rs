//! What both algorithms ask of a child.

use crate::params::SearchParams;
use crate::tree::Node;

/// Plies over which the moves-left utility grows to its full weight.
const MOVES_LEFT_SPAN: f32 = 20.0;

/// Q of a visited child as its parent's side to move sees it, in [-1, 1], with the moves-left utility if that is
/// switched on.
#[inline]
pub(crate) fn utility(parent: &Node, child: &Node, params: &SearchParams) -> f32 {
    let q = child.value(parent.turn).map_or(0.0, |value| value.0);
    if params.moves_left_weight == 0.0 {
        return q;
    }
    let (Some(here), Some(mean)) = (child.moves_left(), parent.moves_left()) else {
        return q;
    };
    let longer = ((here + 1.0 - mean) / MOVES_LEFT_SPAN).clamp(-1.0, 1.0);
    (q - params.moves_left_weight * q * longer).clamp(-1.0, 1.0)
}

/// Whether moving to `child` is proven to lose for the parent's side to move.
#[inline]
pub(crate) fn is_lost(parent: &Node, child: &Node) -> bool {
    child
        .proof
        .is_some_and(|proof| proof.wins(parent.turn.opponent()))
}
