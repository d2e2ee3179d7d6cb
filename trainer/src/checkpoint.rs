//! Checkpoints: `checkpoints/0004000/`, everything that training needs to go on as if it had not stopped.
//!
//! ```text
//! model.safetensors       the weights in training
//! average.safetensors     their average
//! optimiser.safetensors   `first.<name>`, `second.<name>`
//! auxiliary.safetensors   the heads that exist in training only, where there are any
//! manifest.toml           the rest, and the SHA-256 of these files
//! ```
//!
//! The learning rate and the samples drawn are pure functions of seed and step, so the step is their whole state.
//! A folder is written as a whole or not at all. A damaged newest checkpoint is an error, never skipped in silence:
//! the message says which folder to move away to go on from the one before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use encoding::{Encoded, InputSpec};
use files::write_folder;
use inference::{Architecture, sha256};
use network::tch::Device;
use network::{Heads, Network, Weights, spec_differences};

use crate::TrainError;
use crate::optimiser::Optimiser;
use crate::params::OptimiserKind;
use crate::state::TrainState;

/// `manifest.toml` of a checkpoint.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointManifest {
    /// Version of this file: [`CheckpointManifest::FORMAT`].
    pub format: u32,
    /// Steps done.
    pub step: u64,
    /// The step that this call of the trainer was to reach.
    pub goal: u64,
    /// The generation that this call was to make, if its run counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u32>,
    /// Steps skipped for not being finite.
    pub skipped: u64,
    /// Steps of the optimiser.
    pub optimiser_steps: u64,
    /// Which optimiser's memory this is.
    pub optimiser: OptimiserKind,
    /// Seed of the samples; with `step` the whole state of the sampler.
    pub seed: u64,
    /// Names of the position files of the window.
    pub window: Vec<String>,
    /// Hash of the network that training started from, empty for fresh weights.
    pub parent: String,
    /// Rules, [`rules::Rules::name`].
    pub rules: String,
    /// SHA-256 of the settings.
    pub config_hash: String,
    /// Version of the program that wrote it.
    pub code_version: String,
    /// SHA-256 of each file.
    pub hashes: BTreeMap<String, String>,
    /// What the network reads.
    pub input: InputSpec,
    /// The network's sizes.
    pub architecture: Architecture,
    /// The auxiliary heads; absent where there are none.
    #[serde(default, skip_serializing_if = "Heads::is_none")]
    pub heads: Heads,
}

impl CheckpointManifest {
    /// The version this program reads and writes.
    pub const FORMAT: u32 = 1;
}

const MANIFEST: &str = "manifest.toml";
const MODEL: &str = "model.safetensors";
const AVERAGE: &str = "average.safetensors";
const OPTIMISER: &str = "optimiser.safetensors";
const AUXILIARY: &str = "auxiliary.safetensors";

/// What a checkpoint holds beside the state of training.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckpointMeta {
    /// See [`CheckpointManifest::goal`].
    pub goal: u64,
    /// See [`CheckpointManifest::generation`].
    pub generation: Option<u32>,
    /// See [`CheckpointManifest::optimiser`].
    pub optimiser: OptimiserKind,
    /// See [`CheckpointManifest::seed`].
    pub seed: u64,
    /// See [`CheckpointManifest::window`].
    pub window: Vec<String>,
    /// See [`CheckpointManifest::parent`].
    pub parent: String,
    /// See [`CheckpointManifest::rules`].
    pub rules: String,
    /// See [`CheckpointManifest::config_hash`].
    pub config_hash: String,
}

/// The folder of the checkpoint at `step`.
pub fn checkpoint_path(run: &Path, step: u64) -> PathBuf {
    run.join("checkpoints").join(format!("{step:07}"))
}

