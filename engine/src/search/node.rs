//! One node of the main search. Quiescence is in `quiesce`, the order of moves in `order`.

use super::order::{History, Picker, Stage, refuted};
use super::table::{Bound, Entry};
use super::worker::Worker;
use super::{KNOWN, MATE};
use crate::Material;
use rules::score::{QUIET, Score};
use rules::{Color, Outcome};

/// Most plies from the root, quiescence included.
pub(super) const MAX_PLY: usize = 128;

/// The search was broken off.
#[derive(Debug)]
pub(super) struct Stopped;

/// Scores that matter: at most `alpha` is no better than what is known, at least `beta` will not be allowed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    /// Every score.
    pub const FULL: Window = Window {
        alpha: -MATE,
        beta: MATE,
    };

    /// The window that asks only whether a score is above `alpha`.
    pub fn above(alpha: i32) -> Window {
        Window {
            alpha,
            beta: alpha + 1,
        }
    }

    pub fn is_null(self) -> bool {
        self.beta - self.alpha <= 1
    }

    /// The same window seen by the other side.
    pub fn turned(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// What a ply of the tree keeps, so that nothing is allocated while searching.
pub(super) struct Frame<M> {
    pub picker: Picker<M>,
    /// Places in the history of the quiet moves tried.
    pub tried: Vec<usize>,
    pub killers: [Option<M>; 2],
    /// Whether a royal of the side to move is in danger.
    pub in_check: bool,
    /// Place in the history of the move that is being tried; `None` for a pass.
    pub played: Option<usize>,
    /// Best line from here.
    pub pv: Vec<M>,
}

impl<M> Default for Frame<M> {
    fn default() -> Self {
        Frame {
            picker: Picker::default(),
            tried: Vec::new(),
            killers: [None, None],
            in_check: false,
            played: None,
            pv: Vec::new(),
        }
    }
}

/// At this depth or less a node whose evaluation is above beta by so much a ply is not searched.
const FUTILE_DEPTH: i32 = 4;
const FUTILE_MARGIN: i32 = 250;
/// From this depth on the side to move may pass to show that it stands well enough.
const PASS_DEPTH: i32 = 3;
/// At this depth or less late quiet moves, and losing captures, are left out.
const LATE_DEPTH: i32 = 4;
/// From this depth on a node without a table move is searched a ply less deep.
const UNKNOWN_DEPTH: i32 = 4;

/// The result of a game that ended at `ply`.
pub(super) fn ended(outcome: Outcome, turn: Color, ply: usize) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) if winner == turn => MATE - ply as i32,
        Some(_) => ply as i32 - MATE,
    }
}

/// A score as stored: wins count from the position.
fn to_table(score: i32, ply: usize) -> i32 {
    match score {
        s if s > KNOWN => s + ply as i32,
        s if s < -KNOWN => s - ply as i32,
        s => s,
    }
}

fn from_table(score: i32, ply: usize) -> i32 {
    match score {
        s if s > KNOWN => s - ply as i32,
        s if s < -KNOWN => s + ply as i32,
        s => s,
    }
}

/// How many quiet moves are tried at `depth` before the others are left out.
fn late(depth: i32) -> usize {
    (6 + 6 * depth * depth) as usize
}

