//! Proven results travel up. Source: Winands, Bjornsson, Saito, "Monte-Carlo tree search solver", 2008.
//!
//! A tree has one path to each node, so a proof holds whatever the rules say about repetition; there is no graph
//! history problem.

use crate::tree::Tree;
use crate::value::Proof;

/// The proof of `parent`, not proven so far, now that a child of it is proven with `child`; `None` if it is
/// still open.
///
/// One lost reply for the opponent is a win. Else all children must be known: then a draw if there is one, and
/// otherwise a loss in the longest way.
pub(crate) fn prove<M: Copy + Eq>(tree: &Tree<M>, parent: u32, child: Proof) -> Option<Proof> {
    let turn = tree.node(parent).turn;
    if child.wins(turn) {
        return Some(child.one_ply_earlier());
    }
    let mut result: Option<Proof> = None;
    // From the back: unopened edges are there, so an open node is mostly seen at once.
    for edge in tree.edges_of(parent).iter().rev() {
        let proof = tree.child(edge)?.proof?;
        result = Some(match result {
            Some(best) if !better_defence(proof, best) => best,
            _ => proof,
        });
    }
    result.map(Proof::one_ply_earlier)
}

/// Whether `a` is better than `b` for a side that can not win: a draw, then the longer loss.
fn better_defence(a: Proof, b: Proof) -> bool {
    match (a, b) {
        (_, Proof::Draw) => false,
        (Proof::Draw, _) => true,
        _ => a.plies() > b.plies(),
    }
}
