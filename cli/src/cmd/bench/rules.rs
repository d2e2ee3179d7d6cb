//! The rules core alone, on one thread: leaves of the move tree, and random games to their end.

use super::Figure;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::time::{Duration, Instant};

/// Depth of the tree; the last ply is counted, not played.
const DEPTH: usize = 3;
/// Random games end after this many plies at the latest.
const MAX_PLIES: usize = 2000;

pub(super) fn measure<P: Position>(start: &P, duration: Duration) -> Vec<Figure> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut moves = Vec::new();
    let perft = || rules::perft(start, DEPTH);
    let game = || {
        let mut position = start.clone();
        rules::play_out(&mut position, &mut moves, MAX_PLIES, |n| {
            rng.random_range(0..n)
        }) as u64
    };
    vec![
        Figure::new(
            format!("perft {DEPTH} from the start"),
            rate(duration, perft),
            "leaves/s",
        ),
        Figure::new("random games", rate(duration, game), "plies/s"),
    ]
}

/// What `work` returns, summed, per second.
fn rate(duration: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let (begun, mut done) = (Instant::now(), 0);
    while done == 0 || begun.elapsed() < duration {
        done += work();
    }
    done as f64 / begun.elapsed().as_secs_f64()
}
