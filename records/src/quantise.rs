//! Probabilities as whole numbers that sum exactly to [`QUANTUM`].

/// The sum of the quantised weights of a policy, and the unit of values: 1.0 is stored as 65,535.
pub const QUANTUM: u16 = u16::MAX;

/// Largest tolerated distance of a sum of probabilities from 1.
pub(crate) const SUM_TOLERANCE: f64 = 1e-3;

/// Rounds `weights` to multiples of 1/[`QUANTUM`] that sum exactly to 1 (largest remainder; equal remainders go
/// to the earlier weight). Each result is within one unit of the exact share, and quantising a quantised
/// policy again changes nothing.
///
/// # Errors
/// What is wrong: no weights, more than [`QUANTUM`] of them, one that is negative or not finite, or a sum that
/// is not 1 within 0.001.
pub fn quantise(weights: &[f32]) -> Result<Vec<u16>, String> {
    if let Some(units) = as_stored(weights) {
        return Ok(units);
    }
    if weights.is_empty() || weights.len() > QUANTUM as usize {
        return Err(format!("{} weights, must be 1 to {QUANTUM}", weights.len()));
    }
    for (i, &weight) in weights.iter().enumerate() {
        if !weight.is_finite() || weight < 0.0 {
            return Err(format!(
                "weight {i} is {weight}, must be finite and not negative"
            ));
        }
    }
    let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(format!(
            "weights sum to {sum}, must be 1 within {SUM_TOLERANCE}"
        ));
    }
    let exact: Vec<f64> = weights
        .iter()
        .map(|&w| f64::from(w) / sum * f64::from(QUANTUM))
        .collect();
    let mut units: Vec<u16> = exact.iter().map(|x| x.floor() as u16).collect();
    let given: u32 = units.iter().map(|&u| u32::from(u)).sum();
    // The floors lose less than one unit each, so `missing` is below the number of weights.
    let missing = u32::from(QUANTUM).saturating_sub(given) as usize;
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    for &i in order.iter().take(missing) {
        units[i] += 1;
    }
    Ok(units)
}

/// The units of weights that were quantised before: the usual case, for all that is read from files is packed again.
fn as_stored(weights: &[f32]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(weights.len());
    let mut sum = 0u64;
    for &weight in weights {
        let nearest = (weight * f32::from(QUANTUM) + 0.5) as u16;
        if share(nearest) != weight {
            return None;
        }
        sum += u64::from(nearest);
        units.push(nearest);
    }
    (sum == u64::from(QUANTUM) && weights.len() <= QUANTUM as usize).then_some(units)
}

/// The share that `units` stand for.
#[inline]
pub(crate) fn share(units: u16) -> f32 {
    f32::from(units) / f32::from(QUANTUM)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(units: &[u16]) -> u32 {
        units.iter().map(|&u| u32::from(u)).sum()
    }

    #[test]
    fn thirds_sum_exactly() {
        // 65535 = 3 * 21845
        assert_eq!(quantise(&[1.0 / 3.0; 3]).unwrap(), [21845; 3]);
        // 65535 / 2 = 32767.5: the odd unit goes to the first
        assert_eq!(quantise(&[0.5, 0.5]).unwrap(), [32768, 32767]);
        // 65535 / 4 = 16383.75: three units to give
        assert_eq!(quantise(&[0.25; 4]).unwrap(), [16384, 16384, 16384, 16383]);
    }

    #[test]
    fn tiny_weights_become_zero() {
        assert_eq!(quantise(&[1.0 - 1e-6, 1e-6]).unwrap(), [65535, 0]);
        assert_eq!(quantise(&[1.0]).unwrap(), [65535]);
    }

    #[test]
    fn refuses_what_is_no_distribution() {
        for bad in [
            &[][..],
            &[0.4, 0.4],
            &[1.5, -0.5],
            &[f32::NAN, 1.0],
            &[f32::INFINITY],
            &[0.0, 0.0],
        ] {
            assert!(quantise(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sums_are_exact_and_stable_for_many_shapes() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
        for case in 0..500 {
            let n = 1 + case % 300 + if case % 50 == 0 { 1_500 } else { 0 };
            let power = [1, 3, 9][case % 3];
            let raw: Vec<f64> = (0..n)
                .map(|_| rng.random::<f64>().powi(power) + 1e-9)
                .collect();
            let total: f64 = raw.iter().sum();
            let weights: Vec<f32> = raw.iter().map(|w| (w / total) as f32).collect();
            let units = quantise(&weights).unwrap();
            assert_eq!(sum(&units), 65535);
            for (w, &u) in weights.iter().zip(&units) {
                assert!((f64::from(*w) * 65535.0 - f64::from(u)).abs() < 1.01);
            }
            let again: Vec<f32> = units.iter().map(|&u| share(u)).collect();
            assert_eq!(as_stored(&again).as_ref(), Some(&units));
            assert_eq!(quantise(&again).unwrap(), units);
        }
    }
}