impl<P: Material> Worker<P> {
    /// The score of the position to `depth` plies. Fail-soft. `may_pass` is false right after a pass.
    pub(super) fn node(
        &mut self,
        position: &mut P,
        window: Window,
        depth: i32,
        ply: usize,
        may_pass: bool,
    ) -> Result<i32, Stopped> {
        // Step 1. The end of the game, at once or by the next move.
        let root = ply == 0;
        let key = position.key();
        self.table.prefetch(key);
        self.frames[ply].pv.clear();
        if let Some(outcome) = position.early_outcome() {
            return Ok(ended(outcome, position.turn(), ply));
        }
        if ply >= MAX_PLY {
            return Ok(self.evaluate(position));
        }
        // What was known of the position before spares the look at most of the board.
        let win = match ply {
            0 => None,
            _ if self.frames[ply - 1].in_check => P::Score::winning_move(position),
            _ => P::Score::winning_move_since(position),
        };
        if let Some(mv) = win {
            self.frames[ply].pv.push(mv);
            return Ok(MATE - ply as i32 - 1);
        }

        // Step 2. Danger to a royal is searched deeper, and nothing is cut short there.
        let in_check = match ply {
            0 | 1 => position.in_check(),
            _ => P::Score::in_check_since(position),
        };
        self.frames[ply].in_check = in_check;
        let extend = in_check && ply < 2 * self.depth.max(2) as usize;
        let depth = if extend { depth.max(0) + 1 } else { depth };
        if depth <= 0 {
            return self.quiesce(position, window, ply, 0);
        }

        // Step 3. No line from here beats a shorter win that is known already.
        let (mut alpha, mut beta) = (window.alpha, window.beta);
        if !root {
            alpha = alpha.max(ply as i32 - MATE);
            beta = beta.min(MATE - ply as i32 - 2);
            if alpha >= beta {
                return Ok(alpha);
            }
        }
        let window = Window { alpha, beta };

        // Step 4. What an earlier visit found. A known win may rest on moves that the repetition rule forbids on this
        // path: near the root it is proven again.
        let known = self.table.get(key);
        if let Some(entry) = known.filter(|e| e.depth >= depth && window.is_null() && !root) {
            let score = from_table(entry.score, ply);
            let enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if enough && (score.abs() < KNOWN || ply > 2) {
                return Ok(score);
            }
        }

        // Step 5. Standing so well that the ply does not matter, or that even a pass does not hurt.
        let evaluation = self.evaluate(position);
        let calm =
            window.is_null() && !in_check && beta.abs() < KNOWN && alpha.abs() < KNOWN && !root;
        if calm && depth <= FUTILE_DEPTH && evaluation - FUTILE_MARGIN * depth >= beta {
            return Ok(evaluation);
        }
        if calm
            && may_pass
            && depth >= PASS_DEPTH
            && evaluation >= beta
            && let Some(pass) = P::Score::pass(position)
        {
            self.frames[ply].played = None;
            self.play(position, pass)?;
            let less = 3 + depth / 4;
            let score = -self.node(
                position,
                Window::above(beta - 1).turned(),
                depth - less,
                ply + 1,
                false,
            )?;
            self.undo(position);
            if score >= beta {
                return Ok(if score > KNOWN { beta } else { score });
            }
        }
        let table_move = known.and_then(|e| e.mv);
        let depth = if depth >= UNKNOWN_DEPTH && table_move.is_none() && !in_check {
            depth - 1
        } else {
            depth
        };

        // Step 6. Each move in turn.
        let before = match ply {
            0 => None,
            _ => self.frames[ply - 1].played,
        };
        let [first, second] = self.frames[ply].killers;
        let answer = before.and_then(|index| self.history.answer(index));
        let frame = &mut self.frames[ply];
        frame.picker.begin(table_move, [first, second, answer]);
        frame.tried.clear();
        let mut best = -MATE;
        let mut best_move = None;
        let mut index = 0;
        let mut quiet_tried = 0;
        let hopeless = evaluation + FUTILE_MARGIN * depth + 100;
        // Step 7. Near the leaves late quiet moves are left out, and moves that cannot make up what is lacking.
        let cut_short =
            |best: i32, index: usize| calm && best > -KNOWN && index > 1 && depth <= LATE_DEPTH;
        loop {
            // What would neither be tried nor change the score is not even looked at.
            let spare = match cut_short(best, index + 1) {
                true => alpha.min(best) - hopeless,
                false => QUIET,
            };
            let Some((mv, gain, stage)) = self.next(position, ply, spare) else {
                break;
            };
            if root && self.excluded.contains(&mv) {
                continue;
            }
            index += 1;
            let quiet = gain == QUIET;
            quiet_tried += usize::from(quiet);
            if cut_short(best, index) {
                if stage == Stage::Quiet && (quiet_tried > late(depth) || hopeless <= alpha) {
                    best = best.max(hopeless.min(alpha));
                    self.frames[ply].picker.skip_quiet();
                    continue;
                }
                if !quiet && hopeless.saturating_add(gain) <= alpha {
                    best = best.max(hopeless + gain);
                    continue;
                }
            }
            let place = {
                let score = self.running();
                History::<P>::index(score, position, mv)
            };
            let less = if depth >= 3 && index > 2 && matches!(stage, Stage::Quiet | Stage::Bad) {
                let good = quiet && self.history.get(place) > 4000;
                let less = self.reductions[depth.min(63) as usize][index.min(255)];
                let less = less - i32::from(good) - i32::from(!window.is_null() || in_check);
                less.clamp(0, depth - 1)
            } else {
                0
            };
            self.frames[ply].played = Some(place);
            self.play(position, mv)?;
            // Step 8. The first move with the whole window, the others to prove that they are no better.
            let mut score;
            if index == 1 {
                score = -self.node(position, window.turned(), depth - 1, ply + 1, true)?;
            } else {
                let null = Window::above(alpha).turned();
                score = -self.node(position, null, depth - 1 - less, ply + 1, true)?;
                if score > alpha && less > 0 {
                    score = -self.node(position, null, depth - 1, ply + 1, true)?;
                }
                if score > alpha && score < beta && !window.is_null() {
                    let open = Window { alpha, beta }.turned();
                    score = -self.node(position, open, depth - 1, ply + 1, true)?;
                }
            }
            self.undo(position);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    if !window.is_null() {
                        self.extend_line(ply, mv);
                    }
                    if root {
                        // An interrupted iteration still gives its best line.
                        self.root_line.clone_from(&self.frames[0].pv);
                        self.root_score = score;
                    }
                }
            }
            if alpha >= beta {
                if quiet {
                    let frame = &mut self.frames[ply];
                    refuted(&mut self.history, frame, before, mv, place, depth);
                }
                break;
            }
            if quiet {
                self.frames[ply].tried.push(place);
            }
        }
        if index == 0 && !root {
            // No legal move.
            return Ok(ended(position.no_moves_outcome(), position.turn(), ply));
        }

        // Step 9. Remember it.
        if !root || self.excluded.is_empty() {
            let bound = match best {
                b if b >= beta => Bound::Lower,
                b if b > window.alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            let entry = Entry {
                mv: best_move,
                score: to_table(best, ply),
                depth,
                bound,
            };
            self.table.put(key, entry);
        }
        Ok(best)
    }

    /// The best line at `ply` is `mv` and the best line behind it.
    pub(super) fn extend_line(&mut self, ply: usize, mv: P::Move) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let pv = &mut head[ply].pv;
        pv.clear();
        pv.push(mv);
        if let Some(deeper) = tail.first() {
            pv.extend_from_slice(&deeper.pv);
        }
    }

    #[inline]
    fn next(
        &mut self,
        position: &P,
        ply: usize,
        spare: i32,
    ) -> Option<super::order::Picked<P::Move>> {
        let score = self.score.as_ref().expect("set when the search begins");
        let picker = &mut self.frames[ply].picker;
        picker.next(position, score, &self.history, spare)
    }
}
