//! Material: the value of the pieces on the board and in hand, from published tables, and what goes with it.

use super::Score;
use crate::{Color, Position};

/// What XBoard's `setup` command says of a game that XBoard does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XboardSetup {
    /// XBoard's letters of the types that have no letter of their own in our position strings: upper-case
    /// abbreviation and letter with a mark, e.g. `("FL", "F'")`.
    pub letters: &'static [(&'static str, &'static str)],
    /// The piece table: letters of all types, first upper, then lower case.
    pub pieces: String,
    /// Board size, holdings and parent variant, e.g. `16x16+0_chu`.
    pub size: &'static str,
}

/// A game whose pieces have known values.
pub trait Material: Position {
    /// The alpha-beta engine's evaluation of this game.
    ///
    /// [`PlainScore`](super::PlainScore) is one for any game.
    type Score: Score<Self>;

    /// Value of each piece state (see [`Position::PIECE_STATES`]), pawn = 1.
    fn piece_values() -> &'static [i32];

    /// Value of each hand kind.
    fn hand_values() -> &'static [i32];

    /// The state of a piece of this state once it has promoted. Asked only of pieces that promote.
    fn promoted_state(state: usize) -> usize {
        state + Self::PIECE_STATES / 2
    }

    /// How XBoard is told of the game; `None` if it knows it, or if it is not to be played there.
    fn xboard() -> Option<XboardSetup> {
        None
    }

    /// Own material minus the opponent's, from the side to move's view.
    fn material(&self) -> i32 {
        let snapshot = self.snapshot();
        let (states, values) = (Self::PIECE_STATES, Self::piece_values());
        let board: i32 = snapshot
            .board
            .iter()
            .map(|&code| match code as usize {
                0 => 0,
                c if c <= states => values[c - 1],
                c => -values[c - 1 - states],
            })
            .sum();
        let hand = |side: &[u8]| -> i32 {
            side.iter()
                .zip(Self::hand_values())
                .map(|(&n, v)| i32::from(n) * v)
                .sum()
        };
        let (black, white) = snapshot.hands.split_at(Self::HAND_KINDS);
        let balance = board + hand(black) - hand(white);
        match snapshot.turn {
            Color::Black => balance,
            Color::White => -balance,
        }
    }
}
