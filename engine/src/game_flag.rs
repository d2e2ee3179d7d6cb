//! The flag `--game`, as `tenjiku-engine` and `tenjiku` have it.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding::GameName;

/// Reads `--game`; help and completions list the games.
pub fn game_parser() -> impl TypedValueParser<Value = GameName> {
    let names = PossibleValuesParser::new(GameName::ALL.map(GameName::name));
    names.try_map(|name| name.parse::<GameName>())
}
