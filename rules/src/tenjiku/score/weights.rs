//! The numbers of tenjiku's evaluation, in one table that `tenjiku tune` fits and prints.
//!
//! Centipawns. Material starts from section 16 of the rules (German Chu Shogi Association); see docs/engine.md for how
//! the numbers came to be.

use crate::Position;
use crate::tenjiku::{Kind, Piece, Tenjiku};

/// Where each group of weights begins in [`WEIGHTS`].
pub(super) mod at {
    /// One a piece state, in the order of [`Piece::state`](crate::tenjiku::Piece::state).
    pub const MATERIAL: usize = 0;
    /// What a piece of each [`class`](super::class) is worth more, or less, on a board that is all but empty.
    pub const FADE: usize = 72;
    /// Thousandths of the gain by promotion a rank of advance, outside the zone.
    pub const PROSPECT: usize = FADE + super::CLASSES;
    /// A rank of advance, of small pieces.
    pub const ADVANCE: usize = PROSPECT + 1;
    /// A rank that a royal or an elephant is away from its back rank.
    pub const ROYAL_ADVANCE: usize = ADVANCE + 1;
    /// A column away from the middle, of pieces that are not small.
    pub const OFF_CENTRE: usize = ROYAL_ADVANCE + 1;
    /// An own piece next to a lone royal.
    pub const SHELTER: usize = OFF_CENTRE + 1;
    /// An enemy demon at a distance of 2 to 5 from a lone royal.
    pub const DEMON_NEAR: usize = SHELTER + 1;
    /// An enemy piece within two squares of a demon.
    pub const DEMON_ACTIVITY: usize = DEMON_NEAR + 4;
    /// To have the move.
    pub const TEMPO: usize = DEMON_ACTIVITY + 1;
    /// Number of weights.
    pub const COUNT: usize = TEMPO + 1;
}

/// Classes of pieces that gain or lose differently as the board empties.
pub(super) const CLASSES: usize = 7;

const CLASS_NAMES: [&str; CLASSES] = [
    "small piece",
    "rider",
    "lower general",
    "high general",
    "lion",
    "demon",
    "royal",
];

/// The class of a piece by how it moves.
pub(super) fn class(piece: Piece) -> usize {
    use Kind::*;
    match piece.kind() {
        King | Prince => 6,
        FireDemon => 5,
        Lion | LionHawk | HornedFalcon | SoaringEagle | FreeEagle => 4,
        GreatGeneral | ViceGeneral => 3,
        RookGeneral | BishopGeneral => 2,
        Pawn | Dog | IronGeneral | CopperGeneral | SilverGeneral | GoldGeneral
        | FerociousLeopard | Knight | BlindTiger | Kirin | Phoenix | DrunkElephant => 0,
        _ => 1,
    }
}

/// The weights in force.
#[rustfmt::skip]
pub const WEIGHTS: [i32; at::COUNT] = [
    // P    D    I    C    S    G   FL    N    L   RC    CS   BT
    76, 106, 192, 178, 188, 335, 280, 103, 525, 469, 2337, 338,
    // Kr  Ph     Q    Ln   SM   VM   SS   VS     B     R    DH    DK
    327, 348, 1799, 1720, 614, 515, 775, 568, 835, 1206, 1005, 1460,
    // HF   SE    BG    RG    VG    GG    FE    LH    WB    FD   DE     K
    1618, 1524, 1723, 2862, 3602, 5998, 1761, 1799, 3716, 14453, 306, 1600,
    // Promoted, in the same order. VG, GG, FE, LH, FD and K do not promote.
    299, 596, 783, 702, 694, 1204, 962, 706, 1528, 1192, 1203, 906,
    1656, 2673, 2222, 2120, 1568, 1002, 1542, 1664, 1374, 2061, 2681, 1877,
    1992, 2640, 3634, 4914, 0, 0, 0, 0, 13309, 0, 1600, 0,
    // Fade: small piece, rider, lower general, high general, lion, demon, royal.
    44, 187, -302, -393, 0, -591, 0,
    // Prospect, advance, royal advance, off centre, shelter.
    55, -38, -26, -18, 10,
    // Demon near: 2, 3, 4, 5. Demon activity, tempo.
    -300, -200, -120, -40, 22, 27,
];

/// A name for each weight, in the order of [`WEIGHTS`].
pub fn weight_names() -> Vec<String> {
    let mut names = Vec::new();
    for state in 0..Tenjiku::PIECE_STATES {
        names.push(match Piece::from_code(state as u8 + 1) {
            Some(piece) => piece.abbr(),
            None => "-".to_string(),
        });
    }
    names.extend(CLASS_NAMES.map(|class| format!("fade of a {class}")));
    names.extend(
        [
            "promotion prospect",
            "advance",
            "royal advance",
            "off centre",
            "shelter",
            "demon near: 2",
            "demon near: 3",
            "demon near: 4",
            "demon near: 5",
            "demon activity",
            "tempo",
        ]
        .map(String::from),
    );
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Material;

    #[test]
    fn every_weight_has_a_name_and_no_piece_is_worthless() {
        assert_eq!(weight_names().len(), WEIGHTS.len());
        for (state, &value) in Tenjiku::piece_values().iter().enumerate() {
            let piece = Piece::from_code(state as u8 + 1);
            let weight = WEIGHTS[at::MATERIAL + state];
            match piece {
                Some(_) => assert!(weight > 0 && value > 0, "state {state}"),
                None => assert_eq!(weight, 0, "state {state}"),
            }
        }
    }
}
