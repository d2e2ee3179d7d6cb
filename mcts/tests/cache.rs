//! The cache answers as the evaluator behind it does, remembers what it may, and forgets what it must.

mod common;

use common::{Crosses, Endless, Game, Number, Opinionated, Toy};
use mcts::{
    CacheStats, CachedEvaluator, EvalError, Evaluations, LeafEvaluator, Search, SearchParams, run,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;

fn push<G: Game>(evaluator: &mut impl LeafEvaluator<Toy<G>>, position: &Toy<G>) {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    evaluator.push(position, &moves);
}

#[test]
fn answers_are_those_of_the_evaluator_in_the_order_of_the_pushes() {
    let positions: Vec<Toy<Crosses>> = [&[][..], &[4], &[], &[4, 0], &[4]]
        .map(|line| Toy::after(Crosses::default(), line))
        .into();
    let mut plain = Opinionated::default();
    let mut cached = CachedEvaluator::new(Opinionated::default(), 100);
    let (mut expected, mut found) = (Evaluations::default(), Evaluations::default());
    for round in 0..3 {
        for position in &positions {
            push(&mut plain, position);
            push(&mut cached, position);
        }
        assert_eq!(LeafEvaluator::<Toy<Crosses>>::pending(&cached), 5);
        LeafEvaluator::<Toy<Crosses>>::flush(&mut plain, &mut expected).unwrap();
        cached.flush(&mut found).unwrap();
        assert_eq!(expected.logits, found.logits);
        assert_eq!(expected.offsets, found.offsets);
        assert_eq!(expected.wdl, found.wdl);
        assert_eq!(expected.moves_left, found.moves_left);
        assert_eq!(cached.inner().count, 3, "round {round}");
    }
    assert_eq!(
        cached.stats(),
        CacheStats {
            lookups: 15,
            hits: 10,
            shared: 2
        }
    );
    assert_eq!(cached.entries(), 3);
}

/// One key for all positions: only the rest of the cache's key can tell them apart.
#[derive(Clone, PartialEq, Debug, Default)]
struct SameKey;

impl Game for SameKey {
    fn moves(&self, line: &[u32], out: &mut Vec<Number>) {
        // Two legal moves; which ones depends on the path.
        let first = line.first().copied().unwrap_or(0);
        out.extend([Number(first), Number(first + 1)]);
    }
    fn result(&self, _: &[u32]) -> Option<Option<rules::Color>> {
        None
    }
    fn key(&self, _: &[u32]) -> u64 {
        1
    }
}

#[test]
fn legal_moves_and_move_number_are_part_of_the_key() {
    let mut cached = CachedEvaluator::new(Opinionated::default(), 100);
    for line in [&[0][..], &[1], &[0, 0], &[0, 1]] {
        push(&mut cached, &Toy::after(SameKey, line));
    }
    // The last two have the same number of plies and the same legal moves.
    assert_eq!(
        cached.stats(),
        CacheStats {
            lookups: 4,
            hits: 0,
            shared: 1
        }
    );
}

#[test]
fn the_cache_stays_within_its_capacity() {
    let mut cached = CachedEvaluator::new(Opinionated::default(), 10);
    let mut answers = Evaluations::default();
    let position = |i: u32| Toy::after(Endless { width: 3 }, &[i]);
    for i in 0..100 {
        push(&mut cached, &position(i));
        push(&mut cached, &position(0)); // always in use, never forgotten
        cached.flush(&mut answers).unwrap();
        assert!(cached.entries() <= 10);
    }
    assert_eq!(cached.inner().count, 100);
    push(&mut cached, &position(1));
    assert_eq!(cached.batch_len(), 1, "the first ones are forgotten");
}

#[test]
fn a_new_network_starts_with_an_empty_cache() {
    let mut cached = CachedEvaluator::new(Opinionated::default(), 10);
    let mut answers = Evaluations::default();
    let position = Toy::new(Crosses::default());
    push(&mut cached, &position);
    cached.flush(&mut answers).unwrap();
    push(&mut cached, &position);
    assert_eq!(cached.replace(Opinionated::default()).count, 1);
    assert_eq!(
        (
            cached.entries(),
            LeafEvaluator::<Toy<Crosses>>::pending(&cached)
        ),
        (0, 0)
    );
}

struct Broken;

impl<P: Position> LeafEvaluator<P> for Broken {
    fn push(&mut self, _: &P, _: &[P::Move]) {}
    fn pending(&self) -> usize {
        0
    }
    fn flush(&mut self, _: &mut Evaluations) -> Result<(), EvalError> {
        Err(EvalError("broken".into()))
    }
}

#[test]
fn an_error_passes_through_and_nothing_is_remembered() {
    let mut cached = CachedEvaluator::new(Broken, 10);
    push(&mut cached, &Toy::new(Crosses::default()));
    assert!(cached.flush(&mut Evaluations::default()).is_err());
    assert_eq!((cached.entries(), cached.pending()), (0, 0));
}

#[test]
fn a_search_finds_the_same_with_and_without() {
    let position = Toy::new(Crosses::default());
    let search = |evaluator: &mut dyn LeafEvaluator<Toy<Crosses>>| {
        let mut search = Search::new(position.clone());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        search
            .resume(&SearchParams::default(), 400, &mut rng)
            .unwrap();
        run(&mut search, evaluator, 4, |_| false).unwrap();
        search.result()
    };
    let mut cached = CachedEvaluator::new(Opinionated::default(), 1000);
    assert_eq!(search(&mut Opinionated::default()), search(&mut cached));
    assert_eq!(search(&mut Opinionated::default()), search(&mut cached));
    assert!(
        cached.stats().hits * 2 >= cached.stats().lookups,
        "{:?}",
        cached.stats()
    );
}
