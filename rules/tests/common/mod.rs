//! Set-up positions from lists of pieces, for the tests of notation, import and show.

#![allow(dead_code)]

use rules::tenjiku::{Kind, Piece, RuleSet, Square, Tenjiku};
use rules::{Color, Position, Rules, Snapshot};

/// The position with these pieces, such as `K9p k8a +P3c fd7c`: lower case letters are White's.
pub fn position(rules: &str, turn: Color, pieces: &str) -> Tenjiku {
    let mut board = vec![0; 256];
    for item in pieces.split_whitespace() {
        let digits = item.find(|c: char| c.is_ascii_digit()).expect("a square");
        let (name, square) = item.split_at(digits);
        let letters = name.trim_start_matches('+');
        let lower = letters.chars().all(|c| c.is_ascii_lowercase());
        let piece = Piece {
            color: if lower { Color::White } else { Color::Black },
            base: Kind::from_abbr(letters).expect("a piece"),
            promoted: letters.len() < name.len(),
        };
        board[Square::parse(square).expect("a square").index()] = piece.code();
    }
    let snapshot = Snapshot {
        board,
        hands: Vec::new(),
        turn,
        move_number: 1,
        repetitions: 0,
    };
    let rules = RuleSet::parse(rules).expect("rules");
    Tenjiku::from_snapshot(&rules, &snapshot).expect("a position")
}
