//! The slow reference for tenjiku: mailbox, plain, written from the wording of the rules document alone.
//!
//! It shares nothing with the fast core of the `rules` crate, neither tables nor code nor types, so that the
//! two can only agree by both being right (or by both misreading the same sentence). It speaks strings only:
//! position strings, rules texts, move strings. It is a test oracle and no example of how to be fast.

#![allow(dead_code, missing_docs)]

pub mod board;
pub mod moves;
pub mod options;
pub mod pieces;
pub mod random;

use std::collections::HashSet;

use board::{Board, Square};
use moves::{Move, all_moves};
use options::Options;

/// A game: the position and everything that was before.
#[derive(Clone, Debug)]
pub struct Game {
    pub options: Options,
    pub board: Board,
    pub white_to_move: bool,
    pub number: u32,
    /// Section 10: the positions of the game so far, this one included.
    seen: HashSet<(Board, bool)>,
}

/// `*` while the game goes on, else the winner's letter and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    pub letter: char,
    pub reason: Option<&'static str>,
}

impl Game {
    /// Sets up a position string; the game starts there.
    pub fn new(rules: &str, sfen: &str) -> Result<Game, String> {
        let options = Options::parse(rules)?;
        let fields: Vec<&str> = sfen.split(' ').collect();
        let [board, turn, hands, number] = fields[..] else {
            return Err(format!("{} fields", fields.len()));
        };
        let board = Board::parse(board)?;
        let white_to_move = match turn {
            "b" => false,
            "w" => true,
            _ => return Err(format!("side to move `{turn}`")),
        };
        if hands != "-" {
            return Err(format!("hands `{hands}`"));
        }
        let number: u32 = number
            .parse()
            .map_err(|_| format!("move number `{number}`"))?;
        if number == 0 {
            return Err("move number 0".into());
        }
        let seen = HashSet::from([(board.clone(), white_to_move)]);
        Ok(Game {
            options,
            board,
            white_to_move,
            number,
            seen,
        })
    }

    pub fn sfen(&self) -> String {
        format!(
            "{} {} - {}",
            self.board.text(),
            if self.white_to_move { 'w' } else { 'b' },
            self.number
        )
    }

    /// Section 9: the game is over because a side has no royal. The opponent of the one who moved comes first.
    fn royal_winner_is_white(&self) -> Option<bool> {
        let mover = !self.white_to_move;
        if !self.board.has_royal(!mover) {
            Some(mover)
        } else if !self.board.has_royal(mover) {
            Some(!mover)
        } else {
            None
        }
    }

    /// The legal moves, none where the game is over.
    pub fn legal(&self) -> Vec<Move> {
        if self.royal_winner_is_white().is_some() {
            return Vec::new();
        }
        let mut list = all_moves(&self.board, self.white_to_move, &self.options);
        let bound = self.options.repetition_forbidden
            && !(self.options.repetition_in_check_allowed && self.in_check());
        if bound {
            list.retain(|&mv| {
                !self
                    .seen
                    .contains(&(after(&self.board, mv, &self.options), !self.white_to_move))
            });
        }
        list
    }

    /// The legal move strings, sorted by bytes.
    pub fn legal_strings(&self) -> Vec<String> {
        let mut list: Vec<String> = self.legal().into_iter().map(Move::text).collect();
        list.sort();
        list
    }

    /// Plays a legal move string.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = self
            .legal()
            .into_iter()
            .find(|mv| mv.text() == text)
            .ok_or(format!("`{text}` is not legal"))?;
        self.play_move(mv);
        Ok(())
    }

    pub fn play_move(&mut self, mv: Move) {
        self.board = after(&self.board, mv, &self.options);
        self.white_to_move = !self.white_to_move;
        self.number += 1;
        self.seen.insert((self.board.clone(), self.white_to_move));
    }

    /// The position string after a move, this game left alone.
    pub fn sfen_after(&self, mv: Move) -> String {
        let turn = if self.white_to_move { 'b' } else { 'w' };
        format!(
            "{} {turn} - {}",
            after(&self.board, mv, &self.options).text(),
            self.number + 1
        )
    }

    pub fn status(&self) -> Status {
        let lost_by_white = |lost| if lost { 'b' } else { 'w' };
        if let Some(white) = self.royal_winner_is_white() {
            Status {
                letter: lost_by_white(!white),
                reason: Some("royal_captured"),
            }
        } else if self.legal().is_empty() {
            Status {
                letter: lost_by_white(self.white_to_move),
                reason: Some("no_moves"),
            }
        } else {
            Status {
                letter: '*',
                reason: None,
            }
        }
    }

    /// Whether, if the other side moved now, one of its moves would leave this side without a royal.
    pub fn in_check(&self) -> bool {
        all_moves(&self.board, !self.white_to_move, &self.options)
            .into_iter()
            .any(|mv| !after(&self.board, mv, &self.options).has_royal(self.white_to_move))
    }

    /// Section 17.
    pub fn perft(&self, depth: u32) -> u64 {
        let legal = self.legal();
        if depth <= 1 {
            return if depth == 0 { 1 } else { legal.len() as u64 };
        }
        let mut count = 0;
        for mv in legal {
            let mut next = self.clone();
            next.play_move(mv);
            count += next.perft(depth - 1);
        }
        count
    }
}

/// Section 8: what one move does to the board, in order.
pub fn after(before: &Board, mv: Move, options: &Options) -> Board {
    let mut board = before.clone();
    let mut mover = board.at(mv.from).expect("somebody moves");
    // 1. Captures, in path order.
    board.put(mv.from, None);
    if let Some(via) = mv.via {
        board.put(via, None);
    }
    // 2. The mover stands on the end square.
    mover.promoted |= mv.promote;
    board.put(mv.to, Some(mover));
    // 3. Fire.
    let enemies: Vec<Square> = mv
        .to
        .neighbours()
        .filter(|&s| board.at(s).is_some_and(|p| p.white != mover.white))
        .collect();
    let is_demon = |board: &Board, square| board.at(square).is_some_and(|p| p.is_demon());
    let beside_demon = enemies.iter().any(|&s| is_demon(&board, s));
    if mover.is_demon() && (!beside_demon || options.clash_burns_others_too) {
        for &square in &enemies {
            if !is_demon(&board, square) {
                board.put(square, None);
            }
        }
    }
    if beside_demon {
        board.put(mv.to, None);
    }
    board
}
