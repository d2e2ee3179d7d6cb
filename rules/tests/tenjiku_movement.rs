//! How pieces move: sections 2 and 4 of the rules, on hand-made positions.

mod tenjiku_board;

use rules::tenjiku::Kind;
use tenjiku_board::*;

/// What each riding or stepping piece reaches from 8h on an empty board: direction and number of squares. From 8h
/// the edges are N 7, S 8, W 8, E 7, NW 7, NE 7, SW 8, SE 7 squares away.
const REACH: [(&str, &str); 35] = [
    ("P", "N1"),
    ("D", "N1 SW1 SE1"),
    ("I", "NW1 N1 NE1"),
    ("C", "NW1 N1 NE1 S1"),
    ("S", "NW1 N1 NE1 SW1 SE1"),
    ("G", "NW1 N1 NE1 W1 E1 S1"),
    ("FL", "NW1 N1 NE1 SW1 S1 SE1"),
    ("L", "N7"),
    ("RC", "N7 S8"),
    ("CS", "NW7 N7 NE7 W2 E2 SW8 S8 SE7"),
    ("BT", "NW1 NE1 W1 E1 SW1 S1 SE1"),
    ("Q", "NW7 N7 NE7 W8 E7 SW8 S8 SE7"),
    ("SM", "N1 W8 E7 S1"),
    ("VM", "N7 W1 E1 S8"),
    ("SS", "N2 W8 E7 S1"),
    ("VS", "N7 W2 E2 S1"),
    ("B", "NW7 NE7 SW8 SE7"),
    ("R", "N7 W8 E7 S8"),
    ("DH", "NW7 N1 NE7 W1 E1 SW8 S1 SE7"),
    ("DK", "NW1 N7 NE1 W8 E7 SW1 S8 SE1"),
    ("BG", "NW7 NE7 SW8 SE7"),
    ("RG", "N7 W8 E7 S8"),
    ("GG", "NW7 N7 NE7 W8 E7 SW8 S8 SE7"),
    ("WB", "NW7 N2 NE7 W8 E7 SW8 S2 SE7"),
    ("DE", "NW1 N1 NE1 W1 E1 SW1 SE1"),
    ("K", "NW1 N1 NE1 W1 E1 SW1 S1 SE1"),
    ("+DE", "NW1 N1 NE1 W1 E1 SW1 S1 SE1"),
    ("+VM", "NW7 N7 NE7 SW8 S8 SE7"),
    ("+BT", "NW1 N7 NE1 W1 E1 SW1 S8 SE1"),
    ("+SM", "NW7 NE7 W8 E7 SW8 SE7"),
    ("+D", "N7 SW8 SE7"),
    ("+RC", "N7 SW8 S8 SE7"),
    ("+L", "NW7 N7 NE7 S8"),
    ("+P", "NW1 N1 NE1 W1 E1 S1"),
    ("+I", "N7 W2 E2 S1"),
];

/// The squares of a reach, as row and column offsets.
fn offsets(reach: &str) -> Vec<(i32, i32)> {
    let mut list = Vec::new();
    for entry in reach.split_whitespace() {
        let (direction, count) = entry.split_at(entry.len() - 1);
        let row = i32::from(direction.contains('S')) - i32::from(direction.contains('N'));
        let column = i32::from(direction.contains('E')) - i32::from(direction.contains('W'));
        let count: i32 = count.parse().unwrap();
        list.extend((1..=count).map(|k| (row * k, column * k)));
    }
    list
}

fn name(row: i32, column: i32) -> String {
    format!("{}{}", 16 - column, (b'a' + row as u8) as char)
}

/// End squares of a piece's moves, promotions not told apart.
fn ends(pieces: &str, turn: char, square: &str) -> Vec<String> {
    let moves = moves_of(&game(turn, pieces), square);
    let mut ends: Vec<String> = moves.iter().map(|mv| mv.replace('+', "")).collect();
    ends.dedup();
    ends
}

