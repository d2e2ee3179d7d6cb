//! Sequential halving: which root move gets the next playout. Danihelka et al. 2022, algorithm 2; corner cases (n
//! not a product of the phases) as in the library mctx.
//!
//! Of the solver: moves proven lost are passed over, and their share of a phase goes to the other survivors.

/// Sequential halving at the root, as a sequence of phases.
///
/// A phase gives each of its survivors the same number of playouts; at its end the better half goes on. All of a
/// phase's playouts are back before the next begins.
#[derive(Clone, Default, Debug)]
pub(crate) struct Halving {
    /// n: the playouts of the whole search.
    budget: u32,
    /// ceil(log2 m), the nominal number of phases; at least 1.
    phases: u32,
    /// Moves considered in this phase; 0 before the first.
    considered: usize,
    /// m.
    start: usize,
    /// Playouts left to start in this phase.
    left: u32,
    /// The moves of this phase (offsets of root edges), best first, and how often each was started in it.
    survivors: Vec<(u32, u32)>,
}

impl Halving {
    /// Sets up for `budget` playouts, with `considered` moves in the first phase (at least 1).
    pub fn reset(&mut self, budget: u32, considered: usize) {
        let phases = considered.next_power_of_two().trailing_zeros().max(1);
        *self = Halving {
            budget,
            phases,
            considered: 0,
            start: considered,
            left: 0,
            survivors: std::mem::take(&mut self.survivors),
        };
        self.survivors.clear();
    }

    /// Goes to the next phase and returns how many moves it considers.
    fn next_phase(&mut self) -> usize {
        self.considered = match self.considered {
            0 => self.start,
            c => (c / 2).max(2).min(self.start),
        };
        let each = self.budget / (self.phases * self.considered as u32);
        self.left = each.max(1) * self.considered as u32;
        self.considered
    }

    /// Counts a playout of the move at `edge` as started.
    pub fn started(&mut self, edge: usize) {
        self.left = self.left.saturating_sub(1);
        if let Some(survivor) = self.survivors.iter_mut().find(|s| s.0 as usize == edge) {
            survivor.1 += 1;
        }
    }

    /// The root move of the next playout, or `None` if results must come back first.
    ///
    /// `rank` fills a list with `g + ln P + sigma(completed Q)` of all root moves, minus infinity for those
    /// that are proven lost.
    pub fn select(
        &mut self,
        in_flight: u32,
        is_lost: impl Fn(u32) -> bool,
        rank: impl Fn(&mut Vec<f32>),
        scores: &mut Vec<f32>,
    ) -> Option<usize> {
        let next = |survivors: &[(u32, u32)]| {
            survivors
                .iter()
                .filter(|s| !is_lost(s.0))
                .min_by_key(|s| s.1)
                .map(|s| s.0 as usize)
        };
        if self.left > 0
            && let Some(edge) = next(&self.survivors)
        {
            return Some(edge);
        }
        if in_flight > 0 {
            return None;
        }
        rank(scores);
        self.survivors.retain(|s| !is_lost(s.0));
        let first = self.considered == 0;
        if self.left == 0 {
            self.next_phase();
        }
        // The first phase chooses from all moves, and so does one whose survivors all turned out lost.
        if first || self.survivors.is_empty() {
            self.survivors.clear();
            self.survivors.extend(
                (0..scores.len() as u32)
                    .filter(|&i| !is_lost(i))
                    .map(|i| (i, 0)),
            );
        }
        let score = |s: &(u32, u32)| scores[s.0 as usize];
        // The unstable sort allocates nothing; equal scores are told apart by the move's number.
        self.survivors
            .sort_unstable_by(|a, b| score(b).total_cmp(&score(a)).then(a.0.cmp(&b.0)));
        self.survivors.truncate(self.considered);
        self.survivors.iter_mut().for_each(|s| s.1 = 0);
        next(&self.survivors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (considered, playouts each) of the phases until the budget is spent.
    fn schedule(n: u32, m: usize) -> Vec<(usize, u32)> {
        let mut halving = Halving::default();
        halving.reset(n, m);
        let (mut spent, mut phases) = (0, Vec::new());
        while spent < n {
            let considered = halving.next_phase();
            phases.push((considered, halving.left / considered as u32));
            spent += halving.left;
        }
        phases
    }

    #[test]
    fn the_schedule_is_that_of_the_paper() {
        // By hand: floor(n / (ceil(log2 m) * considered)), at least 1, then half as many, at least 2.
        assert_eq!(
            schedule(200, 16),
            [(16, 3), (8, 6), (4, 12), (2, 25), (2, 25)]
        );
        assert_eq!(schedule(32, 16), [(16, 1), (8, 1), (4, 2)]);
        assert_eq!(schedule(16, 4), [(4, 2), (2, 4)]);
        assert_eq!(schedule(10, 16), [(16, 1)]);
        assert_eq!(schedule(50, 1), [(1, 50)]);
        // m = 6 is no power of two: ceil(log2 6) = 3 phases of 6, 3, then 2 (not 1).
        assert_eq!(schedule(36, 6), [(6, 2), (3, 4), (2, 6)]);
    }
}
