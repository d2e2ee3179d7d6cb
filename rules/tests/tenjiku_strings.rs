//! Strings: position strings (section 1), move strings (section 11), rule texts (section 14), and snapshots.

mod tenjiku_board;

use rules::tenjiku::{
    Bitboard, FireDemonRanging, Kind, Piece, Repetition, RuleSet, START_SFEN, Square, Tenjiku,
    TenjikuMove,
};
use rules::{Color, GameMove, MoveError, Position, Rules, Snapshot};
use tenjiku_board::*;

#[test]
fn start_is_the_array_of_section_3() {
    let start = Tenjiku::start(&RuleSet::default());
    assert_eq!(start.sfen(), START_SFEN);
    assert_eq!(
        (start.turn(), start.move_number(), start.plies()),
        (Color::Black, 1, 0)
    );
    for color in [Color::Black, Color::White] {
        assert_eq!(start.pieces(color).len(), 78);
        assert_eq!(start.royals(color).len(), 1);
        assert_eq!(start.demons(color).len(), 2);
    }
    let at = |square: &str| {
        start
            .piece_at(Square::parse(square).unwrap())
            .map(|piece| piece.abbr())
    };
    // From the table of section 3.
    for (square, abbr) in [
        ("9p", "K"),
        ("8p", "DE"),
        ("9m", "GG"),
        ("8m", "VG"),
        ("10n", "FD"),
        ("9n", "LH"),
        ("10o", "Kr"),
    ] {
        assert_eq!(at(square).as_deref(), Some(abbr), "{square}");
    }
    // "White's K on 8a, DE on 9a".
    assert_eq!(
        (at("8a").unwrap(), at("9a").unwrap()),
        ("K".to_string(), "DE".to_string())
    );
    let mut counts = [0; Kind::COUNT];
    for square in start.pieces(Color::Black).squares() {
        counts[start.piece_at(square).unwrap().base.index()] += 1;
    }
    for kind in Kind::bases() {
        let expected = match kind.abbr() {
            "P" => 16,
            "CS" => 4,
            "K" | "DE" | "GG" | "VG" | "FE" | "LH" | "Ln" | "Kr" | "Ph" | "Q" => 1,
            _ => 2,
        };
        assert_eq!(counts[kind.index()], expected, "{}", kind.abbr());
    }
}

#[test]
fn position_strings_round_trip() {
    let text = "13k2/16/+p+[de]14/16/16/16/16/8[LN]7/16/16/+[WB]15/16/16/16/16/2K13 w - 1000000";
    let game = Tenjiku::from_sfen(&RuleSet::default(), text).unwrap();
    assert_eq!(game.sfen(), text);
    assert!(
        game.piece_at(Square::parse("16k").unwrap())
            .unwrap()
            .is_demon()
    );
    assert!(
        game.piece_at(Square::parse("15c").unwrap())
            .unwrap()
            .is_royal()
    );
}

/// A board of 16 empty ranks but for the first.
fn with_first_rank(rank: &str) -> String {
    format!("{rank}{} b - 1", "/16".repeat(15))
}

