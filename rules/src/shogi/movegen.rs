//! Legal moves, delivered in sets: one generator for lists, counts and single questions.
//!
//! Only legal moves arise: pins, checks and the squares around the king are looked at while the sets are
//! made. What cannot be seen from the board (sennichite) is not asked here.

use super::Shogi;
use super::attacks;
use super::bitboard::Bitboard;
use super::moves::ShogiMove;
use super::piece::{HAND_KINDS, Kind};
use super::square::{SIDE, Square};
use crate::Color;

/// Takes legal moves in sets.
pub(super) trait Sink {
    /// The piece on `from` moves to any of `plain`, or to any of `promoting` and promotes.
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);
    /// Pawns of `color` move onto any of `plain`, or onto any of `promoting` and promote.
    fn pushes(&mut self, color: Color, plain: Bitboard, promoting: Bitboard);
    /// A piece in hand is dropped on any of `to`.
    fn drops(&mut self, kind: Kind, to: Bitboard);
}

/// Appends moves to a list.
pub(super) struct List<'a>(pub &'a mut Vec<ShogiMove>);

impl Sink for List<'_> {
    #[inline]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        promoting.each(|to| self.0.push(ShogiMove::step(from, to, true)));
        plain.each(|to| self.0.push(ShogiMove::step(from, to, false)));
    }

    #[inline]
    fn pushes(&mut self, color: Color, plain: Bitboard, promoting: Bitboard) {
        let from = |to: Square| {
            Square::new(match color {
                Color::Black => to.index() + SIDE,
                Color::White => to.index() - SIDE,
            })
        };
        promoting.each(|to| self.0.push(ShogiMove::step(from(to), to, true)));
        plain.each(|to| self.0.push(ShogiMove::step(from(to), to, false)));
    }

    #[inline]
    fn drops(&mut self, kind: Kind, to: Bitboard) {
        to.each(|to| self.0.push(ShogiMove::drop(kind, to)));
    }
}

/// Counts moves.
#[derive(Default)]
pub(super) struct Count(pub usize);

impl Sink for Count {
    #[inline]
    fn steps(&mut self, _from: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline]
    fn pushes(&mut self, _color: Color, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline]
    fn drops(&mut self, _kind: Kind, to: Bitboard) {
        self.0 += to.count();
    }
}

/// Looks for one move.
pub(super) struct Find {
    wanted: ShogiMove,
    pub found: bool,
}

impl Find {
    pub fn new(wanted: ShogiMove) -> Find {
        Find {
            wanted,
            found: false,
        }
    }

    fn among(&self, plain: Bitboard, promoting: Bitboard) -> bool {
        let set = if self.wanted.promotes() {
            promoting
        } else {
            plain
        };
        set.has(self.wanted.to())
    }
}

impl Sink for Find {
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        self.found |= self.wanted.from() == Some(from) && self.among(plain, promoting);
    }

    fn pushes(&mut self, color: Color, plain: Bitboard, promoting: Bitboard) {
        let fits = self
            .wanted
            .from()
            .is_some_and(|from| attacks::pawn(color, from).has(self.wanted.to()));
        self.found |= fits && self.among(plain, promoting);
    }

    fn drops(&mut self, kind: Kind, to: Bitboard) {
        self.found |= self.wanted.dropped() == Some(kind) && to.has(self.wanted.to());
    }
}

const BLACK: bool = false;
const WHITE: bool = true;

impl Shogi {
    /// Delivers every legal move once, whatever the history.
    pub(super) fn generate(&self, sink: &mut impl Sink) {
        match self.turn {
            Color::Black => self.generate_for::<BLACK>(sink),
            Color::White => self.generate_for::<WHITE>(sink),
        }
    }

    #[inline(always)]
    fn generate_for<const COLOR: bool>(&self, sink: &mut impl Sink) {
        let us = if COLOR == BLACK {
            Color::Black
        } else {
            Color::White
        };
        self.king_moves(us, sink);
        // Where a piece that is not the king does not leave it in check: anywhere; between checker and king
        // or onto the checker; nowhere against two checkers.
        let checkers = self.threats.checkers;
        if checkers.is_empty() {
            self.moves_onto(us, Bitboard::ALL, sink);
            self.drops_onto(us, Bitboard::ALL, sink);
        } else if !checkers.is_several() {
            let between = attacks::between(self.board.king(us), checkers.first());
            self.moves_onto(us, between | checkers, sink);
            self.drops_onto(us, between, sink);
        }
    }

    #[inline(always)]
    fn king_moves(&self, us: Color, sink: &mut impl Sink) {
        let them = us.opponent();
        let king = self.board.king(us);
        // The king does not shield squares behind it from the piece that gives check.
        let mut without_king = self.board.occupied();
        without_king ^= Bitboard::of(king);
        let pawns = (self.board.plain(Kind::Pawn) & self.board.of(them)).forward(them);
        let candidates = attacks::king(king) & !(self.board.of(us) | pawns);
        let mut safe = Bitboard::EMPTY;
        candidates.each(|to| {
            if !self.board.is_attacked(them, to, without_king) {
                safe |= Bitboard::of(to);
            }
        });
        sink.steps(king, safe, Bitboard::EMPTY);
    }

