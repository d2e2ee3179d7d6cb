//! Opening an exported file: is it one of ours, whole, untouched, and for this program?
//!
//! Nothing is run here; see [`open_backend`](crate::open_backend).

use crate::metadata::{Metadata, PRODUCER, Properties, weights_sha256};
use crate::{Canary, NetworkFileError, canary, graph};
use encoding::{Encoded, InputSpec};
use prost::Message;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tract_onnx::pb;
use tract_onnx::pb::tensor_proto::{DataLocation, DataType};

/// An exported network whose file has been checked.
#[derive(Clone, Debug)]
pub struct OnnxFile {
    path: PathBuf,
    metadata: Metadata,
    canaries: Vec<Canary>,
    bytes: Vec<u8>,
}

impl OnnxFile {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// [`NetworkFileError`] with the reason: unreadable, not ONNX, truncated, not exported by this program, another
    /// format version, missing or broken metadata, inputs or outputs of another shape than the metadata say,
    /// operators that our networks do not use, changed weights.
    pub fn open(path: &Path) -> Result<OnnxFile, NetworkFileError> {
        let error = |reason: String| NetworkFileError::new(path, reason);
        // A device or a pipe may never end. What is not there is told below.
        if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return Err(error("is not a regular file".into()));
        }
        let bytes =
            std::fs::read(path).map_err(|e| error(format!("cannot read the network: {e}")))?;
        let (metadata, canaries) = check(&bytes).map_err(error)?;
        Ok(OnnxFile {
            path: path.to_path_buf(),
            metadata,
            canaries,
            bytes,
        })
    }

    /// Where it was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says about the network.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The positions with the original network's answers.
    pub fn canaries(&self) -> &[Canary] {
        &self.canaries
    }

    /// The file's contents: an ONNX model.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// An error about this file.
    pub fn error(&self, reason: impl std::fmt::Display) -> NetworkFileError {
        NetworkFileError::new(&self.path, reason)
    }

    /// Checks that the network plays the game `P` and reads the encoding that this program writes.
    ///
    /// # Errors
    /// Says which of game, encoding version and dimensions differ, and what to do.
    pub fn check_game<P: Encoded>(&self) -> Result<(), NetworkFileError> {
        fits(&self.metadata.input, &encoding::spec::<P>()).map_err(|reason| self.error(reason))
    }

    /// The model, decoded anew.
    pub(crate) fn model(&self) -> Result<pb::ModelProto, NetworkFileError> {
        pb::ModelProto::decode(self.bytes.as_slice()).map_err(|e| self.error(e))
    }
}

/// Whether a network that reads `theirs` can be used by a program that writes `ours`.
pub(crate) fn fits(theirs: &InputSpec, ours: &InputSpec) -> Result<(), String> {
    if theirs.game != ours.game {
        return Err(format!(
            "a network for {}, this is {}; choose another file or game",
            theirs.game, ours.game
        ));
    }
    if theirs.version != ours.version {
        let advice = if theirs.version > ours.version {
            "update this program"
        } else {
            "train or export a network with this version"
        };
        return Err(format!(
            "reads version {} of the {} encoding, this program writes version {}: {advice}",
            theirs.version, ours.game, ours.version
        ));
    }
    if theirs != ours {
        return Err(format!(
            "reads {theirs:?}, this program writes {ours:?}; train or export a matching network"
        ));
    }
    Ok(())
}

fn check(bytes: &[u8]) -> Result<(Metadata, Vec<Canary>), String> {
    let model = decode(bytes)?;
    let Some(graph) = &model.graph else {
        return Err(if model.producer_name == PRODUCER {
            "truncated: no graph in it; copy or export it again".into()
        } else {
            "not an ONNX model: no graph in it".into()
        });
    };
    if model.producer_name == PRODUCER && model.metadata_props.is_empty() {
        return Err("truncated: no metadata in it; copy or export it again".into());
    }
    let properties = Properties::of(&model);
    let metadata = properties.metadata()?;
    check_graph(graph)?;
    check_shapes(graph, &metadata)?;
    let (found, expected) = (weights_sha256(graph), properties.weights_sha256()?);
    if found != expected {
        return Err(format!(
            "the weights were changed: their SHA-256 is {found}, the metadata say {expected}; export it again"
        ));
    }
    let canaries = properties.canaries()?;
    canary::check_shapes(&canaries, &metadata.input)?;
    Ok((metadata, canaries))
}

