//! One comparison of the fast core with the slow reference, and its reproduction as text.

use std::fmt;

use rules::tenjiku::Tenjiku;
use rules::{Color, GameMove, Position, Rules};

use crate::oracle::moves::Move;
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

    let mut moves = Vec::new();
    fast.legal_moves(&mut moves);
    let mut fast_strings: Vec<String> = moves.iter().map(ToString::to_string).collect();
    fast_strings.sort();
    let mut slow_strings: Vec<String> = legal.iter().map(|mv| mv.text()).collect();
    slow_strings.sort();
    if fast_strings != slow_strings {
        let missing: Vec<_> = slow_strings
            .iter()
            .filter(|s| !fast_strings.contains(s))
            .collect();
        let extra: Vec<_> = fast_strings
            .iter()
            .filter(|s| !slow_strings.contains(s))
            .collect();
        let doubled: Vec<_> = fast_strings
            .windows(2)
            .filter(|w| w[0] == w[1])
            .map(|w| &w[0])
            .collect();
        return Err(format!(
            "legal moves: missing {missing:?}, too many {extra:?}, twice {doubled:?}"
        ));
    }
    if fast.early_outcome().is_some() {
        return Ok(());
    }
    expect("check", &game.in_check(), &fast.in_check())?;

    let key = fast.key();
    moves.sort_by_cached_key(ToString::to_string);
    let mut legal = legal.to_vec();
    legal.sort_by_cached_key(|mv| mv.text());
    for (&slow_move, &mv) in legal.iter().zip(&moves) {
        let text = slow_move.text();
        expect(
            "code of the move",
            &Some(mv),
            &GameMove::from_code(mv.code()),
        )?;
        let promised_win = fast.wins_at_once(mv);
        let after = oracle::after(&game.board, slow_move, &game.options);
        fast.play(mv);
        let slow_after = format!(
            "{} {} - {}",
            after.text(),
            turn_letter(!game.white_to_move),
            game.number + 1
        );
        expect(&format!("position after {text}"), &slow_after, &fast.sfen())?;
        let (own, other) = (
            after.has_royal(game.white_to_move),
            after.has_royal(!game.white_to_move),
        );
        let winner = match (own, other) {
            (_, false) => Some(game.white_to_move),
            (false, true) => Some(!game.white_to_move),
            (true, true) => None,
        };
        let fast_winner = fast.early_outcome().map(|o| o.winner == Some(Color::White));
        expect(&format!("White won after {text}"), &winner, &fast_winner)?;
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
