//! Published leaf counts, promotion choices counted as separate moves.

use rules::shogi::{RuleSet, Shogi};
use rules::{GameMove, Position, perft};

/// Position and its leaf counts from depth 1 on.
///
/// # Source
/// The first is the count that shogi programs agree on; the two others are known for their many drops and
/// promotions (the last is the position with 593 moves, the most that can be).
const COUNTS: [(&str, &[u64]); 3] = [
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        &[30, 900, 25_470, 719_731, 19_861_490],
    ),
    (
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        &[207, 28_684, 4_809_015],
    ),
    (
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        &[593, 105_677, 53_393_368],
    ),
];

#[test]
fn published_counts() {
    for (sfen, counts) in COUNTS {
        let position = Shogi::from_sfen(&RuleSet::default(), sfen).expect("a valid position");
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count, "depth {depth} of {sfen}");
        }
    }
}

/// The same counts as far as 100,000 leaves by lists alone, so that the counting of sets is checked too.
#[test]
fn lists_are_as_long_as_counts() {
    fn leaves<P: Position>(position: &mut P, depth: usize) -> u64 {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut distinct: Vec<u32> = moves.iter().map(|mv| mv.code()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(
            distinct.len(),
            moves.len(),
            "a move is listed twice in {}",
            position.sfen()
        );
        if depth == 1 {
            return moves.len() as u64;
        }
        let mut sum = 0;
        for mv in moves {
            position.play(mv);
            sum += leaves(position, depth - 1);
            position.undo();
        }
        sum
    }
    for (sfen, counts) in COUNTS {
        let mut position = Shogi::from_sfen(&RuleSet::default(), sfen).expect("a valid position");
        for (i, &count) in counts
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count < 200_000)
        {
            assert_eq!(
                leaves(&mut position, i + 1),
                count,
                "depth {} of {sfen}",
                i + 1
            );
        }
    }
}
