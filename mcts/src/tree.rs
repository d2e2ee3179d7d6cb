//! The tree: nodes and edges in two flat arrays, linked by 32-bit indices.
//!
//! ```text
//! nodes  [ root | n1 | n2 | n3 | ... ]            64 bytes each, made when an edge is first visited
//!           |      `-------------------.
//! edges  [ e0 e1 e2 e3 ... | e0 e1 ... | ... ]    size of a move + 8 bytes each (12 with 32-bit moves),
//!          `--- of root --'  `- of n1 -'          one a legal move, made with their node
//! ```
//!
//! So a leaf with 150 legal moves takes 64 + 150 * 12 = 1,864 bytes; a search of 800 playouts 1.5 MB. Both
//! arrays keep their memory from search to search: in steady state nothing is allocated.
//!
//! **Order of edges.** At the root, the order of the legal move list. Elsewhere the edges with a child come first
//! (`opened` of them), and behind them the one with the largest prior of the rest: selection never looks
//! further, for among unvisited moves the largest prior wins in both algorithms.
//!
//! Statistics are absolute (Black's view), so no sign turns on the way up.

use crate::exp;
use crate::value::{Proof, ValuePov, WdlAbs};
use rules::Color;

/// No child yet.
pub(crate) const NONE: u32 = u32::MAX;
/// The root is always the first node.
pub(crate) const ROOT: u32 = 0;
/// Edges are never allocated beyond this, so that indices fit.
const MAX_EDGES: usize = u32::MAX as usize - 1;

/// One position of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Sum of P(Black wins) over the visits.
    black: f64,
    /// Sum of P(draw) over the visits.
    draw: f64,
    /// Sum of the plies left, seen from this node, over the visits.
    moves_left: f64,
    /// N: evaluations backed up through this node, its own among them.
    pub visits: u32,
    /// Descents through this node that wait for their evaluation (virtual loss by counting).
    pub in_flight: u32,
    /// First edge.
    edges: u32,
    /// Number of edges: legal moves, or 0 where the game is over or a move wins at once.
    pub count: u32,
    /// Edges with a child; they come first (not at the root).
    pub opened: u32,
    /// The network's P(Black wins); meaningless until `evaluated`.
    net_black: f32,
    /// The network's P(draw).
    net_draw: f32,
    /// The certain result, if known.
    pub proof: Option<Proof>,
    /// Side to move.
    pub turn: Color,
    /// Whether the network's answer has arrived: priors and value are set.
    pub evaluated: bool,
}

/// One legal move of a node.
#[derive(Clone, Debug)]
pub(crate) struct Edge<M> {
    /// P: the network's probability, before any noise; 0 until the node is evaluated.
    pub prior: f32,
    /// The node it leads to, or [`NONE`].
    pub child: u32,
    /// The move.
    pub mv: M,
}

// What the module documentation and docs/search.md promise.
const _: () = assert!(size_of::<Node>() == 64);
const _: () = assert!(size_of::<Edge<u32>>() == 12);

impl Node {
    fn new(turn: Color) -> Node {
        Node {
            black: 0.0,
            draw: 0.0,
            moves_left: 0.0,
            visits: 0,
            in_flight: 0,
            edges: 0,
            count: 0,
            opened: 0,
            net_black: 0.0,
            net_draw: 0.0,
            proof: None,
            turn,
            evaluated: false,
        }
    }

    /// Indices of the edges.
    pub fn edges(&self) -> std::ops::Range<usize> {
        self.edges as usize..self.edges as usize + self.count as usize
    }

    /// Adds one visit.
    pub fn add(&mut self, wdl: WdlAbs, moves_left: f32) {
        self.visits += 1;
        self.black += f64::from(wdl.black);
        self.draw += f64::from(wdl.draw);
        self.moves_left += f64::from(moves_left);
    }

    /// The result if proven, else the mean over the visits; `None` without any.
    pub fn wdl(&self) -> Option<WdlAbs> {
        if let Some(proof) = self.proof {
            return Some(proof.wdl());
        }
        let n = f64::from(self.visits);
        (self.visits > 0).then(|| WdlAbs {
            black: (self.black / n) as f32,
            draw: (self.draw / n) as f32,
            white: ((n - self.black - self.draw) / n).max(0.0) as f32,
        })
    }

