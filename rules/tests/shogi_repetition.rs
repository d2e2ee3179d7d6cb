//! Sennichite and perpetual check, as tables of games.

use rules::shogi::{RuleSet, Shogi};
use rules::{Color, EndReason, Outcome, Position};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const DRAW: Outcome = Outcome {
    winner: None,
    reason: EndReason::Repetition,
};

fn perpetual(winner: Color) -> Outcome {
    Outcome {
        winner: Some(winner),
        reason: EndReason::PerpetualCheck,
    }
}

/// Plays all moves; the game must be open before the last and have this result after it.
#[track_caller]
fn ends(sfen: &str, moves: &str, expected: Option<Outcome>) -> Shogi {
    let mut position = Shogi::from_sfen(&RuleSet::default(), sfen).expect("a valid position");
    for (ply, text) in moves.split_whitespace().enumerate() {
        assert_eq!(position.outcome(), None, "before ply {ply}, {text}");
        let mv = position.parse_move(text).expect(text);
        position.play(mv);
    }
    assert_eq!(position.early_outcome(), expected, "after {moves}");
    assert_eq!(position.outcome(), expected, "after {moves}");
    position
}

/// Turns a position and its moves by 180 degrees, with the colours exchanged.
fn turned(sfen: &str, moves: &str) -> (String, String) {
    let swap = |c: char| {
        if c.is_ascii_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    };
    let fields: Vec<&str> = sfen.split(' ').collect();
    // A `+` stands before its letter: turn letter by letter.
    let mut letters: Vec<String> = Vec::new();
    for c in fields[0].chars() {
        match letters.last_mut() {
            Some(last) if last == "+" => last.push(swap(c)),
            _ => letters.push(swap(c).to_string()),
        }
    }
    letters.reverse();
    let side = if fields[1] == "b" { "w" } else { "b" };
    assert_eq!(fields[2], "-", "hands are not needed here");
    let sfen = format!("{} {side} - {}", letters.concat(), fields[3]);
    let square = |c: char| match c {
        '1'..='9' => (b'0' + 10 - (c as u8 - b'0')) as char,
        'a'..='i' => (b'i' - (c as u8 - b'a')) as char,
        _ => c,
    };
    (sfen, moves.chars().map(square).collect())
}

/// The table for Black as the one who checks, and turned round.
#[track_caller]
fn ends_both_ways(sfen: &str, moves: &str, expected: Option<Outcome>) {
    ends(sfen, moves, expected);
    let (sfen, moves) = turned(sfen, moves);
    let opposite = |outcome: Outcome| Outcome {
        winner: outcome.winner.map(Color::opponent),
        ..outcome
    };
    ends(&sfen, &moves, expected.map(opposite));
}

#[test]
fn fourth_occurrence_is_a_draw_wherever_the_cycle_starts() {
    let cycle = "2h3h 8b7b 3h2h 7b8b ";
    // From ply 0: the start position is the first occurrence; White's move ends the game.
    ends_both_ways(START, &cycle.repeat(3), Some(DRAW));
    // From ply 1: Black's move ends it.
    let cycle = "8b7b 2h3h 7b8b 3h2h ";
    ends_both_ways(START, &format!("7g7f {}", cycle.repeat(3)), Some(DRAW));
    // From ply 2: White's again.
    let cycle = "2h3h 8b7b 3h2h 7b8b ";
    ends_both_ways(START, &format!("7g7f 3c3d {}", cycle.repeat(3)), Some(DRAW));
}

#[test]
fn the_third_occurrence_is_not_enough() {
    let moves = "2h3h 8b7b 3h2h 7b8b ".repeat(2);
    let position = ends(START, &moves, None);
    assert_eq!(position.snapshot().repetitions, 2);
    // One more ply: a position that was there twice.
    ends(START, &format!("{moves} 2h3h"), None);
}

#[test]
fn occurrences_need_not_follow_each_other() {
    let short = "2h3h 8b7b 3h2h 7b8b ";
    let other = "6i6h 4a4b 6h6i 4b4a ";
    ends(START, &[short, other, short].concat(), Some(DRAW));
    // A longer way round, in which nothing else occurs four times.
    let long = "2h3h 8b7b 3h4h 7b6b 4h2h 6b8b ";
    ends(START, &[short, long, other].concat(), Some(DRAW));
}

