//! The book-keeping of a search: counts, flights, order, seeds, reuse.

mod common;

use common::{Crosses, Endless, Number, Opinionated, Random, Toy};
use mcts::{
    Algorithm, EvalError, Evaluations, LeafEvaluator, Search, SearchParams, SearchResult,
    StartError, Step, UniformEvaluator, run,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;

const BOTH: [Algorithm; 2] = [Algorithm::Gumbel, Algorithm::Puct];

fn params(algorithm: Algorithm) -> SearchParams {
    SearchParams {
        algorithm,
        ..SearchParams::default()
    }
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn searched<P: Position>(
    position: P,
    params: &SearchParams,
    visits: u32,
    batch: usize,
    seed: u64,
) -> Search<P> {
    let mut search = Search::new(position.clone());
    search
        .start(position, params, visits, &mut rng(seed))
        .unwrap();
    run(&mut search, &mut Opinionated::default(), batch, |_| false).unwrap();
    search.check().unwrap();
    search
}

fn total_visits(result: &SearchResult<Number>) -> u32 {
    result.moves.iter().map(|stats| stats.visits).sum()
}

#[test]
fn visits_add_up_and_nothing_stays_in_flight() {
    for algorithm in BOTH {
        for batch in [1, 2, 8, 33] {
            for visits in [0, 1, 5, 16, 200, 777] {
                let search = searched(
                    Toy::new(Endless { width: 30 }),
                    &params(algorithm),
                    visits,
                    batch,
                    3,
                );
                assert_eq!(search.in_flight(), 0);
                assert_eq!(search.playouts(), visits);
                assert_eq!(search.position().plies(), 0, "every play is undone");
                let result = search.result().unwrap();
                assert_eq!(total_visits(&result), visits);
                assert_eq!(result.visits, visits + 1, "the root's own evaluation");
                assert_eq!(result.moves.len(), 30);
                assert_eq!(result.pv[0], result.best);
                let sum: f32 = result.moves.iter().map(|stats| stats.policy).sum();
                assert!((sum - 1.0).abs() < 1e-4);
                for stats in &result.moves {
                    assert!(stats.policy.is_finite() && stats.policy >= 0.0);
                    assert!(stats.wdl.is_none_or(|wdl| wdl.value().0.abs() <= 1.0));
                    assert_eq!(stats.wdl.is_some(), stats.visits > 0);
                }
            }
        }
    }
}

#[test]
fn the_root_value_is_the_mean_of_all_evaluations() {
    // One evaluation of the root, five of its children, each asked for once.
    let position = Toy::new(Endless { width: 5 });
    let mut settings = params(Algorithm::Gumbel);
    settings.gumbel.considered = 5;
    let result = searched(position.clone(), &settings, 5, 1, 1)
        .result()
        .unwrap();
    let mut evaluator = Opinionated::default();
    let mut answers = Evaluations::default();
    let mut sum = result.network.unwrap().value().0;
    for mv in 0..5 {
        let mut next = position.clone();
        next.play(Number(mv));
        let mut moves = Vec::new();
        next.legal_moves(&mut moves);
        evaluator.push(&next, &moves);
        LeafEvaluator::<Toy<Endless>>::flush(&mut evaluator, &mut answers).unwrap();
        let [win, _, loss] = answers.wdl[0];
        sum -= win - loss; // the child's side to move is the opponent
        let found = result.moves[mv as usize].wdl.unwrap().value().0;
        assert!((found + (win - loss)).abs() < 1e-6);
    }
    assert!((result.value.value().0 - sum / 6.0).abs() < 1e-6);
}

#[test]
fn sequential_halving_visits_are_those_of_the_table() {
    // (n, m, legal moves, visits in falling order), by hand from floor(n / (ceil(log2 m) * considered)):
    // 200, 16: 16 x 3, 8 x 6, 4 x 12, 2 x 25, then 6 of the next 2 x 25.
    let t200 = [vec![49, 49], vec![21; 2], vec![9; 4], vec![3; 8]].concat();
    // 32, 16: 16 x 1, 8 x 1, 4 x 2.
    let t32 = [vec![4; 4], vec![2; 4], vec![1; 8]].concat();
    // 10, 16: fewer playouts than moves: one each.
    let t10 = vec![1; 10];
    // 20, 7 legal moves: ceil(log2 7) = 3: 7 x 1 (20 / 21 = 0, at least 1), 3 x 2, 2 x 3, and one more of the next 2 x 3.
    let t20 = vec![7, 6, 3, 1, 1, 1, 1];
    for (n, m, legal, expected) in [
        (200, 16, 40, t200),
        (32, 16, 40, t32),
        (10, 16, 40, t10),
        (20, 16, 7, t20),
    ] {
        for batch in [1, 8] {
            let mut settings = params(Algorithm::Gumbel);
            settings.gumbel.considered = m;
            let search = searched(Toy::new(Endless { width: legal }), &settings, n, batch, 9);
            let result = search.result().unwrap();
            let mut visits: Vec<u32> = result
                .moves
                .iter()
                .map(|s| s.visits)
                .filter(|&n| n > 0)
                .collect();
            visits.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(
                visits, expected,
                "n = {n}, m = {m}, {legal} moves, batch {batch}"
            );
        }
    }
}

#[test]
fn same_seed_same_tree_other_seed_other_tree() {
    for algorithm in BOTH {
        let all = |seed| {
            let search = searched(
                Toy::new(Random {
                    seed: 5,
                    width: 40,
                    depth: 30,
                    one_in: 300,
                    tells: true,
                }),
                &params(algorithm),
                300,
                4,
                seed,
            );
            (search.nodes(), search.result().unwrap())
        };
        assert_eq!(all(1), all(1));
        assert_ne!(all(1).1.moves, all(2).1.moves, "{algorithm:?}");
    }
}

#[test]
fn without_noise_the_seed_does_not_matter() {
    for algorithm in BOTH {
        let all = |seed| {
            let settings = params(algorithm).without_noise();
            searched(Toy::new(Endless { width: 40 }), &settings, 100, 1, seed).result()
        };
        assert_eq!(all(1), all(2));
    }
}

#[test]
fn thousands_of_legal_moves_are_searched() {
    for (width, visits) in [(256, 50), (513, 50), (1025, 50), (2000, 50), (66_000, 5)] {
        for algorithm in BOTH {
            let mut settings = params(algorithm);
            settings.gumbel.considered = 1500;
            settings.visits_per_move = if width == 2000 { 0.15 } else { 0.0 };
            let search = searched(Toy::new(Endless { width }), &settings, visits, 8, 1);
            let expected = if width == 2000 { 300 } else { visits };
            let result = search.result().unwrap();
            assert_eq!(total_visits(&result), expected);
            assert_eq!(result.moves.len(), width as usize);
            let moves: Vec<u32> = result.moves.iter().map(|stats| stats.mv.0).collect();
            assert!(
                moves.iter().copied().eq(0..width),
                "in the order of the legal moves"
            );
            let sum: f64 = result
                .moves
                .iter()
                .map(|stats| f64::from(stats.policy))
                .sum();
            assert!((sum - 1.0).abs() < 1e-3);
        }
    }
}

#[test]
fn advancing_keeps_the_subtree() {
    for algorithm in BOTH {
        let position = Toy::new(Random {
            seed: 11,
            width: 12,
            depth: 40,
            one_in: 300,
            tells: false,
        });
        let mut search = searched(position.clone(), &params(algorithm), 600, 4, 1);
        for _ in 0..4 {
            let before = search.result().unwrap();
            let best = before
                .moves
                .iter()
                .find(|stats| stats.mv == before.best)
                .unwrap();
            assert_eq!(search.advance(before.best).unwrap(), best.visits);
            search.check().unwrap();
            assert_eq!(search.result(), None, "not started yet");
            if search.resume(&params(algorithm), 100, &mut rng(2)).is_err() {
                break;
            }
            // What was known of the move is known of the new root, seen from the other side.
            let after = search.result().unwrap();
            assert_eq!(after.visits, best.visits);
            let (old, new) = (best.wdl.unwrap(), after.value);
            assert_eq!((old.win, old.draw, old.loss), (new.loss, new.draw, new.win));
            run(&mut search, &mut Opinionated::default(), 4, |_| false).unwrap();
            search.check().unwrap();
            let result = search.result().unwrap();
            assert_eq!(result.visits, best.visits + result.playouts);
            assert!(result.playouts == 100 || result.proof.is_some());
        }
        assert!(search.position().line.len() > 1);
        assert_eq!(search.position().line[..0], position.line[..]);
    }
}

#[test]
fn advancing_into_the_unknown_or_illegal() {
    let mut search = Search::new(Toy::new(Crosses::default()));
    assert_eq!(
        search.advance(Number(4)).unwrap(),
        0,
        "legal, nothing known"
    );
    assert_eq!(search.position().line, [4]);
    let error = search.advance(Number(4)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`4` is not legal in the position of the search"
    );
    assert_eq!(search.position().line, [4]);
    search
        .resume(&SearchParams::default(), 20, &mut rng(1))
        .unwrap();
    assert!(search.advance(Number(9)).is_err());
}

#[test]
fn a_finished_game_cannot_be_searched() {
    // Black has the top row.
    let over = Toy::after(Crosses::default(), &[0, 3, 1, 4, 2]);
    let mut search = Search::new(over.clone());
    let error = search
        .start(over, &SearchParams::default(), 10, &mut rng(1))
        .unwrap_err();
    assert!(
        matches!(error, StartError::GameOver(outcome) if outcome.winner == Some(rules::Color::Black))
    );
    assert_eq!(search.result(), None);
    assert_eq!(
        search.gather(&mut UniformEvaluator::default()),
        Step::Finished
    );
    let bad = SearchParams {
        moves_left_weight: -1.0,
        ..SearchParams::default()
    };
    let error = search
        .start(Toy::new(Crosses::default()), &bad, 10, &mut rng(1))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "search settings: moves_left_weight = -1, must be from 0 to 0.5"
    );
}

#[test]
fn stopping_early_leaves_a_usable_result() {
    let mut search = Search::new(Toy::new(Endless { width: 30 }));
    search
        .resume(&SearchParams::default(), 100_000, &mut rng(1))
        .unwrap();
    run(&mut search, &mut Opinionated::default(), 8, |search| {
        search.nodes() >= 500
    })
    .unwrap();
    assert_eq!(search.in_flight(), 0);
    let result = search.result().unwrap();
    assert!((499..520).contains(&result.playouts));
    assert_eq!(total_visits(&result), result.playouts);
}

/// Spoils the answers.
type Nonsense = fn(&mut Evaluations);

/// Fails at the third flush, and gives nonsense on demand.
#[derive(Default)]
struct Failing {
    inner: Opinionated,
    flushes: u32,
    nonsense: Option<Nonsense>,
}

impl<P: Position> LeafEvaluator<P> for Failing {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        self.inner.push(position, moves);
    }
    fn pending(&self) -> usize {
        LeafEvaluator::<P>::pending(&self.inner)
    }
    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        LeafEvaluator::<P>::flush(&mut self.inner, out)?;
        self.flushes += 1;
        if self.flushes == 3 {
            match self.nonsense {
                Some(nonsense) => nonsense(out),
                None => return Err(EvalError("out of order".into())),
            }
        }
        Ok(())
    }
}

