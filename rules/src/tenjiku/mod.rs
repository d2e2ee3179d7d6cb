//! Tenjiku shogi: 16x16, 78 pieces a side, fire demons and range-jumping generals.
//!
//! [`Tenjiku`] is a game in progress and implements [`Position`]; [`RuleSet`] holds the options.
//! How a move is found: `movement` says once per rule set how each piece goes, `generate` turns that into moves
//! with the occupancy of each line, `repetition` takes out what would recreate a position; `play` makes and
//! takes back moves. Nothing here allocates while moves are generated, made and taken back, but for the growth
//! of the history and of the caller's list.
//!
//! Sizes: a position is about 1.2 kB and 16 bytes per ply played; a move is 4 bytes.

mod attack;
mod bitboard;
mod board;
mod check;
mod control;
mod generate;
mod geometry;
pub mod handicap;
mod kind;
mod movement;
mod moves;
pub mod notation;
mod options;
mod piece;
mod play;
mod repetition;
pub(crate) mod score;
mod sfen;
mod square;
mod xboard;

use std::fmt;
use std::sync::Arc;

pub use bitboard::Bitboard;
pub use control::Control;
pub use kind::Kind;
pub use moves::TenjikuMove;
pub use options::{
    FireDemonClash, FireDemonRanging, FreeEagle, GeneralJumpCapture, LionHawk, OptionInfo,
    PromotionRule, Repetition, RuleSet, Tetrarch,
};
pub use piece::Piece;
pub use play::Effects;
pub use sfen::START_SFEN;
pub use square::Square;

use crate::position::MAX_MOVE_NUMBER;
use crate::{Color, EndReason, MoveError, Outcome, Position, Rules, SfenError, Snapshot};
use board::Board;
use generate::{
    Count, Find, Gaining, Tactical, all_moves, gaining_moves, piece_moves, tactical_moves,
};
use movement::Tables;
use play::Played;
use repetition::CountLegal;

/// A game of tenjiku shogi in progress.
///
/// ```
/// use rules::Position;
/// use rules::tenjiku::{RuleSet, Tenjiku};
///
/// let mut game = Tenjiku::start(&RuleSet::HISTORICAL);
/// let mv = game.parse_move("9l9k").unwrap();
/// game.play(mv);
/// assert_eq!(game.move_number(), 2);
/// game.undo();
/// assert_eq!(game.sfen(), Tenjiku::start(&RuleSet::HISTORICAL).sfen());
/// ```
#[derive(Clone)]
pub struct Tenjiku {
    tables: Arc<Tables>,
    board: Board,
    turn: Color,
    /// The move number at set-up.
    first_number: u32,
    /// Number of plies since the last that cannot be reversed: capture, burn, promotion.
    reversible: u32,
    history: Vec<Played>,
    /// The burned pieces of all plies of `history`, latest last.
    burned: Vec<(Square, u8)>,
}

impl Tenjiku {
    fn set_up(rules: &RuleSet, board: Board, turn: Color, number: u32) -> Tenjiku {
        Tenjiku {
            tables: Tables::of(rules),
            board,
            turn,
            first_number: number,
            reversible: 0,
            history: Vec::new(),
            burned: Vec::new(),
        }
    }

    /// The position of a snapshot, without history, for those who have checked it before or do not care: codes that no
    /// piece has are empty squares.
    ///
    /// # Panics
    /// If the board has not 256 squares.
    pub fn of_known_pieces(rules: &RuleSet, snapshot: &Snapshot) -> Tenjiku {
        assert_eq!(snapshot.board.len(), 256, "squares of a board");
        let mut board = Board::EMPTY;
        for (square, &code) in snapshot.board.iter().enumerate() {
            if Piece::from_code(code).is_some() {
                board.put(Square(square as u8), code);
            }
        }
        Tenjiku::set_up(rules, board, snapshot.turn, snapshot.move_number)
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_code(self.board.at(square))
    }

    /// The board code on a square, 0 = empty; see [`Piece::code`].
    #[inline]
    pub fn code_at(&self, square: Square) -> u8 {
        self.board.at(square)
    }

    /// The squares of a side's pieces.
    #[inline]
    pub fn pieces(&self, color: Color) -> Bitboard {
        self.board.colors[color.index()]
    }

    /// The squares of a side's kings and princes.
    #[inline]
    pub fn royals(&self, color: Color) -> Bitboard {
        self.board.royals[color.index()]
    }

