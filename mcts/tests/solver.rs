//! Proven results agree with exhaustive search, and searches act on them.

mod common;

use common::{Crosses, Opinionated, Random, Toy, negamax};
use mcts::{Algorithm, ProofPov, Search, SearchParams, SearchResult, UniformEvaluator, run};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;

fn params(algorithm: Algorithm) -> SearchParams {
    SearchParams {
        algorithm,
        ..SearchParams::default()
    }
}

fn search<P: Position>(
    position: P,
    params: &SearchParams,
    visits: u32,
    batch: usize,
) -> SearchResult<P::Move> {
    let mut search = Search::new(position.clone());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    search.start(position, params, visits, &mut rng).unwrap();
    run(&mut search, &mut Opinionated::default(), batch, |_| false).unwrap();
    search.check().unwrap();
    assert_eq!(search.in_flight(), 0);
    search.result().unwrap()
}

fn sign(proof: ProofPov) -> i32 {
    match proof {
        ProofPov::Win(_) => 1,
        ProofPov::Draw => 0,
        ProofPov::Loss(_) => -1,
    }
}

/// Settings that try everything, so that every small game gets solved. The usual ones stay with a proven draw.
fn thorough() -> SearchParams {
    let mut params = params(Algorithm::Puct);
    params.puct.c_init = 100.0;
    params
}

#[test]
fn random_games_are_solved_as_negamax_solves_them() {
    let (mut proven, mut seen) = (0, [0; 3]);
    for seed in 0..150 {
        let game = Random {
            seed,
            tells: seed % 2 == 0,
            ..Random::default()
        };
        let mut position = Toy::new(game);
        if seed % 3 == 0 {
            position = position.colours_swapped();
        }
        if position.outcome().is_some() {
            continue;
        }
        let truth = negamax(&mut position.clone());
        for params in [
            params(Algorithm::Gumbel),
            params(Algorithm::Puct),
            thorough(),
        ] {
            for batch in [1, 8] {
                let result = search(position.clone(), &params, 5000, batch);
                let Some(proof) = result.proof else {
                    assert!(params != thorough(), "seed {seed}: not solved");
                    continue;
                };
                assert_eq!(sign(proof), truth, "seed {seed} {params:?} batch {batch}");
                assert_eq!(result.value.value().0, truth as f32);
                // The move keeps the value, and so do all moves of the target policy.
                for (mv, p) in result.policy() {
                    let mut next = position.clone();
                    next.play(mv);
                    let value = -negamax(&mut next);
                    assert!(
                        p == 0.0 || value == truth,
                        "seed {seed}: policy on a move that spoils"
                    );
                    assert!(
                        mv != result.best || value == truth,
                        "seed {seed}: spoils by the best move"
                    );
                }
                // The line ends the game with the claimed result.
                let mut end = position.clone();
                result.pv.iter().for_each(|&mv| end.play(mv));
                let winner = end
                    .outcome()
                    .expect("the line of a proof ends the game")
                    .winner;
                let value = winner.map_or(0, |w| if w == position.turn() { 1 } else { -1 });
                assert_eq!(value, truth);
                if let ProofPov::Win(plies) | ProofPov::Loss(plies) = proof {
                    assert_eq!(result.pv.len(), plies as usize, "seed {seed}");
                }
                proven += 1;
                seen[(truth + 1) as usize] += 1;
            }
        }
    }
    assert!(proven > 400 && seen.iter().all(|&n| n > 20), "{seen:?}");
}

#[test]
fn noughts_and_crosses_is_a_draw_after_a_diagonal() {
    for tells in [true, false] {
        let position = Toy::after(Crosses { tells }, &[0, 4, 8]);
        let result = search(position, &thorough(), 20_000, 1);
        assert_eq!(result.proof, Some(ProofPov::Draw));
        // The other corners lose to the double threat in the last one.
        assert!([1, 3, 5, 7].contains(&result.best.0));
    }
}

/// Black to move has two in a row; so has the mirrored board, and so has White with the colours exchanged.
#[test]
fn a_win_at_once_is_seen_by_both_colours_and_mirrored() {
    //  X X .      . X X
    //  O O .      . O O
    for (line, winning) in [([0, 3, 1, 4], 2), ([2, 5, 1, 4], 0)] {
        for swapped in [false, true] {
            for tells in [true, false] {
                for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
                    let mut position = Toy::after(Crosses { tells }, &line);
                    if swapped {
                        position = position.colours_swapped();
                    }
                    let result = search(position, &params(algorithm), 64, 1);
                    assert!(result.value.value().0 > 0.9, "{result:?}");
                    assert_eq!(result.proof, Some(ProofPov::Win(1)));
                    assert_eq!(result.best.0, winning);
                    for (mv, p) in result.policy() {
                        assert_eq!(p, f32::from(u8::from(mv.0 == winning)));
                    }
                    if tells {
                        assert_eq!(
                            (result.network, result.playouts),
                            (None, 0),
                            "asks no network"
                        );
                    }
                }
            }
        }
    }
}

/// The sign without the solver: statistics alone must find the win, and the loser must see it coming.
#[test]
fn values_have_the_right_sign_without_the_solver() {
    for swapped in [false, true] {
        for (line, winner_moves) in [
            (vec![0, 3, 1, 4], true),
            (vec![0, 1, 4, 3], true),
            (vec![0, 3, 1], false),
        ] {
            let mut position = Toy::after(Crosses { tells: true }, &line);
            if swapped {
                position = position.colours_swapped();
            }
            for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
                let settings = SearchParams {
                    solver: false,
                    ..params(algorithm)
                }
                .without_noise();
                let mut search = Search::new(position.clone());
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
                search
                    .start(position.clone(), &settings, 200, &mut rng)
                    .unwrap();
                run(&mut search, &mut UniformEvaluator::default(), 1, |_| false).unwrap();
                search.check().unwrap();
                let result = search.result().unwrap();
                assert_eq!(result.proof, None);
                if winner_moves {
                    let best = result.moves.iter().find(|m| m.mv == result.best).unwrap();
                    assert!(
                        best.wdl.unwrap().value().0 > 0.9,
                        "{algorithm:?} {line:?} {best:?}"
                    );
                    let mut next = position.clone();
                    next.play(result.best);
                    assert_eq!(negamax(&mut next), -1);
                } else {
                    // 2 must be stopped: White moves there.
                    assert_eq!(result.best.0, 2, "{algorithm:?}");
                }
            }
        }
    }
}

#[test]
fn shared_wins_share_the_policy() {
    //  X O X
    //  . X O
    //  . . .      Black wins at 6 and 8.
    let position = Toy::after(Crosses { tells: true }, &[0, 1, 2, 5, 4, 3]);
    let position = Toy {
        line: position.line[..5].to_vec(),
        given: 5,
        ..position
    };
    // White to move here; give the move to Black by one more White stone that does not stop it.
    let mut position = position;
    position.line.push(7);
    position.given = 6;
    let result = search(position, &params(Algorithm::Gumbel), 10, 1);
    let policy: Vec<(u32, f32)> = result
        .policy()
        .into_iter()
        .map(|(mv, p)| (mv.0, p))
        .filter(|x| x.1 > 0.0)
        .collect();
    assert_eq!(policy, [(6, 0.5), (8, 0.5)]);
}