#[test]
fn bad_position_strings_are_refused_and_the_place_is_named() {
    let board = "16/".repeat(15) + "16";
    let cases = [
        ("".to_string(), "4 fields"),
        (board.clone(), "4 fields"),
        (format!("{board} b - 1 "), "4 fields"),
        (format!("{board}  b - 1"), "4 fields"),
        (format!(" {board} b - 1"), "4 fields"),
        (format!("{board} b - 1\n"), "move number"),
        (format!("{board} x - 1"), "side to move"),
        (format!("{board} B - 1"), "side to move"),
        (format!("{board} b P 1"), "third field"),
        (format!("{board} b - 0"), "move number"),
        (format!("{board} b - 01"), "move number"),
        (format!("{board} b - +1"), "move number"),
        (format!("{board} b - -1"), "move number"),
        (format!("{board} b - 1000001"), "move number"),
        (format!("{board} b - 4294967296"), "move number"),
        (format!("{board} b - x"), "move number"),
        (format!("{board}/16 b - 1"), "found 17"),
        (format!("{} b - 1", "16/".repeat(14) + "16"), "found 15"),
        (
            with_first_rank("15"),
            "rank a: expected 16 squares, found 15",
        ),
        (with_first_rank(""), "rank a: expected 16 squares, found 0"),
        (
            with_first_rank("16P"),
            "rank a: expected 16 squares, found more",
        ),
        (
            with_first_rank("15PP"),
            "rank a: expected 16 squares, found more",
        ),
        (
            with_first_rank("P16"),
            "rank a: expected 16 squares, found more",
        ),
        (with_first_rank("17"), "`17`"),
        (with_first_rank("0P15"), "`0`"),
        (with_first_rank("P0P14"), "`0`"),
        (with_first_rank("08p7"), "`08`"),
        (with_first_rank("88"), "`88`"),
        (with_first_rank("99999999999999999999999"), "rank a"),
        (with_first_rank("3[fD]12"), "square 13a"),
        (with_first_rank("3[Ln]12"), "square 13a"),
        (with_first_rank("[P]15"), "without brackets"),
        (with_first_rank("[p]15"), "without brackets"),
        (with_first_rank("[FD15"), "`[` without `]`"),
        (with_first_rank("[]15"), "square 16a"),
        (with_first_rank("FD]14"), "square 16a"),
        (with_first_rank("X15"), "no piece `X`"),
        (with_first_rank("[XY]15"), "no piece `XY`"),
        // Kinds that exist only by promotion.
        (with_first_rank("[CP]15"), "no piece `CP`"),
        (with_first_rank("W15"), "no piece `W`"),
        (with_first_rank("[FST]15"), "no piece `FST`"),
        (with_first_rank("15+"), "`+` without a piece"),
        (with_first_rank("+15"), "square 16a"),
        (with_first_rank("++P15"), "square 16a"),
        (with_first_rank("+K15"), "does not promote"),
        (
            with_first_rank("7+[gg]8"),
            "square 9a: `gg` does not promote",
        ),
        (with_first_rank("+[VG]15"), "does not promote"),
        (with_first_rank("+[FE]15"), "does not promote"),
        (with_first_rank("+[LH]15"), "does not promote"),
        (with_first_rank("+[FD]15"), "does not promote"),
        (with_first_rank("é15"), "square 16a"),
        (with_first_rank("[é]15"), "square 16a"),
        (with_first_rank("15 "), "4 fields"),
    ];
    for (text, part) in cases {
        match Tenjiku::from_sfen(&RuleSet::default(), &text) {
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains(part), "{text}: {error}");
            }
            Ok(game) => panic!("{text} was read as {game:?}"),
        }
    }
    // The rank is named wherever it is.
    let last = "16/".repeat(15) + "15";
    let error = Tenjiku::from_sfen(&RuleSet::default(), &format!("{last} b - 1")).unwrap_err();
    assert!(error.to_string().contains("rank p"), "{error}");
}

#[test]
fn move_strings_that_are_none() {
    let start = Tenjiku::start(&RuleSet::default());
    for text in [
        "", "9l", "9l9", "9l9k ", " 9l9k", "9l9k++", "9L9K", "17l17k", "0l0k", "09l09k", "9q9k",
        "9l-9k", "P9k", "9l9k+9j", "9l9k9j9i", "é9l9k", "9l9ké", "8h8f8h", "8h8h8g", "8h8g8g",
        "8h8g8e", "0000", "resign",
    ] {
        let error = start.parse_move(text).unwrap_err();
        assert!(matches!(error, MoveError::Syntax(..)), "{text}: {error:?}");
    }
}

