//! Positions to network input, moves to policy slots.
//!
//! The network sees a position from the side to move: where White is to move the board is turned by 180
//! degrees and the colours are swapped. A position travels as one byte a square and layer (a code) and a short
//! vector of globals; the plane table turns codes into planes inside the network, so that a few hundred bytes instead of
//! tens of thousands of floats are moved. See `docs/encoding.md`.
//!
//! The policy is factored: a move is (query, to, via), see [`PolicySlot`].

pub mod games;
mod shogi;
mod tenjiku;

pub use games::{GameName, UnknownGame};

use rules::{Color, GameMove, Position, Snapshot};

/// No square: the `via` of a move that captures nothing on the way.
pub const NO_VIA: u16 = u16::MAX;

/// The dimensions of a game's encoding, for code that is not generic over the game.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputSpec {
    /// `tenjiku` or `shogi`.
    pub game: String,
    /// Version of the encoding; raised at each change of meaning.
    pub version: u32,
    /// Columns of the board.
    pub files: usize,
    /// Rows of the board.
    pub ranks: usize,
    /// Boards of codes that a position is given as, see [`Encoded::LAYERS`].
    #[serde(default = "one")]
    pub layers: usize,
    /// Number of codes: 0 is empty, then own states, then enemy states, then those of further layers.
    pub codes: usize,
    /// Columns of the plane table `[codes, planes]`.
    pub planes: usize,
    /// Length of the globals vector.
    pub globals: usize,
    /// Piece kinds that can be dropped.
    pub hand_kinds: usize,
    /// Marks that a move may have, see [`PolicySlot::marks`].
    #[serde(default)]
    pub marks: usize,
}

/// [`InputSpec::layers`] in files that do not name it.
fn one() -> usize {
    1
}

impl InputSpec {
    /// Number of squares.
    pub fn squares(&self) -> usize {
        self.files * self.ranks
    }

    /// Number of codes of one position: each square in each layer.
    pub fn cells(&self) -> usize {
        self.layers * self.squares()
    }

    /// Number of query rows: every square plain, every square promoting, every hand kind.
    pub fn queries(&self) -> usize {
        2 * self.squares() + self.hand_kinds
    }
}

/// Where a move's logit comes from: `query · to_key + query · via_key` plus what the network gives for each of its marks,
/// all seen from the side to move.
///
/// `query` is `from` for plain moves, `SQUARES + from` for promotions, `2 * SQUARES + kind` for drops.
/// `via` is [`NO_VIA`] where nothing is captured on the way. Distinct legal moves have distinct slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PolicySlot {
    /// Row of the query matrix.
    pub query: u16,
    /// Square of the `lands here` key.
    pub to: u16,
    /// Square of the `captures here on the way` key, or [`NO_VIA`].
    pub via: u16,
    /// What the rules say of the move, bit by bit, [`Encoded::mark_names`]; 0 where nobody has asked them.
    pub marks: u32,
}

/// A game with a network encoding.
pub trait Encoded: Position {
    /// See [`InputSpec::version`].
    const ENCODING_VERSION: u32;
    /// Boards of codes that a position is given as: the pieces, and in the layers after them what the rules say of
    /// each square beside. All codes are rows of one table; the network adds up the rows of a square.
    const LAYERS: usize = 1;
    /// Codes of the layers after the first; they follow the `1 + 2 * PIECE_STATES` of the pieces.
    const LAYER_CODES: usize = 0;
    /// See [`InputSpec::cells`].
    const CELLS: usize = Self::LAYERS * Self::FILES * Self::RANKS;
    /// See [`InputSpec::planes`].
    const PLANES: usize;
    /// See [`InputSpec::globals`].
    const GLOBALS: usize;
    /// See [`InputSpec::marks`]; at most 32.
    const MARKS: usize = 0;

    /// The fixed table `[codes, planes]`, row-major, values 0 or 1; row 0 (empty) is all zero.
    fn plane_table() -> Vec<f32>;

    /// The name of each plane, for documentation and exported files.
    fn plane_names() -> Vec<String>;

    /// Writes the layers after the first, from the side to move's view; `out` has `(LAYERS - 1) * FILES * RANKS`
    /// places.
    fn write_layers(_rules: &Self::Rules, _snapshot: &Snapshot, _out: &mut [u8]) {}

    /// Writes the globals: values in [-1, 1], from the side to move's view; `layers` is what
    /// [`write_layers`](Self::write_layers) wrote.
    ///
    /// # Panics
    /// If `out` has not the length [`GLOBALS`](Self::GLOBALS).
    fn write_globals(rules: &Self::Rules, snapshot: &Snapshot, layers: &[u8], out: &mut [f32]);

    /// The name of each global, for documentation and exported files.
    fn global_names() -> Vec<String>;

