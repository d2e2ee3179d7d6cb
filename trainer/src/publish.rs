//! The networks of a run: where they are, and a new one out of the latest checkpoint.

use std::path::{Path, PathBuf};

use encoding::Encoded;
use inference::Manifest;
use network::tch::Device;

use crate::TrainError;
use crate::checkpoint;

/// Exports the averaged weights of the run's latest checkpoint as network `generation`.
///
/// # Errors
/// No checkpoint, a damaged one, or another network there already.
pub fn save_network<P: Encoded>(run: &Path, generation: u32) -> Result<Manifest, TrainError> {
    let Some(&step) = checkpoint::checkpoints(run)?.last() else {
        return Err(TrainError::checkpoint(
            run.join("checkpoints"),
            "no checkpoint to export a network from; run `tenjiku train` first",
        ));
    };
    let dir = checkpoint::checkpoint_path(run, step);
    let (manifest, state) = checkpoint::load_checkpoint::<P>(&dir, Device::Cpu)?;
    let network = state
        .averaged()
        .map_err(|e| TrainError::checkpoint(&dir, e))?;
    let parent = match generation.checked_sub(1).map(|g| network_path(run, g)) {
        Some(parent) if parent.join(Manifest::FILE).is_file() => Manifest::read(&parent)?.hash,
        _ => manifest.parent,
    };
    let meta = network::NetworkMeta {
        generation: Some(generation),
        step,
        parent,
        rules: manifest.rules,
    };
    Ok(network::save_network(
        &network_path(run, generation),
        &network,
        &meta,
    )?)
}

/// `networks/000012`.
pub(crate) fn network_path(run: &Path, generation: u32) -> PathBuf {
    run.join("networks").join(format!("{generation:06}"))
}

/// The newest generation with a complete network folder.
pub(crate) fn latest_generation(run: &Path) -> Result<Option<u32>, TrainError> {
    let path = run.join("networks");
    match std::fs::read_dir(&path) {
        Ok(entries) => Ok(entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|&generation| network_path(run, generation).join(Manifest::FILE).is_file())
            .max()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(TrainError::io(path)(e)),
    }
}
