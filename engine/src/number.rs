//! Whole numbers that come as text.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The whole number that `text` is.
///
/// # Errors
/// It is none or not in `range`: says what it must be.
pub fn whole_number<T: FromStr + PartialOrd + Display>(
    text: &str,
    range: RangeInclusive<T>,
) -> Result<T, String> {
    let number = text.parse().ok().filter(|n| range.contains(n));
    let (low, high) = (range.start(), range.end());
    number.ok_or_else(|| format!("must be a whole number from {low} to {high}"))
}
