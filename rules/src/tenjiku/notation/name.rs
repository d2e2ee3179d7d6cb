//! Piece names in game texts: ours, and those of English texts.

use super::super::{Kind, Piece};

/// Names in English texts for kinds that we call otherwise, upper-cased (rules document, section 12).
const ALIASES: [(&str, Kind); 17] = [
    ("FID", Kind::FireDemon),
    ("SEG", Kind::SoaringEagle),
    ("BGN", Kind::BishopGeneral),
    ("RGN", Kind::RookGeneral),
    ("GGN", Kind::GreatGeneral),
    ("VGN", Kind::ViceGeneral),
    ("FEG", Kind::FreeEagle),
    ("LHK", Kind::LionHawk),
    ("FK", Kind::Queen),
    ("KY", Kind::Kirin),
    ("CHS", Kind::ChariotSoldier),
    ("SSD", Kind::SideSoldier),
    ("VSD", Kind::VerticalSoldier),
    ("DG", Kind::Dog),
    ("HT", Kind::Tetrarch),
    ("FB", Kind::FreeBoar),
    ("FS", Kind::FlyingStag),
];

/// A piece as named in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    kind: Kind,
    plus: bool,
}

impl Name {
    /// The piece with this name, in any case; `None` if there is none.
    ///
    /// With `+` in front only the names of promoting types count; without it, the kinds that exist only by
    /// promotion (`HT`, `FBo`) do as well.
    pub fn parse(text: &str) -> Option<Name> {
        let (plus, letters) = match text.strip_prefix('+') {
            Some(letters) => (true, letters),
            None => (false, text),
        };
        let alias = ALIASES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(letters));
        let kind = alias
            .map(|&(_, kind)| kind)
            .or_else(|| Kind::from_abbr(letters))?;
        (!plus || kind.promotes_to().is_some()).then_some(Name { kind, plus })
    }

    /// Whether it is the piece's own name: base type and promotion as on the board.
    pub fn is(self, piece: Piece) -> bool {
        if self.kind.is_base() {
            piece.base == self.kind && piece.promoted == self.plus
        } else {
            piece.kind() == self.kind
        }
    }

    /// Whether the piece may be called so loosely: a promoted piece by what it moves as (`G` for `+P`).
    pub fn may_mean(self, piece: Piece) -> bool {
        self.is(piece) || (!self.plus && piece.kind() == self.kind)
    }
}
