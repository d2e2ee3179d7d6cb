//! Material: the value of the pieces on the board and in hand, from published tables.

use crate::score::{Score, ShogiScore, TenjikuScore};
use rules::{Color, Position};

/// A game whose pieces have known values.
pub trait Material: Position {
    /// The alpha-beta engine's evaluation of this game.
    type Score: Score<Self>;

    /// Value of each piece state (see [`Position::PIECE_STATES`]), pawn = 1.
    fn piece_values() -> &'static [i32];

    /// Value of each hand kind.
    fn hand_values() -> &'static [i32];

    /// Own material minus the opponent's, from the side to move's view.
    fn material(&self) -> i32 {
        let snapshot = self.snapshot();
        let (states, values) = (Self::PIECE_STATES, Self::piece_values());
        let board: i32 = snapshot
            .board
            .iter()
            .map(|&code| match code as usize {
                0 => 0,
                c if c <= states => values[c - 1],
                c => -values[c - 1 - states],
            })
            .sum();
        let hand = |side: &[u8]| -> i32 {
            side.iter()
                .zip(Self::hand_values())
                .map(|(&n, v)| i32::from(n) * v)
                .sum()
        };
        let (black, white) = snapshot.hands.split_at(Self::HAND_KINDS);
        let balance = board + hand(black) - hand(white);
        match snapshot.turn {
            Color::Black => balance,
            Color::White => -balance,
        }
    }
}

/// Unpromoted states in the order of the rules document's section 2, then the promoted ones in the same order.
/// Source: section 16 of the tenjiku rules (German Chu Shogi Association).
const TENJIKU: [i32; 72] = [
    // P  D  I  C  S  G FL  N  L RC  CS BT Kr Ph   Q  Ln SM VM SS VS   B   R  DH  DK
    1, 1, 2, 2, 2, 3, 3, 1, 6, 6, 18, 3, 3, 3, 22, 18, 7, 7, 7, 8, 10, 12, 12, 14, //
    // HF SE  BG  RG  VG  GG  FE  LH  WB  FD DE K
    19, 18, 21, 23, 39, 45, 22, 25, 17, 83, 3, 4, //
    // +P D  I  C  S   G  FL  N   L  RC  CS BT  Kr  Ph   Q  Ln  SM  VM  SS  VS   B   R  DH  DK
    3, 6, 8, 7, 7, 12, 10, 7, 14, 10, 12, 9, 18, 22, 22, 25, 16, 16, 17, 18, 12, 17, 19, 18, //
    // HF  SE  BG  RG  VG  GG  FE  LH  WB  FD DE K   (VG GG FE LH FD K do not promote)
    21, 23, 39, 45, 39, 45, 22, 25, 83, 83, 4, 4,
];

impl Material for rules::tenjiku::Tenjiku {
    type Score = TenjikuScore;

    fn piece_values() -> &'static [i32] {
        &TENJIKU
    }

    fn hand_values() -> &'static [i32] {
        &[]
    }
}

/// Unpromoted P L N S G B R K, then promoted (gold and king do not promote). Pawn = 1, rounded from the usual tables of
/// computer shogi; the king counts nothing, it cannot be taken.
const SHOGI: [i32; 16] = [1, 3, 4, 5, 6, 8, 10, 0, 5, 5, 5, 6, 6, 10, 12, 0];

impl Material for rules::shogi::Shogi {
    type Score = ShogiScore;

    fn piece_values() -> &'static [i32] {
        &SHOGI
    }

    fn hand_values() -> &'static [i32] {
        &SHOGI[..7]
    }
}