#[test]
fn illegal_moves_are_explained() {
    let start = Tenjiku::start(&RuleSet::default());
    for (text, why) in [
        ("9h9g", "no piece on 9h"),
        ("9e9f", "not the side to move's"),
        ("9l9j", "no such move"),
        ("9l9k+", "may not promote"),
        ("9l9m", "no such move"),
    ] {
        match start.parse_move(text) {
            Err(MoveError::Illegal(named, reason)) => {
                assert!(named == text && reason.contains(why), "{text}: {reason}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let reason = |game: &Tenjiku, text: &str| match game.parse_move(text) {
        Err(MoveError::Illegal(_, reason)) => reason,
        other => panic!("{text}: {other:?}"),
    };
    let over = game('b', "8h:K 8a:r");
    assert!(reason(&over, "8h8g").contains("game is over"));
    let forced = game_under("western", 'b', &format!("8b:P {KINGS}"));
    assert!(reason(&forced, "8b8a").contains("must promote"));
    // The middle square is written only where something is captured on it.
    let lion = game('b', &format!("8h:LN {KINGS}"));
    assert!(reason(&lion, "8h8g8f").contains("no such move"));
}

#[test]
fn rule_texts_round_trip() {
    for (name, rules) in RuleSet::PRESETS {
        assert_eq!(RuleSet::parse(name).unwrap(), rules);
        assert_eq!(rules.name(), name);
    }
    assert_eq!(RuleSet::default(), RuleSet::parse("historical").unwrap());
    let text = "western,fire_demon_ranging=rank";
    let rules = RuleSet::parse(text).unwrap();
    assert_eq!(rules.fire_demon_ranging, FireDemonRanging::Rank);
    assert_eq!(rules.name(), text);
    // The nearest preset names it, whatever it was written from.
    let far = RuleSet::parse(
        "historical,fire_demon_ranging=file,tetrarch=western,free_eagle=orthogonal_jump,forced_promotion=true,\
         repetition=none",
    )
    .unwrap();
    assert_eq!(far.repetition, Repetition::None);
    assert_eq!(far.name(), "western,repetition=none");
    // One option set to what the preset has anyway.
    assert_eq!(
        RuleSet::parse("tsa,vice_general_steps=3").unwrap().name(),
        "tsa"
    );
    // JSON holds the text.
    let json = serde_json::to_string(&rules).unwrap();
    assert_eq!(json, format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<RuleSet>(&json).unwrap(), rules);
    assert!(serde_json::from_str::<RuleSet>("\"nonsense\"").is_err());
}

#[test]
fn presets_are_those_of_section_14() {
    // The table, row by row: option, historical, western, tsa.
    let table = "fire_demon_ranging rank file file\nfire_demon_clash mover_only mover_only mover_only\n\
        tetrarch historical western western\nlion_hawk full_lion full_lion two_step_area\n\
        free_eagle lion_diagonals orthogonal_jump orthogonal_jump\n\
        general_jump_capture any_but_royal any_but_royal lower_only\n\
        general_jump_without_capture false false false\nvice_general_steps 3 3 3\n\
        promotion_rule entry_or_capture entry_or_capture any_zone_move\nforced_promotion false true true\n\
        second_chance_promotion false false false\nrepetition forbidden forbidden none\n\
        repetition_in_check_allowed false false false";
    let options = RuleSet::PRESETS.map(|(_, rules)| rules.options());
    assert_eq!(table.lines().count(), options[0].len());
    for (i, line) in table.lines().enumerate() {
        let row: Vec<_> = line.split_whitespace().collect();
        for preset in 0..3 {
            assert_eq!(options[preset][i].name, row[0]);
            assert_eq!(options[preset][i].value, row[preset + 1], "{}", row[0]);
            assert!(options[preset][i].allowed.contains(&row[preset + 1]));
        }
    }
}

#[test]
fn bad_rule_texts_name_what_is_allowed() {
    for (text, parts) in [
        ("", vec!["unknown preset ``", "historical, western or tsa"]),
        ("Historical", vec!["`Historical`"]),
        ("historical,", vec!["option=value"]),
        (
            "historical,repetition",
            vec!["`repetition`", "option=value"],
        ),
        (
            "historical,repitition=none",
            vec!["`repitition`", "repetition", "fire_demon_ranging"],
        ),
        (
            "historical,repetition=off",
            vec!["`off`", "forbidden, none"],
        ),
        ("historical,vice_general_steps=4", vec!["`4`", "1, 2, 3"]),
        (
            "historical,forced_promotion=yes",
            vec!["`yes`", "true, false"],
        ),
        ("historical, repetition=none", vec!["` repetition`"]),
        ("historical,repetition=none,repetition=none", vec!["twice"]),
    ] {
        let error = RuleSet::parse(text).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

#[test]
fn every_option_can_be_set_to_every_allowed_value() {
    for option in RuleSet::default().options() {
        for value in &option.allowed {
            let rules = RuleSet::parse(&format!("historical,{}={value}", option.name)).unwrap();
            let found = rules
                .options()
                .into_iter()
                .find(|other| other.name == option.name)
                .unwrap();
            assert_eq!(found.value, *value);
            assert_eq!(RuleSet::parse(&rules.name()).unwrap(), rules);
        }
    }
}

#[test]
fn squares_have_names() {
    assert_eq!(Square(0).to_string(), "16a");
    assert_eq!(Square(15).to_string(), "1a");
    assert_eq!(Square(255).to_string(), "1p");
    for square in (0..=255).map(Square) {
        assert_eq!(Square::parse(&square.to_string()), Some(square));
        assert_eq!(square.mirror().mirror(), square);
        assert_eq!(square.turned().file(), 17 - square.file());
    }
    for text in ["", "a", "1", "0a", "17a", "1q", "1a ", "01a", "1A", "1aa"] {
        assert_eq!(Square::parse(text), None, "{text}");
    }
    let set: Bitboard = [Square(3), Square(255), Square(64)].into_iter().collect();
    assert_eq!(
        set.squares().collect::<Vec<_>>(),
        [Square(3), Square(64), Square(255)]
    );
}

#[test]
fn piece_codes_are_those_of_the_record_format() {
    let code = |color, abbr: &str, promoted| {
        let base = Kind::from_abbr(abbr).unwrap();
        Piece {
            color,
            base,
            promoted,
        }
        .code()
    };
    assert_eq!(code(Color::Black, "P", false), 1);
    assert_eq!(code(Color::Black, "K", false), 36);
    assert_eq!(code(Color::Black, "P", true), 37);
    assert_eq!(code(Color::White, "P", false), 73);
    assert_eq!(code(Color::White, "DE", true), 1 + 34 + 36 + 72);
    // 2 * (36 + 30) pieces have codes.
    let pieces: Vec<_> = (0..=255).filter_map(Piece::from_code).collect();
    assert_eq!(pieces.len(), 132);
    assert!(
        pieces
            .iter()
            .all(|piece| Piece::from_code(piece.code()) == Some(*piece))
    );
}

#[test]
fn snapshots_round_trip() {
    let rules = RuleSet::default();
    let mut game = Tenjiku::start(&rules);
    play(&mut game, "9l9k 9e9f");
    let snapshot = game.snapshot();
    assert_eq!(snapshot.board.len(), 256);
    assert_eq!(snapshot.board[Square::parse("9k").unwrap().index()], 1);
    assert_eq!(snapshot.board[Square::parse("9f").unwrap().index()], 73);
    assert_eq!((snapshot.move_number, snapshot.repetitions), (3, 0));
    let copy = Tenjiku::from_snapshot(&rules, &snapshot).unwrap();
    assert_eq!(copy.sfen(), game.sfen());
    assert_eq!(copy.key(), game.key());
    assert_eq!(copy.plies(), 0);

    let bad = |change: &dyn Fn(&mut Snapshot), part: &str| {
        let mut snapshot = snapshot.clone();
        change(&mut snapshot);
        let error = Tenjiku::from_snapshot(&rules, &snapshot)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    };
    bad(&|s| s.board.truncate(81), "81");
    bad(&|s| s.hands.push(0), "no hands");
    bad(&|s| s.board[17] = 145, "square 15b");
    bad(&|s| s.board[17] = 255, "code 255");
    // A promoted king.
    bad(&|s| s.board[17] = 72, "code 72");
    bad(&|s| s.move_number = 0, "move number");
    bad(&|s| s.move_number = 1_000_001, "move number");
}

#[test]
fn move_codes_round_trip_and_others_are_refused() {
    let at = |text: &str| Square::parse(text).unwrap();
    let mv = TenjikuMove::capturing_via(at("8h"), at("8g"), at("9f")).promoting();
    // 8h = 7 * 16 + 8 = 120, 9f = 5 * 16 + 7 = 87, 8g = 104.
    assert_eq!(mv.code(), 120 | 87 << 8 | 104 << 16 | 1 << 24 | 1 << 25);
    assert_eq!(mv.to_string(), "8h8g9f+");
    assert_eq!(TenjikuMove::from_code(mv.code()), Some(mv));
    assert_eq!(TenjikuMove::new(at("16a"), at("16a")).code(), 0);
    for code in [1 << 26, 1 << 31, u32::MAX, 5 << 16, 120 | 87 << 8 | 1 << 24] {
        assert_eq!(TenjikuMove::from_code(code), None, "{code:#x}");
    }
}