#[test]
fn riders_and_steppers_go_as_the_table_says() {
    for (piece, reach) in REACH {
        // 8h is row 7, column 8.
        let mut black: Vec<_> = offsets(reach)
            .iter()
            .map(|(row, column)| name(7 + row, 8 + column))
            .collect();
        black.sort();
        let kings = if piece == "K" { "13a:k" } else { KINGS };
        assert_eq!(
            ends(&format!("8h:{piece} {kings}"), 'b', "8h"),
            black,
            "{piece}"
        );

        // White's moves from 9i are those turned by 180 degrees.
        let mut white: Vec<_> = offsets(reach)
            .iter()
            .map(|(row, column)| name(8 - row, 7 - column))
            .collect();
        white.sort();
        let kings = if piece == "K" { "15p:K" } else { "15p:K 4a:k" };
        let piece = piece.to_lowercase();
        assert_eq!(
            ends(&format!("9i:{piece} {kings}"), 'w', "9i"),
            white,
            "{piece}"
        );
    }
}

#[test]
fn jumpers_jump() {
    // All neighbours are friends.
    let ring = "9g:P 8g:P 7g:P 9h:P 7h:P 9i:P 8i:P 7i:P";
    assert_moves(&game('b', &format!("8h:N {ring} {KINGS}")), "8h", "9f 7f");
    assert_moves(
        &game('b', &format!("8h:KR {ring} {KINGS}")),
        "8h",
        "8f 10h 6h 8j",
    );
    assert_moves(
        &game('b', &format!("8h:PH {ring} {KINGS}")),
        "8h",
        "10f 6f 10j 6j",
    );
    let ring = ring.to_lowercase();
    assert_moves(&game('w', &format!("8h:n {ring} {KINGS}")), "8h", "9j 7j");
}

#[test]
fn kirin_and_phoenix_step_too() {
    assert_moves(
        &game('b', &format!("8h:KR {KINGS}")),
        "8h",
        "9g 7g 9i 7i 8f 10h 6h 8j",
    );
    assert_moves(
        &game('b', &format!("8h:PH {KINGS}")),
        "8h",
        "8g 9h 7h 8i 10f 6f 10j 6j",
    );
}

#[test]
fn rides_stop_on_the_first_enemy_and_before_the_first_friend() {
    let rook = game('b', &format!("8h:R 8f:p 10h:P 7h:p 6h:p 8j:G {KINGS}"));
    assert_moves(&rook, "8h", "8g 8f 9h 7h 8i");
    // Limited rides as well.
    let soldier = game('b', &format!("8h:VS 9h:p 6h:P 8g:P 8i:p {KINGS}"));
    assert_moves(&soldier, "8h", "9h 7h 8i");
}

#[test]
fn pieces_stay_on_the_board() {
    assert_moves(&game('b', "1p:K 13a:k"), "1p", "2p 2o 1o");
    assert_moves(&game('b', "16p:N 1p:K 13a:k"), "16p", "15n");
    assert_moves(&game('b', "16a:+P 1p:K 13a:k"), "16a", "15a 16b");
    // A lance on the last rank is stuck.
    assert_moves(&game('b', "16a:L 1p:K 13a:k"), "16a", "");
}

/// The 24 squares around 8h that a lion reaches, by rank.
const LION_AREA: &str =
    "10f 9f 8f 7f 6f 10g 9g 8g 7g 6g 10h 9h 7h 6h 10i 9i 8i 7i 6i 10j 9j 8j 7j 6j";