    /// Q: win - loss of [`wdl`](Self::wdl), seen by `turn`.
    #[inline]
    pub fn value(&self, turn: Color) -> Option<ValuePov> {
        if let Some(proof) = self.proof {
            return Some(proof.wdl().pov(turn).value());
        }
        if self.visits == 0 {
            return None;
        }
        let n = f64::from(self.visits);
        let black = ((2.0 * self.black + self.draw - n) / n) as f32;
        Some(ValuePov(match turn {
            Color::Black => black,
            Color::White => -black,
        }))
    }

    /// Mean of the plies left from here; `None` without visits.
    pub fn moves_left(&self) -> Option<f32> {
        match self.proof {
            Some(Proof::Win { plies, .. }) => Some(f32::from(plies)),
            _ => (self.visits > 0).then(|| (self.moves_left / f64::from(self.visits)) as f32),
        }
    }

    /// What the network said, if it was asked.
    pub fn network(&self) -> Option<WdlAbs> {
        self.evaluated.then(|| WdlAbs {
            black: self.net_black,
            draw: self.net_draw,
            white: (1.0 - self.net_black - self.net_draw).max(0.0),
        })
    }
}

/// The arena.
#[derive(Clone, Debug)]
pub(crate) struct Tree<M> {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge<M>>,
    scratch: Vec<f32>,
}

impl<M: Copy + Eq> Tree<M> {
    pub fn new() -> Self {
        Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Drops all but an empty root; keeps the memory.
    pub fn reset(&mut self, turn: Color) {
        self.nodes.clear();
        self.edges.clear();
        self.nodes.push(Node::new(turn));
    }

    #[inline]
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline]
    pub fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// The edges of a node.
    #[inline]
    pub fn edges_of(&self, index: u32) -> &[Edge<M>] {
        &self.edges[self.node(index).edges()]
    }

    /// The child behind an edge.
    #[inline]
    pub fn child(&self, edge: &Edge<M>) -> Option<&Node> {
        (edge.child != NONE).then(|| self.node(edge.child))
    }

    /// Whether there is no room for one more node with `moves` edges.
    pub fn is_full(&self, moves: usize) -> bool {
        self.edges.len() + moves > MAX_EDGES || self.nodes.len() >= NONE as usize
    }

    /// Makes the child of edge `edge` (index into all edges) of `parent`. Not for a second time.
    pub fn add_child(&mut self, parent: u32, edge: usize, turn: Color) -> u32 {
        let index = self.nodes.len() as u32;
        debug_assert_eq!(self.edges[edge].child, NONE);
        self.nodes.push(Node::new(turn));
        self.edges[edge].child = index;
        self.node_mut(parent).opened += 1;
        if parent != ROOT {
            self.raise_best(parent);
        }
        index
    }

    /// Gives a node its edges, without priors.
    pub fn add_edges(&mut self, index: u32, moves: &[M]) {
        let start = self.edges.len();
        self.edges.extend(moves.iter().map(|&mv| Edge {
            prior: 0.0,
            child: NONE,
            mv,
        }));
        let node = self.node_mut(index);
        (node.edges, node.count) = (start as u32, moves.len() as u32);
    }

    /// Sets priors (softmax of the logits, in the order of the edges) and the network's value. Returns false,
    /// and changes nothing that matters, if the logits are not finite or not as many as the edges.
    #[must_use]
    pub fn evaluate(&mut self, index: u32, logits: &[f32], wdl: WdlAbs) -> bool {
        let range = self.node(index).edges();
        if logits.len() != range.len() {
            return false;
        }
        let max = exp::max(logits);
        if !exp::sum(logits).is_finite() {
            return false;
        }
        self.scratch.clear();
        self.scratch.extend(logits.iter().map(|logit| logit - max));
        exp::exp_in_place(&mut self.scratch);
        let scale = 1.0 / exp::sum(&self.scratch);
        for (edge, p) in self.edges[range].iter_mut().zip(&self.scratch) {
            edge.prior = p * scale;
        }
        let node = self.node_mut(index);
        (node.net_black, node.net_draw, node.evaluated) = (wdl.black, wdl.draw, true);
        if index != ROOT {
            self.raise_best(index);
        }
        true
    }