/// The steps that have a checkpoint, ascending. Empty where there is no folder.
///
/// # Errors
/// The folder cannot be listed.
pub fn checkpoints(run: &Path) -> Result<Vec<u64>, TrainError> {
    let path = run.join("checkpoints");
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(TrainError::io(path)(e)),
    };
    let mut steps: Vec<u64> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&step| checkpoint_path(run, step).is_dir())
        .collect();
    steps.sort_unstable();
    Ok(steps)
}

/// Writes the checkpoint of `state`, then removes all but the newest `keep`.
///
/// # Errors
/// Names the folder that cannot be written, or that is there already.
pub fn save_checkpoint(
    run: &Path,
    state: &TrainState,
    meta: &CheckpointMeta,
    keep: usize,
) -> Result<PathBuf, TrainError> {
    let dir = checkpoint_path(run, state.step);
    let error = |reason: String| TrainError::checkpoint(&dir, reason);
    let optimiser = Weights(
        [
            ("first", &state.optimiser.first),
            ("second", &state.optimiser.second),
        ]
        .into_iter()
        .flat_map(|(part, map)| {
            map.iter()
                .map(move |(name, t)| (format!("{part}.{name}"), t.shallow_clone()))
        })
        .collect(),
    );
    let mut files = Vec::new();
    let auxiliary = (!state.heads.is_none()).then_some((AUXILIARY, &state.auxiliary));
    for (name, weights) in [
        (MODEL, &state.network.weights),
        (AVERAGE, &state.average),
        (OPTIMISER, &optimiser),
    ]
    .into_iter()
    .chain(auxiliary)
    {
        files.push((
            name,
            weights.to_safetensors().map_err(|e| error(e.to_string()))?,
        ));
    }
    let manifest = CheckpointManifest {
        format: CheckpointManifest::FORMAT,
        step: state.step,
        goal: meta.goal,
        generation: meta.generation,
        skipped: state.skipped,
        optimiser_steps: state.optimiser.steps,
        optimiser: meta.optimiser,
        seed: meta.seed,
        window: meta.window.clone(),
        parent: meta.parent.clone(),
        rules: meta.rules.clone(),
        config_hash: meta.config_hash.clone(),
        code_version: env!("CARGO_PKG_VERSION").to_string(),
        hashes: files
            .iter()
            .map(|(name, bytes)| (name.to_string(), sha256(bytes)))
            .collect(),
        input: state.network.spec().clone(),
        architecture: state.network.arch().clone(),
        heads: state.heads.clone(),
    };
    let text = toml::to_string(&manifest).map_err(|e| error(e.to_string()))?;
    files.push((MANIFEST, text.into_bytes()));
    let cannot = |e: std::io::Error| error(format!("cannot write the checkpoint: {e}"));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (*name, bytes.as_slice()))
        .collect();
    write_folder(&dir, &files).map_err(cannot)?;
    let steps = checkpoints(run)?;
    for &old in &steps[..steps.len().saturating_sub(keep)] {
        let old = checkpoint_path(run, old);
        fs::remove_dir_all(&old).map_err(TrainError::io(&old))?;
    }
    Ok(dir)
}

/// Reads the manifest of the checkpoint folder `dir`.
///
/// # Errors
/// Names the file: missing, not TOML, another format.
pub fn read_manifest(dir: &Path) -> Result<CheckpointManifest, TrainError> {
    let path = dir.join(MANIFEST);
    let text = fs::read_to_string(&path).map_err(|e| {
        TrainError::checkpoint(
            &path,
            format!("cannot read the checkpoint: {e}; {}", go_back(dir)),
        )
    })?;
    let manifest: CheckpointManifest = toml::from_str(&text).map_err(|e| {
        TrainError::checkpoint(
            &path,
            format!("bad manifest: {}; {}", e.to_string().trim(), go_back(dir)),
        )
    })?;
    if manifest.format != CheckpointManifest::FORMAT {
        return Err(TrainError::checkpoint(
            &path,
            format!(
                "format {} of a checkpoint; this program reads format {}; use the program that wrote it",
                manifest.format,
                CheckpointManifest::FORMAT
            ),
        ));
    }
    Ok(manifest)
}

