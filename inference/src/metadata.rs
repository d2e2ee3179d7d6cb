//! What an exported file says about itself: the metadata properties of the ONNX model.

use crate::proto::property;
use crate::{Architecture, Documentation, Manifest, Precision};
use encoding::InputSpec;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use tract_onnx::pb;

/// Version of the exported file that this program writes and reads.
pub const FORMAT: u32 = 1;

/// `producer_name` of our files.
pub const PRODUCER: &str = "tenjiku-zero";

/// How to use the file, for whoever finds it alone.
const DOCUMENTATION: &str = "\
A policy and value network for shogi variants, written by tenjiku-zero. Inputs and outputs are documented at their \
declarations in the graph; shapes are in `tenjiku.encoding` and `tenjiku.architecture`. The board is turned by 180 \
degrees where White is to move, so that the side to move always plays up. A move is (query, to, via): query < S is \
the plain query of square `query`, S <= query < 2S the promoting query of square `query - S`, and from 2S on the \
drop of hand kind `query - 2S`. Its logit is query . lands(to), plus query . captures(via) where via >= 0, plus `marks` \
of each mark that the move has; the policy is the softmax over the legal moves. `tenjiku.mark_names` says what marks a \
move may have, none if it is missing. `tenjiku.canaries` is a list of positions with squares, globals, the legal moves \
as [move, probability, query, to, via, marks as bits, the first name's the lowest], (win, draw, loss) for the side to move and plies to the end: a correct \
run-time gives these numbers within `tenjiku.tolerance`, plies to the end within 100 times that, or that share of them. \
Weights are kept with the precision `tenjiku.precision` and used as f32. `tenjiku.weights_sha256` is the SHA-256 over all initializers in the order \
of the graph: for each its name, a zero byte, its dimensions as little-endian int64, and its raw data.";

/// Keys of the properties.
mod key {
    pub const FORMAT: &str = "tenjiku.format";
    pub const GAME: &str = "tenjiku.game";
    pub const RULES: &str = "tenjiku.rules";
    pub const ENCODING: &str = "tenjiku.encoding";
    pub const ARCHITECTURE: &str = "tenjiku.architecture";
    pub const PLANE_NAMES: &str = "tenjiku.plane_names";
    pub const GLOBAL_NAMES: &str = "tenjiku.global_names";
    pub const MARK_NAMES: &str = "tenjiku.mark_names";
    pub const NETWORK_HASH: &str = "tenjiku.network_hash";
    pub const STEP: &str = "tenjiku.training_step";
    pub const GENERATION: &str = "tenjiku.generation";
    pub const CODE_VERSION: &str = "tenjiku.code_version";
    pub const RATING: &str = "tenjiku.rating";
    pub const PRECISION: &str = "tenjiku.precision";
    pub const TOLERANCE: &str = "tenjiku.tolerance";
    pub const DOCUMENTATION: &str = "tenjiku.documentation";
    pub const WEIGHTS: &str = "tenjiku.weights_sha256";
    pub const CANARIES: &str = "tenjiku.canaries";
}

/// Description of the network in an exported file.
#[derive(Clone, PartialEq, Debug)]
pub struct Metadata {
    /// Rules it was trained under, [`rules::Rules::name`].
    pub rules: String,
    /// What it reads.
    pub input: InputSpec,
    /// Its sizes.
    pub architecture: Architecture,
    /// Name of each plane.
    pub plane_names: Vec<String>,
    /// Name of each global.
    pub global_names: Vec<String>,
    /// Name of each mark of a move.
    pub mark_names: Vec<String>,
    /// SHA-256 of the `model.safetensors` it was made from.
    pub network_hash: String,
    /// Optimiser steps behind the weights.
    pub step: u64,
    /// Generation in its run, if it is one.
    pub generation: Option<u32>,
    /// Version of the program that wrote the network folder.
    pub code_version: String,
    /// Its rating, if known when it was exported: Elo in the pool of its run.
    pub rating: Option<f64>,
    /// How exactly the file keeps the weights; f32 where the file does not say.
    pub precision: Precision,
}

impl Metadata {
    /// Takes over what the manifest knows.
    pub fn of(manifest: &Manifest, documentation: &Documentation) -> Metadata {
        Metadata {
            rules: manifest.rules.clone(),
            input: manifest.input.clone(),
            architecture: manifest.architecture.clone(),
            plane_names: documentation.plane_names.clone(),
            global_names: documentation.global_names.clone(),
            mark_names: documentation.mark_names.clone(),
            network_hash: manifest.hash.clone(),
            step: manifest.step,
            generation: manifest.generation,
            code_version: manifest.code_version.clone(),
            rating: documentation.rating,
            precision: documentation.precision,
        }
    }