    /// Moves of all pieces but the king, as far as they end on `allowed` squares.
    #[inline(always)]
    fn moves_onto(&self, us: Color, allowed: Bitboard, sink: &mut impl Sink) {
        let board = &self.board;
        let own = board.of(us);
        let targets = allowed & !own;
        let occupied = board.occupied();
        let king = board.king(us);
        let pinned = self.threats.pinned & own;
        let free = own & !pinned;
        let zone = Bitboard::last_ranks(us, 3);
        let last = Bitboard::last_ranks(us, 1);

        // A pinned piece stays on the line through it and its king.
        let kept = |from: Square, to: Bitboard| {
            if pinned.has(from) {
                to & attacks::line(king, from)
            } else {
                to
            }
        };
        let promoting = |from: Square, to: Bitboard| if zone.has(from) { to } else { to & zone };

        let pushed = (board.plain(Kind::Pawn) & free).forward(us) & targets;
        sink.pushes(us, pushed & !last, pushed & zone);
        (board.plain(Kind::Pawn) & pinned).each(|from| {
            let to = kept(from, attacks::pawn(us, from) & targets);
            sink.steps(from, to & !last, to & zone);
        });
        (board.plain(Kind::Lance) & own).each(|from| {
            let to = kept(from, attacks::lance(us, from, occupied) & targets);
            sink.steps(from, to & !last, promoting(from, to));
        });
        // A pinned knight never stays on the line.
        (board.plain(Kind::Knight) & free).each(|from| {
            let to = attacks::knight(us, from) & targets;
            sink.steps(from, to & !Bitboard::last_ranks(us, 2), to & zone);
        });
        (board.plain(Kind::Silver) & own).each(|from| {
            let to = kept(from, attacks::silver(us, from) & targets);
            sink.steps(from, to, promoting(from, to));
        });
        (board.golds() & own).each(|from| {
            let to = kept(from, attacks::gold(us, from) & targets);
            sink.steps(from, to, Bitboard::EMPTY);
        });
        (board.plain(Kind::Bishop) & own).each(|from| {
            let to = kept(from, attacks::bishop(from, occupied) & targets);
            sink.steps(from, to, promoting(from, to));
        });
        (board.plain(Kind::Rook) & own).each(|from| {
            let to = kept(from, attacks::rook(from, occupied) & targets);
            sink.steps(from, to, promoting(from, to));
        });
        (board.promoted(Kind::Bishop) & own).each(|from| {
            let to = (attacks::bishop(from, occupied) | attacks::king(from)) & targets;
            sink.steps(from, kept(from, to), Bitboard::EMPTY);
        });
        (board.promoted(Kind::Rook) & own).each(|from| {
            let to = (attacks::rook(from, occupied) | attacks::king(from)) & targets;
            sink.steps(from, kept(from, to), Bitboard::EMPTY);
        });
    }

    /// Drops on empty squares among `allowed`.
    #[inline(always)]
    fn drops_onto(&self, us: Color, allowed: Bitboard, sink: &mut impl Sink) {
        let hand = self.board.hand(us);
        if *hand == [0; HAND_KINDS] {
            return;
        }
        let empty = allowed & !self.board.occupied();
        if empty.is_empty() {
            return;
        }
        let last = Bitboard::last_ranks(us, 1);
        let last_two = Bitboard::last_ranks(us, 2);
        if hand[Kind::Pawn as usize] > 0 {
            let nifu = (self.board.plain(Kind::Pawn) & self.board.of(us)).whole_files();
            let mut to = empty & !(last | nifu);
            let them = us.opponent();
            let checking = attacks::pawn(them, self.board.king(them));
            if !(to & checking).is_empty() && self.pawn_drop_mates(us) {
                to &= !checking;
            }
            sink.drops(Kind::Pawn, to);
        }
        if hand[Kind::Lance as usize] > 0 {
            sink.drops(Kind::Lance, empty & !last);
        }
        if hand[Kind::Knight as usize] > 0 {
            sink.drops(Kind::Knight, empty & !last_two);
        }
        for kind in [Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook] {
            if hand[kind as usize] > 0 {
                sink.drops(kind, empty);
            }
        }
    }

    /// Whether a pawn of `us` dropped on the empty square before the enemy king would leave the enemy without
    /// a legal move (uchifuzume). The check is from the next square by one piece, so the answers are: take the
    /// pawn with a piece, take it with the king, or step aside.
    pub(super) fn pawn_drop_mates(&self, us: Color) -> bool {
        let them = us.opponent();
        let king = self.board.king(them);
        let drop = attacks::pawn(them, king);
        let pawn = drop.first();
        let occupied = self.board.occupied() | drop;

        let mut pinned = Bitboard::EMPTY;
        self.board.aligned_sliders(us, king).each(|slider| {
            let between = attacks::between(king, slider) & occupied;
            if !between.is_several() {
                pinned |= between;
            }
        });
        let mut takers = self.board.attackers(them, pawn, occupied);
        takers &= !Bitboard::of(king);
        let mut can_take = false;
        takers.each(|from| can_take |= !pinned.has(from) || attacks::line(king, from).has(pawn));
        if can_take {
            return false;
        }

        let mut without_king = occupied;
        without_king ^= Bitboard::of(king);
        let mut can_step = false;
        (attacks::king(king) & !self.board.of(them)).each(|to| {
            can_step |= !self.board.is_attacked(us, to, without_king);
        });
        !can_step
    }
}