#[test]
fn lion_moves_directly_and_passes() {
    assert_moves(
        &game('b', &format!("8h:LN {KINGS}")),
        "8h",
        &format!("{LION_AREA} 8h"),
    );
    // It jumps over whatever stands next to it, but then cannot pass.
    let ring = "9g:P 8g:P 7g:P 9h:P 7h:P 9i:P 8i:P 7i:P";
    let jumps = "10f 9f 8f 7f 6f 10g 6g 10h 6h 10i 6i 10j 9j 8j 7j 6j";
    assert_moves(&game('b', &format!("8h:LN {ring} {KINGS}")), "8h", jumps);
    // In the corner.
    let corner = "2p 2o 1o 3p 3o 3n 2n 1n 1p";
    assert_moves(&game('b', "1p:LN 16p:K 13a:k"), "1p", corner);
}

#[test]
fn lion_captures_on_each_step() {
    // Enemies on 8g and 8f, a friend on 7f. The second step from 8g goes to any neighbour but the friend's; that to
    // 8h is igui.
    let lion = game('b', &format!("8h:LN 8g:p 8f:g 7f:P {KINGS}"));
    let direct = LION_AREA.replace(" 7f", "");
    assert_moves(
        &lion,
        "8h",
        &format!("{direct} 8h 8g9f 8g8f 8g9g 8g7g 8g9h 8g8h 8g7h"),
    );
    assert_eq!(pieces_after(&lion, "8h8g8f"), "13a:k 8f:LN 7f:P 2p:K");
    assert_eq!(pieces_after(&lion, "8h8g9h"), "13a:k 8f:g 7f:P 9h:LN 2p:K");
    assert_eq!(pieces_after(&lion, "8h8g8h"), "13a:k 8f:g 7f:P 8h:LN 2p:K");
    assert_eq!(pieces_after(&lion, "8h8f"), "13a:k 8f:LN 7f:P 8g:p 2p:K");
    assert_eq!(pieces_after(&lion, "8h8h"), pieces(&lion));
    // Nothing restricts the capture of lions.
    let lions = game('b', &format!("8h:LN 8g:ln {KINGS}"));
    assert_eq!(pieces_after(&lions, "8h8g8h"), "13a:k 8h:LN 2p:K");
}

#[test]
fn lion_surrounded_by_enemies_has_igui_but_no_pass() {
    let ring = "9g:p 8g:p 7g:p 9h:p 7h:p 9i:p 8i:p 7i:p";
    let moves = moves_of(&game('b', &format!("8h:LN {ring} {KINGS}")), "8h");
    assert!(!moves.contains(&"8h".to_string()));
    assert!(moves.contains(&"7i8h".to_string()));
    // 24 direct moves and from each of the 8 victims 8 second steps.
    assert_eq!(moves.len(), 24 + 64);
}

#[test]
fn lion_hawk_is_a_lion_and_a_bishop() {
    let bishop = "11e 12d 13c 14b 15a 5e 4d 3c 2b 1a 11k 12l 13m 14n 15o 16p 5k 4l 3m 2n 1o";
    let hawk = game('b', &format!("8h:LH {KINGS}"));
    assert_moves(&hawk, "8h", &format!("{LION_AREA} 8h {bishop}"));
    // A piece next to it stops the bishop, not the lion.
    let hawk = game('b', &format!("8h:LH 9g:P 6j:p 6f:P {KINGS}"));
    let lion = LION_AREA.replace(" 9g", "").replace(" 6f", "");
    let bishop = "11k 12l 13m 14n 15o 16p";
    assert_moves(&hawk, "8h", &format!("{lion} 8h {bishop}"));
}

#[test]
fn two_step_lion_hawk_walks() {
    let rules = "historical,lion_hawk=two_step_area";
    let hawk = game_under(rules, 'b', &format!("8h:LH {KINGS}"));
    let bishop = "11e 12d 13c 14b 15a 5e 4d 3c 2b 1a 11k 12l 13m 14n 15o 16p 5k 4l 3m 2n 1o";
    assert_moves(&hawk, "8h", &format!("{LION_AREA} 8h {bishop}"));
    // Only 8g is open: from there to 9f, 8f, 7f. The enemy on 8i can be captured but not passed.
    let ring = "9g:P 7g:P 9h:P 7h:P 9i:P 8i:p 7i:P";
    let hawk = game_under(rules, 'b', &format!("8h:LH {ring} {KINGS}"));
    assert_moves(&hawk, "8h", "8g 9f 8f 7f 8i 8h");
    // Closed in, it cannot pass.
    let hawk = game_under(rules, 'b', &format!("8h:LH 8g:p {ring} {KINGS}"));
    assert_moves(&hawk, "8h", "8g 8i");
}

