//! Which rows to draw: a random generator that can be saved.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws rows uniformly, with replacement. Serialisable: the same state over the same window draws the same.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sampler {
    rng: Xoshiro256PlusPlus,
}

impl Sampler {
    /// A sampler whose draws depend only on `seed`.
    pub fn new(seed: u64) -> Sampler {
        Sampler {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// One of `rows`.
    ///
    /// # Panics
    /// If `rows` is empty.
    pub fn draw(&mut self, rows: &[u32]) -> u32 {
        rows[self.rng.random_range(0..rows.len())]
    }

    /// `count` of `rows`, each drawn independently.
    ///
    /// # Panics
    /// If `rows` is empty and `count` is not 0.
    pub fn batch(&mut self, rows: &[u32], count: usize) -> Vec<u32> {
        (0..count).map(|_| self.draw(rows)).collect()
    }

    /// Whether to mirror a sample: a fair coin from the same stream.
    pub fn coin(&mut self) -> bool {
        self.rng.random()
    }
}
