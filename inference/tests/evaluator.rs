//! The evaluator of the search over an exported network: order, batches, slots, probabilities.

mod common;

use common::toy::{Toy, ToyMove};
use common::{Net, architecture, reference};
use encoding::Encoded;
use inference::{Backend, BatchEvaluator, OnnxFile, Runtime, Trunk, make_canaries};
use mcts::{Evaluations, LeafEvaluator};
use rules::{Color, Position};

fn net() -> Net {
    let mut net = Net::arbitrary(architecture(Trunk::Se), encoding::spec::<Toy>(), 8);
    net.table = Toy::plane_table();
    net
}

fn evaluator(net: &Net) -> BatchEvaluator<Toy> {
    BatchEvaluator::new(backend(net, Runtime::Auto)).unwrap()
}

fn backend(net: &Net, runtime: Runtime) -> Box<dyn Backend> {
    let dir = tempfile::tempdir().unwrap();
    net.write(dir.path());
    let bytes = inference::build_model(dir.path(), &net.table, &net.documentation(), &[]).unwrap();
    let path = dir.path().join("net.onnx");
    std::fs::write(&path, bytes).unwrap();
    OnnxFile::open(&path).unwrap().backend(runtime, 1).unwrap()
}

/// Positions of both colours, with hands, promoted pieces and jumps.
fn positions() -> Vec<(Toy, Vec<ToyMove>)> {
    [
        "ppp/.../.../PPP b 00 1",
        "p.p/.p./.P./P.P b 10 5",
        "p.p/.p./.P./P.P w 01 6",
        "q.p/P../.pP/Q.. w 12 17",
        "..p/P../.../Q.. b 00 2",
    ]
    .map(|sfen| {
        let position = Toy::from_sfen(&Default::default(), sfen).unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        (position, moves)
    })
    .to_vec()
}

/// The logits of the legal moves from the plain forward pass, by the formula of `docs/encoding.md` written out.
fn expected(net: &Net, position: &Toy, moves: &[ToyMove]) -> (Vec<f32>, [f32; 3], f32) {
    let snapshot = position.snapshot();
    let turned = snapshot.turn == Color::White;
    let view = |square: usize| if turned { 11 - square } else { square };
    let mut squares = [0u8; 12];
    for square in 0..12 {
        let code = snapshot.board[square];
        squares[view(square)] = match code {
            0 => 0,
            1 | 2 if turned => code + 2,
            3 | 4 if turned => code - 2,
            _ => code,
        };
    }
    let mut globals = [0.0; 3];
    Toy::write_globals(position.rules(), &snapshot, &[], &mut globals);
    let raw = reference::forward(net, 1, &squares, &globals);
    let d = net.architecture.policy_dim;
    let vector = |square: usize, part: usize| &raw.policy[square * 4 * d + part * d..][..d];
    let dot = |a: &[f32], b: &[f32]| (0..d).map(|i| a[i] * b[i]).sum::<f32>();
    let logits = moves
        .iter()
        .map(|&mv| {
            let query = match (Toy::move_from(mv), Toy::move_promotes(mv)) {
                (12, _) => &raw.drops[..d],
                (from, promotes) => vector(view(from), usize::from(promotes)),
            };
            let landing = dot(query, vector(view(Toy::move_to(mv)), 2));
            let via = Toy::move_via(mv).map_or(0.0, |via| dot(query, vector(view(via), 3)));
            let captures = snapshot.board[Toy::move_to(mv)] != 0;
            let marks = [
                (captures, raw.marks[0]),
                (Toy::move_promotes(mv), raw.marks[1]),
            ];
            let marked = marks.iter().filter(|(set, _)| *set).map(|(_, v)| v);
            landing + via + marked.sum::<f32>()
        })
        .collect();
    let e: Vec<f32> = raw.wdl_logits.iter().map(|l| l.exp()).collect();
    let sum: f32 = e.iter().sum();
    (
        logits,
        [e[0] / sum, e[1] / sum, e[2] / sum],
        raw.moves_left[0],
    )
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-4 * b.abs().max(1.0)
}

