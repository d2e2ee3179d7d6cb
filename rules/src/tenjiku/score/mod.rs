//! Tenjiku's running score: one number for each piece on each square, so that a move costs a few look-ups, and the few
//! terms of whole sides, which are counted when asked for. The terms are told in `features`, their numbers in `weights`.

mod exchange;
mod features;
mod gains;
mod weights;

pub use features::tenjiku_features;
pub use weights::{WEIGHTS, weight_names};

use super::bitboard::each;
use super::geometry::NEIGHBOURS;
use super::xboard;
use super::{Bitboard, Piece, Square, Tenjiku, TenjikuMove};
use crate::score::{Material, QUIET, Score, WINS, XboardSetup};
use crate::{Color, Position};
use features::{FULL, of_piece, of_side};
use std::sync::LazyLock;
use weights::{at, class};

/// How many of the first weights are values of pieces.
pub const MATERIALS: usize = at::FADE;

/// Unpromoted states in the order of the rules document's section 2, then the promoted ones in the same order.
/// Source: section 16 of the tenjiku rules (German Chu Shogi Association).
const VALUES: [i32; 72] = [
    // P  D  I  C  S  G FL  N  L RC  CS BT Kr Ph   Q  Ln SM VM SS VS   B   R  DH  DK
    1, 1, 2, 2, 2, 3, 3, 1, 6, 6, 18, 3, 3, 3, 22, 18, 7, 7, 7, 8, 10, 12, 12, 14, //
    // HF SE  BG  RG  VG  GG  FE  LH  WB  FD DE K
    19, 18, 21, 23, 39, 45, 22, 25, 17, 83, 3, 4, //
    // +P D  I  C  S   G  FL  N   L  RC  CS BT  Kr  Ph   Q  Ln  SM  VM  SS  VS   B   R  DH  DK
    3, 6, 8, 7, 7, 12, 10, 7, 14, 10, 12, 9, 18, 22, 22, 25, 16, 16, 17, 18, 12, 17, 19, 18, //
    // HF  SE  BG  RG  VG  GG  FE  LH  WB  FD DE K   (VG GG FE LH FD K do not promote)
    21, 23, 39, 45, 39, 45, 22, 25, 83, 83, 4, 4,
];

impl Material for Tenjiku {
    type Score = TenjikuScore;

    fn piece_values() -> &'static [i32] {
        &VALUES
    }

    fn hand_values() -> &'static [i32] {
        &[]
    }

    fn xboard() -> Option<XboardSetup> {
        Some(xboard::setup())
    }
}

/// Board codes: 0 is empty, then Black's piece states, then White's.
const CODES: usize = 1 + 2 * Tenjiku::PIECE_STATES;

/// The weights multiplied out, and neighbourhoods.
pub(super) struct Terms {
    /// Centipawns of material by piece code.
    pub material: [i32; CODES],
    /// The same, but more than all else for royals.
    prize: [i32; CODES],
    /// What is added as the board empties, by piece code.
    fade: [i32; CODES],
    /// Material and place, for the owner, by piece code and square.
    placed: Vec<[i16; 256]>,
    /// The squares up to two king steps away.
    pub two_beside: Vec<Bitboard>,
}

static TERMS: LazyLock<Terms> = LazyLock::new(Terms::new);
static CLASSIC: LazyLock<Terms> = LazyLock::new(Terms::classic);

