//! The vocabulary both games share, and the trait that everything else is generic over.

use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A player. Black (sente) sits at the bottom of the board; *forward* for Black is up.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// Sente, upper case in SFEN.
    Black,
    /// Gote, lower case in SFEN.
    White,
}

impl Color {
    /// The other player.
    #[inline]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `b` or `w`, as in SFEN.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'b',
            Color::White => 'w',
        }
    }
}

/// Why a game ended. Stored in records: the names are a file format, extend at the end only.
///
/// The rules produce the first five; the others come from whoever conducts the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The last royal of a side was captured or burned (tenjiku).
    RoyalCaptured,
    /// The side to move has no legal move and loses (in shogi: mate or stalemate).
    NoMoves,
    /// Fourfold repetition, a draw (shogi).
    Repetition,
    /// Fourfold repetition with perpetual check, the checking side loses (shogi).
    PerpetualCheck,
    /// The 27-point declaration (shogi).
    Declaration,
    /// A player gave up.
    Resignation,
    /// The ply limit of the run or match.
    PlyCap,
    /// Stopped and scored by the conductor, e.g. by agreement of both players' values.
    Adjudication,
    /// A player sent an illegal move.
    IllegalMove,
    /// A player used up its time.
    Time,
    /// A player crashed or stopped answering.
    EngineFailure,
}

impl EndReason {
    /// Every reason, in the order of the file format.
    pub const ALL: [EndReason; 11] = [
        EndReason::RoyalCaptured,
        EndReason::NoMoves,
        EndReason::Repetition,
        EndReason::PerpetualCheck,
        EndReason::Declaration,
        EndReason::Resignation,
        EndReason::PlyCap,
        EndReason::Adjudication,
        EndReason::IllegalMove,
        EndReason::Time,
        EndReason::EngineFailure,
    ];

    /// The name in records and JSON, e.g. `royal_captured`.
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::RoyalCaptured => "royal_captured",
            EndReason::NoMoves => "no_moves",
            EndReason::Repetition => "repetition",
            EndReason::PerpetualCheck => "perpetual_check",
            EndReason::Declaration => "declaration",
            EndReason::Resignation => "resignation",
            EndReason::PlyCap => "ply_cap",
            EndReason::Adjudication => "adjudication",
            EndReason::IllegalMove => "illegal_move",
            EndReason::Time => "time",
            EndReason::EngineFailure => "engine_failure",
        }
    }

    /// The reason with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<EndReason> {
        Self::ALL.into_iter().find(|r| r.name() == name)
    }
}

/// How a game ended. `winner == None` is a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// Who won, or `None` for a draw.
    pub winner: Option<Color>,
    /// Why it ended.
    pub reason: EndReason,
}

/// A move of some game: a small value, unique among the legal moves of a position.
///
/// `Display` writes the move string (`7g7f`, `8h8g9f+`, `P*5e`).
pub trait GameMove: Copy + Eq + Ord + Hash + Debug + Display + Send + Sync + 'static {
    /// A stable packed code, part of the record format.
    fn code(self) -> u32;
    /// The move with this code; `None` where no move has it.
    fn from_code(code: u32) -> Option<Self>;
}

/// A set of rule options with named presets.
pub trait Rules: Clone + PartialEq + Debug + Default + Send + Sync + 'static {
    /// Parses `preset[,option=value]...`, e.g. `historical` or `western,fire_demon_ranging=rank`.
    ///
    /// # Errors
    /// [`RulesError`] naming the unknown preset, option or value and what is allowed.
    fn parse(text: &str) -> Result<Self, RulesError>;
    /// The canonical text that [`parse`](Self::parse) reads back: the preset from which the fewest
    /// options differ, followed by those options.
    fn name(&self) -> String;
    /// The names of the presets, the default first.
    fn presets() -> Vec<String> {
        vec![Self::default().name()]
    }
}

/// The largest move number that a position string or a snapshot may have; far above any game, far below overflow.
pub(crate) const MAX_MOVE_NUMBER: u32 = 1_000_000;

/// A position without its history: what records store and what the network sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// One code a square, `FILES * RANKS` of them, in square order (see [`Position::FILES`]): 0 is empty,
    /// else `1 + state + STATES * color` with the game's numbering of piece states
    /// (see [`Position::PIECE_STATES`]).
    pub board: Vec<u8>,
    /// Pieces in hand, Black's [`Position::HAND_KINDS`] counts, then White's. Empty in tenjiku.
    pub hands: Vec<u8>,
    /// Whose turn it is.
    pub turn: Color,
    /// The move number of the position string: 1 for a usual start, one more at each ply.
    pub move_number: u32,
    /// How often this position occurred before in the game (0 the first time). Always 0 where the rules
    /// forbid repetition.
    pub repetitions: u8,
}

/// A position string that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("bad SFEN: {0}")]
pub struct SfenError(pub String);

/// A move string that is no legal move of the position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// Not the form of a move.
    #[error("`{0}` is not a move string: {1}")]
    Syntax(String, String),
    /// Well-formed, but not legal here.
    #[error("`{0}` is not legal here: {1}")]
    Illegal(String, String),
}

/// A rules text with an unknown preset, option or value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("bad rules: {0}")]
pub struct RulesError(pub String);

