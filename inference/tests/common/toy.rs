//! A made-up game on 3 x 4 squares with promotions, captures on the way and drops: every kind of policy slot.
//!
//! Pieces step straight or diagonally forward, promoted ones in all eight directions. A piece may jump over an enemy
//! straight ahead and capture it. Captured pieces go to hand. Reaching the last rank promotes if the mover wants to.
//! Who has no move loses.

use encoding::{Encoded, PolicySlot};
use rules::{
    Color, GameMove, MoveError, Outcome, Position, Rules, RulesError, SfenError, Snapshot,
};
use std::fmt;

const FILES: usize = 3;
const RANKS: usize = 4;
const SQUARES: usize = FILES * RANKS;

/// `from` (12 = drop), `to`, `via` (15 = none), `promotes`, packed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ToyMove(u32);

impl ToyMove {
    fn new(from: usize, to: usize, via: Option<usize>, promotes: bool) -> Self {
        ToyMove((from | to << 4 | via.unwrap_or(15) << 8 | usize::from(promotes) << 12) as u32)
    }
}

impl fmt::Display for ToyMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Toy::move_from(*self) {
            SQUARES => write!(f, "P*{}", Toy::move_to(*self))?,
            from => write!(f, "{from}-{}", Toy::move_to(*self))?,
        }
        if let Some(via) = Toy::move_via(*self) {
            write!(f, "x{via}")?;
        }
        if Toy::move_promotes(*self) {
            write!(f, "+")
        } else {
            Ok(())
        }
    }
}

impl GameMove for ToyMove {
    fn code(self) -> u32 {
        self.0
    }

    fn from_code(code: u32) -> Option<Self> {
        (code < 1 << 13).then_some(ToyMove(code))
    }
}

/// `jumps=no` forbids captures on the way.
#[derive(Clone, PartialEq, Debug)]
pub struct ToyRules {
    jumps: bool,
}

impl Default for ToyRules {
    fn default() -> Self {
        ToyRules { jumps: true }
    }
}

impl Rules for ToyRules {
    fn parse(text: &str) -> Result<Self, RulesError> {
        match text {
            "historical" => Ok(ToyRules { jumps: true }),
            "historical,jumps=no" => Ok(ToyRules { jumps: false }),
            _ => Err(RulesError(format!("unknown rules {text}"))),
        }
    }

    fn name(&self) -> String {
        if self.jumps {
            "historical".into()
        } else {
            "historical,jumps=no".into()
        }
    }
}

#[derive(Clone, Debug)]
pub struct Toy {
    rules: ToyRules,
    now: Snapshot,
    past: Vec<Snapshot>,
}

impl Toy {
    fn own(&self, square: usize) -> Option<usize> {
        let code = self.now.board[square] as usize;
        let base = 1 + 2 * self.now.turn.index();
        (base..base + 2).contains(&code).then(|| code - base)
    }

    fn enemy(&self, square: usize) -> bool {
        self.now.board[square] != 0 && self.own(square).is_none()
    }
}

impl Position for Toy {
    type Move = ToyMove;
    type Rules = ToyRules;

    const GAME: &'static str = "toy";
    const FILES: usize = FILES;
    const RANKS: usize = RANKS;
    const PIECE_STATES: usize = 2;
    const HAND_KINDS: usize = 1;

    fn start(rules: &ToyRules) -> Self {
        Toy::from_sfen(rules, "ppp/.../.../PPP b 00 1").unwrap()
    }

    fn from_sfen(rules: &ToyRules, sfen: &str) -> Result<Self, SfenError> {
        let error = || SfenError(sfen.to_string());
        let fields: Vec<&str> = sfen.split(' ').collect();
        let [board, turn, hands, number] = fields[..] else {
            return Err(error());
        };
        let board: Option<Vec<u8>> = board
            .chars()
            .filter(|&c| c != '/')
            .map(|c| ".PQpq".find(c).map(|i| i as u8))
            .collect();
        let board = board.filter(|b| b.len() == SQUARES).ok_or_else(error)?;
        let turn = match turn {
            "b" => Color::Black,
            "w" => Color::White,
            _ => return Err(error()),
        };
        let hands: Option<Vec<u8>> = hands
            .chars()
            .map(|c| c.to_digit(10).map(|d| d as u8))
            .collect();
        let hands = hands.filter(|h| h.len() == 2).ok_or_else(error)?;
        let move_number = number.parse().map_err(|_| error())?;
        let now = Snapshot {
            board,
            hands,
            turn,
            move_number,
            repetitions: 0,
        };
        Ok(Toy {
            rules: rules.clone(),
            now,
            past: Vec::new(),
        })
    }

    fn sfen(&self) -> String {
        let rows: Vec<String> = self
            .now
            .board
            .chunks(FILES)
            .map(|row| {
                row.iter()
                    .map(|&c| ".PQpq".as_bytes()[c as usize] as char)
                    .collect()
            })
            .collect();
        let Snapshot {
            hands,
            turn,
            move_number,
            ..
        } = &self.now;
        format!(
            "{} {} {}{} {move_number}",
            rows.join("/"),
            turn.letter(),
            hands[0],
            hands[1]
        )
    }

    fn rules(&self) -> &ToyRules {
        &self.rules
    }

    fn turn(&self) -> Color {
        self.now.turn
    }

    fn move_number(&self) -> u32 {
        self.now.move_number
    }

    fn plies(&self) -> usize {
        self.past.len()
    }

    fn key(&self) -> u64 {
        self.now
            .board
            .iter()
            .fold(self.now.turn.index() as u64, |key, &c| {
                key * 5 + u64::from(c)
            })
    }

