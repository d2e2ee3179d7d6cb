//! Reads the result off the tree.

use crate::params::Algorithm;
use crate::result::{MoveStats, SearchResult};
use crate::search::Search;
use crate::select::is_lost;
use crate::tree::{Edge, ROOT};
use crate::value::{Proof, WdlPov};
use crate::{gumbel, puct};
use rules::Position;
use std::cmp::Ordering;

impl<P: Position> Search<P> {
    /// What the search has found so far; `None` before a successful start.
    ///
    /// The target policy: of Gumbel the improved policy `softmax(ln P + sigma(completed Q))`, of PUCT the visits
    /// without the forced ones; moves proven lost get 0. Once the root is proven: the quickest winning moves in
    /// equal shares; without a win the drawing moves, or the longest losing ones, in proportion to P.
    pub fn result(&self) -> Option<SearchResult<P::Move>> {
        if !self.ready {
            return None;
        }
        let root = self.tree.node(ROOT);
        let edges = self.tree.edges_of(ROOT);
        let policy = self.target_policy();
        let best = self.best_edge();
        let uniform = 1.0 / edges.len() as f32;
        let stats = |(edge, policy): (&Edge<P::Move>, f32)| {
            let child = self.tree.child(edge);
            MoveStats {
                mv: edge.mv,
                prior: if root.evaluated { edge.prior } else { uniform },
                policy,
                visits: child.map_or(0, |child| child.visits),
                wdl: child
                    .and_then(|child| child.wdl())
                    .map(|wdl| wdl.pov(root.turn)),
                moves_left: child.and_then(|child| child.moves_left()),
                proof: child
                    .and_then(|child| child.proof)
                    .map(|proof| proof.pov(root.turn)),
            }
        };
        Some(SearchResult {
            best: edges[best].mv,
            moves: edges.iter().zip(policy).map(stats).collect(),
            value: root.wdl().map_or(
                WdlPov {
                    win: 0.0,
                    draw: 1.0,
                    loss: 0.0,
                },
                |wdl| wdl.pov(root.turn),
            ),
            network: root.network().map(|wdl| wdl.pov(root.turn)),
            moves_left: root.moves_left().unwrap_or(0.0),
            proof: root.proof.map(|proof| proof.pov(root.turn)),
            pv: self.pv(best),
            playouts: self.done,
            visits: root.visits,
        })
    }

    /// Root moves that keep the proven result of the root, in the best way.
    fn keeps_proof(&self, proof: Proof, edge: &Edge<P::Move>) -> bool {
        let child = self.tree.child(edge).and_then(|child| child.proof);
        child.is_some_and(|child| child.one_ply_earlier() == proof)
    }

    /// One weight a root move, sum 1.
    fn target_policy(&self) -> Vec<f32> {
        let root = self.tree.node(ROOT);
        let edges = self.tree.edges_of(ROOT);
        let mut policy = Vec::with_capacity(edges.len());
        match root.proof {
            Some(proof) => {
                let equal = proof.wins(root.turn) || !root.evaluated;
                policy.extend(
                    edges
                        .iter()
                        .map(|edge| match self.keeps_proof(proof, edge) {
                            true if equal => 1.0,
                            true => edge.prior.max(1e-30),
                            false => 0.0,
                        }),
                );
            }
            None if !root.evaluated => policy.resize(edges.len(), 1.0),
            None => match self.params.algorithm {
                Algorithm::Gumbel => {
                    gumbel::root_logits(&self.tree, &self.params, &mut policy);
                    gumbel::softmax(&mut policy);
                }
                Algorithm::Puct => {
                    puct::pruned_visits(&self.tree, &self.params, &self.root_prior, &mut policy);
                    if policy.iter().all(|&visits| visits == 0.0) {
                        policy.clear();
                        policy.extend(edges.iter().map(|edge| edge.prior));
                    }
                }
            },
        }
        let sum: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|p| *p /= sum);
        policy
    }

    /// The offset of the move to play.
    fn best_edge(&self) -> usize {
        let root = self.tree.node(ROOT);
        let edges = self.tree.edges_of(ROOT);
        let lost = |i: usize| {
            self.params.solver
                && self
                    .tree
                    .child(&edges[i])
                    .is_some_and(|child| is_lost(root, child))
        };
        let prior = |a: usize, b: usize| edges[a].prior.total_cmp(&edges[b].prior);
        let visits = |i: usize| self.tree.child(&edges[i]).map_or(0, |child| child.visits);
        let mut scores = Vec::new();
        if root.proof.is_none() && root.evaluated && self.params.algorithm == Algorithm::Gumbel {
            gumbel::root_logits(&self.tree, &self.params, &mut scores);
            scores
                .iter_mut()
                .zip(&self.noise)
                .for_each(|(score, g)| *score += g);
        }
        let order = |&a: &usize, &b: &usize| -> Ordering {
            let better = match root.proof {
                Some(proof) => {
                    let keeps = |i: usize| self.keeps_proof(proof, &edges[i]);
                    keeps(a).cmp(&keeps(b)).then(prior(a, b))
                }
                None if !root.evaluated => Ordering::Equal,
                None => (!lost(a))
                    .cmp(&!lost(b))
                    .then_with(|| match self.params.algorithm {
                        Algorithm::Gumbel => self.played[a]
                            .cmp(&self.played[b])
                            .then(scores[a].total_cmp(&scores[b])),
                        Algorithm::Puct => visits(a).cmp(&visits(b)).then(prior(a, b)),
                    }),
            };
            better.then(b.cmp(&a)) // the first of equals
        };
        (0..edges.len()).max_by(order).unwrap_or(0)
    }

    /// The line that begins with the root move `mv`, as in [`SearchResult::pv`]; `None` if that is no root move.
    pub fn line(&self, mv: P::Move) -> Option<Vec<P::Move>> {
        let edges = self.tree.edges_of(ROOT);
        edges
            .iter()
            .position(|edge| edge.mv == mv)
            .map(|first| self.pv(first))
    }

    /// The principal variation that begins with root move `first`: the moves that keep a proof, else the most
    /// visited ones.
    fn pv(&self, first: usize) -> Vec<P::Move> {
        let mut edge = &self.tree.edges_of(ROOT)[first];
        let mut pv = vec![edge.mv];
        while let Some(node) = self.tree.child(edge) {
            let edges = &self.tree.edges[node.edges()];
            let better = |a: &&Edge<P::Move>, b: &&Edge<P::Move>| {
                let keeps =
                    |e: &Edge<P::Move>| node.proof.is_some_and(|proof| self.keeps_proof(proof, e));
                let visits = |e: &Edge<P::Move>| self.tree.child(e).map_or(0, |child| child.visits);
                keeps(a)
                    .cmp(&keeps(b))
                    .then(visits(a).cmp(&visits(b)))
                    .then(a.prior.total_cmp(&b.prior))
            };
            let next = edges
                .iter()
                .filter(|e| self.tree.child(e).is_some())
                .max_by(better);
            let Some(next) = next else {
                // A node in which some move wins at once has no edges: the move is found again.
                if node
                    .proof
                    .is_some_and(|proof| proof.wins(node.turn) && proof.plies() == 1)
                {
                    pv.extend(self.winning_move(&pv));
                }
                break;
            };
            edge = next;
            pv.push(edge.mv);
        }
        pv
    }

    /// A move that wins at once after `line`.
    fn winning_move(&self, line: &[P::Move]) -> Option<P::Move> {
        let mut position = self.position.clone();
        line.iter().for_each(|&mv| position.play(mv));
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().find(|&mv| position.wins_at_once(mv))
    }
}
