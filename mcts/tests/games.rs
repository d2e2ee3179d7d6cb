//! The search on the two real games: the last royal, and positions with very many moves.

use mcts::{Algorithm, ProofPov, Search, SearchParams, SearchResult, UniformEvaluator, run};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use rules::shogi::Shogi;
use rules::tenjiku::{RuleSet, Tenjiku};

fn search<P: Position>(position: &P, algorithm: Algorithm, visits: u32) -> SearchResult<P::Move> {
    let mut params = SearchParams {
        algorithm,
        ..SearchParams::default()
    };
    params.gumbel.considered = 128; // all moves of the small positions: the evaluator has no idea which are good
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut search = Search::new(position.clone());
    search.resume(&params, visits, &mut rng).unwrap();
    run(&mut search, &mut UniformEvaluator::default(), 1, |_| false).unwrap();
    search.check().unwrap();
    search.result().unwrap()
}

/// The ranks from the top, with empty ones between the first and the last.
fn tenjiku(top: &str, bottom: &str, turn: char) -> Tenjiku {
    let sfen = format!("{top}/{}{bottom} {turn} - 1", "16/".repeat(14));
    Tenjiku::from_sfen(&RuleSet::default(), &sfen).unwrap()
}

/// A rook with an open file to the last king, for both colours.
fn rook_takes_king() -> [Tenjiku; 2] {
    [tenjiku("8k7", "8R6K", 'b'), tenjiku("k6r8", "7K8", 'w')]
}

#[test]
fn taking_the_last_royal_is_seen_by_both_colours_and_mirrored() {
    for position in rook_takes_king() {
        for position in [position.mirror(), position] {
            for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
                let result = search(&position, algorithm, 64);
                assert!(result.value.value().0 > 0.9);
                assert_eq!(result.proof, Some(ProofPov::Win(1)));
                assert!(position.wins_at_once(result.best));
                let mut next = position.clone();
                next.play(result.best);
                assert_eq!(next.outcome().unwrap().winner, Some(position.turn()));
                for (mv, p) in result.policy() {
                    assert_eq!(p > 0.0, position.wins_at_once(mv));
                }
            }
        }
    }
}

#[test]
fn a_king_that_can_be_taken_moves_away() {
    // The same positions with the other side to move: all but few moves lose at once.
    for position in [tenjiku("8k7", "8R6K", 'w'), tenjiku("k6r8", "7K8", 'b')] {
        for position in [position.mirror(), position] {
            for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
                let result = search(&position, algorithm, 64);
                let mut next = position.clone();
                next.play(result.best);
                let mut replies = Vec::new();
                next.legal_moves(&mut replies);
                assert!(
                    !replies.iter().any(|&mv| next.wins_at_once(mv)),
                    "{algorithm:?} {}",
                    result.best
                );
                // A move that stays on the file is proven lost, and has no part in the policy.
                let lost = result
                    .moves
                    .iter()
                    .filter(|m| m.proof == Some(ProofPov::Loss(1)));
                assert!(lost.clone().count() > 0 && lost.clone().all(|m| m.policy == 0.0));
            }
        }
    }
}

#[test]
fn positions_with_very_many_moves_are_searched() {
    for (position, at_least) in samples::wide().into_iter().zip(samples::WIDE) {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        assert!(moves.len() >= at_least, "{} moves", moves.len());
        for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
            let result = search(&position, algorithm, 64);
            assert_eq!(result.playouts, 64);
            assert!(result.moves.iter().map(|m| m.mv).eq(moves.iter().copied()));
            let sum: f64 = result.moves.iter().map(|m| f64::from(m.policy)).sum();
            assert!((sum - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn a_mate_in_shogi_is_proven() {
    // A gold dropped before the king, guarded by the pawn, mates.
    let mate1 = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let position = Shogi::from_sfen(&Default::default(), mate1).unwrap();
    for position in [position.mirror(), position] {
        for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
            let result = search(&position, algorithm, 3000);
            assert!(
                matches!(result.proof, Some(ProofPov::Win(_))),
                "{:?}",
                result.proof
            );
            let mut end = position.clone();
            result.pv.iter().for_each(|&mv| end.play(mv));
            assert_eq!(end.outcome().unwrap().winner, Some(position.turn()));
        }
    }
}
