//! Alpha-beta search for both games: iterative deepening, principal variation search, transposition table, quiescence.
//!
//! Deterministic for given depth or nodes on one thread after [`AlphaBeta::clear`]. More threads search the same tree with
//! a shared table ("lazy SMP"). Repetition is the rules' business: where they forbid it, the move is not in the list, and a
//! table move is only tried if it is legal.
//!
//! Scores are centipawns for the side to move; `MATE - n` is a win in `n` plies. What is where: `worker` deepens,
//! `node` and `quiesce` are the tree, `order` chooses the next move, `table` remembers, `limits` ends it.

mod limits;
mod node;
mod order;
mod quiesce;
mod table;
mod worker;

pub use limits::{Clock, Limits};

use crate::Material;
use rules::score::Score;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use table::Table;
use worker::{Worker, no_thought};

/// The score of a game won at once.
pub const MATE: i32 = 1_000_000;
/// Scores above this are wins in a known number of plies, below its negative losses.
pub const KNOWN: i32 = MATE - 10_000;
/// Most threads of one search.
pub const MAX_THREADS: usize = 256;

/// What a search has found so far: its best line, or one of its best.
#[derive(Clone, Debug)]
pub struct Thought<M> {
    /// The move to play.
    pub best: M,
    /// Rank of the line among those asked for, the best 1.
    pub line: usize,
    /// Score of the side to move, see the module.
    pub score: i32,
    /// Iterations finished.
    pub depth: u32,
    /// Deepest ply seen.
    pub deepest: u32,
    /// Positions visited.
    pub nodes: u64,
    /// Time spent.
    pub elapsed: Duration,
    /// Principal variation, beginning with `best`.
    pub pv: Vec<M>,
    /// How full the transposition table is, in thousandths.
    pub hash_full: u32,
}

impl<M> Thought<M> {
    /// Plies to the end of a won (positive) or lost (negative) game, if the score says so.
    pub fn mate_in(&self) -> Option<i32> {
        match self.score {
            s if s > KNOWN => Some(MATE - s),
            s if s < -KNOWN => Some(-MATE - s),
            _ => None,
        }
    }

    /// Expected score in 0..=1: logistic in the centipawns. The scale is an estimate, not fitted.
    pub fn expected_score(&self) -> f32 {
        const SCALE: f32 = 1500.0;
        1.0 / (1.0 + (-self.score as f32 / SCALE).exp())
    }
}

/// The search with its memory. One value serves one game after another.
pub struct AlphaBeta<P: Material> {
    table: Arc<Table<P::Move>>,
    worker: Worker<P>,
    helpers: Vec<Worker<P>>,
}

impl<P: Material> AlphaBeta<P> {
    /// A search on one thread with a transposition table of at most `mebibytes` (at least 1).
    pub fn new(mebibytes: usize) -> Self {
        Self::with_threads(mebibytes, 1)
    }

    /// The same on `threads` threads, at least 1 and at most [`MAX_THREADS`].
    pub fn with_threads(mebibytes: usize, threads: usize) -> Self {
        let table = Arc::new(Table::new(mebibytes));
        let helpers = threads.clamp(1, MAX_THREADS) - 1;
        AlphaBeta {
            worker: Worker::new(Arc::clone(&table)),
            helpers: (0..helpers)
                .map(|_| Worker::new(Arc::clone(&table)))
                .collect(),
            table,
        }
    }

    /// Forgets what earlier searches found.
    pub fn clear(&mut self) {
        self.table.clear();
        self.worker.clear();
        self.helpers.iter_mut().for_each(Worker::clear);
    }

    /// Thinks about the move of `position`; `report` hears of each line of each finished iteration. `None` if the game
    /// is over. With [`Limits::lines`] the best line is returned.
    pub fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        report: &mut dyn FnMut(&Thought<P::Move>),
    ) -> Option<Thought<P::Move>> {
        let start = Instant::now();
        self.table.grow_older();
        let mut roots = Vec::new();
        position.legal_moves(&mut roots);
        let mut thoughts = vec![no_thought(*roots.first()?)];
        if limits.lines <= 1
            && let Some(win) = P::Score::winning_move(position)
        {
            let thought = Thought {
                score: MATE - 1,
                depth: 1,
                deepest: 1,
                nodes: 1,
                elapsed: start.elapsed(),
                ..no_thought(win)
            };
            report(&thought);
            return Some(thought);
        }
        let end = Arc::new(AtomicBool::new(false));
        let helped = Limits {
            stop: Arc::clone(&end),
            ..Limits::default()
        };
        let count = roots.len();
        let (worker, helpers) = (&mut self.worker, &mut self.helpers);
        let nodes = std::thread::scope(|scope| {
            let running: Vec<_> = helpers
                .iter_mut()
                .enumerate()
                .map(|(i, helper)| {
                    let (helped, root) = (&helped, thoughts[0].clone());
                    scope.spawn(move || {
                        // Every other helper is a ply ahead, so that they do not all do the same.
                        let first = 1 + (i as i32 + 1) % 2;
                        let mut own = vec![root];
                        helper.deepen(position, helped, start, first, count, &mut own, &mut |_| {});
                        helper.nodes
                    })
                })
                .collect();
            worker.deepen(position, limits, start, 1, count, &mut thoughts, report);
            end.store(true, Ordering::Relaxed);
            let helped: u64 = running.into_iter().map(|h| h.join().unwrap_or(0)).sum();
            worker.nodes + helped
        });
        let mut thought = thoughts.swap_remove(0);
        thought.nodes = nodes;
        thought.elapsed = start.elapsed();
        Some(thought)
    }
}
