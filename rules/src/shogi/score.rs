//! Shogi: material on the board and in hand, advance, the kings' shelter, on a mailbox of its own which answers
//! faster than asking the position. An anchor for networks, not a strong shogi program.

use super::{Shogi, ShogiMove};
use crate::score::{Material, QUIET, Score};
use crate::{Color, Position};

const SQUARES: usize = Shogi::FILES * Shogi::RANKS;
/// From a state to the same piece promoted, as in the rules crate's codes.
const PROMOTED: u8 = 8;
/// The state of a king.
const KING: usize = 7;
/// Centipawns for having the move.
const TEMPO: i32 = 30;
/// Centipawns a rank that a pawn, lance, knight, silver or gold is ahead.
const ADVANCE: i32 = 3;
/// Centipawns for an own silver, gold or what moves as gold next to the king.
const SHELTER: i32 = 35;
/// Centipawns for an enemy piece within two squares of the king.
const INTRUDER: i32 = -30;
/// Centipawns a rank that the king has left its back rank.
const KING_ADVANCE: i32 = -25;
/// Captures of one exchange that are looked at.
const LONGEST: usize = 12;

/// Unpromoted P L N S G B R K, then promoted (gold and king do not promote). Pawn = 1, rounded from the usual tables of
/// computer shogi; the king counts nothing, it cannot be taken.
const VALUES: [i32; 16] = [1, 3, 4, 5, 6, 8, 10, 0, 5, 5, 5, 6, 6, 10, 12, 0];

impl Material for Shogi {
    type Score = ShogiScore;

    fn piece_values() -> &'static [i32] {
        &VALUES
    }

    fn hand_values() -> &'static [i32] {
        &VALUES[..7]
    }
}

/// Running evaluation of a shogi game.
#[derive(Clone)]
pub struct ShogiScore {
    /// Board codes as in [`Snapshot::board`](crate::Snapshot::board).
    cells: [u8; SQUARES],
    /// Squares of the kings, Black's first.
    kings: [usize; 2],
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
    let small = match state {
        0..=4 => ADVANCE * ahead,
        KING => KING_ADVANCE * ahead,
        _ => 0,
    };
    100 * Shogi::piece_values()[state] + small
}

/// Centipawns of the piece with this code once it is in hand.
fn in_hand(code: u8) -> i32 {
    100 * Shogi::hand_values()
        .get(split(code).0 % usize::from(PROMOTED))
        .copied()
        .unwrap_or(0)
}

/// The square so many rows down and columns right.
fn offset(square: usize, rows: i32, columns: i32) -> Option<usize> {
    let side = Shogi::FILES as i32;
    let row = square as i32 / side + rows;
    let column = square as i32 % side + columns;
    let inside = (0..side).contains(&row) && (0..side).contains(&column);
    inside.then_some((row * side + column) as usize)
}

/// Whether a piece captures `steps` squares away over empty ones, in the direction (`rows`, `columns`) as its own side
/// sees it: -1 rows is forward.
fn reaches(state: usize, rows: i32, columns: i32, steps: i32) -> bool {
    let (straight, near) = (rows == 0 || columns == 0, steps == 1);
    match state {
        0 => near && (rows, columns) == (-1, 0),
        1 => (rows, columns) == (-1, 0),
        3 => near && (rows == -1 || rows == 1 && columns != 0),
        4 | 8..=12 => near && (rows < 1 || columns == 0),
        5 => !straight,
        6 => straight,
        KING => near,
        13 => near || !straight,
        14 => near || straight,
        _ => false,
    }
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

    /// Whether the move captures or promotes.
    fn is_noisy(&self, mv: ShogiMove) -> bool {
        self.cells[Shogi::move_to(mv)] != 0 || Shogi::move_promotes(mv)
    }

    /// Shelter of the king of `color` less the enemies about it.
    fn safety(&self, color: Color) -> i32 {
        let king = self.kings[color.index()];
        let mut safety = 0;
        for rows in -2..=2 {
            for columns in -2..=2 {
                let code = offset(king, rows, columns).map_or(0, |square| self.cells[square]);
                if code == 0 {
                    continue;
                }
                let (state, owner) = split(code);
                if owner != color {
                    safety += INTRUDER;
                } else if matches!(state, 3 | 4 | 8..=12)
                    && (-1..=1).contains(&rows)
                    && (-1..=1).contains(&columns)
                {
                    safety += SHELTER;
                }
            }
        }
        safety
    }

    /// The square of the cheapest piece of `color` that captures on `to` while the squares of `gone` count as empty.
    fn cheapest_attacker(&self, color: Color, to: usize, gone: u128) -> Option<usize> {
        let forward = if color == Color::Black { 1 } else { -1 };
        let mut best: Option<(i32, usize)> = None;
        let mut consider = |square: usize, state: usize| {
            let value = if state == KING {
                i32::MAX
            } else {
                Shogi::piece_values()[state]
            };
            if best.is_none_or(|(least, _)| value < least) {
                best = Some((value, square));
            }
        };
        for rows in -1..=1 {
            for columns in -1..=1 {
                if (rows, columns) == (0, 0) {
                    continue;
                }
                for steps in 1..9 {
                    let Some(square) = offset(to, rows * steps, columns * steps) else {
                        break;
                    };
                    let code = self.cells[square];
                    if code == 0 || gone >> square & 1 != 0 {
                        continue;
                    }
                    let (state, owner) = split(code);
                    // From the piece to the square, as its side sees it.
                    if owner == color && reaches(state, -rows * forward, -columns, steps) {
                        consider(square, state);
                    }
                    break;
                }
            }
        }
        for columns in [-1, 1] {
            if let Some(square) = offset(to, 2 * forward, columns)
                && gone >> square & 1 == 0
                && self.cells[square] != 0
                && split(self.cells[square]) == (2, color)
            {
                consider(square, 2);
            }
        }
        best.map(|(_, square)| square)
    }
}