    /// Writes [`PolicySlot::marks`] of the legal `moves`; `squares` is what [`encode`] wrote.
    fn write_marks(
        _rules: &Self::Rules,
        _snapshot: &Snapshot,
        _squares: &[u8],
        _moves: &[Self::Move],
        _slots: &mut [PolicySlot],
    ) {
    }

    /// The name of each mark, for documentation and exported files.
    fn mark_names() -> Vec<String> {
        Vec::new()
    }
}

/// The dimensions of `P`'s encoding.
pub fn spec<P: Encoded>() -> InputSpec {
    InputSpec {
        game: P::GAME.to_string(),
        version: P::ENCODING_VERSION,
        files: P::FILES,
        ranks: P::RANKS,
        layers: P::LAYERS,
        codes: 1 + 2 * P::PIECE_STATES + P::LAYER_CODES,
        planes: P::PLANES,
        globals: P::GLOBALS,
        hand_kinds: P::HAND_KINDS,
        marks: P::MARKS,
    }
}

/// Writes the network input of a position: `squares` gets one code a square, 0 = empty, `1 + state` = own piece,
/// `1 + PIECE_STATES + state` = enemy piece, from the side to move's view, then the other layers
/// ([`InputSpec::cells`] codes in all); `globals` as [`Encoded::write_globals`] says.
///
/// # Panics
/// If a slice has the wrong length.
pub fn encode<P: Encoded>(
    rules: &P::Rules,
    snapshot: &Snapshot,
    squares: &mut [u8],
    globals: &mut [f32],
) {
    let states = P::PIECE_STATES as u8;
    assert_eq!(squares.len(), P::CELLS, "squares buffer of {}", P::GAME);
    let (pieces, layers) = squares.split_at_mut(snapshot.board.len());
    match snapshot.turn {
        Color::Black => pieces.copy_from_slice(&snapshot.board),
        Color::White => {
            for (out, &code) in pieces.iter_mut().zip(snapshot.board.iter().rev()) {
                *out = match code {
                    0 => 0,
                    c if c <= states => c + states,
                    c => c - states,
                };
            }
        }
    }
    P::write_layers(rules, snapshot, layers);
    P::write_globals(rules, snapshot, layers, globals);
}

/// Appends the slots of the legal `moves` of a position with their marks; `squares` is what [`encode`] wrote of it.
pub fn slots<P: Encoded>(
    rules: &P::Rules,
    snapshot: &Snapshot,
    squares: &[u8],
    moves: &[P::Move],
    out: &mut Vec<PolicySlot>,
) {
    let first = out.len();
    out.extend(moves.iter().map(|&mv| slot::<P>(mv, snapshot.turn)));
    P::write_marks(rules, snapshot, squares, moves, &mut out[first..]);
}

/// The slot of a move that `turn` makes, without marks.
pub fn slot<P: Encoded>(mv: P::Move, turn: Color) -> PolicySlot {
    let squares = P::FILES * P::RANKS;
    let view = |square: usize| match turn {
        Color::Black => square,
        Color::White => squares - 1 - square,
    };
    let from = P::move_from(mv);
    let query = if from >= squares {
        squares + from // 2 * squares + kind
    } else if P::move_promotes(mv) {
        squares + view(from)
    } else {
        view(from)
    };
    PolicySlot {
        query: query as u16,
        to: view(P::move_to(mv)) as u16,
        via: P::move_via(mv).map_or(NO_VIA, |via| view(via) as u16),
        marks: 0,
    }
}

/// The slot of a recorded move code, without marks, or `None` if no move has this code.
pub fn slot_of_code<P: Encoded>(code: u32, turn: Color) -> Option<PolicySlot> {
    P::Move::from_code(code).map(|mv| slot::<P>(mv, turn))
}

/// `square` mirrored left to right.
pub fn mirror_square(spec: &InputSpec, square: usize) -> usize {
    let (rank, file) = (square / spec.files, square % spec.files);
    rank * spec.files + spec.files - 1 - file
}

/// Mirrors encoded squares left to right, in place, all layers.
pub fn mirror_squares(spec: &InputSpec, squares: &mut [u8]) {
    for rank in squares.chunks_exact_mut(spec.files) {
        rank.reverse();
    }
}

/// A slot on the mirrored board.
pub fn mirror_slot(spec: &InputSpec, slot: PolicySlot) -> PolicySlot {
    let n = spec.squares();
    let mirror = |s: u16| mirror_square(spec, s as usize) as u16;
    let query = slot.query as usize;
    let query = if query >= 2 * n {
        query
    } else {
        query / n * n + mirror_square(spec, query % n)
    };
    PolicySlot {
        query: query as u16,
        to: mirror(slot.to),
        via: if slot.via == NO_VIA {
            NO_VIA
        } else {
            mirror(slot.via)
        },
        marks: slot.marks,
    }
}