    /// Brings the unopened edge with the largest prior to the front of the unopened ones.
    fn raise_best(&mut self, index: u32) {
        let node = self.node(index);
        let first = node.opened as usize;
        let range = node.edges();
        let rest = &mut self.edges[range][first..];
        let mut best = (0, f32::NEG_INFINITY);
        for (i, edge) in rest.iter().enumerate() {
            if edge.prior > best.1 {
                best = (i, edge.prior);
            }
        }
        if best.0 != 0 {
            rest.swap(0, best.0);
        }
    }

    /// Brings the root's edges into the order of `legal`. Returns false if the moves are not the same.
    pub fn order_root(&mut self, legal: &[M]) -> bool
    where
        M: Ord,
    {
        let range = self.node(ROOT).edges();
        let edges = &mut self.edges[range];
        if edges.len() != legal.len() {
            return false;
        }
        let mut order: Vec<usize> = (0..legal.len()).collect();
        order.sort_unstable_by_key(|&i| legal[i]);
        edges.sort_unstable_by_key(|edge| edge.mv);
        if order
            .iter()
            .zip(edges.iter())
            .any(|(&i, edge)| legal[i] != edge.mv)
        {
            return false;
        }
        let sorted = edges.to_vec();
        for (&i, edge) in order.iter().zip(sorted) {
            edges[i] = edge;
        }
        true
    }

    /// Copies the part below `root` into `into`, which is emptied first.
    pub fn copy_subtree(&self, root: u32, into: &mut Tree<M>) {
        into.nodes.clear();
        into.edges.clear();
        into.nodes.push(self.node(root).clone());
        let mut next = 0;
        while next < into.nodes.len() {
            let old = into.nodes[next].edges();
            into.nodes[next].edges = into.edges.len() as u32;
            for edge in &self.edges[old] {
                let mut edge = edge.clone();
                if edge.child != NONE {
                    let child = into.nodes.len() as u32;
                    into.nodes.push(self.node(edge.child).clone());
                    edge.child = child;
                }
                into.edges.push(edge);
            }
            next += 1;
        }
    }

    /// Bytes in use by nodes and edges.
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.edges.as_slice())
    }

    /// Looks for anything that can not be: counts that do not add up, values out of range, bad order.
    pub fn check(&self) -> Result<(), String> {
        let mut reached = 1;
        for (i, node) in self.nodes.iter().enumerate() {
            let fail = |what: String| Err(format!("node {i}: {what}"));
            let edges = &self.edges[node.edges()];
            let children = || edges.iter().filter_map(|edge| self.child(edge));
            let opened = children().count();
            reached += opened;
            if opened != node.opened as usize {
                return fail(format!("{opened} children, {} counted", node.opened));
            }
            let unopened = |e: &Edge<M>| e.child == NONE;
            if i != 0 {
                let (front, rest) = edges.split_at(opened);
                if front.iter().any(unopened) {
                    return fail("an unopened edge among the opened".into());
                }
                if node.evaluated && rest.iter().any(|edge| edge.prior > rest[0].prior) {
                    return fail("the best unopened edge is not the first".into());
                }
            }
            let below: u64 = children().map(|child| u64::from(child.visits)).sum();
            let own = u64::from(node.evaluated);
            let visits = u64::from(node.visits);
            if node.proof.is_none() && visits != below + own || visits < below {
                return fail(format!(
                    "{visits} visits, {below} below and {own} of its own"
                ));
            }
            let flying: u64 = children().map(|child| u64::from(child.in_flight)).sum();
            if flying > u64::from(node.in_flight) {
                return fail(format!("{} in flight, {flying} below", node.in_flight));
            }
            if node.evaluated {
                let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
                if (sum - 1.0).abs() > 1e-3 {
                    return fail(format!("priors add up to {sum}"));
                }
            }
            if let Some(wdl) = node.wdl()
                && ![wdl.black, wdl.draw, wdl.white]
                    .iter()
                    .all(|p| (-1e-4..=1.0001).contains(p))
            {
                return fail(format!("value {wdl:?}"));
            }
        }
        if reached != self.nodes.len() {
            return Err(format!("{reached} nodes reachable of {}", self.nodes.len()));
        }
        Ok(())
    }
}
