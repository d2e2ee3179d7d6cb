//! The handcrafted engine as a player.

use crate::search::{AlphaBeta, Limits};
use crate::spec::Limit;
use crate::{Choice, Fault, GameSoFar, Material, Player, PlayerSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
        self.limits.stop.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn stopper(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::clone(&self.limits.stop))
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

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Position;
    use rules::tenjiku::Tenjiku;

    #[test]
    fn a_stopped_player_answers_and_a_new_game_sets_it_going_again() {
        let mut player = EnginePlayer::<Tenjiku>::new(Limit::Depth(64));
        let position = Tenjiku::start(&Default::default());
        let game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        player.new_game(1).unwrap();
        let stop = player.stopper().unwrap();
        stop.store(true, Ordering::Relaxed);
        // Without the flag this would not end within days.
        let choice = player.choose(&position, &game).unwrap();
        assert!(position.is_legal(choice.mv));
        player.new_game(2).unwrap();
        assert!(!stop.load(Ordering::Relaxed));
    }
}
