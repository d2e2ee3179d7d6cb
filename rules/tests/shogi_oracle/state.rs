//! A position: board, hands, side to move; its legal moves.

use super::pieces::Piece;

/// The kinds that can be in hand, in the order in which hands are written.
const HAND: &[u8; 7] = b"RBGSNLP";

/// Board, hands and side to move: what makes two positions the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// By file and rank, both from 1; index 0 is unused.
    board: [[Option<Piece>; 10]; 10],
    /// Black's, White's counts in the order of [`HAND`].
    hands: [[usize; 7]; 2],
    pub black_to_move: bool,
}

type Square = (i32, i32);

fn name((file, rank): Square) -> String {
    format!("{file}{}", (b'a' + rank as u8 - 1) as char)
}

fn side(black: bool) -> usize {
    usize::from(!black)
}

/// The rank as `black` or White counts from the far edge, from 1.
fn row(black: bool, rank: i32) -> i32 {
    if black { rank } else { 10 - rank }
}

impl State {
    /// Reads board, side and hands of a position string that is known to be good.
    pub fn read(sfen: &str) -> State {
        let fields: Vec<&str> = sfen.split(' ').collect();
        let mut state = State {
            board: [[None; 10]; 10],
            hands: [[0; 7]; 2],
            black_to_move: fields[1] == "b",
        };
        for (rank, text) in (1..).zip(fields[0].split('/')) {
            let mut file = 9;
            let mut promoted = false;
            for c in text.bytes() {
                match c {
                    b'1'..=b'9' => file -= i32::from(c - b'0'),
                    b'+' => promoted = true,
                    _ => {
                        let letter = c.to_ascii_uppercase();
                        state.put(
                            (file, rank),
                            Some(Piece {
                                letter,
                                promoted,
                                black: c == letter,
                            }),
                        );
                        promoted = false;
                        file -= 1;
                    }
                }
            }
        }
        let mut count = 0;
        for c in fields[2].bytes().filter(|&c| c != b'-') {
            if c.is_ascii_digit() {
                count = 10 * count + usize::from(c - b'0');
            } else {
                let letter = c.to_ascii_uppercase();
                *state.hand(c == letter, letter) = count.max(1);
                count = 0;
            }
        }
        state
    }

