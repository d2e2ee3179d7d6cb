//! The formulas of Gumbel AlphaZero. Source, with its letters: Danihelka, Guez, Schrittwieser, Silver, "Policy
//! improvement by planning with Gumbel", ICLR 2022. The schedule of the root is in `halving`.
//!
//! Of the solver: moves proven lost are not selected, and the target policy gives them 0.

use crate::exp;
use crate::params::{GumbelParams, QRange, SearchParams};
use crate::select::{is_lost, utility};
use crate::tree::{Edge, NONE, ROOT, Tree};

/// One root move, as the formulas see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    /// P.
    pub prior: f32,
    /// N, without those in flight.
    pub visits: u32,
    /// Q in [-1, 1] from the side to move; unused where `visits` is 0.
    pub q: f32,
}

/// v_mix, equation 33 of the paper: the network's value and the visited moves' Q, these weighted by prior.
///
/// `prior` is the sum of P over the visited moves, `prior_q` that of P * Q.
pub(crate) fn mixed_value(network: f32, visits: u32, prior: f32, prior_q: f32) -> f32 {
    if visits == 0 {
        return network;
    }
    let n = visits as f32;
    (network + n * prior_q / prior.max(f32::MIN_POSITIVE)) / (1.0 + n)
}

/// `sigma` of the completed Q (equation 8), as the map of a Q in [-1, 1].
#[derive(Clone, Copy)]
pub(crate) struct Sigma {
    scale: f32,
    offset: f32,
}

impl Sigma {
    /// `low` and `high` bound the completed Q of the node, `max_visits` is the largest N of its moves.
    pub fn new(params: &GumbelParams, max_visits: u32, low: f32, high: f32) -> Sigma {
        let scale = (params.c_visit + max_visits as f32) * params.c_scale;
        match params.q_range {
            QRange::Fixed => Sigma {
                scale: scale / 2.0,
                offset: -1.0,
            },
            QRange::MinMax => Sigma {
                scale: scale / (high - low).max(1e-8),
                offset: low,
            },
        }
    }

    #[inline]
    pub fn of(self, q: f32) -> f32 {
        self.scale * (q - self.offset)
    }
}

/// Fills `out` with `ln P + sigma(completed Q)` of all moves: the logits of the improved policy, up to a
/// constant. Goes over the moves several times, and so needs no memory of its own.
pub(crate) fn improved_logits(
    params: &GumbelParams,
    network: f32,
    arms: impl Iterator<Item = Arm> + Clone,
    out: &mut Vec<f32>,
) {
    let seen = || arms.clone().filter(|arm| arm.visits > 0);
    let visits: u32 = seen().map(|arm| arm.visits).sum();
    let prior: f32 = seen().map(|arm| arm.prior).sum();
    let prior_q: f32 = seen().map(|arm| arm.prior * arm.q).sum();
    let mixed = mixed_value(network, visits, prior, prior_q);
    let completed = |arm: &Arm| if arm.visits > 0 { arm.q } else { mixed };
    let (low, high) = arms
        .clone()
        .map(|arm| completed(&arm))
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), q| {
            (low.min(q), high.max(q))
        });
    let max_visits = seen().map(|arm| arm.visits).max().unwrap_or(0);
    let sigma = Sigma::new(params, max_visits, low, high);
    out.clear();
    out.extend(arms.map(|arm| arm.prior.max(1e-30).ln() + sigma.of(completed(&arm))));
}

/// In-place softmax. Entries of minus infinity become 0.
pub(crate) fn softmax(values: &mut [f32]) {
    let max = exp::max(values);
    values.iter_mut().for_each(|v| *v -= max);
    exp::exp_in_place(values);
    let scale = 1.0 / exp::sum(values);
    values.iter_mut().for_each(|v| *v *= scale);
}