#[test]
fn answers_are_those_of_the_network_in_any_grouping() {
    let net = net();
    let mut evaluator = evaluator(&net);
    let positions = positions();
    assert!(
        positions
            .iter()
            .flat_map(|(_, m)| m)
            .any(|&m| Toy::move_via(m).is_some())
    );
    assert!(
        positions
            .iter()
            .flat_map(|(_, m)| m)
            .any(|&m| Toy::move_promotes(m))
    );
    assert!(
        positions
            .iter()
            .flat_map(|(_, m)| m)
            .any(|&m| Toy::move_from(m) == 12)
    );
    let mut out = Evaluations::default();
    for group in [1, 2, 3, 5] {
        for chunk in positions.chunks(group) {
            for (position, moves) in chunk {
                evaluator.push(position, moves);
            }
            assert_eq!(LeafEvaluator::<Toy>::pending(&evaluator), chunk.len());
            evaluator.flush(&mut out).unwrap();
            assert_eq!(LeafEvaluator::<Toy>::pending(&evaluator), 0);
            assert_eq!(out.len(), chunk.len());
            for (i, (position, moves)) in chunk.iter().enumerate() {
                let (logits, wdl, left) = expected(&net, position, moves);
                assert_eq!(out.logits(i).len(), moves.len());
                for (a, b) in out.logits(i).iter().zip(&logits) {
                    assert!(near(*a, *b), "{a} {b}");
                }
                for (a, b) in out.wdl[i].iter().zip(&wdl) {
                    assert!(near(*a, *b), "{a} {b}");
                }
                assert!(near(out.moves_left[i], left));
            }
        }
    }
}

#[test]
fn nothing_pending_gives_nothing() {
    let mut evaluator = evaluator(&net());
    let mut out = Evaluations::default();
    evaluator.flush(&mut out).unwrap();
    assert!(out.is_empty());
    assert_eq!(out.offsets, [0]);
}

#[test]
fn a_network_for_another_encoding_is_refused() {
    let mut net = net();
    net.spec.version += 1;
    let error = BatchEvaluator::<Toy>::new(backend(&net, Runtime::Tract))
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("version 4"), "{error}");
}

#[test]
fn weights_that_overflow_are_an_error() {
    let mut net = net();
    net.tensors
        .get_mut("value.wdl.weight")
        .unwrap()
        .1
        .fill(f32::MAX);
    let mut evaluator = evaluator(&net);
    let (position, moves) = &positions()[0];
    evaluator.push(position, moves);
    let mut out = Evaluations::default();
    let error = evaluator.flush(&mut out).unwrap_err().to_string();
    assert!(error.contains("non-finite"), "{error}");
    assert!(out.is_empty());
    assert_eq!(LeafEvaluator::<Toy>::pending(&evaluator), 0);
}

#[test]
fn canaries_depend_on_the_seed_only_and_have_all_legal_moves() {
    let net = net();
    let mut evaluator = evaluator(&net);
    let mut make =
        |seed| make_canaries::<Toy>(&Default::default(), &mut evaluator, 12, seed).unwrap();
    let (a, b, c) = (make(1), make(1), make(2));
    assert_eq!(a, b);
    assert_ne!(a, c);
    for canary in a {
        let position = Toy::from_sfen(&Default::default(), &canary.sfen).unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut texts: Vec<_> = moves.iter().map(|m| m.to_string()).collect();
        let mut stored: Vec<_> = canary.moves.iter().map(|m| m.text.clone()).collect();
        texts.sort();
        stored.sort();
        assert_eq!(texts, stored);
        let (logits, wdl, left) = expected(&net, &position, &moves);
        let sum: f32 = logits.iter().map(|l| l.exp()).sum();
        for (m, logit) in canary.moves.iter().zip(logits) {
            assert!(near(m.probability, logit.exp() / sum));
        }
        assert!(canary.wdl.iter().zip(wdl).all(|(a, b)| near(*a, b)));
        assert!(near(canary.moves_left, left));
    }
}
