//! Promotion: section 7 of the rules, on hand-made positions. Black's zone is ranks a to e.

mod tenjiku_board;

use rules::Position;
use tenjiku_board::*;

#[test]
fn entering_allows_promotion() {
    let gold = |square: &str| game('b', &format!("{square}:G {KINGS}"));
    assert_moves(&gold("8f"), "8f", "9e 9e+ 8e 8e+ 7e 7e+ 9f 7f 8g");
    // Inside the zone and on the way out a quiet move does not promote.
    assert_moves(&gold("8d"), "8d", "9c 8c 7c 9d 7d 8e");
    assert_moves(&gold("8e"), "8e", "9d 8d 7d 9e 7e 8f");
    // White's zone is ranks l to p.
    let white = game('w', "8k:g 16a:K 1p:k");
    assert_moves(&white, "8k", "9l 9l+ 8l 8l+ 7l 7l+ 9k 7k 8j");
}

#[test]
fn captures_that_start_or_end_in_the_zone_allow_promotion() {
    let gold = game('b', &format!("8e:G 8d:p 7e:p 8f:p {KINGS}"));
    assert_moves(&gold, "8e", "9d 7d 9e 8d 8d+ 7e 7e+ 8f 8f+");
    // Outside, a capture is no reason.
    assert_moves(
        &game('b', &format!("8g:G 8f:p {KINGS}")),
        "8g",
        "9f 7f 8f 9g 7g 8h",
    );
}

#[test]
fn only_start_and_end_of_a_lion_move_count() {
    // From 8f: a capture on 8e inside the zone.
    let lion = game('b', &format!("8f:LN 8e:p {KINGS}"));
    let moves = moves_of(&lion, "8f");
    // Ending inside promotes, whether entering or capturing.
    for end in ["8e", "8d", "8e8d", "8e7e", "9e"] {
        assert!(moves.contains(&format!("{end}+")), "{end}");
        assert!(moves.contains(&end.to_string()), "{end}");
    }
    // Igui and coming out do not, though the capture was inside.
    for end in ["8e8f", "8e9f", "8e7f", "8f", "8h"] {
        assert!(!moves.contains(&format!("{end}+")), "{end}");
        assert!(moves.contains(&end.to_string()), "{end}");
    }
    // Igui promotes a piece that stands in the zone, a pass does not.
    let lion = game('b', &format!("8e:LN 8f:p {KINGS}"));
    let moves = moves_of(&lion, "8e");
    for end in ["8f8e", "8f8g", "8f7f", "8f"] {
        assert!(moves.contains(&format!("{end}+")), "{end}");
    }
    for end in ["8e", "8d", "8g", "7c"] {
        assert!(!moves.contains(&format!("{end}+")), "{end}");
        assert!(moves.contains(&end.to_string()), "{end}");
    }
    assert_eq!(pieces_after(&lion, "8e8f8e+"), "13a:k 8e:+LN 2p:K");
}

#[test]
fn burns_are_no_captures() {
    // Nothing a demon does promotes it, and a buffalo inside the zone next to enemies needs a capture.
    let buffalo = game('b', &format!("8d:WB 9b:p 7e:p {KINGS}"));
    let moves = moves_of(&buffalo, "8d");
    assert!(moves.contains(&"8c".to_string()) && !moves.contains(&"8c+".to_string()));
    assert!(moves.contains(&"7e+".to_string()));
}

#[test]
fn both_moves_exist_where_the_mover_burns() {
    let gold = game('b', &format!("8f:G 8d:fd {KINGS}"));
    assert_moves(&gold, "8f", "9e 9e+ 8e 8e+ 7e 7e+ 9f 7f 8g");
    assert_eq!(pieces_after(&gold, "8f8e+"), pieces_after(&gold, "8f8e"));
}

#[test]
fn promoted_pieces_keep_their_kind_for_good() {
    // A promoted pawn moves as a gold general and does not promote like one.
    let pawn = game('b', &format!("8f:+P {KINGS}"));
    assert_moves(&pawn, "8f", "9e 8e 7e 9f 7f 8g");
    for piece in ["K", "GG", "VG", "FE", "LH", "FD"] {
        let others = if piece == "K" { "13a:k" } else { KINGS };
        let moves = moves_of(&game('b', &format!("8f:{piece} {others}")), "8f");
        assert!(moves.iter().all(|mv| !mv.ends_with('+')), "{piece}");
    }
}

#[test]
fn declining_leaves_the_next_chance_to_a_capture_or_a_new_entry() {
    let mut game = game('b', &format!("8f:S 8c:p 16p:l {KINGS}"));
    play(&mut game, "8f8e 13a14a 8e8d 14a13a");
    let moves = moves_of(&game, "8d");
    assert!(moves.contains(&"8c+".to_string()) && !moves.contains(&"9c+".to_string()));
    play(&mut game, "8d9e 13a14a 9e8f 14a14b");
    assert!(moves_of(&game, "8f").contains(&"8e+".to_string()));
}

