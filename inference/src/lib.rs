//! The exported network: one ONNX file that carries its description and its proof, written from a network folder
//! without libtorch and evaluated without libtorch.
//!
//! - [`export_network`] writes a folder of `network.toml` and `model.safetensors` (see `docs/network.md`) as ONNX, with
//!   [`Canary`] positions inside, and proves the file before it gets its name.
//! - [`open_evaluator`] opens such a file for a game, checks it, and gives a [`BatchEvaluator`] for the search, on ONNX
//!   Runtime where its library is found and on tract otherwise.
//! - [`fresh`] makes networks with random weights: generation 0.
//!
//! It does not train, and it knows no piece: the encoding comes from the crate `encoding`.

mod backend;
mod batch;
mod canary;
mod export;
mod file;
pub mod fresh;
mod graph;
pub mod layout;
mod manifest;
mod metadata;
mod onnxruntime;
mod open;
mod policy;
mod precision;
mod proto;
mod tract;
mod weights;

pub use backend::{Backend, BackendError, RawOutput};
pub use batch::BatchEvaluator;
pub use canary::{
    CANARIES, Canary, CanaryMove, Report, check_answers, check_positions, make_canaries,
};
pub use export::{Documentation, build_model, export, export_network, verify};
pub use file::OnnxFile;
pub use fresh::{random_tensors, random_weights};
pub use manifest::{Architecture, Manifest, NetworkFileError, Trunk};
pub use metadata::Metadata;
pub use onnxruntime::{Library, library};
pub use open::{Runtime, open_backend, open_evaluator};
pub use policy::{PolicyVectors, logit, softmax, softmax3};
pub use precision::Precision;
pub use weights::{Weights, sha256};
