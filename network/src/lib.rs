//! The network in libtorch: weights, forward pass, network folders, and the back-end for batched evaluation.
//!
//! `docs/network.md` is the definition; this crate and `inference` each build it from the same safetensors file.
//! The forward pass is a plain function of named tensors ([`Network::forward`]): no module tree, no hidden state.
//! Training (losses, optimiser, checkpoints) is in `trainer`.

mod auxiliary;
mod backend;
mod cost;
mod device;
mod folder;
mod forward;
mod memory;
mod weights;

pub use auxiliary::{AuxiliaryOutputs, Heads};
pub use backend::{TorchBackend, open_evaluator};
pub use cost::Cost;
pub use device::{parse_device, set_threads};
pub use folder::{NetworkMeta, load_network, save_network, spec_differences};
pub use forward::{Mode, Network, Outputs, Precision};
pub use memory::keep_memory;
pub use weights::{Weights, WeightsError, is_decayed, is_running};

pub use tch;
