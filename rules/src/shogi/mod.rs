//! Standard shogi: 9x9, drops, mate decides.
//!
//! [`Shogi`] is the game in progress. Its position lives in bitboards of 81 bits beside a list of squares,
//! with an incremental key; moves are made and taken back on one value. The vocabulary (squares, kinds,
//! bitboards) stays inside this module: outside, everything goes through [`Position`].
//!
//! # Numbers in files
//! - Kinds: pawn 0, lance 1, knight 2, silver 3, gold 4, bishop 5, rook 6, king 7; the first seven are the
//!   hand kinds. State: `kind + 8 * promoted` (12 and 15, promoted gold and king, never occur).
//! - Board codes: 0 empty, else `1 + state + 16 * white`.
//! - Move codes: `to + 128 * from + 16384 * promotes`, with `from = 81 + kind` for a drop.

mod attacks;
mod bitboard;
mod board;
mod declaration;
mod explain;
mod history;
mod movegen;
mod moves;
mod piece;
mod rule_set;
mod score;
mod sfen;
mod square;
mod texts;
mod zobrist;

use bitboard::Bitboard;
use board::Board;
use history::{History, Threats};
use movegen::{Count, Find, List};
use piece::{HAND_KINDS, Kind, Piece};
use square::{SIDE, SQUARES, Square};

pub use moves::ShogiMove;
pub use rule_set::RuleSet;
pub use score::ShogiScore;
pub use texts::{read_csa, read_kif};

use crate::{Color, EndReason, MoveError, Outcome, Position, SfenError, Snapshot};

/// A game of standard shogi.
#[derive(Clone, Debug)]
pub struct Shogi {
    rules: RuleSet,
    board: Board,
    turn: Color,
    /// The move number at set-up.
    first_number: u32,
    threats: Threats,
    history: History,
}

impl Shogi {
    /// A game that starts here. The caller has checked the position.
    fn with(rules: RuleSet, board: Board, turn: Color, move_number: u32) -> Shogi {
        let key = key(&board, turn);
        let mut threats = sliding_threats(&board, turn);
        threats.checkers |= board.steppers_to(turn.opponent(), board.king(turn));
        Shogi {
            rules,
            board,
            turn,
            first_number: move_number,
            threats,
            history: History::new(key),
        }
    }

    /// The side that moved puts its piece on `to`: check and pins that the other side now faces.
    #[inline]
    fn threats_after(&self, mover: Color, to: Square) -> Threats {
        let mut threats = sliding_threats(&self.board, mover.opponent());
        let king = self.board.king(mover.opponent());
        // A step or a jump gives check only from where the move ended.
        let near = attacks::king(king) | attacks::knight(mover.opponent(), king);
        if near.has(to) {
            threats.checkers |= self.board.steppers_to(mover, king);
        }
        threats
    }
}

#[inline]
fn key(board: &Board, turn: Color) -> u64 {
    match turn {
        Color::Black => board.key(),
        Color::White => board.key() ^ zobrist::white_to_move(),
    }
}

/// What the sliders of the other side do to the king of `turn`.
#[inline]
fn sliding_threats(board: &Board, turn: Color) -> Threats {
    let king = board.king(turn);
    let occupied = board.occupied();
    let mut threats = Threats::default();
    board.aligned_sliders(turn.opponent(), king).each(|slider| {
        let between = attacks::between(king, slider) & occupied;
        if between.is_empty() {
            threats.checkers |= Bitboard::of(slider);
        } else if !between.is_several() {
            threats.pinned |= between;
        }
    });
    threats
}

impl Position for Shogi {
    type Move = ShogiMove;
    type Rules = RuleSet;

    const GAME: &'static str = "shogi";
    const FILES: usize = SIDE;
    const RANKS: usize = SIDE;
    const PIECE_STATES: usize = piece::STATES;
    const HAND_KINDS: usize = HAND_KINDS;

    fn start(rules: &RuleSet) -> Shogi {
        sfen::read(rules, sfen::START).expect("the start position is valid")
    }

    fn from_sfen(rules: &RuleSet, sfen: &str) -> Result<Shogi, SfenError> {
        sfen::read(rules, sfen)
    }

    fn sfen(&self) -> String {
        sfen::write(self)
    }

    fn rules(&self) -> &RuleSet {
        &self.rules
    }

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    fn move_number(&self) -> u32 {
        self.first_number + self.history.len() as u32
    }

    fn plies(&self) -> usize {
        self.history.len()
    }

    #[inline]
    fn key(&self) -> u64 {
        self.history.key()
    }

    fn legal_moves(&self, moves: &mut Vec<ShogiMove>) {
        moves.clear();
        if self.early_outcome().is_none() {
            self.generate(&mut List(moves));
        }
    }

    fn legal_count(&self) -> usize {
        let mut count = Count::default();
        if self.early_outcome().is_none() {
            self.generate(&mut count);
        }
        count.0
    }

