//! One search of one tree: its beginning, its state, and the way to the next position of the game.
//!
//! What happens in between is in `playout`. The search knows no tensor, no clock and no other game; whoever calls
//! it batches over many searches.

use crate::halving::Halving;
use crate::params::{Algorithm, ParamError, SearchParams};
use crate::tree::{NONE, ROOT, Tree};
use crate::value::Proof;
use crate::{puct, random, solver};
use rand::Rng;
use rules::{Outcome, Position};

/// A search that cannot begin.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum StartError {
    /// There is nothing to search.
    #[error("the game is over: {0:?}")]
    GameOver(Outcome),
    /// A setting is out of range.
    #[error("search settings: {0}")]
    Params(#[from] ParamError),
}

/// A move that [`Search::advance`] cannot play.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not legal in the position of the search")]
pub struct IllegalMove(pub String);

/// A path from the root to a leaf in flight.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pending {
    /// Node indices; empty if the slot is free.
    pub path: Vec<u32>,
    pub serial: u32,
}

/// A tree, the position at its root, and the state of the search in progress.
///
/// Nothing is allocated per playout once the buffers have grown. `play` and `undo` on the one position lead down
/// and up; it is never cloned by playouts.
#[derive(Clone, Debug)]
pub struct Search<P: Position> {
    pub(crate) position: P,
    pub(crate) tree: Tree<P::Move>,
    /// Where [`advance`](Self::advance) copies to.
    pub(crate) spare: Tree<P::Move>,
    pub(crate) params: SearchParams,
    /// Playouts this search may start.
    pub(crate) budget: u32,
    pub(crate) started: u32,
    pub(crate) done: u32,
    /// Whether a search was started on this root and the game goes on.
    pub(crate) ready: bool,
    /// Set when the arena has no room left.
    pub(crate) full: bool,
    /// Gumbel noise of the root moves.
    pub(crate) noise: Vec<f32>,
    /// Root prior with temperature and noise (PUCT); empty until the root is evaluated.
    pub(crate) root_prior: Vec<f32>,
    /// Playouts of this search by root move.
    pub(crate) played: Vec<u32>,
    pub(crate) halving: Halving,
    pub(crate) pending: Vec<Pending>,
    pub(crate) free: Vec<u32>,
    pub(crate) serial: u32,
    pub(crate) path: Vec<u32>,
    pub(crate) moves: Vec<P::Move>,
    pub(crate) scratch: Vec<f32>,
}

