//! The value targets of the two sides of one position belong to one game: what one side wins the other loses.

use records::{GameInfo, PositionRecord, Sample, SearchKind, StmResult, Wdl};
use rules::{Color, EndReason, Position};
use trainer::{EndTarget, EndTargets, value_target};

/// A row seen by `turn`, in a game that `winner` won, whose search gave Black the value `root`.
fn sample(game: &GameInfo, turn: Color, root: Option<Wdl>) -> Sample<'_> {
    let mut snapshot =
        rules::tenjiku::Tenjiku::start(&rules::tenjiku::RuleSet::default()).snapshot();
    snapshot.turn = turn;
    let root = root.map(|root| match turn {
        Color::Black => root,
        Color::White => Wdl {
            win: root.loss,
            draw: root.draw,
            loss: root.win,
        },
    });
    Sample {
        game,
        ply: 3,
        plies_left: 7,
        result: StmResult::of(game.winner, turn),
        row: PositionRecord {
            snapshot,
            in_check: false,
            legal_moves: 1,
            search: SearchKind::Full,
            visits: 1,
            policy: None,
            played: 0,
            root,
            net: None,
        },
    }
}

fn all(target: EndTarget) -> EndTargets {
    EndTargets {
        royal_captured: target,
        no_moves: target,
        repetition: target,
        perpetual_check: target,
        declaration: target,
        resignation: target,
        ply_cap: target,
        adjudication: target,
        illegal_move: target,
        time: target,
        engine_failure: target,
    }
}

#[test]
fn what_one_side_wins_the_other_loses_for_every_end_reason() {
    let root = Wdl {
        win: 0.5,
        draw: 0.375,
        loss: 0.125,
    };
    let tables = [
        EndTargets::default(),
        all(EndTarget::Result),
        all(EndTarget::Draw),
        all(EndTarget::Search),
        all(EndTarget::Drop),
    ];
    let mut seen = 0;
    for reason in EndReason::ALL {
        for winner in [None, Some(Color::Black), Some(Color::White)] {
            let game = GameInfo {
                id: "g".into(),
                rules: "historical".into(),
                generation: 0,
                plies: 10,
                winner,
                reason,
            };
            for (ends, root_share, root) in tables.iter().flat_map(|ends| {
                [0.0, 0.25, 1.0]
                    .into_iter()
                    .flat_map(move |share| [None, Some(root)].map(|root| (ends, share, root)))
            }) {
                let of = |turn| value_target(&sample(&game, turn, root), ends, root_share);
                let (black, white) = (of(Color::Black), of(Color::White));
                assert_eq!(black.moves_left, white.moves_left);
                match (black.wdl, white.wdl) {
                    (Some([win, draw, loss]), Some(other)) => {
                        assert!((win + draw + loss - 1.0).abs() < 1e-6);
                        assert_eq!([loss, draw, win], other, "{reason:?} {winner:?}");
                        assert!(((win - loss) + (other[0] - other[2])).abs() < 1e-6);
                        seen += 1;
                    }
                    (None, None) => {}
                    different => panic!("{reason:?}: {different:?}"),
                }
            }
        }
    }
    // Result and Draw always have a target (11 reasons, 3 winners, 6 mixtures, 2 tables); Search in half of the cases.
    assert!(seen >= 11 * 3 * 6 * 2 + 11 * 3 * 3, "{seen}");
}

#[test]
fn a_won_game_is_won_for_the_winner() {
    let game = GameInfo {
        id: "g".into(),
        rules: "historical".into(),
        generation: 0,
        plies: 10,
        winner: Some(Color::White),
        reason: EndReason::RoyalCaptured,
    };
    let ends = EndTargets::default();
    let of = |turn| value_target(&sample(&game, turn, None), &ends, 0.5).wdl;
    assert_eq!(of(Color::White), Some([1.0, 0.0, 0.0]));
    assert_eq!(of(Color::Black), Some([0.0, 0.0, 1.0]));
}
