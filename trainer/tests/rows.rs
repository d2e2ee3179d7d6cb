//! What rows teach, at the edges: every end reason, and positions with very many moves.

use network::tch::Device;
use records::{GameInfo, Policy, PositionRecord, Sample, SearchKind, StmResult, Wdl};
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Color, EndReason, GameMove, Position};
use samples::{WIDE, wide};
use trainer::{
    DecodeParams, EndTargets, HostBatch, TrainParams, TrainState, example, value_target,
};

mod common;

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

/// From two moves a target names to a step of the optimiser, beside a position with 74.
#[test]
fn more_than_a_thousand_moves_become_one_batch_and_one_step() {
    let start = Tenjiku::start(&RuleSet::default());
    let params = TrainParams {
        batch_size: 4,
        threads: 1,
        ..TrainParams::default()
    };
    let info = info(EndReason::RoyalCaptured, Some(Color::Black));
    let of = |position: &Tenjiku| {
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
        example::<Tenjiku>(&sample, start.rules(), true, &DecodeParams::from(&params)).unwrap()
    };
    let examples: Vec<_> = [start.clone()].iter().chain(&wide()).map(of).collect();
    let counts: Vec<usize> = examples.iter().map(|e| e.slots.len()).collect();
    assert_eq!(counts[0], 74); // rules/tenjiku.md, section 17
    for (count, least) in counts[1..].iter().zip(WIDE) {
        assert!(*count >= least, "{counts:?}");
    }
    for example in &examples {
        let mut slots = example.slots.clone();
        slots.sort_unstable_by_key(|slot| (slot.query, slot.to, slot.via));
        slots.dedup();
        assert_eq!(
            slots.len(),
            example.slots.len(),
            "a slot stands for two moves"
        );
    }

    // One line a position, as wide as the widest; what is left over points behind the last move.
    let batch = HostBatch::new::<Tenjiku>(&examples);
    let (width, all) = (counts[3], counts.iter().sum::<usize>() as i32);
    assert_eq!(batch.layout.len(), 4 * width);
    let mut first = 0;
    for (line, &count) in batch.layout.chunks(width).zip(&counts) {
        assert!(line[..count].iter().zip(first..).all(|(&a, b)| a == b));
        assert!(line[count..].iter().all(|&mv| mv == all));
        first += count as i32;
    }
    for weights in batch.policy.chunks(width) {
        assert_eq!(weights.iter().sum::<f32>(), 1.0);
    }

    let batch = batch.to_device(Device::Cpu);
    let mut state = TrainState::new(common::fresh::<Tenjiku>(1));
    let stats = state.step(&batch, &params);
    assert!(stats.finite && stats.policy > 0.0, "{stats:?}");
    // A fresh network thinks all moves about equally good: the loss is the mean of the logarithms of their numbers.
    let expected = counts.iter().map(|&n| (n as f64).ln()).sum::<f64>() / 4.0;
    assert!(
        (stats.policy - expected).abs() < 0.5,
        "{stats:?} against {expected}"
    );
}
