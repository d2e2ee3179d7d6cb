//! Pictures of positions: columns of the text, pieces of the SVG, and the picture in the README.

mod common;

use common::position;
use rules::shogi::Shogi;
use rules::show::{Face, Labels, Mark, Show, SvgOptions, TextOptions, losses, svg, text};
use rules::tenjiku::{Kind, Piece, RuleSet, Tenjiku};
use rules::{Color, Position};

/// Columns that a text takes in a terminal: two for a kanji or kana.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| {
            if ('\u{3000}'..='\u{9fff}').contains(&c) {
                2
            } else {
                1
            }
        })
        .sum()
}

fn options<M>(labels: Labels, last_move: Option<M>) -> TextOptions<M> {
    TextOptions {
        labels,
        color: false,
        last_move,
    }
}

const CORNER: &str = "K1p G2p +cs1o fd2n k16a +P15a de14a";

#[test]
fn letters_stand_in_columns() {
    let pos = position("historical", Color::Black, CORNER);
    let drawn = text(&pos, &options(Labels::Letters, None));
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(
        lines[0],
        "  16  15  14  13  12  11  10   9   8   7   6   5   4   3   2   1"
    );
    assert_eq!(
        lines[1],
        "   k  +P  de   .   .   .   .   .   .   .   .   .   .   .   .   .  a"
    );
    assert_eq!(
        lines[14],
        "   .   .   .   .   .   .   .   .   .   .   .   .   .   .  fd   .  n"
    );
    assert_eq!(
        lines[15],
        "   .   .   .   .   .   .   .   .   .   .   .   .   .   .   . +cs  o"
    );
    assert_eq!(
        lines[16],
        "   .   .   .   .   .   .   .   .   .   .   .   .   .   .   G   K  p"
    );
    assert_eq!(lines[17], "Black to move, move 1");
    assert!(drawn.is_ascii());
}

#[test]
fn kanji_stand_in_the_same_columns() {
    let pos = position("historical", Color::Black, CORNER);
    let drawn = text(&pos, &options(Labels::Kanji, None));
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(
        lines[1],
        " v王 +金 v象  ・  ・  ・  ・  ・  ・  ・  ・  ・  ・  ・  ・  ・  a"
    );
    assert!(lines[15].ends_with("  ・+v天  o"), "{}", lines[15]);
    assert!(lines[16].ends_with("  金  玉  p"), "{}", lines[16]);
    for rules in [Labels::Kanji, Labels::Inscription, Labels::Letters] {
        let start = text(&Tenjiku::start(&RuleSet::default()), &options(rules, None));
        for line in start.lines().skip(1).take(16) {
            assert_eq!(columns(line), 16 * 4 + 3, "{line}");
        }
    }
}

#[test]
fn the_last_move_is_marked() {
    let mut pos = position("historical", Color::Black, "K16p k1a R8h");
    let mv = pos.parse_move("8h8k").unwrap();
    pos.play(mv);
    let drawn = text(&pos, &options(Labels::Letters, Some(mv)));
    assert!(
        drawn.contains("   .  >.   .   .   .   .   .   .   .  h\n"),
        "{drawn}"
    );
    assert!(
        drawn.contains("   .  >R   .   .   .   .   .   .   .  k\n"),
        "{drawn}"
    );
    assert!(
        drawn.ends_with("White to move, move 2, after 8h8k\n"),
        "{drawn}"
    );
    let colored = TextOptions {
        labels: Labels::Kanji,
        color: true,
        last_move: Some(mv),
    };
    let drawn = text(&pos, &colored);
    assert_eq!(drawn.matches("\x1b[7m").count(), 2);
    assert_eq!(drawn.matches("\x1b[0m").count(), 2);
}

#[test]
fn a_finished_game_says_who_has_won() {
    let pos = position("historical", Color::White, "K16p R8h");
    assert!(text(&pos, &options(Labels::Letters, None)).contains("Black has won (royal captured)"));
    assert!(svg(&pos, &SvgOptions::default()).contains("Black has won (royal captured)"));
}

#[test]
fn hands_are_shown() {
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    let pos = Shogi::from_sfen(&Default::default(), sfen).unwrap();
    let drawn = text(&pos, &options(Labels::Letters, None));
    assert!(
        drawn.starts_with("White in hand: g s n 5p\n   9   8 "),
        "{drawn}"
    );
    assert!(
        drawn.ends_with("Black in hand: R G\nWhite to move, move 1\n"),
        "{drawn}"
    );
    let kanji = text(&pos, &options(Labels::Kanji, None));
    assert!(kanji.contains("White in hand: 金 銀 桂 5歩\n"), "{kanji}");
    assert!(
        kanji.contains("  ・  ・  ・  ・  ・ +と  ・ v金 v王  b\n"),
        "{kanji}"
    );
    // 30 pieces on the board, 4 kinds and 2 kinds in hand.
    let picture = svg(&pos, &SvgOptions::default());
    assert_eq!(pieces(&picture), 30 + 6);
    assert!(picture.contains(">5</text>"));
}

/// Number of pieces drawn: each is a shadow and a wedge.
fn pieces(svg: &str) -> usize {
    svg.matches("href=\"#wedge\"").count() / 2
}

