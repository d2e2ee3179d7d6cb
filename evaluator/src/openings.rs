//! Openings for colour-swapped pairs.

use rand::{SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;

/// The opening of pair number `pair`: `plies` random legal moves from `start`, none of which ends the game or lets
/// the other side end it at once. The same numbers give the same opening.
pub fn random_opening<P: Position>(start: &P, plies: usize, seed: u64, pair: u64) -> Vec<P::Move> {
    // Each pair has a stream of its own, so that pairs can be played in any order.
    let mut rng =
        Xoshiro256PlusPlus::seed_from_u64(seed ^ pair.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    for _ in 0..100 {
        let mut position = start.clone();
        let mut line = Vec::with_capacity(plies);
        let mut moves = Vec::new();
        for _ in 0..plies {
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            position.play(mv);
            line.push(mv);
        }
        position.legal_moves(&mut moves);
        if line.len() == plies
            && !moves.is_empty()
            && !moves.iter().any(|&mv| position.wins_at_once(mv))
        {
            return line;
        }
    }
    // A start position so sharp that every random line loses at once: play it without an opening.
    Vec::new()
}
