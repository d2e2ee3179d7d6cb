//! From a player spec to a player.

use encoding::Encoded;
use engine::{
    EnginePlayer, GreedyPlayer, Material, NetworkPlayer, OutsidePlayer, Player, PlayerSpec,
    RandomPlayer,
};
use inference::Runtime;
use mcts::LeafEvaluator;
use std::time::Duration;

/// A player that cannot be made: the spec and why.
#[derive(Debug, thiserror::Error)]
#[error("player `{spec}`: {reason}")]
pub struct PlayerError {
    /// The spec.
    pub spec: String,
    /// What is missing or wrong, and what to do.
    pub reason: String,
}

/// Makes the player that `spec` names. Networks run on the CPU with one thread, so that a match uses one core a game.
///
/// # Errors
/// [`PlayerError`] if a file is missing or bad, or this version cannot make such a player.
pub fn make_player<P: Encoded + Material>(
    spec: &PlayerSpec,
    start: &P,
) -> Result<Box<dyn Player<P>>, PlayerError> {
    let name = spec.to_string();
    let error = |reason: String| PlayerError {
        spec: name.clone(),
        reason,
    };
    Ok(match spec {
        PlayerSpec::Random => Box::new(RandomPlayer::new()),
        PlayerSpec::Greedy => Box::new(GreedyPlayer::new()),
        PlayerSpec::Net {
            dir,
            visits,
            search,
        } => {
            let device = network::parse_device("cpu").map_err(&error)?;
            let evaluator =
                network::open_evaluator::<P>(dir, device).map_err(|e| error(e.to_string()))?;
            Box::new(NetworkPlayer::new(
                name,
                Box::new(evaluator),
                *search,
                *visits,
                start,
            ))
        }
        PlayerSpec::Onnx {
            file,
            visits,
            search,
        } => {
            let evaluator: Box<dyn LeafEvaluator<P> + Send> = Box::new(
                inference::open_evaluator::<P>(file, Runtime::Auto, 1, true)
                    .map_err(|e| error(e.to_string()))?,
            );
            Box::new(NetworkPlayer::new(name, evaluator, *search, *visits, start))
        }
        PlayerSpec::Engine(limit) => Box::new(EnginePlayer::new(*limit)),
        PlayerSpec::Outside {
            protocol,
            command,
            variant,
            movetime_ms,
        } => {
            let movetime = Duration::from_millis(*movetime_ms);
            Box::new(
                OutsidePlayer::new(
                    name.clone(),
                    *protocol,
                    command,
                    variant.as_deref(),
                    movetime,
                )
                .map_err(&error)?,
            )
        }
    })
}
