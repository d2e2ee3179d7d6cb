//! The speed of the tree itself: searches of 800 playouts from middle games with an evaluator that knows nothing.
//!
//! One iteration is one search, so playouts/s = 800 / time. Targets on one thread: tenjiku 60,000 playouts/s,
//! shogi 250,000. Most of it is spent in `rules`, on the legal moves of the new leaf.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcts::{Algorithm, Search, SearchParams, UniformEvaluator, run};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::hint::black_box;

const PLAYOUTS: u32 = 800;

/// Positions after 80 plies of random play, 158 to 296 legal moves.
const TENJIKU: [&str; 4] = [
    "ln[fl][cs]csg[de]kg[kr]2[fl]nl/[rc]1[cs]1i[bt]1q1[bt]cs[cs]2[rc]/[ss][vs]b[dh][dk]3[lh]1[wb][dk][dh]b+[BG]1/[sm][BG]r[hf]1+[RG][ln][fe]1[rg]1[fd][hf]r[vm]1/ppppppp[wb]ppppp1p1/4d1[ph][rg]3d1p[se]p/16/[VG]11[FD]3/16/16/4D1[FD]1P2D2[HF]1/1PP1PPPP1PPPPP[gg]P/[SM]+[bg]R[HF]1[DK]3[RG]1[SE]1R[VM][SM]/[SS]1[VS][DH]1[WB]1[LH][FE]1[WB]1[DH]B[VS][SS]/[RC]B[CS][CS]1[BT][KR][LN]Q[PH][BT][DK][CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 81",
    "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q1[kr][wb]3[vs][rc]/[ss][vs]b[dh][dk][fe]2[lh][ln][bt]1[dh]1[cs][ss]/[sm]1r[hf][wb]7[cs]r1[sm]/pppppppp[gg]p1pppp+[BG]/9[se]pd4/4d11/4[vg][LN]10/7[FD]1[fd]6/12P3/4D1P4D4/PPPPPP1PP+[BG]PP1PPP/[SM]BR1[SE]1[GG]2[VG]2[HF]R[VM][SM]/[SS][VS]2[DK][WB]1[LH]1[FD]1[DK][DH]1[VS][RC]/[RC]1[CS][CS][DH][BT][KR]1Q[PH][BT][WB][CS][CS]B1/LN[FL]ICSGK[DE]GSC1[FL]NL b - 81",
    "ln[fl]i[bt]sg[de]1gsc1[fl]nl/[rc][vs]1c[cs][ph]1q1k[bt]1[ln]2[rc]/[ss][cs]b[dh][dk][wb]2[lh][wb][dk][dh]1b[vs][ss]/[sm][vm]r[hf][se]1[rg][fe]1[kr]1[se][hf]r[sm]1/ppp1p1[vg]pp1ppppp1/5d3p1d4/2[fd]p12/16/16/6[LH]1[VG]1Q5/1P9D4/P1P1[cs]1PP1PPPPPP1/[SM]1R1[WB]5[BG][HF]R1[SM]1/[SS][VS]B[DH]4[FE][FD][DK]1[DH]B[VS][SS]/[RC]1[CS][CS]3[LN]1[PH]1[BT]1[CS][CS][RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 81",
    "l1[fl][VG]csg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]2[kr][bt]1[cs][cs][vs][rc]/n1b1[bg][dk][fd]1q[wb][lh][dk][dh]b1[ss]/[sm][vm]1[hf][se]3[ln][rg][bg][se]1r[vm][sm]/ppp[dh]pp2ppppd1pp/3pd1p5[hf]3/12p3/7[fd]8/1[vg]14/7[fe]8/2P1D4[LH]1D3P/1PRPPPPPP[GG]PPPPP1/[SM][VM][HF]1[SE]3[FE]1[RG][SE][HF]R[VM][SM]/1[SS][VS][DH][WB][DK][FD]2[FD]1[WB][DK]B[VS][SS]/[RC]B[CS][CS]1[BT][KR]GQ[PH][BT][DH][CS][CS]1[RC]/LN[FL]ICS1K[LN]1GCI[FL]NL b - 81",
];

/// Positions after 60 plies of random play, 36 to 88 legal moves.
const SHOGI: [&str; 4] = [
    "l5g2/rs1g2sbl/3p3kn/1p3ppp1/pnp1pRPNp/PPPK5/B2P3P1/L2G4L/1NSG2S2 b 3p 61",
    "l+P4b2/2gPg3l/n1pk1psSn/3pp1p1p/p6p1/2P1P4/P4PPPP/1BSG1RK1L/LN1G2SN1 b Rp 61",
    "l3gkb2/rsg5l/4+Ns2n/p1pp1p1pp/PPGnP1B1P/2P6/L1SP1PPPL/4K1S1R/4G2N1 b 3P 61",
    "lns3k1+B/r2s5/pppg1gp1n/4p2p1/3p1pP1p/PP1G3SP/N1PLPP1PN/L6G1/B1S2K1RL b p 61",
];

fn bench_game<P: Position>(c: &mut Criterion, positions: &[&str]) {
    let positions: Vec<P> = positions
        .iter()
        .map(|sfen| P::from_sfen(&P::Rules::default(), sfen).expect("written by the rules"))
        .collect();
    let mut group = c.benchmark_group(P::GAME);
    group.throughput(Throughput::Elements(u64::from(PLAYOUTS)));
    for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
        let params = SearchParams {
            algorithm,
            ..SearchParams::default()
        };
        let mut search = Search::new(positions[0].clone());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut turn = 0;
        group.bench_function(format!("{algorithm:?}").to_lowercase(), |b| {
            b.iter(|| {
                let position = positions[turn % positions.len()].clone();
                turn += 1;
                search
                    .start(position, &params, PLAYOUTS, &mut rng)
                    .expect("the game goes on");
                run(&mut search, &mut UniformEvaluator::default(), 1, |_| false)
                    .expect("never fails");
                let result = search.result().expect("was started");
                assert!(result.playouts == PLAYOUTS || result.proof.is_some());
                black_box(result)
            })
        });
    }
    group.finish();
}

fn benches(c: &mut Criterion) {
    bench_game::<rules::tenjiku::Tenjiku>(c, &TENJIKU);
    bench_game::<rules::shogi::Shogi>(c, &SHOGI);
}

criterion_group! {
    name = search;
    config = Criterion::default().without_plots();
    targets = benches
}
criterion_main!(search);