#[test]
fn a_failing_evaluator_ends_the_search_with_its_message_and_the_tree_stays_usable() {
    let nonsense: [(Option<Nonsense>, &str); 6] = [
        (None, "out of order"),
        (Some(|out| out.logits[0] = f32::NAN), "not finite"),
        (Some(|out| out.wdl[0] = [0.5, 0.6, 0.5]), "no probabilities"),
        (
            Some(|out| out.wdl[0] = [f32::NAN, 0.0, 1.0]),
            "no probabilities",
        ),
        (
            Some(|out| out.moves_left[0] = f32::INFINITY),
            "moves left = inf",
        ),
        (Some(|out| out.clear()), "answer 0 of 0"),
    ];
    for algorithm in BOTH {
        for (nonsense, message) in nonsense {
            let mut search = Search::new(Toy::new(Endless { width: 30 }));
            search.resume(&params(algorithm), 100, &mut rng(1)).unwrap();
            let mut evaluator = Failing {
                nonsense,
                ..Failing::default()
            };
            let error = run(&mut search, &mut evaluator, 4, |_| false).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(search.in_flight(), 0);
            search.check().unwrap();
            run(&mut search, &mut Opinionated::default(), 4, |_| false).unwrap();
            search.check().unwrap();
            assert_eq!(search.playouts(), 100);
        }
    }
}