    /// The squares of a side's fire demons, promoted buffaloes included.
    #[inline]
    pub fn demons(&self, color: Color) -> Bitboard {
        self.board.demons[color.index()]
    }

    /// The moves played since set-up, the last one last.
    pub fn moves_played(&self) -> impl DoubleEndedIterator<Item = TenjikuMove> + '_ {
        self.history.iter().map(|played| played.mv)
    }

    /// Clears `moves` and fills it with the legal moves that capture, promote, or are a demon's and end next to
    /// an enemy: all that can burn something are among them. In the order of [`Position::legal_moves`].
    ///
    /// For quiescence search; the repetition rule has no say, since such a move changes the pieces for good.
    pub fn tactical_moves(&self, moves: &mut Vec<TenjikuMove>) {
        moves.clear();
        if self.early_outcome().is_none() {
            let mut sink = Tactical::new(&self.board, self.turn, moves);
            tactical_moves(&self.tables, &mut sink);
        }
    }

    /// [`tactical_moves`](Self::tactical_moves) but for those that plainly gain at most `above`, which is at least 0: what
    /// they capture, and promotion, is worth no more by `worth`, which tells it by piece code, and nothing can burn.
    pub(crate) fn gaining_moves(
        &self,
        worth: &[i32; piece::CODES],
        above: i32,
        moves: &mut Vec<TenjikuMove>,
    ) {
        moves.clear();
        if self.early_outcome().is_none() {
            let tactical = Tactical::new(&self.board, self.turn, moves);
            let mut sink = Gaining {
                tactical,
                worth,
                above,
            };
            gaining_moves(&self.tables, &mut sink);
        }
    }

    /// Whether the pieces allow `mv`, the repetition rule aside.
    fn is_pseudo_legal(&self, mv: TenjikuMove) -> bool {
        if !self.pieces(self.turn).has(mv.from()) || self.early_outcome().is_some() {
            return false;
        }
        let mut find = Find {
            wanted: mv,
            found: false,
        };
        piece_moves(&self.board, &self.tables, self.turn, mv.from(), &mut find);
        find.found
    }

    /// Why `mv`, which is not legal, is not.
    fn why_illegal(&self, mv: TenjikuMove) -> String {
        let from = mv.from();
        if let Some(outcome) = self.early_outcome() {
            return format!("the game is over ({})", outcome.reason.name());
        }
        match self.piece_at(from) {
            None => format!("there is no piece on {from}"),
            Some(piece) if piece.color != self.turn => {
                format!("the piece on {from} is not the side to move's")
            }
            Some(_) if self.is_pseudo_legal(mv) => {
                "it would recreate an earlier position of the game".to_string()
            }
            Some(piece) if mv.promotes() && self.is_pseudo_legal(mv.declining()) => {
                format!("the {} may not promote on this move", piece.abbr())
            }
            Some(piece) if !mv.promotes() && self.is_pseudo_legal(mv.promoting()) => {
                format!("the {} must promote on this move", piece.abbr())
            }
            Some(piece) => format!("the {} on {from} has no such move", piece.abbr()),
        }
    }
}

impl Position for Tenjiku {
    type Move = TenjikuMove;
    type Rules = RuleSet;

    const GAME: &'static str = "tenjiku";
    const FILES: usize = 16;
    const RANKS: usize = 16;
    const PIECE_STATES: usize = piece::STATES;
    const HAND_KINDS: usize = 0;

    fn start(rules: &RuleSet) -> Tenjiku {
        Tenjiku::from_sfen(rules, START_SFEN).expect("the initial position is well-formed")
    }

    fn from_sfen(rules: &RuleSet, sfen: &str) -> Result<Tenjiku, SfenError> {
        let (board, turn, number) = sfen::parse(sfen)?;
        Ok(Tenjiku::set_up(rules, board, turn, number))
    }

    fn sfen(&self) -> String {
        sfen::write(&self.board, self.turn, self.move_number())
    }

    fn rules(&self) -> &RuleSet {
        &self.tables.rules
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
        self.board.key_with(self.turn)
    }

    fn legal_moves(&self, moves: &mut Vec<TenjikuMove>) {
        moves.clear();
        if self.early_outcome().is_some() {
            return;
        }
        all_moves(&self.board, &self.tables, self.turn, moves);
        if self.repetition_binds() {
            self.each_recreating(|recreating| {
                moves.retain(|&mv| !recreating.is(mv) || !self.effects(mv).is_quiet());
            });
        }
    }