    fn legal_moves(&self, moves: &mut Vec<ToyMove>) {
        moves.clear();
        let (forward, last) = match self.now.turn {
            Color::Black => (-1i32, 0),
            Color::White => (1, RANKS - 1),
        };
        for from in 0..SQUARES {
            if self.now.board[from] == 0 {
                if self.now.hands[self.now.turn.index()] > 0 {
                    moves.push(ToyMove::new(SQUARES, from, None, false));
                }
                continue;
            }
            let Some(state) = self.own(from) else {
                continue;
            };
            let (rank, file) = ((from / FILES) as i32, (from % FILES) as i32);
            let square = |dr: i32, df: i32| {
                let (r, f) = (rank + dr, file + df);
                let inside = (0..RANKS as i32).contains(&r) && (0..FILES as i32).contains(&f);
                inside.then(|| r as usize * FILES + f as usize)
            };
            let mut add = |to: usize, via: Option<usize>| {
                moves.push(ToyMove::new(from, to, via, false));
                if state == 0 && to / FILES == last {
                    moves.push(ToyMove::new(from, to, via, true));
                }
            };
            for dr in [forward, 0, -forward] {
                for df in [-1, 0, 1] {
                    if (dr != forward && state == 0) || (dr == 0 && df == 0) {
                        continue;
                    }
                    if let Some(to) = square(dr, df).filter(|&to| self.own(to).is_none()) {
                        add(to, None);
                    }
                }
            }
            if let (true, Some(via), Some(to)) =
                (self.rules.jumps, square(forward, 0), square(2 * forward, 0))
                && self.enemy(via)
                && self.own(to).is_none()
            {
                add(to, Some(via));
            }
        }
    }

    fn play(&mut self, mv: ToyMove) {
        self.past.push(self.now.clone());
        let me = self.now.turn.index();
        let (from, to) = (Toy::move_from(mv), Toy::move_to(mv));
        for square in [Some(to), Toy::move_via(mv)].into_iter().flatten() {
            if self.now.board[square] != 0 {
                self.now.hands[me] += 1;
                self.now.board[square] = 0;
            }
        }
        if from == SQUARES {
            self.now.hands[me] -= 1;
            self.now.board[to] = 1 + 2 * me as u8;
        } else {
            self.now.board[to] = self.now.board[from] + u8::from(Toy::move_promotes(mv));
            self.now.board[from] = 0;
        }
        self.now.turn = self.now.turn.opponent();
        self.now.move_number += 1;
    }

    fn undo(&mut self) {
        self.now = self.past.pop().expect("a move was played");
    }

    fn early_outcome(&self) -> Option<Outcome> {
        None
    }

    fn wins_at_once(&self, _mv: ToyMove) -> bool {
        false
    }

    fn in_check(&self) -> bool {
        false
    }

    fn snapshot(&self) -> Snapshot {
        self.now.clone()
    }

    fn from_snapshot(rules: &ToyRules, snapshot: &Snapshot) -> Result<Self, SfenError> {
        Ok(Toy {
            rules: rules.clone(),
            now: snapshot.clone(),
            past: Vec::new(),
        })
    }

    fn parse_move(&self, text: &str) -> Result<ToyMove, MoveError> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves
            .into_iter()
            .find(|mv| mv.to_string() == text)
            .ok_or_else(|| MoveError::Illegal(text.into(), "no such move".into()))
    }

    fn mirror(&self) -> Self {
        unimplemented_in_toy()
    }

    fn mirror_move(_mv: ToyMove) -> ToyMove {
        unimplemented_in_toy()
    }

    fn move_from(mv: ToyMove) -> usize {
        (mv.0 & 15) as usize
    }

    fn move_to(mv: ToyMove) -> usize {
        (mv.0 >> 4 & 15) as usize
    }

    fn move_via(mv: ToyMove) -> Option<usize> {
        Some((mv.0 >> 8 & 15) as usize).filter(|&via| via != 15)
    }

    fn move_promotes(mv: ToyMove) -> bool {
        mv.0 >> 12 & 1 == 1
    }
}

fn unimplemented_in_toy() -> ! {
    panic!("no test mirrors the toy game")
}

impl Encoded for Toy {
    const ENCODING_VERSION: u32 = 3;
    const PLANES: usize = 4;
    const GLOBALS: usize = 3;
    const MARKS: usize = 2;

    fn plane_table() -> Vec<f32> {
        let mut table = vec![0.0; 5 * 4];
        (0..4).for_each(|p| table[(p + 1) * 4 + p] = 1.0);
        table
    }

    fn plane_names() -> Vec<String> {
        [
            "own soldier",
            "own general",
            "enemy soldier",
            "enemy general",
        ]
        .map(String::from)
        .to_vec()
    }

    fn write_globals(rules: &ToyRules, snapshot: &Snapshot, _: &[u8], out: &mut [f32]) {
        let me = snapshot.turn.index();
        out.copy_from_slice(&[
            f32::from(snapshot.hands[me]) / 6.0,
            f32::from(snapshot.hands[1 - me]) / 6.0,
            if rules.jumps { 1.0 } else { 0.0 },
        ]);
    }

    fn global_names() -> Vec<String> {
        ["own hand", "enemy hand", "jumps"]
            .map(String::from)
            .to_vec()
    }

    fn write_marks(
        _: &ToyRules,
        _: &Snapshot,
        squares: &[u8],
        moves: &[ToyMove],
        slots: &mut [PolicySlot],
    ) {
        for (&mv, slot) in moves.iter().zip(slots) {
            let captures = squares[slot.to as usize] > 2;
            slot.marks = u32::from(captures) | u32::from(Toy::move_promotes(mv)) << 1;
        }
    }

    fn mark_names() -> Vec<String> {
        ["captures where it ends", "promotes"]
            .map(String::from)
            .to_vec()
    }
}