/// Queen moves of the falcon from 8h: all but straight forward.
const FALCON_RIDES: &str = "9g 10f 11e 12d 13c 14b 15a 7g 6f 5e 4d 3c 2b 1a 9h 10h 11h 12h 13h 14h 15h 16h \
    7h 6h 5h 4h 3h 2h 1h 9i 10j 11k 12l 13m 14n 15o 16p 8i 8j 8k 8l 8m 8n 8o 8p 7i 6j 5k 4l 3m 2n 1o";

/// Moves without the promotions, which other tests look at.
fn plain(moves: Vec<String>) -> Vec<String> {
    moves.into_iter().filter(|mv| !mv.ends_with('+')).collect()
}

#[test]
fn horned_falcon_stings_forward() {
    let falcon = |others: &str| {
        let moves = plain(moves_of(
            &game('b', &format!("8h:HF {others} {KINGS}")),
            "8h",
        ));
        let rides = words(FALCON_RIDES);
        moves
            .into_iter()
            .filter(|mv| !rides.contains(mv))
            .collect::<Vec<_>>()
    };
    assert_eq!(falcon(""), words("8g 8f 8h"));
    assert_eq!(falcon("8f:p"), words("8g 8f 8h"));
    assert_eq!(falcon("8f:P"), words("8g 8h"));
    assert_eq!(falcon("8g:P"), words("8f"));
    assert_eq!(falcon("8g:p"), words("8g 8f 8g8f 8g8h"));
    assert_eq!(falcon("8g:p 8f:p"), words("8g 8f 8g8f 8g8h"));
    assert_eq!(falcon("8g:p 8f:P"), words("8g 8g8h"));
    // White's forward is down.
    let white = moves_of(&game('w', &format!("8h:hf 8i:P {KINGS}")), "8h");
    for mv in words("8i 8j 8i8j 8i8h 8g 8f 8e") {
        assert!(white.contains(&mv), "{mv} in {white:?}");
    }
    assert!(!white.contains(&"8h".to_string()));
}

#[test]
fn horned_falcon_at_the_far_edge() {
    let at = |square: &str| {
        plain(moves_of(
            &game('b', &format!("{square}:HF {KINGS}")),
            square,
        ))
    };
    // One rank left: a step and the pass, no jump.
    assert!(at("8b").contains(&"8a".to_string()));
    assert!(at("8b").contains(&"8b".to_string()));
    // None left: no pass.
    assert!(!at("8a").contains(&"8a".to_string()));
    let igui = moves_of(&game('b', &format!("8b:HF 8a:g {KINGS}")), "8b");
    assert!(igui.contains(&"8a8b".to_string()) && igui.contains(&"8a8b+".to_string()));
}

