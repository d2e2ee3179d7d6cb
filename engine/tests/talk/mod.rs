//! A running `tenjiku-engine` to talk to, and networks for it.

mod program;

use encoding::Encoded;
use inference::{
    Architecture, Documentation, Manifest, Precision, Runtime, export_network, fresh,
    open_evaluator,
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
    let input = encoding::spec::<P>();
    let weights = fresh::random_weights(&architecture, &input, 5);
    let mut manifest = Manifest {
        format: Manifest::FORMAT,
        generation: None,
        step: 0,
        parent: String::new(),
        hash: String::new(),
        rules: rules::Rules::name(&P::Rules::default()),
        code_version: "0.1.0".into(),
        input,
        architecture,
    };
    fresh::write_network(dir, &mut manifest, &weights).unwrap();
    let documentation = Documentation {
        plane_names: P::plane_names(),
        global_names: P::global_names(),
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
