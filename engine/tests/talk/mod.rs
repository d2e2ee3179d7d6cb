//! A running `tenjiku-engine` to talk to, and networks for it.

mod program;

use encoding::Encoded;
use inference::{
    Architecture, Documentation, Precision, Runtime, export_network, fresh, open_evaluator,
};
pub use program::Engine;
use std::path::{Path, PathBuf};

/// An exported network for the game with fresh weights: nearly uniform, nearly even. tract answers its canaries.
pub fn network<P: Encoded>(dir: &Path) -> PathBuf {
    let architecture = Architecture {
        channels: 8,
        blocks: 2,
        policy_dim: 4,
        value_channels: 8,
        ..Architecture::default()
    };
    let weights = fresh::random_weights(&architecture, &encoding::spec::<P>(), 5);
    fresh::write_loose_network::<P>(dir, &architecture, &weights).unwrap();
    let documentation = Documentation {
        plane_names: P::plane_names(),
        global_names: P::global_names(),
        mark_names: P::mark_names(),
        ..Documentation::default()
    };
    let bare = dir.join("bare.onnx");
    let model = inference::build_model(dir, &P::plane_table(), &documentation, &[]).unwrap();
    std::fs::write(&bare, model).unwrap();
    let mut answers = open_evaluator::<P>(&bare, Runtime::Tract, 1, false).unwrap();
    let path = dir.join(format!("{}.onnx", P::GAME));
    export_network::<P>(dir, &mut answers, None, Precision::F32, &path).unwrap();
    path
}
