//! What rows teach, at the edges: every end reason, and positions with very many moves.

use records::{GameInfo, Policy, PositionRecord, Sample, SearchKind, StmResult, Wdl};
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Color, EndReason, GameMove, Position};
use trainer::{DecodeParams, EndTargets, HostBatch, TrainParams, example, value_target};

fn info(reason: EndReason, winner: Option<Color>) -> GameInfo {
    GameInfo {
        id: "g".into(),
        rules: "historical".into(),
        generation: 0,
        plies: 7,
        winner,
        reason,
    }
}

fn row(position: &Tenjiku, root: Option<Wdl>, policy: Option<Policy>) -> PositionRecord {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    PositionRecord {
        snapshot: position.snapshot(),
        in_check: position.in_check(),
        legal_moves: moves.len() as u32,
        search: SearchKind::Full,
        visits: 64,
        policy,
        played: moves[0].code(),
        root,
        net: None,
    }
}

/// A position and what its two sides should expect: what one may win, the other may lose.
#[test]
fn the_two_sides_of_a_position_expect_opposite_results() {
    let position = Tenjiku::start(&RuleSet::default());
    let root = Wdl {
        win: 0.5,
        draw: 0.125,
        loss: 0.375,
    };
    let turned = Wdl {
        win: root.loss,
        draw: root.draw,
        loss: root.win,
    };
    for reason in EndReason::ALL {
        for winner in [None, Some(Color::Black), Some(Color::White)] {
            let info = info(reason, winner);
            let target = |turn: Color, root: Wdl| {
                let sample = Sample {
                    game: &info,
                    ply: 3,
                    plies_left: 4,
                    result: StmResult::of(winner, turn),
                    row: row(&position, Some(root), None),
                };
                value_target(&sample, &EndTargets::default(), 0.25)
            };
            let [black, white] = [target(Color::Black, root), target(Color::White, turned)];
            assert_eq!(black.moves_left, white.moves_left, "{reason:?}");
            match (black.wdl, white.wdl) {
                (None, None) => {}
                (Some(black), Some(mut white)) => {
                    assert_eq!(black.iter().sum::<f32>(), 1.0, "{reason:?}");
                    white.reverse();
                    assert_eq!(black, white, "{reason:?}");
                    if winner == Some(Color::Black) {
                        assert!(black[0] > black[2], "{reason:?}");
                    }
                }
                other => panic!("{reason:?}: {other:?}"),
            }
        }
    }
}

/// Free eagles whose lines are open: 1,200 moves and more, of which the target names two.
#[test]
fn more_than_a_thousand_moves_become_one_batch() {
    let rows = [
        "15k",
        "2[FE]4[FE]4[FE]3",
        "4[FE]4[FE]4[FE]1",
        "1[FE]4[FE]4[FE]4",
        "3[FE]4[FE]4[FE]2",
        "[FE]4[FE]4[FE]4[FE]",
        "2[FE]4[FE]4[FE]3",
        "4[FE]4[FE]4[FE]1",
        "1[FE]4[FE]4[FE]4",
        "3[FE]4[FE]4[FE]2",
        "[FE]4[FE]4[FE]4[FE]",
        "2[FE]4[FE]4[FE]3",
        "4[FE]4[FE]4[FE]1",
        "1[FE]4[FE]4[FE]4",
        "3[FE]4[FE]4[FE]2",
        "15K",
    ];
    let rules = RuleSet::default();
    let wide = Tenjiku::from_sfen(&rules, &format!("{} b - 1", rows.join("/"))).unwrap();
    let start = Tenjiku::start(&rules);
    let params = DecodeParams::from(&TrainParams::default());
    let info = info(EndReason::RoyalCaptured, Some(Color::Black));
    let examples: Vec<_> = [&start, &wide]
        .map(|position| {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let mut codes = [moves[0].code(), moves[moves.len() - 1].code()].to_vec();
            codes.sort_unstable();
            let policy = Policy {
                moves: codes,
                weights: vec![0.75, 0.25],
            };
            let sample = Sample {
                game: &info,
                ply: 0,
                plies_left: 7,
                result: StmResult::Win,
                row: row(position, None, Some(policy)),
            };
            example::<Tenjiku>(&sample, &rules, true, &params).unwrap()
        })
        .into();
    let counts: Vec<usize> = examples.iter().map(|e| e.slots.len()).collect();
    assert_eq!(counts[0], 74); // rules/tenjiku.md, section 17
    assert!(counts[1] > 1_024, "{counts:?}");
    let mut slots = examples[1].slots.clone();
    slots.sort_unstable_by_key(|slot| (slot.query, slot.to, slot.via));
    slots.dedup();
    assert_eq!(slots.len(), counts[1], "a slot stands for two moves");

    let batch = HostBatch::new::<Tenjiku>(&examples);
    let width = counts[1];
    assert_eq!(batch.layout.len(), 2 * width);
    let (narrow, full) = batch.layout.split_at(width);
    let all = (counts[0] + counts[1]) as i32;
    assert!(narrow[counts[0]..].iter().all(|&mv| mv == all));
    assert!(full.iter().zip(counts[0] as i32..).all(|(&a, b)| a == b));
    let weight = |row: usize| batch.policy[row * width..][..width].iter().sum::<f32>();
    assert_eq!((weight(0), weight(1)), (1.0, 1.0));
}
