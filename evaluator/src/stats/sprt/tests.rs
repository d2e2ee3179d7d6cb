//! The test by its formula, by an independent computation, and by simulation.

use super::*;
use crate::stats::score_of_elo;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A pair of games between players of a given difference, with openings that favour one side.
struct Model {
    /// Cumulative probabilities of pair scores 0, ¼, ½, ¾.
    cumulative: [f64; 4],
    /// Mean score of the first player.
    mean: f64,
    /// Normalised Elo of the first player.
    nelo: f64,
}

impl Model {
    /// `elo` is the logistic Elo difference, `draws` the draw rate, and the opening gives its Black `bias` Elo or takes
    /// them, with equal probability.
    fn new(elo: f64, draws: f64, bias: f64) -> Model {
        let game = |elo: f64| {
            let s = score_of_elo(elo);
            let d = draws.min(2.0 * s.min(1.0 - s));
            [1.0 - s - d / 2.0, d, s - d / 2.0]
        };
        let mut p = [0.0; 5];
        for sign in [-1.0, 1.0] {
            let (black, white) = (game(elo + sign * bias), game(elo - sign * bias));
            for (i, a) in black.iter().enumerate() {
                for (j, b) in white.iter().enumerate() {
                    p[i + j] += 0.5 * a * b;
                }
            }
        }
        let mean: f64 = p.iter().enumerate().map(|(k, p)| p * k as f64 / 4.0).sum();
        let variance: f64 = p
            .iter()
            .enumerate()
            .map(|(k, p)| p * (k as f64 / 4.0 - mean).powi(2))
            .sum();
        let mut sum = 0.0;
        let cumulative = std::array::from_fn(|k| {
            sum += p[k];
            sum
        });
        Model {
            cumulative,
            mean,
            nelo: 800.0 / 10f64.ln() * (mean - 0.5) / (2.0 * variance).sqrt(),
        }
    }

    fn pair(&self, rng: &mut Xoshiro256PlusPlus) -> usize {
        let x: f64 = rng.random();
        self.cumulative.iter().take_while(|&&c| x >= c).count()
    }

    /// Runs `tests` tests of the model. Returns the shares that accepted and rejected, and the mean number of pairs.
    fn run(&self, params: &SprtParams, tests: u32, seed: u64) -> (f64, f64, f64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut accepted, mut rejected, mut total) = (0u32, 0u32, 0u64);
        for _ in 0..tests {
            let mut pairs = Pentanomial::default();
            loop {
                pairs[self.pair(&mut rng)] += 1;
                total += 1;
                match params.test(&pairs).decision {
                    Decision::Open => {}
                    Decision::Accept => break accepted += 1,
                    Decision::Reject => break rejected += 1,
                }
            }
        }
        let share = |n: u32| f64::from(n) / f64::from(tests);
        (
            share(accepted),
            share(rejected),
            total as f64 / f64::from(tests),
        )
    }
}

#[test]
fn bounds_are_walds_proven_ones() {
    // ln 0.05 = -2.99573227, ln 0.01 = -4.60517019.
    let params = SprtParams {
        beta: 0.01,
        ..SprtParams::default()
    };
    let (lower, upper) = params.bounds();
    assert!((lower + 4.605_170_19).abs() < 1e-8 && (upper - 2.995_732_27).abs() < 1e-8);
}

#[test]
fn the_ratio_by_hand() {
    // One pair won 2:0: surplus ½, square ¼, t1 = 20 / 347.4356, s = t1 √2 = 0.0814087. Then u solves
    // u²/4 - s u/2 - 1 = 0: u = s + sqrt(s² + 4) = 2.0830648; log-likelihood ln u - u²/8 + s u/2 - s²/2 =
    // 0.7338405 - 0.5423949 + 0.0847896 - 0.0033137 = 0.2729215; under s = 0: ln 2 - 1/2 = 0.1931472.
    let ratio = llr(&[0, 0, 0, 0, 1], 0.0, 20.0);
    assert!((ratio - 0.079_774_3).abs() < 1e-6, "{ratio}");
    // All drawn: every pair takes s²/2 away.
    let drawn = llr(&[0, 0, 9, 0, 0], 0.0, 20.0);
    assert!((drawn + 9.0 * 0.003_313_7).abs() < 1e-6, "{drawn}");
    // Turning both players round turns the hypotheses round.
    let pairs = [3, 8, 20, 11, 5];
    let turned = [5, 11, 20, 8, 3];
    assert!((llr(&pairs, -5.0, 10.0) + llr(&turned, -10.0, 5.0)).abs() < 1e-12);
}

