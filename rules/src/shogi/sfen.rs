//! Position strings, and the checks that every set-up position passes.

use super::bitboard::Bitboard;
use super::board::Board;
use super::piece::{Kind, Piece};
use super::square::{SIDE, SQUARES, Square};
use super::{RuleSet, Shogi};
use crate::position::MAX_MOVE_NUMBER;
use crate::{Color, Position, SfenError, Snapshot};

/// The usual start, even game.
pub(super) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn error<T>(text: impl Into<String>) -> Result<T, SfenError> {
    Err(SfenError(text.into()))
}

/// Reads a position string.
pub(super) fn read(rules: &RuleSet, sfen: &str) -> Result<Shogi, SfenError> {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let [squares, turn, hands, number] = fields[..] else {
        return error(format!(
            "expected four fields separated by single spaces (board, side to move, hands, move number), \
             found {}",
            fields.len()
        ));
    };
    let mut board = Board::empty();
    read_squares(&mut board, squares)?;
    let turn = match turn {
        "b" => Color::Black,
        "w" => Color::White,
        _ => return error(format!("side to move: `{turn}` is neither `b` nor `w`")),
    };
    read_hands(&mut board, hands)?;
    let plain = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
    match number.parse() {
        Ok(number @ 1..=MAX_MOVE_NUMBER) if plain => set_up(rules, board, turn, number),
        _ => error(format!(
            "move number: `{number}` is no whole number from 1 to {MAX_MOVE_NUMBER}"
        )),
    }
}

fn read_squares(board: &mut Board, text: &str) -> Result<(), SfenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != SIDE {
        return error(format!(
            "board: expected 9 ranks separated by `/`, found {}",
            ranks.len()
        ));
    }
    for (row, rank) in ranks.into_iter().enumerate() {
        let name = (b'a' + row as u8) as char;
        let mut column = 0;
        let mut promoted = false;
        let mut after_number = false;
        for letter in rank.chars() {
            if let Some(empty) = letter.to_digit(10).filter(|_| !promoted) {
                if empty == 0 || after_number {
                    return error(format!(
                        "board, rank {name}: empty squares are one number from 1 to 9, found `{rank}`"
                    ));
                }
                column += empty as usize;
                after_number = true;
                continue;
            }
            after_number = false;
            if letter == '+' && !promoted {
                promoted = true;
                continue;
            }
            let color = if letter.is_ascii_uppercase() {
                Color::Black
            } else {
                Color::White
            };
            let piece = Kind::from_letter(letter.to_ascii_uppercase())
                .filter(|kind| !promoted || kind.promotes())
                .map(|kind| Piece::new(kind, promoted, color));
            let Some(piece) = piece else {
                let plus = if promoted { "+" } else { "" };
                return error(format!("board, rank {name}: `{plus}{letter}` is no piece"));
            };
            if column < SIDE {
                board.put(piece, Square::new(row * SIDE + column));
            }
            column += 1;
            promoted = false;
        }
        if promoted {
            return error(format!("board, rank {name}: a `+` without a piece"));
        }
        if column != SIDE {
            return error(format!(
                "board, rank {name}: `{rank}` describes {column} squares instead of 9"
            ));
        }
    }
    Ok(())
}

fn read_hands(board: &mut Board, text: &str) -> Result<(), SfenError> {
    if text == "-" {
        return Ok(());
    }
    if text.is_empty() {
        return error("hands: nothing there; empty hands are written `-`");
    }
    let mut number = String::new();
    for letter in text.chars() {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let color = if letter.is_ascii_uppercase() {
            Color::Black
        } else {
            Color::White
        };
        let kind = match Kind::from_letter(letter.to_ascii_uppercase()) {
            Some(kind) if kind != Kind::King => kind,
            _ => return error(format!("hands: `{letter}` is no piece that can be in hand")),
        };
        let count = match number.as_str() {
            "" => 1,
            text => match text.parse() {
                Ok(count) if count >= 2 && !text.starts_with('0') => count,
                _ => {
                    return error(format!(
                        "hands: `{text}{letter}`: a count is written only from 2 up, without leading zero"
                    ));
                }
            },
        };
        number.clear();
        if board.in_hand(color, kind) > 0 {
            return error(format!("hands: `{letter}` is there twice; write one count"));
        }
        if count > kind.in_set() {
            return error(format!(
                "hands: {count} {}s, but a set has {}",
                kind.name(),
                kind.in_set()
            ));
        }
        board.set_hand(color, kind, count as u8);
    }
    if !number.is_empty() {
        return error(format!(
            "hands: the count `{number}` at the end belongs to no piece"
        ));
    }
    Ok(())
}

