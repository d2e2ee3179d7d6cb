//! Fire and the order of events in a move: sections 6, 8 and 9 of the rules, on hand-made positions.

mod tenjiku_board;

use rules::{Color, EndReason, Position};
use tenjiku_board::*;

#[track_caller]
fn assert_after(game: &rules::tenjiku::Tenjiku, mv: &str, pieces: &str) {
    let mut found = words(&pieces_after(game, mv));
    found.sort();
    assert_eq!(found, words(pieces), "after {mv} in {game:?}");
}

#[test]
fn a_demon_burns_all_enemies_around_its_end_square() {
    // Enemies around 8e, a friend there too; the pawn on 8f is only passed by.
    let game = game(
        'b',
        &format!("8k:FD 9d:g 8d:q 7d:lh 9e:P 7e:rg 9f:p 10e:p {KINGS} 5h:p"),
    );
    assert_after(
        &game,
        "8k5h",
        "5h:FD 9d:g 8d:q 7d:lh 9e:P 7e:rg 9f:p 10e:p 2p:K 13a:k",
    );
    let game = tenjiku_board::game(
        'b',
        &format!("8h:FD 9d:g 8d:q 7d:lh 9e:P 7e:rg 9f:p 10e:p 6h:p {KINGS}"),
    );
    assert_after(&game, "8h8e", "8e:FD 9e:P 10e:p 6h:p 2p:K 13a:k");
}

#[test]
fn squares_passed_do_not_burn() {
    // A ride along the rank past pawns on both sides.
    let game = game('b', &format!("14h:FD 9g:p 9i:p 4g:p {KINGS}"));
    assert_after(&game, "14h5h", "5h:FD 9g:p 9i:p 2p:K 13a:k");
}

#[test]
fn a_passing_and_a_capturing_demon_burn_too() {
    let game = game('b', &format!("8h:FD 9g:p 8i:+p 6g:p {KINGS}"));
    assert_after(&game, "8h8h", "8h:FD 6g:p 2p:K 13a:k");
    assert_after(&game, "8h9g", "9g:FD 8i:+p 6g:p 2p:K 13a:k");
    let demon = tenjiku_board::game('b', &format!("8h:FD 8g:p 9f:p 7f:s {KINGS}"));
    assert_after(&demon, "8h8g", "8g:FD 2p:K 13a:k");
}

#[test]
fn a_promoted_buffalo_is_a_demon() {
    let game = game('b', &format!("8h:+WB 9e:p 7e:p {KINGS}"));
    assert_after(&game, "8h8f", "8f:+WB 2p:K 13a:k");
}

#[test]
fn a_buffalo_burns_as_it_promotes() {
    // 8f to 6d enters the zone.
    let game = game('b', &format!("8f:WB 7c:g 6c:p 5e:+p {KINGS}"));
    assert_after(&game, "8f6d+", "6d:+WB 2p:K 13a:k");
    assert_after(&game, "8f6d", "6d:WB 7c:g 6c:p 5e:+p 2p:K 13a:k");
}

#[test]
fn every_kind_of_move_that_ends_next_to_an_enemy_demon_burns_the_mover() {
    // An ordinary move; its capture stands.
    let rook = game('b', &format!("8p:R 7g:fd 8h:p {KINGS}"));
    assert_after(&rook, "8p8h", "7g:fd 2p:K 13a:k");
    assert_after(&rook, "8p8i", "8i:R 8h:p 7g:fd 2p:K 13a:k");
    // Igui and the double capture.
    let lion = game('b', &format!("8h:LN 8g:p 8f:p 7i:+wb {KINGS}"));
    assert_after(&lion, "8h8g8h", "8f:p 7i:+wb 2p:K 13a:k");
    assert_after(&lion, "8h8g8f", "8f:LN 7i:+wb 2p:K 13a:k");
    // A pass and a shot.
    assert_after(&lion, "8h8h", "8g:p 8f:p 7i:+wb 2p:K 13a:k");
    let tetrarch = game('b', &format!("8h:+CS 8g:p 7i:fd {KINGS}"));
    assert_after(&tetrarch, "8h8g8h", "7i:fd 2p:K 13a:k");
    // An area move.
    let vice = game('b', &format!("8h:VG 5e:fd {KINGS}"));
    assert_after(&vice, "8h6f", "5e:fd 2p:K 13a:k");
}