#[test]
fn soaring_eagle_stings_on_both_forward_diagonals() {
    let eagle = |others: &str| {
        let moves = plain(moves_of(
            &game('b', &format!("8h:SE {others} {KINGS}")),
            "8h",
        ));
        let forward = |mv: &String| {
            ["9g", "10f", "7g", "6f", "8h"]
                .iter()
                .any(|s| mv.contains(s))
        };
        moves.into_iter().filter(forward).collect::<Vec<_>>()
    };
    // One pass, whichever way.
    assert_eq!(eagle(""), words("9g 10f 7g 6f 8h"));
    assert_eq!(eagle("9g:P"), words("10f 7g 6f 8h"));
    assert_eq!(eagle("9g:P 7g:P"), words("10f 6f"));
    assert_eq!(eagle("9g:p 7g:P"), words("9g 9g10f 9g8h 10f 6f"));
    assert_eq!(
        eagle("9g:p 10f:P 7g:p 6f:p"),
        words("9g 9g8h 7g 7g6f 7g8h 6f")
    );
    // It does not turn on the way, and does not ride on.
    assert!(!eagle("9g:p").iter().any(|mv| mv == "9g8f"));
    let moves = moves_of(&game('b', &format!("8h:SE {KINGS}")), "8h");
    assert!(
        !moves
            .iter()
            .any(|mv| mv.starts_with("11e") || mv.starts_with("5e"))
    );
}

#[test]
fn free_eagle_takes_two_diagonal_steps() {
    let with = |rules: &str, others: &str| {
        moves_of(
            &game_under(rules, 'b', &format!("8h:FE {others} {KINGS}")),
            "8h",
        )
    };
    let queen = format!("{FALCON_RIDES} 8g 8f 8e 8d 8c 8b 8a");
    assert_eq!(with("historical", ""), words(&format!("{queen} 8h")));
    // Captures on 7g and goes on to any of the four diagonal neighbours; the jumps are orthogonal and diagonal.
    let ring = "9g:P 8g:P 7g:p 9h:P 7h:P 9i:P 8i:P 7i:P";
    let jumps = "10f 8f 6f 10h 6h 10j 8j 6j";
    assert_eq!(
        with("historical", ring),
        words(&format!("{jumps} 7g 7g8f 7g6f 7g6h 7g8h"))
    );
    // Diagonals closed by friends: no pass, though an orthogonal neighbour is empty.
    let diagonals = "9g:P 7g:P 9i:P 7i:P";
    assert!(!with("historical", diagonals).contains(&"8h".to_string()));
    assert!(with("historical", "9g:P 7g:P 9i:P").contains(&"8h".to_string()));

    // The other option: queen and orthogonal jumps, no pass, no double capture.
    assert_eq!(
        with("historical,free_eagle=orthogonal_jump", ""),
        words(&queen)
    );
    assert_eq!(
        with("historical,free_eagle=orthogonal_jump", ring),
        words("8f 10h 6h 8j 7g")
    );
}

#[test]
fn vice_general_walks_three_steps() {
    // Only 8g is open, then 9f 8f 7f, then what is next to those. The pawns in the ring cannot be jumped to an
    // empty square.
    let ring = "9g:P 7g:P 9h:P 7h:P 9i:P 8i:P 7i:P";
    let walk = |rules: &str, others: &str| {
        moves_of(
            &game_under(rules, 'b', &format!("8h:VG {ring} {others} {KINGS}")),
            "8h",
        )
    };
    let three = "8g 9f 8f 7f 10e 9e 8e 7e 6e 10f 6f 10g 6g 8h";
    assert_eq!(walk("historical", ""), words(three));
    assert_eq!(
        walk("historical,vice_general_steps=2", ""),
        words("8g 9f 8f 7f 8h")
    );
    assert_eq!(walk("historical,vice_general_steps=1", ""), words("8g"));
    // The walk ends on a capture.
    assert_eq!(walk("historical", "8g:p"), words("8g"));
    // 9f and 8f are enemies: only 7f leads on, to the squares next to it.
    assert_eq!(
        walk("historical", "9f:p 8f:p"),
        words("8g 9f 8f 7f 8e 7e 6e 6f 6g 8h")
    );
}

