//! What a search has found: the move, the training target, and statistics for analysis.

use crate::value::{ProofPov, WdlPov};
use rand::{Rng, RngExt};

/// One legal move of the root.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveStats<M> {
    /// The move.
    pub mv: M,
    /// P, the network's probability, without noise; uniform where the network was not asked.
    pub prior: f32,
    /// Its share of the target policy.
    pub policy: f32,
    /// N, visits from earlier searches of the same tree included.
    pub visits: u32,
    /// Q as (win, draw, loss) seen by the side that makes the move; `None` if not visited and not proven.
    pub wdl: Option<WdlPov>,
    /// Expected plies to the end after this move; `None` as for `wdl`.
    pub moves_left: Option<f32>,
    /// Its certain result, seen by the side that makes the move; plies counted after the move.
    pub proof: Option<ProofPov>,
}

/// The result of a search. All values are seen by the side to move at the root.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<M> {
    /// The move to play. In Gumbel searches with noise this already is the sample of the algorithm.
    pub best: M,
    /// Every legal move, in the order of the legal move list. Their `policy` is finite, not negative, sums to 1.
    pub moves: Vec<MoveStats<M>>,
    /// The searched value: exact if proven, else the mean over the root's visits.
    pub value: WdlPov,
    /// The network's value of the root; `None` where it was not asked (a move wins at once).
    pub network: Option<WdlPov>,
    /// Expected plies to the end.
    pub moves_left: f32,
    /// The certain result, if the search proved it.
    pub proof: Option<ProofPov>,
    /// Principal variation, beginning with `best`.
    pub pv: Vec<M>,
    /// Playouts of this search: N below the root that was added by it.
    pub playouts: u32,
    /// N of the root: its own evaluation, and all playouts of this and earlier searches of the same tree.
    pub visits: u32,
}

impl<M: Copy> SearchResult<M> {
    /// The target policy over all legal moves.
    pub fn policy(&self) -> Vec<(M, f32)> {
        self.moves
            .iter()
            .map(|stats| (stats.mv, stats.policy))
            .collect()
    }

    /// Draws a move with probability proportional to `policy^(1 / temperature)`; `best` where `temperature` is 0
    /// or not positive.
    pub fn sample<R: Rng + ?Sized>(&self, temperature: f32, rng: &mut R) -> M {
        if temperature.is_nan() || temperature <= 0.0 {
            return self.best;
        }
        let power = f64::from(1.0 / temperature);
        let top = self
            .moves
            .iter()
            .map(|stats| stats.policy)
            .fold(0.0, f32::max);
        let weight = |stats: &MoveStats<M>| f64::from(stats.policy / top).powf(power);
        let sum: f64 = self.moves.iter().map(weight).sum();
        let mut rest = rng.random::<f64>() * sum;
        for stats in &self.moves {
            let w = weight(stats);
            if w > 0.0 && rest < w {
                return stats.mv;
            }
            rest -= w;
        }
        self.best
    }
}
