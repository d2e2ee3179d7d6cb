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