#[test]
fn pieces_that_did_not_move_are_not_burned_passively() {
    let game = game('b', &format!("8h:G 7g:fd 2o:P {KINGS}"));
    assert_after(&game, "2o2n", "8h:G 7g:fd 2n:P 2p:K 13a:k");
}

#[test]
fn a_captured_demon_burns_nothing() {
    let game = game('b', &format!("8h:G 7g:fd {KINGS}"));
    assert_after(&game, "8h7g", "7g:G 2p:K 13a:k");
    // On the first step of a lion too.
    let lion = tenjiku_board::game('b', &format!("8h:LN 7g:fd 6f:p {KINGS}"));
    assert_after(&lion, "8h7g6f", "6f:LN 2p:K 13a:k");
    assert_after(&lion, "8h7g8h", "8h:LN 6f:p 2p:K 13a:k");
    // But a second one next to the end square does.
    let lion = tenjiku_board::game('b', &format!("8h:LN 7g:fd 6e:fd 6f:p {KINGS}"));
    assert_after(&lion, "8h7g6f", "6e:fd 2p:K 13a:k");
}

#[test]
fn clash_burns_the_mover_alone_or_the_others_first() {
    // The walk 8j, 8i, 9h ends next to the demon on 8g, and next to 8h and 9i.
    let closer = format!("8k:FD 8g:fd 8h:p 9i:g 7h:P {KINGS}");
    let mover_only = game('b', &closer);
    assert_after(&mover_only, "8k9h", "8g:fd 8h:p 9i:g 7h:P 2p:K 13a:k");
    let rules = "historical,fire_demon_clash=others_burn_too";
    assert_after(
        &game_under(rules, 'b', &closer),
        "8k9h",
        "8g:fd 7h:P 2p:K 13a:k",
    );
    // The capture stands in both.
    assert_after(&mover_only, "8k8h", "8g:fd 9i:g 7h:P 2p:K 13a:k");
    assert_after(
        &game_under(rules, 'b', &closer),
        "8k8h",
        "8g:fd 7h:P 2p:K 13a:k",
    );
}

#[test]
fn clash_of_a_promoting_buffalo() {
    let pieces = format!("8f:WB 7c:fd 5e:p 6e:P {KINGS}");
    assert_after(&game('b', &pieces), "8f6d+", "7c:fd 5e:p 6e:P 2p:K 13a:k");
    assert_after(&game('b', &pieces), "8f6d", "7c:fd 5e:p 6e:P 2p:K 13a:k");
    let rules = "historical,fire_demon_clash=others_burn_too";
    assert_after(
        &game_under(rules, 'b', &pieces),
        "8f6d+",
        "7c:fd 6e:P 2p:K 13a:k",
    );
    assert_after(
        &game_under(rules, 'b', &pieces),
        "8f6d",
        "7c:fd 5e:p 6e:P 2p:K 13a:k",
    );
}

