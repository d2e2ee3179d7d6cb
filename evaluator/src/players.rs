//! From a player spec to a player.

use crate::event::Entrant;
use encoding::Encoded;
use engine::{
    EnginePlayer, GreedyPlayer, Limit, Material, NetworkPlayer, OutsidePlayer, Player, PlayerSpec,
    RandomPlayer,
};
use inference::{Manifest, OnnxFile, Runtime};
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
        PlayerSpec::Net { visits, search, .. } | PlayerSpec::Onnx { visits, search, .. } => {
            let evaluator = open_network::<P>(spec)?;
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

/// The network of a `net:` or `onnx:` player alone.
///
/// # Errors
/// [`PlayerError`] if a file is missing or bad, or the player has no network.
pub fn open_network<P: Encoded>(
    spec: &PlayerSpec,
) -> Result<Box<dyn LeafEvaluator<P> + Send>, PlayerError> {
    let error = |reason: String| PlayerError {
        spec: spec.to_string(),
        reason,
    };
    match spec {
        PlayerSpec::Net { dir, .. } => {
            let device = network::parse_device("cpu").map_err(&error)?;
            let evaluator = network::open_evaluator::<P>(dir, device);
            Ok(Box::new(evaluator.map_err(|e| error(e.to_string()))?))
        }
        PlayerSpec::Onnx { file, .. } => {
            let evaluator = inference::open_evaluator::<P>(file, Runtime::Auto, 1, true);
            Ok(Box::new(evaluator.map_err(|e| error(e.to_string()))?))
        }
        _ => Err(error("has no network; use net:DIR or onnx:FILE".into())),
    }
}

/// A player as an event lists it: its spec, its time a move, and the hash of its network.
///
/// # Errors
/// [`PlayerError`] if the network's file cannot be read.
pub fn entrant(spec: &PlayerSpec) -> Result<Entrant, PlayerError> {
    let error = |reason: String| PlayerError {
        spec: spec.to_string(),
        reason,
    };
    let move_time_ms = match spec {
        PlayerSpec::Outside { movetime_ms, .. } => Some(*movetime_ms),
        PlayerSpec::Engine(Limit::MoveTime(ms)) => Some(*ms),
        _ => None,
    };
    let fingerprint = match spec {
        PlayerSpec::Net { dir, .. } => {
            let manifest = Manifest::read(dir).map_err(|e| error(e.to_string()))?;
            Some(manifest.hash)
        }
        PlayerSpec::Onnx { file, .. } => {
            let file = OnnxFile::open(file).map_err(|e| error(e.to_string()))?;
            Some(file.metadata().network_hash.clone())
        }
        _ => None,
    };
    Ok(Entrant {
        name: spec.to_string(),
        move_time_ms,
        fingerprint,
    })
}