impl Terms {
    /// The terms with the weights in force.
    pub fn get() -> &'static Terms {
        &TERMS
    }

    /// Nothing but material, by the table of the rules document.
    fn classic() -> Terms {
        Terms::of_material(|state| 100 * VALUES[state])
    }

    /// Nothing but material: centipawns by piece state.
    fn of_material(value: impl Fn(usize) -> i32) -> Terms {
        let mut terms = Terms {
            material: [0; CODES],
            prize: [0; CODES],
            fade: [0; CODES],
            placed: vec![[0; 256]; CODES],
            two_beside: (0..=255).map(|s| two_around(Square(s))).collect(),
        };
        for code in 1..CODES {
            let Some(piece) = Piece::from_code(code as u8) else {
                continue;
            };
            terms.material[code] = value(piece.state());
            terms.prize[code] = match piece.is_royal() {
                true => 1 << 24,
                false => terms.material[code],
            };
        }
        terms
    }

    fn new() -> Terms {
        let mut terms = Terms::of_material(|state| WEIGHTS[at::MATERIAL + state]);
        for code in 1..CODES {
            let Some(piece) = Piece::from_code(code as u8) else {
                continue;
            };
            terms.fade[code] = WEIGHTS[at::FADE + class(piece)];
            for square in (0..=255).map(Square) {
                let mut value = 0.0;
                of_piece(piece, square, &mut |index, count| {
                    value += f64::from(WEIGHTS[index]) * count;
                });
                terms.placed[code][square.index()] = value.round() as i16;
            }
        }
        terms
    }
}

/// The squares at most two king steps from `square`, itself left out.
fn two_around(square: Square) -> Bitboard {
    let (row, column) = (square.row() as i32, square.column() as i32);
    (-2..=2)
        .flat_map(|r| (-2..=2).map(move |c| (r, c)))
        .filter(|&offset| offset != (0, 0))
        .filter_map(|(r, c)| Square::new(row + r, column + c))
        .collect()
}

/// Centipawns of the piece on a square; 0 if it is empty.
#[inline]
pub(super) fn material(terms: &Terms, position: &Tenjiku, square: Square) -> i32 {
    terms.material[position.code_at(square) as usize]
}

/// The code of the piece that has made `mv`.
#[inline]
pub(super) fn code_after(position: &Tenjiku, mv: TenjikuMove) -> u8 {
    let promotion = if mv.promotes() {
        (Tenjiku::PIECE_STATES / 2) as u8
    } else {
        0
    };
    position.code_at(mv.from()) + promotion
}

/// Whether `mv` may burn anything, the mover included.
#[inline]
fn may_burn(position: &Tenjiku, mv: TenjikuMove) -> bool {
    let enemy_demons = position.demons(position.turn().opponent());
    !(enemy_demons & NEIGHBOURS[mv.to().index()]).is_empty() || position.ends_as_demon(mv)
}

/// [`Score::gain`] of a move that may burn something and captures `gain`. Apart, so that the many other moves do not pay.
#[inline(never)]
fn gain_by_fire(terms: &Terms, position: &Tenjiku, mv: TenjikuMove, mut gain: i32) -> i32 {
    let (burned, mover_burned) = position.fire(mv);
    if gain == 0 && burned.is_empty() && !mover_burned && !mv.promotes() {
        return QUIET;
    }
    if position.wins_at_once(mv) {
        return WINS;
    }
    each(burned, |square| {
        gain += material(terms, position, square);
    });
    if mover_burned {
        gain - material(terms, position, mv.from())
    } else if mv.promotes() {
        gain + terms.material[code_after(position, mv) as usize]
            - material(terms, position, mv.from())
    } else {
        gain
    }
}

/// What a move takes back.
#[derive(Clone, Copy)]
struct Before {
    balance: i32,
    fade: i32,
    pieces: i32,
}

/// Running evaluation of a tenjiku game.
#[derive(Clone)]
pub struct TenjikuScore {
    terms: &'static Terms,
    /// Centipawns for Black.
    balance: i32,
    /// Centipawns for Black that come to count as the board empties.
    fade: i32,
    /// Pieces on the board.
    pieces: i32,
    before: Vec<Before>,
}

impl TenjikuScore {
    /// The score of an empty board.
    fn with(terms: &'static Terms) -> TenjikuScore {
        TenjikuScore {
            terms,
            balance: 0,
            fade: 0,
            pieces: 0,
            before: Vec::new(),
        }
    }

    /// [`Score::exchange`]; `EXACT` as in [`exchange::exchange`].
    #[inline]
    fn exchange_of<const EXACT: bool>(
        &self,
        position: &Tenjiku,
        mv: TenjikuMove,
        gain: i32,
    ) -> i32 {
        match gain {
            WINS => WINS,
            QUIET => exchange::exchange::<EXACT>(self.terms, position, mv, 0),
            gain => exchange::exchange::<EXACT>(self.terms, position, mv, gain),
        }
    }

