//! One comparison of the fast core with the slow reference, and its reproduction as text.

use std::fmt;
use std::sync::OnceLock;

use rules::tenjiku::Tenjiku;
use rules::{Color, GameMove, Position, Rules};

use crate::oracle::board::{Board, Square};
use crate::oracle::moves::Move;
use crate::oracle::pieces::{BASE, Piece, promotes_to};
use crate::oracle::{self, Game};

/// A position by how it came about: enough to compare both programs again anywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub rules: String,
    pub sfen: String,
    pub moves: Vec<String>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "--rules {} --sfen \"{}\" --moves \"{}\"",
            self.rules,
            self.sfen,
            self.moves.join(" ")
        )
    }
}

impl Case {
    /// Sets the case up on both sides and compares; `None` if the reference finds the case itself impossible.
    pub fn run(&self) -> Option<Result<(), String>> {
        let mut game = Game::new(&self.rules, &self.sfen).ok()?;
        let mut fast = match set_up(&self.rules, &self.sfen) {
            Ok(fast) => fast,
            Err(error) => return Some(Err(error)),
        };
        for text in &self.moves {
            game.play(text).ok()?;
            match fast.parse_move(text) {
                Ok(mv) => fast.play(mv),
                Err(error) => return Some(Err(format!("legal move refused: {error}"))),
            }
        }
        Some(compare(&game, &game.legal(), &mut fast))
    }

    /// The position at the end of the moves.
    pub fn final_sfen(&self) -> Option<String> {
        let mut game = Game::new(&self.rules, &self.sfen).ok()?;
        self.moves
            .iter()
            .try_for_each(|text| game.play(text))
            .ok()?;
        Some(game.sfen())
    }
}

/// The fast core's position.
pub fn set_up(rules: &str, sfen: &str) -> Result<Tenjiku, String> {
    let rules =
        <Tenjiku as Position>::Rules::parse(rules).map_err(|e| format!("rules refused: {e}"))?;
    Tenjiku::from_sfen(&rules, sfen).map_err(|e| format!("position refused: {e}"))
}

/// Compares position string, status, check, legal moves and the result of each of them.
///
/// # Errors
/// The first difference, as a sentence.
pub fn compare(game: &Game, legal: &[Move], fast: &mut Tenjiku) -> Result<(), String> {
    let sfen = game.sfen();
    expect("position string", &sfen, &fast.sfen())?;
    expect("status", &slow_status(game, legal), &fast_status(fast))?;

    let mut fast_moves = Vec::new();
    fast.legal_moves(&mut fast_moves);
    let fast_moves = by_text(fast_moves.iter().map(|mv| (mv.to_string(), *mv)));
    let slow_moves = by_text(legal.iter().map(|mv| (mv.text(), *mv)));
    if !fast_moves
        .iter()
        .map(|m| &m.0)
        .eq(slow_moves.iter().map(|m| &m.0))
    {
        return Err(difference_of_lists(&slow_moves, &fast_moves));
    }
    expect("number of moves", &legal.len(), &fast.legal_count())?;
    if fast.early_outcome().is_some() {
        return Ok(());
    }
    expect("check", &game.in_check(), &fast.in_check())?;

    let key = fast.key();
    for ((text, slow_move), (_, mv)) in slow_moves.into_iter().zip(fast_moves) {
        expect(
            "code of the move",
            &Some(mv),
            &GameMove::from_code(mv.code()),
        )?;
        let promised_win = fast.wins_at_once(mv);
        let after = oracle::after(&game.board, slow_move, &game.options);
        fast.play(mv);
        let same = (0..=255)
            .zip(codes_of(&after))
            .all(|(square, code)| fast.code_at(rules::tenjiku::Square(square)) == code)
            && (fast.turn() == Color::White) != game.white_to_move
            && fast.move_number() == game.number + 1;
        if !same {
            let slow_after = format!(
                "{} {} - {}",
                after.text(),
                turn_letter(!game.white_to_move),
                game.number + 1
            );
            expect(&format!("position after {text}"), &slow_after, &fast.sfen())?;
            return Err(format!(
                "position after {text}: only the text agrees, {slow_after}"
            ));
        }
        let royals = after.have_royals();
        let (mover, other) = (
            usize::from(game.white_to_move),
            usize::from(!game.white_to_move),
        );
        let winner = match (royals[mover], royals[other]) {
            (_, false) => Some(game.white_to_move),
            (false, true) => Some(!game.white_to_move),
            (true, true) => None,
        };
        let fast_winner = fast.early_outcome().map(|o| o.winner == Some(Color::White));
        expect("winner (White?) after the move", &winner, &fast_winner)
            .map_err(|difference| format!("{text}: {difference}"))?;
        if promised_win && winner != Some(game.white_to_move) {
            return Err(format!("{text} is said to win at once and does not"));
        }
        fast.undo();
    }
    expect(
        "position string after undoing every move",
        &sfen,
        &fast.sfen(),
    )?;
    expect("key after undoing every move", &key, &fast.key())
}