#[test]
fn fire_demon_walks_and_rides() {
    let area = "11e 10e 9e 8e 7e 6e 5e 11f 10f 9f 8f 7f 6f 5f 11g 10g 9g 8g 7g 6g 5g 11h 10h 9h 7h 6h 5h \
        11i 10i 9i 8i 7i 6i 5i 11j 10j 9j 8j 7j 6j 5j 11k 10k 9k 8k 7k 6k 5k 8h";
    let diagonals = "12d 13c 14b 15a 4d 3c 2b 1a 12l 13m 14n 15o 16p 4l 3m 2n 1o";
    let sideways = "12h 13h 14h 15h 16h 4h 3h 2h 1h";
    let files = "8d 8c 8b 8a 8l 8m 8n 8o 8p";
    let demon = |rules: &str| game_under(rules, 'b', &format!("8h:FD {KINGS}"));
    assert_moves(
        &demon("historical"),
        "8h",
        &format!("{area} {diagonals} {sideways}"),
    );
    assert_moves(
        &demon("western"),
        "8h",
        &format!("{area} {diagonals} {files}"),
    );
    // So does a promoted buffalo.
    let buffalo = game('b', &format!("8h:+WB {KINGS}"));
    assert_moves(&buffalo, "8h", &format!("{area} {diagonals} {sideways}"));
    // Closed in by friends it can neither move nor pass.
    let ring = "9g:P 8g:P 7g:P 9h:P 7h:P 9i:P 8i:P 7i:P";
    assert_moves(&game('b', &format!("8h:FD {ring} {KINGS}")), "8h", "");
}

#[test]
fn tetrarch_ignores_its_neighbours() {
    let rides = "10f 11e 12d 13c 14b 15a 6f 5e 4d 3c 2b 1a 10h 11h 6h 5h \
        10j 11k 12l 13m 14n 15o 16p 6j 5k 4l 3m 2n 1o";
    let vertical = "8f 8e 8d 8c 8b 8a 8j 8k 8l 8m 8n 8o 8p";
    let tetrarch = |rules: &str, others: &str| {
        moves_of(
            &game_under(rules, 'b', &format!("8h:+CS {others} {KINGS}")),
            "8h",
        )
    };
    assert_eq!(
        tetrarch("historical", ""),
        words(&format!("{rides} {vertical}"))
    );
    assert_eq!(tetrarch("western", ""), words(rides));
    // Friends next to it change nothing; enemies are shot besides.
    let friends = "9g:P 8g:P 7g:P 9h:P 7h:P 9i:P 8i:P 7i:P";
    assert_eq!(
        tetrarch("historical", friends),
        words(&format!("{rides} {vertical}"))
    );
    let enemies = "9g:p 8g:P 7h:g";
    assert_eq!(
        tetrarch("historical", enemies),
        words(&format!("{rides} {vertical} 9g8h 7h8h"))
    );
    // The second square blocks, and can be captured.
    let blocked = "10h:p 6h:P 8f:p 8j:P 10f:P 6f:p 10j:P 6j:p";
    assert_eq!(tetrarch("historical", blocked), words("10h 8f 6f 6j"));
    // A shot takes one enemy and stays.
    let game = game('b', &format!("8h:+CS 9g:p 7h:g {KINGS}"));
    assert_eq!(pieces_after(&game, "8h7h8h"), "13a:k 9g:p 8h:+CS 2p:K");
}

#[test]
fn only_lion_types_and_area_movers_can_pass() {
    for kind in Kind::bases().filter(|kind| !kind.is_royal()) {
        for promoted in [false, true] {
            let Some(moves_as) = (if promoted {
                kind.promotes_to()
            } else {
                Some(kind)
            }) else {
                continue;
            };
            let piece = format!(
                "{}{}",
                if promoted { "+" } else { "" },
                kind.abbr().to_uppercase()
            );
            let moves = moves_of(&game('b', &format!("8h:{piece} {KINGS}")), "8h");
            let passers = ["Ln", "LH", "HF", "SE", "FE", "VG", "FD"];
            assert_eq!(
                moves.contains(&"8h".to_string()),
                passers.contains(&moves_as.abbr()),
                "{piece}"
            );
        }
    }
}
