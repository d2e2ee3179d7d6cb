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
pub const DEPTH: u32 = 5;
/// Table size, part of the signature.
const HASH_MIB: usize = 16;

/// The positions: the start, an opened and a late one from random games.
pub const POSITIONS: [&str; 3] = [
    rules::tenjiku::START_SFEN,
    "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q1[kr][wb]3[vs][rc]/[ss][vs]b[dh][dk][fe]2[lh][ln][bt]1[dh]1[cs][ss]/\
    [sm]1r[hf][wb]7[cs]r1[sm]/pppppppp[gg]p1pppp+[BG]/9[se]pd4/4d11/4[vg][LN]10/7[FD]1[fd]6/12P3/4D1P4D4/\
    PPPPPP1PP+[BG]PP1PPP/[SM]BR1[SE]1[GG]2[VG]2[HF]R[VM][SM]/[SS][VS]2[DK][WB]1[LH]1[FD]1[DK][DH]1[VS][RC]/\
    [RC]1[CS][CS][DH][BT][KR]1Q[PH][BT][WB][CS][CS]B1/LN[FL]ICSGK[DE]GSC1[FL]NL b - 81",
    "l3[bt]+Qg1kgs1i1n1/[rc]b1[fl]2[ph][kr]2[bt]c2[vs]1/n9[lh]1[cs]1[fl]1/9[ln][dk][se][dh]1[vm][sm]/p3p4p4[fd]1/\
    5p9p/16/12p3/14[fd]1/3D12/1P1P1P10/[HF]1[cs]1P+[CS]PP8/10+[bg]1[wb]3/[SM][SS]B[WB][BT][LN]10/\
    [RC]2+[bg][KR]1[SE]8[DK]/LN[FL]+[cs]1S2K3[WB]3 b - 301",
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
