//! One node of the tree: the recursion of the main search and of the quiescence search.

use super::table::{Bound, Entry};
use super::{AlphaBeta, KNOWN, MATE};
use crate::Material;
use crate::score::{QUIET, Score, WINS};
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
    fn is_null(self) -> bool {
        self.beta - self.alpha <= 1
    }

    /// The same window seen by the other side.
    fn turned(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// What a ply of the tree keeps, so that nothing is allocated while searching.
pub(super) struct Frame<M> {
    moves: Vec<M>,
    gains: Vec<i32>,
    /// Moves still to be tried with their order numbers and gains.
    ranked: Vec<(i32, i32, M)>,
    /// Quiet moves tried.
    tried: Vec<M>,
    pub killers: [Option<M>; 2],
    /// Best line from here.
    pub pv: Vec<M>,
}

impl<M> Default for Frame<M> {
    fn default() -> Self {
        Frame {
            moves: Vec::new(),
            gains: Vec::new(),
            ranked: Vec::new(),
            tried: Vec::new(),
            killers: [None, None],
            pv: Vec::new(),
        }
    }
}

// Order numbers, from the first to be tried.
const TABLE_MOVE: i32 = i32::MAX;
const GOOD_NOISE: i32 = 1 << 28;
const KILLER: i32 = 1 << 24;
const BAD_NOISE: i32 = -(1 << 24);

/// At this depth or less a node whose evaluation is above beta by so much a ply is not searched.
const FUTILE_DEPTH: i32 = 4;
const FUTILE_MARGIN: i32 = 250;
/// Centipawns that a capture in quiescence may fall short of alpha.
const DELTA_MARGIN: i32 = 200;
/// Plies of quiescence with all captures; then only those of the piece that moved last, and of dearer pieces.
const WIDE_PLIES: i32 = 1;
/// How many captures are tried at each ply of quiescence, the best by what they gain first. Nearly every tenjiku
/// position has dozens of captures: without a limit one leaf takes a hundred thousand nodes.
const CAPTURES_TRIED: [usize; 8] = [8, 3, 2, 1, 1, 1, 1, 1];

/// The result of a game that ended at `ply`.
fn ended(outcome: Outcome, turn: Color, ply: usize) -> i32 {
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

/// Takes out the move with the highest order number.
fn pick<M: Copy>(ranked: &mut Vec<(i32, i32, M)>) -> Option<(i32, i32, M)> {
    let mut best = 0;
    for i in 1..ranked.len() {
        if ranked[i].0 > ranked[best].0 {
            best = i;
        }
    }
    (!ranked.is_empty()).then(|| ranked.swap_remove(best))
}

/// Plies by which the `index`-th move at `depth` is searched less deep at first.
fn reduction(depth: i32, index: usize) -> i32 {
    // 0.4 + ln(depth) ln(index) / 2.2, in whole numbers of bits.
    let bits = |n: u32| (32 - n.leading_zeros()) as i32 - 1;
    let (d, i) = (bits(depth as u32), bits(index as u32));
    (4 + d * i * 2) / 10 + i32::from(index >= 3)
}

impl<P: Material> AlphaBeta<P> {
    fn look_at_limits(&mut self) -> Result<(), Stopped> {
        if self.limits.reached(self.nodes, self.start) {
            return Err(Stopped);
        }
        self.next_look = self.nodes + self.limits.patience(self.nodes);
        Ok(())
    }

    #[inline]
    fn play(&mut self, position: &mut P, mv: P::Move) -> Result<(), Stopped> {
        if self.nodes >= self.next_look {
            self.look_at_limits()?;
        }
        self.nodes += 1;
        self.running().play(position, mv);
        position.play(mv);
        Ok(())
    }

    #[inline]
    fn undo(&mut self, position: &mut P) {
        position.undo();
        self.running().undo();
    }

    /// The score of the position to `depth` plies. Fail-soft.
    pub(super) fn node(
        &mut self,
        position: &mut P,
        window: Window,
        depth: i32,
        ply: usize,
    ) -> Result<i32, Stopped> {
        // Step 1. The end of the game, of the depth, of the memory.
        if let Some(outcome) = position.early_outcome() {
            return Ok(ended(outcome, position.turn(), ply));
        }
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiesce(position, window, ply, 0, None);
        }
        let turn = position.turn();
        let (mut alpha, mut beta) = (window.alpha, window.beta);
        let root = ply == 0;
        self.frames[ply].pv.clear();
        if !root {
            // Step 2. No line from here beats a shorter win that is known already.
            alpha = alpha.max(ply as i32 - MATE);
            beta = beta.min(MATE - ply as i32 - 1);
            if alpha >= beta {
                return Ok(alpha);
            }
        }
        let window = Window { alpha, beta };

        // Step 3. What an earlier visit found.
        let key = position.key();
        let known = self.table.get(key);
        if let Some(entry) =
            known.filter(|e| i32::from(e.depth) >= depth && window.is_null() && !root)
        {
            let score = from_table(entry.score, ply);
            let enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if enough {
                return Ok(score);
            }
        }

        // Step 4. Danger to a royal is searched deeper, and nothing is cut short there.
        let evaluation = self.running().score(turn);
        let quiet_node = window.is_null() && beta.abs() < KNOWN && alpha.abs() < KNOWN;
        let safe_margin = FUTILE_MARGIN * depth;
        let in_check = position.in_check();
        let depth = if in_check && ply < MAX_PLY / 2 {
            depth + 1
        } else {
            depth
        };
        if quiet_node && !in_check && depth <= FUTILE_DEPTH && evaluation - safe_margin >= beta {
            return Ok(evaluation);
        }

        // Step 5. The moves; one that wins at once ends the matter.
        let mut frame = std::mem::take(&mut self.frames[ply]);
        let result = self.moves(position, &mut frame, known.and_then(|e| e.mv), ply);
        if let Some(score) = result {
            self.frames[ply] = frame;
            return Ok(score);
        }

        // Step 6. Each move in turn.
        let mut best = -MATE;
        let mut best_move = None;
        let mut index = 0;
        let mut skipped = false;
        frame.tried.clear();
        while let Some((rank, gain, mv)) = pick(&mut frame.ranked) {
            let quiet = gain == QUIET;
            index += 1;
            // Step 7. Late quiet moves near the leaves, and quiet moves that cannot make up what is lacking.
            if quiet_node && !in_check && index > 1 && best > -KNOWN && rank < KILLER {
                let late = quiet && depth <= 3 && index > (6 + 8 * depth * depth) as usize;
                let futile =
                    depth <= 3 && evaluation + FUTILE_MARGIN * depth + gain.max(0) <= alpha;
                let bad = rank <= BAD_NOISE && depth <= 3;
                if late || futile || bad {
                    skipped = true;
                    continue;
                }
            }
            self.play(position, mv)?;
            // Step 8. The first move with the whole window, the others to prove that they are no better.
            let mut score;
            if index == 1 {
                score = -self.node(position, window.turned(), depth - 1, ply + 1)?;
            } else {
                let late = depth >= 3 && !in_check && rank < KILLER;
                let less = if late {
                    reduction(depth, index).min(depth - 2)
                } else {
                    0
                };
                let null = Window {
                    alpha,
                    beta: alpha + 1,
                };
                score = -self.node(position, null.turned(), depth - 1 - less, ply + 1)?;
                if score > alpha && less > 0 {
                    score = -self.node(position, null.turned(), depth - 1, ply + 1)?;
                }
                if score > alpha && score < beta {
                    score = -self.node(
                        position,
                        Window { alpha, beta }.turned(),
                        depth - 1,
                        ply + 1,
                    )?;
                }
            }
            self.undo(position);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    if root || !window.is_null() {
                        frame.pv.clear();
                        frame.pv.push(mv);
                        let deeper = &self.frames[ply + 1].pv;
                        frame.pv.extend_from_slice(deeper);
                    }
                    if root {
                        // An interrupted iteration still gives its best line.
                        self.root_line.clone_from(&frame.pv);
                        self.root_score = score;
                    }
                }
            }
            if alpha >= beta {
                if quiet {
                    self.refuted(turn, &mut frame, mv, depth);
                }
                break;
            }
            if quiet {
                frame.tried.push(mv);
            }
        }
        if skipped && best < evaluation - safe_margin && best > -KNOWN {
            best = best.max(window.alpha.min(evaluation));
        }
        self.frames[ply] = frame;

        // Step 9. Remember it.
        let bound = match best {
            b if b >= beta => Bound::Lower,
            b if b > window.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry {
            mv: best_move,
            score: to_table(best, ply),
            depth: depth as i16,
            bound,
        };
        self.table.put(key, entry);
        Ok(best)
    }

    /// Fills the frame with the ranked moves, or gives the score where the move list decides.
    fn moves(
        &mut self,
        position: &mut P,
        frame: &mut Frame<P::Move>,
        table_move: Option<P::Move>,
        ply: usize,
    ) -> Option<i32> {
        let turn = position.turn();
        position.legal_moves(&mut frame.moves);
        if frame.moves.is_empty() {
            return Some(ended(position.no_moves_outcome(), turn, ply));
        }
        self.running()
            .gains(position, &frame.moves, &mut frame.gains);
        frame.ranked.clear();
        for (&mv, &gain) in frame.moves.iter().zip(&frame.gains) {
            if gain == WINS && ply > 0 {
                return Some(MATE - ply as i32 - 1);
            }
            let rank = if Some(mv) == table_move {
                TABLE_MOVE
            } else if gain == QUIET {
                let killer = frame.killers.iter().position(|&k| k == Some(mv));
                killer.map_or_else(|| self.history.get(turn, mv), |i| KILLER + 1 - i as i32)
            } else {
                let order = 8 * gain.min(1 << 24)
                    - self.score.as_ref().map_or(0, |s| s.mover(position, mv));
                if gain >= 0 {
                    GOOD_NOISE + order
                } else {
                    BAD_NOISE + order
                }
            };
            frame.ranked.push((rank, gain, mv));
        }
        None
    }

    /// Learns from a quiet move that refuted.
    fn refuted(&mut self, turn: Color, frame: &mut Frame<P::Move>, mv: P::Move, depth: i32) {
        if frame.killers[0] != Some(mv) {
            frame.killers = [Some(mv), frame.killers[0]];
        }
        let amount = (depth * depth * 16).min(1600);
        self.history.add(turn, mv, amount);
        for &other in &frame.tried {
            self.history.add(turn, other, -amount);
        }
    }

    /// The score once the captures, burns and promotions that gain are played out. `depth` counts down from 0, `last` is
    /// where the last capture ended.
    fn quiesce(
        &mut self,
        position: &mut P,
        window: Window,
        ply: usize,
        depth: i32,
        last: Option<usize>,
    ) -> Result<i32, Stopped> {
        if let Some(outcome) = position.early_outcome() {
            return Ok(ended(outcome, position.turn(), ply));
        }
        self.deepest = self.deepest.max(ply as u32);
        let Window { mut alpha, beta } = window;
        let evaluation = self.running().score(position.turn());
        let tried = CAPTURES_TRIED.get(-depth as usize).copied().unwrap_or(0);
        if evaluation >= beta || ply >= MAX_PLY || tried == 0 {
            return Ok(evaluation);
        }
        let mut frame = std::mem::take(&mut self.frames[ply]);
        frame.pv.clear();
        let mut best = evaluation;
        alpha = alpha.max(best);
        if let Some(score) = self.noise(position, &mut frame, alpha - evaluation, ply, depth, last)
        {
            self.frames[ply] = frame;
            return Ok(score);
        }
        let mut left = tried;
        while left > 0
            && let Some((_, gain, mv)) = pick(&mut frame.ranked)
        {
            if evaluation + gain + DELTA_MARGIN <= alpha {
                continue;
            }
            left -= 1;
            self.play(position, mv)?;
            let to = Some(P::move_to(mv));
            let score = -self.quiesce(
                position,
                Window { alpha, beta }.turned(),
                ply + 1,
                depth - 1,
                to,
            )?;
            self.undo(position);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    if !window.is_null() {
                        frame.pv.clear();
                        frame.pv.push(mv);
                        frame.pv.extend_from_slice(&self.frames[ply + 1].pv);
                    }
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        self.frames[ply] = frame;
        Ok(best)
    }

    /// Ranks the moves of quiescence that may gain `lacking` centipawns, or gives the score where the list decides.
    fn noise(
        &mut self,
        position: &mut P,
        frame: &mut Frame<P::Move>,
        lacking: i32,
        ply: usize,
        depth: i32,
        last: Option<usize>,
    ) -> Option<i32> {
        position.legal_moves(&mut frame.moves);
        if frame.moves.is_empty() {
            return Some(ended(position.no_moves_outcome(), position.turn(), ply));
        }
        let score = self.score.as_ref().expect("set when the search begins");
        score.gains(position, &frame.moves, &mut frame.gains);
        frame.ranked.clear();
        for (&mv, &gain) in frame.moves.iter().zip(&frame.gains) {
            if gain == WINS {
                return Some(MATE - ply as i32 - 1);
            }
            if gain <= 0 || gain + DELTA_MARGIN <= lacking {
                continue;
            }
            let mover = score.mover(position, mv);
            if depth <= -WIDE_PLIES && last != Some(P::move_to(mv)) && gain < mover {
                continue;
            }
            frame.ranked.push((8 * gain - mover, gain, mv));
        }
        None
    }
}