#[test]
fn the_side_to_move_and_hands_count() {
    // Black goes to 4h in two moves and back in one: the board as at the start, but White to move.
    let position = ends(START, "2h3h 8b7b 3h4h 7b8b 4h2h", None);
    assert_eq!(position.snapshot().repetitions, 0);
    // Four plies later it is there again.
    let position = ends(START, "2h3h 8b7b 3h4h 7b8b 4h2h 8b7b 2h3h 7b8b 3h2h", None);
    assert_eq!(position.snapshot().repetitions, 1);
    // Everything returns to its place, but Black holds one of White's three pawns.
    let sfen = "4k4/9/9/9/4p4/4R4/9/9/4K4 b 3p 1";
    let position = ends(sfen, "5f5e P*5d 5e5f 5d5e", None);
    assert_eq!(position.sfen(), "4k4/9/9/9/4p4/4R4/9/9/4K4 b P2p 5");
    assert_eq!(position.snapshot().repetitions, 0);
}

// A rook chases the king from 1a to 1b and back: every move of Black is a check.
const CHASE: &str = "8k/R8/9/9/9/9/9/9/K8 b - 1";
const CHECKS: &str = "9b9a 1a1b 9a9b 1b1a ";
/// The same start and end, one move of Black (9a9c) is no check.
const ONE_QUIET: &str = "9b9a 1a1b 9a9c 1b2b 9c9b 2b1a ";

#[test]
fn perpetual_check_loses_wherever_the_cycle_starts() {
    // From ply 0, the last move by the side that is in check.
    ends_both_ways(CHASE, &CHECKS.repeat(3), Some(perpetual(Color::White)));
    // The last move by the side that checks.
    let in_check = "R7k/9/9/9/9/9/9/9/K8 w - 1";
    let cycle = "1a1b 9a9b 1b1a 9b9a ".repeat(3);
    ends_both_ways(in_check, &cycle, Some(perpetual(Color::White)));
    // From ply 1, after a quiet move of the side that is chased, and after the first check.
    let before = "7k1/R8/9/9/9/9/9/9/K8 w - 1";
    ends_both_ways(
        before,
        &format!("2a1a {}", CHECKS.repeat(3)),
        Some(perpetual(Color::White)),
    );
    let before = "8k/9/R8/9/9/9/9/9/K8 b - 1";
    ends_both_ways(
        before,
        &format!("9c9a {cycle}"),
        Some(perpetual(Color::White)),
    );
    // From ply 2, after a quiet move of each side.
    let before = "7k1/9/R8/9/9/9/9/9/K8 b - 1";
    ends_both_ways(
        before,
        &format!("9c9b 2a1a {}", CHECKS.repeat(3)),
        Some(perpetual(Color::White)),
    );
}

#[test]
fn a_quiet_move_before_the_first_occurrence_does_not_matter() {
    ends_both_ways(
        "8k/9/9/R8/9/9/9/9/K8 b - 1",
        &format!("9d9c 1a2a 9c9b 2a1a {}", CHECKS.repeat(3)),
        Some(perpetual(Color::White)),
    );
}

#[test]
fn one_quiet_move_among_the_checks_makes_it_a_draw() {
    for order in [
        [ONE_QUIET, CHECKS, CHECKS],
        [CHECKS, ONE_QUIET, CHECKS],
        [CHECKS, CHECKS, ONE_QUIET],
    ] {
        ends_both_ways(CHASE, &order.concat(), Some(DRAW));
    }
}

#[test]
fn undo_gives_the_history_back() {
    let mut position = ends(CHASE, &CHECKS.repeat(3), Some(perpetual(Color::White)));
    assert_eq!(position.snapshot().repetitions, 3);
    position.undo();
    assert_eq!(position.outcome(), None);
    let mv = position.parse_move("1b1c").expect("another way");
    position.play(mv);
    assert_eq!(position.outcome(), None);
    position.undo();
    let mv = position.parse_move("1b1a").expect("the same way");
    position.play(mv);
    assert_eq!(position.outcome(), Some(perpetual(Color::White)));
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    assert!(moves.is_empty(), "a decided game has no moves");
    assert!(
        position
            .parse_move("9b9a")
            .expect_err("over")
            .to_string()
            .contains("the game is over")
    );
}

#[test]
fn a_new_game_from_a_string_has_no_history() {
    let position = ends(START, &"2h3h 8b7b 3h2h 7b8b ".repeat(2), None);
    let fresh = Shogi::from_sfen(&RuleSet::default(), &position.sfen()).expect("its own string");
    assert_eq!(fresh.snapshot().repetitions, 0);
    assert_eq!(fresh.key(), position.key());
}
