//! The contract of the encoding, on positions from random games of tenjiku under every preset.

use encoding::{Encoded, InputSpec, NO_VIA, PolicySlot};
use rand::{SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::tenjiku::{Kind, Piece, RuleSet, Tenjiku};
use rules::{Color, GameMove, Position};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

fn positions(count: usize) -> Vec<Tenjiku> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let presets = [RuleSet::HISTORICAL, RuleSet::WESTERN, RuleSet::TSA];
    let mut list = Vec::new();
    let mut moves = Vec::new();
    while list.len() < count {
        let mut position = Tenjiku::start(presets.choose(&mut rng).unwrap());
        for ply in 0..200 {
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            position.play(mv);
            if ply % 7 == 0 && position.outcome().is_none() {
                list.push(position.clone());
            }
        }
    }
    list.truncate(count);
    list
}

fn encoded(position: &Tenjiku) -> (Vec<u8>, Vec<f32>) {
    let mut squares = vec![0; 768];
    let mut globals = vec![0.0; Tenjiku::GLOBALS];
    encoding::encode::<Tenjiku>(
        position.rules(),
        &position.snapshot(),
        &mut squares,
        &mut globals,
    );
    (squares, globals)
}

/// The names of the planes that a code sets.
fn planes_of(code: u8) -> Vec<&'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(Tenjiku::plane_names);
    let row = usize::from(code) * 110;
    let table = Tenjiku::plane_table();
    (NAMES.iter().zip(&table[row..row + 110]))
        .filter(|(_, value)| **value == 1.0)
        .map(|(name, _)| name.as_str())
        .collect()
}

#[test]
fn squares_decode_to_the_position() {
    for position in positions(300) {
        let (squares, _) = encoded(&position);
        let snapshot = position.snapshot();
        for (seen, &code) in squares[..256].iter().enumerate() {
            // Undo the view by hand: own pieces have codes up to 72; White sees the board turned round.
            let (square, owner) = match position.turn() {
                Color::Black => (
                    seen,
                    if code <= 72 {
                        Color::Black
                    } else {
                        Color::White
                    },
                ),
                Color::White => (
                    255 - seen,
                    if code <= 72 {
                        Color::White
                    } else {
                        Color::Black
                    },
                ),
            };
            match Piece::from_code(snapshot.board[square]) {
                None => assert_eq!(code, 0),
                Some(piece) => {
                    let state = (usize::from(code) - 1) % 72;
                    assert_eq!(
                        (piece.color, piece.state()),
                        (owner, state),
                        "{} {square}",
                        position.sfen()
                    );
                }
            }
        }
    }
}

#[test]
fn rows_of_the_plane_table_tell_pieces_apart_that_differ_in_movement_or_promotion() {
    let table = Tenjiku::plane_table();
    const PLANES: usize = 110;
    assert_eq!(table.len(), (145 + 36 + 64) * PLANES);
    assert_eq!(Tenjiku::plane_names().len(), PLANES);
    assert_eq!(Tenjiku::global_names().len(), Tenjiku::GLOBALS);
    assert!(
        table[..PLANES].iter().all(|&v| v == 0.0),
        "an empty square sets no plane"
    );
    let mut seen: HashMap<Vec<u32>, (Color, Kind, bool)> = HashMap::new();
    for code in 1..145u8 {
        let row = &table[usize::from(code) * PLANES..][..PLANES];
        let Some(piece) = Piece::from_code(code) else {
            assert!(row.iter().all(|&v| v == 0.0), "no piece has code {code}");
            continue;
        };
        let key = (piece.color, piece.kind(), piece.can_promote());
        let bits: Vec<u32> = row.iter().map(|v| v.to_bits()).collect();
        assert_eq!(*seen.entry(bits).or_insert(key), key);
    }
}

#[test]
fn an_own_piece_is_seen_alike_by_both_sides() {
    // A black pawn on 8l seen by Black and a white pawn on 9e seen by White stand on the same square.
    let see = |sfen: &str| encoded(&Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap()).0;
    let black = see("16/16/16/16/16/16/16/16/16/16/16/8P7/16/16/7k8/8K7 b - 1");
    let white = see("7k8/8K7/16/16/7p8/16/16/16/16/16/16/16/16/16/16/16 w - 1");
    assert_eq!(black, white);
    assert_eq!(black[11 * 16 + 8], 1, "P is state 0");
}

