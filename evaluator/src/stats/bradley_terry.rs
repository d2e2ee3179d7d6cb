//! Elo of all players of a tournament at once: the Bradley-Terry model, by maximum likelihood.
//!
//! The expected score is logistic in the Elo difference, and a draw counts as half a win and half a loss, so that Elo
//! means here what it means in a match of two. The likelihood is that of R. A. Bradley and M. E. Terry (Biometrika
//! 39, 1952); its variance is scaled by the dispersion seen in the pairs, for draws and shared openings make pair
//! scores less spread than two coin throws (quasi-likelihood, R. W. M. Wedderburn, Biometrika 61, 1974).

use super::{Estimate, Pentanomial, Z95, moments, normal_cdf, score_of_elo};

/// Elo to natural units.
const K: f64 = std::f64::consts::LN_10 / 400.0;
/// Degrees of freedom below which the dispersion is not estimated but taken as 1, that of coin throws.
const MIN_FREEDOM: f64 = 10.0;

/// All pairs between two players, from the view of `first`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encounter {
    /// Index of a player.
    pub first: usize,
    /// Index of another player.
    pub second: usize,
    /// Pairs by points of `first`.
    pub pairs: Pentanomial,
}

/// What the scale hangs on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Anchor {
    /// This player has this Elo exactly.
    Player(usize, f64),
    /// The mean of all rated players is this.
    Mean(f64),
}

/// A player's rating.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Rating {
    /// Elo with its 95 % interval; `None` where no chain of games leads to the anchor: not enough games.
    pub elo: Option<Estimate>,
    /// Games played.
    pub games: u64,
    /// Mean score, `None` without games.
    pub score: Option<f64>,
    /// Whether the results bound the rating on one side only. Then `value` comes from one virtual draw added to each
    /// encounter in which a side made no point, and says only which way it lies.
    pub one_sided: bool,
}

/// The fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// One a player.
    pub players: Vec<Rating>,
    /// Variance of pair scores by that of two coin throws, 1 where there are too few pairs to say.
    pub dispersion: f64,
    /// Covariance of the Elo of all players; rows of unrated players are 0.
    pub covariance: Vec<Vec<f64>>,
}

impl Ratings {
    /// Probability that player `a` is stronger than player `b`; `None` if one of them has no rating.
    pub fn superiority(&self, a: usize, b: usize) -> Option<f64> {
        let elo = |i: usize| self.players[i].elo?.value;
        let difference = elo(a)? - elo(b)?;
        let c = &self.covariance;
        let variance = c[a][a] + c[b][b] - 2.0 * c[a][b];
        match variance > 0.0 {
            true => Some(normal_cdf(difference / variance.sqrt())),
            false => Some(0.5),
        }
    }
}

/// Points and games of an encounter as they enter the likelihood.
struct Weighted {
    first: usize,
    second: usize,
    points: f64,
    games: f64,
}

/// Fits the ratings of `players` players.
///
/// # Panics
/// If an index is out of range or a player meets itself.
pub fn fit(players: usize, encounters: &[Encounter], anchor: Anchor) -> Ratings {
    let played: Vec<&Encounter> = encounters
        .iter()
        .filter(|e| e.pairs.iter().sum::<u64>() > 0)
        .collect();
    assert!(
        played
            .iter()
            .all(|e| e.first < players && e.second < players && e.first != e.second),
        "encounters are between two of the players"
    );
    let rated = rated_players(players, &played, anchor);
    let data = |virtual_draws: bool| -> Vec<Weighted> {
        let of = |e: &&Encounter| {
            let (pairs, mean, _) = moments(&e.pairs).expect("has pairs");
            let lonely = virtual_draws && (mean == 0.0 || mean == 1.0);
            Weighted {
                first: e.first,
                second: e.second,
                points: 2.0 * pairs * mean + if lonely { 0.5 } else { 0.0 },
                games: 2.0 * pairs + if lonely { 1.0 } else { 0.0 },
            }
        };
        played.iter().map(of).collect()
    };
    let (up, down) = bounded(players, &played, &rated, anchor);
    let finite = rated.iter().all(|&i| up[i] && down[i]);
    let data = data(!finite);
    let elo = maximise(players, &rated, &data);
    let dispersion = if finite {
        dispersion(&played, &elo, rated.len())
    } else {
        1.0
    };
    let covariance = covariance(players, &rated, &data, &elo, anchor, dispersion);
    let mean = rated.iter().map(|&i| elo[i]).sum::<f64>() / rated.len().max(1) as f64;
    let (base, at) = match anchor {
        Anchor::Player(i, at) => (elo[i], at),
        Anchor::Mean(at) => (mean, at),
    };
    let rating = |i: usize| {
        let mut games = 0;
        let mut points = 0.0;
        for e in &played {
            let (pairs, mean, _) = moments(&e.pairs).expect("has pairs");
            if e.first == i || e.second == i {
                games += 2 * pairs as u64;
                points += 2.0 * pairs * if e.first == i { mean } else { 1.0 - mean };
            }
        }
        let half = Z95 * covariance[i][i].max(0.0).sqrt();
        let value = at + (elo[i] - base);
        Rating {
            elo: rated.contains(&i).then(|| Estimate {
                value: Some(value),
                low: down[i].then_some(value - half),
                high: up[i].then_some(value + half),
            }),
            games,
            score: (games > 0).then(|| points / games as f64),
            one_sided: rated.contains(&i) && !(up[i] && down[i]),
        }
    };
    Ratings {
        players: (0..players).map(rating).collect(),
        dispersion,
        covariance,
    }
}

