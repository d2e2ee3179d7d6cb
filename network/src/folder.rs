//! Network folders: `networks/000012/{model.safetensors,network.toml}`, written as a whole or not at all.

use encoding::Encoded;
use files::write_folder;
use inference::{Manifest, NetworkFileError, layout, sha256};
use std::path::Path;
use tch::{Device, Tensor};

use crate::{Network, Weights};

/// Where a network comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NetworkMeta {
    /// Generation in its run, if it is one.
    pub generation: Option<u32>,
    /// Optimiser steps behind it.
    pub step: u64,
    /// Hash of the network it was trained from; empty for a fresh one.
    pub parent: String,
    /// Rules it was trained under, [`rules::Rules::name`].
    pub rules: String,
}

/// Writes the network folder `dir`. A folder with the same weights is left as it is, so that an interrupted run can
/// repeat its last action.
///
/// # Errors
/// Names the folder: another network is there, or the file system refuses. Nothing half-written stays visible.
pub fn save_network(
    dir: &Path,
    network: &Network,
    meta: &NetworkMeta,
) -> Result<Manifest, NetworkFileError> {
    let error = |reason: String| NetworkFileError::new(dir, reason);
    network
        .weights
        .check(&layout::tensors(network.arch(), network.spec()))
        .map_err(|e| error(format!("refusing to write this network: {e}")))?;
    let model = network
        .weights
        .to_safetensors()
        .map_err(|e| error(e.to_string()))?;
    let manifest = Manifest {
        format: Manifest::FORMAT,
        generation: meta.generation,
        step: meta.step,
        parent: meta.parent.clone(),
        hash: sha256(&model),
        rules: meta.rules.clone(),
        code_version: env!("CARGO_PKG_VERSION").to_string(),
        input: network.spec().clone(),
        architecture: network.arch().clone(),
    };
    if dir.exists() {
        let there = Manifest::read(dir)?;
        if there.hash == manifest.hash
            && there.architecture == manifest.architecture
            && there.input == manifest.input
        {
            return Ok(there);
        }
        return Err(error(format!(
            "another network (hash {}) is there already; choose another folder or move it away",
            there.hash
        )));
    }
    let toml = toml::to_string(&manifest).map_err(|e| error(e.to_string()))?;
    write_folder(
        dir,
        &[
            (Manifest::WEIGHTS, &model),
            (Manifest::FILE, toml.as_bytes()),
        ],
    )
    .map_err(|e| error(format!("cannot write the network: {e}")))?;
    Ok(manifest)
}

/// Reads the network folder `dir` for game `P`, to `device`.
///
/// # Errors
/// Names the file: missing, damaged (hash), weights that do not fit the architecture, another game or encoding.
pub fn load_network<P: Encoded>(
    dir: &Path,
    device: Device,
) -> Result<(Manifest, Network), NetworkFileError> {
    if !dir.is_dir() {
        return Err(NetworkFileError::new(
            dir,
            format!(
                "no such network folder; it should hold {} and {}",
                Manifest::WEIGHTS,
                Manifest::FILE
            ),
        ));
    }
    let manifest = Manifest::read(dir)?;
    let expected = encoding::spec::<P>();
    if manifest.input != expected {
        return Err(NetworkFileError::new(
            dir.join(Manifest::FILE),
            format!(
                "made for another game or encoding: {}; use a matching network or train one",
                spec_differences(&manifest.input, &expected).join(", ")
            ),
        ));
    }
    let (manifest, values) = inference::Weights::read(dir)?;
    let tensor = |spec: layout::TensorSpec| {
        let shape: Vec<i64> = spec.shape.iter().map(|&d| d as i64).collect();
        let t = Tensor::from_slice(values.get(&spec.name))
            .reshape(shape)
            .to_device(device);
        (spec.name, t)
    };
    let list = layout::tensors(&manifest.architecture, &manifest.input);
    let weights = Weights(list.into_iter().map(tensor).collect());
    let network = Network::new::<P>(manifest.architecture.clone(), weights)
        .map_err(|e| NetworkFileError::new(dir.join(Manifest::WEIGHTS), e))?;
    Ok((manifest, network))
}

/// What differs between the input of a file and the expected one: `field is found, expected other`.
pub fn spec_differences(
    found: &encoding::InputSpec,
    expected: &encoding::InputSpec,
) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |name: &str, found: String, expected: String| {
        if found != expected {
            differences.push(format!("{name} is {found}, expected {expected}"));
        }
    };
    compare("game", found.game.clone(), expected.game.clone());
    compare(
        "version",
        found.version.to_string(),
        expected.version.to_string(),
    );
    compare("files", found.files.to_string(), expected.files.to_string());
    compare("ranks", found.ranks.to_string(), expected.ranks.to_string());
    compare(
        "layers",
        found.layers.to_string(),
        expected.layers.to_string(),
    );
    compare("codes", found.codes.to_string(), expected.codes.to_string());
    compare(
        "planes",
        found.planes.to_string(),
        expected.planes.to_string(),
    );
    compare(
        "globals",
        found.globals.to_string(),
        expected.globals.to_string(),
    );
    compare(
        "hand_kinds",
        found.hand_kinds.to_string(),
        expected.hand_kinds.to_string(),
    );
    compare("marks", found.marks.to_string(), expected.marks.to_string());
    differences
}
