//! Toy games for the tests of the search. Each implements the whole of `rules::Position`, as small as it gets.
#![allow(dead_code)] // every test file uses its part

use mcts::{EvalError, Evaluations, LeafEvaluator};
use rules::{
    Color, EndReason, GameMove, MoveError, Outcome, Position, Rules, RulesError, SfenError,
    Snapshot,
};
use std::fmt;

/// A number, whatever it stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(pub u32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl GameMove for Number {
    fn code(self) -> u32 {
        self.0
    }
    fn from_code(code: u32) -> Option<Self> {
        Some(Number(code))
    }
}

/// What a toy game consists of; [`Toy`] makes a `Position` of it.
pub trait Game: Clone + PartialEq + fmt::Debug + Default + Send + Sync + 'static {
    /// Legal moves after `line`, without regard to a result.
    fn moves(&self, line: &[u32], out: &mut Vec<Number>);
    /// The winner (or a draw) after `line`, if it is over.
    fn result(&self, line: &[u32]) -> Option<Option<Color>>;
    /// Whether `wins_at_once` tells the truth, or always says no.
    fn tells(&self) -> bool {
        true
    }
    /// The key after `line`.
    fn key(&self, line: &[u32]) -> u64 {
        line.iter()
            .fold(7, |key, &mv| splitmix(key ^ u64::from(mv)))
    }
}

/// A game as a list of numbers; Black begins unless `white_first`.
#[derive(Clone, Debug)]
pub struct Toy<G: Game> {
    pub game: G,
    pub line: Vec<u32>,
    /// Moves of `line` that were there at the start.
    pub given: usize,
    pub white_first: bool,
}

impl<G: Game> Toy<G> {
    pub fn new(game: G) -> Self {
        Toy {
            game,
            line: Vec::new(),
            given: 0,
            white_first: false,
        }
    }

    pub fn after(game: G, line: &[u32]) -> Self {
        Toy {
            game,
            line: line.to_vec(),
            given: line.len(),
            white_first: false,
        }
    }

