//! Gumbel AlphaZero. Source, with its letters: Danihelka, Guez, Schrittwieser, Silver, "Policy improvement by
//! planning with Gumbel", ICLR 2022. Corner cases (n not a product of the phases) as in its library mctx.
//!
//! Deviations, both of the solver: moves proven lost are passed over, and their share of a sequential halving
//! phase goes to the other survivors; the target policy gives them 0.

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
/// constant.
pub(crate) fn improved_logits(
    params: &GumbelParams,
    network: f32,
    arms: &[Arm],
    out: &mut Vec<f32>,
) {
    let seen = || arms.iter().filter(|arm| arm.visits > 0);
    let visits: u32 = seen().map(|arm| arm.visits).sum();
    let prior: f32 = seen().map(|arm| arm.prior).sum();
    let prior_q: f32 = seen().map(|arm| arm.prior * arm.q).sum();
    let mixed = mixed_value(network, visits, prior, prior_q);
    let completed = |arm: &Arm| if arm.visits > 0 { arm.q } else { mixed };
    let (low, high) = arms
        .iter()
        .map(completed)
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), q| {
            (low.min(q), high.max(q))
        });
    let max_visits = seen().map(|arm| arm.visits).max().unwrap_or(0);
    let sigma = Sigma::new(params, max_visits, low, high);
    out.clear();
    out.extend(
        arms.iter()
            .map(|arm| arm.prior.max(1e-30).ln() + sigma.of(completed(arm))),
    );
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

/// Sequential halving at the root, as a sequence of phases.
///
/// A phase gives each of its survivors the same number of playouts; at its end the better half goes on. All of a
/// phase's playouts are back before the next begins.
#[derive(Clone, Default, Debug)]
pub(crate) struct Halving {
    /// n: the playouts of the whole search.
    budget: u32,
    /// ceil(log2 m), the nominal number of phases; at least 1.
    phases: u32,
    /// Moves considered in this phase; 0 before the first.
    considered: usize,
    /// m.
    start: usize,
    /// Playouts left to start in this phase.
    left: u32,
    /// The moves of this phase (offsets of root edges), best first, and how often each was started in it.
    survivors: Vec<(u32, u32)>,
}

impl Halving {
    /// Sets up for `budget` playouts, with `considered` moves in the first phase (at least 1).
    pub fn reset(&mut self, budget: u32, considered: usize) {
        let phases = considered.next_power_of_two().trailing_zeros().max(1);
        *self = Halving {
            budget,
            phases,
            considered: 0,
            start: considered,
            left: 0,
            survivors: std::mem::take(&mut self.survivors),
        };
        self.survivors.clear();
    }

    /// Goes to the next phase and returns how many moves it considers.
    fn next_phase(&mut self) -> usize {
        self.considered = match self.considered {
            0 => self.start,
            c => (c / 2).max(2).min(self.start),
        };
        let each = self.budget / (self.phases * self.considered as u32);
        self.left = each.max(1) * self.considered as u32;
        self.considered
    }

    /// Counts a playout of the move at `edge` as started.
    pub fn started(&mut self, edge: usize) {
        self.left = self.left.saturating_sub(1);
        if let Some(survivor) = self.survivors.iter_mut().find(|s| s.0 as usize == edge) {
            survivor.1 += 1;
        }
    }

    /// The root move of the next playout, or `None` if results must come back first.
    ///
    /// `rank` fills a list with `g + ln P + sigma(completed Q)` of all root moves, minus infinity for those
    /// that are proven lost.
    pub fn select(
        &mut self,
        in_flight: u32,
        is_lost: impl Fn(u32) -> bool,
        rank: impl Fn(&mut Vec<f32>),
        scores: &mut Vec<f32>,
    ) -> Option<usize> {
        let next = |survivors: &[(u32, u32)]| {
            survivors
                .iter()
                .filter(|s| !is_lost(s.0))
                .min_by_key(|s| s.1)
                .map(|s| s.0 as usize)
        };
        if self.left > 0
            && let Some(edge) = next(&self.survivors)
        {
            return Some(edge);
        }
        if in_flight > 0 {
            return None;
        }
        rank(scores);
        self.survivors.retain(|s| !is_lost(s.0));
        let first = self.considered == 0;
        if self.left == 0 {
            self.next_phase();
        }
        // The first phase chooses from all moves, and so does one whose survivors all turned out lost.
        if first || self.survivors.is_empty() {
            self.survivors.clear();
            self.survivors.extend(
                (0..scores.len() as u32)
                    .filter(|&i| !is_lost(i))
                    .map(|i| (i, 0)),
            );
        }
        let score = |s: &(u32, u32)| scores[s.0 as usize];
        self.survivors.sort_by(|a, b| score(b).total_cmp(&score(a)));
        self.survivors.truncate(self.considered);
        self.survivors.iter_mut().for_each(|s| s.1 = 0);
        next(&self.survivors)
    }
}

/// The root moves as the formulas see them.
pub(crate) fn root_arms<M: Copy + Eq>(tree: &Tree<M>, params: &SearchParams) -> Vec<Arm> {
    let root = tree.node(ROOT);
    let arm = |edge: &Edge<M>| match tree.child(edge) {
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
    tree.edges_of(ROOT).iter().map(arm).collect()
}

/// Fills `out` with the logits of the root's improved policy, minus infinity for moves proven lost while others
/// are not.
pub(crate) fn root_logits<M: Copy + Eq>(tree: &Tree<M>, params: &SearchParams, out: &mut Vec<f32>) {
    let root = tree.node(ROOT);
    let network = root
        .network()
        .map_or(0.0, |wdl| wdl.pov(root.turn).value().0);
    improved_logits(&params.gumbel, network, &root_arms(tree, params), out);
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

    /// (considered, playouts each) of the phases until the budget is spent.
    fn schedule(n: u32, m: usize) -> Vec<(usize, u32)> {
        let mut halving = Halving::default();
        halving.reset(n, m);
        let (mut spent, mut phases) = (0, Vec::new());
        while spent < n {
            let considered = halving.next_phase();
            phases.push((considered, halving.left / considered as u32));
            spent += halving.left;
        }
        phases
    }

    #[test]
    fn the_schedule_is_that_of_the_paper() {
        // By hand: floor(n / (ceil(log2 m) * considered)), at least 1, then half as many, at least 2.
        assert_eq!(
            schedule(200, 16),
            [(16, 3), (8, 6), (4, 12), (2, 25), (2, 25)]
        );
        assert_eq!(schedule(32, 16), [(16, 1), (8, 1), (4, 2)]);
        assert_eq!(schedule(16, 4), [(4, 2), (2, 4)]);
        assert_eq!(schedule(10, 16), [(16, 1)]);
        assert_eq!(schedule(50, 1), [(1, 50)]);
        // m = 6 is no power of two: ceil(log2 6) = 3 phases of 6, 3, then 2 (not 1).
        assert_eq!(schedule(36, 6), [(6, 2), (3, 4), (2, 6)]);
    }

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
        improved_logits(&params, 0.1, &arms, &mut logits);
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
        improved_logits(&params, 0.1, &arms, &mut logits);
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
            let arms: Vec<Arm> = tree.edges_of(1).iter().map(arm).collect();
            let network = node.network().unwrap().pov(node.turn).value().0;
            let mut policy = Vec::new();
            improved_logits(&params.gumbel, network, &arms, &mut policy);
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
