//! Small tenjiku positions for the rule tests, written as lists of pieces.

// Each test program uses a part of it.
#![allow(dead_code)]

use rules::tenjiku::{RuleSet, Square, Tenjiku};
use rules::{Position, Rules};

/// Kings where they disturb nothing in the middle of the board.
pub const KINGS: &str = "2p:K 13a:k";

/// The position string of a list of pieces such as `8h:LN 8g:p 1p:+SE`, White's in lower case.
pub fn sfen(turn: char, pieces: &str) -> String {
    let mut board = vec![String::new(); 256];
    for entry in pieces.split_whitespace() {
        let (square, piece) = entry.split_once(':').expect("square:piece");
        let square = Square::parse(square).expect("a square name").index();
        let (plus, name) = match piece.strip_prefix('+') {
            Some(name) => ("+", name),
            None => ("", piece),
        };
        let name = if name.len() > 1 {
            format!("[{name}]")
        } else {
            name.to_string()
        };
        assert!(
            board[square].is_empty(),
            "two pieces on one square: {entry}"
        );
        board[square] = format!("{plus}{name}");
    }
    let ranks = board.chunks(16).map(|rank| {
        let mut text = String::new();
        let mut empty = 0;
        for piece in rank {
            if piece.is_empty() {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            text += piece;
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text
    });
    format!("{} {turn} - 1", ranks.collect::<Vec<_>>().join("/"))
}

/// A position of these pieces under these rules.
pub fn game_under(rules: &str, turn: char, pieces: &str) -> Tenjiku {
    let rules = RuleSet::parse(rules).unwrap_or_else(|error| panic!("{error}"));
    Tenjiku::from_sfen(&rules, &sfen(turn, pieces)).unwrap_or_else(|error| panic!("{error}"))
}

/// A position of these pieces under the default rules.
pub fn game(turn: char, pieces: &str) -> Tenjiku {
    game_under("historical", turn, pieces)
}

/// All legal moves as strings, sorted.
pub fn legal(game: &Tenjiku) -> Vec<String> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let mut texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.sort();
    let count = texts.len();
    texts.dedup();
    assert_eq!(texts.len(), count, "a move is listed twice in {game:?}");
    texts
}

/// The legal moves of the piece on `square`, without the start square, sorted.
pub fn moves_of(game: &Tenjiku, square: &str) -> Vec<String> {
    let rest = |text: &String| text.strip_prefix(square).map(str::to_string);
    legal(game).iter().filter_map(rest).collect()
}

/// The words of `text`, sorted: what [`moves_of`] should be.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    words.sort();
    words
}

/// Plays moves, each of which must be legal.
pub fn play(game: &mut Tenjiku, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = game
            .parse_move(text)
            .unwrap_or_else(|error| panic!("{game:?}: {error}"));
        game.play(mv);
    }
}

/// The pieces after the moves, in the form of [`sfen`], square by square.
pub fn pieces_after(game: &Tenjiku, moves: &str) -> String {
    let mut game = game.clone();
    play(&mut game, moves);
    pieces(&game)
}

/// The pieces on the board in the form of [`sfen`], square by square.
pub fn pieces(game: &Tenjiku) -> String {
    let mut list = Vec::new();
    for square in (0..=255).map(Square) {
        let Some(piece) = game.piece_at(square) else {
            continue;
        };
        let name = piece.abbr();
        let name = match piece.color {
            rules::Color::Black => name.to_uppercase(),
            rules::Color::White => name.to_lowercase(),
        };
        list.push(format!("{square}:{name}"));
    }
    list.join(" ")
}

/// Asserts that the piece on a square has exactly these moves.
#[track_caller]
pub fn assert_moves(game: &Tenjiku, square: &str, expected: &str) {
    assert_eq!(moves_of(game, square), words(expected), "{game:?}");
}
