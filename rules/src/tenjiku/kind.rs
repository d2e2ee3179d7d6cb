//! The 44 kinds of movement, 36 of which are base types. Names only; how they move is in `movement`.

/// How a piece moves: the 36 base types in the order of the rules' table, then the eight kinds that exist only
/// by promotion.
///
/// The numbers (`as u8`) are part of the record format: base types are piece states, see
/// [`Piece::code`](super::Piece::code).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// P, 歩.
    Pawn,
    /// D, 犬.
    Dog,
    /// I, 鉄.
    IronGeneral,
    /// C, 銅.
    CopperGeneral,
    /// S, 銀.
    SilverGeneral,
    /// G, 金.
    GoldGeneral,
    /// FL, 豹.
    FerociousLeopard,
    /// N, 桂.
    Knight,
    /// L, 香.
    Lance,
    /// RC, 反.
    ReverseChariot,
    /// CS, 車.
    ChariotSoldier,
    /// BT, 虎.
    BlindTiger,
    /// Kr, 麒.
    Kirin,
    /// Ph, 鳳.
    Phoenix,
    /// Q, 奔.
    Queen,
    /// Ln, 獅.
    Lion,
    /// SM, 横.
    SideMover,
    /// VM, 竪.
    VerticalMover,
    /// SS, 黄.
    SideSoldier,
    /// VS, 立.
    VerticalSoldier,
    /// B, 角.
    Bishop,
    /// R, 飛.
    Rook,
    /// DH, 馬.
    DragonHorse,
    /// DK, 龍.
    DragonKing,
    /// HF, 鷹.
    HornedFalcon,
    /// SE, 鷲.
    SoaringEagle,
    /// BG, 用.
    BishopGeneral,
    /// RG, 升.
    RookGeneral,
    /// VG, 副.
    ViceGeneral,
    /// GG, 大.
    GreatGeneral,
    /// FE, 就.
    FreeEagle,
    /// LH, 師.
    LionHawk,
    /// WB, 水.
    WaterBuffalo,
    /// FD, 火.
    FireDemon,
    /// DE, 象.
    DrunkElephant,
    /// K, 玉.
    King,
    /// CP, 子.
    Prince,
    /// FO, 牛.
    FlyingOx,
    /// FSt, 鹿.
    FlyingStag,
    /// FBo, 猪.
    FreeBoar,
    /// HT, 天.
    Tetrarch,
    /// MG, 雜.
    MultiGeneral,
    /// W, 鯨.
    Whale,
    /// WH, 駒.
    WhiteHorse,
}

use Kind::*;

/// Abbreviation, one-letter kanji, English name, romanised name, promotion.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<Kind>,
);