/// A game in progress: the position, and as much of the past as legality and results depend on.
///
/// Squares are numbered row by row from the top left as Black sees the board: `rank * FILES + column`, with
/// rank 0 = `a` and column 0 = the highest file. So turning the board by 180 degrees is
/// `FILES * RANKS - 1 - square`, and the left-right mirror keeps the rank and reverses the column.
///
/// `play` and `undo` form a stack: search walks down and up on one value and never copies it.
pub trait Position: Clone + Debug + Send + Sync + 'static {
    /// The game's moves.
    type Move: GameMove;
    /// The game's rule options.
    type Rules: Rules;

    /// The game's name in configs, files and commands.
    const GAME: &'static str;
    /// Number of files (columns).
    const FILES: usize;
    /// Number of ranks (rows).
    const RANKS: usize;
    /// Number of (base type, promoted) states of one side's pieces; board codes are at most twice that.
    const PIECE_STATES: usize;
    /// Number of piece kinds that can be in hand; 0 in games without drops.
    const HAND_KINDS: usize;

    /// The initial position.
    fn start(rules: &Self::Rules) -> Self;

    /// Reads a position string. The game starts there: it has no history.
    ///
    /// # Errors
    /// [`SfenError`] saying which field, rank or square is wrong and how.
    fn from_sfen(rules: &Self::Rules, sfen: &str) -> Result<Self, SfenError>;

    /// The canonical position string.
    fn sfen(&self) -> String;

    /// The rules in force.
    fn rules(&self) -> &Self::Rules;

    /// Whose turn it is.
    fn turn(&self) -> Color;

    /// The move number of the position string; grows by one at each ply.
    fn move_number(&self) -> u32;

    /// Number of moves played since this value was set up (and so the number of possible undos).
    fn plies(&self) -> usize;

    /// A 64-bit hash of what repetition compares: board, hands, side to move. Not the history.
    fn key(&self) -> u64;

    /// Clears `moves` and fills it with every legal move once, repetition rules included, in an order that
    /// depends only on the position. Empty where [`early_outcome`](Self::early_outcome) is not `None`.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// The number of legal moves.
    fn legal_count(&self) -> usize {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Whether `mv` is legal here.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.contains(&mv)
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// May panic, or leave a wrong position, if the move is not legal; it never causes undefined behaviour.
    fn play(&mut self, mv: Self::Move);

    /// Takes the last move back.
    ///
    /// # Panics
    /// If nothing was played since set-up.
    fn undo(&mut self);

    /// The result, where it does not depend on the move list: a royal is gone, a repetition has decided.
    fn early_outcome(&self) -> Option<Outcome>;

    /// The result of a position in which the side to move has no legal move: it loses.
    fn no_moves_outcome(&self) -> Outcome {
        Outcome {
            winner: Some(self.turn().opponent()),
            reason: EndReason::NoMoves,
        }
    }

    /// The result of the game, or `None` while it goes on. Counts the moves: where the list is at hand anyway,
    /// use [`early_outcome`](Self::early_outcome) and its emptiness.
    fn outcome(&self) -> Option<Outcome> {
        if let Some(outcome) = self.early_outcome() {
            return Some(outcome);
        }
        (self.legal_count() == 0).then(|| self.no_moves_outcome())
    }

    /// The result if the side to move ends the game by declaration now, where the rules let it (shogi's 27
    /// points); `None` elsewhere and in games without one. A right, not a result: whoever conducts the game
    /// asks after each ply and decides. A conductor that plays for the best result takes what wins.
    fn declaration(&self) -> Option<Outcome> {
        None
    }

    /// Whether the legal move `mv` ends the game at once with a win of its player by taking the last royal.
    /// Cheap; `false` is always a safe answer (in shogi it is always `false`).
    fn wins_at_once(&self, mv: Self::Move) -> bool;

    /// Whether the side to move is in check (see the rules documents).
    fn in_check(&self) -> bool;

    /// The position without its history.
    fn snapshot(&self) -> Snapshot;

    /// [`Snapshot::repetitions`], without the rest.
    fn repetitions(&self) -> u8 {
        self.snapshot().repetitions
    }

    /// A fresh game from a snapshot.
    ///
    /// # Errors
    /// [`SfenError`] on a wrong length or an unknown code.
    fn from_snapshot(rules: &Self::Rules, snapshot: &Snapshot) -> Result<Self, SfenError>;

    /// The legal move written as `text`.
    ///
    /// # Errors
    /// [`MoveError::Syntax`] if it has not the form of a move, [`MoveError::Illegal`] if it is not legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// This position mirrored left to right, without history.
    fn mirror(&self) -> Self;

    /// `mv` on the mirrored board.
    fn mirror_move(mv: Self::Move) -> Self::Move;

    /// Where the move starts: a square, or `FILES * RANKS + kind` for a drop of that hand kind.
    fn move_from(mv: Self::Move) -> usize;

    /// The square on which the moved piece ends (the start square in passes, igui and shots).
    fn move_to(mv: Self::Move) -> usize;

    /// The square captured on the way (the `<mid>` or `<victim>` of the move string), if any.
    fn move_via(mv: Self::Move) -> Option<usize>;

    /// Whether the piece promotes.
    fn move_promotes(mv: Self::Move) -> bool;
}
