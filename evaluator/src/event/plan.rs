//! What is to be played.

use crate::fault::OnFault;
use crate::openings::Opening;
use crate::schedule::Pairing;
use crate::stats::SprtParams;
use rules::Position;
use std::time::Duration;

/// How games are played.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayParams {
    /// A game of this many plies is a draw, opening included. At least 1; default 600.
    pub max_plies: usize,
    /// Games at a time; 0 means one a core. Default 0.
    pub concurrency: usize,
    /// Seed of openings and players. Default 1.
    pub seed: u64,
    /// How much later than its time a move may come, in milliseconds. Default 500.
    pub time_margin_ms: u64,
    /// What becomes of a game in which a player fails. Default `replay`.
    pub on_fault: OnFault,
    /// How often a game is begun at most, 1..=100. Default 3.
    pub attempts: u32,
    /// Faults of one player in a row, in whatever games, that end the event; at least 1. Default 10.
    pub patience: u32,
}

impl Default for PlayParams {
    fn default() -> Self {
        PlayParams {
            max_plies: 600,
            concurrency: 0,
            seed: 1,
            time_margin_ms: 500,
            on_fault: OnFault::Replay,
            attempts: 3,
            patience: 10,
        }
    }
}

impl PlayParams {
    /// Checks ranges; `section` names the config section in the message.
    ///
    /// # Errors
    /// Names the first bad value.
    pub fn check(&self, section: &str) -> Result<(), String> {
        if self.max_plies == 0 {
            return Err(format!("{section}.max_plies = 0, must be at least 1"));
        }
        if !(1..=100).contains(&self.attempts) {
            return Err(format!(
                "{section}.attempts = {}, must be from 1 to 100",
                self.attempts
            ));
        }
        if self.patience == 0 {
            return Err(format!("{section}.patience = 0, must be at least 1"));
        }
        Ok(())
    }

    /// Times that a game is begun at most.
    pub fn attempts(&self) -> u32 {
        match self.on_fault {
            OnFault::Replay => self.attempts,
            OnFault::Drop => 1,
        }
    }
}

/// A player of the event.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Entrant {
    /// Its spec.
    pub name: String,
    /// Milliseconds a move; `None` if it is bounded otherwise.
    pub move_time_ms: Option<u64>,
    /// What tells the player from others of the same name: the hash of its network.
    pub fingerprint: Option<String>,
}

impl Entrant {
    /// A player without move time and network.
    pub fn named(name: &str) -> Entrant {
        Entrant {
            name: name.to_string(),
            move_time_ms: None,
            fingerprint: None,
        }
    }
}

/// A whole event.
#[derive(Clone, Debug)]
pub struct Plan<P: Position> {
    /// What it is called, e.g. `match`.
    pub title: String,
    /// The players.
    pub players: Vec<Entrant>,
    /// Who meets whom, see [`crate::encounters`].
    pub encounters: Vec<(usize, usize)>,
    /// One opening a round; not empty. All by the same rules.
    pub openings: Vec<Opening<P>>,
    /// How games are played.
    pub play: PlayParams,
    /// The test that ends the event, where there is one; only with one encounter.
    pub sprt: Option<SprtParams>,
}

impl<P: Position> Plan<P> {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), String> {
        let n = self.players.len();
        if self.encounters.is_empty() {
            return Err(format!("nobody meets anybody: {n} players"));
        }
        if self
            .encounters
            .iter()
            .any(|&(a, b)| a >= n || b >= n || a == b)
        {
            return Err("an encounter is not between two of the players".into());
        }
        if self.sprt.is_some() && self.encounters.len() != 1 {
            return Err(format!(
                "a test is between two players, there are {n}; leave sprt out"
            ));
        }
        let Some(first) = self.openings.first() else {
            return Err("no openings".into());
        };
        for opening in &self.openings {
            if opening.start.rules() != first.start.rules() {
                return Err("openings by different rules".into());
            }
            if opening.moves.len() >= self.play.max_plies {
                return Err(format!(
                    "max_plies = {}, must be above the {} plies of an opening",
                    self.play.max_plies,
                    opening.moves.len()
                ));
            }
            if opening.position().outcome().is_some() {
                return Err(
                    "the start position is decided already; there is nothing to play".into(),
                );
            }
        }
        Ok(())
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        (self.encounters.len() * self.openings.len()) as u64
    }

    /// Pair `number`.
    pub fn pairing(&self, number: u64) -> Pairing {
        Pairing::of(number, &self.encounters)
    }

    /// The seed of a game.
    pub fn seed(&self, pair: u64, game: usize) -> u64 {
        self.play
            .seed
            .wrapping_mul(0x2545_F491_4F6C_DD1D)
            .wrapping_add(2 * pair + game as u64)
    }

    /// Time a move of a player.
    pub fn move_time(&self, player: usize) -> Option<Duration> {
        self.players[player].move_time_ms.map(Duration::from_millis)
    }
}
