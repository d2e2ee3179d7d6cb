//! Sums, maxima and exponentials of many numbers at once.
//!
//! Softmaxes over hundreds of moves are a good part of the tree's work. These functions are written
//! so that the compiler vectorises them, and they give the same bits on every machine, which the C library's `expf`
//! does not.

/// Numbers in work side by side.
const LANES: usize = 8;

/// Folds each lane, then the lanes.
#[inline(always)]
fn fold(values: &[f32], zero: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [zero; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = f(*lane, x);
    }
    lanes.into_iter().fold(zero, f)
}

/// The sum. Not a number, or infinite, if some value is.
pub(crate) fn sum(values: &[f32]) -> f32 {
    fold(values, 0.0, |a, b| a + b)
}

/// The largest value, numbers given; minus infinity without any.
pub(crate) fn max(values: &[f32]) -> f32 {
    fold(values, f32::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

/// Replaces each `x` by `e^x`, for `x <= 0`: relative error below 3e-7; 0 below -87, the smallest normal number.
pub(crate) fn exp_in_place(values: &mut [f32]) {
    values.iter_mut().for_each(|x| *x = exp(*x));
}

/// `e^x = 2^n * 2^f` with integer n and f in [-1/2, 1/2]; `2^f` by its Taylor polynomial.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this rounds a small number to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23
    // ln 2 in two parts, so that n * ln 2 is exact enough.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let clamped = x.max(-87.0);
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = clamped - n * LN2_HIGH - n * LN2_LOW;
    let p = 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * r + 1.0;
    let p = p * r + 1.0;
    let power = f32::from_bits((shifted.to_bits().wrapping_add(127) & 0x1ff) << 23);
    let result = p * power;
    if x < -87.0 { 0.0 } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_exponential() {
        let xs: Vec<f32> = (0..870_000).map(|i| -(i as f32) * 1e-4).collect();
        let mut found = xs.clone();
        exp_in_place(&mut found);
        for (x, found) in xs.iter().zip(found) {
            let expected = f64::from(*x).exp();
            assert!(
                (f64::from(found) / expected - 1.0).abs() < 3e-7,
                "e^{x} = {expected}, found {found}"
            );
        }
    }

    #[test]
    fn sums_and_maxima_take_every_value() {
        for n in 0..40 {
            let values: Vec<f32> = (0..n).map(|i| ((i * 7) % 11) as f32 - 20.0).collect();
            assert_eq!(sum(&values), values.iter().sum::<f32>());
            assert_eq!(
                max(&values),
                values.iter().copied().fold(f32::NEG_INFINITY, f32::max)
            );
        }
        assert!(sum(&[1.0, f32::NAN, 2.0]).is_nan());
    }

    #[test]
    fn ends_are_exact() {
        let mut values = [0.0, -0.0, -87.5, -1000.0, f32::NEG_INFINITY];
        exp_in_place(&mut values);
        assert_eq!(values, [1.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
