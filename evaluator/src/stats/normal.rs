//! The normal distribution.

/// 97.5 % quantile of the normal distribution: 95 % of it lie within so many standard deviations.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Probability that a standard normal variable is at most `x`. Absolute error below 1e-13.
///
/// # Source
/// Abramowitz and Stegun, *Handbook of Mathematical Functions*: 26.2.11 (series) near 0 and 26.2.14 (continued
/// fraction) in the tails.
pub fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x.abs() < 4.0 {
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            k += 2.0;
            term *= x * x / k;
            sum += term;
        }
        return 0.5 + density * sum;
    }
    let y = x.abs();
    let fraction = (1..=60).rev().fold(y, |tail, k| y + f64::from(k) / tail);
    let beyond = density / fraction;
    if x < 0.0 { beyond } else { 1.0 - beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_values() {
        // Abramowitz and Stegun, table 26.1, and its tail values.
        for (x, p) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013),
            (1.0, 0.841_344_746_068_543),
            (Z95, 0.975),
            (3.0, 0.998_650_101_968_370),
            (3.99, 0.999_966_963_352_371),
            (4.5, 0.999_996_602_326_875),
        ] {
            assert!((normal_cdf(x) - p).abs() < 1e-12, "{x}");
            assert!((normal_cdf(-x) - (1.0 - p)).abs() < 1e-12, "-{x}");
        }
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
        assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
        assert!(normal_cdf(-40.0) >= 0.0);
    }
}
