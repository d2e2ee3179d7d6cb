//! Fresh networks: generation 0, without libtorch.
//!
//! Hidden layers are drawn as He et al. 2015 propose (uniform, variance 2 / fan-in), last layers a hundred times
//! smaller, so that a fresh network is near a uniform policy and an even value but no two moves are exactly alike.

use crate::layout::{self, Role, TensorSpec};
use crate::{Architecture, Manifest, NetworkFileError, weights};
use encoding::{Encoded, InputSpec};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Rules;
use safetensors::{Dtype, tensor::TensorView};
use std::path::Path;

/// Factor of last layers.
const LAST: f32 = 0.01;

/// The contents of a `model.safetensors` with fresh weights. Depends only on the arguments.
pub fn random_weights(architecture: &Architecture, input: &InputSpec, seed: u64) -> Vec<u8> {
    random_tensors(layout::tensors(architecture, input), seed)
}

/// A safetensors file with fresh values for these tensors. Depends only on the arguments.
pub fn random_tensors(tensors: Vec<TensorSpec>, seed: u64) -> Vec<u8> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let tensors: Vec<(String, Vec<usize>, Vec<f32>)> = tensors
        .into_iter()
        .map(|spec| {
            let n = spec.shape.iter().product();
            let mut uniform = |fan_in: usize, factor: f32| -> Vec<f32> {
                let bound = factor * (6.0 / fan_in.max(1) as f32).sqrt();
                (0..n).map(|_| rng.random_range(-bound..=bound)).collect()
            };
            let values = match spec.role {
                Role::Hidden(fan_in) => uniform(fan_in, 1.0),
                Role::Last(fan_in) => uniform(fan_in, LAST),
                Role::Zero => vec![0.0; n],
                Role::One => vec![1.0; n],
            };
            (spec.name, spec.shape, values)
        })
        .collect();
    to_safetensors(&tensors)
}

/// The contents of a `model.safetensors` for tests and benchmarks: like a trained network it is far from a uniform
/// policy, and no scale, bias or statistic has its neutral value, so that a mistake in any layer shows. Depends only on
/// the arguments.
pub fn arbitrary_weights(architecture: &Architecture, input: &InputSpec, seed: u64) -> Vec<u8> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let tensors: Vec<(String, Vec<usize>, Vec<f32>)> = layout::tensors(architecture, input)
        .into_iter()
        .map(|spec| {
            let (low, high) = match spec.role {
                Role::Hidden(fan_in) | Role::Last(fan_in) => {
                    let bound = (6.0 / fan_in.max(1) as f32).sqrt();
                    (-bound, bound)
                }
                Role::Zero => (-0.5, 0.5),
                Role::One => (0.5, 1.5),
            };
            let n = spec.shape.iter().product();
            let values = (0..n).map(|_| rng.random_range(low..high)).collect();
            (spec.name, spec.shape, values)
        })
        .collect();
    to_safetensors(&tensors)
}

/// The contents of a safetensors file with the given (name, shape, values).
///
/// # Panics
/// If the number of values does not fit a shape.
pub fn to_safetensors(tensors: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(_, _, values)| values.iter().flat_map(|v| v.to_le_bytes()).collect())
        .collect();
    let views = tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).expect("values fit the shape");
        (name.as_str(), view)
    });
    safetensors::serialize(views, None).expect("tensors with distinct names")
}

/// Writes the folder of a network that belongs to no run: generation unknown, step 0, the default rules of the game `P`.
///
/// # Errors
/// As [`write_network`].
pub fn write_loose_network<P: Encoded>(
    dir: &Path,
    architecture: &Architecture,
    weights: &[u8],
) -> Result<(), NetworkFileError> {
    let mut manifest = Manifest {
        format: Manifest::FORMAT,
        generation: None,
        step: 0,
        parent: String::new(),
        hash: String::new(),
        rules: P::Rules::default().name(),
        code_version: env!("CARGO_PKG_VERSION").into(),
        input: encoding::spec::<P>(),
        architecture: architecture.clone(),
    };
    write_network(dir, &mut manifest, weights)
}

/// Writes a network folder: `model.safetensors`, then `network.toml` with its hash. `manifest.hash` is filled in.
///
/// # Errors
/// Names the file that cannot be written.
pub fn write_network(
    dir: &Path,
    manifest: &mut Manifest,
    weights: &[u8],
) -> Result<(), NetworkFileError> {
    manifest.hash = weights::sha256(weights);
    let text = toml::to_string(manifest)
        .map_err(|e| NetworkFileError::new(dir.join(Manifest::FILE), e))?;
    std::fs::create_dir_all(dir)
        .map_err(|e| NetworkFileError::new(dir, format!("cannot make the folder: {e}")))?;
    for (name, bytes) in [
        (Manifest::WEIGHTS, weights),
        (Manifest::FILE, text.as_bytes()),
    ] {
        let path = dir.join(name);
        files::write_atomic(&path, bytes)
            .map_err(|e| NetworkFileError::new(&path, format!("cannot write the file: {e}")))?;
    }
    Ok(())
}
