//! `network.toml`: what a network folder says about itself. See `docs/network.md`.

use encoding::InputSpec;
use std::path::{Path, PathBuf};

/// How the trunk gets global context.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Trunk {
    /// Pooled bias in every second block.
    #[default]
    Gpool,
    /// Squeeze-excitation in every block.
    Se,
    /// Convolutions only.
    Plain,
}

/// Sizes of the network.
#[derive(
    Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(default, deny_unknown_fields)]
pub struct Architecture {
    /// Trunk channels, 1..=1024. Default 32.
    pub channels: usize,
    /// Residual blocks, 1..=100. Default 4.
    pub blocks: usize,
    /// Source of global context. Default `gpool`.
    pub trunk: Trunk,
    /// Length of policy queries and keys, 1..=256. Default 32.
    pub policy_dim: usize,
    /// Hidden units of the value head, 1..=1024. Default 64.
    pub value_channels: usize,
}

impl Default for Architecture {
    fn default() -> Self {
        Architecture {
            channels: 32,
            blocks: 4,
            trunk: Trunk::Gpool,
            policy_dim: 32,
            value_channels: 64,
        }
    }
}

impl Architecture {
    /// Checks the ranges given at the fields.
    ///
    /// # Errors
    /// Names the first field out of range, with the range.
    pub fn check(&self) -> Result<(), String> {
        let range = |name: &str, value: usize, max: usize| {
            if (1..=max).contains(&value) {
                Ok(())
            } else {
                Err(format!(
                    "network.{name} = {value}, must be between 1 and {max}"
                ))
            }
        };
        range("channels", self.channels, 1024)?;
        range("blocks", self.blocks, 100)?;
        range("policy_dim", self.policy_dim, 256)?;
        range("value_channels", self.value_channels, 1024)
    }
}

/// The manifest beside `model.safetensors`.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this file: [`Manifest::FORMAT`].
    pub format: u32,
    /// Generation in its run, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u32>,
    /// Optimiser steps behind these weights.
    pub step: u64,
    /// Hash of the network it was trained from; empty for a fresh one.
    pub parent: String,
    /// SHA-256 of `model.safetensors`, lower-case hex.
    pub hash: String,
    /// Rules it was trained under, [`rules::Rules::name`].
    pub rules: String,
    /// Version of the program that wrote it.
    pub code_version: String,
    /// What it reads.
    pub input: InputSpec,
    /// Its sizes.
    pub architecture: Architecture,
}

/// A network folder that cannot be used: which file, what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct NetworkFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it and what to do.
    pub reason: String,
}

impl NetworkFileError {
    /// An error about `path`.
    pub fn new(path: impl Into<PathBuf>, reason: impl std::fmt::Display) -> Self {
        NetworkFileError {
            path: path.into(),
            reason: reason.to_string(),
        }
    }
}

impl Manifest {
    /// The version this program reads and writes.
    pub const FORMAT: u32 = 2;
    /// File name of the manifest in a network folder.
    pub const FILE: &'static str = "network.toml";
    /// File name of the weights in a network folder.
    pub const WEIGHTS: &'static str = "model.safetensors";

    /// Reads and checks the manifest of the network folder `dir` (not the weights).
    ///
    /// # Errors
    /// Names the file: missing, not TOML, other format version, sizes out of range.
    pub fn read(dir: &Path) -> Result<Manifest, NetworkFileError> {
        let path = dir.join(Self::FILE);
        let error = |reason: String| NetworkFileError::new(&path, reason);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| error(format!("cannot read the network's manifest: {e}")))?;
        let manifest: Manifest = toml::from_str(&text)
            .map_err(|e| error(format!("bad manifest: {}", e.to_string().trim())))?;
        if manifest.format != Self::FORMAT {
            return Err(error(format!(
                "format {} of a network folder; this program reads format {}",
                manifest.format,
                Self::FORMAT
            )));
        }
        manifest.architecture.check().map_err(error)?;
        Ok(manifest)
    }
}
