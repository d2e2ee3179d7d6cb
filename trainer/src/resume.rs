//! What a training run begins with: the run's latest checkpoint, its newest network, or fresh weights.

use encoding::Encoded;
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
    let differences =
        checkpoint::architecture_differences(&manifest.architecture, job.architecture);
    if !differences.is_empty() {
        return Err(TrainError::checkpoint(
            &dir,
            format!(
                "a checkpoint of another network: {}; use the run's own sizes, or a new run folder with --init-from {}",
                differences.join(", "),
                dir.display()
            ),
        ));
    }
    if manifest.optimiser != job.params.optimiser.kind {
        return Err(TrainError::checkpoint(
            &dir,
            format!(
                "holds the memory of the optimiser {:?}, the config says {:?}; use the same optimiser, or a new run \
                 folder with --init-from {}",
                manifest.optimiser,
                job.params.optimiser.kind,
                dir.display()
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

/// The run's newest network, if it fits, or fresh weights; and its hash.
fn first_network<P: Encoded>(
    job: &Job<'_, P>,
    device: Device,
    progress: &mut dyn Progress,
) -> Result<(Network, String), TrainError> {
    if let Some(generation) = latest_generation(job.run)? {
        let dir = network_path(job.run, generation);
        let (manifest, network) = load_network::<P>(&dir, device)?;
        let differences =
            checkpoint::architecture_differences(&manifest.architecture, job.architecture);
        if !differences.is_empty() {
            return Err(TrainError::checkpoint(
                &dir,
                format!(
                    "the run's network has other sizes: {}; use the run's own sizes, or a new run folder",
                    differences.join(", ")
                ),
            ));
        }
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
