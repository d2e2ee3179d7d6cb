//! One thread's search: iterative deepening with its own history, over the shared table.

use super::limits::Limits;
use super::node::{Frame, MAX_PLY, Stopped, Window};
use super::order::History;
use super::table::Table;
use super::{KNOWN, Thought};
use crate::Material;
use rules::score::Score;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Half width of the first window around the last iteration's score, in centipawns.
const ASPIRATION: i32 = 60;
/// The first iteration that uses it.
const ASPIRATION_FROM: i32 = 4;

/// What one thread has at hand.
pub(super) struct Worker<P: Material> {
    pub table: Arc<Table<P::Move>>,
    pub history: History<P>,
    pub frames: Vec<Frame<P::Move>>,
    pub score: Option<P::Score>,
    pub limits: Limits,
    pub start: Instant,
    pub nodes: u64,
    /// Nodes at which the limits are looked at again.
    next_look: u64,
    pub deepest: u32,
    /// The iteration.
    pub depth: i32,
    /// Plies by depth and number of the move that it is searched less deep at first.
    pub reductions: Vec<[i32; 256]>,
    /// Root moves that are not to be searched: the better lines of this iteration.
    pub excluded: Vec<P::Move>,
    /// Best line of this iteration so far; empty until a move is better than the window's lower end.
    pub root_line: Vec<P::Move>,
    /// Its score.
    pub root_score: i32,
}

/// Reductions grow with the logarithms of depth and move number.
fn reductions() -> Vec<[i32; 256]> {
    let reduction = |depth: usize, index: usize| {
        let product = (depth.max(1) as f64).ln() * (index.max(1) as f64).ln();
        (0.5 + product / 2.2) as i32
    };
    (0..64)
        .map(|depth| std::array::from_fn(|index| reduction(depth, index)))
        .collect()
}

impl<P: Material> Worker<P> {
    pub fn new(table: Arc<Table<P::Move>>) -> Self {
        Worker {
            table,
            history: History::new(),
            frames: (0..=MAX_PLY).map(|_| Frame::default()).collect(),
            score: None,
            limits: Limits::default(),
            start: Instant::now(),
            nodes: 0,
            next_look: 0,
            deepest: 0,
            depth: 0,
            reductions: reductions(),
            excluded: Vec::new(),
            root_line: Vec::new(),
            root_score: 0,
        }
    }

    /// Forgets what earlier searches found.
    pub fn clear(&mut self) {
        self.history = History::new();
        self.frames.iter_mut().for_each(|f| f.killers = [None; 2]);
    }

    /// Gets ready for a search.
    fn begin(&mut self, position: &P, limits: &Limits, start: Instant) {
        self.start = start;
        self.limits = limits.clone();
        (self.nodes, self.next_look, self.deepest) = (0, self.limits.patience(0), 0);
        self.history.fade();
        self.score = Some(P::Score::new(position));
    }

