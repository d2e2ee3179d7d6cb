//! Fitting the weights of tenjiku's evaluation to the results of games: logistic regression, Texel's way.
//!
//! The evaluation is the sum of weight times feature, so the expected score `1 / (1 + exp(-evaluation / scale))` is a
//! logistic model and its cross-entropy to the results has one minimum. The scale comes from the weights that the fit
//! starts from, by a search on a line; it stays, so that a centipawn means the same before and after. Each weight is held
//! to its start by a pull, so that what the games say nothing about does not move. Knows no files.

use rules::score::{WEIGHTS, tenjiku_features, weight_names};
use rules::tenjiku::Tenjiku;

/// One position: its features, and what the side to move got in the end.
pub struct Sample {
    features: Vec<(u16, f32)>,
    /// 1 for a win, 0 for a loss, 0.5 for a draw.
    result: f32,
}

impl Sample {
    /// The sample of a position and the score of its side to move in 0..=1.
    pub fn new(position: &Tenjiku, result: f32) -> Sample {
        let mut sums = vec![0.0f32; WEIGHTS.len()];
        for (index, count) in tenjiku_features(position) {
            sums[index] += count;
        }
        let features = sums
            .into_iter()
            .enumerate()
            .filter(|(_, x)| *x != 0.0)
            .map(|(i, x)| (i as u16, x))
            .collect();
        Sample { features, result }
    }

    fn evaluation(&self, weights: &[f64]) -> f64 {
        self.features
            .iter()
            .map(|&(i, x)| weights[usize::from(i)] * f64::from(x))
            .sum()
    }
}

/// How a fit is done.
#[derive(Clone, Copy, Debug)]
pub struct TuneParams {
    /// Passes over all samples.
    pub epochs: usize,
    /// Centipawns that a weight moves at most in one pass; shrinks to nothing over the passes.
    pub step: f64,
    /// How strongly a weight is held to its start: the loss of moving it by its own size (at least 100).
    pub pull: f64,
}

impl Default for TuneParams {
    fn default() -> Self {
        TuneParams {
            epochs: 200,
            step: 20.0,
            pull: 0.002,
        }
    }
}

/// What a fit gave.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The weights, rounded.
    pub weights: Vec<i32>,
    /// Centipawns at which the expected score is 0.73.
    pub scale: f64,
    /// Mean cross-entropy before, nats a position.
    pub before: f64,
    /// And after.
    pub after: f64,
    /// Mean cross-entropy of the samples kept apart, before and after; `None` if there were none.
    pub apart: Option<(f64, f64)>,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Mean cross-entropy of the results, in nats.
fn loss(samples: &[Sample], weights: &[f64], scale: f64) -> f64 {
    let sum: f64 = samples
        .iter()
        .map(|sample| {
            let p = sigmoid(sample.evaluation(weights) / scale).clamp(1e-9, 1.0 - 1e-9);
            let result = f64::from(sample.result);
            -(result * p.ln() + (1.0 - result) * (1.0 - p).ln())
        })
        .sum();
    sum / samples.len().max(1) as f64
}

/// The scale with the least loss, between 50 and 20,000 centipawns.
fn best_scale(samples: &[Sample], weights: &[f64]) -> f64 {
    let of = |step: i32| 50.0 * 1.05f64.powi(step);
    let by_loss =
        |a: &f64, b: &f64| loss(samples, weights, *a).total_cmp(&loss(samples, weights, *b));
    (0..=122).map(of).min_by(by_loss).unwrap_or(1500.0)
}

