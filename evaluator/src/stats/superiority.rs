//! Likelihood of superiority.

use super::{Pentanomial, moments, normal_cdf};

/// Probability that the first player is the stronger one, given the pairs and no opinion beforehand; `None` with no
/// pairs.
///
/// The mean pair score is taken as normal with the variance seen in the pairs: `Φ((mean - ½) sqrt(n - 1) / σ)`. Where
/// all pairs ended alike there is no variance to be seen, and games count as independent: `Φ((W - L) / sqrt(W + L))`,
/// with as many points won and lost as the pairs have; ½ where all games were drawn.
pub fn superiority(pairs: &Pentanomial) -> Option<f64> {
    let (n, mean, variance) = moments(pairs)?;
    if variance > 0.0 {
        return Some(normal_cdf((mean - 0.5) * ((n - 1.0) / variance).sqrt()));
    }
    // 2n games with a surplus of 4n (mean - ½) half points.
    let surplus = 4.0 * n * (mean - 0.5);
    let z = if surplus == 0.0 {
        0.0
    } else {
        surplus / surplus.abs().sqrt()
    };
    Some(normal_cdf(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_cases() {
        assert_eq!(superiority(&[0; 5]), None);
        assert_eq!(superiority(&[0, 0, 7, 0, 0]), Some(0.5));
        // Five pairs won 2:0 are ten wins: Φ(10 / sqrt(10)) = Φ(3.1623) = 0.99922.
        let won = superiority(&[0, 0, 0, 0, 5]).unwrap();
        assert!((won - 0.999_217).abs() < 1e-5, "{won}");
        let lost = superiority(&[5, 0, 0, 0, 0]).unwrap();
        assert!((won + lost - 1.0).abs() < 1e-12);
        // By hand: 100 pairs, 60 of score 1 and 40 of score 0: mean 0.6, variance 0.24; Φ(0.1 sqrt(99 / 0.24)) =
        // Φ(2.03101) = 0.97887.
        let p = superiority(&[40, 0, 0, 0, 60]).unwrap();
        assert!((p - 0.978_87).abs() < 1e-4, "{p}");
        assert!(superiority(&[0, 0, 0, 1, 0]).unwrap() > 0.5);
    }
}