    /// The same game with the colours exchanged.
    pub fn colours_swapped(mut self) -> Self {
        self.white_first = !self.white_first;
        self
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct NoRules;

impl Rules for NoRules {
    fn parse(_: &str) -> Result<Self, RulesError> {
        Ok(NoRules)
    }
    fn name(&self) -> String {
        String::new()
    }
}

impl<G: Game> Position for Toy<G> {
    type Move = Number;
    type Rules = NoRules;
    const GAME: &'static str = "toy";
    const FILES: usize = 3;
    const RANKS: usize = 3;
    const PIECE_STATES: usize = 1;
    const HAND_KINDS: usize = 0;

    fn start(_: &NoRules) -> Self {
        Toy::new(G::default())
    }
    fn from_sfen(_: &NoRules, _: &str) -> Result<Self, SfenError> {
        Err(SfenError("toys have none".into()))
    }
    fn sfen(&self) -> String {
        format!("{:?}", self.line)
    }
    fn rules(&self) -> &NoRules {
        &NoRules
    }
    fn turn(&self) -> Color {
        if self.line.len().is_multiple_of(2) == self.white_first {
            Color::White
        } else {
            Color::Black
        }
    }
    fn move_number(&self) -> u32 {
        self.line.len() as u32 + 1
    }
    fn plies(&self) -> usize {
        self.line.len() - self.given
    }
    fn key(&self) -> u64 {
        self.game.key(&self.line)
    }
    fn legal_moves(&self, moves: &mut Vec<Number>) {
        moves.clear();
        if self.early_outcome().is_none() {
            self.game.moves(&self.line, moves);
        }
    }
    fn play(&mut self, mv: Number) {
        self.line.push(mv.0);
    }
    fn undo(&mut self) {
        assert!(self.line.len() > self.given, "nothing to undo");
        self.line.pop();
    }
    fn early_outcome(&self) -> Option<Outcome> {
        let winner = self.game.result(&self.line)?;
        let winner = winner.map(|w| if self.white_first { w.opponent() } else { w });
        Some(Outcome {
            winner,
            reason: EndReason::RoyalCaptured,
        })
    }
    fn wins_at_once(&self, mv: Number) -> bool {
        let mut next = self.clone();
        next.play(mv);
        self.game.tells()
            && next
                .early_outcome()
                .is_some_and(|o| o.winner == Some(self.turn()))
    }
    fn in_check(&self) -> bool {
        false
    }
    fn snapshot(&self) -> Snapshot {
        Snapshot {
            board: vec![0; 9],
            hands: vec![],
            turn: self.turn(),
            move_number: 1,
            repetitions: 0,
        }
    }
    fn from_snapshot(_: &NoRules, _: &Snapshot) -> Result<Self, SfenError> {
        Err(SfenError("toys have none".into()))
    }
    fn parse_move(&self, text: &str) -> Result<Number, MoveError> {
        let bad = |e: std::num::ParseIntError| MoveError::Syntax(text.into(), e.to_string());
        Ok(Number(text.parse().map_err(bad)?))
    }
    fn mirror(&self) -> Self {
        self.clone()
    }
    fn mirror_move(mv: Number) -> Number {
        mv
    }
    fn move_from(mv: Number) -> usize {
        mv.0 as usize
    }
    fn move_to(mv: Number) -> usize {
        mv.0 as usize
    }
    fn move_via(_: Number) -> Option<usize> {
        None
    }
    fn move_promotes(_: Number) -> bool {
        false
    }
}

/// Noughts and crosses; move = cell 0 to 8, row by row. A draw with best play.
#[derive(Clone, PartialEq, Debug)]
pub struct Crosses {
    /// See [`Game::tells`].
    pub tells: bool,
}

impl Default for Crosses {
    fn default() -> Self {
        Crosses { tells: true }
    }
}

impl Game for Crosses {
    fn moves(&self, line: &[u32], out: &mut Vec<Number>) {
        out.extend((0..9).filter(|cell| !line.contains(cell)).map(Number));
    }
    fn result(&self, line: &[u32]) -> Option<Option<Color>> {
        const LINES: [[u32; 3]; 8] = [
            [0, 1, 2],
            [3, 4, 5],
            [6, 7, 8],
            [0, 3, 6],
            [1, 4, 7],
            [2, 5, 8],
            [0, 4, 8],
            [2, 4, 6],
        ];
        for (first, color) in [(0, Color::Black), (1, Color::White)] {
            let mine: Vec<u32> = line.iter().copied().skip(first).step_by(2).collect();
            if LINES
                .iter()
                .any(|l| l.iter().all(|cell| mine.contains(cell)))
            {
                return Some(Some(color));
            }
        }
        (line.len() == 9).then_some(None)
    }
    fn tells(&self) -> bool {
        self.tells
    }
}

/// A random game tree: branching and results depend on a hash of the line.
#[derive(Clone, PartialEq, Debug)]
pub struct Random {
    pub seed: u64,
    /// Moves per position: 1 to this.
    pub width: u32,
    /// Plies after which every game is over.
    pub depth: usize,
    /// One position in so many is the end of a game.
    pub one_in: u64,
    pub tells: bool,
}

impl Default for Random {
    fn default() -> Self {
        Random {
            seed: 0,
            width: 3,
            depth: 6,
            one_in: 8,
            tells: true,
        }
    }
}

impl Random {
    fn hash(&self, line: &[u32]) -> u64 {
        line.iter().fold(splitmix(self.seed), |h, &mv| {
            splitmix(h ^ (u64::from(mv) + 1))
        })
    }
}

impl Game for Random {
    fn moves(&self, line: &[u32], out: &mut Vec<Number>) {
        let count = 1 + (self.hash(line) >> 40) as u32 % self.width;
        // Now and then stuck: the side to move loses.
        if line.is_empty() || !self.hash(line).is_multiple_of(2 * self.one_in + 1) {
            out.extend((0..count).map(Number));
        }
    }
    fn result(&self, line: &[u32]) -> Option<Option<Color>> {
        let h = self.hash(line) >> 20;
        if line.len() < self.depth && (line.is_empty() || !h.is_multiple_of(self.one_in)) {
            return None;
        }
        Some(match splitmix(h) % 5 {
            0 | 1 => Some(Color::Black),
            2 | 3 => Some(Color::White),
            _ => None,
        })
    }
    fn tells(&self) -> bool {
        self.tells
    }
}

/// `width` moves everywhere, and no end: for counting.
#[derive(Clone, PartialEq, Debug)]
pub struct Endless {
    pub width: u32,
}

impl Default for Endless {
    fn default() -> Self {
        Endless { width: 30 }
    }
}

impl Game for Endless {
    fn moves(&self, _: &[u32], out: &mut Vec<Number>) {
        out.extend((0..self.width).map(Number));
    }
    fn result(&self, _: &[u32]) -> Option<Option<Color>> {
        None
    }
}

/// Mixes 64 bits (splitmix64).
pub fn splitmix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Opinions out of a hash of the position: uneven policy, values of all kinds, always the same.
#[derive(Clone, Default)]
pub struct Opinionated {
    answers: Evaluations,
    /// Positions evaluated.
    pub count: usize,
}

impl<P: Position> LeafEvaluator<P> for Opinionated {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        if self.answers.offsets.is_empty() {
            self.answers.offsets.push(0);
        }
        let unit = |x: u64| (splitmix(x) >> 40) as f32 / (1 << 24) as f32;
        let key = position.key();
        for mv in moves {
            self.answers
                .logits
                .push(4.0 * unit(key ^ (u64::from(mv.code()) << 20)) - 2.0);
        }
        self.answers.offsets.push(self.answers.logits.len());
        let (a, b) = (unit(key ^ 1), unit(key ^ 2));
        self.answers.wdl.push([a * b, a * (1.0 - b), 1.0 - a]);
        self.answers.moves_left.push(50.0 * unit(key ^ 3));
        self.count += 1;
    }
    fn pending(&self) -> usize {
        self.answers.len()
    }
    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        out.clone_from(&self.answers);
        self.answers.clear();
        Ok(())
    }
}

/// The truth about a finite game: (value for the side to move, 1, 0 or -1).
pub fn negamax<P: Position>(position: &mut P) -> i32 {
    let turn = position.turn();
    if let Some(outcome) = position.outcome() {
        return outcome
            .winner
            .map_or(0, |winner| if winner == turn { 1 } else { -1 });
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut best = -1;
    for mv in moves {
        position.play(mv);
        best = best.max(-negamax(position));
        position.undo();
    }
    best
}
