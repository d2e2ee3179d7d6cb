//! Repetition and passing: section 10 of the rules, on hand-made games.

mod tenjiku_board;

use rules::{EndReason, MoveError, Position};
use tenjiku_board::*;

#[track_caller]
fn assert_repeats(game: &rules::tenjiku::Tenjiku, mv: &str) {
    match game.parse_move(mv) {
        Err(MoveError::Illegal(_, why)) => assert!(why.contains("earlier position"), "{why}"),
        other => panic!("{mv} in {game:?}: {other:?}"),
    }
    assert!(!legal(game).contains(&mv.to_string()), "{mv} in {game:?}");
    assert_eq!(game.legal_count(), legal(game).len());
}

#[test]
fn two_plain_passes_in_a_row_are_illegal() {
    let mut game = game('b', "8h:LN 8b:ln 16p:K 1a:k");
    play(&mut game, "8h8h");
    assert_repeats(&game, "8b8b");
    // Another move, and then the passes are new again.
    play(&mut game, "8b8c 8h8h");
    assert_repeats(&game, "8c8c");
}

#[test]
fn going_back_and_forth_is_illegal_at_the_fourth_ply() {
    let mut game = game('b', "16p:K 1a:k");
    play(&mut game, "16p15p 1a2a 15p16p");
    // 2a1a would bring back the start.
    assert_repeats(&game, "2a1a");
    play(&mut game, "2a2b 16p15p");
    // 15p and 2a with Black to move occurred after the second ply, 15p and 1b is new.
    assert_repeats(&game, "2b2a");
    play(&mut game, "2b1b");
}

#[test]
fn the_same_squares_with_the_other_side_to_move_are_new() {
    // A king loses a move by a triangle: same squares, other side to move.
    let mut game = game('b', "16p:K 1a:k");
    play(&mut game, "16p15p 1a2a 15p15o 2a1a 15o16p");
    assert_eq!(pieces(&game), "1a:k 16p:K");
    assert_eq!(game.turn(), rules::Color::White);
    assert_eq!(legal(&game).len(), 3);
}

#[test]
fn exchanging_places_of_equal_pieces_is_a_repetition() {
    // Two kings of Black's on 16p and 14p change places by way of 15o and 15p; White's king walks a square.
    let mut game = game('b', "16p:K 14p:K 8a:k");
    play(&mut game, "16p15o 8a9a 14p15p 9a9b 15p16p 9b8b");
    // 15o14p gives the first array with White's king on 8b: new. White's next move to 8a brings back the start.
    play(&mut game, "15o14p");
    assert_repeats(&game, "8b8a");
}

#[test]
fn positions_before_and_after_a_capture_differ() {
    let mut game = game('b', "16p:K 1a:k 8h:R 8d:p");
    play(&mut game, "16p15p 1a2a 15p16p 2a2b 8h8d 2b2a");
    // The kings stand on 16p and 2a with Black to move, as after the second ply but one, and the pawn is gone.
    play(&mut game, "16p15p 2a1a 15p16p");
    assert_repeats(&game, "1a2a");
    play(&mut game, "1a1b");
}

#[test]
fn a_move_that_burns_its_mover_is_no_repetition() {
    // The lion's pass next to a demon removes it, so it recreates nothing, though White has just passed too.
    let mut game = game('w', "8h:LN 8c:ln 7g:fd 16p:K 1a:k");
    play(&mut game, "8c8c 8h8h");
    assert_eq!(pieces(&game), "1a:k 8c:ln 7g:fd 16p:K");
    // A rook that leaves a square beside a demon and comes back burns.
    let mut game = tenjiku_board::game('w', "8h:R 7g:fd 16p:K 1a:k");
    play(&mut game, "1a2a 8h8p 2a1a");
    assert!(legal(&game).contains(&"8p8h".to_string()));
    assert_eq!(game.legal_count(), legal(&game).len());
    play(&mut game, "8p8h");
    assert_eq!(pieces(&game), "1a:k 7g:fd 16p:K");
}

#[test]
fn repetition_none_allows_everything() {
    let mut game = game_under("historical,repetition=none", 'b', "8h:LN 8b:ln 16p:K 1a:k");
    play(&mut game, "8h8h 8b8b 8h8h 8b8b 16p15p 1a2a 15p16p 2a1a");
    assert_eq!(game.move_number(), 9);
}

#[test]
fn in_check_repetition_may_be_allowed() {
    // The rook checks on rank a and b in turn; the king goes back and forth.
    let start = "1a:k 16b:R 16p:K";
    let mut game = game('b', start);
    play(&mut game, "16b16a 1a1b 16a16b");
    // In check on 1b: 1b1a would give the start position.
    assert!(game.in_check());
    assert_repeats(&game, "1b1a");
    let mut game = game_under("historical,repetition_in_check_allowed=true", 'b', start);
    play(&mut game, "16b16a 1a1b 16a16b 1b1a");
    // The checking side is bound as before.
    assert!(!game.in_check());
    assert_repeats(&game, "16b16a");
}

#[test]
fn a_side_that_the_rule_leaves_without_moves_loses() {
    // White's king has two squares in a corner behind knights that are stuck for good.
    let mut game = game('b', "1p:k 1o:n 2o:n 3o:n 3p:n 16a:K");
    play(&mut game, "16a15a 1p2p 15a16a");
    assert_repeats(&game, "2p1p");
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.reason, EndReason::NoMoves);
    assert_eq!(outcome.winner, Some(rules::Color::Black));
    let free = game_under(
        "historical,repetition=none",
        'w',
        "2p:k 1o:n 2o:n 3o:n 3p:n 16a:K",
    );
    assert_eq!(legal(&free), ["2p1p"]);
}
