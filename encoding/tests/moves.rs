//! Moves and their numbers: the code of the records and the slot of the policy, on random positions of both games.

use encoding::Encoded;
use rand::{SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::{GameMove, Position};
use std::collections::HashMap;

/// Visits at least `count` positions of random games.
fn walk<P: Position>(count: usize, seed: u64, mut visit: impl FnMut(&P, &[P::Move])) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut seen, mut moves) = (0, Vec::new());
    while seen < count {
        let mut position = P::start(&P::Rules::default());
        for _ in 0..200 {
            if position.early_outcome().is_some() {
                break;
            }
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            visit(&position, &moves);
            seen += 1;
            position.play(mv);
        }
    }
}

fn decoded_is_encoded<P: Encoded>(seed: u64) {
    let mut slots = HashMap::new();
    walk::<P>(5000, seed, |position, moves| {
        slots.clear();
        for &mv in moves {
            // The record's code names this move and no other.
            assert_eq!(P::Move::from_code(mv.code()), Some(mv), "{mv}");
            // Among the legal moves the policy slot does, too: what is looked up by it is the move.
            let slot = encoding::slot::<P>(mv, position.turn());
            let other = slots.insert(slot, mv);
            assert_eq!(other, None, "{mv} in {}", position.sfen());
        }
        for &mv in moves {
            assert_eq!(slots[&encoding::slot::<P>(mv, position.turn())], mv);
        }
    });
}

#[test]
fn every_legal_move_of_ten_thousand_positions_is_decoded_to_itself() {
    decoded_is_encoded::<rules::tenjiku::Tenjiku>(1);
    decoded_is_encoded::<rules::shogi::Shogi>(2);
}
