//! PUCT: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
//! self-play", 2018; first play urgency, forced playouts and target pruning: Wu, "Accelerating self-play learning
//! in Go" (KataGo), 2019, section 3.2.

use crate::params::{PuctParams, SearchParams};
use crate::select::{is_lost, utility};
use crate::tree::{Edge, ROOT, Tree};

/// `c * sqrt(sum N)` for a node whose moves have `total` visits together.
fn exploration(params: &PuctParams, total: u32) -> f32 {
    let n = total as f32;
    (params.c_init + ((1.0 + n + params.c_base) / params.c_base).ln()) * n.max(1.0).sqrt()
}

/// Visits that a root move with this (noisy) prior gets at least, once it has one.
fn forced(params: &PuctParams, prior: f32, total: u32) -> f32 {
    (params.forced_playouts * prior * total as f32).sqrt()
}

/// The root prior: `P^(1/T)`, mixed with the noise. `noise` is empty without noise.
pub(crate) fn root_prior<M>(
    params: &PuctParams,
    edges: &[Edge<M>],
    noise: &[f32],
    out: &mut Vec<f32>,
) {
    out.clear();
    out.extend(edges.iter().map(|edge| edge.prior));
    if params.root_temperature != 1.0 {
        let power = 1.0 / params.root_temperature;
        out.iter_mut().for_each(|p| *p = p.powf(power));
        let sum: f32 = out.iter().sum();
        out.iter_mut()
            .for_each(|p| *p /= sum.max(f32::MIN_POSITIVE));
    }
    for (p, noise) in out.iter_mut().zip(noise) {
        *p += params.noise_fraction * (noise - *p);
    }
}

/// The move with the largest Q + U; returns its offset among the node's edges. `prior` replaces the edges' own at
/// the root, where all moves are looked at, and forced playouts come first.
pub(crate) fn select<M: Copy + Eq>(
    tree: &Tree<M>,
    index: u32,
    params: &SearchParams,
    prior: Option<&[f32]>,
) -> usize {
    let node = tree.node(index);
    let all = tree.edges_of(index);
    // Inside the tree the best unopened edge stands first of its kind, and no other can win.
    let edges = match prior {
        Some(_) => all,
        None => &all[..all.len().min(node.opened as usize + 1)],
    };
    let prior_of = |i: usize, edge: &Edge<M>| prior.map_or(edge.prior, |prior| prior[i]);
    let (mut total, mut visited_prior) = (0, 0.0);
    for (i, edge) in edges.iter().enumerate() {
        if let Some(child) = tree.child(edge) {
            total += child.visits + child.in_flight;
            if child.visits > 0 {
                visited_prior += prior_of(i, edge);
            }
        }
    }
    let reduction = if index == ROOT {
        params.puct.root_fpu_reduction
    } else {
        params.puct.fpu_reduction
    };
    let own = node.value(node.turn).map_or(0.0, |value| value.0);
    let fpu = (own - reduction * visited_prior.max(0.0).sqrt()).max(-1.0);
    let c = exploration(&params.puct, total);

    let mut best = (f32::NEG_INFINITY, 0);
    for (i, edge) in edges.iter().enumerate() {
        let (mut q, mut n, p) = (fpu, 0, prior_of(i, edge));
        if let Some(child) = tree.child(edge) {
            if params.solver && is_lost(node, child) {
                continue;
            }
            n = child.visits + child.in_flight;
            if child.visits > 0 {
                q = utility(node, child, params);
            }
            if prior.is_some() && n > 0 && (n as f32) < forced(&params.puct, p, total) {
                return i;
            }
        }
        let score = q + c * p / (1 + n) as f32;
        if score > best.0 {
            best = (score, i);
        }
    }
    best.1
}

