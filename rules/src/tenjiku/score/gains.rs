//! What each side would win on each square, by the exchanges that begin with its captures, burns and promotions, and what
//! one move wins or loses.

use super::{CLASSIC, TenjikuScore};
use crate::Color;
use crate::score::Score;
use crate::tenjiku::{Tenjiku, TenjikuMove};

impl Tenjiku {
    /// For each square, the most that `color` would win, if it had the move, by a capture, burn or promotion that ends
    /// there, or captures there on the way: once everything is taken back on the square where the move ends, each
    /// side taking only where that is good for it. Hundredths of a pawn by the table of the rules' section 16, 0 where
    /// nothing is won, [`i32::MAX`] where the last royal is taken. All 0 in a finished game.
    pub fn gains(&self, color: Color) -> [i32; 256] {
        let mut position = self.clone();
        position.turn = color;
        let score = TenjikuScore::with(&CLASSIC);
        let mut moves = Vec::with_capacity(128);
        position.tactical_moves(&mut moves);
        let mut gains = [0; 256];
        for mv in moves {
            let won = score.exchange(&position, mv, score.gain(&position, mv));
            for square in [Some(mv.to()), mv.via()].into_iter().flatten() {
                gains[square.index()] = won.max(gains[square.index()]);
            }
        }
        gains
    }

    /// What the legal move `mv` wins once everything is taken back on the square where it ends, each side taking only
    /// where that is good for it; below 0 what it loses. Hundredths of a pawn by the table of the rules' section 16,
    /// [`i32::MAX`] where it takes the last royal. What hangs elsewhere is not asked.
    pub fn exchange(&self, mv: TenjikuMove) -> i32 {
        let score = TenjikuScore::with(&CLASSIC);
        score.exchange_of::<true>(self, mv, score.gain(self, mv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use crate::score::WINS;
    use crate::tenjiku::{RuleSet, Square};

    fn gains(sfen: &str, color: Color) -> Vec<(String, i32)> {
        let position = Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap();
        let gains = position.gains(color);
        (0..=255)
            .map(Square)
            .filter(|square| gains[square.index()] != 0)
            .map(|square| (square.to_string(), gains[square.index()]))
            .collect()
    }

    /// By hand: the rook on 8i (12 pawns) may take the unprotected silver general on 8g (2); the pawn on 4i is protected by
    /// the one on 4h, so that taking it loses 11.
    #[test]
    fn what_hangs_is_won_and_what_is_protected_is_not() {
        let sfen = "16/8k7/16/16/16/16/8s7/12p3/8R3p3/16/16/16/16/16/16/8K7 b - 1";
        let silver = [("8g".to_string(), 200)];
        assert_eq!(gains(sfen, Color::Black), silver);
        assert_eq!(gains(sfen, Color::White), []);
        // Whose turn it is does not matter.
        let turned = sfen.replace(" b ", " w ");
        assert_eq!(gains(&turned, Color::Black), silver);
        // Without the silver general the rook takes the king, or promotes (17 in place of 12) where the king does not reach.
        let open = sfen.replace("8s7", "16");
        let won = [("8b", WINS), ("8d", 500), ("8e", 500)];
        assert_eq!(
            gains(&open, Color::Black),
            won.map(|(s, won)| (s.to_string(), won))
        );
    }

    /// A demon that goes next to pieces burns them: all its end squares count what burns there, the king wins.
    #[test]
    fn what_burns_counts_where_the_demon_ends() {
        let sfen = "3k12/16/16/16/16/16/9g6/7[FD]8/16/16/16/16/16/16/16/8K7 b - 1";
        let found = gains(sfen, Color::Black);
        let ends: Vec<&str> = found.iter().map(|(square, _)| square.as_str()).collect();
        // The gold general and its neighbours.
        let beside = ["8f", "7f", "6f", "8g", "7g", "6g", "8h", "7h", "6h"];
        assert_eq!(ends, beside);
        assert!(found.iter().all(|(_, won)| *won == 300), "{found:?}");
    }
}
