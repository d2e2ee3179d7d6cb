//! The games there are, by name: the one place where a name becomes a type.

use std::fmt;
use std::str::FromStr;

#[doc(hidden)]
pub use rules::{shogi::Shogi, tenjiku::Tenjiku};

/// The games there are. A further one is added here and in [`with_game!`](crate::with_game); what it needs besides
/// rules and encoding, the compiler asks for.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GameName {
    /// Tenjiku shogi, 16x16.
    #[default]
    Tenjiku,
    /// Standard shogi, 9x9 with drops.
    Shogi,
}

/// Evaluates an expression with a game as a type: `with_game!(name, P => P::start(&rules).sfen())`.
#[macro_export]
macro_rules! with_game {
    ($name:expr, $P:ident => $body:expr) => {
        match $name {
            $crate::GameName::Tenjiku => {
                type $P = $crate::games::Tenjiku;
                $body
            }
            $crate::GameName::Shogi => {
                type $P = $crate::games::Shogi;
                $body
            }
        }
    };
}

/// No game has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown game `{0}`; there are {list}", list = GameName::ALL.map(GameName::name).join(" and "))]
pub struct UnknownGame(String);

impl GameName {
    /// All of them.
    pub const ALL: [GameName; 2] = [GameName::Tenjiku, GameName::Shogi];

    /// [`Position::GAME`](rules::Position::GAME) of the game.
    pub fn name(self) -> &'static str {
        with_game!(self, P => <P as rules::Position>::GAME)
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for GameName {
    type Err = UnknownGame;

    fn from_str(name: &str) -> Result<GameName, UnknownGame> {
        GameName::ALL
            .into_iter()
            .find(|game| game.name() == name)
            .ok_or_else(|| UnknownGame(name.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_positions_and_of_the_files() {
        for (game, name) in [(GameName::Tenjiku, "tenjiku"), (GameName::Shogi, "shogi")] {
            assert_eq!(game.to_string(), name);
            assert_eq!(name.parse(), Ok(game));
        }
        let error = "chess".parse::<GameName>().unwrap_err().to_string();
        assert_eq!(error, "unknown game `chess`; there are tenjiku and shogi");
    }
}
