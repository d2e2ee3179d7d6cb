//! Alpha-beta search for both games: iterative deepening, principal variation search, transposition table, quiescence.
//!
//! Deterministic for given depth or nodes after [`AlphaBeta::clear`]. One thread. Repetition is the rules' business: where
//! they forbid it, the move is not in the list, and a table move is only tried if it is in the list.
//!
//! Scores are centipawns for the side to move; `MATE - n` is a win in `n` plies.

mod limits;
mod node;
mod order;
mod table;

pub use limits::{Clock, Limits};

use crate::Material;
use crate::score::{Score, WINS};
use node::{Frame, MAX_PLY, Stopped, Window};
use order::History;
use std::time::{Duration, Instant};
use table::Table;

/// The score of a game won at once.
pub const MATE: i32 = 1_000_000;
/// Scores above this are wins in a known number of plies, below its negative losses.
pub const KNOWN: i32 = MATE - 10_000;

/// Half width of the first window around the last iteration's score, in centipawns.
const ASPIRATION: i32 = 60;
/// The first iteration that uses it.
const ASPIRATION_FROM: u32 = 4;

/// What a search has found so far.
#[derive(Clone, Debug)]
pub struct Thought<M> {
    /// The move to play.
    pub best: M,
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
    table: Table<P::Move>,
    history: History<P>,
    frames: Vec<Frame<P::Move>>,
    score: Option<P::Score>,
    limits: Limits,
    start: Instant,
    nodes: u64,
    /// Nodes at which the limits are looked at again.
    next_look: u64,
    deepest: u32,
    /// Plies of the root position.
    root_plies: usize,
    /// Best line of this iteration so far; empty until a move is better than the window's lower end.
    root_line: Vec<P::Move>,
    /// Its score.
    root_score: i32,
}

impl<P: Material> AlphaBeta<P> {
    /// A search with a transposition table of at most `mebibytes` (at least 1).
    pub fn new(mebibytes: usize) -> Self {
        AlphaBeta {
            table: Table::new(mebibytes),
            history: History::new(),
            frames: (0..=MAX_PLY).map(|_| Frame::default()).collect(),
            score: None,
            limits: Limits::default(),
            start: Instant::now(),
            nodes: 0,
            next_look: 0,
            deepest: 0,
            root_plies: 0,
            root_line: Vec::new(),
            root_score: 0,
        }
    }

    /// Forgets what earlier searches found.
    pub fn clear(&mut self) {
        self.table.clear();
        self.history = History::new();
        self.frames.iter_mut().for_each(|f| f.killers = [None; 2]);
    }

    /// Thinks about the move of `position`; `report` hears of each finished iteration. `None` if the game is over.
    pub fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        report: &mut dyn FnMut(&Thought<P::Move>),
    ) -> Option<Thought<P::Move>> {
        self.start = Instant::now();
        self.limits = limits.clone();
        (self.nodes, self.next_look, self.deepest) = (0, self.limits.patience(0), 0);
        self.table.grow_older();
        self.history.fade();
        let mut position = position.clone();
        self.score = Some(P::Score::new(&position));

        let mut roots = Vec::new();
        position.legal_moves(&mut roots);
        let mut gains = Vec::new();
        self.running().gains(&position, &roots, &mut gains);
        let &best = roots.first()?;
        self.root_plies = position.plies();
        let mut thought = Thought {
            best,
            score: 0,
            depth: 0,
            deepest: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            pv: vec![best],
            hash_full: 0,
        };
        if let Some(i) = gains.iter().position(|&g| g == WINS) {
            thought = Thought {
                best: roots[i],
                score: MATE - 1,
                depth: 1,
                deepest: 1,
                nodes: 1,
                pv: vec![roots[i]],
                ..thought
            };
            thought.elapsed = self.start.elapsed();
            report(&thought);
            return Some(thought);
        }

        let last = self
            .limits
            .depth
            .unwrap_or(u32::MAX)
            .clamp(1, MAX_PLY as u32 / 2);
        for depth in 1..=last {
            match self.iterate(&mut position, depth, thought.score) {
                Ok(()) => {
                    self.take_over(&mut thought);
                    thought.depth = depth;
                    report(&thought);
                }
                Err(Stopped) => {
                    self.back_to_root(&mut position);
                    // The first move searched was the last iteration's; a better one found since is better.
                    self.take_over(&mut thought);
                    break;
                }
            }
            let decided = thought.mate_in().is_some_and(|n| n.unsigned_abs() <= depth);
            let late = self.limits.soft.is_some_and(|t| self.start.elapsed() >= t);
            let bounded = self.limits.hard.is_some() || self.limits.nodes.is_some();
            if decided || late || roots.len() == 1 && bounded && depth >= 2 {
                break;
            }
        }
        thought.nodes = self.nodes;
        thought.elapsed = self.start.elapsed();
        Some(thought)
    }

    /// Copies the root's line into `thought`.
    fn take_over(&self, thought: &mut Thought<P::Move>) {
        let line = &self.root_line;
        if let Some(&best) = line.first() {
            (thought.best, thought.score) = (best, self.root_score);
            thought.pv.clone_from(line);
        }
        thought.deepest = self.deepest;
        thought.nodes = self.nodes;
        thought.elapsed = self.start.elapsed();
        thought.hash_full = self.table.permille() as u32;
    }

    /// One iteration, with windows that widen until the score is inside.
    fn iterate(&mut self, position: &mut P, depth: u32, guess: i32) -> Result<(), Stopped> {
        let mut half = ASPIRATION;
        let full = depth < ASPIRATION_FROM || guess.abs() > KNOWN;
        let mut window = match full {
            true => Window {
                alpha: -MATE,
                beta: MATE,
            },
            false => Window {
                alpha: guess - half,
                beta: guess + half,
            },
        };
        loop {
            self.root_line.clear();
            let score = self.node(position, window, depth as i32, 0)?;
            if score > window.alpha && score < window.beta
                || window.alpha <= -MATE && window.beta >= MATE
            {
                return Ok(());
            }
            half *= 4;
            if half > 4000 {
                window = Window {
                    alpha: -MATE,
                    beta: MATE,
                };
            } else if score <= window.alpha {
                window.alpha = score - half;
            } else {
                window.beta = score + half;
            }
        }
    }

    /// Takes back what a search that broke off has played.
    fn back_to_root(&mut self, position: &mut P) {
        while position.plies() > self.root_plies {
            position.undo();
        }
        self.score = Some(P::Score::new(position));
    }

    /// The running evaluation of the search in progress.
    #[inline]
    fn running(&mut self) -> &mut P::Score {
        self.score.as_mut().expect("set when the search begins")
    }
}