/// Reads a snapshot; its repetition count is history and left out.
pub(super) fn from_snapshot(rules: &RuleSet, snapshot: &Snapshot) -> Result<Shogi, SfenError> {
    if snapshot.board.len() != SQUARES {
        return error(format!(
            "snapshot board: {} squares instead of {SQUARES}",
            snapshot.board.len()
        ));
    }
    if snapshot.hands.len() != 2 * super::HAND_KINDS {
        return error(format!(
            "snapshot hands: {} counts instead of 14",
            snapshot.hands.len()
        ));
    }
    let mut board = Board::empty();
    for (index, &code) in snapshot
        .board
        .iter()
        .enumerate()
        .filter(|&(_, &code)| code != 0)
    {
        let square = Square::new(index);
        match Piece::from_code(code) {
            Some(piece) => board.put(piece, square),
            None => {
                return error(format!(
                    "snapshot board, square {square}: {code} is no piece code"
                ));
            }
        }
    }
    for (i, &count) in snapshot.hands.iter().enumerate() {
        let color = if i < super::HAND_KINDS {
            Color::Black
        } else {
            Color::White
        };
        let kind = Kind::ALL[i % super::HAND_KINDS];
        if count as usize > kind.in_set() {
            return error(format!(
                "snapshot hands: {count} {}s, but a set has {}",
                kind.name(),
                kind.in_set()
            ));
        }
        board.set_hand(color, kind, count);
    }
    match snapshot.move_number {
        number @ 1..=MAX_MOVE_NUMBER => set_up(rules, board, snapshot.turn, number),
        number => error(format!(
            "move number: {number} is not from 1 to {MAX_MOVE_NUMBER}"
        )),
    }
}

/// A game that starts with this board, if it is one that the rules allow.
pub(super) fn set_up(
    rules: &RuleSet,
    board: Board,
    turn: Color,
    move_number: u32,
) -> Result<Shogi, SfenError> {
    for kind in Kind::ALL {
        let on_board = board.plain(kind) | board.promoted(kind);
        let name = kind.name();
        let total = if kind == Kind::King {
            for color in [Color::Black, Color::White] {
                let kings = (on_board & board.of(color)).count();
                if kings != 1 {
                    return error(format!("board: {color:?} has {kings} kings instead of one"));
                }
            }
            continue;
        } else {
            let in_hands: u8 = [Color::Black, Color::White]
                .iter()
                .map(|&c| board.in_hand(c, kind))
                .sum();
            on_board.count() + in_hands as usize
        };
        if total > kind.in_set() {
            let in_set = kind.in_set();
            return error(format!(
                "{total} {name}s on the board and in hand, but a set has {in_set}"
            ));
        }
        for color in [Color::Black, Color::White] {
            let dead = Bitboard::last_ranks(color, kind.dead_ranks());
            let stuck = board.plain(kind) & board.of(color) & dead;
            if !stuck.is_empty() {
                return error(format!(
                    "board, square {}: a {name} of {color:?} could never move from there",
                    stuck.first()
                ));
            }
        }
    }
    for color in [Color::Black, Color::White] {
        let pawns = board.plain(Kind::Pawn) & board.of(color);
        for file in 1..=SIDE {
            if (pawns & Bitboard::of(Square::at(file, 1)).whole_files()).is_several() {
                return error(format!(
                    "board, file {file}: two unpromoted pawns of {color:?} (nifu)"
                ));
            }
        }
    }
    let waiting = turn.opponent();
    if board.is_attacked(turn, board.king(waiting), board.occupied()) {
        return error(format!(
            "board: {waiting:?} is in check at {}, but it is {turn:?}'s turn",
            board.king(waiting)
        ));
    }
    Ok(Shogi::with(rules.clone(), board, turn, move_number))
}

/// The canonical position string.
pub(super) fn write(position: &Shogi) -> String {
    let mut text = String::new();
    for row in 0..SIDE {
        if row > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for column in 0..SIDE {
            match position.board.on(Square::new(row * SIDE + column)) {
                None => empty += 1,
                Some(piece) => {
                    push_count(&mut text, empty, 1);
                    empty = 0;
                    text.push_str(&piece.sfen());
                }
            }
        }
        push_count(&mut text, empty, 1);
    }
    text.push(' ');
    text.push(position.turn().letter());
    text.push(' ');
    let before = text.len();
    for color in [Color::Black, Color::White] {
        for kind in Kind::SFEN_HAND {
            let count = position.board.in_hand(color, kind);
            if count > 0 {
                push_count(&mut text, count, 2);
                text.push_str(&Piece::new(kind, false, color).sfen());
            }
        }
    }
    if text.len() == before {
        text.push('-');
    }
    text.push(' ');
    text.push_str(&position.move_number().to_string());
    text
}

/// Writes a count from `least` up; smaller ones are not written.
fn push_count(text: &mut String, count: u8, least: u8) {
    if count >= least {
        text.push_str(&count.to_string());
    }
}