/// Fills `out` with the visits of the root moves after pruning: what was only forced is taken off. Moves proven
/// lost count 0 while others are not.
///
/// From each move but the most visited one, as many of its forced visits are taken as leave its PUCT score below
/// that of the most visited; a single visit that remains goes too.
pub(crate) fn pruned_visits<M: Copy + Eq>(
    tree: &Tree<M>,
    params: &SearchParams,
    prior: &[f32],
    out: &mut Vec<f32>,
) {
    let root = tree.node(ROOT);
    let edges = tree.edges_of(ROOT);
    out.clear();
    out.extend(edges.iter().map(|edge| match tree.child(edge) {
        Some(child) if params.solver && root.proof.is_none() && is_lost(root, child) => 0.0,
        Some(child) => child.visits as f32,
        None => 0.0,
    }));
    let Some(best) = (0..out.len()).max_by(|&a, &b| out[a].total_cmp(&out[b]).then(b.cmp(&a)))
    else {
        return;
    };
    if params.puct.forced_playouts == 0.0 || out[best] <= 1.0 {
        return;
    }
    let total: u32 = edges
        .iter()
        .filter_map(|edge| tree.child(edge))
        .map(|child| child.visits)
        .sum();
    let c = exploration(&params.puct, total);
    let q = |i: usize| {
        tree.child(&edges[i])
            .map_or(-1.0, |child| utility(root, child, params))
    };
    let target = q(best) + c * prior[best] / (1.0 + out[best]);
    for i in 0..out.len() {
        if i == best || out[i] == 0.0 {
            continue;
        }
        let gap = target - q(i);
        if gap > 0.0 {
            // Smallest N with Q + c * P / (1 + N) <= target, but at most the forced ones are taken.
            let enough = (c * prior[i] / gap - 1.0).max(0.0).ceil();
            let keep = enough.max(out[i] - forced(&params.puct, prior[i], total).floor());
            out[i] = out[i].min(keep);
        }
        if out[i] <= 1.0 {
            out[i] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::WdlAbs;
    use rules::Color;

    /// A root, Black to move, with the given (prior, visits, Q for Black) of its moves.
    fn root(moves: &[(f32, u32, f32)]) -> Tree<u32> {
        let wdl = |q: f32| WdlAbs {
            black: (1.0 + q) / 2.0,
            draw: 0.0,
            white: (1.0 - q) / 2.0,
        };
        let mut tree = Tree::new();
        tree.reset(Color::Black);
        tree.add_edges(ROOT, &(0..moves.len() as u32).collect::<Vec<_>>());
        let logits: Vec<f32> = moves.iter().map(|m| m.0.ln()).collect();
        assert!(tree.evaluate(ROOT, &logits, wdl(0.0)));
        tree.node_mut(ROOT).add(wdl(0.0), 0.0);
        for (i, &(_, visits, q)) in moves.iter().enumerate() {
            if visits > 0 {
                let child = tree.add_child(ROOT, i, Color::White);
                for _ in 0..visits {
                    tree.node_mut(child).add(wdl(q), 0.0);
                    tree.node_mut(ROOT).add(wdl(q), 0.0);
                }
            }
        }
        tree
    }

    fn params() -> SearchParams {
        let mut params = SearchParams::default().without_noise();
        params.puct.root_fpu_reduction = 0.5;
        params
    }

    fn priors(tree: &Tree<u32>) -> Vec<f32> {
        tree.edges_of(ROOT).iter().map(|edge| edge.prior).collect()
    }

    #[test]
    fn selection_takes_the_largest_q_plus_u() {
        // sum N = 9, sqrt = 3, c = 1.25 + ln(19662 / 19652) = 1.2505, c * 3 = 3.7515
        // move 0: 0.2 + 3.7515 * 0.6 / 7 = 0.5216; move 1: 0.1 + 3.7515 * 0.3 / 4 = 0.3814;
        // move 2: FPU = (6 * 0.2 + 3 * 0.1) / 10 - 0.5 * sqrt(0.9) = -0.3243, + 3.7515 * 0.1 = 0.0508
        let tree = root(&[(0.6, 6, 0.2), (0.3, 3, 0.1), (0.1, 0, 0.0)]);
        assert_eq!(select(&tree, ROOT, &params(), Some(&priors(&tree))), 0);
        // Worse Q: -0.3 + 0.3216 = 0.0216. Move 1 stays at 0.3814.
        let tree = root(&[(0.6, 6, -0.3), (0.3, 3, 0.1), (0.1, 0, 0.0)]);
        assert_eq!(select(&tree, ROOT, &params(), Some(&priors(&tree))), 1);
        // Both bad: -0.6 + 0.3216 = -0.2784 and -0.9 + 0.2814 = -0.6186. The mean is -0.63: without reduction move
        // 2 has -0.63 + 0.3752 = -0.2548 and wins; with it max(-1, -0.63 - 0.4743) + 0.3752 = -0.6248.
        let tree = root(&[(0.6, 6, -0.6), (0.3, 3, -0.9), (0.1, 0, 0.0)]);
        let mut settings = params();
        settings.puct.root_fpu_reduction = 0.0;
        assert_eq!(select(&tree, ROOT, &settings, Some(&priors(&tree))), 2);
        settings.puct.root_fpu_reduction = 0.5;
        assert_eq!(select(&tree, ROOT, &settings, Some(&priors(&tree))), 0);
    }

    #[test]
    fn forced_playouts_come_first_and_are_pruned_again() {
        // k = 2, sum N = 100: sqrt(2 * 0.1 * 100) = 4.47 forced for the bad move 1, which has 4.
        let mut settings = params();
        settings.puct.forced_playouts = 2.0;
        let tree = root(&[(0.8, 92, 0.5), (0.1, 4, -0.9), (0.1, 4, 0.45)]);
        assert_eq!(select(&tree, ROOT, &settings, Some(&priors(&tree))), 1);
        // Pruned: c = 1.25 + ln(19753 / 19652) = 1.2551, c * 10 = 12.551.
        // Target 0.5 + 12.551 * 0.8 / 93 = 0.60797. Move 1: 1.2551 / (1 + N) <= 1.508 from N = 0: all 4 go.
        // Move 2: 1.2551 / (1 + N) <= 0.158 from N = 7: keeps its 4.
        let mut visits = Vec::new();
        pruned_visits(&tree, &settings, &priors(&tree), &mut visits);
        assert_eq!(visits, [92.0, 0.0, 4.0]);
        // Not more than the forced ones is taken: floor(4.47) = 4 of 10, 6 stay.
        let tree = root(&[(0.8, 80, 0.5), (0.1, 10, -0.9), (0.1, 10, 0.45)]);
        pruned_visits(&tree, &settings, &priors(&tree), &mut visits);
        assert_eq!(visits[..2], [80.0, 6.0]);
    }

    #[test]
    fn root_prior_mixes_temperature_and_noise() {
        let tree = root(&[(0.64, 0, 0.0), (0.36, 0, 0.0)]);
        let mut settings = SearchParams::default().puct;
        let mut prior = Vec::new();
        settings.root_temperature = 2.0; // square roots: 0.8 and 0.6
        root_prior(&settings, tree.edges_of(ROOT), &[], &mut prior);
        assert!((prior[0] - 0.8 / 1.4).abs() < 1e-6);
        settings.root_temperature = 1.0;
        settings.noise_fraction = 0.25;
        root_prior(&settings, tree.edges_of(ROOT), &[0.0, 1.0], &mut prior);
        assert!((prior[0] - 0.48).abs() < 1e-6 && (prior[1] - 0.52).abs() < 1e-6);
    }
}
