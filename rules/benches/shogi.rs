//! Standard shogi: leaf counts beside the crate `haitaka`, and random play-outs.
//!
//! Both sides count in the same way: the last ply is counted in sets, not played, and promotion choices are
//! moves of their own. Every answer is checked.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::shogi::{RuleSet, Shogi};
use rules::{Position, perft, play_out};

/// Name, position, depth, leaves (published; see `tests/shogi_perft.rs`).
const TREES: [(&str, &str, usize, u64); 3] = [
    (
        "start 5",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        5,
        19_861_490,
    ),
    (
        "drops 3",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        3,
        4_809_015,
    ),
    (
        "593 moves 3",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        3,
        53_393_368,
    ),
];

fn haitaka_perft(board: &haitaka::Board, depth: usize) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.into_iter().len() as u64;
        } else {
            for mv in moves {
                let mut after = board.clone();
                after.play_unchecked(mv);
                leaves += haitaka_perft(&after, depth - 1);
            }
        }
        false
    });
    leaves
}

fn trees(criterion: &mut Criterion) {
    for (name, sfen, depth, leaves) in TREES {
        let mut group = criterion.benchmark_group(format!("shogi perft, {name}"));
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(5))
            .throughput(Throughput::Elements(leaves));
        let ours = Shogi::from_sfen(&RuleSet::default(), sfen).expect("a valid position");
        group.bench_function("rules", |bencher| {
            bencher.iter(|| assert_eq!(perft(black_box(&ours), depth), leaves));
        });
        let theirs: haitaka::Board = sfen.parse().expect("a valid position");
        group.bench_function("haitaka", |bencher| {
            bencher.iter(|| assert_eq!(haitaka_perft(black_box(&theirs), depth), leaves));
        });
        group.finish();
    }
}

/// Plies per second of random games to the end, of at most 400 plies.
fn playouts(criterion: &mut Criterion) {
    const GAMES: usize = 100;
    let start = Shogi::start(&RuleSet::default());
    let mut moves = Vec::new();
    let mut run = || {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        (0..GAMES)
            .map(|_| {
                play_out(&mut start.clone(), &mut moves, 400, |n| {
                    rng.random_range(0..n)
                })
            })
            .sum::<usize>()
    };
    let plies = run();
    let mut group = criterion.benchmark_group("shogi random games");
    group
        .measurement_time(Duration::from_secs(5))
        .throughput(Throughput::Elements(plies as u64));
    group.bench_function("plies", |bencher| bencher.iter(|| assert_eq!(run(), plies)));
    group.finish();
}

criterion_group!(benches, trees, playouts);
criterion_main!(benches);