/// The players that a chain of games joins to the anchor, or, without one, the largest such group.
fn rated_players(players: usize, played: &[&Encounter], anchor: Anchor) -> Vec<usize> {
    let group = |start: usize| -> Vec<usize> {
        let seen = spread(players, start, |i| {
            let others = played.iter().filter_map(move |e| match i {
                i if i == e.first => Some(e.second),
                i if i == e.second => Some(e.first),
                _ => None,
            });
            others.collect()
        });
        (0..players).filter(|&i| seen[i]).collect()
    };
    match anchor {
        Anchor::Player(i, _) => group(i),
        Anchor::Mean(_) => {
            let groups = (0..players).map(group);
            let largest = groups.reduce(|a, b| if b.len() > a.len() { b } else { a });
            largest.filter(|g| g.len() > 1).unwrap_or_default()
        }
    }
}

/// Which ratings the results bound from above, and which from below.
///
/// `a` bounds `b` from above if a chain leads from `a` to `b` in which each has made points against the next. Relative to
/// an anchor it is the anchor that has to bound the others; relative to the mean everybody has to bound everybody.
fn bounded(
    players: usize,
    played: &[&Encounter],
    rated: &[usize],
    anchor: Anchor,
) -> (Vec<bool>, Vec<bool>) {
    let Some(&first) = rated.first() else {
        return (vec![false; players], vec![false; players]);
    };
    let reference = match anchor {
        Anchor::Player(i, _) => i,
        Anchor::Mean(_) => first,
    };
    let up = reached(players, played, reference, false);
    let down = reached(players, played, reference, true);
    if matches!(anchor, Anchor::Player(..)) || rated.iter().all(|&i| up[i] && down[i]) {
        return (up, down);
    }
    let by_all = |turned: bool| -> Vec<bool> {
        let mut all = vec![true; players];
        for &i in rated {
            let seen = reached(players, played, i, turned);
            all.iter_mut().zip(seen).for_each(|(a, s)| *a &= s);
        }
        all
    };
    (by_all(false), by_all(true))
}

/// Which players `reference` bounds from above; `turned`: from below.
fn reached(players: usize, played: &[&Encounter], reference: usize, turned: bool) -> Vec<bool> {
    spread(players, reference, |i| {
        let mut next = Vec::new();
        for e in played {
            let (_, mean, _) = moments(&e.pairs).expect("has pairs");
            let (first_scored, second_scored) = (mean > 0.0, mean < 1.0);
            if e.first == i && if turned { second_scored } else { first_scored } {
                next.push(e.second);
            }
            if e.second == i && if turned { first_scored } else { second_scored } {
                next.push(e.first);
            }
        }
        next
    })
}

/// All that is reached from `start` over `next`.
fn spread(players: usize, start: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut seen = vec![false; players];
    let mut queue = vec![start];
    while let Some(i) = queue.pop() {
        if !std::mem::replace(&mut seen[i], true) {
            queue.extend(next(i).into_iter().filter(|&j| !seen[j]));
        }
    }
    seen
}

/// The Elo that maximises the likelihood, with the first rated player at 0. Newton's method; the likelihood is concave,
/// and a step is shortened to 200 Elo, which it exceeds only far from the maximum.
fn maximise(players: usize, rated: &[usize], data: &[Weighted]) -> Vec<f64> {
    let mut elo = vec![0.0; players];
    for _ in 0..500 {
        let mut gradient = vec![0.0; players];
        for w in data {
            let surplus = K * (w.points - w.games * score_of_elo(elo[w.first] - elo[w.second]));
            gradient[w.first] += surplus;
            gradient[w.second] -= surplus;
        }
        let free = rated.get(1..).unwrap_or_default();
        let right: Vec<f64> = free.iter().map(|&i| gradient[i]).collect();
        let step = solve(information(free, data, &elo), vec![right]).remove(0);
        let longest = step.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let scale = if longest > 200.0 {
            200.0 / longest
        } else {
            1.0
        };
        for (&i, s) in free.iter().zip(&step) {
            elo[i] += scale * s;
        }
        if longest < 1e-9 {
            break;
        }
    }
    elo
}

