//! The two random vectors a root needs.

use rand::{Rng, RngExt};

/// Uniform in (0, 1): never 0, so that its logarithm is finite.
fn open01<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    loop {
        let u: f64 = rng.random();
        if u > 0.0 {
            return u;
        }
    }
}

/// Fills `out` with `n` draws of `scale` times the standard Gumbel distribution.
pub(crate) fn gumbel<R: Rng + ?Sized>(rng: &mut R, n: usize, scale: f32, out: &mut Vec<f32>) {
    out.clear();
    if scale == 0.0 {
        out.resize(n, 0.0);
    } else {
        out.extend((0..n).map(|_| scale * -(-open01(rng).ln()).ln() as f32));
    }
}

/// Fills `out` with one draw of the symmetric Dirichlet distribution of `n` components with parameter `alpha`.
pub(crate) fn dirichlet<R: Rng + ?Sized>(rng: &mut R, n: usize, alpha: f64, out: &mut Vec<f32>) {
    out.clear();
    let draws: Vec<f64> = (0..n).map(|_| gamma(rng, alpha)).collect();
    let sum: f64 = draws.iter().sum();
    // Tiny alphas can underflow everywhere; the limit of the distribution is one component with all.
    if sum > 0.0 {
        out.extend(draws.iter().map(|g| (g / sum) as f32));
    } else {
        out.resize(n, 0.0);
        out[rng.random_range(0..n)] = 1.0;
    }
}

/// The gamma distribution with scale 1. Source: Marsaglia and Tsang, "A simple method for generating gamma
/// variables", 2000; for `alpha < 1` with their `U^(1/alpha)`.
fn gamma<R: Rng + ?Sized>(rng: &mut R, alpha: f64) -> f64 {
    if alpha < 1.0 {
        return gamma(rng, alpha + 1.0) * open01(rng).powf(1.0 / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && open01(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// The standard normal distribution (Box and Muller).
fn normal<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (-2.0 * open01(rng).ln()).sqrt() * (std::f64::consts::TAU * open01(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn gumbel_has_its_mean_and_variance() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut out = Vec::new();
        gumbel(&mut rng, 200_000, 1.0, &mut out);
        let n = out.len() as f64;
        let mean = out.iter().map(|&g| f64::from(g)).sum::<f64>() / n;
        let variance = out
            .iter()
            .map(|&g| (f64::from(g) - mean).powi(2))
            .sum::<f64>()
            / n;
        assert!(
            (mean - 0.577_216).abs() < 0.02,
            "Euler's constant, found {mean}"
        );
        assert!(
            (variance - std::f64::consts::PI.powi(2) / 6.0).abs() < 0.05,
            "pi^2 / 6, found {variance}"
        );
    }

    #[test]
    fn gamma_has_its_mean_and_variance() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for alpha in [0.05, 0.5, 1.0, 4.0] {
            let draws: Vec<f64> = (0..200_000).map(|_| gamma(&mut rng, alpha)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance =
                draws.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            assert!(
                (mean / alpha - 1.0).abs() < 0.05,
                "alpha {alpha}: mean {mean}"
            );
            assert!(
                (variance / alpha - 1.0).abs() < 0.1,
                "alpha {alpha}: variance {variance}"
            );
        }
    }

    #[test]
    fn dirichlet_sums_to_one_even_where_all_underflows() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut out = Vec::new();
        for alpha in [1e-6, 0.01, 0.3, 10.0] {
            dirichlet(&mut rng, 300, alpha, &mut out);
            assert_eq!(out.len(), 300);
            assert!(
                (out.iter().sum::<f32>() - 1.0).abs() < 1e-4,
                "alpha {alpha}"
            );
        }
    }
}