    /// Board, side and hands as a position string has them.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for rank in 1..=9 {
            let mut gap = 0;
            for file in (1..=9).rev() {
                let Some(piece) = self.at((file, rank)) else {
                    gap += 1;
                    continue;
                };
                if gap > 0 {
                    text += &gap.to_string();
                    gap = 0;
                }
                text += if piece.promoted { "+" } else { "" };
                let letter = piece.letter as char;
                text.push(if piece.black {
                    letter
                } else {
                    letter.to_ascii_lowercase()
                });
            }
            if gap > 0 {
                text += &gap.to_string();
            }
            text += if rank < 9 { "/" } else { "" };
        }
        let mut hands = String::new();
        for black in [true, false] {
            for (&letter, &count) in HAND.iter().zip(&self.hands[side(black)]) {
                let letter = letter as char;
                let letter = if black {
                    letter
                } else {
                    letter.to_ascii_lowercase()
                };
                match count {
                    0 => {}
                    1 => hands.push(letter),
                    _ => hands += &format!("{count}{letter}"),
                }
            }
        }
        let hands = if hands.is_empty() { "-" } else { &hands };
        format!(
            "{text} {} {hands}",
            if self.black_to_move { "b" } else { "w" }
        )
    }

    fn at(&self, (file, rank): Square) -> Option<Piece> {
        self.board[file as usize][rank as usize]
    }

    fn put(&mut self, (file, rank): Square, piece: Option<Piece>) {
        self.board[file as usize][rank as usize] = piece;
    }

    fn hand(&mut self, black: bool, letter: u8) -> &mut usize {
        let kind = HAND
            .iter()
            .position(|&l| l == letter)
            .expect("a piece that can be in hand");
        &mut self.hands[side(black)][kind]
    }

    fn pieces(&self, black: bool) -> Vec<(Square, Piece)> {
        let squares = (1..=9).flat_map(|file| (1..=9).map(move |rank| (file, rank)));
        squares
            .filter_map(|square| Some((square, self.at(square)?)))
            .filter(|(_, piece)| piece.black == black)
            .collect()
    }

    /// Where the piece on `from` goes, check or not: steps and slides that end before an own piece or on the
    /// first enemy piece.
    fn goes(&self, from: Square, piece: Piece) -> Vec<Square> {
        let ahead = if piece.black { -1 } else { 1 };
        let (steps, slides) = piece.moves();
        let mut goals = Vec::new();
        for (aside, up, far) in steps
            .iter()
            .map(|s| (s.0, s.1, 1))
            .chain(slides.iter().map(|s| (s.0, s.1, 8)))
        {
            let mut square = from;
            for _ in 0..far {
                square = (square.0 + aside, square.1 + ahead * up);
                if !(1..=9).contains(&square.0) || !(1..=9).contains(&square.1) {
                    break;
                }
                match self.at(square) {
                    Some(other) if other.black == piece.black => break,
                    Some(_) => {
                        goals.push(square);
                        break;
                    }
                    None => goals.push(square),
                }
            }
        }
        goals
    }

    /// Whether the king of this side could be taken next.
    pub fn in_check(&self, black: bool) -> bool {
        let is_king = |(_, piece): &&(Square, Piece)| piece.letter == b'K';
        let own = self.pieces(black);
        let king = own.iter().find(is_king).expect("a king").0;
        self.pieces(!black)
            .into_iter()
            .any(|(from, piece)| self.goes(from, piece).contains(&king))
    }

    /// The position after a move string.
    pub fn after(&self, mv: &str) -> State {
        let square = |text: &str| {
            let bytes = text.as_bytes();
            (i32::from(bytes[0] - b'0'), i32::from(bytes[1] - b'a') + 1)
        };
        let mut next = self.clone();
        let black = self.black_to_move;
        next.black_to_move = !black;
        if mv.as_bytes()[1] == b'*' {
            let letter = mv.as_bytes()[0];
            *next.hand(black, letter) -= 1;
            next.put(
                square(&mv[2..4]),
                Some(Piece {
                    letter,
                    promoted: false,
                    black,
                }),
            );
            return next;
        }
        let (from, to) = (square(&mv[..2]), square(&mv[2..4]));
        if let Some(taken) = self.at(to) {
            *next.hand(black, taken.letter) += 1;
        }
        let mut piece = self.at(from).expect("a piece to move");
        piece.promoted |= mv.ends_with('+');
        next.put(from, None);
        next.put(to, Some(piece));
        next
    }

    /// Legal moves, sorted, and the pawn drops that are illegal only because they would mate.
    pub fn moves(&self) -> (Vec<String>, Vec<String>) {
        let black = self.black_to_move;
        let in_zone = |rank| row(black, rank) <= 3;
        let mut moves = Vec::new();
        for (from, piece) in self.pieces(black) {
            for to in self.goes(from, piece) {
                let mv = name(from) + &name(to);
                if piece.can_promote() && (in_zone(from.1) || in_zone(to.1)) {
                    moves.push(mv.clone() + "+");
                }
                if !piece.is_stuck(row(black, to.1)) {
                    moves.push(mv);
                }
            }
        }
        for (&letter, &count) in HAND.iter().zip(&self.hands[side(black)]) {
            let piece = Piece {
                letter,
                promoted: false,
                black,
            };
            for (file, rank) in (1..=9).flat_map(|f| (1..=9).map(move |r| (f, r))) {
                let two_pawns =
                    letter == b'P' && (1..=9).any(|r| self.at((file, r)) == Some(piece));
                let free = self.at((file, rank)).is_none();
                if count > 0 && free && !two_pawns && !piece.is_stuck(row(black, rank)) {
                    moves.push(format!("{}*{}", letter as char, name((file, rank))));
                }
            }
        }
        moves.retain(|mv| !self.after(mv).in_check(black));
        let (mating_drops, mut legal): (Vec<String>, Vec<String>) =
            moves.into_iter().partition(|mv| {
                let next = self.after(mv);
                mv.starts_with("P*") && next.in_check(!black) && next.moves().0.is_empty()
            });
        legal.sort();
        (legal, mating_drops)
    }

    /// Whether the side to move may win by declaration (27 points).
    pub fn may_declare(&self) -> bool {
        let black = self.black_to_move;
        let mut king_in_zone = false;
        let mut others = 0;
        let mut points = 0;
        let worth = |letter| {
            if letter == b'R' || letter == b'B' {
                5
            } else {
                1
            }
        };
        for ((_, rank), piece) in self.pieces(black) {
            if row(black, rank) <= 3 {
                if piece.letter == b'K' {
                    king_in_zone = true;
                } else {
                    others += 1;
                    points += worth(piece.letter);
                }
            }
        }
        for (&letter, &count) in HAND.iter().zip(&self.hands[side(black)]) {
            points += count * worth(letter);
        }
        let needed = if black { 28 } else { 27 };
        !self.in_check(black) && king_in_zone && others >= 10 && points >= needed
    }
}
