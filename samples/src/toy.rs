//! A small game with drops and an encoding: everything generic, and nothing of shogi.

use std::fmt;

use encoding::{Encoded, PolicySlot};
use rules::{
    Color, EndReason, GameMove, MoveError, Outcome, Position, Rules, RulesError, SfenError,
    Snapshot,
};

const SIDE: usize = 5;
const SQUARES: usize = SIDE * SIDE;
const KING: u8 = 0;
const STATES: u8 = 2;

/// Kings and stones on 5x5, all step one square in any direction; captured stones are dropped again.
#[derive(Clone, Debug)]
pub struct Toy {
    board: [u8; SQUARES],
    hands: [u8; 2],
    turn: Color,
    number: u32,
    stack: Vec<([u8; SQUARES], [u8; 2])>,
    rules: ToyRules,
}

/// From square, or the number of squares for a drop, times 100, plus the square it goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ToyMove(u32);

impl fmt::Display for ToyMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0 / 100, self.0 % 100)
    }
}

impl GameMove for ToyMove {
    fn code(self) -> u32 {
        self.0
    }
    fn from_code(code: u32) -> Option<Self> {
        (code / 100 <= SQUARES as u32 && code % 100 < SQUARES as u32).then_some(ToyMove(code))
    }
}

/// The only rules of the game, `plain`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ToyRules;

impl Rules for ToyRules {
    fn parse(text: &str) -> Result<Self, RulesError> {
        match text {
            "plain" => Ok(ToyRules),
            _ => Err(RulesError(format!("unknown preset `{text}`"))),
        }
    }
    fn name(&self) -> String {
        "plain".into()
    }
}

fn piece(state: u8, color: Color) -> u8 {
    1 + state + STATES * color.index() as u8
}

impl Position for Toy {
    type Move = ToyMove;
    type Rules = ToyRules;
    const GAME: &'static str = "toy";
    const FILES: usize = SIDE;
    const RANKS: usize = SIDE;
    const PIECE_STATES: usize = STATES as usize;
    const HAND_KINDS: usize = 1;

    fn start(_: &ToyRules) -> Self {
        let mut board = [0; SQUARES];
        board[2] = piece(KING, Color::White);
        board[22] = piece(KING, Color::Black);
        for i in 0..SIDE {
            board[5 + i] = piece(1, Color::White);
            board[15 + i] = piece(1, Color::Black);
        }
        Toy {
            board,
            hands: [0; 2],
            turn: Color::Black,
            number: 1,
            stack: Vec::new(),
            rules: ToyRules,
        }
    }

    fn from_sfen(rules: &ToyRules, sfen: &str) -> Result<Self, SfenError> {
        let bad = || SfenError(format!("`{sfen}`"));
        let mut fields = sfen.split(' ');
        let mut next = || fields.next().ok_or_else(bad);
        let digits = |text: &str| {
            text.bytes()
                .map(|b| b.wrapping_sub(b'0'))
                .collect::<Vec<u8>>()
        };
        let (board, hands, turn, number) = (digits(next()?), digits(next()?), next()?, next()?);
        Ok(Toy {
            board: board.try_into().map_err(|_| bad())?,
            hands: hands.try_into().map_err(|_| bad())?,
            turn: if turn == "b" {
                Color::Black
            } else {
                Color::White
            },
            number: number.parse().map_err(|_| bad())?,
            stack: Vec::new(),
            rules: rules.clone(),
        })
    }

