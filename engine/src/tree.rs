//! Tree search over a network's evaluations, bounded by playouts, by the clock, or by a word from outside.
//!
//! Matches and the protocols share it. It knows no protocol and no file. With a fixed number of playouts the same
//! position gives the same move, whoever asks: nothing is random, no clock is read, no tree is kept.

use crate::search::Limits;
use crate::spec::SearchKind;
use mcts::{LeafEvaluator, MoveStats, Search, SearchResult};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Leaves in flight in the one tree: how many positions a network call evaluates at most.
const LEAVES_IN_FLIGHT: usize = 8;
/// Playouts of a search that only time or a word ends.
const ENDLESS: u32 = 1_000_000_000;
/// Size at which a tree grows no further.
const MOST_BYTES: usize = 2 << 30;
/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// A tree and the network that evaluates its leaves.
pub(crate) struct TreeSearch<P: Position> {
    evaluator: Box<dyn LeafEvaluator<P> + Send>,
    search: Search<P>,
    kind: SearchKind,
}

impl<P: Position> TreeSearch<P> {
    /// `kind` is the search for a fixed number of playouts.
    pub fn new(
        evaluator: Box<dyn LeafEvaluator<P> + Send>,
        kind: SearchKind,
        position: &P,
    ) -> Self {
        TreeSearch {
            evaluator,
            search: Search::new(position.clone()),
            kind,
        }
    }

    /// Searches `position` for `playouts` below the root; only the stop flag and the hard time of `limits` end it
    /// before. Without `playouts` both times and the stop flag decide, and the search is PUCT, which can be stopped at
    /// any moment: Gumbel must know its playouts beforehand. `report` hears of progress twice a second.
    ///
    /// # Errors
    /// The game is over, or the evaluator fails.
    pub fn think(
        &mut self,
        position: &P,
        playouts: Option<u32>,
        limits: &Limits,
        report: &mut dyn FnMut(&Search<P>, Duration),
    ) -> Result<SearchResult<P::Move>, String> {
        let start = Instant::now();
        let params = match playouts {
            Some(_) => self.kind.params(),
            None => SearchKind::Puct.params(),
        };
        // Nothing is drawn from it: the settings are without noise.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        self.search
            .start(
                position.clone(),
                &params,
                playouts.unwrap_or(ENDLESS),
                &mut rng,
            )
            .map_err(|e| e.to_string())?;
        let soft = limits.soft.filter(|_| playouts.is_none());
        let mut pace = Pace::new(start);
        loop {
            let leaves = pace.leaves(limits.hard);
            let mut finished = true;
            let one_batch = |_: &Search<P>| {
                finished = false;
                true
            };
            mcts::run(&mut self.search, self.evaluator.as_mut(), leaves, one_batch)
                .map_err(|e| e.to_string())?;
            if finished {
                break;
            }
            pace.batch_done(&self.search);
            if limits.stop.load(Ordering::Relaxed)
                || pace.is_over(limits.hard)
                || soft.is_some_and(|soft| pace.enough(soft, &self.search))
                || self.search.bytes() > MOST_BYTES
            {
                break;
            }
            if pace.report_is_due() {
                report(&self.search, start.elapsed());
            }
        }
        self.search
            .result()
            .ok_or_else(|| "the search gave no result".into())
    }

    /// The tree, for lines after [`think`](Self::think).
    pub fn search(&self) -> &Search<P> {
        &self.search
    }
}

/// Keeps time: what a playout costs, and whether to go on.
struct Pace {
    start: Instant,
    batch_began: Instant,
    /// Nodes of the tree at the end of the last batch. Each leaf adds one; playouts that end at known results cost
    /// next to nothing and add none.
    nodes: usize,
    /// Seconds that one leaf takes, a running mean; `None` before the first.
    leaf: Option<f64>,
    next_report: Duration,
}

impl Pace {
    fn new(start: Instant) -> Self {
        Pace {
            start,
            batch_began: start,
            nodes: 1,
            leaf: None,
            next_report: REPORT_EVERY,
        }
    }

    /// Leaves of the next batch, so that it ends before `hard`.
    fn leaves(&self, hard: Option<Duration>) -> usize {
        let (Some(hard), Some(leaf)) = (hard, self.leaf) else {
            return LEAVES_IN_FLIGHT;
        };
        let left = hard.saturating_sub(self.start.elapsed()).as_secs_f64();
        ((left / leaf) as usize).clamp(1, LEAVES_IN_FLIGHT)
    }

    fn batch_done<P: Position>(&mut self, search: &Search<P>) {
        let now = Instant::now();
        let seconds = (now - self.batch_began).as_secs_f64();
        let leaves = search.nodes().saturating_sub(self.nodes);
        // The first batch evaluates the root, which was there before.
        if leaves > 0 || self.leaf.is_none() {
            let each = seconds / leaves.max(1) as f64;
            self.leaf = Some(self.leaf.map_or(each, |mean| 0.8 * mean + 0.2 * each));
        }
        (self.batch_began, self.nodes) = (now, search.nodes());
    }

    /// Whether another leaf would not end before `hard`.
    fn is_over(&self, hard: Option<Duration>) -> bool {
        let next = Duration::from_secs_f64(self.leaf.unwrap_or(0.0).min(1e6));
        hard.is_some_and(|hard| self.start.elapsed() + next >= hard)
    }

