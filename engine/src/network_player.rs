//! A network with tree search, as a player.

use crate::spec::SearchKind;
use crate::{Choice, Fault, GameSoFar, Player};
use mcts::{Algorithm, LeafEvaluator, Search, SearchParams};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;

/// Leaves in flight in the one tree: how many positions a network call evaluates.
const LEAVES_IN_FLIGHT: usize = 8;

/// Plays the best move of a tree search without noise.
pub struct NetworkPlayer<P: Position> {
    name: String,
    evaluator: Box<dyn LeafEvaluator<P> + Send>,
    search: Search<P>,
    params: SearchParams,
    visits: u32,
    rng: Xoshiro256PlusPlus,
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
        let algorithm = match search {
            SearchKind::Gumbel => Algorithm::Gumbel,
            SearchKind::Puct => Algorithm::Puct,
        };
        NetworkPlayer {
            name,
            evaluator,
            search: Search::new(start.clone()),
            params: SearchParams {
                algorithm,
                ..SearchParams::default()
            }
            .without_noise(),
            visits,
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }
}

impl<P: Position> Player<P> for NetworkPlayer<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, position: &P, _game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault> {
        let failure = |detail: String| Fault::Failure {
            player: self.name.clone(),
            detail,
        };
        self.search
            .start(position.clone(), &self.params, self.visits, &mut self.rng)
            .map_err(|e| failure(e.to_string()))?;
        mcts::run(
            &mut self.search,
            self.evaluator.as_mut(),
            LEAVES_IN_FLIGHT,
            |_| false,
        )
        .map_err(|e| failure(e.to_string()))?;
        let result = self
            .search
            .result()
            .expect("a started search that ran to its end has a result");
        Ok(Choice {
            mv: result.best,
            expected_score: Some(result.value.win + 0.5 * result.value.draw),
            nodes: u64::from(result.playouts),
        })
    }
}
