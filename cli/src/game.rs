//! The game as the commands choose it: from a name to a static type.

use crate::failure::usage;
use anyhow::{Result, anyhow};
use encoding::Encoded;
pub use encoding::GameName;
use engine::Material;
pub use engine::game_parser;
use rules::import::GameText;
use rules::show::Show;
use rules::{Position, Rules};

/// Everything the commands need of a game.
pub trait Game: Encoded + Material + Show + GameText {}
impl<P: Encoded + Material + Show + GameText> Game for P {}

/// Work that is generic over the game.
pub trait GameTask {
    /// What it gives.
    type Output;
    /// Does it for the game `P`.
    fn run<P: Game>(self) -> Self::Output;
}

/// Runs `task` for a game.
pub fn with_game<T: GameTask>(game: GameName, task: T) -> T::Output {
    encoding::with_game!(game, P => task.run::<P>())
}

/// Position arguments, shared by all commands that look at one position.
#[derive(clap::Args, Clone, Debug)]
pub struct PositionArgs {
    /// The game.
    #[arg(long, value_parser = game_parser(), default_value_t)]
    pub game: GameName,
    /// Rules preset, with changed options: NAME[,option=value]...
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,
    /// Position string; the start position if absent.
    #[arg(long)]
    pub sfen: Option<String>,
    /// Moves from there, separated by spaces.
    #[arg(long, default_value = "")]
    pub moves: String,
}

impl PositionArgs {
    /// The rules asked for.
    ///
    /// # Errors
    /// A usage error naming the unknown preset, option or value.
    pub fn rules<P: Position>(&self) -> Result<P::Rules> {
        parse_rules::<P>("--rules", self.rules.as_deref())
    }

    /// The position asked for, moves played.
    ///
    /// # Errors
    /// Names the bad field of the position string, or the first bad move with its number.
    pub fn position<P: Position>(&self) -> Result<P> {
        let rules = self.rules::<P>()?;
        set_up(&rules, "--sfen", self.sfen.as_deref(), &self.moves)
    }
}

/// Reads a rules text; `None` is the default preset. `place` is the flag or setting that it comes from.
///
/// # Errors
/// A usage error naming the place and the unknown preset, option or value.
pub fn parse_rules<P: Position>(place: &str, text: Option<&str>) -> Result<P::Rules> {
    match text {
        None => Ok(P::Rules::default()),
        Some(text) => P::Rules::parse(text).map_err(|e| usage(format!("{place} {text}: {e}"))),
    }
}

/// Sets a position up and plays the moves of `--moves` on it. `place` is the flag or setting that `sfen` comes from.
///
/// # Errors
/// Names the place and the bad field of the position string, or `--moves` and the first bad move with its number.
pub fn set_up<P: Position>(
    rules: &P::Rules,
    place: &str,
    sfen: Option<&str>,
    moves: &str,
) -> Result<P> {
    let mut position = match sfen.filter(|s| !s.is_empty() && *s != "startpos") {
        None => P::start(rules),
        Some(sfen) => P::from_sfen(rules, sfen).map_err(|e| {
            anyhow!(
                "{place}: {e}; write it as `tenjiku show --game {}` prints the start position",
                P::GAME
            )
        })?,
    };
    for (i, text) in moves.split_whitespace().enumerate() {
        let mv = position.parse_move(text).map_err(|e| {
            anyhow!(
                "--moves: move {}: {e}; `tenjiku moves` lists what is legal after the moves before it",
                i + 1
            )
        })?;
        position.play(mv);
    }
    Ok(position)
}
