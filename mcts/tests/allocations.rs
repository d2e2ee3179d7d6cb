//! Once its buffers have grown, a search allocates nothing per playout: neither tree, nor rules, nor cache.

use mcts::{
    Algorithm, CachedEvaluator, Evaluations, LeafEvaluator, Search, SearchParams, Step,
    UniformEvaluator,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting by thread.
struct Counting;

// SAFETY: every call is passed to the system's allocator as it is; the counter is a thread-local without destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`; the block is the system's.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `realloc`; the block is the system's.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs the started search, one leaf at a time; returns playouts and allocations meanwhile.
fn playouts<P: Position>(
    search: &mut Search<P>,
    evaluator: &mut impl LeafEvaluator<P>,
    answers: &mut Evaluations,
) -> (u32, u64) {
    let before = ALLOCATIONS.with(Cell::get);
    loop {
        match search.gather(evaluator) {
            Step::Leaf(ticket) => {
                evaluator.flush(answers).unwrap();
                search.apply(ticket, answers, 0).unwrap();
            }
            Step::Backed => {}
            Step::Busy => panic!("nothing is in flight"),
            Step::Finished => break,
        }
    }
    (search.playouts(), ALLOCATIONS.with(Cell::get) - before)
}

fn steady<P: Position>(mut evaluator: impl LeafEvaluator<P>, what: &str) {
    let position = P::start(&P::Rules::default());
    let mut answers = Evaluations::default();
    for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
        let params = SearchParams {
            algorithm,
            ..SearchParams::default()
        };
        let mut search = Search::new(position.clone());
        let mut last = 0;
        for round in 0..8 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            search
                .start(position.clone(), &params, 400, &mut rng)
                .unwrap();
            let (done, allocations) = playouts(&mut search, &mut evaluator, &mut answers);
            assert_eq!(done, 400);
            assert!(
                round > 0 || allocations > 0,
                "{what}: the counter counts the growth of the first search"
            );
            last = allocations;
        }
        // The position was cloned with a history that the descent may still extend: that is not a matter of playouts.
        assert!(
            last <= 2,
            "{what}, {algorithm:?}: {last} allocations in 400 playouts"
        );
    }
}

#[test]
fn nothing_is_allocated_per_playout() {
    steady::<Tenjiku>(UniformEvaluator::default(), "tenjiku");
    steady::<Shogi>(UniformEvaluator::default(), "shogi");
}

#[test]
fn nothing_is_allocated_per_playout_with_a_cache() {
    steady::<Tenjiku>(
        CachedEvaluator::new(UniformEvaluator::default(), 100),
        "tenjiku, cached",
    );
    steady::<Shogi>(
        CachedEvaluator::new(UniformEvaluator::default(), 10_000),
        "shogi, cached",
    );
}