#[test]
fn effects_are_told_without_playing() {
    let game = game(
        'b',
        &format!("8h:FD 9d:g 8d:q 9e:P 7e:rg 9f:p 8e:p {KINGS}"),
    );
    let mv = game.parse_move("8h8e").unwrap();
    let effects = game.effects(mv);
    let burned: Vec<_> = effects
        .burned
        .squares()
        .map(|square| square.to_string())
        .collect();
    // By rank from a, within a rank from file 16.
    assert_eq!(burned, ["9d", "8d", "7e", "9f"]);
    assert_eq!(
        effects.captured[0]
            .map(|square| square.to_string())
            .as_deref(),
        Some("8e")
    );
    assert_eq!(effects.captured[1], None);
    assert!(!effects.mover_burned && !effects.is_quiet());
    assert_eq!(effects.enemies_lost().len(), 5);

    let lion = tenjiku_board::game('b', &format!("8h:LN 8g:p 9f:s 10e:fd {KINGS}"));
    let effects = lion.effects(lion.parse_move("8h8g9f").unwrap());
    let captured = effects.captured.map(|square| square.unwrap().to_string());
    assert_eq!(captured, ["8g", "9f"]);
    assert!(effects.mover_burned && effects.burned.is_empty());
    assert!(lion.effects(lion.parse_move("8h8h").unwrap()).is_quiet());
}

#[track_caller]
fn assert_won(game: &rules::tenjiku::Tenjiku, mv: &str, winner: Option<Color>) {
    let mut game = game.clone();
    let parsed = game.parse_move(mv).unwrap();
    assert_eq!(
        game.wins_at_once(parsed),
        winner == Some(game.turn()),
        "{mv} in {game:?}"
    );
    game.play(parsed);
    let outcome = game.early_outcome();
    assert_eq!(
        outcome.map(|outcome| outcome.winner),
        winner.map(Some),
        "{mv} in {game:?}"
    );
    if let Some(outcome) = outcome {
        assert_eq!(outcome.reason, EndReason::RoyalCaptured);
        assert_eq!(game.outcome(), Some(outcome));
        assert_eq!(legal(&game), Vec::<String>::new());
        assert_eq!(game.legal_count(), 0);
    }
}

#[test]
fn taking_the_last_royal_wins() {
    let game = game('b', "8h:R 8e:k 4h:+de 2p:K");
    assert_won(&game, "8h8e", None);
    assert_won(
        &tenjiku_board::game('b', "8h:R 8e:k 2p:K"),
        "8h8e",
        Some(Color::Black),
    );
    assert_won(
        &tenjiku_board::game('b', "8h:R 8e:+de 4h:de 2p:K"),
        "8h8e",
        Some(Color::Black),
    );
    // An unpromoted elephant is no royal.
    assert_won(
        &tenjiku_board::game('b', "8h:R 8e:k 4h:de 2p:K"),
        "8h8e",
        Some(Color::Black),
    );
    // Two in one move.
    let lion = tenjiku_board::game('b', "8h:LN 8g:k 8f:+de 2p:K");
    assert_won(&lion, "8h8g8f", Some(Color::Black));
    assert_won(&lion, "8h8g9f", None);
    assert_won(&lion, "8h8f", None);
}

#[test]
fn royals_burn() {
    // Actively: both royals by fire, or one by capture and one by fire.
    let demon = game('b', "8h:FD 9d:k 7d:+de 2p:K");
    assert_won(&demon, "8h8e", Some(Color::Black));
    assert_won(&demon, "8h10e", None);
    assert_won(
        &game('b', "8h:FD 8e:k 7d:+de 2p:K"),
        "8h8e",
        Some(Color::Black),
    );
    assert_won(
        &game('b', "8f:WB 6d:k 7c:+de 2p:K"),
        "8f6d+",
        Some(Color::Black),
    );
    assert_won(&game('b', "8f:WB 6d:k 7c:+de 2p:K"), "8f6d", None);
    // Passively: a king that steps next to a demon removes itself.
    let king = game('b', "8h:K 8f:fd 13a:k");
    assert_won(&king, "8h8g", Some(Color::White));
    assert_won(&king, "8h8i", None);
    assert_won(&game('b', "8h:K 1p:+DE 8f:fd 13a:k"), "8h8g", None);
    // A demon that clashes burns no king.
    assert_won(&game('b', "8k:FD 9g:fd 7i:k 2p:K"), "8k8h", None);
    let rules = "historical,fire_demon_clash=others_burn_too";
    assert_won(
        &game_under(rules, 'b', "8k:FD 9g:fd 7i:k 2p:K"),
        "8k8h",
        Some(Color::Black),
    );
}

