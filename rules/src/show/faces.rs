//! How the pieces of the two games look: inscriptions, sizes, dots on the board.

use super::{Face, Show};
use crate::shogi::{Shogi, ShogiMove};
use crate::tenjiku::{Kind, Piece, Square, Tenjiku, TenjikuMove};
use crate::{Color, Position};

/// Full inscriptions by [`Kind`], in its order (rules document, section 2).
#[rustfmt::skip]
const TENJIKU_INSCRIPTIONS: [&str; Kind::COUNT] = [
    "歩兵", "犬", "鉄将", "銅将", "銀将", "金将", "猛豹", "桂馬", "香車", "反車", "車兵", "盲虎",
    "麒麟", "鳳凰", "奔王", "獅子", "横行", "竪行", "横兵", "竪兵", "角行", "飛車", "龍馬", "龍王",
    "角鷹", "飛鷲", "角将", "飛将", "副将", "大将", "奔鷲", "獅鷹", "水牛", "火鬼", "酔象", "玉将",
    "太子", "飛牛", "飛鹿", "奔猪", "四天王", "雜将", "鯨鯢", "白駒",
];

/// One of the two kings is written so: White's, who gives the handicap if there is one.
const OTHER_KING: (&str, &str) = ("王", "王将");

impl Show for Tenjiku {
    fn face(code: u8) -> Option<Face> {
        let piece = Piece::from_code(code)?;
        let kind = piece.kind();
        let (kanji, inscription) = match (kind, piece.color) {
            (Kind::King, Color::White) => OTHER_KING,
            _ => (kind.kanji(), TENJIKU_INSCRIPTIONS[kind.index()]),
        };
        Some(Face {
            color: piece.color,
            letters: piece.abbr(),
            kanji,
            inscription,
            name: tenjiku_name(piece),
            promoted: piece.promoted,
            size: tenjiku_size(piece.base),
        })
    }

    fn hand_face(_: usize, _: Color) -> Option<Face> {
        None
    }

    fn burned_by(&self, mv: TenjikuMove) -> Vec<usize> {
        let effects = self.effects(mv);
        let mover = effects.mover_burned.then_some(mv.to());
        effects
            .burned
            .squares()
            .chain(mover)
            .map(Square::index)
            .collect()
    }

    /// The corners of the promotion zones and of the middle.
    fn dots() -> &'static [usize] {
        const fn dot(row: usize, column: usize) -> usize {
            (row - 1) * Tenjiku::FILES + column - 1
        }
        &const { [dot(5, 5), dot(5, 11), dot(11, 5), dot(11, 11)] }
    }
}

/// English and Japanese name of what it moves as, and what it was before it promoted.
fn tenjiku_name(piece: Piece) -> String {
    let kind = piece.kind();
    let promoted = match piece.promoted {
        true => format!(", promoted {}", piece.base.english()),
        false => String::new(),
    };
    format!("{} ({}{promoted})", kind.english(), kind.romaji())
}

/// Sizes fall from the generals and demons to the pawns, as in old sets.
fn tenjiku_size(base: Kind) -> u32 {
    use Kind::*;
    match base {
        King | GreatGeneral | ViceGeneral | FireDemon => 100,
        RookGeneral | BishopGeneral | LionHawk | FreeEagle | Lion | Queen | WaterBuffalo
        | DrunkElephant => 97,
        HornedFalcon | SoaringEagle | DragonKing | DragonHorse | Rook | Bishop | ChariotSoldier => {
            94
        }
        Pawn | Dog => 85,
        Knight | Lance | IronGeneral | CopperGeneral | FerociousLeopard => 87,
        _ => 90,
    }
}

/// Kanji, inscription, name.
type ShogiSide = (&'static str, &'static str, &'static str);
/// Letter, size, and both sides of the piece, in the order of the kinds in board codes.
type ShogiRow = (&'static str, u32, ShogiSide, Option<ShogiSide>);

#[rustfmt::skip]
const SHOGI: [ShogiRow; 8] = [
    ("P", 85, ("歩", "歩兵", "pawn"), Some(("と", "と", "tokin, promoted pawn"))),
    ("L", 88, ("香", "香車", "lance"), Some(("杏", "成香", "promoted lance"))),
    ("N", 88, ("桂", "桂馬", "knight"), Some(("圭", "成桂", "promoted knight"))),
    ("S", 92, ("銀", "銀将", "silver general"), Some(("全", "成銀", "promoted silver"))),
    ("G", 92, ("金", "金将", "gold general"), None),
    ("B", 96, ("角", "角行", "bishop"), Some(("馬", "龍馬", "dragon horse, promoted bishop"))),
    ("R", 96, ("飛", "飛車", "rook"), Some(("龍", "龍王", "dragon king, promoted rook"))),
    ("K", 100, ("玉", "玉将", "king"), None),
];

fn shogi_face(kind: usize, promoted: bool, color: Color) -> Option<Face> {
    let &(letter, size, plain, promotion) = SHOGI.get(kind)?;
    let (mut kanji, mut inscription, name) = if promoted { promotion? } else { plain };
    if letter == "K" && color == Color::White {
        (kanji, inscription) = OTHER_KING;
    }
    let plus = if promoted { "+" } else { "" };
    Some(Face {
        color,
        letters: format!("{plus}{letter}"),
        kanji,
        inscription,
        name: name.to_string(),
        promoted,
        size,
    })
}

impl Show for Shogi {
    /// Board codes: 0 empty, else `1 + kind + 8 * promoted + 16 * white`.
    fn face(code: u8) -> Option<Face> {
        let state = usize::from(code).checked_sub(1)?;
        let color = match state / Shogi::PIECE_STATES {
            0 => Color::Black,
            1 => Color::White,
            _ => return None,
        };
        let state = state % Shogi::PIECE_STATES;
        shogi_face(state % SHOGI.len(), state >= SHOGI.len(), color)
    }

    fn hand_face(kind: usize, color: Color) -> Option<Face> {
        shogi_face(kind, false, color)
    }

    fn burned_by(&self, _: ShogiMove) -> Vec<usize> {
        Vec::new()
    }

    fn dots() -> &'static [usize] {
        &[20, 23, 47, 50]
    }
}
