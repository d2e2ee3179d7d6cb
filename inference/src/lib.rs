//! The exported network. (under construction)

mod backend;
mod batch;
mod manifest;

pub use backend::{Backend, BackendError, RawOutput};
pub use batch::BatchEvaluator;
pub use manifest::{Architecture, Manifest, NetworkFileError, Trunk};