/// Every tag closes in order.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg
        .split('<')
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap())
    {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap()),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn svg_shows_every_piece_the_right_way() {
    let pos = Tenjiku::start(&RuleSet::default());
    for labels in [Labels::Letters, Labels::Kanji, Labels::Inscription] {
        let picture = svg(
            &pos,
            &SvgOptions {
                labels,
                ..SvgOptions::default()
            },
        );
        assert_well_formed(&picture);
        assert_eq!(pieces(&picture), 156);
        assert_eq!(picture.matches("rotate(180)").count(), 78);
        assert_eq!(picture.matches(" red\"").count(), 0);
    }
    let flipped = svg(
        &pos,
        &SvgOptions {
            flipped: true,
            ..SvgOptions::default()
        },
    );
    assert_eq!(flipped.matches("rotate(180)").count(), 78);
    assert_ne!(flipped, svg(&pos, &SvgOptions::default()));
}

#[test]
fn promoted_pieces_are_red_and_white_ones_turned() {
    let pos = position("historical", Color::Black, CORNER);
    let picture = svg(&pos, &SvgOptions::default());
    assert_eq!(pieces(&picture), 7);
    assert_eq!(picture.matches("rotate(180)").count(), 4);
    assert_eq!(picture.matches(" red\"").count(), 2);
    // The White king on 16a: first square, the centre half a square from the edge of 620.
    assert!(picture.contains("translate(1120 1120) rotate(180)"));
    assert!(picture.contains(">王</text>"));
}

#[test]
fn marks_beyond_the_board_are_left_out() {
    let pos = position("historical", Color::Black, CORNER);
    let marks = vec![(256, Mark::Target), (usize::MAX, Mark::Burned)];
    for flipped in [false, true] {
        let picture = svg(
            &pos,
            &SvgOptions {
                marks: marks.clone(),
                flipped,
                ..SvgOptions::default()
            },
        );
        let plain = svg(
            &pos,
            &SvgOptions {
                flipped,
                ..SvgOptions::default()
            },
        );
        assert_eq!(picture, plain);
    }
}

#[test]
fn every_piece_has_a_face() {
    fn check<P: Show>() {
        for code in 1..=255u8 {
            if let Some(face) = P::face(code) {
                assert_eq!(columns(face.kanji), 2, "{}", face.letters);
                assert!(
                    (2..=6).contains(&columns(face.inscription)),
                    "{}",
                    face.letters
                );
                assert_eq!(face.promoted, face.letters.starts_with('+'));
                assert!(face.letters.len() <= 3 && (85..=100).contains(&face.size));
                assert!(
                    face.name.chars().any(char::is_alphabetic),
                    "{}",
                    face.letters
                );
            }
        }
        assert_eq!(P::face(0), None);
    }
    check::<Tenjiku>();
    check::<Shogi>();
    // 36 base types and 30 promoted ones a side; 8 and 6 in shogi.
    assert_eq!((0..=255).filter_map(Tenjiku::face).count(), 2 * 66);
    assert_eq!((0..=255).filter_map(Shogi::face).count(), 2 * 14);
}

#[test]
fn pieces_have_names_for_people() {
    let names = |faces: Vec<Option<Face>>| -> Vec<String> {
        faces.into_iter().map(|face| face.unwrap().name).collect()
    };
    let demon = Piece::new(Color::White, Kind::FireDemon);
    let buffalo = Piece {
        promoted: true,
        ..Piece::new(Color::Black, Kind::WaterBuffalo)
    };
    let codes = [demon, buffalo].map(Piece::code);
    assert_eq!(
        names(codes.map(Tenjiku::face).into()),
        [
            "fire demon (kaki)",
            "fire demon (kaki, promoted water buffalo)"
        ]
    );
    // 1 + kind + 8 * promoted + 16 * white: pawn, White's king, dragon horse, White's tokin.
    assert_eq!(
        names([1, 24, 14, 25].map(Shogi::face).into()),
        [
            "pawn",
            "king",
            "dragon horse, promoted bishop",
            "tokin, promoted pawn"
        ]
    );
}

/// The picture in the README: a fire demon burns six pieces.
const README: (&str, &str) = (
    "ln[fl]i[cs]sg[de]kgsci[fl]nl/[rc][cs]2[dk][bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/[ss][vs]b[dh]1[wb][fd][fe][lh][fd][wb][dk][dh]b1[ss]/[sm]1r[hf]3[vg][gg]2[se][hf]r1[sm]/pp1ppppppppppp1p/2p1d6d4/13[FD]2/16/16/16/P3D3P2D4/1PPPPPPP1PPPPP+[vs]P/[SM]1R[HF][SE]3[VG]2[SE][HF]R[GG][SM]/[SS][VS]B[DH][DK][WB]1[LH][FE][FD]1[DK][DH]B[VS][SS]/[RC]1[CS][CS]1[BT][KR][LN]Q[PH][BT]1[CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 23",
    "3g4e",
);

/// `docs/images/board.svg` is what the code draws. To renew it, run with `UPDATE_PICTURES=1`, then make the PNG:
/// `rsvg-convert -w 800 board.svg | pngquant --nofs 128 - > board.png`.
#[test]
fn the_readme_picture_is_up_to_date() {
    let mut pos = Tenjiku::from_sfen(&RuleSet::default(), README.0).unwrap();
    let mv = pos.parse_move(README.1).unwrap();
    let marks = losses(&pos, mv);
    assert_eq!(marks.len(), 6);
    pos.play(mv);
    let options = SvgOptions {
        labels: Labels::Inscription,
        last_move: Some(mv),
        marks,
        ..SvgOptions::default()
    };
    let picture = svg(&pos, &options);
    assert_well_formed(&picture);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/images/board.svg");
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::write(path, &picture).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap() == picture,
        "docs/images/board.svg is out of date"
    );
}
