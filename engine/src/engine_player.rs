//! The handcrafted engine as a player.

use crate::search::{AlphaBeta, Limits};
use crate::spec::Limit;
use crate::{Choice, Fault, GameSoFar, Material, Player, PlayerSpec};
use std::time::Duration;

/// Transposition table of one player, in MiB; small, because matches play several games at once.
const HASH_MIB: usize = 32;

/// Plays the best move of an alpha-beta search. Without chance: equal games are played alike, whatever the seed.
pub struct EnginePlayer<P: Material> {
    name: String,
    search: AlphaBeta<P>,
    limits: Limits,
}

impl<P: Material> EnginePlayer<P> {
    /// A player that thinks within `limit` on each move.
    pub fn new(limit: Limit) -> Self {
        let limits = match limit {
            Limit::Depth(depth) => Limits::depth(depth),
            Limit::Nodes(nodes) => Limits::nodes(nodes),
            Limit::MoveTime(ms) => Limits::move_time(Duration::from_millis(ms)),
        };
        EnginePlayer {
            name: PlayerSpec::Engine(limit).to_string(),
            search: AlphaBeta::new(HASH_MIB),
            limits,
        }
    }
}

impl<P: Material> Player<P> for EnginePlayer<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        self.search.clear();
        Ok(())
    }

    fn choose(&mut self, position: &P, _game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault> {
        let thought = self.search.think(position, &self.limits, &mut |_| {});
        let thought = thought.ok_or_else(|| Fault::Failure {
            player: self.name.clone(),
            detail: "was asked for a move in a finished game".to_string(),
        })?;
        Ok(Choice {
            mv: thought.best,
            expected_score: Some(thought.expected_score()),
            nodes: thought.nodes,
        })
    }
}
