//! Moves that take the last royal, and check (section 9).

use super::Tenjiku;
use super::attack::can_win;
use super::bitboard::Bitboard;
use super::board::Board;
use super::geometry::NEIGHBOURS;
use super::movement::Tables;
use super::moves::TenjikuMove;
use super::play::{ends_as_demon, fire};
use crate::{Color, Position};

/// Whether `mv` of `color` leaves the other side, which has a royal, without one.
#[inline]
pub(super) fn takes_last_royal(
    board: &Board,
    tables: &Tables,
    color: Color,
    mv: TenjikuMove,
) -> bool {
    // Nearly all moves neither take a royal nor end where they could burn one. Search asks this of every move of
    // every new node: with these tests, inlined, playouts are faster by half.
    let royals = board.royals[color.opponent().index()];
    let takes = royals.has(mv.to()) || mv.via().is_some_and(|via| royals.has(via));
    let may_burn = mv.promotes() || board.demons[color.index()].has(mv.from());
    (takes || may_burn && !(royals & NEIGHBOURS[mv.to().index()]).is_empty())
        && takes_or_burns_last_royal(board, tables, color, mv)
}

/// [`takes_last_royal`] without the short cut.
#[inline(never)]
fn takes_or_burns_last_royal(
    board: &Board,
    tables: &Tables,
    color: Color,
    mv: TenjikuMove,
) -> bool {
    let enemy = color.opponent().index();
    let mut left = !Bitboard::of(mv.to());
    if let Some(via) = mv.via() {
        left = left & !Bitboard::of(via);
    }
    let royals = board.royals[enemy] & left;
    if royals.is_empty() {
        return true;
    }
    if !ends_as_demon(board, color, mv) {
        return false;
    }
    let (enemies, demons) = (board.colors[enemy] & left, board.demons[enemy] & left);
    let (burned, _) = fire(tables, mv.to(), true, enemies, demons);
    (royals & !burned).is_empty()
}

impl Tenjiku {
    /// Whether the other side, if it moved now, could leave this side without a royal. `false` in a finished
    /// game.
    pub(super) fn check(&self) -> bool {
        self.early_outcome().is_none()
            && can_win(&self.board, &self.tables, self.turn.opponent(), false)
    }
}