#[test]
fn slots_of_legal_moves_are_distinct_and_mirror_with_the_board() {
    let spec: InputSpec = encoding::spec::<Tenjiku>();
    let mut moves = Vec::new();
    for position in positions(300) {
        position.legal_moves(&mut moves);
        let slots: HashSet<PolicySlot> = moves
            .iter()
            .map(|&mv| encoding::slot::<Tenjiku>(mv, position.turn()))
            .collect();
        assert_eq!(slots.len(), moves.len(), "{}", position.sfen());
        for &mv in &moves {
            let slot = encoding::slot::<Tenjiku>(mv, position.turn());
            assert_eq!(
                encoding::slot_of_code::<Tenjiku>(mv.code(), position.turn()),
                Some(slot)
            );
            assert!(usize::from(slot.query) < spec.queries() && usize::from(slot.to) < 256);
            assert!(slot.via == NO_VIA || slot.via < 256);
            let mirrored = encoding::slot::<Tenjiku>(Tenjiku::mirror_move(mv), position.turn());
            assert_eq!(encoding::mirror_slot(&spec, slot), mirrored);
        }
        let (mut squares, globals) = encoded(&position);
        encoding::mirror_squares(&spec, &mut squares);
        assert_eq!((squares, globals), encoded(&position.mirror()));
    }
}

#[test]
fn rule_options_and_the_move_number_are_seen() {
    let mut seen = HashSet::new();
    for rules in [
        "historical",
        "western",
        "tsa",
        "historical,vice_general_steps=1",
        "historical,repetition=none",
    ] {
        let rules = <RuleSet as rules::Rules>::parse(rules).unwrap();
        let globals = encoded(&Tenjiku::start(&rules)).1;
        assert!(globals.iter().all(|g| (-1.0..=1.0).contains(g)));
        seen.insert(globals.iter().map(|g| g.to_bits()).collect::<Vec<_>>());
    }
    assert_eq!(seen.len(), 5);
    let start = encoded(&Tenjiku::start(&RuleSet::default())).1[0];
    assert!((start - 0.001).abs() < 1e-6, "move number 1 of 1000");
}

#[test]
fn the_second_layer_tells_what_each_side_attacks() {
    // Black to move: a rook on 8l sees up to its own king on 8p and the enemy king on 8b, and along the rank; the
    // enemy demon on 4d burns around it and wherever it goes.
    let position = Tenjiku::from_sfen(
        &RuleSet::default(),
        "16/8k7/16/12[fd]3/16/16/16/16/16/16/16/8R7/16/16/16/8K7 b - 1",
    )
    .unwrap();
    let (squares, _) = encoded(&position);
    let planes = |square: usize| {
        let code = squares[256 + square];
        assert!(code >= 145, "{code}");
        planes_of(code)
    };
    let own = "own piece captures here";
    let fire = "enemy fire reaches here";
    assert_eq!(planes(11 * 16 + 1), [own], "along the rank of the rook");
    assert_eq!(planes(14 * 16 + 8), [own, "two own pieces capture here"]);
    assert_eq!(
        planes(15 * 16 + 8),
        [own],
        "the king, protected by the rook"
    );
    let on_king = planes(16 + 8);
    assert_eq!(on_king[0], own, "the enemy king is attacked");
    assert!(planes(2 * 16 + 11).contains(&fire), "next to the demon");
    assert!(planes(2 * 16 + 11).contains(&"enemy piece captures here"));
    assert_eq!(
        planes(11 * 16 + 8),
        Vec::<&str>::new(),
        "nothing reaches the rook"
    );
    // White sees the same board turned round with the colours swapped.
    let turned = Tenjiku::from_sfen(
        &RuleSet::default(),
        "7k8/16/16/16/7r8/16/16/16/16/16/16/16/3[FD]12/16/7K8/16 w - 1",
    )
    .unwrap();
    assert_eq!(encoded(&turned), (squares, encoded(&position).1));
}

#[test]
fn the_third_layer_and_two_globals_tell_what_each_side_would_win() {
    // Black's gold general (3 pawns) on 8h and White's silver general (2) on 8g may take each other; the bishop on 4d
    // sees the gold general as well.
    let position = Tenjiku::from_sfen(
        &RuleSet::default(),
        "16/13k2/16/12b3/16/16/8s7/8G7/16/16/16/16/16/16/16/K15 b - 1",
    )
    .unwrap();
    let (squares, globals) = encoded(&position);
    let planes = |square: usize| {
        let code = squares[512 + square];
        assert!((181..245).contains(&code), "{code}");
        planes_of(code)
    };
    assert_eq!(planes(6 * 16 + 8), ["own gain of 1 here"]);
    assert_eq!(planes(7 * 16 + 8), ["enemy gain of 1 here"]);
    let others = (0..256).filter(|&s| !planes(s).is_empty()).count();
    assert_eq!(others, 2);
    assert_eq!(globals[1..3], [0.01, 0.01]);
}

