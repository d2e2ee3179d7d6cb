//! Rows of the replay window to batches, on several threads.

use std::sync::Arc;

use encoding::Encoded;
use rayon::prelude::*;
use records::ReplayWindow;
use rules::Rules;

use crate::TrainError;
use crate::auxiliary::auxiliary_target;
use crate::batch::HostBatch;
use crate::example::{DecodeParams, Example, example};

/// Decodes rows of a window, (row number, mirrored), on the threads of the current rayon pool.
///
/// # Errors
/// As [`example`], for the first bad row in the order of `rows`.
pub fn decode<P: Encoded>(
    window: &ReplayWindow,
    rows: &[(u32, bool)],
    params: &DecodeParams,
) -> Result<HostBatch, TrainError> {
    Ok(HostBatch::new::<P>(&examples::<P>(window, rows, params)?))
}

/// As [`decode`], in batches of at most `size` positions, see [`HostBatch::split`].
///
/// # Errors
/// As [`decode`].
pub fn decode_split<P: Encoded>(
    window: &ReplayWindow,
    rows: &[(u32, bool)],
    params: &DecodeParams,
    size: usize,
) -> Result<Vec<HostBatch>, TrainError> {
    let examples = examples::<P>(window, rows, params)?;
    Ok(HostBatch::split::<P>(&examples, size))
}

fn examples<P: Encoded>(
    window: &ReplayWindow,
    rows: &[(u32, bool)],
    params: &DecodeParams,
) -> Result<Vec<Example>, TrainError> {
    let chunk = rows.len().div_ceil(rayon::current_num_threads()).max(1);
    let parts: Vec<Result<Vec<Example>, TrainError>> = rows
        .par_chunks(chunk)
        .map(|rows| {
            // The games of a run have few rule sets between them.
            let mut known: Option<(Arc<str>, P::Rules)> = None;
            let mut examples = Vec::with_capacity(rows.len());
            for &(row, mirrored) in rows {
                let sample = window.read(row)?;
                let text = &sample.game.rules;
                if known.as_ref().is_none_or(|(name, _)| name != text) {
                    let rules = P::Rules::parse(text)
                        .map_err(|e| TrainError::Data(format!("game {}: {e}", sample.game.id)))?;
                    known = Some((text.clone(), rules));
                }
                let (_, rules) = known.as_ref().expect("set above");
                let mut example = example::<P>(&sample, rules, mirrored, params)?;
                if params.auxiliary.needs_later_rows() {
                    example.auxiliary =
                        auxiliary_target::<P>(window, row, &sample, mirrored, params)?;
                }
                examples.push(example);
            }
            Ok(examples)
        })
        .collect();
    let mut examples = Vec::with_capacity(rows.len());
    for part in parts {
        examples.append(&mut part?);
    }
    Ok(examples)
}