    /// Centipawns of a piece on a square, for its owner.
    #[inline]
    fn placed(&self, code: u8, square: Square) -> i32 {
        i32::from(self.terms.placed[code as usize][square.index()])
    }
}

impl Score<Tenjiku> for TenjikuScore {
    const PIECES: usize = CODES;

    fn new(position: &Tenjiku) -> Self {
        let mut score = TenjikuScore::with(Terms::get());
        for (color, sign) in [(Color::Black, 1), (Color::White, -1)] {
            for square in position.pieces(color).squares() {
                let code = position.code_at(square);
                score.balance += sign * score.placed(code, square);
                score.fade += sign * score.terms.fade[code as usize];
                score.pieces += 1;
            }
        }
        score
    }

    #[inline]
    fn score(&self, position: &Tenjiku) -> i32 {
        let turn = position.turn();
        let empty = (FULL - self.pieces).max(0);
        let black = self.balance + self.fade * empty / FULL;
        let mut score = WEIGHTS[at::TEMPO]
            + match turn {
                Color::Black => black,
                Color::White => -black,
            };
        of_side(self.terms, position, turn, &mut |index, count| {
            score += WEIGHTS[index] * count;
        });
        of_side(
            self.terms,
            position,
            turn.opponent(),
            &mut |index, count| {
                score -= WEIGHTS[index] * count;
            },
        );
        score
    }

    #[inline]
    fn gain(&self, position: &Tenjiku, mv: TenjikuMove) -> i32 {
        let (from, to) = (mv.from(), mv.to());
        let terms = self.terms;
        let mut gain = 0;
        if to != from {
            gain += material(terms, position, to);
        }
        if let Some(via) = mv.via() {
            gain += material(terms, position, via);
        }
        if !may_burn(position, mv) {
            if gain == 0 && !mv.promotes() {
                return QUIET;
            }
            // Without fire only the capture of a royal wins.
            let royals = position.royals(position.turn().opponent());
            let takes = royals.has(to) || mv.via().is_some_and(|via| royals.has(via));
            if takes && position.wins_at_once(mv) {
                return WINS;
            }
            return if mv.promotes() {
                gain + terms.material[code_after(position, mv) as usize]
                    - material(terms, position, from)
            } else {
                gain
            };
        }
        gain_by_fire(terms, position, mv, gain)
    }

    #[inline]
    fn exchange(&self, position: &Tenjiku, mv: TenjikuMove, gain: i32) -> i32 {
        self.exchange_of::<false>(position, mv, gain)
    }

    /// The mover may be taken; if a demon takes back, what is beside it burns. All that follows is the choice of this side.
    #[inline]
    fn least_exchange(&self, position: &Tenjiku, mv: TenjikuMove, gain: i32) -> i32 {
        let terms = self.terms;
        let at_once = match gain {
            WINS => return WINS,
            QUIET => 0,
            gain => gain,
        };
        let mut risk = terms.material[code_after(position, mv) as usize];
        if at_once < risk {
            return i32::MIN;
        }
        let turn = position.turn();
        if !position.demons(turn.opponent()).is_empty() {
            let beside =
                position.pieces(turn) & NEIGHBOURS[mv.to().index()] & !Bitboard::of(mv.from());
            each(beside, |square| risk += material(terms, position, square));
        }
        at_once - risk
    }

    #[inline]
    fn mover(&self, position: &Tenjiku, mv: TenjikuMove) -> i32 {
        material(self.terms, position, mv.from())
    }

    #[inline]
    fn piece(&self, position: &Tenjiku, mv: TenjikuMove) -> usize {
        position.code_at(mv.from()) as usize
    }

    #[inline]
    fn noisy_moves(&self, position: &Tenjiku, moves: &mut Vec<TenjikuMove>) {
        position.tactical_moves(moves);
    }

    #[inline]
    fn gaining_moves(&self, position: &Tenjiku, above: i32, moves: &mut Vec<TenjikuMove>) {
        position.gaining_moves(&self.terms.prize, above.max(0), moves);
    }