/// Moves with their strings, sorted by string.
fn by_text<M>(moves: impl Iterator<Item = (String, M)>) -> Vec<(String, M)> {
    let mut moves: Vec<(String, M)> = moves.collect();
    moves.sort_by(|a, b| a.0.cmp(&b.0));
    moves
}

fn difference_of_lists<S, F>(slow: &[(String, S)], fast: &[(String, F)]) -> String {
    let slow: Vec<&String> = slow.iter().map(|m| &m.0).collect();
    let fast: Vec<&String> = fast.iter().map(|m| &m.0).collect();
    let missing: Vec<_> = slow.iter().filter(|s| !fast.contains(s)).collect();
    let extra: Vec<_> = fast.iter().filter(|s| !slow.contains(s)).collect();
    let twice: Vec<_> = fast
        .windows(2)
        .filter(|w| w[0] == w[1])
        .map(|w| w[0])
        .collect();
    format!("legal moves: missing {missing:?}, too many {extra:?}, twice {twice:?}")
}

/// The board in the fast core's codes, square by square. The code of a piece is what the fast core has on the
/// square where a position string puts this piece alone; comparing codes is much cheaper than comparing strings.
fn codes_of(board: &Board) -> impl Iterator<Item = u8> {
    static CODES: OnceLock<[u8; 4 * BASE.len()]> = OnceLock::new();
    let codes = CODES.get_or_init(|| {
        let mut codes = [0; 4 * BASE.len()];
        for (base, _) in BASE {
            for (white, promoted) in [(false, false), (false, true), (true, false), (true, true)] {
                if !promoted || promotes_to(base).is_some() {
                    let piece = Piece {
                        white,
                        base,
                        promoted,
                    };
                    codes[index(piece)] = code_of(piece);
                }
            }
        }
        codes
    });
    let cells = board.0.iter().flatten();
    cells.map(|cell| cell.map_or(0, |piece| codes[index(piece)]))
}

fn index(piece: Piece) -> usize {
    piece.base as usize * 4 + usize::from(piece.promoted) * 2 + usize::from(piece.white)
}

fn code_of(piece: Piece) -> u8 {
    let mut board = Board::EMPTY;
    board.put(Square { column: 0, row: 0 }, Some(piece));
    let alone = set_up("historical", &format!("{} b - 1", board.text()));
    alone.expect("a position of one piece").snapshot().board[0]
}

fn turn_letter(white: bool) -> char {
    if white { 'w' } else { 'b' }
}

/// `Game::status` without generating the moves again.
fn slow_status(game: &Game, legal: &[Move]) -> String {
    let status = if legal.is_empty() {
        game.status()
    } else {
        oracle::Status {
            letter: '*',
            reason: None,
        }
    };
    format!("{} {}", status.letter, status.reason.unwrap_or("-"))
}

fn fast_status(fast: &Tenjiku) -> String {
    match fast.outcome() {
        None => "* -".to_string(),
        Some(outcome) => {
            let letter = outcome
                .winner
                .map_or("draw".to_string(), |c| c.letter().to_string());
            format!("{letter} {}", outcome.reason.name())
        }
    }
}

fn expect<T: PartialEq + fmt::Debug>(what: &str, slow: &T, fast: &T) -> Result<(), String> {
    if slow == fast {
        Ok(())
    } else {
        Err(format!("{what}: reference {slow:?}, fast core {fast:?}"))
    }
}