/// Fisher information of the players in `free`, the others being fixed.
fn information(free: &[usize], data: &[Weighted], elo: &[f64]) -> Vec<Vec<f64>> {
    let place = |i: usize| free.iter().position(|&j| j == i);
    let mut matrix = vec![vec![0.0; free.len()]; free.len()];
    for w in data {
        let p = score_of_elo(elo[w.first] - elo[w.second]);
        let weight = K * K * w.games * p * (1.0 - p);
        let (a, b) = (place(w.first), place(w.second));
        for i in [a, b].into_iter().flatten() {
            matrix[i][i] += weight;
        }
        if let (Some(a), Some(b)) = (a, b) {
            matrix[a][b] -= weight;
            matrix[b][a] -= weight;
        }
    }
    matrix
}

/// Variance of pair points by the variance of two independent coin throws with the fitted probabilities.
fn dispersion(played: &[&Encounter], elo: &[f64], rated: usize) -> f64 {
    let (mut seen, mut expected, mut pairs) = (0.0, 0.0, 0.0);
    for e in played {
        let (n, mean, variance) = moments(&e.pairs).expect("has pairs");
        let p = score_of_elo(elo[e.first] - elo[e.second]);
        seen += 4.0 * n * (variance + (mean - p).powi(2));
        expected += 2.0 * n * p * (1.0 - p);
        pairs += n;
    }
    let freedom = pairs - (rated as f64 - 1.0);
    if freedom < MIN_FREEDOM || seen == 0.0 {
        return 1.0;
    }
    seen / expected * pairs / freedom
}

/// Covariance of the anchored ratings.
fn covariance(
    players: usize,
    rated: &[usize],
    data: &[Weighted],
    elo: &[f64],
    anchor: Anchor,
    dispersion: f64,
) -> Vec<Vec<f64>> {
    let fixed = match anchor {
        Anchor::Player(i, _) => Some(i),
        Anchor::Mean(_) => rated.first().copied(),
    };
    let free: Vec<usize> = rated
        .iter()
        .copied()
        .filter(|&i| Some(i) != fixed)
        .collect();
    let identity = (0..free.len())
        .map(|i| {
            (0..free.len())
                .map(|j| f64::from(u8::from(i == j)))
                .collect()
        })
        .collect();
    let inverse = solve(information(&free, data, elo), identity);
    let mut full = vec![vec![0.0; players]; players];
    for (a, &i) in free.iter().enumerate() {
        for (b, &j) in free.iter().enumerate() {
            full[i][j] = dispersion * inverse[b][a];
        }
    }
    if let Anchor::Mean(_) = anchor {
        // Ratings less their mean: C - rows' means - columns' means + mean of all.
        let n = rated.len().max(1) as f64;
        let row: Vec<f64> = (0..players)
            .map(|i| rated.iter().map(|&j| full[i][j]).sum::<f64>() / n)
            .collect();
        let all = rated.iter().map(|&i| row[i]).sum::<f64>() / n;
        for &i in rated {
            for &j in rated {
                full[i][j] += all - row[i] - row[j];
            }
        }
    }
    full
}

/// Solves `matrix x = right` for each right side, by Gauss elimination with the largest pivot.
fn solve(mut matrix: Vec<Vec<f64>>, mut rights: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for column in 0..n {
        let largest = |a: &usize, b: &usize| {
            matrix[*a][column]
                .abs()
                .total_cmp(&matrix[*b][column].abs())
        };
        let pivot = (column..n).max_by(largest).expect("rows are left");
        matrix.swap(column, pivot);
        rights.iter_mut().for_each(|r| r.swap(column, pivot));
        let top = matrix[column].clone();
        for row in column + 1..n {
            // An information matrix of players joined by games is positive definite; a zero pivot cannot be.
            let factor = matrix[row][column] / top[column];
            if factor != 0.0 {
                for (x, t) in matrix[row].iter_mut().zip(&top).skip(column) {
                    *x -= factor * t;
                }
                rights.iter_mut().for_each(|r| r[row] -= factor * r[column]);
            }
        }
    }
    for right in &mut rights {
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|j| matrix[row][j] * right[j]).sum();
            right[row] = (right[row] - known) / matrix[row][row];
        }
    }
    rights
}

#[cfg(test)]
mod tests;