#[rustfmt::skip]
const TABLE: [Row; Kind::COUNT] = [
    ("P", "歩", "pawn", "fuhyō", Some(GoldGeneral)),
    ("D", "犬", "dog", "inu", Some(MultiGeneral)),
    ("I", "鉄", "iron general", "tesshō", Some(VerticalSoldier)),
    ("C", "銅", "copper general", "dōshō", Some(SideMover)),
    ("S", "銀", "silver general", "ginshō", Some(VerticalMover)),
    ("G", "金", "gold general", "kinshō", Some(Rook)),
    ("FL", "豹", "ferocious leopard", "mōhyō", Some(Bishop)),
    ("N", "桂", "knight", "keima", Some(SideSoldier)),
    ("L", "香", "lance", "kyōsha", Some(WhiteHorse)),
    ("RC", "反", "reverse chariot", "hensha", Some(Whale)),
    ("CS", "車", "chariot soldier", "shahei", Some(Tetrarch)),
    ("BT", "虎", "blind tiger", "mōko", Some(FlyingStag)),
    ("Kr", "麒", "kirin", "kirin", Some(Lion)),
    ("Ph", "鳳", "phoenix", "hōō", Some(Queen)),
    ("Q", "奔", "queen (free king)", "honnō", Some(FreeEagle)),
    ("Ln", "獅", "lion", "shishi", Some(LionHawk)),
    ("SM", "横", "side mover", "ōgyō", Some(FreeBoar)),
    ("VM", "竪", "vertical mover", "shugyō", Some(FlyingOx)),
    ("SS", "黄", "side soldier", "ōhei", Some(WaterBuffalo)),
    ("VS", "立", "vertical soldier", "shuhei", Some(ChariotSoldier)),
    ("B", "角", "bishop", "kakugyō", Some(DragonHorse)),
    ("R", "飛", "rook", "hisha", Some(DragonKing)),
    ("DH", "馬", "dragon horse", "ryūme", Some(HornedFalcon)),
    ("DK", "龍", "dragon king", "ryūō", Some(SoaringEagle)),
    ("HF", "鷹", "horned falcon", "kakuō", Some(BishopGeneral)),
    ("SE", "鷲", "soaring eagle", "hijū", Some(RookGeneral)),
    ("BG", "用", "bishop general", "kakushō", Some(ViceGeneral)),
    ("RG", "升", "rook general", "hishō", Some(GreatGeneral)),
    ("VG", "副", "vice general", "fukushō", None),
    ("GG", "大", "great general", "taishō", None),
    ("FE", "就", "free eagle", "honjū", None),
    ("LH", "師", "lion hawk", "shiō", None),
    ("WB", "水", "water buffalo", "suigyū", Some(FireDemon)),
    ("FD", "火", "fire demon", "kaki", None),
    ("DE", "象", "drunk elephant", "suizō", Some(Prince)),
    ("K", "玉", "king", "gyokushō", None),
    ("CP", "子", "prince", "taishi", None),
    ("FO", "牛", "flying ox", "higyū", None),
    ("FSt", "鹿", "flying stag", "hiroku", None),
    ("FBo", "猪", "free boar", "honcho", None),
    ("HT", "天", "heavenly tetrarch", "shitennō", None),
    ("MG", "雜", "multi general", "suishō", None),
    ("W", "鯨", "whale", "keigei", None),
    ("WH", "駒", "white horse", "hakku", None),
];

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 44;
    /// Number of base types: the kinds `0..BASES` are what a piece can be unpromoted.
    pub const BASES: usize = 36;

    /// Every kind, in numerical order.
    #[rustfmt::skip]
    pub const ALL: [Kind; Kind::COUNT] = [
        Pawn, Dog, IronGeneral, CopperGeneral, SilverGeneral, GoldGeneral,
        FerociousLeopard, Knight, Lance, ReverseChariot, ChariotSoldier, BlindTiger,
        Kirin, Phoenix, Queen, Lion, SideMover, VerticalMover,
        SideSoldier, VerticalSoldier, Bishop, Rook, DragonHorse, DragonKing,
        HornedFalcon, SoaringEagle, BishopGeneral, RookGeneral, ViceGeneral, GreatGeneral,
        FreeEagle, LionHawk, WaterBuffalo, FireDemon, DrunkElephant, King,
        Prince, FlyingOx, FlyingStag, FreeBoar, Tetrarch, MultiGeneral,
        Whale, WhiteHorse,
    ];

    /// The base types, in numerical order.
    pub fn bases() -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().take(Kind::BASES)
    }

    /// 0..44.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind of this number.
    pub const fn from_index(index: usize) -> Option<Kind> {
        if index < Kind::COUNT {
            Some(Kind::ALL[index])
        } else {
            None
        }
    }

    /// Whether a piece can be of this kind without having promoted.
    pub const fn is_base(self) -> bool {
        (self as usize) < Kind::BASES
    }

    /// The abbreviation of the rules, e.g. `FD`, `Kr`, `FSt`.
    pub const fn abbr(self) -> &'static str {
        TABLE[self as usize].0
    }

    /// The one-letter kanji, e.g. `火`.
    pub const fn kanji(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The English name, lower case.
    pub const fn english(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// The Japanese name in Latin letters.
    pub const fn romaji(self) -> &'static str {
        TABLE[self as usize].3
    }

    /// What an unpromoted piece of this type promotes to, if it does.
    pub const fn promotes_to(self) -> Option<Kind> {
        TABLE[self as usize].4
    }

    /// The kind with this abbreviation, in any case (abbreviations differ when upper-cased).
    pub fn from_abbr(abbr: &str) -> Option<Kind> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.abbr().eq_ignore_ascii_case(abbr))
    }

    /// Rank among the range-jumping generals (rules, section 5): 4 royals, 3 GG, 2 VG, 1 RG and BG, 0 others.
    pub const fn rank(self) -> u8 {
        match self {
            King | Prince => 4,
            GreatGeneral => 3,
            ViceGeneral => 2,
            RookGeneral | BishopGeneral => 1,
            _ => 0,
        }
    }

    /// Whether it is a general that jumps over lower ranks.
    pub const fn is_general(self) -> bool {
        matches!(
            self,
            GreatGeneral | ViceGeneral | RookGeneral | BishopGeneral
        )
    }

    /// Whether a side without such a piece has lost.
    pub const fn is_royal(self) -> bool {
        matches!(self, King | Prince)
    }

    /// Whether it does more than ride or step: leaps, lion and area moves, shots.
    pub(crate) const fn is_close(self) -> bool {
        matches!(
            self,
            Knight
                | Kirin
                | Phoenix
                | Lion
                | LionHawk
                | HornedFalcon
                | SoaringEagle
                | FreeEagle
                | FireDemon
                | ViceGeneral
                | Tetrarch
        )
    }

    /// Whether it burns its neighbours.
    pub const fn is_demon(self) -> bool {
        matches!(self, FireDemon)
    }
}
