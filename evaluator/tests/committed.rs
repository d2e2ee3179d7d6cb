//! The network that comes with the repository, `networks/tenjiku.onnx`: every program can read it, and it knows its game.

mod common;

use common::{plan, play, start};
use engine::PlayerSpec;
use evaluator::{PlayerFactory, make_player};
use inference::{OnnxFile, Runtime, open_evaluator};
use mcts::{Evaluations, LeafEvaluator};
use rules::tenjiku::{Kind, Piece, Tenjiku};
use rules::{Color, Position};
use std::path::{Path, PathBuf};

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../networks/tenjiku.onnx")
}

#[test]
fn it_is_small_and_says_where_it_is_from() {
    assert!(std::fs::metadata(file()).unwrap().len() <= 4 << 20);
    let file = OnnxFile::open(&file()).unwrap();
    file.check_game::<Tenjiku>().unwrap();
    let metadata = file.metadata();
    assert!(metadata.step > 0 && !metadata.network_hash.is_empty() && !metadata.rules.is_empty());
}

/// Without an own fire demon, and without an own great general, the start position is worth less, without the enemy's more. Every
/// run-time that is there answers, and to the file's canaries as libtorch did.
#[test]
fn it_knows_what_pieces_are_worth() {
    let start = start();
    let without = |color: Color, kind: Kind| {
        let mut snapshot = start.snapshot();
        let square = (snapshot.board.iter())
            .position(|&code| {
                Piece::from_code(code)
                    .is_some_and(|piece| piece.color == color && piece.kind() == kind)
            })
            .unwrap();
        snapshot.board[square] = 0;
        Tenjiku::from_snapshot(&Default::default(), &snapshot).unwrap()
    };
    for runtime in [Runtime::Tract, Runtime::OnnxRuntime] {
        if runtime == Runtime::OnnxRuntime && inference::library().is_err() {
            continue;
        }
        let mut evaluator = open_evaluator::<Tenjiku>(&file(), runtime, 1, true).unwrap();
        let mut score = |position: &Tenjiku| {
            let (mut moves, mut out) = (Vec::new(), Evaluations::default());
            position.legal_moves(&mut moves);
            evaluator.push(position, &moves);
            evaluator.flush(&mut out).unwrap();
            out.wdl[0][0] + out.wdl[0][1] / 2.0
        };
        let whole = score(&start);
        assert!((0.3..0.7).contains(&whole), "{whole}");
        for kind in [Kind::FireDemon, Kind::GreatGeneral] {
            let own = score(&without(Color::Black, kind));
            let enemy = score(&without(Color::White, kind));
            assert!(own < whole - 0.1, "{kind:?}: {own} of {whole}");
            assert!(enemy > whole + 0.1, "{kind:?}: {enemy} of {whole}");
        }
    }
}

/// Four games with 16 playouts a move against a random player.
#[test]
fn it_beats_a_random_player() {
    let specs = [
        format!("onnx:{}:visits=16", file().display()),
        "random".into(),
    ];
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| {
        let spec: PlayerSpec = specs[i].parse().unwrap();
        Ok(make_player(&spec, &start()).unwrap())
    };
    let (report, _) = play(&plan(&["network", "random"], 2, 600), factory);
    let tally = &report.encounters[0].tally;
    assert_eq!((tally.wins, tally.games()), (4, 4), "{tally:?}");
}
