//! Counts of results, and estimates.

/// Games won, drawn and lost by the first of two players.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn, ply caps included.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Mean score in [0, 1]; `None` with no games.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.wins as f64 + 0.5 * self.draws as f64) / games as f64)
    }

    /// The same games from the other player's side.
    pub fn swapped(&self) -> Tally {
        Tally {
            wins: self.losses,
            losses: self.wins,
            ..*self
        }
    }

    /// Adds a game in which this side made `half_points` (0, 1 or 2).
    pub fn add(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// Counts of colour-swapped pairs by the first player's points: 0, ½, 1, 1½, 2.
pub type Pentanomial = [u64; 5];

/// An estimate with its 95 % interval. A bound is `None` where the data do not bound it on that side, as after
/// nothing but wins.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Estimate {
    /// The estimate, `None` if it is infinite.
    pub value: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
}

/// Number of pairs, mean pair score in [0, 1], and mean square deviation from that mean (divided by the number of
/// pairs); `None` with no pairs.
pub fn moments(pairs: &Pentanomial) -> Option<(f64, f64, f64)> {
    let n = pairs.iter().sum::<u64>() as f64;
    if n == 0.0 {
        return None;
    }
    let mean_of = |f: &dyn Fn(f64) -> f64| -> f64 {
        let terms = pairs.iter().enumerate();
        terms
            .map(|(k, &count)| count as f64 * f(k as f64 / 4.0))
            .sum::<f64>()
            / n
    };
    let mean = mean_of(&|x| x);
    Some((n, mean, mean_of(&|x| (x - mean).powi(2))))
}