#[test]
fn whoever_captures_the_last_royal_wins_even_if_it_burns() {
    let kings = game('b', "8h:K 8g:k 7f:fd");
    assert_won(&kings, "8h8g", Some(Color::Black));
    // With a second white royal the burned king has lost.
    let kings = game('b', "8h:K 8g:k 7f:fd 1a:+de");
    assert_won(&kings, "8h8g", Some(Color::White));
}

#[test]
fn set_up_positions_without_royals_are_decided_as_after_a_move() {
    let outcome = |turn, pieces: &str| {
        game(turn, pieces)
            .outcome()
            .map(|outcome| outcome.winner.unwrap())
    };
    assert_eq!(outcome('b', "8h:K 8a:k"), None);
    assert_eq!(outcome('b', "8h:R 8a:k"), Some(Color::White));
    assert_eq!(outcome('w', "8h:R 8a:k"), Some(Color::White));
    assert_eq!(outcome('b', "8h:K 8a:r"), Some(Color::Black));
    assert_eq!(outcome('w', "8h:K 8a:r"), Some(Color::Black));
    // Both without: the side that moved last has won.
    assert_eq!(outcome('b', "8h:R 8a:r"), Some(Color::White));
    assert_eq!(outcome('w', "8h:R 8a:r"), Some(Color::Black));
    assert_eq!(outcome('b', ""), Some(Color::White));
}

#[test]
fn a_side_without_moves_loses() {
    let game = game('w', "16p:K 1p:k 2p:n 1o:n 2o:n");
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.winner, Some(Color::Black));
    assert_eq!(outcome.reason, EndReason::NoMoves);
    assert_eq!(game.early_outcome(), None);
    assert_eq!(game.no_moves_outcome(), outcome);
    assert!(!game.in_check());
}

#[test]
fn check_is_a_threat_to_the_last_royal() {
    let check = |pieces: &str| game('b', pieces).in_check();
    assert!(check("8h:K 8a:r 13a:k"));
    assert!(!check("8h:K 8a:b 13a:k"));
    // With two royals one attack is no check; one move that takes both is.
    assert!(!check("8h:K 3n:+DE 8a:r 13a:k"));
    assert!(check("8h:K 7g:+DE 8i:ln 13a:k"));
    assert!(check("8h:K 8i:+DE 8g:ln 13a:k"));
    assert!(!check("8h:K 8j:+DE 8g:r 13a:k"));
    // By fire: a demon that can come next to the king, or to both. From 8c three steps lead to rank f only.
    assert!(check("8h:K 8d:fd 13a:k"));
    assert!(!check("8h:K 8c:fd 13a:k"));
    assert!(check("8h:K 6h:+DE 7d:fd 13a:k"));
    assert!(!check("8h:K 2n:+DE 7d:fd 13a:k"));
    // One by capture and one by fire.
    assert!(check("8h:K 7g:+DE 7d:fd 13a:k"));
    // A buffalo that can promote next to the king (White's zone is l-p).
    assert!(check("8p:K 3j:wb 13a:k"));
    // Black's demon on 8f is next to all three squares from which the other one could burn the king.
    assert!(!check("8h:K 8f:FD 8d:fd 13a:k"));
    // Own losses of the checking side do not matter.
    assert!(check("8h:K 8g:k 9i:FD"));
    // A royal behind a screen is safe from a general that jumps, unless the option says otherwise.
    assert!(!check("8h:K 8e:p 8a:rg 13a:k"));
    let rules = "historical,general_jump_capture=royals_too";
    assert!(game_under(rules, 'b', "8h:K 8e:p 8a:rg 13a:k").in_check());
    // A finished game has no check.
    assert!(!check("8h:K 8a:r"));
}