    /// Deepens from `first` on until a limit is reached or the game is decided; `report` hears of each line of each
    /// finished iteration. `thoughts` begins as one thought with any legal move and ends as the best lines, best first.
    #[expect(clippy::too_many_arguments, reason = "called twice, by one function")]
    pub fn deepen(
        &mut self,
        position: &P,
        limits: &Limits,
        start: Instant,
        first: i32,
        root_moves: usize,
        thoughts: &mut Vec<Thought<P::Move>>,
        report: &mut dyn FnMut(&Thought<P::Move>),
    ) {
        self.begin(position, limits, start);
        let mut position = position.clone();
        let root_plies = position.plies();
        let lines = limits.lines.clamp(1, root_moves.max(1));
        let last = limits
            .depth
            .unwrap_or(u32::MAX)
            .clamp(1, MAX_PLY as u32 / 2) as i32;
        for depth in first..=last {
            self.depth = depth;
            self.excluded.clear();
            let mut stopped = false;
            for line in 0..lines {
                let guess = thoughts.get(line).map_or(0, |t| t.score);
                let result = self.iterate(&mut position, depth, guess);
                stopped = result.is_err();
                if stopped {
                    while position.plies() > root_plies {
                        position.undo();
                    }
                    self.score = Some(P::Score::new(&position));
                }
                // The first move searched was the last iteration's; a better one found since is better.
                if let Some(&best) = self.root_line.first() {
                    let thought = self.thought(depth - i32::from(stopped), line);
                    self.excluded.push(best);
                    match thoughts.get_mut(line) {
                        Some(old) => *old = thought,
                        None => thoughts.push(thought),
                    }
                }
                if stopped {
                    break;
                }
            }
            if stopped {
                break;
            }
            thoughts.iter().take(lines).for_each(&mut *report);
            let decided = lines == 1 && thoughts[0].mate_in().is_some_and(|n| n.abs() <= depth);
            let late = limits.soft.is_some_and(|t| start.elapsed() >= t);
            let bounded = limits.hard.is_some() || limits.nodes.is_some();
            if decided || late || root_moves == 1 && bounded && depth >= 2 {
                break;
            }
        }
    }

    /// What the root's best line says.
    fn thought(&self, depth: i32, line: usize) -> Thought<P::Move> {
        Thought {
            best: self.root_line[0],
            line: line + 1,
            score: self.root_score,
            depth: depth as u32,
            deepest: self.deepest,
            nodes: self.nodes,
            elapsed: self.start.elapsed(),
            pv: self.root_line.clone(),
            hash_full: self.table.permille() as u32,
        }
    }

    /// One iteration, with windows that widen until the score is inside.
    fn iterate(&mut self, position: &mut P, depth: i32, guess: i32) -> Result<(), Stopped> {
        let mut half = ASPIRATION;
        let mut window = match depth < ASPIRATION_FROM || guess.abs() > KNOWN {
            true => Window::FULL,
            false => Window {
                alpha: guess - half,
                beta: guess + half,
            },
        };
        self.root_line.clear();
        loop {
            let score = self.node(position, window, depth, 0, false)?;
            let inside = score > window.alpha && score < window.beta;
            if inside || window.alpha <= Window::FULL.alpha && window.beta >= Window::FULL.beta {
                return Ok(());
            }
            half *= 4;
            if half > 4000 {
                window = Window::FULL;
            } else if score <= window.alpha {
                // What was thought best is not: until there is a better line, the last iteration's stands.
                self.root_line.clear();
                window.alpha = score - half;
            } else {
                window.beta = score + half;
            }
        }
    }

    #[cold]
    fn look_at_limits(&mut self) -> Result<(), Stopped> {
        if self.limits.reached(self.nodes, self.start) {
            return Err(Stopped);
        }
        self.next_look = self.nodes + self.limits.patience(self.nodes);
        Ok(())
    }

    #[inline]
    pub fn play(&mut self, position: &mut P, mv: P::Move) -> Result<(), Stopped> {
        if self.nodes >= self.next_look {
            self.look_at_limits()?;
        }
        self.nodes += 1;
        self.running().play(position, mv);
        position.play(mv);
        Ok(())
    }

    #[inline]
    pub fn undo(&mut self, position: &mut P) {
        position.undo();
        self.running().undo();
    }

    /// The evaluation for the side to move.
    #[inline]
    pub fn evaluate(&self, position: &P) -> i32 {
        let score = self.score.as_ref().expect("set when the search begins");
        score.score(position)
    }

    /// The running evaluation of the search in progress.
    #[inline]
    pub fn running(&mut self) -> &mut P::Score {
        self.score.as_mut().expect("set when the search begins")
    }
}

/// The thought before any thinking.
pub(super) fn no_thought<M: Copy>(mv: M) -> Thought<M> {
    Thought {
        best: mv,
        line: 1,
        score: 0,
        depth: 0,
        deepest: 0,
        nodes: 0,
        elapsed: Duration::ZERO,
        pv: vec![mv],
        hash_full: 0,
    }
}
