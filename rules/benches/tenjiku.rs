//! Tenjiku: leaf counts, move generation, making and taking back, random play-outs. Every answer is checked.
//!
//! `cargo bench -p rules --bench tenjiku`

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::tenjiku::{RuleSet, Tenjiku, TenjikuMove};
use rules::{Position, Rules, perft, play_out};

/// Leaves of the initial position at depth 3 (rules, section 17).
const START_3: [(&str, u64); 3] = [
    ("historical", 469_068),
    ("western", 467_540),
    ("tsa", 400_265),
];

/// Positions of three stages, the later ones from random games, with their numbers of legal moves under the rules
/// `historical`.
const POSITIONS: [(&str, &str, usize); 3] = [
    ("start", rules::tenjiku::START_SFEN, 74),
    (
        "opened",
        "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q1[kr][wb]3[vs][rc]/\
        [ss][vs]b[dh][dk][fe]2[lh][ln][bt]1[dh]1[cs][ss]/[sm]1r[hf][wb]7[cs]r1[sm]/\
        pppppppp[gg]p1pppp+[BG]/9[se]pd4/4d11/4[vg][LN]10/7[FD]1[fd]6/12P3/4D1P4D4/\
        PPPPPP1PP+[BG]PP1PPP/[SM]BR1[SE]1[GG]2[VG]2[HF]R[VM][SM]/\
        [SS][VS]2[DK][WB]1[LH]1[FD]1[DK][DH]1[VS][RC]/\
        [RC]1[CS][CS][DH][BT][KR]1Q[PH][BT][WB][CS][CS]B1/LN[FL]ICSGK[DE]GSC1[FL]NL b - 81",
        264,
    ),
    (
        "late",
        "l3[bt]+Qg1kgs1i1n1/[rc]b1[fl]2[ph][kr]2[bt]c2[vs]1/n9[lh]1[cs]1[fl]1/\
        9[ln][dk][se][dh]1[vm][sm]/p3p4p4[fd]1/5p9p/16/12p3/14[fd]1/3D12/1P1P1P10/\
        [HF]1[cs]1P+[CS]PP8/10+[bg]1[wb]3/[SM][SS]B[WB][BT][LN]10/[RC]2+[bg][KR]1[SE]8[DK]/\
        LN[FL]+[cs]1S2K3[WB]3 b - 301",
        164,
    ),
];

fn position(rules: &str, sfen: &str) -> Tenjiku {
    Tenjiku::from_sfen(&RuleSet::parse(rules).unwrap(), sfen).unwrap()
}

/// Leaves per second with the last ply counted in sets.
fn bulk_perft(c: &mut Criterion) {
    let mut group = c.benchmark_group("tenjiku perft 3, bulk");
    for (rules, leaves) in START_3 {
        group.throughput(Throughput::Elements(leaves));
        let start = Tenjiku::start(&RuleSet::parse(rules).unwrap());
        group.bench_function(rules, |b| {
            b.iter(|| assert_eq!(perft(black_box(&start), 3), leaves));
        });
    }
    group.finish();
}

/// Moves written into a list per second.
fn movegen(c: &mut Criterion) {
    let mut group = c.benchmark_group("tenjiku movegen");
    for (name, sfen, count) in POSITIONS {
        let game = position("historical", sfen);
        let mut moves = Vec::new();
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                black_box(&game).legal_moves(&mut moves);
                assert_eq!(moves.len(), count);
            });
        });
    }
    // Perft with every list written out: moves generated per second with play and undo around them.
    let mut start = Tenjiku::start(&RuleSet::HISTORICAL);
    group.throughput(Throughput::Elements(469_068 + 5_550 + 74));
    group.bench_function("perft 3, listed", |b| {
        b.iter(|| {
            assert_eq!(
                listed_perft(&mut start, &mut [vec![], vec![], vec![]]),
                469_068
            )
        });
    });
    group.finish();
}

fn listed_perft(game: &mut Tenjiku, lists: &mut [Vec<TenjikuMove>]) -> u64 {
    let (moves, deeper) = lists.split_first_mut().unwrap();
    game.legal_moves(moves);
    if deeper.is_empty() {
        return moves.len() as u64;
    }
    let mut total = 0;
    for &mv in moves.iter() {
        game.play(mv);
        total += listed_perft(game, deeper);
        game.undo();
    }
    total
}

/// Moves made and taken back per second; in comparison, copies of the whole value.
fn make(c: &mut Criterion) {
    let mut group = c.benchmark_group("tenjiku make");
    for (name, sfen, count) in POSITIONS {
        let mut game = position("historical", sfen);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(format!("{name}, play and undo"), |b| {
            b.iter(|| {
                for &mv in &moves {
                    game.play(mv);
                    black_box(game.key());
                    game.undo();
                }
            });
        });
        group.bench_function(format!("{name}, clone and play"), |b| {
            b.iter(|| {
                for &mv in &moves {
                    let mut copy = game.clone();
                    copy.play(mv);
                    black_box(copy.key());
                }
            });
        });
    }
    group.finish();
}

/// Results and checks per second.
fn queries(c: &mut Criterion) {
    let mut group = c.benchmark_group("tenjiku queries");
    for (name, sfen, _) in POSITIONS {
        let game = position("historical", sfen);
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("{name}, in check"), |b| {
            b.iter(|| black_box(&game).in_check());
        });
    }
    group.finish();
}

/// Plies per second of random games to the end, the repetition rule included.
fn playouts(c: &mut Criterion) {
    let mut group = c.benchmark_group("tenjiku playout");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(8));
    const GAMES: u64 = 20;
    for (rules, _) in START_3 {
        let start = Tenjiku::start(&RuleSet::parse(rules).unwrap());
        let play = || {
            let mut moves = Vec::new();
            let mut plies = 0;
            for seed in 0..GAMES {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                let mut game = start.clone();
                plies += play_out(&mut game, &mut moves, usize::MAX, |n| {
                    rng.random_range(0..n)
                });
            }
            plies
        };
        let plies = play();
        println!("{rules}: {} plies a game", plies as f64 / GAMES as f64);
        group.throughput(Throughput::Elements(plies as u64));
        group.bench_function(rules, |b| b.iter(|| assert_eq!(play(), plies)));
    }
    group.finish();
}

criterion_group!(benches, bulk_perft, movegen, make, queries, playouts);
criterion_main!(benches);
