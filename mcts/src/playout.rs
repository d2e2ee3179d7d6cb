//! One playout: gather a leaf, have it evaluated, apply the answer. In numbered steps.

use crate::evaluator::{EvalError, Evaluations, LeafEvaluator};
use crate::params::Algorithm;
use crate::search::{Pending, Search};
use crate::tree::{NONE, ROOT};
use crate::value::{Proof, WdlAbs, WdlPov};
use crate::{gumbel, puct, select, solver};
use rules::Position;

/// A leaf that waits for its evaluation. Give it back to [`Search::apply`].
#[derive(PartialEq, Eq, Debug)]
#[must_use = "a leaf in flight holds its path until it is applied"]
pub struct Ticket {
    slot: u32,
    serial: u32,
}

/// What [`Search::gather`] did.
#[derive(PartialEq, Eq, Debug)]
#[must_use]
pub enum Step {
    /// A leaf was pushed to the evaluator.
    Leaf(Ticket),
    /// A playout ended at a known result and was backed up at once. Gather again.
    Backed,
    /// The next playout needs answers that are in flight. Apply them, then gather again.
    Busy,
    /// The budget is spent, the root is proven, or the tree is full. Leaves in flight may still be applied.
    Finished,
}

impl<P: Position> Search<P> {
    /// Starts one playout and pushes its leaf to `evaluator`, unless the result is known. The first leaf of a
    /// fresh tree is the root itself, which is no playout and not counted.
    pub fn gather<E: LeafEvaluator<P> + ?Sized>(&mut self, evaluator: &mut E) -> Step {
        let root = self.tree.node(ROOT);
        if !self.ready || root.proof.is_some() || self.full {
            return Step::Finished;
        }
        self.path.clear();
        self.path.push(ROOT);
        // Step 1. The root needs its evaluation first.
        if !root.evaluated {
            if root.in_flight > 0 {
                return Step::Busy;
            }
            return self.request(ROOT, evaluator);
        }
        if self.started >= self.budget {
            return Step::Finished;
        }
        let Some(root_edge) = self.select_root() else {
            return Step::Busy;
        };

        // Step 2. Descend to a node that has no evaluation, or whose result is known.
        let mut edge = self.tree.node(ROOT).edges().start + root_edge;
        let step = loop {
            let parent = self.path[self.path.len() - 1];
            self.position.play(self.tree.edges[edge].mv);
            let child = self.tree.edges[edge].child;
            if child == NONE {
                break self.expand(parent, edge, evaluator);
            }
            self.path.push(child);
            let node = self.tree.node(child);
            if node.proof.is_some() {
                break Step::Backed;
            }
            if !node.evaluated {
                if node.in_flight > 0 {
                    break Step::Busy;
                }
                break self.request(child, evaluator);
            }
            edge = node.edges().start + self.select_inside(child);
        };
        for _ in 1..self.path.len() {
            self.position.undo();
        }

        // Step 3. Count it, and back up what is known.
        match step {
            Step::Busy => return Step::Busy,
            Step::Finished => {
                self.full = true;
                return Step::Finished;
            }
            Step::Backed => {
                let path = std::mem::take(&mut self.path);
                self.back_up(&path, None);
                self.path = path;
                self.done += 1;
            }
            Step::Leaf(_) => {}
        }
        self.started += 1;
        self.played[root_edge] += 1;
        if self.params.algorithm == Algorithm::Gumbel {
            self.halving.started(root_edge);
        }
        step
    }

    /// Makes the child behind `edge` of `parent`, where the position stands now, and adds it to the path.
    fn expand<E: LeafEvaluator<P> + ?Sized>(
        &mut self,
        parent: u32,
        edge: usize,
        evaluator: &mut E,
    ) -> Step {
        let turn = self.position.turn();
        let mut proof = self.position.early_outcome().map(Proof::of_outcome);
        self.moves.clear();
        if proof.is_none() {
            self.position.legal_moves(&mut self.moves);
            if self.moves.is_empty() {
                proof = Some(Proof::of_outcome(self.position.no_moves_outcome()));
            } else if self.params.solver
                && self.moves.iter().any(|&mv| self.position.wins_at_once(mv))
            {
                proof = Some(Proof::Win {
                    winner: turn,
                    plies: 1,
                });
            }
        }
        if self.tree.is_full(self.moves.len()) {
            self.path.push(NONE); // keeps the count of undos right; a search that is full reads no path
            return Step::Finished;
        }
        let child = self.tree.add_child(parent, edge, turn);
        self.path.push(child);
        if proof.is_some() {
            self.tree.node_mut(child).proof = proof;
            return Step::Backed;
        }
        self.tree.add_edges(child, &self.moves);
        self.send(evaluator)
    }

    /// Asks for the evaluation of a node that has its edges, but no evaluation.
    fn request<E: LeafEvaluator<P> + ?Sized>(&mut self, index: u32, evaluator: &mut E) -> Step {
        self.moves.clear();
        self.moves
            .extend(self.tree.edges_of(index).iter().map(|edge| edge.mv));
        self.send(evaluator)
    }