impl<P: Position> Search<P> {
    /// A search at `position`; call [`resume`](Self::resume) to begin.
    pub fn new(position: P) -> Self {
        let mut tree = Tree::new();
        tree.reset(position.turn());
        Search {
            position,
            tree,
            spare: Tree::new(),
            params: SearchParams::default(),
            budget: 0,
            started: 0,
            done: 0,
            ready: false,
            full: false,
            noise: Vec::new(),
            root_prior: Vec::new(),
            played: Vec::new(),
            halving: Halving::default(),
            pending: Vec::new(),
            free: Vec::new(),
            serial: 0,
            path: Vec::new(),
            moves: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Begins a search of `visits` playouts from `position` with an empty tree. Leaves still in flight are
    /// forgotten. `visits` stands in for `params.visits` (full and fast searches differ in it).
    ///
    /// # Errors
    /// As [`resume`](Self::resume).
    pub fn start<R: Rng + ?Sized>(
        &mut self,
        position: P,
        params: &SearchParams,
        visits: u32,
        rng: &mut R,
    ) -> Result<(), StartError> {
        self.abandon();
        self.position = position;
        self.tree.reset(self.position.turn());
        self.resume(params, visits, rng)
    }

    /// Begins a search of `visits` more playouts, keeping the tree below the present position. Leaves still in
    /// flight are forgotten.
    ///
    /// The legal moves are generated anew. Should they not be those of the tree, the tree is dropped: legality
    /// depends on the path where repetition is forbidden.
    ///
    /// # Errors
    /// [`StartError`] if the game is over or a setting is out of range.
    pub fn resume<R: Rng + ?Sized>(
        &mut self,
        params: &SearchParams,
        visits: u32,
        rng: &mut R,
    ) -> Result<(), StartError> {
        params.check()?;
        self.abandon();
        self.ready = false;
        if let Some(outcome) = self.position.early_outcome() {
            return Err(StartError::GameOver(outcome));
        }
        self.position.legal_moves(&mut self.moves);
        if self.moves.is_empty() {
            return Err(StartError::GameOver(self.position.no_moves_outcome()));
        }
        let legal = self.moves.len();
        if self.tree.node(ROOT).count > 0 && !self.tree.order_root(&self.moves) {
            self.tree.reset(self.position.turn());
        }
        if self.tree.node(ROOT).count == 0 {
            self.tree.add_edges(ROOT, &self.moves);
        }
        self.params = params.clone();
        self.prove_root();
        (self.started, self.done) = (0, 0);
        (self.ready, self.full) = (true, false);
        self.budget = params.scaled_visits(visits, legal);
        self.played.clear();
        self.played.resize(legal, 0);
        self.root_prior.clear();
        match params.algorithm {
            Algorithm::Gumbel => {
                random::gumbel(rng, legal, params.gumbel.gumbel_scale, &mut self.noise);
                self.halving
                    .reset(self.budget, params.scaled_considered(legal));
            }
            Algorithm::Puct if params.puct.noise_fraction > 0.0 => {
                let alpha = f64::from(params.puct.noise_total) / legal as f64;
                random::dirichlet(rng, legal, alpha, &mut self.noise);
            }
            Algorithm::Puct => self.noise.clear(),
        }
        self.set_root_prior();
        Ok(())
    }

    /// Makes the root prior of PUCT, once the root is evaluated.
    pub(crate) fn set_root_prior(&mut self) {
        if self.params.algorithm == Algorithm::Puct && self.tree.node(ROOT).evaluated {
            let edges = self.tree.edges_of(ROOT);
            puct::root_prior(&self.params.puct, edges, &self.noise, &mut self.root_prior);
        }
    }

    /// Proves the root by a move that wins at once, or by what is known of its children.
    fn prove_root(&mut self) {
        if !self.params.solver {
            return;
        }
        let turn = self.position.turn();
        for edge in self.tree.node(ROOT).edges() {
            let mut child = self.tree.edges[edge].child;
            if self.position.wins_at_once(self.tree.edges[edge].mv) {
                if child == NONE {
                    child = self.tree.add_child(ROOT, edge, turn.opponent());
                }
                self.tree.node_mut(child).proof = Some(Proof::Win {
                    winner: turn,
                    plies: 0,
                });
                self.tree.node_mut(ROOT).proof = Some(Proof::Win {
                    winner: turn,
                    plies: 1,
                });
            } else if child != NONE
                && self.tree.node(ROOT).proof.is_none()
                && let Some(proof) = self.tree.node(child).proof
            {
                self.tree.node_mut(ROOT).proof = solver::prove(&self.tree, ROOT, proof);
            }
        }
    }

    /// Forgets all leaves in flight; their tickets are void. After an evaluator's error this makes the search
    /// usable again.
    pub fn abandon(&mut self) {
        for (slot, pending) in self.pending.iter_mut().enumerate() {
            if !pending.path.is_empty() {
                for &index in &pending.path {
                    self.tree.nodes[index as usize].in_flight -= 1;
                }
                pending.path.clear();
                self.free.push(slot as u32);
                if self.started > self.done {
                    self.started -= 1;
                }
            }
        }
    }

    /// Plays `mv` at the root and keeps the tree below it; returns its N. Leaves in flight are forgotten. Call
    /// [`resume`](Self::resume) to search on.
    ///
    /// # Errors
    /// [`IllegalMove`]; nothing is changed then.
    pub fn advance(&mut self, mv: P::Move) -> Result<u32, IllegalMove> {
        let edge = self
            .tree
            .edges_of(ROOT)
            .iter()
            .find(|edge| edge.mv == mv)
            .map(|edge| edge.child);
        if edge.is_none() && !self.position.is_legal(mv) {
            return Err(IllegalMove(mv.to_string()));
        }
        self.abandon();
        self.ready = false;
        self.position.play(mv);
        match edge {
            Some(child) if child != NONE => {
                self.tree.copy_subtree(child, &mut self.spare);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            _ => self.tree.reset(self.position.turn()),
        }
        Ok(self.tree.node(ROOT).visits)
    }

    /// The position at the root.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// Playouts of this search that are backed up.
    pub fn playouts(&self) -> u32 {
        self.done
    }

    /// Playouts of this search that wait for an evaluation.
    pub fn in_flight(&self) -> u32 {
        self.tree.node(ROOT).in_flight
    }

    /// N of the root, visits of earlier searches of this tree included.
    pub fn visits(&self) -> u32 {
        self.tree.node(ROOT).visits
    }

    /// Nodes in the tree.
    pub fn nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Bytes in use by the tree.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Looks for contradictions in the tree. For tests: it visits every node and edge.
    ///
    /// # Errors
    /// A description of the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        self.tree.check()
    }
}
