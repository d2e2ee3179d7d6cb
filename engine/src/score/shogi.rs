//! Shogi: material on the board and in hand, on a mailbox of its own since the rules crate keeps squares to itself.

use super::{QUIET, Score};
use crate::Material;
use rules::shogi::{Shogi, ShogiMove};
use rules::{Color, Position};

const SQUARES: usize = Shogi::FILES * Shogi::RANKS;
/// From a state to the same piece promoted, as in the rules crate's codes.
const PROMOTED: u8 = 8;
/// Centipawns for having the move.
const TEMPO: i32 = 30;
/// Centipawns a rank that a pawn, lance, knight, silver or gold is ahead.
const ADVANCE: i32 = 3;

/// Running evaluation of a shogi game.
#[derive(Clone)]
pub struct ShogiScore {
    /// Board codes as in [`rules::Snapshot::board`].
    cells: [u8; SQUARES],
    /// Centipawns for Black.
    balance: i32,
    before: Vec<Undo>,
}

#[derive(Clone, Copy)]
struct Undo {
    mv: ShogiMove,
    moved: u8,
    captured: u8,
    balance: i32,
}

/// State and colour of a code that is not 0.
fn split(code: u8) -> (usize, Color) {
    let (state, states) = (usize::from(code) - 1, Shogi::PIECE_STATES);
    if state < states {
        (state, Color::Black)
    } else {
        (state - states, Color::White)
    }
}

/// Centipawns of a piece on a square for its owner; 0 for an empty square.
fn placed(code: u8, square: usize) -> i32 {
    if code == 0 {
        return 0;
    }
    let (state, color) = split(code);
    let row = (square / Shogi::FILES) as i32;
    let ahead = if color == Color::Black { 8 - row } else { row };
    let small = if state < 5 { ADVANCE * ahead } else { 0 };
    100 * Shogi::piece_values()[state] + small
}

/// Centipawns of the piece with this code once it is in hand.
fn in_hand(code: u8) -> i32 {
    100 * Shogi::hand_values()
        .get(split(code).0 % usize::from(PROMOTED))
        .copied()
        .unwrap_or(0)
}

impl ShogiScore {
    /// The code on the start square, or that of the dropped piece.
    fn moved(&self, mv: ShogiMove, turn: Color) -> u8 {
        let from = Shogi::move_from(mv);
        match from.checked_sub(SQUARES) {
            None => self.cells[from],
            Some(kind) => (1 + kind + Shogi::PIECE_STATES * turn.index()) as u8,
        }
    }

    /// What the move changes for its player.
    fn change(&self, mv: ShogiMove, turn: Color) -> i32 {
        let (from, to) = (Shogi::move_from(mv), Shogi::move_to(mv));
        let moved = self.moved(mv, turn);
        let after = if Shogi::move_promotes(mv) {
            moved + PROMOTED
        } else {
            moved
        };
        let gone = if from < SQUARES {
            placed(moved, from)
        } else {
            in_hand(moved)
        };
        let captured = self.cells[to];
        let taken = if captured == 0 {
            0
        } else {
            placed(captured, to) + in_hand(captured)
        };
        placed(after, to) - gone + taken
    }
}

impl Score<Shogi> for ShogiScore {
    fn new(position: &Shogi) -> Self {
        let snapshot = position.snapshot();
        let mut score = ShogiScore {
            cells: [0; SQUARES],
            balance: 0,
            before: Vec::new(),
        };
        score.cells.copy_from_slice(&snapshot.board);
        for (square, &code) in snapshot
            .board
            .iter()
            .enumerate()
            .filter(|(_, code)| **code != 0)
        {
            let sign = if split(code).1 == Color::Black { 1 } else { -1 };
            score.balance += sign * placed(code, square);
        }
        for (i, &count) in snapshot.hands.iter().enumerate() {
            let sign = if i < Shogi::HAND_KINDS { 1 } else { -1 };
            let value = 100 * Shogi::hand_values()[i % Shogi::HAND_KINDS];
            score.balance += sign * i32::from(count) * value;
        }
        score
    }

    fn score(&self, turn: Color) -> i32 {
        TEMPO
            + if turn == Color::Black {
                self.balance
            } else {
                -self.balance
            }
    }

    fn gains(&self, position: &Shogi, moves: &[ShogiMove], gains: &mut Vec<i32>) {
        let turn = position.turn();
        gains.clear();
        gains.extend(moves.iter().map(|&mv| {
            let noisy = self.cells[Shogi::move_to(mv)] != 0 || Shogi::move_promotes(mv);
            if noisy { self.change(mv, turn) } else { QUIET }
        }));
    }

    fn mover(&self, position: &Shogi, mv: ShogiMove) -> i32 {
        match Shogi::move_from(mv) {
            from if from < SQUARES => placed(self.moved(mv, position.turn()), from),
            _ => 0,
        }
    }

    fn play(&mut self, position: &Shogi, mv: ShogiMove) {
        let (turn, from, to) = (position.turn(), Shogi::move_from(mv), Shogi::move_to(mv));
        let (moved, captured) = (self.moved(mv, turn), self.cells[to]);
        let change = self.change(mv, turn);
        self.before.push(Undo {
            mv,
            moved,
            captured,
            balance: self.balance,
        });
        self.balance += if turn == Color::Black {
            change
        } else {
            -change
        };
        if from < SQUARES {
            self.cells[from] = 0;
        }
        self.cells[to] = if Shogi::move_promotes(mv) {
            moved + PROMOTED
        } else {
            moved
        };
    }

    fn undo(&mut self) {
        let last = self.before.pop().expect("undo follows a move");
        let from = Shogi::move_from(last.mv);
        self.cells[Shogi::move_to(last.mv)] = last.captured;
        if from < SQUARES {
            self.cells[from] = last.moved;
        }
        self.balance = last.balance;
    }
}
