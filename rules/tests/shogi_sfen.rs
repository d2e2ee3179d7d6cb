//! Position strings: canonical writing, and errors that say what is wrong where.

use rules::shogi::{RuleSet, Shogi};
use rules::{Color, Position, Snapshot};

fn read(sfen: &str) -> Result<Shogi, String> {
    Shogi::from_sfen(&RuleSet::default(), sfen).map_err(|error| error.to_string())
}

#[test]
fn canonical_strings_stay_as_they_are() {
    for sfen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1000000",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ] {
        assert_eq!(read(sfen).expect(sfen).sfen(), sfen);
    }
}

#[test]
fn hands_may_come_in_any_order() {
    let position = read("4k4/9/9/9/9/9/9/9/4K4 b p2P3nBgRL 7").expect("any order");
    assert_eq!(position.sfen(), "4k4/9/9/9/9/9/9/9/4K4 b RBL2Pg3np 7");
    assert_eq!(position.move_number(), 7);
    assert_eq!(position.turn(), Color::Black);
}

#[test]
fn errors_name_the_field_and_the_place() {
    let bare = "4k4/9/9/9/9/9/9/9/4K4";
    let cases = [
        ("", "four fields"),
        ("startpos", "four fields"),
        ("4k4/9/9/9/9/9/9/9/4K4 b -", "found 3"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 ", "found 5"),
        ("4k4/9/9/9/9/9/9/9/4K4  b - 1", "found 5"),
        (
            "4k4/9/9/9/9/9/9/4K4 b - 1",
            "expected 9 ranks separated by `/`, found 8",
        ),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b - 1", "found 10"),
        (
            "4k4/9/8/9/9/9/9/9/4K4 b - 1",
            "rank c: `8` describes 8 squares",
        ),
        (
            "4k4/9/9/9P/9/9/9/9/4K4 b - 1",
            "rank d: `9P` describes 10 squares",
        ),
        (
            "4k4/9/9/9/45/9/9/9/4K4 b - 1",
            "rank e: empty squares are one number",
        ),
        (
            "4k4/9/9/9/90/9/9/9/4K4 b - 1",
            "rank e: empty squares are one number",
        ),
        ("4k4/9/9/9/8x/9/9/9/4K4 b - 1", "rank e: `x` is no piece"),
        ("4k4/9/9/9/8歩/9/9/9/4K4 b - 1", "rank e: `歩` is no piece"),
        ("4k4/9/9/9/8+G/9/9/9/4K4 b - 1", "rank e: `+G` is no piece"),
        ("4k4/9/9/9/8+k/9/9/9/4K4 b - 1", "rank e: `+k` is no piece"),
        ("4k4/9/9/9/8++P/9/9/9/4K4 b - 1", "rank e: `++` is no piece"),
        ("4k4/9/9/9/+9/9/9/9/4K4 b - 1", "rank e: `+9` is no piece"),
        (
            "4k4/9/9/9/9+/9/9/9/4K4 b - 1",
            "rank e: a `+` without a piece",
        ),
        ("4k4/9/9/9/9/9/9/9/9 b - 1", "Black has 0 kings"),
        ("4k4/4k4/9/9/9/9/9/9/4K4 b - 1", "White has 2 kings"),
        (
            "4k4/9/9/9/RRR6/9/9/9/4K4 b - 1",
            "3 rooks on the board and in hand",
        ),
        (
            "4k4/9/9/9/R+R7/9/9/9/4K4 b r 1",
            "3 rooks on the board and in hand",
        ),
        (
            "4k3P/9/9/9/9/9/9/9/4K4 b - 1",
            "square 1a: a pawn of Black could never move",
        ),
        (
            "4k4/N8/9/9/9/9/9/9/4K4 b - 1",
            "square 9b: a knight of Black",
        ),
        (
            "4k4/9/9/9/9/9/9/9/l3K4 b - 1",
            "square 9i: a lance of White",
        ),
        (
            "4k4/9/9/9/9/9/9/n8/4K4 b - 1",
            "square 9h: a knight of White",
        ),
        (
            "4k4/9/6P2/9/6P2/9/9/9/4K4 b - 1",
            "file 3: two unpromoted pawns of Black",
        ),
        (
            "4k4/p8/p8/9/9/9/9/9/4K4 b - 1",
            "file 9: two unpromoted pawns of White",
        ),
        (
            "4k4/9/9/9/4R4/9/9/9/4K4 b - 1",
            "White is in check at 5a, but it is Black's turn",
        ),
    ];
    for (sfen, words) in cases {
        let error = read(sfen).expect_err(sfen);
        assert!(error.contains(words), "{sfen}: {error}");
    }
    let tails = [
        ("B - 1", "side to move: `B`"),
        ("black - 1", "side to move: `black`"),
        ("b  1", "hands: nothing there"),
        ("b K 1", "hands: `K` is no piece"),
        ("b +P 1", "hands: `+` is no piece"),
        ("b P- 1", "hands: `-` is no piece"),
        ("b 0P 1", "hands: `0P`"),
        ("b 1P 1", "hands: `1P`"),
        ("b 02P 1", "hands: `02P`"),
        ("b 99999999999999999999P 1", "a count is written only"),
        ("b 19P 1", "19 pawns, but a set has 18"),
        ("b 3R 1", "3 rooks, but a set has 2"),
        ("b 2 1", "the count `2` at the end"),
        ("b PP 1", "`P` is there twice"),
        ("b 10P9p 1", "19 pawns on the board and in hand"),
        ("b - 0", "move number: `0`"),
        ("b - 01", "move number: `01`"),
        ("b - +1", "move number: `+1`"),
        ("b - -1", "move number: `-1`"),
        ("b - x", "move number: `x`"),
        ("b - 1000001", "move number: `1000001`"),
        ("b - 99999999999", "move number: `99999999999`"),
    ];
    for (tail, words) in tails {
        let sfen = format!("{bare} {tail}");
        let error = read(&sfen).expect_err(&sfen);
        assert!(error.contains(words), "{sfen}: {error}");
        assert!(error.starts_with("bad SFEN: "), "{error}");
    }
}

#[test]
fn snapshots_have_the_documented_codes() {
    let position = read("4k4/9/9/9/1+b7/9/9/P8/L3K4 w R2Pn 12").expect("valid");
    let snapshot = position.snapshot();
    let mut board = vec![0; 81];
    board[4] = 1 + 7 + 16; // k
    board[4 * 9 + 1] = 1 + 5 + 8 + 16; // +b
    board[7 * 9] = 1; // P
    board[8 * 9] = 2; // L
    board[8 * 9 + 4] = 8; // K
    // P L N S G B R of Black, then of White.
    let hands = vec![2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0];
    let expected = Snapshot {
        board,
        hands,
        turn: Color::White,
        move_number: 12,
        repetitions: 0,
    };
    assert_eq!(snapshot, expected);
    let back = Shogi::from_snapshot(&RuleSet::default(), &snapshot).expect("its own snapshot");
    assert_eq!(back.sfen(), position.sfen());
    assert_eq!(back.key(), position.key());
}

#[test]
fn bad_snapshots_are_refused() {
    let good = Shogi::start(&RuleSet::default()).snapshot();
    let refuse = |change: &dyn Fn(&mut Snapshot), words: &str| {
        let mut snapshot = good.clone();
        change(&mut snapshot);
        let error = Shogi::from_snapshot(&RuleSet::default(), &snapshot)
            .expect_err(words)
            .to_string();
        assert!(error.contains(words), "{error}");
    };
    refuse(&|s| s.board.truncate(80), "80 squares");
    refuse(&|s| s.hands.push(0), "15 counts");
    refuse(&|s| s.board[40] = 33, "square 5e: 33 is no piece code");
    refuse(&|s| s.board[40] = 13, "square 5e: 13 is no piece code");
    refuse(&|s| s.board[40] = 32, "square 5e: 32 is no piece code");
    refuse(&|s| s.board[40] = 255, "255 is no piece code");
    refuse(&|s| s.board[40] = 8, "Black has 2 kings");
    refuse(&|s| s.board[40] = 1, "19 pawns");
    refuse(&|s| s.hands[13] = 200, "200 rooks");
    refuse(&|s| s.move_number = 0, "move number");
}
