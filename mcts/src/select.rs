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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ROOT, Tree};
    use crate::value::WdlAbs;
    use rules::Color;

    #[test]
    fn moves_left_makes_the_leader_hurry_and_the_other_wait() {
        // 40 plies left on average, 30 + 1 by this move: 9 plies shorter, 9 / 20 of the weight.
        for (turn, q) in [(Color::Black, 0.5), (Color::White, -0.5)] {
            let mut tree: Tree<u32> = Tree::new();
            tree.reset(turn);
            tree.add_edges(ROOT, &[0]);
            let child = tree.add_child(ROOT, 0, turn.opponent());
            let wdl = WdlAbs {
                black: 0.75,
                draw: 0.0,
                white: 0.25,
            };
            tree.node_mut(ROOT).add(wdl, 40.0);
            tree.node_mut(child).add(wdl, 30.0);
            let utility = |moves_left_weight| {
                let params = SearchParams {
                    moves_left_weight,
                    ..SearchParams::default()
                };
                utility(tree.node(ROOT), tree.node(child), &params)
            };
            assert!((utility(0.0) - q).abs() < 1e-6);
            let bonus = 0.2 * q * 9.0 / 20.0;
            assert!(
                (utility(0.2) - (q + bonus)).abs() < 1e-6,
                "{turn:?}: {}",
                utility(0.2)
            );
        }
    }
}