/// Reads the checkpoint folder `dir` of game `P`, to `device`.
///
/// # Errors
/// Names the file: missing, damaged, of another game or encoding, or tensors that do not fit.
pub fn load_checkpoint<P: Encoded>(
    dir: &Path,
    device: Device,
) -> Result<(CheckpointManifest, TrainState), TrainError> {
    let manifest = read_manifest(dir)?;
    let expected = encoding::spec::<P>();
    if manifest.input != expected {
        return Err(TrainError::checkpoint(
            dir.join(MANIFEST),
            format!(
                "made for another game or encoding: {}; use a new run folder, and --init-from to take over what fits",
                spec_differences(&manifest.input, &expected).join(", ")
            ),
        ));
    }
    let read = |name: &str| -> Result<Weights, TrainError> {
        let path = dir.join(name);
        let error =
            |reason: String| TrainError::checkpoint(&path, format!("{reason}; {}", go_back(dir)));
        let bytes = fs::read(&path).map_err(|e| error(format!("cannot read it: {e}")))?;
        if manifest
            .hashes
            .get(name)
            .is_none_or(|hash| *hash != sha256(&bytes))
        {
            return Err(error(format!(
                "damaged: its SHA-256 is not the one in {MANIFEST}"
            )));
        }
        let weights = Weights::from_safetensors(&bytes).map_err(|e| error(e.to_string()))?;
        Ok(if device == Device::Cpu {
            weights
        } else {
            weights.copy(device)
        })
    };
    let network = Network::new::<P>(manifest.architecture.clone(), read(MODEL)?)
        .map_err(|e| TrainError::checkpoint(dir.join(MODEL), e))?;
    let average = read(AVERAGE)?;
    network
        .with_weights(average.clone())
        .map_err(|e| TrainError::checkpoint(dir.join(AVERAGE), e))?;
    let mut auxiliary = Weights::default();
    if !manifest.heads.is_none() {
        auxiliary = read(AUXILIARY)?;
    }
    let mut optimiser = Optimiser {
        steps: manifest.optimiser_steps,
        ..Default::default()
    };
    for (name, t) in read(OPTIMISER)?.0 {
        let known = |rest: &str| {
            let weight = network.weights.0.get(rest).or(auxiliary.0.get(rest));
            weight.is_some_and(|w| w.size() == t.size())
        };
        match name.split_once('.') {
            Some(("first", rest)) if known(rest) => optimiser.first.insert(rest.to_string(), t),
            Some(("second", rest)) if known(rest) => optimiser.second.insert(rest.to_string(), t),
            _ => {
                let path = dir.join(OPTIMISER);
                return Err(TrainError::checkpoint(
                    path,
                    format!("`{name}` fits no weight; {}", go_back(dir)),
                ));
            }
        };
    }
    let mut state =
        TrainState::restore(network, average, optimiser, manifest.step, manifest.skipped);
    state
        .restore_heads(manifest.heads.clone(), auxiliary)
        .map_err(|e| TrainError::checkpoint(dir.join(AUXILIARY), e))?;
    Ok((manifest, state))
}

/// What differs between two architectures, as `field: found, expected`.
pub fn architecture_differences(found: &Architecture, expected: &Architecture) -> Vec<String> {
    // Through TOML, so that a new field is compared without being named here.
    let table = |a: &Architecture| toml::Table::try_from(a).unwrap_or_default();
    let (found, expected) = (table(found), table(expected));
    expected
        .iter()
        .filter(|(key, value)| found.get(*key) != Some(*value))
        .map(|(key, value)| {
            format!(
                "{key} is {}, the config says {value}",
                found.get(key).map_or("absent".into(), |v| v.to_string())
            )
        })
        .collect()
}

/// Advice for a damaged checkpoint.
fn go_back(dir: &Path) -> String {
    format!(
        "restore it, or move {} away to go on from the checkpoint before it",
        dir.display()
    )
}
