//! Values with their perspective in the type, so that a lost sign does not compile.
//!
//! `...Pov` types are seen by the side to move; [`WdlAbs`] and [`Proof`] name the colours. The only ways across
//! are `abs(turn)` and `pov(turn)`. The tree stores absolute values only: backing up is plain addition.

use rules::{Color, Outcome};

/// Win - loss in [-1, 1], seen by the side to move.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct ValuePov(pub f32);

/// Probabilities of (win, draw, loss) for the side to move; each in [0, 1], sum 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlPov {
    /// The side to move wins.
    pub win: f32,
    /// Nobody wins.
    pub draw: f32,
    /// The side to move loses.
    pub loss: f32,
}

/// Probabilities of (Black wins, draw, White wins); each in [0, 1], sum 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlAbs {
    /// Black wins.
    pub black: f32,
    /// Nobody wins.
    pub draw: f32,
    /// White wins.
    pub white: f32,
}

impl WdlPov {
    /// From (win, draw, loss), the order of [`Evaluations::wdl`](crate::Evaluations::wdl) and of the records.
    pub fn from_array([win, draw, loss]: [f32; 3]) -> Self {
        WdlPov { win, draw, loss }
    }

    /// As (win, draw, loss).
    pub fn to_array(self) -> [f32; 3] {
        [self.win, self.draw, self.loss]
    }

    /// Win - loss.
    pub fn value(self) -> ValuePov {
        ValuePov(self.win - self.loss)
    }

    /// The same with the colours named, where `turn` is the side to move.
    pub fn abs(self, turn: Color) -> WdlAbs {
        let WdlPov { win, draw, loss } = self;
        match turn {
            Color::Black => WdlAbs {
                black: win,
                draw,
                white: loss,
            },
            Color::White => WdlAbs {
                black: loss,
                draw,
                white: win,
            },
        }
    }
}

impl WdlAbs {
    /// The same seen by `turn`.
    pub fn pov(self, turn: Color) -> WdlPov {
        let WdlAbs { black, draw, white } = self;
        match turn {
            Color::Black => WdlPov {
                win: black,
                draw,
                loss: white,
            },
            Color::White => WdlPov {
                win: white,
                draw,
                loss: black,
            },
        }
    }
}

/// The value that a finished or solved game has for certain, and in how many plies it ends.
///
/// `plies` is the length of the proof that was found: the winner can force the end within that many plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Neither side can be stopped from drawing.
    Draw,
    /// `winner` wins within `plies` plies; 0 where the game is over.
    Win {
        /// Who wins.
        winner: Color,
        /// Upper bound on the number of plies to the end.
        plies: u16,
    },
}

/// A [`Proof`] seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofPov {
    /// Wins within so many plies.
    Win(u16),
    /// A draw.
    Draw,
    /// Loses within so many plies.
    Loss(u16),
}

impl Proof {
    /// Of a game that is over.
    pub fn of_outcome(outcome: Outcome) -> Proof {
        match outcome.winner {
            Some(winner) => Proof::Win { winner, plies: 0 },
            None => Proof::Draw,
        }
    }

    /// The certain value.
    pub fn wdl(self) -> WdlAbs {
        let one = |black, draw, white| WdlAbs { black, draw, white };
        match self {
            Proof::Draw => one(0.0, 1.0, 0.0),
            Proof::Win {
                winner: Color::Black,
                ..
            } => one(1.0, 0.0, 0.0),
            Proof::Win {
                winner: Color::White,
                ..
            } => one(0.0, 0.0, 1.0),
        }
    }

    /// Plies to the end; 0 for a draw, whose length nobody asks for.
    pub fn plies(self) -> u16 {
        match self {
            Proof::Draw => 0,
            Proof::Win { plies, .. } => plies,
        }
    }

    /// The proof of the position one ply earlier, if this is the line that is played.
    pub fn one_ply_earlier(self) -> Proof {
        match self {
            Proof::Draw => Proof::Draw,
            Proof::Win { winner, plies } => Proof::Win {
                winner,
                plies: plies.saturating_add(1),
            },
        }
    }

    /// Whether `color` wins.
    pub fn wins(self, color: Color) -> bool {
        matches!(self, Proof::Win { winner, .. } if winner == color)
    }

    /// The same seen by `turn`.
    pub fn pov(self, turn: Color) -> ProofPov {
        match self {
            Proof::Draw => ProofPov::Draw,
            Proof::Win { winner, plies } if winner == turn => ProofPov::Win(plies),
            Proof::Win { plies, .. } => ProofPov::Loss(plies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perspectives_convert_both_ways() {
        let wdl = WdlPov {
            win: 0.7,
            draw: 0.2,
            loss: 0.1,
        };
        for turn in [Color::Black, Color::White] {
            assert_eq!(wdl.abs(turn).pov(turn), wdl);
            assert_eq!(wdl.abs(turn).pov(turn.opponent()).win, 0.1);
        }
        assert_eq!(wdl.abs(Color::White).black, 0.1);
        assert!((wdl.value().0 - 0.6).abs() < 1e-6);
    }

    #[test]
    fn proofs_have_the_value_they_claim() {
        let white = Proof::Win {
            winner: Color::White,
            plies: 3,
        };
        assert_eq!(white.pov(Color::Black), ProofPov::Loss(3));
        assert_eq!(white.one_ply_earlier().pov(Color::White), ProofPov::Win(4));
        assert_eq!(white.wdl().pov(Color::Black).value(), ValuePov(-1.0));
        assert_eq!(Proof::Draw.wdl().pov(Color::White).value(), ValuePov(0.0));
    }
}
