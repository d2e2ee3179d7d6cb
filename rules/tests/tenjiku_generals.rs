//! Range-jumping generals: section 5 of the rules, on hand-made positions.

mod tenjiku_board;

use tenjiku_board::*;

/// The rook general on 8p looks up the file; these are its moves there, promotions left out.
fn up(rules: &str, others: &str) -> Vec<String> {
    let game = game_under(rules, 'b', &format!("8p:RG 9p:K 7p:K 16p:K {others}"));
    moves_of(&game, "8p")
        .into_iter()
        .filter(|mv| !mv.ends_with('+'))
        .collect()
}

const WHITE_KING: &str = "13a:k";

#[test]
fn rides_like_a_rook() {
    let others = format!("{WHITE_KING} 8m:p");
    assert_eq!(up("historical", &others), words("8o 8n 8m"));
}

#[test]
fn captures_the_first_piece_whatever_its_rank() {
    for piece in ["p", "rg", "vg", "gg", "k", "+de"] {
        let others = format!("{WHITE_KING} 8n:{piece}");
        assert_eq!(up("historical", &others), words("8o 8n"), "{piece}");
        assert_eq!(up("tsa", &others), words("8o 8n"), "{piece}");
    }
}

#[test]
fn jumps_lower_pieces_of_both_sides_to_capture() {
    // Friends and enemies of rank 0, with and without gaps; after a jump no empty square.
    let others = format!("{WHITE_KING} 8n:P 8m:p 8k:P 8i:+fl 8h:de");
    assert_eq!(up("historical", &others), words("8o 8m 8i 8h"));
}

#[test]
fn equal_and_higher_ranks_end_the_line() {
    // An equal one beyond a jumped piece can be captured, not passed.
    let others = |blocker: &str| format!("{WHITE_KING} 8n:P 8l:{blocker} 8j:p");
    for blocker in ["rg", "bg", "vg", "gg", "+se", "+hf", "+rg"] {
        assert_eq!(
            up("historical", &others(blocker)),
            words("8o 8l"),
            "{blocker}"
        );
        assert_eq!(up("tsa", &others(blocker)), words("8o"), "{blocker}");
    }
    for blocker in ["RG", "BG", "VG", "GG", "K", "+DE", "+SE"] {
        assert_eq!(up("historical", &others(blocker)), words("8o"), "{blocker}");
    }
    // The rank is that of the movement: an elephant and an unpromoted eagle are 0.
    for jumped in ["DE", "SE", "HF", "FD", "LH", "+WB", "+CS"] {
        assert_eq!(
            up("historical", &others(jumped)),
            words("8o 8j"),
            "{jumped}"
        );
    }
}

#[test]
fn royals_are_neither_jumped_nor_captured_after_a_jump() {
    for royal in ["k", "+de"] {
        let others = format!("{WHITE_KING} 8n:p 8l:{royal} 8j:p");
        assert_eq!(up("historical", &others), words("8o 8n"), "{royal}");
        assert_eq!(
            up("historical,general_jump_capture=lower_only", &others),
            words("8o 8n")
        );
        assert_eq!(
            up("historical,general_jump_capture=royals_too", &others),
            words("8o 8n 8l")
        );
    }
}

#[test]
fn stopping_on_empty_squares_after_a_jump_is_an_option() {
    let rules = "historical,general_jump_without_capture=true";
    let others = format!("{WHITE_KING} 8n:P 8k:p 8h:rg 8f:p");
    assert_eq!(up("historical", &others), words("8o 8k 8h"));
    assert_eq!(up(rules, &others), words("8o 8m 8l 8k 8j 8i 8h"));
}

#[test]
fn higher_generals_jump_lower_ones() {
    // File 8 from the top: a pawn, a vice general, a rook general, then the jumper's own rank.
    let line = |jumper: &str| {
        let pieces =
            format!("8p:{jumper} 9p:K 7p:K 16p:K 9o:K 7o:K {WHITE_KING} 8n:rg 8l:vg 8j:gg 8h:p");
        plain(moves_of(&game('b', &pieces), "8p"))
    };
    assert_eq!(line("RG"), words("8o 8n"));
    // The great general jumps the rook general and the vice general; of its equal it takes only the first.
    assert_eq!(line("GG"), words("8o 8n 8l 8j"));
}

fn plain(moves: Vec<String>) -> Vec<String> {
    moves.into_iter().filter(|mv| !mv.ends_with('+')).collect()
}

#[test]
fn vice_general_jumps_on_diagonals() {
    // From 8h towards 1a: a pawn on 7g, a rook general on 6f, a great general on 5e, a pawn on 4d.
    let vice = "8h:VG 9g:P 8g:P 9h:P 7h:P 9i:P 8i:P 7i:P 2p:K 13a:k";
    let game_with = |others: &str| moves_of(&game('b', &format!("{vice} {others}")), "8h");
    assert_eq!(game_with("7g:p 6f:rg 5e:gg 4d:p"), words("7g 6f 5e"));
    // A vice general is its equal: captured and not passed.
    assert_eq!(game_with("7g:P 6f:vg 5e:p"), words("6f"));
}

#[test]
fn vice_general_lists_each_square_once() {
    // 6f is reached by the walk round 7g (over 8g) and by the jump over it, 5e too; `legal` refuses doubles.
    let pieces = "8h:VG 7g:p 6f:p 5e:p 9h:P 7h:P 9g:P 9i:P 8i:P 7i:P 2p:K 13a:k";
    let moves = moves_of(&game('b', pieces), "8h");
    for mv in ["7g", "6f", "5e"] {
        assert_eq!(moves.iter().filter(|text| *text == mv).count(), 1, "{mv}");
    }
    // And where it may stop after a jump.
    let rules = "historical,general_jump_without_capture=true";
    let moves = moves_of(&game_under(rules, 'b', "8h:VG 7g:p 2p:K 13a:k"), "8h");
    assert!(moves.contains(&"6f".to_string()) && moves.contains(&"4d".to_string()));
}

#[test]
fn great_general_has_all_eight_lines() {
    // Pawns of its own all round, enemies two further on.
    let pieces = "8h:GG 9g:P 8g:P 7g:P 9h:P 7h:P 9i:P 8i:P 7i:P \
        11e:p 8e:p 5e:p 11h:p 5h:p 11k:p 8k:p 5k:p 2p:K 13a:k";
    assert_moves(&game('b', pieces), "8h", "11e 8e 5e 11h 5h 11k 8k 5k");
    let bishop = pieces.replace("GG", "BG");
    assert_eq!(
        plain(moves_of(&game('b', &bishop), "8h")),
        words("11e 5e 11k 5k")
    );
    let rook = pieces.replace("GG", "RG");
    assert_eq!(
        plain(moves_of(&game('b', &rook), "8h")),
        words("8e 11h 5h 8k")
    );
}
