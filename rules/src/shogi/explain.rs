//! Why a well-formed move is not legal: for people, so it may be slow.

use super::Shogi;
use super::attacks;
use super::bitboard::Bitboard;
use super::moves::ShogiMove;
use super::piece::Kind;
use super::square::Square;
use crate::Position;

impl Shogi {
    /// The first reason that applies to `mv`, which is not legal here.
    pub(super) fn why_illegal(&self, mv: ShogiMove) -> String {
        if let Some(outcome) = self.early_outcome() {
            return format!("the game is over ({})", outcome.reason.name());
        }
        let reason = match (mv.from(), mv.dropped()) {
            (Some(from), _) => self.why_no_step(from, mv.to(), mv.promotes()),
            (None, Some(kind)) => self.why_no_drop(kind, mv.to()),
            (None, None) => unreachable!("a move is a step or a drop"),
        };
        reason.unwrap_or_else(|| "the king would be in check".to_string())
    }

    fn why_no_step(&self, from: Square, to: Square, promotes: bool) -> Option<String> {
        let us = self.turn();
        let Some(piece) = self.board.on(from) else {
            return Some(format!("there is no piece on {from}"));
        };
        let name = piece.kind().name();
        if piece.color() != us {
            return Some(format!("the piece on {from} is not {us:?}'s"));
        }
        if self.board.of(us).has(to) {
            return Some(format!("{us:?}'s own piece is on {to}"));
        }
        if !attacks::of(piece, from, self.board.occupied()).has(to) {
            let promoted = if piece.promoted() { "promoted " } else { "" };
            return Some(format!("the {promoted}{name} on {from} cannot reach {to}"));
        }
        if promotes {
            let zone = Bitboard::last_ranks(us, 3);
            if piece.promoted() {
                return Some(format!("the {name} on {from} is promoted already"));
            }
            if !piece.kind().promotes() {
                return Some(format!("a {name} does not promote"));
            }
            if !zone.has(from) && !zone.has(to) {
                return Some("it neither starts nor ends in the promotion zone".to_string());
            }
        } else if !piece.promoted() && Bitboard::last_ranks(us, piece.kind().dead_ranks()).has(to) {
            return Some(format!(
                "a {name} must promote on {to}, where it could not move again"
            ));
        }
        None
    }

    fn why_no_drop(&self, kind: Kind, to: Square) -> Option<String> {
        let us = self.turn();
        let name = kind.name();
        if self.board.in_hand(us, kind) == 0 {
            return Some(format!("{us:?} has no {name} in hand"));
        }
        if self.board.on(to).is_some() {
            return Some(format!("{to} is occupied"));
        }
        if Bitboard::last_ranks(us, kind.dead_ranks()).has(to) {
            return Some(format!("a {name} could never move from {to}"));
        }
        let pawns = self.board.plain(Kind::Pawn) & self.board.of(us);
        if kind == Kind::Pawn && pawns.whole_files().has(to) {
            return Some(format!("{us:?} has an unpromoted pawn on that file (nifu)"));
        }
        let them = us.opponent();
        if kind == Kind::Pawn
            && attacks::pawn(them, self.board.king(them)).has(to)
            && !self.in_check()
            && self.pawn_drop_mates(us)
        {
            return Some("a dropped pawn may not give mate (uchifuzume)".to_string());
        }
        None
    }
}
