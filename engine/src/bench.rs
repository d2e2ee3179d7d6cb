//! `tenjiku-engine bench`: fixed positions to a fixed depth. The node count is a signature of the search: it changes only
//! when its behaviour does.

use crate::Material;
use crate::search::{AlphaBeta, Limits};
use rules::tenjiku::Tenjiku;
use std::time::Duration;

/// What a run of the bench gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bench {
    /// The bench number.
    pub nodes: u64,
    /// Time spent.
    pub elapsed: Duration,
}

/// Depth of the search in each position.
pub const DEPTH: u32 = 11;
/// Table size, part of the signature.
const HASH_MIB: usize = 16;

/// The positions: the start, one opened by random moves, and four from games of the engine with itself: after 20 plies,
/// and after 40, 60 and 80 of games at depth 6 from four random plies, of each the first game that was not decided by
/// then (neither side ahead by 1000 centipawns).
pub const POSITIONS: [&str; 6] = [
    rules::tenjiku::START_SFEN,
    "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q1[kr][wb]3[vs][rc]/[ss][vs]b[dh][dk][fe]2[lh][ln][bt]1[dh]1[cs][ss]/\
    [sm]1r[hf][wb]7[cs]r1[sm]/pppppppp[gg]p1pppp+[BG]/9[se]pd4/4d11/4[vg][LN]10/7[FD]1[fd]6/12P3/4D1P4D4/\
    PPPPPP1PP+[BG]PP1PPP/[SM]BR1[SE]1[GG]2[VG]2[HF]R[VM][SM]/[SS][VS]2[DK][WB]1[LH]1[FD]1[DK][DH]1[VS][RC]/\
    [RC]1[CS][CS][DH][BT][KR]1Q[PH][BT][WB][CS][CS]B1/LN[FL]ICSGK[DE]GSC1[FL]NL b - 81",
    "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q[ln][kr]1[bt][cs][cs]b[rc]/[ss][vs]b[dh][dk]2[fe][lh][fd][wb][dk][dh]1[vs][ss]/\
    [sm][vm]3[se][rg][vg][gg]1[bg][se][hf]r[vm][sm]/pp1[fd]1p1ppppppppp/6p4d4/16/16/16/16/2P1D2[FD]P[SE]1D[BG]3/PP1PPPPP1PPPPPPP/\
    [SM][VM]R[HF][SE][BG][RG][GG][VG]4R[VS][SM]/[SS][VS]B[DH]1[WB][FD][LH][FE]2[DK][DH]B1[SS]/\
    [RC]1[CS][CS][DK][BT][KR][LN]Q[PH][BT]1[CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 21",
    "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs]1[cs][bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/[ss][vs]b[dh][dk][wb]1[fe][lh][fd][wb][dk][dh]b[vs][ss]/\
    [sm][vm]r[hf]9r[vm][sm]/pppppp1p1ppppppp/4d1p1p2d2[hf]1/16/8[se]7/2[gg]13/16/3PD4P1D4/PPP1PPPPP[FD]PPPPPP/\
    [SM][VM]R[HF]1[BG]1[GG]2[BG][DH][HF]R[VM][SM]/[SS][VS]B[DH][DK]3[FE][LH][WB]2B[VS][SS]/\
    [RC][CS]1[CS]1[BT][KR][LN]Q[PH][BT][DK][CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 41",
    "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/[ss][vs]b1[dk]2[fe][lh][fd][wb][dk][dh]b[vs][ss]/\
    [sm][vm]r2[bg]1[vg]1[gg][bg]2r[vm][sm]/ppp1p1pppppppppp/3pd2[dh]3d4/5p4[wb][hf]4/1[hf]14/7[fd]8/16/3P2[SE]1P1PD[HF]3/\
    PPPDPPPP[WB]P1PPPPP/[SM][VM]R[HF]1[BG][FD][GG][VG]1[BG]2R[VM][SM]/[SS][VS]B[DH]3[LH][FE]1[WB][DK]1B[VS][SS]/\
    [RC]1[CS][CS][DK][BT][KR][LN]Q[PH][BT]1[CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 61",
    "ln[fl]ic1g[de]kg1ci[fl]nl/[rc]1[cs]1s[bt][ph]q[ln][kr][bt]s1[cs]1[rc]/[ss][vs]b[dh]3[dk][lh][dk]2[dh]b[vs][ss]/\
    [sm][vm]r[hf]8[hf]r[vm][sm]/pppppp1pp1pppppp/4d4p1d4/7[cs][cs]7/16/7[wb]8/16/4D3P2D4/PPPPPPPP[FE]PPPPPPP/\
    [SM][VM]6R1[BG]2R[VM][SM]/[SS][VS]1[DH][DK][SE]1[LH]1[DH]1[DK]3[SS]/\
    [RC]B[CS][CS]1[BT][KR][LN]Q[PH][BT][WB][CS][VS]B[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 81",
];

/// Searches every position; `report` gets its number, nodes and time.
pub fn bench(depth: u32, mut report: impl FnMut(usize, u64, Duration)) -> Bench {
    bench_of::<Tenjiku>(&POSITIONS, depth, &mut report)
}

fn bench_of<P: Material>(
    positions: &[&str],
    depth: u32,
    report: &mut dyn FnMut(usize, u64, Duration),
) -> Bench {
    let mut total = Bench::default();
    let mut search = AlphaBeta::new(HASH_MIB);
    // What is made once, such as the evaluation's terms, is not part of the first position's time.
    let start = P::start(&P::Rules::default());
    search.think(&start, &Limits::depth(1), &mut |_| {});
    for (i, sfen) in positions.iter().enumerate() {
        search.clear();
        let position = P::from_sfen(&P::Rules::default(), sfen)
            .expect("the bench's positions are well-formed");
        let thought = search.think(&position, &Limits::depth(depth), &mut |_| {});
        let thought = thought.expect("the bench's positions have moves");
        report(i + 1, thought.nodes, thought.elapsed);
        total.nodes += thought.nodes;
        total.elapsed += thought.elapsed;
    }
    total
}
