//! What a training run begins with: the run's latest checkpoint, its newest network, or fresh weights.

use std::path::Path;

use encoding::Encoded;
use inference::Architecture;
use network::tch::Device;
use network::{Network, load_network};

use crate::TrainError;
use crate::checkpoint::{self, CheckpointManifest};
use crate::progress::Progress;
use crate::publish::{latest_generation, network_path};
use crate::state::TrainState;
use crate::train::Job;

/// The latest checkpoint's manifest, the state to go on from, and the hash of the network it all began with.
pub(crate) fn resume<P: Encoded>(
    job: &Job<'_, P>,
    device: Device,
    config_hash: &str,
    progress: &mut dyn Progress,
) -> Result<(Option<CheckpointManifest>, TrainState, String), TrainError> {
    let Some(&step) = checkpoint::checkpoints(job.run)?.last() else {
        let (network, parent) = first_network::<P>(job, device, progress)?;
        return Ok((None, TrainState::new(network), parent));
    };
    let dir = checkpoint::checkpoint_path(job.run, step);
    let manifest = checkpoint::read_manifest(&dir)?;
    let advice = format!("or a new run folder with --init-from {}", dir.display());
    let what = "a checkpoint of another network";
    same_sizes(
        &dir,
        &manifest.architecture,
        job.architecture,
        what,
        &advice,
    )?;
    if manifest.optimiser != job.params.optimiser.kind {
        return Err(TrainError::checkpoint(
            &dir,
            format!(
                "holds the memory of the optimiser {:?}, the config says {:?}; use the same optimiser, {advice}",
                manifest.optimiser, job.params.optimiser.kind
            ),
        ));
    }
    let (manifest, state) = checkpoint::load_checkpoint::<P>(&dir, device)?;
    progress.note(&format!("going on from the checkpoint of step {step}"));
    if manifest.config_hash != config_hash {
        progress.note("the training settings are not the ones of the checkpoint; the new ones hold from here on");
    }
    let parent = manifest.parent.clone();
    Ok((Some(manifest), state, parent))
}

/// Refuses what is in `dir`, with the list of differences, if its sizes are not those that the job wants.
fn same_sizes(
    dir: &Path,
    found: &Architecture,
    wanted: &Architecture,
    what: &str,
    advice: &str,
) -> Result<(), TrainError> {
    let differences = checkpoint::architecture_differences(found, wanted);
    if differences.is_empty() {
        return Ok(());
    }
    let list = differences.join(", ");
    let reason = format!("{what}: {list}; use the run's own sizes, {advice}");
    Err(TrainError::checkpoint(dir, reason))
}

/// The run's newest network, if it fits, or fresh weights; and its hash.
fn first_network<P: Encoded>(
    job: &Job<'_, P>,
    device: Device,
    progress: &mut dyn Progress,
) -> Result<(Network, String), TrainError> {
    if let Some(generation) = latest_generation(job.run)? {
        let dir = network_path(job.run, generation);
        let (manifest, network) = load_network::<P>(&dir, device)?;
        let what = "the run's network has other sizes";
        let advice = "or a new run folder";
        same_sizes(&dir, &manifest.architecture, job.architecture, what, advice)?;
        progress.note(&format!(
            "no checkpoint yet: starting from network {generation}"
        ));
        return Ok((network, manifest.hash));
    }
    progress.note("no checkpoint and no network yet: starting from fresh weights");
    let network = Network::fresh::<P>(job.architecture.clone(), job.params.seed)
        .map_err(|e| TrainError::Config(e.to_string()))?;
    Ok((to_device(network, device), String::new()))
}

fn to_device(network: Network, device: Device) -> Network {
    if network.device() == device {
        network
    } else {
        network.to_device(device)
    }
}
