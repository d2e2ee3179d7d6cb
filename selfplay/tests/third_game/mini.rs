//! A third game, as its author would write it: rules, values and encoding, nothing else. Kings and rooks on 5x5; who
//! takes the king wins.

use encoding::Encoded;
use rules::score::{Material, PlainScore};
use rules::{
    Color, EndReason, GameMove, MoveError, Outcome, Position, Rules, RulesError, SfenError,
    Snapshot,
};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

const SIDE: usize = 5;
const SQUARES: usize = SIDE * SIDE;
/// Board codes: Black's, White's are two more.
const KING: u8 = 1;
const ROOK: u8 = 2;
const LETTERS: [char; 5] = ['.', 'K', 'R', 'k', 'r'];
pub const START: &str = "rk..r/...../...../...../R..KR b";

/// Start and end square, written as `a1e1` from the lower left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MiniMove(u16);

impl MiniMove {
    fn new(from: usize, to: usize) -> Self {
        MiniMove((from * SQUARES + to) as u16)
    }

    fn from(self) -> usize {
        usize::from(self.0) / SQUARES
    }

    fn to(self) -> usize {
        usize::from(self.0) % SQUARES
    }
}

impl fmt::Display for MiniMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in [self.from(), self.to()] {
            let file = (b'a' + (square % SIDE) as u8) as char;
            write!(f, "{file}{}", SIDE - square / SIDE)?;
        }
        Ok(())
    }
}

impl GameMove for MiniMove {
    fn code(self) -> u32 {
        self.0.into()
    }

    fn from_code(code: u32) -> Option<Self> {
        (code < (SQUARES * SQUARES) as u32).then_some(MiniMove(code as u16))
    }
}

/// There is nothing to choose.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MiniRules;

impl Rules for MiniRules {
    fn parse(text: &str) -> Result<Self, RulesError> {
        match text {
            "mini" => Ok(MiniRules),
            _ => Err(RulesError(format!("`{text}`, expected `mini`"))),
        }
    }

    fn name(&self) -> String {
        "mini".into()
    }
}

#[derive(Clone, Debug)]
pub struct Mini {
    cells: [u8; SQUARES],
    turn: Color,
    first_number: u32,
    /// Moves with what they took.
    history: Vec<(MiniMove, u8)>,
}

fn owner(code: u8) -> Option<Color> {
    match code {
        0 => None,
        1 | 2 => Some(Color::Black),
        _ => Some(Color::White),
    }
}

impl Mini {
    /// Calls `found` with each move of a side, own king's safety apart.
    fn moves_of(&self, color: Color, mut found: impl FnMut(MiniMove)) {
        for (from, &code) in self.cells.iter().enumerate() {
            if owner(code) != Some(color) {
                continue;
            }
            let rook = code == ROOK || code == ROOK + 2;
            for (rows, columns) in (0..9).map(|i| (i / 3 - 1, i % 3 - 1)) {
                let straight = (rows == 0) != (columns == 0);
                if (rows, columns) == (0, 0) || rook && !straight {
                    continue;
                }
                for steps in 1..=if rook { 4 } else { 1 } {
                    let row = (from / SIDE) as i32 + rows * steps;
                    let column = (from % SIDE) as i32 + columns * steps;
                    if !(0..5).contains(&row) || !(0..5).contains(&column) {
                        break;
                    }
                    let to = row as usize * SIDE + column as usize;
                    if owner(self.cells[to]) == Some(color) {
                        break;
                    }
                    found(MiniMove::new(from, to));
                    if self.cells[to] != 0 {
                        break;
                    }
                }
            }
        }
    }

    fn takes_king(&self, mv: MiniMove) -> bool {
        matches!(self.cells[mv.to()], 1 | 3)
    }
}

impl Position for Mini {
    type Move = MiniMove;
    type Rules = MiniRules;

    const GAME: &'static str = "mini";
    const FILES: usize = SIDE;
    const RANKS: usize = SIDE;
    const PIECE_STATES: usize = 2;
    const HAND_KINDS: usize = 0;

    fn start(rules: &MiniRules) -> Self {
        Self::from_sfen(rules, START).expect("the start is well-formed")
    }

    fn from_sfen(_: &MiniRules, sfen: &str) -> Result<Self, SfenError> {
        let (board, turn) = sfen
            .split_once(' ')
            .ok_or_else(|| SfenError("no side to move".into()))?;
        let code = |c| LETTERS.iter().position(|&l| l == c);
        let cells: Option<Vec<u8>> = board
            .chars()
            .filter(|&c| c != '/')
            .map(|c| code(c).map(|code| code as u8))
            .collect();
        Ok(Mini {
            cells: cells
                .and_then(|cells| cells.try_into().ok())
                .ok_or_else(|| SfenError(format!("bad board `{board}`")))?,
            turn: if turn.starts_with('b') {
                Color::Black
            } else {
                Color::White
            },
            first_number: 1,
            history: Vec::new(),
        })
    }

