//! KIF and CSA texts, made for these tests.

use rules::import::{ImportError, ImportedGame, decode, import, write_game};
use rules::shogi::{RuleSet, Shogi, read_csa, read_kif};
use rules::{Color, EndReason, GameMove, Outcome};

type Game = ImportedGame<Shogi>;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const KIF: &str = include_str!("data/shogi-utf-8.kif");
/// The moves of that game.
const MOVES: &str = "7g7f 3c3d 8h2b+ 3a2b B*5e B*3c 5e3c+ 2b3c 2h8h";

fn rules() -> RuleSet {
    RuleSet::default()
}

fn moves(game: &Game) -> String {
    let texts: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

#[track_caller]
fn kif(text: &str) -> Game {
    read_kif(text, &rules()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn kif_error(text: &str) -> ImportError<Shogi> {
    read_kif(text, &rules()).expect_err("a faulty text")
}

#[track_caller]
fn csa(text: &str) -> Game {
    let mut games = read_csa(text, &rules());
    assert_eq!(games.len(), 1);
    games.remove(0).unwrap_or_else(|error| panic!("{error}"))
}

fn won(winner: Color, reason: EndReason) -> Option<Outcome> {
    Some(Outcome {
        winner: Some(winner),
        reason,
    })
}

fn drawn(reason: EndReason) -> Option<Outcome> {
    Some(Outcome {
        winner: None,
        reason,
    })
}

#[test]
fn a_whole_kif_game() {
    let game = kif(KIF);
    assert_eq!(moves(&game), MOVES);
    assert_eq!(game.start_sfen, START);
    assert_eq!(game.tag("Black"), Some("甲"));
    assert_eq!(game.tag("White"), Some("乙"));
    assert_eq!(game.tag("開始日時"), Some("2024/01/02 10:00:00"));
    assert_eq!(game.tag("手合割"), Some("平手"));
    assert_eq!(game.tag("Termination"), Some("投了"));
    assert_eq!(game.result.as_deref(), Some("1-0"));
    // White is to move and gives up.
    assert_eq!(game.outcome, won(Color::Black, EndReason::Resignation));
    assert_eq!(
        game.comments,
        [
            (2, "角道が開いた".to_string()),
            (9, "まで9手で先手の勝ち".to_string())
        ]
    );
    assert_eq!(game.remarks, []);
}

#[test]
fn shift_jis_and_utf_8_give_the_same_text() {
    let bytes = include_bytes!("data/shogi-shift-jis.kif");
    assert!(String::from_utf8(bytes.to_vec()).is_err());
    let text = decode(bytes).expect("Shift-JIS");
    assert_eq!(text.replace("\r\n", "\n"), KIF);
    assert_eq!(format!("{:?}", kif(&text)), format!("{:?}", kif(KIF)));
    assert_eq!(decode(KIF.as_bytes()).as_deref(), Ok(KIF));
    let marked = [b"\xef\xbb\xbf", KIF.as_bytes()].concat();
    assert_eq!(decode(&marked).as_deref(), Ok(KIF));
    assert_eq!(decode(b"").as_deref(), Ok(""));
    // 0xff begins no character of either.
    let error = decode(b"abc\n\xff\xff").expect_err("neither");
    assert!(
        error.contains("line 2") && error.contains("neither"),
        "{error}"
    );
}

#[test]
fn a_kif_board_with_hands() {
    let text = "\
後手：詰方
手合割：その他
先手の持駒：なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・v桂v王|一
| ・ ・ ・ ・ ・ ・ ・ ・v香|二
| ・ ・ ・ ・ ・ ・ 銀 歩 ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・v全 ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ 龍 ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
|v飛 ・ ・ ・ ・ ・ ・ ・ ・|八
| 玉 ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
後手の持駒：金二　歩十一　
";
    // White's rook gives check to Black's king, so it is Black's turn.
    let game = kif(text);
    assert_eq!(game.start_sfen, "7nk/8l/6SP1/9/4+s4/5+R3/9/r8/K8 b 2g11p 1");
    assert_eq!(
        (game.moves.len(), game.result.as_deref(), game.outcome),
        (0, None, None)
    );
    assert_eq!(game.tag("White"), Some("詰方"));

    // The same without the rook and with White to move.
    let text = text.replace("v飛 ・", " ・ ・");
    let played = "後手番\n手数----指手--\n1 ５六成銀(55)\n2 ２二銀不成(33)\n";
    let game = kif(&format!("{text}{played}"));
    assert_eq!(game.start_sfen, "7nk/8l/6SP1/9/4+s4/5+R3/9/9/K8 w 2g11p 1");
    assert_eq!(moves(&game), "5e5f 3c2b");
}

#[test]
fn promoted_names_and_refused_promotion() {
    let text = "\
後手の持駒：
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ 全 ・ ・ ・ ・ ・ と|三
| ・ ・ 桂 ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| 圭 ・ ・ ・ ・ ・ ・ ・ ・|六
| 杏 ・ ・ ・ ・ ・ ・ ・ ・|七
| 竜 馬 ・ ・ ・ ・ ・ ・ ・|八
| 玉 ・ ・ ・ ・ ・ ・ ・ ・|九
先手の持駒：香　銀
先手番
   1 ６三成銀(73)
   2 ４一玉(51)
   3 ６二桂成(74)
   4 ３一玉(41)
   5 １二と(13)
   6 ４一玉(31)
   7 ８七竜(98)
   8 ３一玉(41)
   9 ４三香打
";
    let game = kif(text);
    assert_eq!(
        game.start_sfen,
        "4k4/9/2+S5+P/2N6/9/+N8/+L8/+R+B7/K8 b SL 1"
    );
    assert_eq!(
        moves(&game),
        "7c6c 5a4a 7d6b+ 4a3a 1c1b 3a4a 9h8g 4a3a L*4c"
    );
}

#[test]
fn kif_handicaps_begin_with_white() {
    let rest = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    for (name, ranks) in [
        ("香落ち", "lnsgkgsn1/1r5b1"),
        ("角落ち", "lnsgkgsnl/1r7"),
        ("飛車落ち", "lnsgkgsnl/7b1"),
        ("飛香落ち", "lnsgkgsn1/7b1"),
        ("二枚落ち", "lnsgkgsnl/9"),
        ("四枚落ち", "1nsgkgsn1/9"),
        ("六枚落ち", "2sgkgs2/9"),
        ("八枚落ち", "3gkg3/9"),
        ("十枚落ち", "4k4/9"),
    ] {
        let game = kif(&format!(
            "手合割：{name}\n下手：甲\n上手：乙\n   1 ４二玉(51)\n"
        ));
        assert_eq!(game.start_sfen, format!("{ranks}/{rest}"), "{name}");
        assert_eq!(moves(&game), "5a4b");
        assert_eq!(game.tag("White"), Some("乙"));
    }
    let error = kif_error("手合割：百枚落ち\n");
    assert_eq!(error.line, 1);
    assert!(error.why.contains("`百枚落ち`"), "{error}");
}

#[test]
fn kif_ends() {
    // After one move White is to move.
    for (mark, expected, odd) in [
        ("投了", won(Color::Black, EndReason::Resignation), false),
        ("切れ負け", won(Color::Black, EndReason::Time), false),
        ("反則負け", won(Color::Black, EndReason::IllegalMove), false),
        ("反則勝ち", won(Color::White, EndReason::IllegalMove), false),
        ("不戦敗", won(Color::Black, EndReason::Adjudication), false),
        ("不戦勝", won(Color::White, EndReason::Adjudication), false),
        ("持将棋", drawn(EndReason::Adjudication), false),
        ("最大手数", drawn(EndReason::PlyCap), false),
        ("中断", None, false),
        ("不詰", None, false),
        ("千日手", drawn(EndReason::Repetition), true),
        ("入玉勝ち", won(Color::White, EndReason::Declaration), true),
        ("詰み", won(Color::Black, EndReason::Resignation), true),
    ] {
        let game = kif(&format!(
            "   1 ７六歩(77)\n   2 {mark}   ( 0:01/00:00:01)\n"
        ));
        assert_eq!(game.outcome, expected, "{mark}");
        assert_eq!(game.tag("Termination"), Some(mark));
        let score = expected.map(|outcome| match outcome.winner {
            Some(Color::Black) => "1-0",
            Some(Color::White) => "0-1",
            None => "1/2-1/2",
        });
        assert_eq!(game.result.as_deref(), score);
        assert_eq!(!game.remarks.is_empty(), odd, "{mark}: {:?}", game.remarks);
    }
}

#[test]
fn ends_by_the_rules_need_no_mark() {
    let cycle = ["３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)"];
    let text: String = (0..12)
        .map(|i| format!("{} {}\n", i + 1, cycle[i % 4]))
        .collect();
    assert_eq!(kif(&text).outcome, drawn(EndReason::Repetition));
    let game = kif(&format!("{text}13 千日手\n"));
    assert_eq!(
        (game.outcome, game.remarks.len()),
        (drawn(EndReason::Repetition), 0)
    );
    let error = kif_error(&format!("{text}13 ７六歩(77)\n"));
    assert_eq!((error.line, error.ply), (13, 13));
    assert!(
        error.why.contains("the game is over (repetition)"),
        "{error}"
    );
}

#[test]
fn mate_is_found_by_the_rules() {
    let text = "\
| ・ ・ ・ ・ ・ ・ ・ ・v玉|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ 金 ・|三
| 玉 ・ ・ ・ ・ ・ ・ ・ ・|九
先手の持駒：金
1 １二金打
2 詰み
";
    let game = kif(text);
    assert_eq!(game.start_sfen, "8k/9/7G1/9/9/9/9/9/K8 b G 1");
    assert_eq!(game.outcome, won(Color::Black, EndReason::NoMoves));
    assert_eq!(game.remarks, []);
}

#[test]
fn variations_are_left_out_with_a_remark() {
    let game = kif("1 ７六歩(77)\n2 ３四歩(33)+\n3 投了\n\n変化：2手\n2 ８四歩(83)\n");
    assert_eq!(moves(&game), "7g7f 3c3d");
    assert_eq!(game.outcome, won(Color::White, EndReason::Resignation));
    assert_eq!((game.remarks.len(), game.remarks[0].line), (1, 5));
}

#[test]
fn kif_errors_say_line_and_reason() {
    for (text, line, ply, words) in [
        (
            "1 ７六歩(77)\n2 ７六歩(77)\n",
            2,
            2,
            "there is no piece on 7g",
        ),
        ("1 ７六歩(77)\n2 ３四銀(33)\n", 2, 2, "the piece on 3c is p"),
        (
            "1 ７六歩(77)\n3 ３四歩(33)\n",
            2,
            2,
            "expected the move number 2",
        ),
        ("1 ７五歩(77)\n", 1, 1, "the pawn on 7g cannot reach 7e"),
        ("1 同　歩(77)\n", 1, 1, "`同` needs a move before it"),
        ("1 ７六歩\n", 1, 1, "start square in parentheses"),
        ("1 ７六歩(70)\n", 1, 1, "`(70)` is no start square"),
        ("1 ７六歩(77)x\n", 1, 1, "`x` after the move"),
        ("1 ７六\n", 1, 1, "expected the name of a piece"),
        ("1 ７x歩(77)\n", 1, 1, "expected a square"),
        ("1 ５五角打\n", 1, 1, "Black has no bishop in hand"),
        ("1 ５五玉打\n", 1, 1, "only unpromoted pieces"),
        (
            "1 ７六歩成(77)\n",
            1,
            1,
            "neither starts nor ends in the promotion zone",
        ),
        ("1 投了\n2 ７六歩(77)\n", 2, 1, "expected the move number 1"),
        ("1 投了\n1 ７六歩(77)\n", 2, 1, "after the end"),
        ("手合割：平手\nなにか\n", 2, 1, "neither a header"),
        ("| ・ ・|一\n", 1, 1, "18 characters, here are 4"),
        ("| ・ ・ ・ ・ ・ ・ ・ ・ ・|十\n", 1, 1, "has its number"),
        (
            "| ・ ・ ・ ・x玉 ・ ・ ・ ・|一\n",
            1,
            1,
            "`x` before a piece",
        ),
        (
            "| ・ ・ ・ ・ 王 ・ ・ ・ ・|一\n| ・ ・ ・ ・ 王 ・ ・ ・ ・|一\n",
            2,
            1,
            "two pieces on 5a",
        ),
        ("先手の持駒：飛三\n", 1, 1, "3 rooks in hand"),
        ("先手の持駒：玉\n", 1, 1, "king cannot be in hand"),
        ("先手の持駒：と\n", 1, 1, "not promoted"),
        ("先手の持駒：歩零\n", 1, 1, "`零` is no number"),
        (
            "手合割：二枚落ち\n先手番\n1 ７六歩(77)\n",
            3,
            1,
            "White moves first",
        ),
        (
            "| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n",
            1,
            1,
            "Black has 0 kings",
        ),
    ] {
        let error = kif_error(text);
        assert!(error.why.contains(words), "{text}: {error}");
        assert_eq!((error.line, error.ply), (line, ply), "{text}: {error}");
        assert_eq!(error.good.moves.len() + 1, ply);
    }
}

const CSA: &str = "\
'CSA encoding=UTF-8
V2.2
N+甲
N-乙
$EVENT:Test, with a comma
$START_TIME:2024/01/02 10:00:00
PI
+
+7776FU
T1
-3334FU,T2
'*the diagonal is open
+8822UM
-3122GI,T3
+0055KA
-0033KA
+5533UM
-2233GI
+2888HI
%TORYO
";

#[test]
fn a_whole_csa_game() {
    let game = csa(CSA);
    assert_eq!(moves(&game), MOVES);
    assert_eq!(game.start_sfen, START);
    assert_eq!(game.tag("Black"), Some("甲"));
    assert_eq!(game.tag("White"), Some("乙"));
    assert_eq!(game.tag("EVENT"), Some("Test, with a comma"));
    assert_eq!(game.tag("START_TIME"), Some("2024/01/02 10:00:00"));
    assert_eq!(game.tag("Termination"), Some("%TORYO"));
    assert_eq!(game.result.as_deref(), Some("1-0"));
    assert_eq!(game.outcome, won(Color::Black, EndReason::Resignation));
    assert_eq!(
        game.comments.last(),
        Some(&(2, "the diagonal is open".to_string()))
    );
}

#[test]
fn csa_start_positions() {
    let even = "\
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *
P5 *  *  *  *  *  *  *  *  *
P6 *  *  *  *  *  *  *  *  *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
+
";
    assert_eq!(csa(even).start_sfen, START);
    let handicap = "PI82HI22KA\n-\n-5142OU\n";
    let game = csa(handicap);
    assert_eq!(
        game.start_sfen,
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    assert_eq!(moves(&game), "5a4b");
    let pieces = "P-11OU21FU22FU23FU24FU25FU26FU27FU28FU29FU\n";
    assert!(
        read_csa(pieces, &rules())[0].is_err(),
        "nine pawns on a file"
    );
    // The rest goes to White's hand: all but Black's two golds and the two pawns.
    let pieces = "P-11OU12FU\nP+32KI00KI23TO99OU\nP-00AL\n+\n";
    assert_eq!(
        csa(pieces).start_sfen,
        "8k/6G1p/7+P1/9/9/9/9/9/K8 b G2r2b2g4s4n4l16p 1"
    );
}

#[test]
fn csa_ends() {
    for (mark, expected) in [
        ("%TORYO", won(Color::Black, EndReason::Resignation)),
        ("%TIME_UP", won(Color::Black, EndReason::Time)),
        ("%ILLEGAL_MOVE", won(Color::Black, EndReason::IllegalMove)),
        (
            "%+ILLEGAL_ACTION",
            won(Color::White, EndReason::IllegalMove),
        ),
        (
            "%-ILLEGAL_ACTION",
            won(Color::Black, EndReason::IllegalMove),
        ),
        ("%KACHI", won(Color::White, EndReason::Declaration)),
        ("%TSUMI", won(Color::Black, EndReason::Resignation)),
        ("%JISHOGI", drawn(EndReason::Adjudication)),
        ("%HIKIWAKE", drawn(EndReason::Adjudication)),
        ("%MAX_MOVES", drawn(EndReason::PlyCap)),
        ("%SENNICHITE", drawn(EndReason::Repetition)),
        ("%CHUDAN", None),
        ("%FUZUMI", None),
        ("%ERROR", None),
    ] {
        let game = csa(&format!("PI\n+\n+7776FU\n{mark}\nT5\n"));
        assert_eq!(game.outcome, expected, "{mark}");
        assert_eq!(game.tag("Termination"), Some(mark));
        let score = expected.map(|outcome| match outcome.winner {
            Some(Color::Black) => "1-0",
            Some(Color::White) => "0-1",
            None => "1/2-1/2",
        });
        assert_eq!(game.result.as_deref(), score);
    }
    // A take-back is none: passed over with a remark.
    let game = csa("PI\n+\n+7776FU\n%MATTA\n-3334FU\n%TORYO\n");
    assert_eq!((game.moves.len(), game.remarks.len()), (2, 1));
}

#[test]
fn a_correct_declaration_is_not_odd() {
    let text = "\
P1+OU+TO+TO+TO+TO+TO+TO+TO *
P2+TO+RY+UM *  *  *  *  *  *
P9 *  *  *  *  *  *  *  * -OU
P+00FU00FU00FU00FU00FU00FU00FU00FU00FU00KI
+
%KACHI
";
    let game = csa(text);
    // 8 tokins, 5 + 5, 9 pawns and a gold in hand: 28.
    assert_eq!(game.outcome, won(Color::Black, EndReason::Declaration));
    assert_eq!(game.remarks, []);
}

#[test]
fn several_csa_games_in_a_text() {
    let text = format!("{CSA}/\nV2.2\nPI\n+\n+7775FU\n-3334FU\n/\n\n{CSA}");
    let games = read_csa(&text, &rules());
    assert_eq!(games.len(), 3);
    assert_eq!(moves(games[0].as_ref().expect("good")), MOVES);
    let error = games[1].as_ref().expect_err("no such pawn move");
    let lines = CSA.lines().count();
    assert_eq!((error.line, error.ply), (lines + 5, 1));
    assert_eq!(error.text, "+7775FU");
    assert!(
        error.why.contains("the pawn on 7g cannot reach 7e"),
        "{error}"
    );
    let last = games[2].as_ref().expect("good");
    assert_eq!((moves(last).as_str(), last.line), (MOVES, lines + 9));
}

#[test]
fn csa_errors_say_line_and_reason() {
    for (text, line, words) in [
        ("PI\n+\n-3334FU\n", 3, "it is Black's turn"),
        ("PI\n+7776FU\n", 2, "the side that moves first is not given"),
        ("PI\n+\n+\n", 3, "given twice"),
        ("PI\n+\n+7776XX\n", 3, "`XX` is no piece"),
        ("PI\n+\n+7076FU\n", 3, "`70` is no square"),
        ("PI\n+\n+7776\n", 3, "a move has the form"),
        ("PI\n+\n+7776歩\n", 3, "a move has the form"),
        ("PI\n+\n+7776GI\n", 3, "the piece on 7g is P"),
        ("PI\n+\n+8877UM\n", 3, "own piece is on 7g"),
        ("PI\n+\n+4544FU\n", 3, "there is no piece on 4e"),
        ("PI\n+\n+0055KA\n", 3, "no bishop in hand"),
        ("PI\n+\n+0055UM\n", 3, "only unpromoted pieces"),
        ("PI\n+\n%WHAT\n", 3, "unknown mark"),
        ("PI\n+\n%TORYO\n+7776FU\n", 4, "after the end"),
        ("PI\n+\n+7776FU\nPI\n", 4, "after the first move"),
        ("PI\nwhat\n", 2, "no statement of CSA"),
        ("PI\n$EVENT\n", 2, "a header has the form"),
        ("PI82HI2\n", 1, "listed as square and piece"),
        ("PI82KA\n", 1, "no bishop stands on 8b"),
        ("PI\nPI\n", 2, "two pieces on 9a"),
        ("P1-KY*KE\n", 1, "`*KE` on file 8"),
        ("P0-KY\n", 1, "a start position is"),
        ("P+00TO\n", 1, "not promoted"),
        ("P+00OU\n", 1, "king cannot be in hand"),
        ("P+00HI00HI00HI\n", 1, "3 rooks in hand"),
        ("P+歩\n", 1, "ASCII"),
    ] {
        let games = read_csa(text, &rules());
        let error = games[0].as_ref().expect_err(text);
        assert!(error.why.contains(words), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
}

#[test]
fn the_reader_of_all_texts_knows_both_forms_and_usi() {
    for text in [KIF, CSA, &format!("position startpos moves {MOVES}"), MOVES] {
        let games = import::<Shogi>(text, &rules());
        assert_eq!(games.len(), 1, "{text}");
        let game = games[0].as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(moves(game), MOVES);
        // Written in our own form it is the same game.
        let written = write_game(game);
        let again = import::<Shogi>(&written, &rules());
        assert_eq!(moves(again[0].as_ref().expect(&written)), MOVES);
    }
    let games = import::<Shogi>("[Handicap \"2\"]\n5a4b 7g7f\n", &rules());
    let game = games[0].as_ref().expect("a handicap game");
    assert!(game.start_sfen.starts_with("lnsgkgsnl/9/") && game.start_sfen.contains(" w "));
}

/// Whatever the text, an answer and no panic: good texts with one character changed.
#[test]
fn damaged_texts_do_not_panic() {
    for good in [KIF, CSA] {
        let chars: Vec<char> = good.chars().collect();
        for at in 0..chars.len() {
            for new in ['\n', '9', '+', '同', '：', '|', ' '] {
                let mut damaged = chars.clone();
                damaged[at] = new;
                let text: String = damaged.into_iter().collect();
                for game in [read_kif(&text, &rules())]
                    .into_iter()
                    .chain(read_csa(&text, &rules()))
                {
                    let good = game.unwrap_or_else(|error| *error.good);
                    assert!(good.moves.iter().all(|mv| mv.code() < 1 << 15));
                }
            }
        }
    }
}

/// Found by fuzzing: headers of CSA can be called anything, also like tags that mean something to our reader.
#[test]
fn games_with_odd_tags_are_written_and_read_back() {
    let headers = "$A B:c\n$:nameless\n$SFEN:no position\n$handicap:8\n$Rules:none\n$X:\"]\n";
    for setup in ["PI", "PI82HI"] {
        let turn = if setup == "PI" {
            "+\n+7776FU"
        } else {
            "-\n-3334FU"
        };
        let game = csa(&format!("V2.2\n{headers}{setup}\n{turn}\n%TORYO\n"));
        let written = write_game(&game);
        let again = import::<Shogi>(&written, &rules());
        let again = again[0]
            .as_ref()
            .unwrap_or_else(|e| panic!("{e}\n{written}"));
        assert_eq!(again.moves, game.moves, "{written}");
        assert_eq!(again.start_sfen, game.start_sfen, "{written}");
        assert_eq!(again.tag("A_B"), Some("c"));
        assert_eq!(again.tag("X"), Some("']"));
    }
}