/// The legal moves with the names of their marks.
fn marks(position: &Tenjiku) -> HashMap<String, Vec<String>> {
    let (mut moves, mut slots) = (Vec::new(), Vec::new());
    position.legal_moves(&mut moves);
    let (rules, snapshot) = (position.rules(), position.snapshot());
    let squares = encoded(position).0;
    encoding::slots::<Tenjiku>(rules, &snapshot, &squares, &moves, &mut slots);
    let named = |slot: &PolicySlot| {
        let names = Tenjiku::mark_names();
        assert_eq!(names.len(), Tenjiku::MARKS);
        assert!(slot.marks < 1 << Tenjiku::MARKS);
        (0..)
            .zip(names)
            .filter(|(bit, _)| slot.marks >> bit & 1 == 1)
            .map(|(_, name)| name)
            .collect()
    };
    moves
        .iter()
        .map(|mv| mv.to_string())
        .zip(slots.iter().map(named))
        .collect()
}

/// By hand: a rook (12 pawns) before an unprotected silver general (2), behind which stands the king; a pawn that is protected by another.
#[test]
fn marks_say_what_a_move_wins_loses_and_leaves() {
    let sfen = "16/8k7/16/16/16/16/8s7/12p3/8R3p3/16/16/16/16/16/16/8K7 b - 1";
    let black = marks(&Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap());
    assert_eq!(black["8i8g"], ["wins 1", "gives check"]);
    assert_eq!(
        black["8i4i"],
        ["loses 1", "loses 4", "loses 9"],
        "a rook for a pawn is 11"
    );
    assert_eq!(
        black["8i8h"],
        ["loses 1", "loses 4", "loses 9"],
        "the silver general takes"
    );
    assert_eq!(black["8i9i"], [""; 0]);
    let white =
        marks(&Tenjiku::from_sfen(&RuleSet::default(), &sfen.replace(" b ", " w ")).unwrap());
    let hangs = "leaves a square where the enemy wins 1";
    assert_eq!(white["8g7h"], [hangs, "lets the enemy take the last royal"]);
    assert_eq!(white["8g8h"], ["loses 1", hangs], "the king stays covered");
    assert_eq!(white["8b8a"], [""; 0], "what hangs elsewhere is not asked");
    // A king (4) that steps into a rook's file.
    let sfen = "9r6/8k7/16/16/16/16/16/16/16/16/16/16/16/16/16/8K7 b - 1";
    let king = marks(&Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap());
    assert_eq!(
        king["8p7p"],
        ["loses 1", "loses 4", "lets the enemy take the last royal"]
    );
    assert_eq!(king["8p9p"], [""; 0]);
    // A demon next to a gold general (3) burns it; from there it could go next to the king, to 14b.
    let sfen = "3k12/16/16/16/16/16/9g6/7[FD]8/16/16/16/16/16/16/16/8K7 b - 1";
    let demon = marks(&Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap());
    assert_eq!(demon["9h8h"], ["wins 1", "gives check"]);
}

#[test]
fn marks_of_kings_are_what_playing_the_move_shows_and_nearly_all_are_mirrored() {
    let (mut checks, mut exposed, mut all, mut differ) = (0, 0, 0, 0);
    for position in positions(60) {
        let found = marks(&position);
        let mirrored = marks(&position.mirror());
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            let names = &found[&mv.to_string()];
            let seen_mirrored = &mirrored[&Tenjiku::mirror_move(mv).to_string()];
            all += 1;
            differ += u32::from(names != seen_mirrored);
            let has = |name: &str| names.iter().any(|n| n == name);
            let mut after = position.clone();
            after.play(mv);
            let over = after.outcome().is_some();
            assert_eq!(
                has("gives check"),
                !over && after.in_check(),
                "{mv} in {}",
                position.sfen()
            );
            assert_eq!(
                has("lets the enemy take the last royal"),
                after.winning_move().is_some()
            );
            assert_eq!(
                has("wins the game"),
                over && after.royals(after.turn()).is_empty()
            );
            checks += u32::from(has("gives check"));
            exposed += u32::from(has("lets the enemy take the last royal"));
        }
    }
    assert!(checks > 100 && exposed > 100, "{checks} {exposed}");
    // Which of two takers of equal worth goes first is decided by their squares.
    assert!(differ * 1000 <= all, "{differ} of {all}");
}

/// By hand: a rook (12) and a king (4) against a silver general (2), two pawns and a king.
#[test]
fn two_globals_tell_the_balance_of_material() {
    let sfen = "16/8k7/16/16/16/16/8s7/12p3/8R3p3/16/16/16/16/16/16/8K7 b - 1";
    let balance = |sfen: &str| {
        let position = Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap();
        let globals = encoded(&position).1;
        [globals[3], globals[4]]
    };
    assert_eq!(balance(sfen), [0.08, 0.02]);
    assert_eq!(balance(&sfen.replace(" b ", " w ")), [-0.08, -0.02]);
    // Two demons (83) less.
    let demons = sfen.replace("16/8k7", "[fd][fd]14/8k7");
    assert_eq!(balance(&demons), [-1.0, -0.395]);
}
