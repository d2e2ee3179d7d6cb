//! Pieces on squares and in hand, kept as a list of squares and as bitboards at once, with the key.
//!
//! Knows nothing of turns, legality and history.

use super::attacks;
use super::bitboard::Bitboard;
use super::piece::{HAND_KINDS, Kind, Piece, STATES};
use super::square::{SQUARES, Square};
use super::zobrist;
use crate::Color;

/// Both sides' pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    squares: [Option<Piece>; SQUARES],
    hands: [[u8; HAND_KINDS]; 2],
    by_state: [Bitboard; STATES],
    by_color: [Bitboard; 2],
    /// Everything that moves as a gold.
    golds: Bitboard,
    /// The square of each king; some square while there is none yet.
    kings: [Square; 2],
    key: u64,
}

/// All bits for the states that move as a gold, else none.
const MOVES_AS_GOLD: [Bitboard; STATES] = {
    let mut table = [Bitboard::EMPTY; STATES];
    table[Kind::Gold as usize] = Bitboard::ALL;
    table[Kind::Pawn as usize + 8] = Bitboard::ALL;
    table[Kind::Lance as usize + 8] = Bitboard::ALL;
    table[Kind::Knight as usize + 8] = Bitboard::ALL;
    table[Kind::Silver as usize + 8] = Bitboard::ALL;
    table
};

impl Board {
    /// An empty board with empty hands and, as for Black to move, key 0.
    pub fn empty() -> Board {
        Board {
            squares: [None; SQUARES],
            hands: [[0; HAND_KINDS]; 2],
            by_state: [Bitboard::EMPTY; STATES],
            by_color: [Bitboard::EMPTY; 2],
            golds: Bitboard::EMPTY,
            kings: [Square::new(0); 2],
            key: 0,
        }
    }

    /// The piece on `square`.
    #[inline]
    pub fn on(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.squares[square.index()] = Some(piece);
        if piece.kind() == Kind::King {
            self.kings[piece.color().index()] = square;
        }
        self.flip(piece, square);
    }

    /// Takes `piece` off the square where it stands.
    #[inline]
    pub fn take(&mut self, piece: Piece, square: Square) {
        self.squares[square.index()] = None;
        self.flip(piece, square);
    }

    #[inline]
    fn flip(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.by_state[piece.state()] ^= bit;
        self.by_color[piece.color().index()] ^= bit;
        self.golds ^= bit & MOVES_AS_GOLD[piece.state()];
        self.key ^= zobrist::piece(piece, square);
    }

    /// How many of a kind (not the king) are in hand.
    #[inline]
    pub fn in_hand(&self, color: Color, kind: Kind) -> u8 {
        self.hands[color.index()][kind as usize]
    }

    /// The counts in hand, by kind.
    #[inline]
    pub fn hand(&self, color: Color) -> &[u8; HAND_KINDS] {
        &self.hands[color.index()]
    }

    /// Sets how many of a kind are in hand.
    ///
    /// # Panics
    /// For the king, and for more than 18.
    #[inline]
    pub fn set_hand(&mut self, color: Color, kind: Kind, count: u8) {
        let slot = &mut self.hands[color.index()][kind as usize];
        self.key ^= zobrist::hand(color, kind, *slot) ^ zobrist::hand(color, kind, count);
        *slot = count;
    }

    /// The hash of pieces and hands.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// All pieces of a side.
    #[inline]
    pub fn of(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// Both sides' pieces of this kind, unpromoted.
    #[inline]
    pub fn plain(&self, kind: Kind) -> Bitboard {
        self.by_state[kind as usize]
    }

    /// Both sides' pieces of this kind, promoted.
    #[inline]
    pub fn promoted(&self, kind: Kind) -> Bitboard {
        self.by_state[kind as usize + 8]
    }

    /// Both sides' golds and pieces that move like them.
    #[inline]
    pub fn golds(&self) -> Bitboard {
        self.golds
    }

    /// Where the king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.kings[color.index()]
    }

    /// The sliders of `color` that would reach `square` on an empty board.
    #[inline]
    pub fn aligned_sliders(&self, color: Color, square: Square) -> Bitboard {
        let rooks = self.plain(Kind::Rook) | self.promoted(Kind::Rook);
        let bishops = self.plain(Kind::Bishop) | self.promoted(Kind::Bishop);
        self.of(color)
            & (attacks::rook_lines(square) & rooks
                | attacks::bishop_lines(square) & bishops
                | attacks::lance_line(color.opponent(), square) & self.plain(Kind::Lance))
    }

    /// The pieces of `color` that reach `square` with a step or a jump.
    #[inline]
    pub fn steppers_to(&self, color: Color, square: Square) -> Bitboard {
        // A piece reaches a square if from that square the same piece of the other side would reach it.
        let back = color.opponent();
        let any_step =
            self.plain(Kind::King) | self.promoted(Kind::Bishop) | self.promoted(Kind::Rook);
        self.of(color)
            & (attacks::pawn(back, square) & self.plain(Kind::Pawn)
                | attacks::knight(back, square) & self.plain(Kind::Knight)
                | attacks::silver(back, square) & self.plain(Kind::Silver)
                | attacks::gold(back, square) & self.golds()
                | attacks::king(square) & any_step)
    }

    /// The pieces of `color` that reach `square` when `occupied` are the occupied squares.
    #[inline]
    pub fn attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let mut attackers = self.steppers_to(color, square);
        self.aligned_sliders(color, square).each(|slider| {
            if (attacks::between(square, slider) & occupied).is_empty() {
                attackers |= Bitboard::of(slider);
            }
        });
        attackers
    }

    /// Whether `color` attacks `square` when `occupied` are the occupied squares.
    #[inline]
    pub fn is_attacked(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        if !self.steppers_to(color, square).is_empty() {
            return true;
        }
        let mut attacked = false;
        self.aligned_sliders(color, square).each(|slider| {
            attacked |= (attacks::between(square, slider) & occupied).is_empty();
        });
        attacked
    }
}