    fn sfen(&self) -> String {
        let rank =
            |cells: &[u8]| -> String { cells.iter().map(|&c| LETTERS[usize::from(c)]).collect() };
        let ranks: Vec<String> = self.cells.chunks(SIDE).map(rank).collect();
        format!("{} {}", ranks.join("/"), self.turn.letter())
    }

    fn rules(&self) -> &MiniRules {
        &MiniRules
    }

    fn turn(&self) -> Color {
        self.turn
    }

    fn move_number(&self) -> u32 {
        self.first_number + self.history.len() as u32
    }

    fn plies(&self) -> usize {
        self.history.len()
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.cells, self.turn).hash(&mut hasher);
        hasher.finish()
    }

    fn legal_moves(&self, moves: &mut Vec<MiniMove>) {
        moves.clear();
        if self.early_outcome().is_none() {
            self.moves_of(self.turn, |mv| moves.push(mv));
        }
    }

    fn play(&mut self, mv: MiniMove) {
        self.history.push((mv, self.cells[mv.to()]));
        self.cells[mv.to()] = std::mem::take(&mut self.cells[mv.from()]);
        self.turn = self.turn.opponent();
    }

    fn undo(&mut self) {
        let (mv, taken) = self.history.pop().expect("a move was played");
        self.cells[mv.from()] = std::mem::replace(&mut self.cells[mv.to()], taken);
        self.turn = self.turn.opponent();
    }

    fn early_outcome(&self) -> Option<Outcome> {
        let gone = [Color::Black, Color::White]
            .into_iter()
            .find(|c| !self.cells.contains(&(KING + 2 * c.index() as u8)))?;
        Some(Outcome {
            winner: Some(gone.opponent()),
            reason: EndReason::RoyalCaptured,
        })
    }

    fn wins_at_once(&self, mv: MiniMove) -> bool {
        self.takes_king(mv)
    }

    fn in_check(&self) -> bool {
        let mut check = false;
        self.moves_of(self.turn.opponent(), |mv| check |= self.takes_king(mv));
        check
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            board: self.cells.to_vec(),
            hands: Vec::new(),
            turn: self.turn,
            move_number: self.move_number(),
            repetitions: 0,
        }
    }

    fn from_snapshot(_: &MiniRules, snapshot: &Snapshot) -> Result<Self, SfenError> {
        let cells = snapshot.board.as_slice().try_into();
        Ok(Mini {
            cells: cells.map_err(|_| SfenError("not 25 squares".into()))?,
            turn: snapshot.turn,
            first_number: snapshot.move_number,
            history: Vec::new(),
        })
    }

    fn parse_move(&self, text: &str) -> Result<MiniMove, MoveError> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let found = moves.into_iter().find(|mv| mv.to_string() == text);
        found.ok_or_else(|| MoveError::Illegal(text.into(), "no such move".into()))
    }

    fn mirror(&self) -> Self {
        let mut mirrored = self.clone();
        mirrored.history.clear();
        mirrored.first_number = self.move_number();
        mirrored
            .cells
            .chunks_mut(SIDE)
            .for_each(|rank| rank.reverse());
        mirrored
    }

    fn mirror_move(mv: MiniMove) -> MiniMove {
        let mirror = |square: usize| square / SIDE * SIDE + SIDE - 1 - square % SIDE;
        MiniMove::new(mirror(mv.from()), mirror(mv.to()))
    }

    fn move_from(mv: MiniMove) -> usize {
        mv.from()
    }

    fn move_to(mv: MiniMove) -> usize {
        mv.to()
    }

    fn move_via(_: MiniMove) -> Option<usize> {
        None
    }

    fn move_promotes(_: MiniMove) -> bool {
        false
    }
}

impl Material for Mini {
    type Score = PlainScore;

    fn piece_values() -> &'static [i32] {
        &[20, 5]
    }

    fn hand_values() -> &'static [i32] {
        &[]
    }
}

impl Encoded for Mini {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 4;
    const GLOBALS: usize = 0;

    fn plane_table() -> Vec<f32> {
        let mut table = vec![0.0; 5 * Self::PLANES];
        (0..4).for_each(|i| table[(i + 1) * Self::PLANES + i] = 1.0);
        table
    }

    fn plane_names() -> Vec<String> {
        ["own king", "own rook", "enemy king", "enemy rook"]
            .map(String::from)
            .to_vec()
    }

    fn write_globals(_: &MiniRules, _: &Snapshot, _: &[u8], _: &mut [f32]) {}

    fn global_names() -> Vec<String> {
        Vec::new()
    }
}