/// The interior selection (equation 14): the move whose share of the visits lags most behind the improved
/// policy. Returns the offset of the edge within the node.
///
/// Only opened edges and the best unopened one are looked at: all unopened moves have the same completed Q, so
/// their order is that of P, and their part of the normaliser is `(1 - sum of opened P) * exp(sigma(v_mix))`.
pub(crate) fn select<M: Copy + Eq>(
    tree: &Tree<M>,
    index: u32,
    params: &SearchParams,
    scratch: &mut Vec<f32>,
) -> usize {
    let node = tree.node(index);
    let edges = tree.edges_of(index);
    let opened = &edges[..node.opened as usize];
    let network = node
        .network()
        .map_or(0.0, |wdl| wdl.pov(node.turn).value().0);

    // Q of the visited moves, NaN standing for "not visited yet".
    let (mut visits, mut max_visits, mut opened_prior) = (0, 0, 0.0);
    let (mut prior, mut prior_q, mut total) = (0.0, 0.0, 0);
    scratch.clear();
    for edge in opened {
        let child = tree.node(edge.child);
        total += child.visits + child.in_flight;
        opened_prior += edge.prior;
        let q = if child.visits > 0 {
            utility(node, child, params)
        } else {
            f32::NAN
        };
        if child.visits > 0 {
            visits += child.visits;
            max_visits = max_visits.max(child.visits);
            prior += edge.prior;
            prior_q += edge.prior * q;
        }
        scratch.push(q);
    }
    let mixed = mixed_value(network, visits, prior, prior_q);
    let (mut low, mut high) = (mixed, mixed);
    for q in scratch.iter_mut() {
        if q.is_nan() {
            *q = mixed;
        }
        (low, high) = (low.min(*q), high.max(*q));
    }
    let sigma = Sigma::new(&params.gumbel, max_visits, low, high);

    // The improved policy, not yet normalised.
    let top = sigma.of(high);
    let rest = (sigma.of(mixed) - top).exp();
    let mut sum = (1.0 - opened_prior).max(0.0) * rest;
    scratch.iter_mut().for_each(|q| *q = sigma.of(*q) - top);
    exp::exp_in_place(scratch);
    for (policy, edge) in scratch.iter_mut().zip(opened) {
        *policy *= edge.prior;
        sum += *policy;
    }

    let (per_policy, per_visit) = (1.0 / sum.max(f32::MIN_POSITIVE), 1.0 / (1 + total) as f32);
    let mut best = (f32::NEG_INFINITY, 0);
    for (i, (policy, edge)) in scratch.iter().zip(opened).enumerate() {
        let child = tree.node(edge.child);
        if params.solver && is_lost(node, child) {
            continue;
        }
        let score = policy * per_policy - (child.visits + child.in_flight) as f32 * per_visit;
        if score > best.0 {
            best = (score, i);
        }
    }
    if let Some(edge) = edges.get(opened.len()) {
        let score = edge.prior * rest * per_policy;
        if score > best.0 {
            best = (score, opened.len());
        }
    }
    best.1
}

/// The root moves as the formulas see them.
pub(crate) fn root_arms<M: Copy + Eq>(
    tree: &Tree<M>,
    params: &SearchParams,
) -> impl Iterator<Item = Arm> + Clone {
    let root = tree.node(ROOT);
    let arm = move |edge: &Edge<M>| match tree.child(edge) {
        Some(child) if child.visits > 0 => Arm {
            prior: edge.prior,
            visits: child.visits,
            q: utility(root, child, params),
        },
        _ => Arm {
            prior: edge.prior,
            visits: 0,
            q: 0.0,
        },
    };
    tree.edges_of(ROOT).iter().map(arm)
}

