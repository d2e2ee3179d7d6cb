//! The terms of tenjiku's evaluation one by one: the evaluation is the sum of weight times feature.
//!
//! The running score of `mod` adds the same terms up with the weights in; the tests hold the two together. This
//! slow form is what weights are fitted with.

use super::Terms;
use super::weights::{at, class};
use crate::tenjiku::bitboard::each;
use crate::tenjiku::geometry::NEIGHBOURS;
use crate::tenjiku::{Bitboard, Piece, Square, Tenjiku};
use crate::{Color, Position};

/// Pieces at the start: the scale of how full a board is.
pub(super) const FULL: i32 = 156;

/// Ranks that the piece is ahead of its side's back rank.
pub(super) fn advance(piece: Piece, square: Square) -> i32 {
    match piece.color {
        Color::Black => 15 - square.row() as i32,
        Color::White => square.row() as i32,
    }
}

/// Columns away from the middle.
pub(super) fn off_centre(square: Square) -> i32 {
    (2 * square.column() as i32 - 15).abs() / 2
}

/// Whether the piece stays near its back rank: royals, and elephants that may become one.
pub(super) fn stays_home(piece: Piece) -> bool {
    piece.is_royal() || piece.base == crate::tenjiku::Kind::DrunkElephant
}

/// What promotion adds by section 16 of the rules, in centipawns; 0 where it is none or past.
pub(super) fn promotion_gain(piece: Piece) -> i32 {
    if !piece.can_promote() || piece.is_royal() {
        return 0;
    }
    let values = <Tenjiku as crate::score::Material>::piece_values();
    let promoted = Piece {
        promoted: true,
        ..piece
    };
    (100 * (values[promoted.state()] - values[piece.state()])).max(0)
}

/// Calls `term` with the index of each weight and how often it counts for `color`, but for those of the whole side.
pub(super) fn of_piece(piece: Piece, square: Square, term: &mut impl FnMut(usize, f64)) {
    term(at::MATERIAL + piece.state(), 1.0);
    let ahead = advance(piece, square);
    if stays_home(piece) {
        term(at::ROYAL_ADVANCE, f64::from(ahead));
        return;
    }
    // Inside the zone only a capture promotes: no further prospect there.
    term(
        at::PROSPECT,
        f64::from(promotion_gain(piece) * ahead.min(10)) / 10_000.0,
    );
    if class(piece) == 0 {
        term(at::ADVANCE, f64::from(ahead.min(11)));
    } else {
        term(at::OFF_CENTRE, f64::from(off_centre(square)));
    }
}

/// Calls `term` with the terms of a side that depend on more than one piece, and how often they count.
#[inline]
pub(super) fn of_side(
    terms: &Terms,
    position: &Tenjiku,
    color: Color,
    term: &mut impl FnMut(usize, i32),
) {
    let enemy = color.opponent();
    let royals = position.royals(color);
    let demons = position.demons(enemy);
    if let Some(royal) = royals.single() {
        let shelter = position.pieces(color) & NEIGHBOURS[royal.index()];
        term(at::SHELTER, shelter.len_near() as i32);
        each(demons, |demon| {
            let distance = distance(royal, demon);
            if (2..=5).contains(&distance) {
                term(at::DEMON_NEAR + distance - 2, 1);
            }
        });
    }
    each(position.demons(color), |demon| {
        let near = position.pieces(enemy) & terms.two_beside[demon.index()];
        term(at::DEMON_ACTIVITY, near.len_near() as i32);
    });
}

/// King steps between two squares.
#[inline]
fn distance(a: Square, b: Square) -> usize {
    a.row()
        .abs_diff(b.row())
        .max(a.column().abs_diff(b.column()))
}

/// The evaluation of `position` from the side to move's view as a sum: pairs of a weight's index and what it is
/// multiplied with. An index may come more than once.
pub fn tenjiku_features(position: &Tenjiku) -> Vec<(usize, f32)> {
    let mut features = vec![(at::TEMPO, 1.0)];
    let terms = Terms::get();
    let all: Bitboard = position.pieces(Color::Black) | position.pieces(Color::White);
    let empty = f64::from((FULL - all.len() as i32).max(0)) / f64::from(FULL);
    for color in [Color::Black, Color::White] {
        let sign = if color == position.turn() { 1.0 } else { -1.0 };
        let mut add = |index: usize, count: f64| {
            if count != 0.0 {
                features.push((index, (sign * count) as f32));
            }
        };
        for square in position.pieces(color).squares() {
            if let Some(piece) = position.piece_at(square) {
                of_piece(piece, square, &mut add);
                add(at::FADE + class(piece), empty);
            }
        }
        of_side(terms, position, color, &mut |index, count| {
            add(index, f64::from(count));
        });
    }
    features
}
