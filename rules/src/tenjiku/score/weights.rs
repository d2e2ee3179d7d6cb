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
    100, 100, 200, 200, 200, 300, 300, 100, 600, 600, 1800, 300,
    // Kr  Ph     Q    Ln   SM   VM   SS   VS     B     R    DH    DK
    300, 300, 2200, 1800, 700, 700, 700, 800, 1000, 1200, 1200, 1400,
    // HF   SE    BG    RG    VG    GG    FE    LH    WB    FD   DE     K
    1900, 1800, 2100, 2300, 3900, 4500, 2200, 2500, 1700, 8300, 300, 1600,
    // Promoted, in the same order. VG, GG, FE, LH, FD and K do not promote.
    300, 600, 800, 700, 700, 1200, 1000, 700, 1400, 1000, 1200, 900,
    1800, 2200, 2200, 2500, 1600, 1600, 1700, 1800, 1200, 1700, 1900, 1800,
    2100, 2300, 3900, 4500, 0, 0, 0, 0, 8300, 0, 1600, 0,
    // Fade: small piece, rider, lower general, high general, lion, demon, royal.
    50, 200, -300, -400, 0, -800, 0,
    // Prospect, advance, royal advance, off centre, shelter.
    42, 3, -25, -2, 8,
    // Demon near: 2, 3, 4, 5. Demon activity, tempo.
    -300, -200, -120, -40, 15, 30,
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