/// Fills `out` with the logits of the root's improved policy, minus infinity for moves proven lost while others
/// are not.
pub(crate) fn root_logits<M: Copy + Eq>(tree: &Tree<M>, params: &SearchParams, out: &mut Vec<f32>) {
    let root = tree.node(ROOT);
    let network = root
        .network()
        .map_or(0.0, |wdl| wdl.pov(root.turn).value().0);
    improved_logits(&params.gumbel, network, root_arms(tree, params), out);
    if params.solver && root.proof.is_none() {
        for (logit, edge) in out.iter_mut().zip(tree.edges_of(ROOT)) {
            if edge.child != NONE && is_lost(root, tree.node(edge.child)) {
                *logit = f32::NEG_INFINITY;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Proof, WdlAbs};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rules::Color;

    #[test]
    fn completed_q_follows_the_formulas() {
        let arms = [
            Arm {
                prior: 0.5,
                visits: 3,
                q: 0.2,
            },
            Arm {
                prior: 0.3,
                visits: 1,
                q: -0.6,
            },
            Arm {
                prior: 0.2,
                visits: 0,
                q: 0.0,
            },
        ];
        // v_mix = (0.1 + 4 / 0.8 * (0.5 * 0.2 - 0.3 * 0.6)) / 5 = (0.1 - 0.4) / 5
        let v_mix = -0.06;
        assert!((mixed_value(0.1, 4, 0.8, -0.08) - v_mix).abs() < 1e-6);
        let params = GumbelParams::default();
        let mut logits = Vec::new();
        improved_logits(&params, 0.1, arms.into_iter(), &mut logits);
        let expected = [
            0.5_f32.ln() + 53.0 * 0.6,
            0.3_f32.ln() + 53.0 * 0.2,
            0.2_f32.ln() + 53.0 * (v_mix + 1.0) / 2.0,
        ];
        for (found, expected) in logits.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        let params = GumbelParams {
            q_range: QRange::MinMax,
            c_scale: 0.1,
            ..params
        };
        improved_logits(&params, 0.1, arms.into_iter(), &mut logits);
        let expected = [
            0.5_f32.ln() + 5.3,
            0.3_f32.ln(),
            0.2_f32.ln() + 5.3 * (v_mix + 0.6) / 0.8,
        ];
        for (found, expected) in logits.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }

    #[test]
    fn mixed_value_without_visits_is_the_networks() {
        assert_eq!(mixed_value(0.3, 0, 0.0, 0.0), 0.3);
    }

    /// A node with random priors, visits, values, proofs and flights, as a search leaves it.
    fn random_node(rng: &mut Xoshiro256PlusPlus, width: usize, opened: usize) -> Tree<u32> {
        let turn = if rng.random() {
            Color::Black
        } else {
            Color::White
        };
        let wdl = |rng: &mut Xoshiro256PlusPlus| {
            let (a, b): (f32, f32) = (rng.random(), rng.random());
            WdlAbs {
                black: a * b,
                draw: a * (1.0 - b),
                white: 1.0 - a,
            }
        };
        let mut tree = Tree::new();
        tree.reset(turn);
        // Not the root: there the order of the edges is another.
        tree.add_edges(ROOT, &[0]);
        let node = tree.add_child(ROOT, 0, turn);
        tree.add_edges(node, &(0..width as u32).collect::<Vec<_>>());
        let logits: Vec<f32> = (0..width).map(|_| rng.random_range(-3.0..3.0)).collect();
        let network = wdl(rng);
        assert!(tree.evaluate(node, &logits, network));
        tree.node_mut(node).add(network, 0.0);
        for i in 0..opened {
            let edge = tree.node(node).edges().start + i;
            let child = tree.add_child(node, edge, turn.opponent());
            if rng.random_range(0..8) == 0 {
                tree.node_mut(child).in_flight = 1; // its first evaluation is not back
                continue;
            }
            for _ in 0..rng.random_range(1..9) {
                let value = wdl(rng);
                tree.node_mut(child).add(value, 0.0);
                tree.node_mut(node).add(value, 0.0);
            }
            tree.node_mut(child).in_flight = rng.random_range(0..2);
            if rng.random_range(0..8) == 0 {
                tree.node_mut(child).proof = Some(if rng.random() {
                    Proof::Draw
                } else {
                    Proof::Win {
                        winner: turn.opponent(),
                        plies: 3,
                    }
                });
            }
        }
        tree
    }

    /// The formulas of the paper over all moves, in double precision and without any short cut.
    fn slow_select(tree: &Tree<u32>, index: u32, params: &SearchParams) -> Vec<f64> {
        let node = tree.node(index);
        let sign = if node.turn == Color::Black { 1.0 } else { -1.0 };
        let value = |wdl: WdlAbs| sign * (f64::from(wdl.black) - f64::from(wdl.white));
        let edges = tree.edges_of(index);
        let n = |e: &Edge<u32>| f64::from(tree.child(e).map_or(0, |c| c.visits));
        let flying = |e: &Edge<u32>| f64::from(tree.child(e).map_or(0, |c| c.in_flight));
        let p = |e: &Edge<u32>| f64::from(e.prior);
        let q = |e: &Edge<u32>| value(tree.child(e).unwrap().wdl().unwrap());
        let seen: Vec<&Edge<u32>> = edges.iter().filter(|e| n(e) > 0.0).collect();
        let visits: f64 = seen.iter().map(|e| n(e)).sum();
        let mut v_mix = value(node.network().unwrap());
        if !seen.is_empty() {
            let weighted = seen.iter().map(|e| p(e) * q(e)).sum::<f64>()
                / seen.iter().map(|e| p(e)).sum::<f64>();
            v_mix = (v_mix + visits * weighted) / (1.0 + visits);
        }
        let completed: Vec<f64> = edges
            .iter()
            .map(|e| if n(e) > 0.0 { q(e) } else { v_mix })
            .collect();
        let (low, high) = match params.gumbel.q_range {
            QRange::Fixed => (-1.0, 1.0),
            QRange::MinMax => (
                completed.iter().copied().fold(f64::INFINITY, f64::min),
                completed
                    .iter()
                    .copied()
                    .fold(f64::NEG_INFINITY, f64::max)
                    .max(1e-8 - 1.0),
            ),
        };
        let max_n = edges.iter().map(n).fold(0.0, f64::max);
        let sigma = |q: f64| {
            (f64::from(params.gumbel.c_visit) + max_n)
                * f64::from(params.gumbel.c_scale)
                * (q - low)
                / (high - low).max(1e-8)
        };
        let weights: Vec<f64> = edges
            .iter()
            .zip(&completed)
            .map(|(e, &q)| p(e) * sigma(q).exp())
            .collect();
        let sum: f64 = weights.iter().sum();
        let total: f64 = edges.iter().map(|e| n(e) + flying(e)).sum();
        edges
            .iter()
            .zip(weights)
            .map(|(e, w)| {
                let lost = tree.child(e).is_some_and(|c| is_lost(node, c));
                if lost {
                    f64::NEG_INFINITY
                } else {
                    w / sum - (n(e) + flying(e)) / (1.0 + total)
                }
            })
            .collect()
    }

    #[test]
    fn interior_selection_agrees_with_the_formulas_over_all_moves() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let (mut new, mut old) = (0, 0);
        for round in 0..4000 {
            let width = rng.random_range(1..40);
            let opened = rng.random_range(0..=width);
            let tree = random_node(&mut rng, width, opened);
            let mut params = SearchParams::default();
            if round % 2 == 0 {
                params.gumbel.q_range = QRange::MinMax;
                params.gumbel.c_scale = 0.1;
            } else {
                params.gumbel.c_visit = 5.0;
            }
            let found = select(&tree, 1, &params, &mut Vec::new());
            let scores = slow_select(&tree, 1, &params);
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if best == f64::NEG_INFINITY {
                continue; // all lost: such a node is proven and never asked
            }
            assert!(
                scores[found] > best - 1e-4,
                "round {round}: {found} in {scores:?}"
            );
            *if found < opened { &mut old } else { &mut new } += 1;
        }
        assert!(
            new > 500 && old > 500,
            "both kinds occur: {new} new, {old} old"
        );
    }

    #[test]
    fn improved_policy_of_a_node_agrees_with_the_formulas() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        for _ in 0..500 {
            let tree = random_node(&mut rng, 12, 7);
            let params = SearchParams {
                solver: false,
                ..SearchParams::default()
            };
            let node = tree.node(1);
            let arm = |e: &Edge<u32>| match tree.child(e) {
                Some(child) if child.visits > 0 => Arm {
                    prior: e.prior,
                    visits: child.visits,
                    q: utility(node, child, &params),
                },
                _ => Arm {
                    prior: e.prior,
                    visits: 0,
                    q: 0.0,
                },
            };
            let arms = tree.edges_of(1).iter().map(arm);
            let network = node.network().unwrap().pov(node.turn).value().0;
            let mut policy = Vec::new();
            improved_logits(&params.gumbel, network, arms, &mut policy);
            softmax(&mut policy);
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            // The slow scores are the policy minus the share of the visits.
            let total: u32 = tree
                .edges_of(1)
                .iter()
                .filter_map(|e| tree.child(e))
                .map(|c| c.visits + c.in_flight)
                .sum();
            for ((edge, found), score) in tree
                .edges_of(1)
                .iter()
                .zip(policy)
                .zip(slow_select(&tree, 1, &params))
            {
                if score.is_finite() {
                    let n = tree.child(edge).map_or(0, |c| c.visits + c.in_flight);
                    let expected = score + f64::from(n) / f64::from(1 + total);
                    assert!(
                        (f64::from(found) - expected).abs() < 1e-4,
                        "{found} {expected}"
                    );
                }
            }
        }
    }
}
