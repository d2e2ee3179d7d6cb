//! A small game with drops, and random games of any game as records.
#![allow(dead_code)] // each test file uses its part

use std::fmt;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::{
    GameRecord, Kind, Policy, PositionRecord, Provenance, SearchKind, ShardLimits, ShardWriter, Wdl,
};
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

/// A random game of at most `max_plies`, with policies on `full_share` of the plies. The policies look like
/// those of a search: most of the weight on few moves, a long tail.
pub fn random_game<P: Position>(
    index: u32,
    max_plies: usize,
    full_share: f64,
) -> (GameRecord, Vec<PositionRecord>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(index));
    let rules = P::Rules::default();
    let mut position = P::start(&rules);
    let start_sfen = position.sfen();
    let (mut moves, mut texts, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut outcome = None;
    while texts.len() < max_plies {
        outcome = position.outcome();
        if outcome.is_some() {
            break;
        }
        position.legal_moves(&mut moves);
        let full = rng.random_bool(full_share);
        let played = moves[rng.random_range(0..moves.len())];
        rows.push(PositionRecord {
            snapshot: position.snapshot(),
            in_check: position.in_check(),
            legal_moves: moves.len() as u32,
            search: if full {
                SearchKind::Full
            } else {
                SearchKind::Fast
            },
            visits: if full { 200 } else { 32 },
            policy: full.then(|| random_policy(&moves, &mut rng)),
            played: played.code(),
            root: Some(random_wdl(&mut rng)),
            net: full.then(|| random_wdl(&mut rng)),
        });
        texts.push(played.to_string());
        position.play(played);
    }
    outcome = outcome.or_else(|| position.outcome());
    let game = GameRecord {
        id: GameRecord::self_play_id(3, index),
        generation: 3,
        index,
        rules: rules.name(),
        start_sfen,
        moves: texts.join(" "),
        winner: outcome.and_then(|o| o.winner),
        reason: outcome.map_or(EndReason::PlyCap, |o| o.reason),
        final_sfen: position.sfen(),
        seed: u64::MAX - u64::from(index),
        black: "net:networks/000003:visits=64".into(),
        white: "engine:depth=4".into(),
        network: index.is_multiple_of(2).then(|| "ab12".into()),
        play_on: index.is_multiple_of(3),
        resign_side: index.is_multiple_of(3).then_some(Color::White),
        resign_ply: index.is_multiple_of(3).then_some(1),
        start_unix_ms: 1_700_000_000_000,
        duration_ms: u64::from(index) * 10,
    };
    (game, rows)
}

/// Softmax of logits with standard deviation 2.5, of which 16 were searched and moved by their values.
fn random_policy<M: GameMove>(moves: &[M], rng: &mut Xoshiro256PlusPlus) -> Policy {
    // Box and Muller's normal numbers.
    let mut normal = || {
        (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt()
            * (std::f64::consts::TAU * rng.random::<f64>()).cos()
    };
    let mut logits: Vec<f64> = moves.iter().map(|_| 2.5 * normal()).collect();
    let mut best: Vec<usize> = (0..logits.len()).collect();
    best.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    best.iter()
        .take(16)
        .for_each(|&i| logits[i] += 1.0 + normal());
    let raw: Vec<f64> = logits.iter().map(|l| l.exp()).collect();
    let total: f64 = raw.iter().sum();
    Policy {
        moves: moves.iter().map(|mv| mv.code()).collect(),
        weights: raw.iter().map(|w| (w / total) as f32).collect(),
    }
}

fn random_wdl(rng: &mut Xoshiro256PlusPlus) -> Wdl {
    let win: f32 = rng.random();
    Wdl {
        win,
        draw: 0.0,
        loss: 1.0 - win,
    }
}

pub fn provenance<P: Position>(generation: u32) -> Provenance {
    Provenance {
        game: P::GAME.into(),
        rules: P::Rules::default().name(),
        config_hash: "c0ffee".into(),
        network_hash: "ab12".into(),
        run_seed: 42,
        code_version: "0.1.0".into(),
        generation,
        kind: Kind::Selfplay,
    }
}

/// Writes games `indices` as one pair of files and returns them.
pub fn write_games<P: Position>(
    run: &Path,
    worker: &str,
    indices: std::ops::Range<u32>,
    max_plies: usize,
) -> Vec<(GameRecord, Vec<PositionRecord>)> {
    let games: Vec<_> = indices
        .map(|i| random_game::<P>(i, max_plies, 0.25))
        .collect();
    let mut writer =
        ShardWriter::<P>::new(run, worker, provenance::<P>(3), ShardLimits::default()).unwrap();
    for (game, rows) in &games {
        writer.push(game, rows).unwrap();
    }
    writer.finish().unwrap();
    games
}