    /// Pushes the position with `self.moves` and keeps the path until the answer comes.
    fn send<E: LeafEvaluator<P> + ?Sized>(&mut self, evaluator: &mut E) -> Step {
        evaluator.push(&self.position, &self.moves);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.pending.push(Pending::default());
            self.pending.len() as u32 - 1
        });
        self.serial = self.serial.wrapping_add(1);
        let pending = &mut self.pending[slot as usize];
        pending.serial = self.serial;
        pending.path.extend_from_slice(&self.path);
        for &index in &self.path {
            self.tree.nodes[index as usize].in_flight += 1;
        }
        Step::Leaf(Ticket {
            slot,
            serial: self.serial,
        })
    }

    /// The root move of the next playout, or `None` if answers must come first.
    fn select_root(&mut self) -> Option<usize> {
        let Search {
            tree,
            params,
            noise,
            root_prior,
            halving,
            scratch,
            ..
        } = self;
        let root = tree.node(ROOT);
        match params.algorithm {
            Algorithm::Gumbel => {
                let edges = tree.edges_of(ROOT);
                let is_lost = |i: u32| {
                    params.solver
                        && tree
                            .child(&edges[i as usize])
                            .is_some_and(|child| select::is_lost(root, child))
                };
                let rank = |scores: &mut Vec<f32>| {
                    gumbel::root_logits(tree, params, scores);
                    scores
                        .iter_mut()
                        .zip(noise.iter())
                        .for_each(|(score, g)| *score += g);
                };
                halving.select(root.in_flight, is_lost, rank, scratch)
            }
            Algorithm::Puct => Some(puct::select(tree, ROOT, params, Some(root_prior))),
        }
    }

    /// The edge to follow from a node below the root, as offset among its edges.
    fn select_inside(&mut self, index: u32) -> usize {
        match self.params.algorithm {
            Algorithm::Gumbel => gumbel::select(&self.tree, index, &self.params, &mut self.scratch),
            Algorithm::Puct => puct::select(&self.tree, index, &self.params, None),
        }
    }

    /// Expands the ticket's leaf with answer `i` of `evaluations`, and backs up its value.
    ///
    /// # Errors
    /// [`EvalError`] if the ticket is not of a leaf in flight, the answer has another number of moves, or is
    /// not finite. The leaf is then no longer in flight, and may be gathered again.
    pub fn apply(
        &mut self,
        ticket: Ticket,
        evaluations: &Evaluations,
        i: usize,
    ) -> Result<(), EvalError> {
        let pending = self.pending.get_mut(ticket.slot as usize);
        let Some(pending) = pending.filter(|p| p.serial == ticket.serial && !p.path.is_empty())
        else {
            return Err(EvalError(
                "this leaf is not in flight, its search was started anew".into(),
            ));
        };
        // Step 4. No longer in flight.
        let mut path = std::mem::take(&mut pending.path);
        for &index in &path {
            self.tree.node_mut(index).in_flight -= 1;
        }
        let leaf = path[path.len() - 1];
        // Step 5. Priors and value.
        let result = self.evaluate(leaf, evaluations, i);
        // Step 6. Back up.
        let playout = u32::from(path.len() > 1);
        match result {
            Ok(answer) => {
                self.back_up(&path, Some(answer));
                self.done += playout;
            }
            Err(_) => self.started -= playout,
        }
        path.clear();
        self.pending[ticket.slot as usize].path = path;
        self.free.push(ticket.slot);
        result.map(|_| ())
    }

    /// Writes an answer into a leaf; returns the value and the plies left.
    fn evaluate(
        &mut self,
        leaf: u32,
        evaluations: &Evaluations,
        i: usize,
    ) -> Result<(WdlAbs, f32), EvalError> {
        if i >= evaluations.len() {
            return Err(EvalError(format!(
                "answer {i} of {} asked for",
                evaluations.len()
            )));
        }
        let wdl = WdlPov::from_array(evaluations.wdl[i]);
        let moves_left = evaluations.moves_left[i];
        let sum = wdl.win + wdl.draw + wdl.loss;
        let probability = |p: f32| (0.0..=1.0 + 1e-3).contains(&p);
        if !evaluations.wdl[i].iter().all(|&p| probability(p)) || (sum - 1.0).abs() > 1e-3 {
            return Err(EvalError(format!(
                "(win, draw, loss) = {:?} are no probabilities",
                evaluations.wdl[i]
            )));
        }
        if !moves_left.is_finite() {
            return Err(EvalError(format!("moves left = {moves_left}")));
        }
        let wdl = wdl.abs(self.tree.node(leaf).turn);
        if !self.tree.evaluate(leaf, evaluations.logits(i), wdl) {
            return Err(EvalError(format!(
                "{} logits, {} legal moves, or some logit is not finite",
                evaluations.logits(i).len(),
                self.tree.node(leaf).count
            )));
        }
        if leaf == ROOT {
            self.set_root_prior();
        }
        Ok((wdl, moves_left))
    }

    /// Adds one visit to every node of the path, with `answer` at its end or the leaf's known result, and proves
    /// what can be proven on the way.
    fn back_up(&mut self, path: &[u32], answer: Option<(WdlAbs, f32)>) {
        let leaf = self.tree.node(path[path.len() - 1]);
        let mut proven = leaf.proof;
        let known = |proof: Proof| (proof.wdl(), f32::from(proof.plies()));
        let (mut wdl, mut moves_left) = proven
            .map(known)
            .or(answer)
            .expect("a leaf has an answer or a known result");
        for (i, &index) in path.iter().enumerate().rev() {
            if i + 1 < path.len()
                && let Some(child) = proven
            {
                let own = self.tree.node(index).proof;
                proven = own.or_else(|| {
                    self.params
                        .solver
                        .then(|| solver::prove(&self.tree, index, child))
                        .flatten()
                });
                if let Some(proof) = proven {
                    self.tree.node_mut(index).proof = Some(proof);
                    (wdl, moves_left) = known(proof);
                }
            }
            self.tree.node_mut(index).add(wdl, moves_left);
            moves_left += 1.0;
        }
    }
}