#[test]
fn a_ticket_of_an_abandoned_search_is_refused() {
    let mut search = Search::new(Toy::new(Endless { width: 30 }));
    search
        .resume(&SearchParams::default(), 100, &mut rng(1))
        .unwrap();
    let mut evaluator = Opinionated::default();
    let Step::Leaf(old) = search.gather(&mut evaluator) else {
        panic!("the root")
    };
    search
        .resume(&SearchParams::default(), 100, &mut rng(1))
        .unwrap();
    let Step::Leaf(new) = search.gather(&mut evaluator) else {
        panic!("the root again")
    };
    let mut answers = Evaluations::default();
    LeafEvaluator::<Toy<Endless>>::flush(&mut evaluator, &mut answers).unwrap();
    assert!(search.apply(old, &answers, 0).is_err());
    search.apply(new, &answers, 1).unwrap();
    assert_eq!((search.in_flight(), search.visits()), (0, 1));
}

#[test]
fn sampling_follows_the_policy() {
    let search = searched(
        Toy::new(Endless { width: 4 }),
        &params(Algorithm::Puct).without_noise(),
        100,
        1,
        1,
    );
    let result = search.result().unwrap();
    let mut rng = rng(4);
    assert_eq!(result.sample(0.0, &mut rng), result.best);
    let mut counts = [0.0; 4];
    for _ in 0..20_000 {
        counts[result.sample(1.0, &mut rng).0 as usize] += 1.0 / 20_000.0;
    }
    for (count, stats) in counts.iter().zip(&result.moves) {
        assert!(
            (count - stats.policy).abs() < 0.02,
            "{count} {}",
            stats.policy
        );
    }
    // Half the temperature squares the odds.
    let squares: f32 = result.moves.iter().map(|stats| stats.policy.powi(2)).sum();
    let mut first = 0.0;
    for _ in 0..20_000 {
        first += f32::from(u8::from(result.sample(0.5, &mut rng) == result.moves[0].mv)) / 20_000.0;
    }
    assert!((first - result.moves[0].policy.powi(2) / squares).abs() < 0.02);
}
