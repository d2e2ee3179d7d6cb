//! The 27-point declaration: winning by bringing king and pieces into the zone.

use super::Shogi;
use super::bitboard::Bitboard;
use super::piece::Kind;
use crate::{Color, Position};

/// Own pieces, without the king, that must be in the zone.
const PIECES_NEEDED: usize = 10;

impl Shogi {
    /// Whether the side to move may declare and win: the rules allow it and the game goes on, it is not in
    /// check, its king is in the zone with at least ten other own pieces, and its points are at least 28 for
    /// Black or 27 for White. Rooks and bishops, promoted or not, count 5, others 1, both in the zone and in
    /// hand, the king nothing.
    ///
    /// # Source
    /// The declaration rule of computer shogi championships and of USI's `win`.
    pub fn can_declare(&self) -> bool {
        let color = self.turn();
        let zone = Bitboard::last_ranks(color, 3);
        let in_zone = self.board.of(color) & zone;
        if !self.rules().declaration
            || !zone.has(self.board.king(color))
            || in_zone.count() < PIECES_NEEDED + 1
            || self.in_check()
            || self.early_outcome().is_some()
        {
            return false;
        }
        let big = [Kind::Rook, Kind::Bishop]
            .iter()
            .fold(Bitboard::EMPTY, |set, &kind| {
                set | self.board.plain(kind) | self.board.promoted(kind)
            });
        let hand: usize = Kind::SFEN_HAND
            .iter()
            .map(|&kind| {
                let worth = if matches!(kind, Kind::Rook | Kind::Bishop) {
                    5
                } else {
                    1
                };
                worth * self.board.in_hand(color, kind) as usize
            })
            .sum();
        let points = in_zone.count() - 1 + 4 * (in_zone & big).count() + hand;
        points
            >= match color {
                Color::Black => 28,
                Color::White => 27,
            }
    }
}
