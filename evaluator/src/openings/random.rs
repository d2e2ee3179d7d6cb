//! Random openings.

use super::Opening;
use rand::{SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::collections::HashSet;

/// Lines tried for one opening.
const TRIES: usize = 100;

/// The opening of pair number `pair`: `plies` random legal moves from `start`, none of which ends the game or lets
/// the other side end it at once. The same numbers give the same opening.
pub fn random_opening<P: Position>(start: &P, plies: usize, seed: u64, pair: u64) -> Vec<P::Move> {
    lines(start, plies, seed, pair).next().unwrap_or_default()
}

/// The openings of pairs 0, 1, ..., `count - 1`: as [`random_opening`], but each differs from those before it, unless
/// the start position has too few lines. The first ones do not depend on `count`.
pub fn random_openings<P: Position>(
    start: &P,
    plies: usize,
    seed: u64,
    count: usize,
) -> Vec<Opening<P>> {
    let mut seen = HashSet::new();
    let mut one = |pair: usize| {
        let mut first = None;
        for line in lines(start, plies, seed, pair as u64) {
            if plies == 0 || seen.insert(line.clone()) {
                return line;
            }
            first.get_or_insert(line);
        }
        first.unwrap_or_default()
    };
    (0..count)
        .map(|pair| Opening {
            start: start.clone(),
            moves: one(pair),
        })
        .collect()
}

/// Good random lines of a pair, at most [`TRIES`] of them. None where the start position is so sharp that every random
/// line loses at once: then it is played without an opening.
fn lines<P: Position>(
    start: &P,
    plies: usize,
    seed: u64,
    pair: u64,
) -> impl Iterator<Item = Vec<P::Move>> {
    // Each pair has a stream of its own, so that pairs can be played in any order.
    let mut rng =
        Xoshiro256PlusPlus::seed_from_u64(seed ^ pair.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (0..TRIES).filter_map(move |_| {
        let choose = &mut |_: &P, moves: &[P::Move]| Ok(moves.choose(&mut rng).copied());
        line(start, plies, choose).ok().flatten()
    })
}

/// Chooses a move of a position from the list of its legal moves.
pub(super) type Choose<'a, P> =
    dyn FnMut(&P, &[<P as Position>::Move]) -> Result<Option<<P as Position>::Move>, String> + 'a;

/// A line of `plies` moves as `choose` has them; `None` if the game ends on the way, or the side to move could end it
/// at once afterwards.
pub(super) fn line<P: Position>(
    start: &P,
    plies: usize,
    choose: &mut Choose<'_, P>,
) -> Result<Option<Vec<P::Move>>, String> {
    let mut position = start.clone();
    let mut line = Vec::with_capacity(plies);
    let mut moves = Vec::new();
    for _ in 0..plies {
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            return Ok(None);
        }
        let Some(mv) = choose(&position, &moves)? else {
            return Ok(None);
        };
        position.play(mv);
        line.push(mv);
    }
    position.legal_moves(&mut moves);
    let quiet = !moves.is_empty() && !moves.iter().any(|&mv| position.wins_at_once(mv));
    Ok(quiet.then_some(line))
}