#[test]
fn stuck_pieces_may_decline_by_default() {
    assert_moves(&game('b', &format!("8b:P {KINGS}")), "8b", "8a");
    assert_moves(&game('b', &format!("8b:P 8a:g {KINGS}")), "8b", "8a 8a+");
    assert_moves(
        &game('b', &format!("8g:L 8a:g {KINGS}")),
        "8g",
        "8f 8e 8e+ 8d 8d+ 8c 8c+ 8b 8b+ 8a 8a+",
    );
    assert_moves(&game('b', &format!("8c:N 9a:g {KINGS}")), "8c", "9a 9a+ 7a");
    assert_moves(&game('b', "8b:P 8p:K 13a:k"), "8b", "8a");
}

#[test]
fn forced_promotion_where_a_piece_could_never_move_again() {
    let under = |pieces: &str| {
        game_under(
            "historical,forced_promotion=true",
            'b',
            &format!("{pieces} {KINGS}"),
        )
    };
    // Even where the rule would not allow it: quiet moves inside the zone.
    assert_moves(&under("8b:P"), "8b", "8a+");
    assert_moves(&under("8b:P 8a:g"), "8b", "8a+");
    assert_moves(&under("8b:I"), "8b", "9a+ 8a+ 7a+");
    assert_moves(&under("8c:L"), "8c", "8b 8a+");
    assert_moves(&under("8g:L"), "8g", "8f 8e 8e+ 8d 8d+ 8c 8c+ 8b 8b+ 8a+");
    // A knight on either of the last two ranks.
    assert_moves(&under("8d:N"), "8d", "9b+ 7b+");
    assert_moves(&under("8c:N 7a:p"), "8c", "9a+ 7a+");
    assert_moves(&under("8e:N"), "8e", "9c 7c");
    // Others are never stuck.
    assert_moves(&under("8b:S"), "8b", "9a 8a 7a 9c 7c");
    assert_moves(&under("8b:D"), "8b", "8a 9c 7c");
    // White's last rank is p.
    let white = game_under("western", 'w', "8o:p 9o:n 16n:n 16a:K 1p:k");
    assert_moves(&white, "8o", "8p+");
    assert_moves(&white, "16n", "15p+");
}

#[test]
fn second_chance_for_knights_and_iron_generals() {
    let rules = "historical,second_chance_promotion=true";
    let under = |pieces: &str| game_under(rules, 'b', &format!("{pieces} {KINGS}"));
    assert_moves(&under("8b:I"), "8b", "9a 9a+ 8a 8a+ 7a 7a+");
    assert_moves(&under("8c:I"), "8c", "9b 8b 7b");
    assert_moves(&under("8d:N"), "8d", "9b 9b+ 7b 7b+");
    assert_moves(&under("8c:N"), "8c", "9a 9a+ 7a 7a+");
    assert_moves(&under("8e:N"), "8e", "9c 7c");
    // Not for pawns and lances.
    assert_moves(&under("8b:P"), "8b", "8a");
    assert_moves(&under("8b:L"), "8b", "8a");
}

#[test]
fn any_zone_move() {
    let under = |pieces: &str| {
        game_under(
            "historical,promotion_rule=any_zone_move",
            'b',
            &format!("{pieces} {KINGS}"),
        )
    };
    assert_moves(
        &under("8d:G"),
        "8d",
        "9c 9c+ 8c 8c+ 7c 7c+ 9d 9d+ 7d 7d+ 8e 8e+",
    );
    assert_moves(&under("8e:C"), "8e", "9d 9d+ 8d 8d+ 7d 7d+ 8f 8f+");
    assert_moves(&under("8f:C"), "8f", "9e 9e+ 8e 8e+ 7e 7e+ 8g");
    assert_moves(&under("8g:C"), "8g", "9f 8f 7f 8h");
    // A pass in the zone starts and ends there. The promoted lion is a new piece: no repetition.
    let lion = under("8d:LN");
    assert!(moves_of(&lion, "8d").contains(&"8d+".to_string()));
    assert_eq!(pieces_after(&lion, "8d8d+"), "13a:k 8d:+LN 2p:K");
}

#[test]
fn every_base_type_promotes_to_its_kind() {
    // The chains of section 7.
    let chains = "P>G>R>DK>SE>RG>GG FL>B>DH>HF>BG>VG N>SS>WB>FD I>VS>CS>HT Kr>Ln>LH Ph>Q>FE C>SM>FBo S>VM>FO \
        D>MG BT>FSt L>WH RC>W DE>CP";
    let mut arrows = 0;
    for chain in chains.split_whitespace() {
        let kinds: Vec<_> = chain.split('>').collect();
        for pair in kinds.windows(2) {
            let from = rules::tenjiku::Kind::from_abbr(pair[0]).unwrap();
            assert_eq!(from.promotes_to().map(|kind| kind.abbr()), Some(pair[1]));
            arrows += 1;
        }
    }
    assert_eq!(arrows, 30);
    let promoting = rules::tenjiku::Kind::ALL
        .iter()
        .filter(|kind| kind.promotes_to().is_some());
    assert_eq!(promoting.count(), 30);
    assert_eq!(<rules::tenjiku::Tenjiku as Position>::PIECE_STATES, 72);
}
