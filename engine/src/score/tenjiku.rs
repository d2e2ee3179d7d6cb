//! Tenjiku: material of section 16 of the rules, promotion prospects, advance, royal safety. One number for each piece
//! on each square, so that a move costs a few look-ups.

use super::{QUIET, Score, WINS};
use crate::Material;
use rules::tenjiku::{Bitboard, Piece, Square, Tenjiku, TenjikuMove};
use rules::{Color, Position};
use std::sync::LazyLock;

/// Board codes: 0 is empty, then Black's piece states, then White's.
const CODES: usize = 1 + 2 * Tenjiku::PIECE_STATES;
/// Centipawns of a royal beyond its value as a piece, for the side that has a second one.
const ROYAL: i32 = 1200;
/// Centipawns for having the move.
const TEMPO: i32 = 20;
/// A piece that can promote is worth the gain times its advance in ranks divided by this, on top.
const PROMOTION_PROSPECT: i32 = 240;
/// Centipawns a rank for small pieces and pawns, whose work is ahead of them.
const ADVANCE: i32 = 3;
/// Centipawns a rank that a royal, or an elephant that may become one, loses by leaving its back rank.
const ROYAL_ADVANCE: i32 = -25;
/// Centipawns a column from the middle that long-range pieces lose.
const OFF_CENTRE: i32 = -2;
/// Small pieces are worth no more than this.
const SMALL: i32 = 300;

/// The numbers of one piece code.
struct Terms {
    /// Centipawns of material.
    material: [i32; CODES],
    /// Material and place, for the owner.
    placed: Vec<[i16; 256]>,
}

static TERMS: LazyLock<Terms> = LazyLock::new(|| {
    let mut terms = Terms {
        material: [0; CODES],
        placed: vec![[0; 256]; CODES],
    };
    for code in 1..CODES {
        let Some(piece) = Piece::from_code(code as u8) else {
            continue;
        };
        terms.material[code] = material(piece);
        for square in (0..=255).map(Square) {
            let value = material(piece) + place(piece, square);
            terms.placed[code][square.index()] =
                i16::try_from(value).expect("terms are below 32768 centipawns");
        }
    }
    terms
});

fn material(piece: Piece) -> i32 {
    let royal = if piece.is_royal() { ROYAL } else { 0 };
    100 * Tenjiku::piece_values()[piece.state()] + royal
}

/// What the square is worth to the piece, by tables that both sides and both wings share.
fn place(piece: Piece, square: Square) -> i32 {
    use rules::tenjiku::Kind::*;
    let advance = match piece.color {
        Color::Black => 15 - square.row(),
        Color::White => square.row(),
    } as i32;
    if piece.is_royal() || piece.base == DrunkElephant {
        return ROYAL_ADVANCE * advance;
    }
    let off_centre = (2 * square.column() as i32 - 15).abs() / 2;
    let mut value = OFF_CENTRE * off_centre;
    if piece.can_promote() {
        let after = material(Piece {
            promoted: true,
            ..piece
        });
        // Inside the zone only a capture promotes: no further prospect there.
        value += (after - material(piece)).max(0) * advance.min(10) / PROMOTION_PROSPECT;
    }
    if material(piece) <= SMALL {
        value += ADVANCE * advance.min(11);
    }
    value
}

/// Running evaluation of a tenjiku game.
#[derive(Clone)]
pub struct TenjikuScore {
    terms: &'static Terms,
    /// Centipawns for Black.
    balance: i32,
    before: Vec<i32>,
}

/// The pieces' squares and their neighbours.
fn beside(set: Bitboard) -> Bitboard {
    let mut wide = Bitboard::EMPTY;
    for square in set.squares() {
        let (row, column) = (square.row() as i32, square.column() as i32);
        for (rows, columns) in (-1..=1).flat_map(|r| (-1..=1).map(move |c| (r, c))) {
            if let Some(near) = Square::new(row + rows, column + columns) {
                wide = wide | Bitboard::of(near);
            }
        }
    }
    wide
}

