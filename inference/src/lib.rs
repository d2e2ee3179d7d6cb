//! The exported network. (under construction)

mod backend;
mod batch;

pub use backend::{Backend, BackendError, RawOutput};
pub use batch::BatchEvaluator;