    /// Whether a share of the clock has been used well. `soft` is the time from which [`Limits`] asks so; twice that
    /// is the move's share. At once, if there is but one move; from half of `soft` on, if no other move can get as many
    /// visits within the share; from the share on, if the move with the most visits is also the one with the best
    /// value; with half of the share on top in any case.
    fn enough<P: Position>(&self, soft: Duration, search: &Search<P>) -> bool {
        let elapsed = self.start.elapsed();
        let share = 2 * soft;
        if elapsed >= share + soft {
            return true;
        }
        let Some(result) = search.result() else {
            return false;
        };
        if result.moves.len() == 1 {
            return true;
        }
        if elapsed < soft / 2 {
            return false;
        }
        let coming = self.leaf.map_or(f64::INFINITY, |leaf| {
            share.saturating_sub(elapsed).as_secs_f64() / leaf
        });
        let (best, rest) = ranked(&result).split_first().map_or_else(
            || (0.0, 0.0),
            |(best, rest)| {
                let second = rest.first().map_or(0, |m| m.visits);
                (f64::from(best.visits), f64::from(second))
            },
        );
        (best - rest > coming) || (elapsed >= share && is_settled(&result))
    }

    fn report_is_due(&mut self) -> bool {
        let elapsed = self.start.elapsed();
        if elapsed < self.next_report {
            return false;
        }
        self.next_report = elapsed + REPORT_EVERY;
        true
    }
}

/// Whether the chosen move has the best value among all with a tenth of its visits.
fn is_settled<M: Copy + PartialEq>(result: &SearchResult<M>) -> bool {
    let score = |m: &MoveStats<M>| m.wdl.map_or(0.0, |w| w.win + 0.5 * w.draw);
    let Some(best) = result.moves.iter().find(|m| m.mv == result.best) else {
        return true;
    };
    let mut others = result
        .moves
        .iter()
        .filter(|m| m.visits > 0 && m.visits >= best.visits / 10);
    others.all(|m| score(m) <= score(best))
}

/// The root moves in the order of the analysis: the chosen one, then by visits, then by policy. Only such of which
/// something is known, but for the chosen one.
pub(crate) fn ranked<M: Copy + PartialEq>(result: &SearchResult<M>) -> Vec<&MoveStats<M>> {
    let mut moves: Vec<_> = result
        .moves
        .iter()
        .filter(|m| m.wdl.is_some() || m.mv == result.best)
        .collect();
    moves.sort_by(|a, b| {
        (b.mv == result.best)
            .cmp(&(a.mv == result.best))
            .then(b.visits.cmp(&a.visits))
            .then(b.policy.total_cmp(&a.policy))
    });
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcts::UniformEvaluator;
    use rules::shogi::Shogi;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn tree(position: &Shogi) -> TreeSearch<Shogi> {
        TreeSearch::new(
            Box::new(UniformEvaluator::default()),
            SearchKind::default(),
            position,
        )
    }

    #[test]
    fn playouts_time_and_a_word_end_a_search() {
        let position = Shogi::start(&Default::default());
        let mut tree = tree(&position);
        let mut think = |playouts, limits: &Limits| {
            let result = tree.think(&position, playouts, limits, &mut |_, _| {});
            let result = result.unwrap();
            assert!(position.is_legal(result.best));
            result.playouts
        };
        assert_eq!(think(Some(37), &Limits::default()), 37);
        // The time was over before it began: one batch of leaves, and a move all the same.
        let late = Limits {
            hard: Some(Duration::ZERO),
            ..Limits::default()
        };
        assert!(think(None, &late) <= LEAVES_IN_FLIGHT as u32);
        think(Some(1_000_000), &late);
        let stopped = Limits {
            stop: Arc::new(AtomicBool::new(true)),
            ..Limits::default()
        };
        assert!(think(None, &stopped) <= LEAVES_IN_FLIGHT as u32);
        assert!(think(Some(100_000), &stopped) <= LEAVES_IN_FLIGHT as u32);
        let clock = Limits {
            soft: Some(Duration::from_millis(4)),
            hard: Some(Duration::from_secs(3600)),
            ..Limits::default()
        };
        think(None, &clock);
    }

    #[test]
    fn the_only_move_is_played_at_once() {
        // The king can only take the rook. An hour is on the clock.
        let position =
            Shogi::from_sfen(&Default::default(), "4k4/9/9/9/9/9/9/1r7/K8 b - 1").unwrap();
        let hour = Some(Duration::from_secs(3600));
        let limits = Limits {
            soft: hour,
            hard: hour,
            ..Limits::default()
        };
        let result = tree(&position).think(&position, None, &limits, &mut |_, _| {});
        let result = result.unwrap();
        assert_eq!(result.best.to_string(), "9i8h");
        assert!(result.playouts <= LEAVES_IN_FLIGHT as u32);
    }

    #[test]
    fn a_mate_ends_a_search_without_bound() {
        let position =
            Shogi::from_sfen(&Default::default(), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
        let result = tree(&position)
            .think(&position, None, &Limits::default(), &mut |_, _| {})
            .unwrap();
        assert_eq!(result.best.to_string(), "G*5b");
        assert_eq!(ranked(&result)[0].mv, result.best);
    }
}
