//! Quiescence: what is left of a position once the captures, burns and promotions that gain are played out.

use super::KNOWN;
use super::MATE;
use super::node::{MAX_PLY, Stopped, Window, ended};
use super::worker::Worker;
use crate::Material;
use rules::score::{Score, WINS};

/// Centipawns that a capture may fall short of alpha.
const MARGIN: i32 = 150;
/// How many captures are tried at each ply of quiescence, the best by what they gain first. Nearly every tenjiku
/// position has dozens of captures: without a limit one leaf takes a hundred thousand nodes.
const TRIED: [usize; 10] = [12, 6, 4, 3, 2, 2, 1, 1, 1, 1];

impl<P: Material> Worker<P> {
    /// The score of a position that is searched no deeper. `depth` counts the plies of quiescence from 0. At depth 0
    /// it is known that no move wins at once and that the side to move is not in check.
    pub(super) fn quiesce(
        &mut self,
        position: &mut P,
        window: Window,
        ply: usize,
        depth: usize,
    ) -> Result<i32, Stopped> {
        self.deepest = self.deepest.max(ply as u32);
        if depth > 0 {
            self.frames[ply].pv.clear();
            if let Some(outcome) = position.early_outcome() {
                return Ok(ended(outcome, position.turn(), ply));
            }
        }
        let evaluation = self.evaluate(position);
        if evaluation >= window.beta || depth >= TRIED.len() || ply + 1 >= MAX_PLY {
            return Ok(evaluation);
        }
        let beta = window.beta;
        let mut alpha = window.alpha.max(evaluation);
        let mut best = evaluation;
        let lacking = alpha - evaluation - MARGIN;
        let score = self.score.as_ref().expect("set when the search begins");
        let frame = &mut self.frames[ply];
        frame.picker.list_noisy(position, score, lacking);
        let mut left = TRIED[depth];
        while left > 0 {
            let Some((gain, mv)) = self.frames[ply].picker.next_noisy() else {
                break;
            };
            if gain == WINS {
                self.frames[ply].pv.clear();
                self.frames[ply].pv.push(mv);
                return Ok(MATE - ply as i32 - 1);
            }
            if evaluation + gain + MARGIN <= alpha {
                // It was enough when the moves were listed: alpha has grown since, to the best score.
                continue;
            }
            let score = self.score.as_ref().expect("set when the search begins");
            // The exchange itself matters only where its lower bound does not decide.
            let least = score.least_exchange(position, mv, gain);
            let won = if least > 0 && evaluation + least + MARGIN > alpha {
                least
            } else {
                score.exchange(position, mv, gain)
            };
            if won <= 0 || evaluation + won + MARGIN <= alpha {
                best = best.max((evaluation + won.max(0) + MARGIN).min(alpha));
                continue;
            }
            left -= 1;
            self.play(position, mv)?;
            let turned = Window { alpha, beta }.turned();
            let score = -self.quiesce(position, turned, ply + 1, depth + 1)?;
            self.undo(position);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    if !window.is_null() {
                        self.extend_line(ply, mv);
                    }
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        debug_assert!(best > -KNOWN, "standing still is no worse");
        Ok(best)
    }
}