#[test]
fn the_ratio_agrees_with_a_numerical_maximum() {
    // (pairs, elo0, elo1, ratio of normal likelihoods, ratio of multinomial likelihoods): tools/rating_reference.py
    // maximises both numerically with scipy. The second is the exact pentanomial test, which ours approximates.
    for line in include_str!("../../../tests/data/sprt_reference.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let x: Vec<f64> = line.split('\t').map(|x| x.parse().unwrap()).collect();
        let pairs: Pentanomial = std::array::from_fn(|k| x[k] as u64);
        let ratio = llr(&pairs, x[5], x[6]);
        assert!(
            (ratio - x[7]).abs() < 1e-4 * (1.0 + x[7].abs()),
            "{line}: {ratio}"
        );
        assert!(
            (ratio - x[8]).abs() < 0.02 + 0.03 * x[8].abs(),
            "{line}: {ratio}"
        );
    }
}

#[test]
fn degenerate_counts_stay_finite() {
    for pairs in [
        [0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 10],
        [10, 0, 0, 0, 0],
        [0, 0, 1000, 0, 0],
        [5, 0, 0, 0, 5],
    ] {
        for (elo0, elo1) in [(0.0, 20.0), (-200.0, 200.0), (-10.0, 0.0)] {
            assert!(llr(&pairs, elo0, elo1).is_finite(), "{pairs:?}");
        }
    }
    assert_eq!(normalised_elo(&[0, 0, 4, 0, 0]), None);
    assert!(SprtParams::default().test(&[0; 5]).decision == Decision::Open);
}

/// Where the increasing function `f` reaches `target`, in 0..=200.
fn solve(target: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 200.0);
    while high - low > 1e-9 {
        let middle = 0.5 * (low + high);
        if f(middle) < target {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Error rates where each hypothesis is exactly true, and where the score is that of Elo +20, with some draw rates and
/// openings.
fn error_rates(elo1: f64, tests: u32, slack: f64) {
    let params = SprtParams {
        elo1,
        ..SprtParams::default()
    };
    for (draws, bias) in [(0.0, 0.0), (0.3, 0.0), (0.6, 0.0), (0.1, 150.0)] {
        let model = |elo: f64| Model::new(elo, draws, bias);
        let exact = solve(elo1, |elo| model(elo).nelo);
        // Draws and openings make Elo +20 more than normalised +20: there errors only become fewer.
        let twenty = solve(score_of_elo(20.0), |elo| model(elo).mean);
        let mut cases = vec![
            ("0", 0.0, Decision::Accept),
            ("elo1", exact, Decision::Reject),
        ];
        if elo1 == 20.0 {
            cases.push(("Elo +20", twenty, Decision::Reject));
        }
        for (name, elo, wrong) in cases {
            let (accepted, rejected, pairs) = model(elo).run(&params, tests, 20_261_130);
            let (error, allowed) = match wrong {
                Decision::Accept => (accepted, params.alpha),
                _ => (rejected, params.beta),
            };
            println!(
                "elo1 {elo1}, draws {draws}, opening bias {bias}, true {name}: error {error:.4}, {pairs:.0} pairs"
            );
            assert!(
                error <= allowed + slack,
                "draws {draws}, bias {bias}, true {name}: {error}"
            );
        }
    }
}

#[test]
fn simulated_error_rates_of_a_wide_test() {
    // 2,000 tests: the slack is 2.5 standard errors of a rate of 5 %.
    error_rates(60.0, 2_000, 0.012);
}

#[test]
fn simulated_error_rates() {
    error_rates(20.0, 10_000, 0.0);
}
