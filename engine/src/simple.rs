//! The two players below every other: `random` and `greedy`.

use crate::{Choice, Fault, GameSoFar, Material, Player};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;

/// Plays a legal move at random, each with the same probability.
pub struct RandomPlayer {
    rng: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A random player; [`Player::new_game`] seeds it.
    pub fn new() -> Self {
        RandomPlayer {
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }
}

impl Default for RandomPlayer {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Position> Player<P> for RandomPlayer {
    fn name(&self) -> &str {
        "random"
    }

    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, position: &P, _game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mv = *moves
            .choose(&mut self.rng)
            .expect("a position with a legal move");
        Ok(Choice {
            mv,
            expected_score: None,
            nodes: 1,
        })
    }
}

/// Takes the most material it can in one ply, the last royal before anything else; ties at random.
pub struct GreedyPlayer {
    rng: Xoshiro256PlusPlus,
}

impl GreedyPlayer {
    /// A greedy player; [`Player::new_game`] seeds it.
    pub fn new() -> Self {
        GreedyPlayer {
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }
}

impl Default for GreedyPlayer {
    fn default() -> Self {
        Self::new()
    }
}

/// Value of a won game to the greedy player; above any material.
const WON: i32 = 1_000_000;

impl<P: Material> Player<P> for GreedyPlayer {
    fn name(&self) -> &str {
        "greedy"
    }

    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, position: &P, _game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault> {
        let mut position = position.clone();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mover = position.turn();
        let mut best: Option<(i32, P::Move)> = None;
        let mut ties = 0u32;
        for &mv in &moves {
            position.play(mv);
            let value = match position.early_outcome().map(|o| o.winner) {
                Some(Some(winner)) if winner == mover => WON,
                Some(Some(_)) => -WON,
                Some(None) => 0,
                None => -position.material(),
            };
            position.undo();
            // Reservoir sampling: each of the equal moves ends up chosen with the same probability.
            match best {
                Some((b, _)) if value < b => {}
                Some((b, _)) if value == b => {
                    ties += 1;
                    if self.rng.random_range(0..ties) == 0 {
                        best = Some((value, mv));
                    }
                }
                _ => {
                    best = Some((value, mv));
                    ties = 1;
                }
            }
        }
        let (_, mv) = best.expect("a position with a legal move");
        Ok(Choice {
            mv,
            expected_score: None,
            nodes: moves.len() as u64,
        })
    }
}