    fn legal_count(&self) -> usize {
        if self.early_outcome().is_some() {
            return 0;
        }
        let bound = if self.repetition_binds() {
            self.recreators()
        } else {
            Bitboard::EMPTY
        };
        if bound.is_empty() {
            let mut count = Count(0);
            all_moves(&self.board, &self.tables, self.turn, &mut count);
            return count.0;
        }
        let mut count = CountLegal {
            game: self,
            bound,
            count: 0,
        };
        all_moves(&self.board, &self.tables, self.turn, &mut count);
        count.count
    }

    fn is_legal(&self, mv: TenjikuMove) -> bool {
        self.is_pseudo_legal(mv) && !(self.repetition_binds() && self.recreates(mv))
    }

    fn play(&mut self, mv: TenjikuMove) {
        self.make(mv);
    }

    fn undo(&mut self) {
        self.unmake();
    }

    /// A side without a royal has lost; where both are without, the side that moved last has won (section 9).
    #[inline]
    fn early_outcome(&self) -> Option<Outcome> {
        let mover = self.turn.opponent();
        let winner = if self.royals(self.turn).is_empty() {
            mover
        } else if self.royals(mover).is_empty() {
            self.turn
        } else {
            return None;
        };
        Some(Outcome {
            winner: Some(winner),
            reason: EndReason::RoyalCaptured,
        })
    }

    #[inline]
    fn wins_at_once(&self, mv: TenjikuMove) -> bool {
        check::takes_last_royal(&self.board, &self.tables, self.turn, mv)
    }

    /// `false` in a finished game.
    fn in_check(&self) -> bool {
        self.check()
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            board: self.board.cells.to_vec(),
            hands: Vec::new(),
            turn: self.turn,
            move_number: self.move_number(),
            repetitions: 0,
        }
    }

    fn repetitions(&self) -> u8 {
        0 // forbidden
    }

    fn from_snapshot(rules: &RuleSet, snapshot: &Snapshot) -> Result<Tenjiku, SfenError> {
        if snapshot.board.len() != 256 || !snapshot.hands.is_empty() {
            return Err(SfenError(format!(
                "snapshot: expected 256 board codes and no hands, found {} and {}",
                snapshot.board.len(),
                snapshot.hands.len()
            )));
        }
        if !(1..=MAX_MOVE_NUMBER).contains(&snapshot.move_number) {
            return Err(SfenError(format!(
                "snapshot: the move number must be from 1 to {MAX_MOVE_NUMBER}, found {}",
                snapshot.move_number
            )));
        }
        for (square, &code) in snapshot.board.iter().enumerate() {
            if code != 0 && Piece::from_code(code).is_none() {
                return Err(SfenError(format!(
                    "snapshot: square {}: no piece has code {code}",
                    Square(square as u8)
                )));
            }
        }
        Ok(Tenjiku::of_known_pieces(rules, snapshot))
    }

    fn parse_move(&self, text: &str) -> Result<TenjikuMove, MoveError> {
        let mv = TenjikuMove::parse(text)
            .map_err(|what| MoveError::Syntax(text.to_string(), what.to_string()))?;
        if self.is_legal(mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal(text.to_string(), self.why_illegal(mv)))
        }
    }

    fn mirror(&self) -> Tenjiku {
        let mut board = Board::EMPTY;
        for square in (self.pieces(Color::Black) | self.pieces(Color::White)).squares() {
            board.put(square.mirror(), self.board.at(square));
        }
        Tenjiku {
            tables: Arc::clone(&self.tables),
            board,
            turn: self.turn,
            first_number: self.move_number(),
            reversible: 0,
            history: Vec::new(),
            burned: Vec::new(),
        }
    }

    fn mirror_move(mv: TenjikuMove) -> TenjikuMove {
        mv.mirror()
    }

    fn move_from(mv: TenjikuMove) -> usize {
        mv.from().index()
    }

    fn move_to(mv: TenjikuMove) -> usize {
        mv.to().index()
    }

    fn move_via(mv: TenjikuMove) -> Option<usize> {
        mv.via().map(Square::index)
    }

    fn move_promotes(mv: TenjikuMove) -> bool {
        mv.promotes()
    }
}

impl fmt::Debug for Tenjiku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tenjiku({}, {}, moves", self.rules().name(), self.sfen())?;
        for mv in self.moves_played() {
            write!(f, " {mv}")?;
        }
        write!(f, ")")
    }
}
