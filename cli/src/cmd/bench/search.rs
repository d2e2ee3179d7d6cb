//! The tree alone: searches from middle games with an evaluator that knows nothing, on one thread.

use super::Figure;
use crate::run_config::RunConfig;
use anyhow::Result;
use mcts::{Algorithm, Search, SearchParams, UniformEvaluator};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::time::{Duration, Instant};

/// Playouts a search, as in the goals of `docs/benchmarks.md`.
const PLAYOUTS: u32 = 800;
/// Positions, each after 40 to 80 random moves.
const POSITIONS: usize = 16;

pub(super) fn measure<P: Position>(config: &RunConfig, duration: Duration) -> Result<Vec<Figure>> {
    let positions = ::selfplay::sample_positions::<P>(POSITIONS, 80, 1);
    let mut figures = Vec::new();
    for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
        let params = SearchParams {
            algorithm,
            ..config.search.clone()
        };
        let mut search = Search::new(positions[0].clone());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut playouts, mut searches, mut spent) = (0u64, 0usize, Duration::ZERO);
        // The first round grows the buffers.
        while searches < 2 * POSITIONS || spent < duration {
            let position = positions[searches % POSITIONS].clone();
            let begun = Instant::now();
            search.start(position, &params, PLAYOUTS, &mut rng)?;
            mcts::run(&mut search, &mut UniformEvaluator::default(), 1, |_| false)?;
            if searches >= POSITIONS {
                spent += begun.elapsed();
                playouts += u64::from(search.playouts());
            }
            searches += 1;
        }
        let name = format!("{algorithm:?}").to_lowercase();
        figures.push(Figure::new(
            format!("{name}, {PLAYOUTS} playouts a search"),
            playouts as f64 / spent.as_secs_f64(),
            "playouts/s",
        ));
    }
    Ok(figures)
}
