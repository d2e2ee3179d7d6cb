//! Positions worked out by hand, one per rule and corner.

use rules::shogi::{RuleSet, Shogi, ShogiMove};
use rules::{Color, EndReason, GameMove, MoveError, Outcome, Position, Rules};

fn position(sfen: &str) -> Shogi {
    Shogi::from_sfen(&RuleSet::default(), sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

#[track_caller]
fn legal(sfen: &str, moves: &[&str]) {
    let position = position(sfen);
    let mut list = Vec::new();
    position.legal_moves(&mut list);
    for text in moves {
        let mv = position
            .parse_move(text)
            .unwrap_or_else(|error| panic!("{sfen}: {error}"));
        assert_eq!(mv.to_string(), *text);
        assert!(list.contains(&mv), "{text} is not listed in {sfen}");
    }
}

/// Each move is refused, with a reason that contains the words.
#[track_caller]
fn illegal(sfen: &str, moves: &[(&str, &str)]) {
    let position = position(sfen);
    let mut list = Vec::new();
    position.legal_moves(&mut list);
    for (text, words) in moves {
        match position.parse_move(text) {
            Err(MoveError::Illegal(_, why)) => {
                assert!(why.contains(words), "{text} in {sfen}: {why}")
            }
            other => panic!("{text} in {sfen}: {other:?}"),
        }
        assert!(
            !list.iter().any(|mv| mv.to_string() == *text),
            "{text} is listed in {sfen}"
        );
    }
}

/// The moves of the piece on `from`, or the drops of a kind (`N*`), sorted.
#[track_caller]
fn moves_of(sfen: &str, from: &str, expected: &[&str]) {
    let mut list = Vec::new();
    position(sfen).legal_moves(&mut list);
    let mut texts: Vec<String> = list.iter().map(ToString::to_string).collect();
    texts.retain(|text| text.starts_with(from));
    texts.sort();
    assert_eq!(texts, expected, "moves of {from} in {sfen}");
}

#[test]
fn pieces_step_as_the_rules_say() {
    // Each alone on 5e, far from both kings, Black's; ranks a to c are the zone.
    let at_5e = |piece: &str| format!("k8/9/9/9/4{piece}4/9/9/9/8K b - 1");
    let all = |prefix: &str, to: &[&str]| -> Vec<String> {
        let mut moves: Vec<String> = to.iter().map(|to| format!("{prefix}{to}")).collect();
        moves.sort();
        moves
    };
    let check = |piece: &str, to: &[&str]| {
        let expected = all("5e", to);
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        moves_of(&at_5e(piece), "5e", &expected);
    };
    let gold = ["4d", "5d", "6d", "4e", "6e", "5f"];
    check("P", &["5d"]);
    check("G", &gold);
    check("+P", &gold);
    check("+L", &gold);
    check("+N", &gold);
    check("+S", &gold);
    check("S", &["4d", "5d", "6d", "4f", "6f"]);
    check("N", &["4c", "4c+", "6c", "6c+"]);
    check("L", &["5d", "5c", "5c+", "5b", "5b+", "5a+"]);
    let rook_low = [
        "5d", "5f", "5g", "5h", "5i", "1e", "2e", "3e", "4e", "6e", "7e", "8e", "9e",
    ];
    check(
        "R",
        &[&rook_low[..], &["5a", "5a+", "5b", "5b+", "5c", "5c+"]].concat(),
    );
    check(
        "+R",
        &[&rook_low[..], &["5a", "5b", "5c", "4d", "6d", "4f", "6f"]].concat(),
    );
    // From 5e a bishop would give check to a king on 9a: both kings stand elsewhere.
    let board = |piece: &str| format!("4k4/9/9/9/4{piece}4/9/9/9/4K4 b - 1");
    let low = ["4d", "6d", "4f", "3g", "2h", "1i", "6f", "7g", "8h", "9i"];
    let high = ["3c", "2b", "1a", "7c", "8b", "9a"];
    let plain = [&low[..], &high].concat();
    let promoting: Vec<String> = high.iter().map(|to| format!("5e{to}+")).collect();
    let mut expected = all("5e", &plain);
    expected.extend(promoting);
    expected.sort();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    moves_of(&board("B"), "5e", &expected);
    let expected = all("5e", &[&plain[..], &["5d", "5f", "4e", "6e"]].concat());
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    moves_of(&board("+B"), "5e", &expected);
    moves_of(
        "9/9/9/4k4/9/9/9/9/K8 b - 1",
        "9i",
        &["9i8h", "9i8i", "9i9h"],
    );
}

#[test]
fn white_moves_down_the_board() {
    moves_of(
        "k8/9/9/9/4s4/9/9/9/8K w - 1",
        "5e",
        &["5e4d", "5e4f", "5e5f", "5e6d", "5e6f"],
    );
    moves_of(
        "k8/9/9/9/4n4/9/9/9/8K w - 1",
        "5e",
        &["5e4g", "5e4g+", "5e6g", "5e6g+"],
    );
    moves_of("k8/9/9/9/9/9/9/4p4/8K w - 1", "5h", &["5h5i+"]);
    moves_of("k8/9/9/9/9/4p4/9/9/8K w - 1", "5f", &["5f5g", "5f5g+"]);
}

#[test]
fn sliders_stop_at_own_pieces_and_on_enemy_ones() {
    moves_of(
        "k8/9/9/4p4/2P1R1s2/9/4L4/9/8K b - 1",
        "5e",
        &["5e3e", "5e4e", "5e5d", "5e5f", "5e6e"],
    );
}

#[test]
fn promotion_is_free_into_within_and_out_of_the_zone() {
    let sfen = "k8/9/4S4/3S5/9/9/9/9/8K b - 1";
    legal(
        sfen,
        &["5c4b", "5c4b+", "5c4d", "5c4d+", "6d6c", "6d6c+", "6d7e"],
    );
    illegal(
        sfen,
        &[("6d7e+", "neither starts nor ends in the promotion zone")],
    );
    illegal(
        "k8/9/4G4/9/9/9/9/9/8K b - 1",
        &[("5c5b+", "a gold does not promote")],
    );
    illegal(
        "k8/9/4+S4/9/9/9/9/9/8K b - 1",
        &[("5c5b+", "is promoted already")],
    );
    illegal(
        "k8/9/4K4/9/9/9/9/9/9 b - 1",
        &[("5c5b+", "a king does not promote")],
    );
}

#[test]
fn promotion_is_compulsory_where_the_piece_could_not_move_again() {
    let sfen = "9/P1L6/9/4N4/1P7/9/1k7/9/8K b - 1";
    let stuck = "must promote";
    // The knight on 5b cannot be there unpromoted: a board without it.
    illegal(
        sfen,
        &[
            ("9b9a", stuck),
            ("7b7a", stuck),
            ("5d4b", stuck),
            ("5d6b", stuck),
        ],
    );
    legal(sfen, &["9b9a+", "7b7a+", "5d4b+", "5d6b+"]);
    // A rank earlier both are free.
    legal(
        "9/9/P1L6/9/4N4/9/1k7/9/8K b - 1",
        &["9c9b", "9c9b+", "7c7b", "7c7b+", "5e4c", "5e4c+"],
    );
    let sfen = "8k/9/9/9/9/4n4/9/p8/8K w - 1";
    illegal(sfen, &[("5f4h", stuck), ("9h9i", stuck)]);
    legal(sfen, &["5f4h+", "5f6h+", "9h9i+"]);
}

#[test]
fn captures_change_sides_and_lose_their_promotion() {
    let mut position = position("4k4/9/9/9/4+r4/4G4/9/9/4K4 b - 1");
    let mv = position.parse_move("5f5e").expect("a capture");
    position.play(mv);
    assert_eq!(position.sfen(), "4k4/9/9/9/4G4/9/9/9/4K4 w R 2");
    position.undo();
    assert_eq!(position.sfen(), "4k4/9/9/9/4+r4/4G4/9/9/4K4 b - 1");
}

#[test]
fn drops_need_a_piece_in_hand_and_an_empty_square_from_which_it_can_move() {
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b RNLPn 1";
    legal(sfen, &["R*1a", "N*1c", "L*1b", "P*1b", "N*9c"]);
    let stuck = "could never move";
    illegal(
        sfen,
        &[
            ("N*1a", stuck),
            ("N*1b", stuck),
            ("L*1a", stuck),
            ("P*1a", stuck),
            ("G*5e", "Black has no gold in hand"),
            ("R*5a", "5a is occupied"),
            ("R*5i", "5i is occupied"),
        ],
    );
    illegal(
        "4k4/9/9/9/9/9/9/9/4K4 w RBnp 1",
        &[("N*1i", stuck), ("N*1h", stuck), ("P*1i", stuck)],
    );
    legal(
        "4k4/9/9/9/9/9/9/9/4K4 w RBnp 1",
        &["N*1g", "P*1h", "P*1a", "N*1a"],
    );
}

#[test]
fn a_drop_does_not_promote() {
    assert!(matches!(
        position("4k4/9/9/9/9/9/9/9/4K4 b P 1").parse_move("P*1b+"),
        Err(MoveError::Syntax(..))
    ));
}

#[test]
fn nifu_counts_unpromoted_own_pawns_only() {
    let sfen = "k8/9/9/4P4/3+P5/5p3/9/9/8K b P 1";
    illegal(sfen, &[("P*5b", "nifu"), ("P*5h", "nifu")]);
    legal(sfen, &["P*6d", "P*6b", "P*4e", "P*4b"]);
}

#[test]
fn a_dropped_pawn_may_not_mate_when_the_only_defender_is_pinned() {
    // White's gold on 2a covers 1b but is pinned by the rook on 9a; Black's gold covers 1b and 2b.
    let sfen = "R6gk/9/7G1/9/9/9/9/9/K8 b P 1";
    illegal(sfen, &[("P*1b", "uchifuzume")]);
    legal(sfen, &["P*3b", "P*1d"]);
    // The rook is elsewhere: the gold takes.
    legal("7gk/9/R6G1/9/9/9/9/9/K8 b P 1", &["P*1b"]);
    // The pawn is not covered: the king takes.
    legal("R6gk/9/9/7G1/9/9/9/9/K8 b P 1", &["P*1b"]);
    legal("8k/9/9/9/9/9/9/9/K8 b P 1", &["P*1b"]);
}

#[test]
fn a_pawn_that_is_already_there_and_other_drops_may_mate() {
    let winner = Outcome {
        winner: Some(Color::Black),
        reason: EndReason::NoMoves,
    };
    for (sfen, mv) in [
        ("R6gk/9/7GP/9/9/9/9/9/K8 b - 1", "1c1b"),
        ("R6gk/9/7G1/9/9/9/9/9/K8 b L 1", "L*1b"),
        ("R6gk/9/7G1/9/9/9/9/9/K8 b G 1", "G*1b"),
    ] {
        let mut position = position(sfen);
        let mv = position.parse_move(mv).expect("a legal mate");
        position.play(mv);
        assert!(position.in_check());
        assert_eq!(position.outcome(), Some(winner), "{sfen}");
        assert_eq!(position.early_outcome(), None);
    }
}

#[test]
fn a_dropped_pawn_may_shut_out_an_own_bishop_and_so_give_an_escape() {
    // The bishop's diagonal 4d 3c 2b 1a: the pawn on 2b frees 1a.
    legal("6lk1/6p2/8G/5B3/9/9/9/9/K8 b P 1", &["P*2b"]);
    // A knight on 2c covers 1a as well.
    illegal(
        "6lk1/6p2/7NG/5B3/9/9/9/9/K8 b P 1",
        &[("P*2b", "uchifuzume")],
    );
}

#[test]
fn a_defender_pinned_along_the_pawns_file_can_still_take_it() {
    // The gold on 5c is pinned by the rook on 5h, and takes on 5b without leaving the file.
    legal("3lkl3/9/3GgG3/9/9/9/9/4R4/K8 b P 1", &["P*5b"]);
    // A silver cannot step straight back.
    illegal(
        "3lkl3/9/3GsG3/9/9/9/9/4R4/K8 b P 1",
        &[("P*5b", "uchifuzume")],
    );
}

#[test]
fn the_king_may_not_move_into_check_or_stay_in_it() {
    let sfen = "4k4/9/9/9/9/9/9/3r5/4K4 b S 1";
    illegal(
        sfen,
        &[
            ("5i6i", "in check"),
            ("5i4h", "in check"),
            ("5i5h", "in check"),
        ],
    );
    legal(sfen, &["5i6h", "5i4i"]);
    // The king does not shield the square behind it.
    let sfen = "4k4/4r4/9/9/9/9/9/4K4/9 b S 1";
    assert!(position(sfen).in_check());
    illegal(sfen, &[("5h5i", "in check"), ("S*1a", "in check")]);
    legal(sfen, &["5h4h", "S*5e", "S*5c"]);
}

#[test]
fn only_the_king_answers_a_double_check() {
    // Rook on 5a and knight on 4g check the king on 5i; gold 4h could take neither both.
    let sfen = "4r2k1/9/9/9/9/9/5n3/5G3/4K4 b P 1";
    illegal(
        sfen,
        &[
            ("4h4g", "in check"),
            ("4h5h", "in check"),
            ("P*5e", "in check"),
        ],
    );
    let mut list = Vec::new();
    position(sfen).legal_moves(&mut list);
    assert!(
        list.iter().all(|mv| mv.to_string().starts_with("5i")),
        "{list:?}"
    );
}

#[test]
fn a_pinned_piece_stays_on_the_line() {
    let sfen = "4k4/4r4/9/9/9/9/4R4/9/4K4 b - 1";
    moves_of(
        sfen,
        "5g",
        &[
            "5g5b", "5g5b+", "5g5c", "5g5c+", "5g5d", "5g5e", "5g5f", "5g5h",
        ],
    );
    moves_of("4k4/4r4/9/9/9/9/4N4/9/4K4 b - 1", "5g", &[]);
    moves_of("4k4/4r4/9/9/9/9/4P4/9/4K4 b - 1", "5g", &["5g5f"]);
    moves_of("4k4/9/9/9/9/2b6/3S5/9/5K3 b - 1", "6g", &["6g5h", "6g7f"]);
    moves_of("4k4/9/9/9/9/2b6/3P5/9/5K3 b - 1", "6g", &[]);
    moves_of("4k4/9/9/9/9/3b5/4P4/5K3/9 b - 1", "5g", &[]);
}

#[test]
fn no_legal_move_loses_even_without_check() {
    // The king on 1a: the knight on 3c covers 2a, the gold on 2c covers 1b and 2b.
    let position = position("8k/9/6NG1/9/9/9/9/9/K8 w - 1");
    assert!(!position.in_check());
    assert_eq!(
        position.outcome(),
        Some(Outcome {
            winner: Some(Color::Black),
            reason: EndReason::NoMoves
        })
    );
    let mut list = vec![];
    position.legal_moves(&mut list);
    assert!(list.is_empty());
    // With something in hand there is a move.
    let sfen = "8k/9/6NG1/9/9/9/9/9/K8 w p 1";
    assert_eq!(
        Shogi::from_sfen(&RuleSet::default(), sfen)
            .expect("valid")
            .outcome(),
        None
    );
}

#[test]
fn refusals_name_the_reason() {
    let start = Shogi::start(&RuleSet::default());
    for (mv, words) in [
        ("5e5d", "there is no piece on 5e"),
        ("7c7d", "is not Black's"),
        ("9i9g", "own piece is on 9g"),
        ("7g7e", "the pawn on 7g cannot reach 7e"),
        ("8h2b", "the bishop on 8h cannot reach 2b"),
        ("P*5e", "Black has no pawn in hand"),
    ] {
        match start.parse_move(mv) {
            Err(MoveError::Illegal(text, why)) => {
                assert_eq!(text, mv);
                assert!(why.contains(words), "{mv}: {why}");
            }
            other => panic!("{mv}: {other:?}"),
        }
    }
    for text in [
        "",
        "7",
        "7g",
        "7g7",
        "7g7f++",
        "7g7f=",
        "0g7f",
        "7j7f",
        "7g7F",
        "P*",
        "P*5",
        "p*5e",
        "K*5e",
        "P*5j",
        "resign",
        "win",
        "７六歩",
        "5e5e",
        "5e3d",
        "7g7f ",
    ] {
        assert!(
            matches!(start.parse_move(text), Err(MoveError::Syntax(..))),
            "`{text}`"
        );
    }
}

/// King on 9b, rook, bishop and `tokins` in the zone; 27 or 28 points with the hand.
#[track_caller]
fn declares(sfen: &str, expected: bool) {
    let position = position(sfen);
    assert_eq!(position.can_declare(), expected, "{sfen}");
    let win = Outcome {
        winner: Some(position.turn()),
        reason: EndReason::Declaration,
    };
    assert_eq!(position.declaration(), expected.then_some(win));
    assert_eq!(
        position.outcome(),
        None,
        "a declaration is a right, not a result"
    );
}

#[test]
fn declaration_needs_28_points_for_black_and_27_for_white() {
    // In the zone rook 5, bishop 5, eight tokins 8; ten pawns in hand make 28.
    declares("9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b 10P 1", true);
    declares("9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b 9P 1", false);
    // Promoted big pieces count the same; a bishop in hand is 5.
    declares("9/K+P7/+R+B+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b B5P 1", true);
    // The same turned round for White: 27 are enough, 26 are not.
    declares("4K4/9/9/9/9/9/+p+p+p+p+p+p+pbr/7+pk/9 w 9p 1", true);
    declares("4K4/9/9/9/9/9/+p+p+p+p+p+p+pbr/7+pk/9 w 8p 1", false);
}

#[test]
fn declaration_needs_ten_pieces_and_the_king_in_the_zone_and_no_check() {
    // Nine others in the zone, the tenth on rank d: points alone do not do.
    declares("9/K8/RB+P+P+P+P+P+P+P/+P8/9/9/9/9/4k4 b RB10P 1", false);
    declares("9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b RB10P 1", true);
    // The king on rank d.
    declares("9/1+P7/RB+P+P+P+P+P+P+P/K8/9/9/9/9/4k4 b RB10P 1", false);
    // In check by the lance on 9a.
    declares("l8/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b RB10P 1", false);
    // Not Black's turn, and White has nothing.
    declares("9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 w RB10P 1", false);
    declares(
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        false,
    );
}

#[test]
fn declaration_can_be_switched_off() {
    let rules = RuleSet::parse("standard,declaration=off").expect("an option");
    let sfen = "9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 b 10P 1";
    assert!(!Shogi::from_sfen(&rules, sfen).expect("valid").can_declare());
    assert_eq!(rules.name(), "standard,declaration=off");
    assert_eq!(RuleSet::default().name(), "standard");
    for rules in [RuleSet::default(), rules] {
        assert_eq!(RuleSet::parse(&rules.name()), Ok(rules));
    }
    assert_eq!(
        RuleSet::parse("standard,declaration=on"),
        Ok(RuleSet::default())
    );
    for (text, word) in [
        ("", "preset ``"),
        ("western", "`western`"),
        ("standard,", "option ``"),
        ("standard,declaration", "`declaration`"),
        ("standard,declaration=maybe", "`maybe`"),
        ("standard,handicap=2", "`handicap=2`"),
    ] {
        let error = RuleSet::parse(text).expect_err(text).to_string();
        assert!(
            error.contains(word) && error.contains("standard") || error.contains("declaration"),
            "{error}"
        );
    }
}

/// Move codes are a file format.
#[test]
fn move_codes_are_packed_as_documented() {
    let start = Shogi::start(&RuleSet::default());
    // 7g is rank 6, column 2: square 56. 7f is square 47.
    assert_eq!(
        start.parse_move("7g7f").expect("legal").code(),
        56 * 128 + 47
    );
    let drop = position("4k4/9/9/9/9/9/9/9/4K4 b R 1")
        .parse_move("R*5e")
        .expect("legal");
    assert_eq!(drop.code(), (81 + 6) * 128 + 40);
    assert_eq!(Shogi::move_from(drop), 87);
    assert_eq!(Shogi::move_to(drop), 40);
    let promotion = position("4k4/9/9/2P6/9/9/9/9/4K4 b - 1")
        .parse_move("7d7c+")
        .expect("legal");
    assert_eq!(promotion.code(), 16384 + 29 * 128 + 20);
    assert!(Shogi::move_promotes(promotion));
    // Not a square, not a hand kind, a promoting drop, a move to itself, unused bits, no line or jump.
    for code in [
        81,
        127,
        88 * 128,
        16384 + 81 * 128,
        40 * 128 + 40,
        1 << 15,
        1 << 16,
        2,
    ] {
        let possible = ShogiMove::from_code(code);
        // Codes 81 and 127 have no such target; 2 is 9a to 7a, a rook's move.
        assert_eq!(possible.is_some(), code == 2, "{code}");
    }
    assert_eq!(ShogiMove::from_code(40 * 128 + 40 - 9 - 3), None, "5e2d");
    assert_eq!(
        ShogiMove::from_code(16384 + 40 * 128 + 39),
        None,
        "5e6e+ outside both zones"
    );
}