    fn is_legal(&self, mv: ShogiMove) -> bool {
        let mut find = Find::new(mv);
        self.generate(&mut find);
        find.found && self.early_outcome().is_none()
    }

    fn play(&mut self, mv: ShogiMove) {
        let us = self.turn;
        let to = mv.to();
        let captured = match mv.from() {
            Some(from) => {
                let piece = self.board.on(from).expect("a legal move starts on a piece");
                let captured = self.board.on(to);
                if let Some(captured) = captured {
                    let kind = captured.kind();
                    self.board.take(captured, to);
                    self.board
                        .set_hand(us, kind, self.board.in_hand(us, kind) + 1);
                }
                self.board.take(piece, from);
                self.board.put(
                    if mv.promotes() {
                        piece.promote()
                    } else {
                        piece
                    },
                    to,
                );
                captured
            }
            None => {
                let kind = mv.dropped().expect("not a step");
                self.board
                    .set_hand(us, kind, self.board.in_hand(us, kind) - 1);
                self.board.put(Piece::new(kind, false, us), to);
                None
            }
        };
        let before = self.threats;
        self.threats = self.threats_after(us, to);
        self.turn = us.opponent();
        let key = key(&self.board, self.turn);
        self.history
            .push(us, mv, captured, before, self.in_check(), key);
    }

    fn undo(&mut self) {
        let ply = self.history.pop().expect("a move was played since set-up");
        self.turn = self.turn.opponent();
        self.threats = ply.threats;
        let us = self.turn;
        let to = ply.mv.to();
        let piece = self.board.on(to).expect("the moved piece is still there");
        self.board.take(piece, to);
        match ply.mv.from() {
            Some(from) => {
                self.board.put(
                    if ply.mv.promotes() {
                        piece.unpromote()
                    } else {
                        piece
                    },
                    from,
                );
                if let Some(captured) = ply.captured {
                    let kind = captured.kind();
                    self.board
                        .set_hand(us, kind, self.board.in_hand(us, kind) - 1);
                    self.board.put(captured, to);
                }
            }
            None => {
                let kind = piece.kind();
                self.board
                    .set_hand(us, kind, self.board.in_hand(us, kind) + 1);
            }
        }
    }

    #[inline]
    fn early_outcome(&self) -> Option<Outcome> {
        self.history.sennichite()
    }

    fn declaration(&self) -> Option<Outcome> {
        self.can_declare().then_some(Outcome {
            winner: Some(self.turn),
            reason: EndReason::Declaration,
        })
    }

    fn wins_at_once(&self, _mv: ShogiMove) -> bool {
        false
    }

    #[inline]
    fn in_check(&self) -> bool {
        !self.threats.checkers.is_empty()
    }

    fn snapshot(&self) -> Snapshot {
        let code = |i| self.board.on(Square::new(i)).map_or(0, Piece::code);
        let mut hands = self.board.hand(Color::Black).to_vec();
        hands.extend_from_slice(self.board.hand(Color::White));
        Snapshot {
            board: (0..SQUARES).map(code).collect(),
            hands,
            turn: self.turn,
            move_number: self.move_number(),
            repetitions: self.repetitions(),
        }
    }

    fn repetitions(&self) -> u8 {
        self.history.repetition().before.min(u32::from(u8::MAX)) as u8
    }

    fn from_snapshot(rules: &RuleSet, snapshot: &Snapshot) -> Result<Shogi, SfenError> {
        sfen::from_snapshot(rules, snapshot)
    }

    fn parse_move(&self, text: &str) -> Result<ShogiMove, MoveError> {
        let mv = ShogiMove::parse(text).map_err(|why| MoveError::Syntax(text.to_string(), why))?;
        if self.is_legal(mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal(text.to_string(), self.why_illegal(mv)))
        }
    }

    fn mirror(&self) -> Shogi {
        let mut board = Board::empty();
        for square in (0..SQUARES).map(Square::new) {
            if let Some(piece) = self.board.on(square) {
                board.put(piece, square.mirrored());
            }
        }
        for color in [Color::Black, Color::White] {
            for kind in Kind::SFEN_HAND {
                board.set_hand(color, kind, self.board.in_hand(color, kind));
            }
        }
        Shogi::with(self.rules.clone(), board, self.turn, self.move_number())
    }

    fn mirror_move(mv: ShogiMove) -> ShogiMove {
        mv.mirrored()
    }

    #[inline]
    fn move_from(mv: ShogiMove) -> usize {
        mv.origin()
    }

    #[inline]
    fn move_to(mv: ShogiMove) -> usize {
        mv.to().index()
    }

    #[inline]
    fn move_via(_mv: ShogiMove) -> Option<usize> {
        None
    }

    #[inline]
    fn move_promotes(mv: ShogiMove) -> bool {
        mv.promotes()
    }
}