/// Fits the weights to `samples`; `apart` are samples of other games that only the result is measured on.
///
/// # Errors
/// There is no sample, or all results are one.
pub fn tune(samples: &[Sample], apart: &[Sample], params: &TuneParams) -> Result<Tuned, String> {
    let Some(first) = samples.first() else {
        return Err("there are no positions to fit to".into());
    };
    if samples.iter().all(|s| s.result == first.result) {
        return Err("all positions have the same result: nothing to fit to".into());
    }
    let start: Vec<f64> = WEIGHTS.iter().map(|&w| f64::from(w)).collect();
    let scale = best_scale(samples, &start);
    let mut weights = start.clone();
    // Adam (Kingma and Ba, 2015), over all samples at once.
    let (mut mean, mut square) = (vec![0.0; start.len()], vec![0.0; start.len()]);
    for epoch in 1..=params.epochs {
        let mut gradient = vec![0.0; start.len()];
        for sample in samples {
            let p = sigmoid(sample.evaluation(&weights) / scale);
            let error = (p - f64::from(sample.result)) / samples.len() as f64;
            for &(i, x) in &sample.features {
                gradient[usize::from(i)] += error * f64::from(x) / scale;
            }
        }
        let rate = params.step * (1.0 - epoch as f64 / (params.epochs + 1) as f64);
        for i in 0..start.len() {
            let size = start[i].abs().max(100.0);
            let gradient =
                gradient[i] + 2.0 * params.pull * (weights[i] - start[i]) / (size * size);
            mean[i] = 0.9 * mean[i] + 0.1 * gradient;
            square[i] = 0.999 * square[i] + 0.001 * gradient * gradient;
            let unbiased = |m: f64, beta: f64| m / (1.0 - beta.powi(epoch as i32));
            let change = unbiased(mean[i], 0.9) / (unbiased(square[i], 0.999).sqrt() + 1e-12);
            // A weight that no sample has does not move; material stays worth something.
            weights[i] -= rate * (size / 1000.0).clamp(0.05, 2.0) * change;
            if i < rules::score::MATERIALS && start[i] > 0.0 {
                weights[i] = weights[i].max(20.0);
            }
        }
    }
    let rounded: Vec<i32> = weights.iter().map(|w| w.round() as i32).collect();
    let weights: Vec<f64> = rounded.iter().map(|&w| f64::from(w)).collect();
    let (before, after) = (loss(samples, &start, scale), loss(samples, &weights, scale));
    let apart =
        (!apart.is_empty()).then(|| (loss(apart, &start, scale), loss(apart, &weights, scale)));
    Ok(Tuned {
        weights: rounded,
        scale,
        before,
        after,
        apart,
    })
}

/// The weights with their names and what they were, one a line: `name<TAB>old<TAB>new`.
pub fn table(tuned: &Tuned) -> String {
    let rows = weight_names().into_iter().zip(WEIGHTS).zip(&tuned.weights);
    rows.filter(|((name, _), _)| name != "-")
        .map(|((name, old), new)| format!("{name}\t{old}\t{new}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Position;

    /// Positions with a rook more or a bishop more, where only the rook decides the game: its weight must grow, and that
    /// of pieces that are not on the board must not move.
    #[test]
    fn a_weight_that_decides_games_grows() {
        let rook = "7k8/16/16/16/16/16/16/16/16/16/16/16/7R8/16/16/8K7 b - 1";
        let bishop = "7k8/16/16/16/16/16/16/16/16/16/16/16/7B8/16/16/8K7 b - 1";
        let sample = |sfen: &str, result| {
            let position = Tenjiku::from_sfen(&Default::default(), sfen).unwrap();
            Sample::new(&position, result)
        };
        let mut samples = Vec::new();
        for i in 0..20 {
            samples.push(sample(rook, 1.0));
            samples.push(sample(bishop, if i % 2 == 0 { 1.0 } else { 0.0 }));
        }
        let tuned = tune(&samples, &samples[..2], &TuneParams::default()).unwrap();
        let weight = |abbr: &str| {
            let index = weight_names().iter().position(|n| n == abbr).unwrap();
            (WEIGHTS[index], tuned.weights[index])
        };
        assert!(weight("R").1 > weight("R").0, "{tuned:?}");
        assert!(weight("B").1 < weight("B").0, "{tuned:?}");
        assert_eq!(weight("Q").0, weight("Q").1);
        assert!(tuned.after < tuned.before && tuned.apart.is_some());
        assert!(table(&tuned).contains("\nR\t"));
    }

    #[test]
    fn nothing_to_fit_to_is_an_error() {
        assert!(tune(&[], &[], &TuneParams::default()).is_err());
        let start = Tenjiku::start(&Default::default());
        let one = [Sample::new(&start, 1.0)];
        assert!(tune(&one, &[], &TuneParams::default()).is_err());
    }
}