    fn sfen(&self) -> String {
        let digits = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|b| char::from(b + b'0'))
                .collect::<String>()
        };
        format!(
            "{} {} {} {}",
            digits(&self.board),
            digits(&self.hands),
            self.turn.letter(),
            self.number
        )
    }

    fn rules(&self) -> &ToyRules {
        &self.rules
    }
    fn turn(&self) -> Color {
        self.turn
    }
    fn move_number(&self) -> u32 {
        self.number
    }
    fn plies(&self) -> usize {
        self.stack.len()
    }
    fn key(&self) -> u64 {
        self.board.iter().fold(self.turn.index() as u64, |key, &b| {
            key.wrapping_mul(31) + u64::from(b)
        })
    }

    fn legal_moves(&self, moves: &mut Vec<ToyMove>) {
        moves.clear();
        if self.early_outcome().is_some() {
            return;
        }
        let own = |code: u8| code != 0 && (code - 1) / STATES == self.turn.index() as u8;
        for from in 0..SQUARES {
            if !own(self.board[from]) {
                continue;
            }
            for to in 0..SQUARES {
                let step = (from % SIDE)
                    .abs_diff(to % SIDE)
                    .max((from / SIDE).abs_diff(to / SIDE));
                if step == 1 && !own(self.board[to]) {
                    moves.push(ToyMove((from * 100 + to) as u32));
                }
            }
        }
        if self.hands[self.turn.index()] > 0 {
            moves.extend(
                (0..SQUARES)
                    .filter(|&s| self.board[s] == 0)
                    .map(|s| ToyMove((SQUARES * 100 + s) as u32)),
            );
        }
    }

    fn play(&mut self, mv: ToyMove) {
        self.stack.push((self.board, self.hands));
        let (from, to) = (mv.0 as usize / 100, mv.0 as usize % 100);
        let us = self.turn.index();
        if from == SQUARES {
            self.hands[us] -= 1;
            self.board[to] = piece(1, self.turn);
        } else {
            if self.board[to] == piece(1, self.turn.opponent()) {
                self.hands[us] += 1;
            }
            self.board[to] = std::mem::take(&mut self.board[from]);
        }
        self.turn = self.turn.opponent();
        self.number += 1;
    }

    fn undo(&mut self) {
        (self.board, self.hands) = self.stack.pop().expect("a move was played");
        self.turn = self.turn.opponent();
        self.number -= 1;
    }

    fn early_outcome(&self) -> Option<Outcome> {
        let lost = [Color::Black, Color::White]
            .into_iter()
            .find(|&c| !self.board.contains(&piece(KING, c)));
        lost.map(|c| Outcome {
            winner: Some(c.opponent()),
            reason: EndReason::RoyalCaptured,
        })
    }

    fn wins_at_once(&self, mv: ToyMove) -> bool {
        self.board[mv.0 as usize % 100] == piece(KING, self.turn.opponent())
    }
    fn in_check(&self) -> bool {
        false
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            board: self.board.to_vec(),
            hands: self.hands.to_vec(),
            turn: self.turn,
            move_number: self.number,
            repetitions: 0,
        }
    }

    fn from_snapshot(rules: &ToyRules, s: &Snapshot) -> Result<Self, SfenError> {
        let bad = || SfenError("length".into());
        Ok(Toy {
            board: s.board.clone().try_into().map_err(|_| bad())?,
            hands: s.hands.clone().try_into().map_err(|_| bad())?,
            turn: s.turn,
            number: s.move_number,
            stack: Vec::new(),
            rules: rules.clone(),
        })
    }

    fn parse_move(&self, text: &str) -> Result<ToyMove, MoveError> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let found = moves.into_iter().find(|mv| mv.to_string() == text);
        found.ok_or_else(|| MoveError::Illegal(text.into(), "not listed".into()))
    }

    fn mirror(&self) -> Self {
        self.clone()
    }
    fn mirror_move(mv: ToyMove) -> ToyMove {
        mv
    }
    fn move_from(mv: ToyMove) -> usize {
        mv.0 as usize / 100
    }
    fn move_to(mv: ToyMove) -> usize {
        mv.0 as usize % 100
    }
    fn move_via(_: ToyMove) -> Option<usize> {
        None
    }
    fn move_promotes(_: ToyMove) -> bool {
        false
    }
}

impl Encoded for Toy {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 4;
    const GLOBALS: usize = 3;
    const MARKS: usize = 2;

    fn plane_table() -> Vec<f32> {
        (0..5 * 4)
            .map(|i| if i / 4 == i % 4 + 1 { 1.0 } else { 0.0 })
            .collect()
    }

    fn plane_names() -> Vec<String> {
        ["own king", "own stone", "enemy king", "enemy stone"]
            .map(String::from)
            .to_vec()
    }

    fn write_globals(_: &ToyRules, s: &Snapshot, _: &[u8], out: &mut [f32]) {
        let (own, enemy) = if s.turn == Color::Black {
            (0, 1)
        } else {
            (1, 0)
        };
        let values = [
            s.move_number as f32 / 200.0,
            f32::from(s.hands[own]) / 10.0,
            f32::from(s.hands[enemy]) / 10.0,
        ];
        out.copy_from_slice(&values);
    }

    fn global_names() -> Vec<String> {
        ["move number / 200", "own hand / 10", "enemy hand / 10"]
            .map(String::from)
            .to_vec()
    }

    fn write_marks(
        _: &ToyRules,
        _: &Snapshot,
        squares: &[u8],
        _: &[ToyMove],
        slots: &mut [PolicySlot],
    ) {
        for slot in slots {
            let captures = squares[slot.to as usize] > 2;
            slot.marks = u32::from(captures) | u32::from(slot.query >= 50) << 1;
        }
    }

    fn mark_names() -> Vec<String> {
        ["captures", "drops"].map(String::from).to_vec()
    }
}