    /// The properties to write, with the hash of the weights and the canaries (as JSON).
    pub(crate) fn properties(
        &self,
        weights_sha256: &str,
        canaries: String,
    ) -> Vec<pb::StringStringEntryProto> {
        let mut list = vec![
            property(key::FORMAT, FORMAT.to_string()),
            property(key::GAME, &self.input.game),
            property(key::RULES, &self.rules),
            property(key::ENCODING, json(&self.input)),
            property(key::ARCHITECTURE, json(&self.architecture)),
            property(key::PLANE_NAMES, json(&self.plane_names)),
            property(key::GLOBAL_NAMES, json(&self.global_names)),
            property(key::NETWORK_HASH, &self.network_hash),
            property(key::STEP, self.step.to_string()),
            property(key::CODE_VERSION, &self.code_version),
        ];
        if !self.mark_names.is_empty() {
            list.push(property(key::MARK_NAMES, json(&self.mark_names)));
        }
        list.extend(
            self.generation
                .map(|g| property(key::GENERATION, g.to_string())),
        );
        list.extend(self.rating.map(|r| property(key::RATING, r.to_string())));
        list.push(property(key::PRECISION, self.precision.name()));
        let tolerance = self.precision.tolerance();
        list.push(property(key::TOLERANCE, tolerance.to_string()));
        list.push(property(key::DOCUMENTATION, DOCUMENTATION));
        list.push(property(key::WEIGHTS, weights_sha256));
        list.push(property(key::CANARIES, canaries));
        list
    }
}

/// The properties of a file, found by key.
pub(crate) struct Properties<'a>(HashMap<&'a str, &'a str>);

impl<'a> Properties<'a> {
    pub(crate) fn of(model: &'a pb::ModelProto) -> Properties<'a> {
        Properties(
            model
                .metadata_props
                .iter()
                .map(|p| (p.key.as_str(), p.value.as_str()))
                .collect(),
        )
    }

    fn get(&self, key: &str) -> Result<&'a str, String> {
        self.0.get(key).copied().ok_or_else(|| {
            format!("metadata `{key}` is missing; not a file of `tenjiku export`, or rewritten by another tool")
        })
    }

    fn parse<T: std::str::FromStr>(&self, key: &str) -> Result<T, String> {
        let text = self.get(key)?;
        text.parse()
            .map_err(|_| format!("metadata `{key}` = `{text}` cannot be read"))
    }

    fn json<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<T, String> {
        serde_json::from_str(self.get(key)?)
            .map_err(|e| format!("metadata `{key}` cannot be read: {e}"))
    }

    fn optional<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>, String> {
        if self.0.contains_key(key) {
            self.parse(key).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The SHA-256 that the initializers should have.
    pub(crate) fn weights_sha256(&self) -> Result<&'a str, String> {
        self.get(key::WEIGHTS)
    }

    /// The canaries.
    pub(crate) fn canaries(&self) -> Result<Vec<crate::Canary>, String> {
        self.json(key::CANARIES)
    }

    /// Reads and checks everything but the canaries.
    ///
    /// # Errors
    /// Names the property that is missing or unreadable, or the format version that this program does not know.
    pub(crate) fn metadata(&self) -> Result<Metadata, String> {
        let format: u32 = self.parse(key::FORMAT)?;
        if format != FORMAT {
            let advice = if format > FORMAT {
                "update this program"
            } else {
                "export the network again"
            };
            return Err(format!(
                "file format {format}; this program reads format {FORMAT}: {advice}"
            ));
        }
        let input: InputSpec = self.json(key::ENCODING)?;
        let mark_names = match input.marks {
            0 => Vec::new(),
            _ => self.json(key::MARK_NAMES)?,
        };
        let metadata = Metadata {
            rules: self.get(key::RULES)?.to_string(),
            input,
            architecture: self.json(key::ARCHITECTURE)?,
            plane_names: self.json(key::PLANE_NAMES)?,
            global_names: self.json(key::GLOBAL_NAMES)?,
            mark_names,
            network_hash: self.get(key::NETWORK_HASH)?.to_string(),
            step: self.parse(key::STEP)?,
            generation: self.optional(key::GENERATION)?,
            code_version: self.get(key::CODE_VERSION)?.to_string(),
            rating: self.optional(key::RATING)?,
            precision: self.optional(key::PRECISION)?.unwrap_or_default(),
        };
        let (most, precision) = (metadata.precision.tolerance(), metadata.precision);
        let tolerance: Option<f32> = self.optional(key::TOLERANCE)?;
        if tolerance.is_some_and(|tolerance| tolerance.is_nan() || tolerance > most) {
            return Err(format!(
                "metadata `{}` = {tolerance:?}, at most {most} is allowed for {precision}; export the network again",
                key::TOLERANCE
            ));
        }
        let game = self.get(key::GAME)?;
        if game != metadata.input.game {
            return Err(format!(
                "metadata contradict each other: `{}` says {game}, `{}` says {}",
                key::GAME,
                key::ENCODING,
                metadata.input.game
            ));
        }
        metadata.architecture.check()?;
        Ok(metadata)
    }
}

/// SHA-256 over the initializers, as `tenjiku.documentation` describes it.
pub(crate) fn weights_sha256(graph: &pb::GraphProto) -> String {
    let mut hash = Sha256::new();
    for tensor in &graph.initializer {
        hash.update(tensor.name.as_bytes());
        hash.update([0]);
        for dim in &tensor.dims {
            hash.update(dim.to_le_bytes());
        }
        hash.update(&tensor.raw_data);
    }
    crate::weights::hex(&hash.finalize())
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}
