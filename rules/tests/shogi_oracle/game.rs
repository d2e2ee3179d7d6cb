//! A whole game: every position so far, and how it stands.

use super::state::State;

/// How a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Open,
    /// No legal move; the colour that wins.
    NoMoves {
        black_wins: bool,
    },
    /// Fourfold repetition, a draw.
    Repetition,
    /// Fourfold repetition by perpetual check.
    PerpetualCheck {
        black_wins: bool,
    },
}

/// Every position of a game; the last one is the current one.
#[derive(Clone, Debug)]
pub struct Game {
    positions: Vec<State>,
}

impl Game {
    pub fn new(sfen: &str) -> Game {
        Game {
            positions: vec![State::read(sfen)],
        }
    }

    pub fn now(&self) -> &State {
        self.positions.last().expect("at least the start")
    }

    pub fn play(&mut self, mv: &str) {
        self.positions.push(self.now().after(mv));
    }

    /// How often the current position was there before.
    pub fn repetitions(&self) -> usize {
        self.positions
            .iter()
            .filter(|state| *state == self.now())
            .count()
            - 1
    }

    /// The result by repetition, whatever moves there are.
    pub fn repetition(&self) -> Status {
        if self.repetitions() < 3 {
            return Status::Open;
        }
        let first = self
            .positions
            .iter()
            .position(|state| state == self.now())
            .expect("it is there");
        // A position that came about by a move of Black is one with White to move.
        let only_checks = |black: bool| {
            self.positions[first + 1..]
                .iter()
                .filter(|state| state.black_to_move != black)
                .all(|state| state.in_check(!black))
        };
        match (only_checks(true), only_checks(false)) {
            (true, false) => Status::PerpetualCheck { black_wins: false },
            (false, true) => Status::PerpetualCheck { black_wins: true },
            _ => Status::Repetition,
        }
    }

    /// How the game stands, given whether there is a legal move.
    pub fn status(&self, can_move: bool) -> Status {
        match self.repetition() {
            Status::Open if !can_move => Status::NoMoves {
                black_wins: !self.now().black_to_move,
            },
            status => status,
        }
    }
}
