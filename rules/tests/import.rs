//! Game texts: dialects, several games a file, start positions, and where damaged records are found out.
//!
//! The games here are made up for the purpose.

use rules::import::{GameText, ImportError, ImportedGame, import, write_game};
use rules::shogi::Shogi;
use rules::tenjiku::handicap::{HANDICAPS, handicap};
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Color, EndReason, Position, Rules};

type Game = ImportedGame<Tenjiku>;

fn all(text: &str) -> Vec<Result<Game, ImportError<Tenjiku>>> {
    import(text, &RuleSet::default())
}

/// The only game of a text.
fn one(text: &str) -> Game {
    let mut games = all(text);
    assert_eq!(games.len(), 1, "{text}");
    games
        .remove(0)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn one_error(text: &str) -> ImportError<Tenjiku> {
    let mut games = all(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).expect_err(text)
}

fn moves(game: &Game) -> String {
    let list: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
    list.join(" ")
}

/// A pawn opening: five plies that every dialect below writes in its own way.
const OPENING: &str = "7l7k 5d3f 6m8k 4e4f 7n6k";

#[test]
fn dialects() {
    let texts = [
        // By ply, squares only.
        "1.7l-7k\n2.5d-3f\n3.6m-8k\n4.4e-4f\n5.7n-6k\n",
        // By ply, names in columns.
        "1.  P  7l-7k\n2. SEg 5d-3f\n3. BGn 6m-8k\n4.  P  4e-4f\n5. FiD 7n-6k\n",
        // By pair, as we write.
        "1. P-7k SE-3f 2. BG-8k P-4f 3. FD-6k *\n",
        "1. P-7k SE-3f\n2. BG-8k P-4f\n3. FD-6k",
        // By pair with a comment that tears a pair apart.
        "1. P-7k {the usual start} 1... SE-3f 2. BG-8k! P-4f? ; now it gets hot\n3. FD-6k!?",
        "1. P-7k SE-3f 2. BG-8k { a comment\nover two lines } 2. … P-4f 3. FD-6k",
        // Glued ellipsis, Windows line ends, a byte order mark.
        "\u{feff}1. P-7k\r\n1...SE-3f\r\n2. BG-8k\r\n2...P-4f\r\n3. FD-6k\r\n",
        // No numbers.
        "P-7k SE-3f BG-8k P-4f FD-6k",
        // Move strings, in one line, one a line, numbered.
        "7l7k 5d3f 6m8k 4e4f 7n6k",
        "7l7k\n5d3f\n6m8k\n4e4f\n7n6k\n",
        "1. 7l7k 5d3f 2. 6m8k 4e4f 3. 7n6k",
        // USI.
        "position startpos moves 7l7k 5d3f 6m8k 4e4f 7n6k",
        "startpos moves 7l7k 5d3f 6m8k 4e4f 7n6k\n",
        // Remarks before the moves.
        "# from a notebook\nBlack: A. Player\nWhite: B. Player\n\n1. P-7k SE-3f\n\n2. BG-8k P-4f\n\n3. FD-6k",
    ];
    for text in texts {
        let game = one(text);
        assert_eq!(moves(&game), OPENING, "{text}");
        assert_eq!(game.start_sfen, Tenjiku::start(&RuleSet::default()).sfen());
        assert_eq!(game.remarks, vec![], "{text}");
        assert_eq!(game.outcome, None);
    }
}

#[test]
fn tags_comments_and_result_are_kept() {
    let game = one(
        "[Event \"Try\"]\n[Rules \"western\"]\n\n{start} 1. P-7k {good} SE-3f {end} White resigns in disgust",
    );
    assert_eq!(game.tag("event"), Some("Try"));
    assert_eq!(game.rules, RuleSet::parse("western").unwrap());
    let comments = [
        (0, "start".to_string()),
        (1, "good".to_string()),
        (2, "end".to_string()),
    ];
    assert_eq!(game.comments, comments);
    assert_eq!(game.result.as_deref(), Some("White resigns in disgust"));
    assert_eq!(
        one("1. P-7k SE-3f 1-0 White resigns").result.as_deref(),
        Some("1-0 White resigns")
    );
}

const DUEL: &str = "7k8/16/16/16/16/16/16/16/16/16/16/16/16/16/8r7/7K8 w - 40";

#[test]
fn games_may_start_anywhere_and_end_by_the_rules() {
    let game = one(&format!("[SFEN \"{DUEL}\"]\n\n1. ... R-9o 2. Kx9o"));
    assert_eq!(
        (moves(&game).as_str(), game.start_sfen.as_str()),
        ("8o9o 9p9o", DUEL)
    );
    assert_eq!(game.outcome, None);
    let error = one_error(&format!(
        "position sfen {DUEL} moves 8o9o 9p10p 9o10o 10p9p 10o9o"
    ));
    assert_eq!((error.ply, error.text.as_str()), (5, "10o9o"));
    assert!(error.why.contains("earlier position"), "{error}");
    let game = one(&format!(
        "position sfen {DUEL} moves 8o9o 9p8p 9o9p 8p7p 9p7p"
    ));
    let outcome = game.outcome.unwrap();
    assert_eq!(
        (outcome.winner, outcome.reason),
        (Some(Color::White), EndReason::RoyalCaptured)
    );
}

#[test]
fn handicap_games_begin_with_an_ellipsis() {
    let text = "[Handicap \"fd+gg\"]\n\n1. ... P-8f 2. P-7k P-10f 3. P-9k";
    let game = one(text);
    assert_eq!(moves(&game), "8e8f 7l7k 10e10f 9l9k");
    assert!(game.start_sfen.ends_with(" w - 1"));
    assert_eq!(
        one("[Handicap \"fd+gg\"]\n1. P-8f\n2. P-7k\n3. P-10f\n4. P-9k").moves,
        game.moves
    );
    let written = write_game(&game);
    assert!(
        written.contains("\n1. ... P-8f 2. P-7k P-10f 3. P-9k *\n"),
        "{written}"
    );
    assert!(!written.contains("SFEN"), "{written}");
}

#[test]
fn several_games_in_a_text() {
    let texts = [
        "[Event \"1\"]\n\n1. P-7k *\n\n[Event \"2\"]\n\n1. P-8k P-8f 1-0\n",
        "1. P-7k *\n\n1. P-8k P-8f 1-0\n",
        "1. P-7k\n\n1. P-8k P-8f\n",
        "1.7l-7k\n\n1.8l-8k\n2.8e-8f\n",
        "7l7k\n\n8l8k 8e8f\n",
        "position startpos moves 7l7k\nposition startpos moves 8l8k 8e8f\n",
    ];
    for text in texts {
        let games: Vec<String> = all(text)
            .into_iter()
            .map(|game| moves(&game.unwrap()))
            .collect();
        assert_eq!(games, ["7l7k", "8l8k 8e8f"], "{text}");
    }
    assert!(all("").is_empty());
    assert!(all("\n\n{only a comment}\n").is_empty());
}

/// A capture sign on a move that only burns is remarked on and taken.
#[test]
fn capture_signs_on_quiet_moves() {
    let game = one("1.7lx7k\n2.5d-3f\n");
    assert_eq!(moves(&game), "7l7k 5d3f");
    let remark = &game.remarks[0];
    assert_eq!(
        (
            game.remarks.len(),
            remark.line,
            remark.ply,
            remark.text.as_str()
        ),
        (1, 1, 1, "7lx7k")
    );
}

/// Each line: text; line, move number, text and part of the reason of the error.
const DAMAGED: &[(&str, usize, usize, &str, &str)] = &[
    // A move that is not legal.
    ("1.7l-7k\n2.5d-3f\n3.6m-8j\n4.4e-4f\n", 3, 3, "6m-8j", ""),
    // A word that is no move.
    ("1. P-7k SE-3f\n2. BG-8k Q!\n", 2, 4, "Q!", "not a move"),
    ("1. P-7k SE-3f\n\n2. Zx8k\n", 3, 3, "Zx8k", "no piece `Z`"),
    // A missing move: found by the numbers before it is found by the rules.
    (
        "1.7l-7k\n2.5d-3f\n4.4e-4f\n",
        3,
        3,
        "4.",
        "expected number 3",
    ),
    (
        "1. P-7k SE-3f 2. BG-8k\n3. FD-6k\n",
        2,
        4,
        "3.",
        "expected number 2",
    ),
    ("1. P-7k\n3. P-8k", 2, 2, "3.", "between the numbers"),
    // A doubled line.
    (
        "1.7l-7k\n2.5d-3f\n2.5d-3f\n",
        3,
        3,
        "2.",
        "expected number 3",
    ),
    // The wrong piece on the start square.
    (
        "1. P 7l-7k\n2. FiD 5d-3f\n",
        2,
        2,
        "FiD5d-3f",
        "the piece on 5d is SE",
    ),
    ("1. P 7l-7k\n2. P 7k-7j\n", 2, 2, "P7k-7j", "not White's"),
    ("1. P 7l-7k\n2. 7f-7g\n", 2, 2, "7f-7g", "empty"),
    // More than one piece could.
    (
        "[SFEN \"7k8/16/16/16/16/16/16/7G1G6/16/16/16/16/16/16/16/7K8 b - 1\"]\n1. G-8h",
        2,
        1,
        "G-8h",
        "9h or 7h",
    ),
    // Set-up that cannot be.
    (
        "[SFEN \"16/16 b - 1\"]\n1. P-7k",
        2,
        1,
        "16/16 b - 1",
        "SFEN",
    ),
    ("[Rules \"eastern\"]\n\n1. P-7k", 3, 1, "eastern", "rules"),
    ("[Handicap \"k\"]\n\n1. P-7k", 3, 1, "k", "king"),
    ("[Handicap \"3fd\"]\n", 1, 1, "3fd", "only 2"),
    ("position fen x\n", 1, 1, "position fen x", "startpos"),
    (
        "position startpos 7l7k\n",
        1,
        1,
        "position startpos 7l7k",
        "moves",
    ),
    ("position startpos moves 7l7k 5d3g\n", 1, 2, "5d3g", ""),
    ("7l7k 5d3f 7l7k\n", 1, 3, "7l7k", "no piece on 7l"),
    ("1. P-7k ... SE-3f ... BG-8k", 1, 3, "...", "ellipsis"),
];

#[test]
fn damaged_records_are_reported_exactly() {
    for &(text, line, ply, at, why) in DAMAGED {
        let error = one_error(text);
        assert_eq!(
            (error.line, error.ply, error.text.as_str()),
            (line, ply, at),
            "{text}: {error}"
        );
        assert!(error.why.contains(why), "{text}: {error}");
        assert_eq!(error.good.moves.len(), ply - 1);
        assert!(
            error
                .to_string()
                .starts_with(&format!("line {line}, move {ply}, at `{at}`: "))
        );
    }
}

#[test]
fn a_bad_game_does_not_stop_the_others() {
    let texts = [
        "1. P-7k *\n\n1. P-9z P-8f\n2. P-8k\n\n1. P-8k *\n",
        "[Event \"a\"]\n1. P-7k *\n[Event \"b\"]\n1. P-9z\n[Event \"c\"]\n1. P-8k\n",
        "7l7k\n\n7l7z 1a1b\n\n8l8k",
        "position startpos moves 7l7k\nposition startpos moves 1a1a\nposition startpos moves 8l8k",
    ];
    for text in texts {
        let found: Vec<Option<String>> = all(text)
            .into_iter()
            .map(|game| game.ok().map(|g| moves(&g)))
            .collect();
        assert_eq!(
            found,
            [Some("7l7k".to_string()), None, Some("8l8k".to_string())],
            "{text}"
        );
    }
}

/// Random games, written and read back, under every preset.
#[test]
fn written_games_are_read_back() {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(5);
    for rules in [
        "historical",
        "western",
        "tsa",
        "western,tetrarch=historical",
    ] {
        let rules = RuleSet::parse(rules).unwrap();
        let mut pos = match rng.random_bool(0.5) {
            true => Tenjiku::start(&rules),
            false => handicap(&rules, "2fd").unwrap(),
        };
        let start_sfen = pos.sfen();
        let (mut list, mut legal) = (Vec::new(), Vec::new());
        let mut comments = Vec::new();
        for ply in 0..if cfg!(debug_assertions) { 30 } else { 200 } {
            pos.legal_moves(&mut legal);
            let Some(&mv) = legal.choose(&mut rng) else {
                break;
            };
            if rng.random_bool(0.1) {
                comments.push((ply, format!("before ply {ply}: 1. P-7k ; [x] *")));
            }
            pos.play(mv);
            list.push(mv);
        }
        let game = ImportedGame::<Tenjiku> {
            line: 1,
            tags: vec![("Black".to_string(), "a".to_string())],
            rules,
            start_sfen,
            moves: list,
            result: Some("*".to_string()),
            outcome: pos.outcome(),
            comments,
            remarks: Vec::new(),
        };
        let text = write_game(&game);
        let back = one(&text);
        assert!(
            text.lines()
                .all(|line| line.starts_with('[') || line.chars().count() <= 100),
            "{text}"
        );
        assert_eq!(
            (&back.moves, &back.rules, &back.start_sfen),
            (&game.moves, &rules, &game.start_sfen)
        );
        assert_eq!(
            (&back.comments, &back.result, back.outcome),
            (&game.comments, &game.result, game.outcome)
        );
        assert_eq!(back.remarks, vec![]);
    }
}

/// What a list for people to choose from promises, for any game.
fn suggestions_are_starts<P: GameText>(count: usize) {
    let rules = P::Rules::default();
    let pieces = |position: &P| {
        position
            .snapshot()
            .board
            .iter()
            .filter(|c| **c != 0)
            .count()
    };
    let full = pieces(&P::start(&rules));
    assert_eq!(P::handicaps().len(), count);
    for (name, meaning) in P::handicaps() {
        let start = P::handicap(&rules, name).unwrap();
        assert_eq!(start.turn(), Color::White, "{name}");
        assert!(pieces(&start) < full, "{name}");
        assert!(meaning.is_ascii(), "{meaning}");
    }
    for name in P::Rules::presets() {
        assert_eq!(P::Rules::parse(&name).unwrap().name(), name);
    }
    assert_eq!(P::Rules::presets()[0], P::Rules::default().name());
}

#[test]
fn suggested_handicaps_and_presets_can_be_played() {
    suggestions_are_starts::<Tenjiku>(12);
    suggestions_are_starts::<Shogi>(15);
}

#[test]
fn handicaps() {
    let rules = RuleSet::default();
    let pieces = |sfen: &str| {
        sfen.split(' ')
            .next()
            .unwrap()
            .chars()
            .filter(char::is_ascii_lowercase)
            .count()
    };
    let full = Tenjiku::start(&rules).sfen();
    for (name, _) in HANDICAPS {
        let pos = handicap(&rules, name).unwrap();
        assert_eq!((pos.turn(), pos.move_number()), (Color::White, 1), "{name}");
        assert!(pieces(&pos.sfen()) < pieces(&full), "{name}");
    }
    // Ranks a to d as the rules document prints them, less the pieces named.
    let pos = handicap(&rules, "fd+gg").unwrap();
    let ranks: Vec<&str> = pos
        .sfen()
        .split('/')
        .map(str::to_string)
        .map(|r| &*r.leak())
        .collect();
    assert_eq!(
        ranks[2],
        "[ss][vs]b[dh][dk][wb][fd][fe][lh]1[wb][dk][dh]b[vs][ss]"
    );
    assert_eq!(
        ranks[3],
        "[sm][vm]r[hf][se][bg][rg][vg]1[rg][bg][se][hf]r[vm][sm]"
    );
    for bad in [
        "",
        "k",
        "x",
        "3fd",
        "0fd",
        "fd+",
        "2fd+fd",
        "99999999999999999999fd",
        "é",
        "cp",
    ] {
        let error = handicap(&rules, bad).unwrap_err();
        assert!(error.contains("gg+vg"), "{error}");
    }
}