/// Whether the piece on the start square is a demon when the move ends.
fn ends_as_demon(position: &Tenjiku, mv: TenjikuMove) -> bool {
    position.demons(position.turn()).has(mv.from())
        || mv.promotes()
            && position.piece_at(mv.from()).is_some_and(|p| {
                Piece {
                    promoted: true,
                    ..p
                }
                .is_demon()
            })
}

impl TenjikuScore {
    /// Centipawns of a piece on a square, for its owner.
    #[inline]
    fn placed(&self, code: u8, square: Square) -> i32 {
        i32::from(self.terms.placed[code as usize][square.index()])
    }
}

impl Score<Tenjiku> for TenjikuScore {
    fn new(position: &Tenjiku) -> Self {
        let mut score = TenjikuScore {
            terms: &TERMS,
            balance: 0,
            before: Vec::new(),
        };
        for (color, sign) in [(Color::Black, 1), (Color::White, -1)] {
            for square in position.pieces(color).squares() {
                score.balance += sign * score.placed(position.code_at(square), square);
            }
        }
        score
    }

    #[inline]
    fn score(&self, turn: Color) -> i32 {
        TEMPO
            + match turn {
                Color::Black => self.balance,
                Color::White => -self.balance,
            }
    }

    fn gains(&self, position: &Tenjiku, moves: &[TenjikuMove], gains: &mut Vec<i32>) {
        let turn = position.turn();
        let enemies = position.pieces(turn.opponent());
        let demons = position.demons(turn);
        let hot = beside(position.demons(turn.opponent()));
        let material = |square: Square| self.terms.material[position.code_at(square) as usize];
        gains.clear();
        gains.extend(moves.iter().map(|&mv| {
            let (from, to) = (mv.from(), mv.to());
            let fire = demons.has(from) || hot.has(to) || mv.promotes();
            if !enemies.has(to) && mv.via().is_none() && !fire {
                return QUIET;
            }
            let effects = position.effects(mv);
            if effects.is_quiet() && !mv.promotes() {
                return QUIET;
            }
            if position.wins_at_once(mv) {
                return WINS;
            }
            let mut gain: i32 = effects.enemies_lost().squares().map(material).sum();
            if mv.promotes() && !effects.mover_burned {
                let promoted = position.code_at(from) as usize + Tenjiku::PIECE_STATES / 2;
                gain += self.terms.material[promoted] - material(from);
            }
            if effects.mover_burned {
                gain -= material(from);
            }
            gain
        }));
    }

    fn mover(&self, position: &Tenjiku, mv: TenjikuMove) -> i32 {
        self.terms.material[position.code_at(mv.from()) as usize]
    }

    #[inline]
    fn play(&mut self, position: &Tenjiku, mv: TenjikuMove) {
        let (from, to) = (mv.from(), mv.to());
        let code = position.code_at(from);
        let after = if mv.promotes() {
            code + (Tenjiku::PIECE_STATES / 2) as u8
        } else {
            code
        };
        let mut change = self.placed(after, to) - self.placed(code, from);
        if to != from {
            change += self.placed(position.code_at(to), to);
        }
        if let Some(via) = mv.via() {
            change += self.placed(position.code_at(via), via);
        }
        let turn = position.turn();
        let near_demon = || {
            position.demons(turn.opponent()).squares().any(|demon| {
                demon.row().abs_diff(to.row()) <= 1 && demon.column().abs_diff(to.column()) <= 1
            })
        };
        if ends_as_demon(position, mv) || near_demon() {
            let effects = position.effects(mv);
            for square in effects.burned.squares() {
                change += self.placed(position.code_at(square), square);
            }
            if effects.mover_burned {
                change -= self.placed(after, to);
            }
        }
        self.before.push(self.balance);
        self.balance += match turn {
            Color::Black => change,
            Color::White => -change,
        };
    }

    #[inline]
    fn undo(&mut self) {
        self.balance = self.before.pop().expect("undo follows a move");
    }
}
