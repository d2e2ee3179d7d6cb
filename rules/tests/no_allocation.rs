//! Generating, making and taking back moves does not touch the heap, once lists and history have grown.
//!
//! A test binary of its own, since it replaces the allocator by one that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use rules::{Position, Rules};

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: all work is the system allocator's; counting in a cell without a destructor does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Plays a random game of up to 300 plies and takes it back, asking everything on the way.
fn play_and_take_back<P: Position>(position: &mut P, moves: &mut Vec<P::Move>, rng: &mut impl Rng) {
    for _ in 0..300 {
        position.legal_moves(moves);
        assert_eq!(position.legal_count(), moves.len());
        assert_eq!(position.outcome().is_some(), moves.is_empty());
        position.in_check();
        position.declaration();
        position.key();
        let Some(&mv) = moves.choose(rng) else { break };
        assert!(position.is_legal(mv));
        position.wins_at_once(mv);
        position.play(mv);
    }
    while position.plies() > 0 {
        position.undo();
    }
}

fn allocations<P: Position>(rules: &str, sfen: &str) -> u64 {
    let rules = P::Rules::parse(rules).expect("rules");
    let mut position = P::from_sfen(&rules, sfen).expect("a position");
    // Room for the longest list; the first pass makes the room that the history needs.
    let mut moves = Vec::with_capacity(8000);
    let mut play = |position: &mut P| {
        for seed in 0..8 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            play_and_take_back(position, &mut moves, &mut rng);
        }
    };
    play(&mut position);
    let before = COUNT.get();
    play(&mut position);
    COUNT.get() - before
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(COUNT.get() - before, 1);
}

#[test]
fn tenjiku_does_not_allocate() {
    let start = rules::tenjiku::START_SFEN;
    // Kings alone: repetition forbids moves all the time.
    let few = "k15/16/16/16/16/16/16/16/16/16/16/16/16/16/16/K15 b - 1";
    for (rules, sfen) in [
        ("historical", start),
        ("western", start),
        ("tsa", start),
        ("historical", few),
    ] {
        assert_eq!(allocations::<Tenjiku>(rules, sfen), 0, "{rules}, {sfen}");
    }
}

#[test]
fn tactical_moves_do_not_allocate() {
    let mut game = Tenjiku::start(&Default::default());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut moves, mut tactical) = (Vec::with_capacity(8000), Vec::with_capacity(8000));
    while game.plies() < 100 {
        game.legal_moves(&mut moves);
        let before = COUNT.get();
        game.tactical_moves(&mut tactical);
        for &mv in &tactical {
            game.effects(mv);
        }
        assert_eq!(COUNT.get(), before);
        let Some(&mv) = moves.choose(&mut rng) else {
            break;
        };
        game.play(mv);
    }
}

#[test]
fn shogi_does_not_allocate() {
    for sfen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
        "8k/9/9/9/9/9/9/9/K8 b R 1",
    ] {
        assert_eq!(allocations::<Shogi>("standard", sfen), 0, "{sfen}");
    }
}
