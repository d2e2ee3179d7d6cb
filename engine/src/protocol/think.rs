//! What thinks behind a protocol: alpha-beta, or tree search over an exported network.

use super::Settings;
use crate::Material;
use crate::search::{AlphaBeta, Limits, MATE, Thought};
use encoding::Encoded;
use inference::Runtime;
use mcts::{LeafEvaluator, Search, SearchParams};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Something that finds a move.
pub(super) trait Think<P: Material>: Send {
    /// Thinks about `position`; `report` hears of progress. `None` if the game is over.
    fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        report: &mut dyn FnMut(&Thought<P::Move>),
    ) -> Result<Option<Thought<P::Move>>, String>;

    /// Forgets earlier games.
    fn clear(&mut self);
}

/// Opens what the settings name.
///
/// # Errors
/// The network file is missing or bad.
pub(super) fn open<P: Encoded + Material>(
    settings: &Settings,
    start: &P,
) -> Result<Box<dyn Think<P>>, String> {
    match &settings.network {
        None => Ok(Box::new(AlphaBeta::with_threads(
            settings.hash_mib,
            settings.threads,
        ))),
        Some(file) => {
            let evaluator = inference::open_evaluator::<P>(file, Runtime::Auto, 1, true)
                .map_err(|e| e.to_string())?;
            Ok(Box::new(Network {
                evaluator: Box::new(evaluator),
                search: Search::new(start.clone()),
                visits: settings.visits,
            }))
        }
    }
}

impl<P: Material> Think<P> for AlphaBeta<P> {
    fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        report: &mut dyn FnMut(&Thought<P::Move>),
    ) -> Result<Option<Thought<P::Move>>, String> {
        Ok(AlphaBeta::think(self, position, limits, report))
    }

    fn clear(&mut self) {
        AlphaBeta::clear(self);
    }
}

/// A network with tree search.
struct Network<P: Material> {
    evaluator: Box<dyn LeafEvaluator<P> + Send>,
    search: Search<P>,
    visits: u32,
}

/// Leaves in flight in the one tree.
const LEAVES_IN_FLIGHT: usize = 8;

impl<P: Material> Think<P> for Network<P> {
    fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        report: &mut dyn FnMut(&Thought<P::Move>),
    ) -> Result<Option<Thought<P::Move>>, String> {
        if position.outcome().is_some() {
            return Ok(None);
        }
        let start = Instant::now();
        let visits = limits
            .nodes
            .map_or(self.visits, |n| u32::try_from(n).unwrap_or(u32::MAX).max(1));
        let params = SearchParams::default().without_noise();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        self.search
            .start(position.clone(), &params, visits, &mut rng)
            .map_err(|e| e.to_string())?;
        let time = limits.soft.or(limits.hard);
        let stopped = |_: &Search<P>| {
            limits.stop.load(Ordering::Relaxed) || time.is_some_and(|t| start.elapsed() >= t)
        };
        mcts::run(
            &mut self.search,
            self.evaluator.as_mut(),
            LEAVES_IN_FLIGHT,
            stopped,
        )
        .map_err(|e| e.to_string())?;
        let result = self
            .search
            .result()
            .ok_or("the search was stopped before its first playout")?;
        let win = (result.value.win + 0.5 * result.value.draw).clamp(0.001, 0.999);
        let thought = Thought {
            best: result.best,
            line: 1,
            score: ((1500.0 * (win / (1.0 - win)).ln()) as i32).clamp(-MATE / 2, MATE / 2),
            depth: result.pv.len() as u32,
            deepest: result.pv.len() as u32,
            nodes: u64::from(result.playouts),
            elapsed: start.elapsed(),
            pv: result.pv,
            hash_full: 0,
        };
        report(&thought);
        Ok(Some(thought))
    }

    fn clear(&mut self) {}
}