/// Our files begin with the IR version and the producer: that tells damaged ones from foreign ones.
fn decode(bytes: &[u8]) -> Result<pb::ModelProto, String> {
    if bytes.is_empty() {
        return Err("the file is empty; copy or export it again".into());
    }
    pb::ModelProto::decode(bytes).map_err(|e| {
        let head = &bytes[..bytes.len().min(32)];
        if head
            .windows(PRODUCER.len())
            .any(|w| w == PRODUCER.as_bytes())
        {
            format!("truncated or damaged ({e}); copy or export it again")
        } else {
            format!("not an ONNX file ({e})")
        }
    })
}

/// Refuses what our graphs never have, before a run-time sees it: other operators, subgraphs, external data.
fn check_graph(graph: &pb::GraphProto) -> Result<(), String> {
    if !graph.sparse_initializer.is_empty() {
        return Err("has sparse initializers; not a graph of `tenjiku export`".into());
    }
    let mut known: HashSet<&str> = graph.input.iter().map(|i| i.name.as_str()).collect();
    for tensor in &graph.initializer {
        let size = match DataType::try_from(tensor.data_type) {
            Ok(DataType::Float) => 4,
            Ok(DataType::Int64) => 8,
            Ok(DataType::Float16) => 2,
            Ok(DataType::Int8) => 1,
            _ => {
                return Err(format!(
                    "initializer `{}` is of a type that our networks do not use",
                    tensor.name
                ));
            }
        };
        let length = tensor.dims.iter().try_fold(size, |product: usize, &d| {
            product.checked_mul(usize::try_from(d).ok()?)
        });
        let external = tensor.data_location == Some(DataLocation::External as i32);
        if external || length != Some(tensor.raw_data.len()) {
            return Err(format!(
                "initializer `{}` has {} bytes, its dimensions {:?} need {length:?}",
                tensor.name,
                tensor.raw_data.len(),
                tensor.dims
            ));
        }
        known.insert(&tensor.name);
    }
    for node in &graph.node {
        if !graph::OPERATORS.contains(&node.op_type.as_str()) || !node.domain.is_empty() {
            return Err(format!(
                "node `{}` is a `{}`, which our networks do not use",
                node.name, node.op_type
            ));
        }
        if let Some(input) = node
            .input
            .iter()
            .find(|input| !known.contains(input.as_str()))
        {
            return Err(format!(
                "node `{}` reads `{input}`, which nothing before it writes",
                node.name
            ));
        }
        known.extend(node.output.iter().map(String::as_str));
    }
    match graph
        .output
        .iter()
        .find(|output| !known.contains(output.name.as_str()))
    {
        Some(output) => Err(format!("output `{}` is written by no node", output.name)),
        None => Ok(()),
    }
}

/// Compares the declared inputs and outputs with what the metadata promise.
fn check_shapes(graph: &pb::GraphProto, metadata: &Metadata) -> Result<(), String> {
    let (spec, dim) = (&metadata.input, metadata.architecture.policy_dim);
    for (kind, found, expected) in [
        ("input", &graph.input, graph::inputs(spec)),
        ("output", &graph.output, graph::outputs(spec, dim)),
    ] {
        for value in &expected {
            let Some(other) = found.iter().find(|v| v.name == value.name) else {
                return Err(format!("{kind} `{}` is missing", value.name));
            };
            if other.r#type != value.r#type {
                return Err(format!(
                    "{kind} `{}` is {}, the metadata promise {}",
                    value.name,
                    type_name(other),
                    type_name(value)
                ));
            }
        }
        if let Some(extra) = found
            .iter()
            .find(|v| expected.iter().all(|e| e.name != v.name))
        {
            return Err(format!("{kind} `{}` is none of our networks", extra.name));
        }
    }
    Ok(())
}

/// For people, e.g. `FLOAT [N, 256, 128]`.
fn type_name(value: &pb::ValueInfoProto) -> String {
    use pb::tensor_shape_proto::dimension::Value;
    let Some(pb::type_proto::Value::TensorType(tensor)) =
        value.r#type.as_ref().and_then(|t| t.value.as_ref())
    else {
        return "untyped".into();
    };
    let dims: Vec<String> = tensor
        .shape
        .iter()
        .flat_map(|shape| &shape.dim)
        .map(|dim| match &dim.value {
            Some(Value::DimValue(length)) => length.to_string(),
            Some(Value::DimParam(name)) => name.clone(),
            None => "?".into(),
        })
        .collect();
    let kind = DataType::try_from(tensor.elem_type).map_or("unknown", |t| t.as_str_name());
    format!("{kind} [{}]", dims.join(", "))
}
