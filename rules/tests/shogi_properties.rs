//! What holds in every position: on random games.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::shogi::{RuleSet, Shogi, ShogiMove};
use rules::{GameMove, Position};

const STARTS: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
    "8k/R8/9/9/9/9/9/9/K8 b r 1",
];

/// Everything about a position that its string does not tell.
fn everything(position: &Shogi) -> impl PartialEq + std::fmt::Debug + use<> {
    let snapshot = position.snapshot();
    let seen = (
        position.key(),
        position.in_check(),
        position.early_outcome(),
        position.plies(),
    );
    (position.sfen(), snapshot, seen, moves(position))
}

fn moves(position: &Shogi) -> Vec<ShogiMove> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
}

/// Calls `check` in every position of some random games.
fn in_random_games(games: u64, mut check: impl FnMut(&mut Shogi)) {
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let start = STARTS[seed as usize % STARTS.len()];
        let mut position = Shogi::from_sfen(&RuleSet::default(), start).expect("a valid start");
        for _ in 0..rng.random_range(1..120) {
            check(&mut position);
            match moves(&position).choose(&mut rng) {
                Some(&mv) => position.play(mv),
                None => break,
            }
        }
        check(&mut position);
    }
}

#[test]
fn undo_restores_everything() {
    in_random_games(24, |position| {
        let before = everything(position);
        for mv in moves(position) {
            position.play(mv);
            position.undo();
        }
        assert!(before == everything(position), "{}", position.sfen());
    });
    // All the way back, remembering every step.
    for seed in 0..24 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position =
            Shogi::from_sfen(&RuleSet::default(), STARTS[seed as usize % 4]).expect("valid");
        let mut past = Vec::new();
        while past.len() < 300 {
            past.push(everything(&position));
            match moves(&position).choose(&mut rng) {
                Some(&mv) => position.play(mv),
                None => break,
            }
        }
        while position.plies() > 0 {
            position.undo();
            assert_eq!(past[position.plies()], everything(&position));
        }
    }
}

#[test]
fn key_moves_and_check_are_those_of_the_position_alone() {
    in_random_games(200, |position| {
        let fresh =
            Shogi::from_sfen(&RuleSet::default(), &position.sfen()).expect("its own string");
        assert_eq!(position.sfen(), fresh.sfen());
        assert_eq!(position.key(), fresh.key(), "{}", position.sfen());
        assert_eq!(position.in_check(), fresh.in_check(), "{}", position.sfen());
        let again =
            Shogi::from_snapshot(&RuleSet::default(), &position.snapshot()).expect("its snapshot");
        assert_eq!(again.key(), fresh.key());
        if position.early_outcome().is_none() {
            assert_eq!(moves(position), moves(&fresh), "{}", position.sfen());
        }
    });
}

#[test]
fn keys_tell_positions_apart() {
    use std::collections::HashMap;
    let mut seen: HashMap<u64, String> = HashMap::new();
    in_random_games(200, |position| {
        let sfen = position.sfen();
        let without_number = sfen.rsplit_once(' ').expect("fields").0.to_string();
        let known = seen
            .entry(position.key())
            .or_insert_with(|| without_number.clone());
        assert_eq!(*known, without_number);
    });
    assert!(seen.len() > 5_000, "{} positions", seen.len());
}

#[test]
fn every_move_has_a_code_and_a_string_of_its_own() {
    in_random_games(60, |position| {
        for mv in moves(position) {
            assert_eq!(ShogiMove::from_code(mv.code()), Some(mv), "{mv}");
            assert_eq!(position.parse_move(&mv.to_string()), Ok(mv));
            assert!(position.is_legal(mv));
            assert_eq!(Shogi::move_via(mv), None);
            assert!(!position.wins_at_once(mv));
            assert!(Shogi::move_from(mv) < 88 && Shogi::move_to(mv) < 81);
        }
    });
}

/// `is_legal` of every code there is, in some positions: no move beside the listed ones.
#[test]
fn what_is_not_listed_is_not_legal() {
    let all: Vec<ShogiMove> = (0..1 << 16).filter_map(ShogiMove::from_code).collect();
    let mut turn = 0;
    in_random_games(40, |position| {
        turn += 1;
        if turn % 10 == 0 {
            let mut listed = moves(position);
            listed.sort();
            let legal: Vec<ShogiMove> = all
                .iter()
                .copied()
                .filter(|&mv| position.is_legal(mv))
                .collect();
            assert_eq!(legal, listed, "{}", position.sfen());
            for &mv in all.iter().step_by(97).filter(|mv| !listed.contains(mv)) {
                assert!(position.parse_move(&mv.to_string()).is_err());
            }
        }
    });
}

#[test]
fn codes_and_strings_agree_for_all_moves() {
    let all: Vec<ShogiMove> = (0..1 << 17).filter_map(ShogiMove::from_code).collect();
    // 7 kinds dropped on 81 squares; queen lines and both sides' knight jumps on the board, and the
    // promotions among them, counted by another way round: per offset, the squares from which it stays on.
    let mut steps = 0;
    let mut promotions = 0;
    for (file, rank) in (0..9i32).flat_map(|f| (0..9i32).map(move |r| (f, r))) {
        for (to_file, to_rank) in (0..9i32).flat_map(|f| (0..9i32).map(move |r| (f, r))) {
            let (aside, ahead) = ((to_file - file).abs(), (to_rank - rank).abs());
            let line = aside == 0 || ahead == 0 || aside == ahead;
            if (aside, ahead) != (0, 0) && (line || (aside, ahead) == (1, 2)) {
                steps += 1;
                let zone = |rank| !(3..6).contains(&rank);
                promotions += usize::from(zone(rank) || zone(to_rank));
            }
        }
    }
    assert_eq!(all.len(), 7 * 81 + steps + promotions);
    for mv in all {
        assert_eq!(ShogiMove::from_code(mv.code()), Some(mv));
        assert_eq!(Shogi::mirror_move(Shogi::mirror_move(mv)), mv);
    }
}

#[test]
fn mirrored_positions_have_mirrored_moves() {
    in_random_games(120, |position| {
        let mirrored = position.mirror();
        assert_eq!(mirrored.mirror().sfen(), position.sfen());
        assert_eq!(mirrored.turn(), position.turn());
        assert_eq!(mirrored.move_number(), position.move_number());
        assert_eq!(mirrored.in_check(), position.in_check());
        assert_eq!(mirrored.plies(), 0);
        if position.early_outcome().is_none() {
            let mut expected: Vec<ShogiMove> = moves(position)
                .into_iter()
                .map(Shogi::mirror_move)
                .collect();
            let mut found = moves(&mirrored);
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{}", position.sfen());
        }
        // Squares of one rank come in the opposite order.
        let board = position.snapshot().board;
        let turned: Vec<u8> = board
            .chunks(9)
            .flat_map(|rank| rank.iter().rev().copied())
            .collect();
        assert_eq!(mirrored.snapshot().board, turned);
        for mv in moves(position) {
            let image = Shogi::mirror_move(mv);
            let flip = |square: usize| square / 9 * 9 + 8 - square % 9;
            assert_eq!(Shogi::move_to(image), flip(Shogi::move_to(mv)));
            assert_eq!(Shogi::move_promotes(image), Shogi::move_promotes(mv));
            let from = Shogi::move_from(mv);
            assert_eq!(
                Shogi::move_from(image),
                if from < 81 { flip(from) } else { from }
            );
        }
    });
}
