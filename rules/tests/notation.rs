//! Human notation of single moves (rules document, section 12).

mod common;
mod oracle;

use std::collections::HashSet;

use common::position;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::tenjiku::notation::{read, write};
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Color, MoveError, Position, Rules};

/// Each line: pieces, move string, notation. Black to move, kings far away.
const WRITTEN: &[(&str, &str, &str)] = &[
    // Plain moves and captures.
    ("P8h", "8h8g", "P-8g"),
    ("P8h p8g", "8h8g", "Px8g"),
    ("+P8h", "8h7h", "+P-7h"),
    ("Kr8h", "8h8f", "Kr-8f"),
    // Two captures, a capture and a step, igui, pass.
    ("Ln4j p3i p2h", "4j3i2h", "Lnx3ix2h"),
    ("Ln4j p3i", "4j3i2h", "Lnx3i-2h"),
    ("Ln4j p3i", "4j3i", "Lnx3i"),
    ("Ln4j p3i", "4j2h", "Ln-2h"),
    ("Ln8h p9g", "8h9g8h", "Lnx!9g"),
    ("Ln8h", "8h8h", "Ln-8h"),
    ("HF8h p8g p8f", "8h8g8f", "HFx8gx8f"),
    ("+CS8h p9g", "8h9g8h", "+CSx!9g"),
    // Promotion: taken, declined, not possible.
    ("N8f p7d", "8f7d+", "Nx7d+"),
    ("N8f p7d", "8f7d", "Nx7d="),
    ("P8f", "8f8e", "P-8e="),
    ("P8f", "8f8e+", "P-8e+"),
    ("S8e", "8e8d", "S-8d"),
    ("Ln9d p9c", "9d9c9d+", "Lnx!9c+"),
    ("Ln9d p9c", "9d9c9d", "Lnx!9c="),
    // Burning, in the order of the ranks, then of the files from 16.
    ("FD12k p15k p16j p15j p14j", "12k15k", "FDx15kx!16j,15j,14j"),
    ("FD8h p7i p9g p7g p9i", "8h8h", "FD-8hx!9g,7g,9i,7i"),
    ("WB9f p8e p8d", "9f8e+", "WBx8e+x!8d"),
    ("WB9f p8e p8d", "9f8e", "WBx8e="),
    // The mover burned.
    ("Ln6i fd5f", "6i6g", "Ln-6g*"),
    ("RG10i p10d fd11c", "10i10d+", "RGx10d+*"),
    ("RG10i p10d fd11c", "10i10d", "RGx10d=*"),
    ("FD12k p15k fd16j p15j", "12k15k", "FDx15k*"),
    // The start square, only where another piece of the same name could do the same.
    ("G9h G7h", "9h8h", "G9h-8h"),
    ("G9h G9k", "9h8h", "G-8h"),
    ("G9h +P7h", "9h8h", "G-8h"),
    ("+P9h +P7h", "7h8h", "+P7h-8h"),
    ("Ln9i Ln7i p8h", "9i8h9i", "Ln9ix!8h"),
    ("Ln9i Ln7i p8h", "9i8h8g", "Ln9ix8h-8g"),
    ("Ln9i Ln7i p8h", "9i8h9h", "Ln9ix8h-9h"),
    ("Ln9i Ln7i", "9i9i", "Ln-9i"),
    // Promotion is not compared: only one of the two may promote, both could be meant by S-8e.
    ("S9f S9d", "9f8e+", "S9f-8e+"),
    // Fire is not compared: it is the same for both.
    ("G9h G7h fd8f", "9h8g", "G9h-8g*"),
];

#[test]
fn moves_are_written_as_the_rules_say() {
    for &(pieces, mv, text) in WRITTEN {
        let pos = position("historical", Color::Black, &format!("K16p k1a {pieces}"));
        let mv = pos
            .parse_move(mv)
            .unwrap_or_else(|error| panic!("{pieces}: {error}"));
        assert_eq!(write(&pos, mv), text, "{pieces}");
        let reading = read(&pos, text).unwrap_or_else(|error| panic!("{pieces}: {error}"));
        assert_eq!(
            (reading.mv, reading.remarks),
            (mv, Vec::new()),
            "{pieces}: {text}"
        );
    }
}

