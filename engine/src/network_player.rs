//! A network with tree search, as a player.

use crate::search::Limits;
use crate::spec::SearchKind;
use crate::tree::TreeSearch;
use crate::{Choice, Fault, GameSoFar, Player};
use mcts::LeafEvaluator;
use rules::Position;

/// Plays the best move of a tree search without noise. Equal games are played alike, whatever the seed.
pub struct NetworkPlayer<P: Position> {
    name: String,
    tree: TreeSearch<P>,
    visits: u32,
}

impl<P: Position> NetworkPlayer<P> {
    /// A player with this name (its spec) that spends `visits` playouts a move. `start` is any position of the game.
    pub fn new(
        name: String,
        evaluator: Box<dyn LeafEvaluator<P> + Send>,
        search: SearchKind,
        visits: u32,
        start: &P,
    ) -> Self {
        NetworkPlayer {
            name,
            tree: TreeSearch::new(evaluator, search, start),
            visits,
        }
    }
}

impl<P: Position> Player<P> for NetworkPlayer<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, position: &P, _game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault> {
        let result = self
            .tree
            .think(
                position,
                Some(self.visits),
                &Limits::default(),
                &mut |_, _| {},
            )
            .map_err(|detail| Fault::Failure {
                player: self.name.clone(),
                detail,
            })?;
        Ok(Choice {
            mv: result.best,
            expected_score: Some(result.value.win + 0.5 * result.value.draw),
            nodes: u64::from(result.playouts),
        })
    }
}