    fn quiet_moves(&self, position: &Tenjiku, moves: &mut Vec<TenjikuMove>) {
        position.legal_moves(moves);
        let enemies = position.pieces(position.turn().opponent());
        let demons = position.demons(position.turn());
        moves.retain(|&mv| {
            let captures = mv.via().is_some() || mv.to() != mv.from() && enemies.has(mv.to());
            let burns =
                demons.has(mv.from()) && !(enemies & NEIGHBOURS[mv.to().index()]).is_empty();
            !captures && !burns && !mv.promotes()
        });
    }

    #[inline]
    fn winning_move(position: &Tenjiku) -> Option<TenjikuMove> {
        position.winning_move()
    }

    #[inline]
    fn winning_move_since(position: &Tenjiku) -> Option<TenjikuMove> {
        position.winning_move_since()
    }

    #[inline]
    fn in_check_since(position: &Tenjiku) -> bool {
        position.in_check_since()
    }

    /// The royal steps away and back. Where it is not in check no demon is beside it, so it does not burn.
    #[inline]
    fn pass(position: &Tenjiku) -> Option<TenjikuMove> {
        let royal = position.royals(position.turn()).squares().next()?;
        Some(TenjikuMove::new(royal, royal))
    }

    #[inline]
    fn play(&mut self, position: &Tenjiku, mv: TenjikuMove) {
        let (from, to) = (mv.from(), mv.to());
        let terms = self.terms;
        let code = position.code_at(from);
        let after = code_after(position, mv);
        let mut change = self.placed(after, to) - self.placed(code, from);
        // A promotion may change the class.
        let mut fade = terms.fade[after as usize] - terms.fade[code as usize];
        let mut lost = 0;
        let mut take = |square: Square| {
            let code = position.code_at(square);
            lost += i32::from(code != 0);
            (self.placed(code, square), terms.fade[code as usize])
        };
        if to != from {
            let (placed, faded) = take(to);
            change += placed;
            fade += faded;
        }
        if let Some(via) = mv.via() {
            let (placed, faded) = take(via);
            change += placed;
            fade += faded;
        }
        let turn = position.turn();
        let mut burned = 0;
        if may_burn(position, mv) {
            let (gone, mover_burned) = position.fire(mv);
            each(gone, |square| {
                let (placed, faded) = take(square);
                change += placed;
                fade += faded;
            });
            if mover_burned {
                change -= self.placed(after, to);
                fade -= terms.fade[after as usize];
                burned = 1;
            }
        }
        self.before.push(Before {
            balance: self.balance,
            fade: self.fade,
            pieces: self.pieces,
        });
        self.pieces -= lost + burned;
        let sign = if turn == Color::Black { 1 } else { -1 };
        self.balance += sign * change;
        self.fade += sign * fade;
    }

    #[inline]
    fn undo(&mut self) {
        let before = self.before.pop().expect("undo follows a move");
        (self.balance, self.fade, self.pieces) = (before.balance, before.fade, before.pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenjiku::attack::tests::{RULES, playouts};

    #[test]
    fn gaining_moves_are_the_noisy_ones_but_for_some_that_gain_too_little() {
        let (mut listed, mut kept) = (0, 0);
        for rules in RULES {
            playouts(rules, 2, |position, chance| {
                let score = TenjikuScore::new(position);
                let above = [-100, 0, 100, 300, 1000, 3000][chance as usize % 6];
                let (mut noisy, mut gaining) = (Vec::new(), Vec::new());
                score.noisy_moves(position, &mut noisy);
                score.gaining_moves(position, above, &mut gaining);
                listed += noisy.len();
                kept += gaining.len();
                let gains = |mv: TenjikuMove| score.gain(position, mv) > above.max(0);
                let mut wanted = gaining.iter().copied().peekable();
                for mv in noisy {
                    if wanted.next_if_eq(&mv).is_none() {
                        assert!(!gains(mv), "{mv} above {above} in {position:?}");
                    }
                }
                assert_eq!(wanted.next(), None, "in the order of noisy moves");
            });
        }
        assert!(kept > 1000 && kept < listed * 9 / 10, "{kept} of {listed}");
    }
}