/// With compulsory promotion there is no move to decline for.
#[test]
fn compulsory_promotion_is_marked() {
    let pos = position("western", Color::Black, "K16p k1a P8b");
    let mv = pos.parse_move("8b8a+").unwrap();
    assert_eq!(write(&pos, mv), "P-8a+");
    assert_eq!(read(&pos, "P-8a").unwrap().mv, mv);
    assert!(
        read(&pos, "P-8a=")
            .unwrap_err()
            .to_string()
            .contains("must promote")
    );
}

/// The same piece at the same place, by every name that texts use for it.
#[test]
fn names_of_english_texts() {
    let names = [
        ("FD", "FiD"),
        ("SE", "SEg"),
        ("BG", "BGn"),
        ("RG", "RGn"),
        ("GG", "GGn"),
        ("VG", "VGn"),
        ("FE", "FEg"),
        ("LH", "LHk"),
        ("Q", "FK"),
        ("Kr", "Ky"),
        ("CS", "ChS"),
        ("SS", "SSd"),
        ("VS", "VSd"),
        ("D", "Dg"),
        ("+CS", "HT"),
        ("+SM", "FB"),
        ("+SM", "FBo"),
        ("+BT", "FS"),
        ("+BT", "FSt"),
        ("+DE", "CP"),
        ("+VM", "FO"),
        ("+D", "MG"),
        ("+RC", "W"),
        ("+L", "WH"),
        ("+P", "G"),
        ("+G", "R"),
    ];
    for (ours, theirs) in names {
        let pos = position("historical", Color::Black, &format!("K16p k1a {ours}8i"));
        let mut moves = Vec::new();
        pos.legal_moves(&mut moves);
        let mv = moves
            .into_iter()
            .find(|&mv| Tenjiku::move_from(mv) != 15 * 16)
            .unwrap();
        let text = write(&pos, mv);
        assert!(text.starts_with(ours), "{text}");
        for name in [
            theirs.to_string(),
            theirs.to_lowercase(),
            theirs.to_uppercase(),
        ] {
            let reading = read(&pos, &text.replacen(ours, &name, 1)).unwrap();
            assert_eq!(
                (reading.mv, reading.remarks.len()),
                (mv, 0),
                "{text} with {name}"
            );
        }
    }
}

/// A piece that really is what a promoted one moves as comes first.
#[test]
fn a_loose_name_yields_to_the_proper_one() {
    let pos = position("historical", Color::Black, "K16p k1a G9h +P7h");
    assert_eq!(
        read(&pos, "G-8h").unwrap().mv,
        pos.parse_move("9h8h").unwrap()
    );
    assert_eq!(
        read(&pos, "+P-8h").unwrap().mv,
        pos.parse_move("7h8h").unwrap()
    );
    assert_eq!(
        read(&pos, "G-6h").unwrap().mv,
        pos.parse_move("7h6h").unwrap()
    );
}

/// Each line: pieces, what somebody wrote, the move meant, whether that deserves a remark.
const LENIENT: &[(&str, &str, &str, bool)] = &[
    ("P8h", "8h-8g", "8h8g", false),
    ("P8h", "P 8h-8g", "8h8g", false),
    ("P8h", " P  -8g! ", "8h8g", false),
    ("P8h", "P8h–8g?!", "8h8g", false),
    ("P8h p8g", "P×8g", "8h8g", false),
    ("P8h", "Px8g", "8h8g", true),
    ("P8h p8g", "P-8g", "8h8g", true),
    ("P8f", "P-8e", "8f8e", false),
    ("S8h", "S-8g=", "8h8g", true),
    ("Ln8h p9g", "Lnx9g-8h", "8h9g8h", true),
    ("Ln8h p9g", "8hx9gx8h", "8h9g8h", true),
    ("Ln8h", "Ln-8g-8f", "8h8f", true),
    ("FD8h p7i", "FD-8h", "8h8h", false),
    ("FD8h p7i", "FDx!7i", "8h8h", true),
    ("FD8h p9g p7i", "FD-8h x!7i, 9g", "8h8h", false),
    ("FD8h p9g p7i", "FD-8hx!7i", "8h8h", true),
    ("FD8h", "FD-8hx!7i", "8h8h", true),
    ("P8h", "P-8g*", "8h8g", true),
];