impl Score<Shogi> for ShogiScore {
    const PIECES: usize = 1 + 2 * Shogi::PIECE_STATES;

    fn new(position: &Shogi) -> Self {
        let snapshot = position.snapshot();
        let mut score = ShogiScore {
            cells: [0; SQUARES],
            kings: [0; 2],
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
            let (state, color) = split(code);
            let sign = if color == Color::Black { 1 } else { -1 };
            score.balance += sign * placed(code, square);
            if state == KING {
                score.kings[color.index()] = square;
            }
        }
        for (i, &count) in snapshot.hands.iter().enumerate() {
            let sign = if i < Shogi::HAND_KINDS { 1 } else { -1 };
            let value = 100 * Shogi::hand_values()[i % Shogi::HAND_KINDS];
            score.balance += sign * i32::from(count) * value;
        }
        score
    }

    fn score(&self, position: &Shogi) -> i32 {
        let turn = position.turn();
        let own = if turn == Color::Black {
            self.balance
        } else {
            -self.balance
        };
        TEMPO + own + self.safety(turn) - self.safety(turn.opponent())
    }

    fn gain(&self, position: &Shogi, mv: ShogiMove) -> i32 {
        if self.is_noisy(mv) {
            self.change(mv, position.turn())
        } else {
            QUIET
        }
    }

    fn exchange(&self, position: &Shogi, mv: ShogiMove, gain: i32) -> i32 {
        let gain = if gain == QUIET { 0 } else { gain };
        let (from, to) = (Shogi::move_from(mv), Shogi::move_to(mv));
        let mut gone = if from < SQUARES { 1u128 << from } else { 0 };
        let mut standing = self.moved(mv, position.turn());
        if Shogi::move_promotes(mv) {
            standing += PROMOTED;
        }
        let mut side = position.turn().opponent();
        let mut won = [0; LONGEST];
        let mut count = 0;
        while count < LONGEST {
            let Some(attacker) = self.cheapest_attacker(side, to, gone) else {
                break;
            };
            let code = self.cells[attacker];
            let guarded = self.cheapest_attacker(side.opponent(), to, gone);
            if split(code).0 == KING && guarded.is_some() {
                break;
            }
            won[count] = placed(standing, to) + in_hand(standing);
            count += 1;
            gone |= 1 << attacker;
            standing = code;
            side = side.opponent();
        }
        let mut best = 0;
        for &w in won[..count].iter().rev() {
            best = (w - best).max(0);
        }
        gain - best
    }

    fn mover(&self, position: &Shogi, mv: ShogiMove) -> i32 {
        match Shogi::move_from(mv) {
            from if from < SQUARES => placed(self.moved(mv, position.turn()), from),
            _ => 0,
        }
    }

    fn piece(&self, position: &Shogi, mv: ShogiMove) -> usize {
        usize::from(self.moved(mv, position.turn()))
    }

    fn noisy_moves(&self, position: &Shogi, moves: &mut Vec<ShogiMove>) {
        position.legal_moves(moves);
        moves.retain(|&mv| self.is_noisy(mv));
    }

    fn quiet_moves(&self, position: &Shogi, moves: &mut Vec<ShogiMove>) {
        position.legal_moves(moves);
        moves.retain(|&mv| !self.is_noisy(mv));
    }

    fn winning_move(_: &Shogi) -> Option<ShogiMove> {
        None
    }

    /// The rules know no pass.
    fn pass(_: &Shogi) -> Option<ShogiMove> {
        None
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
            if from == self.kings[turn.index()] {
                self.kings[turn.index()] = to;
            }
        }
        self.cells[to] = if Shogi::move_promotes(mv) {
            moved + PROMOTED
        } else {
            moved
        };
    }

    fn undo(&mut self) {
        let last = self.before.pop().expect("undo follows a move");
        let (from, to) = (Shogi::move_from(last.mv), Shogi::move_to(last.mv));
        self.cells[to] = last.captured;
        if from < SQUARES {
            self.cells[from] = last.moved;
            if split(last.moved).0 == KING {
                self.kings[split(last.moved).1.index()] = from;
            }
        }
        self.balance = last.balance;
    }
}