#[test]
fn what_people_write_is_understood() {
    for &(pieces, text, mv, remarked) in LENIENT {
        let pos = position("historical", Color::Black, &format!("K16p k1a {pieces}"));
        let reading = read(&pos, text).unwrap_or_else(|error| panic!("{pieces}: {error}"));
        assert_eq!(reading.mv, pos.parse_move(mv).unwrap(), "{pieces}: {text}");
        assert_eq!(
            !reading.remarks.is_empty(),
            remarked,
            "{text}: {:?}",
            reading.remarks
        );
    }
}

/// Each line: pieces, text, part of the reason for refusing it.
const ILLEGAL: &[(&str, &str, &str)] = &[
    ("G9h G7h", "G-8h", "9h or 7h"),
    ("P8h", "P9h-9g", "9h is empty"),
    ("P8h p9h", "p9h-9i", "not Black's"),
    ("P8h", "G8h-8g", "the piece on 8h is P"),
    ("P8h", "FD-8g", "Black has no such piece"),
    ("P8h", "P-8f", "no such piece can make this move"),
    ("P8h", "P-8g+", "cannot promote"),
    ("P8h", "8h-8f", ""),
];

const NO_MOVE: &[&str] = &[
    "",
    "P",
    "8h",
    "P8g",
    "-",
    "P-",
    "P-8",
    "P-17a",
    "P-8q",
    "P-0a",
    "Z-8g",
    "P-8g-8f-8e",
    "P-8g+=",
    "P-8g+ ok",
    "+K-8g",
    "P-8gx",
    "P-8gx!",
    "P-8gx!7f,",
    "Px!8g,",
    "P--8g",
    "é",
    "Pé8g",
    "P-8é",
    "+",
    "++P-8g",
    "xx8g",
];

#[test]
fn what_is_no_move_is_refused_with_a_reason() {
    for &(pieces, text, reason) in ILLEGAL {
        let pos = position("historical", Color::Black, &format!("K16p k1a {pieces}"));
        let error = read(&pos, text).unwrap_err();
        assert!(matches!(error, MoveError::Illegal(..)), "{text}: {error:?}");
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
    let pos = position("historical", Color::Black, "K16p k1a P8h");
    for text in NO_MOVE {
        let error = read(&pos, text).unwrap_err();
        assert!(matches!(error, MoveError::Syntax(..)), "{text}: {error:?}");
    }
}

/// Writing and reading are inverse, and no two legal moves are written alike, whatever the position.
#[test]
fn random_positions_round_trip() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
    for _ in 0..if cfg!(debug_assertions) { 15 } else { 150 } {
        let rules = oracle::random::rules(&mut rng);
        let sfen = oracle::random::sfen(&mut rng);
        let pos = Tenjiku::from_sfen(&RuleSet::parse(&rules).unwrap(), &sfen).unwrap();
        let mut moves = Vec::new();
        pos.legal_moves(&mut moves);
        let mut texts = HashSet::new();
        for &mv in &moves {
            let text = write(&pos, mv);
            if moves.len() < 100 || rng.random_bool(0.1) {
                let reading = read(&pos, &text)
                    .unwrap_or_else(|error| panic!("{rules} {sfen} {mv}: {error}"));
                assert_eq!(
                    (reading.mv, reading.remarks),
                    (mv, vec![]),
                    "{rules} {sfen} {text}"
                );
            }
            assert!(texts.insert(text), "{rules} {sfen} {mv}");
        }
    }
}
