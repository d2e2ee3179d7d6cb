//! Shared by the tests: made-up games' dimensions, networks with arbitrary weights in a temporary folder.
#![allow(dead_code)] // each test binary uses its part

pub mod reference;
pub mod toy;

use encoding::InputSpec;
use inference::layout::{self, Role};
use inference::{Architecture, Documentation, Manifest, Precision, Trunk, fresh};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::path::Path;

/// A weights file, by name: shape and values.
pub type Tensors = HashMap<String, (Vec<usize>, Vec<f32>)>;

/// A made-up network: everything needed to export it and to compute it by other means.
pub struct Net {
    pub architecture: Architecture,
    pub spec: InputSpec,
    pub tensors: Tensors,
    pub table: Vec<f32>,
}

/// A board of `files` x `ranks`; `hand_kinds` may be 0, then moves have no marks either.
pub fn spec(files: usize, ranks: usize, hand_kinds: usize) -> InputSpec {
    InputSpec {
        game: "toy".into(),
        version: 3,
        layers: 1,
        files,
        ranks,
        codes: 11,
        planes: 7,
        globals: 5,
        hand_kinds,
        marks: hand_kinds,
    }
}

pub fn architecture(trunk: Trunk) -> Architecture {
    Architecture {
        channels: 6,
        blocks: 3,
        trunk,
        policy_dim: 5,
        value_channels: 9,
    }
}

impl Net {
    /// Arbitrary weights, batch norm statistics too: nothing is 0 or 1 by chance.
    pub fn arbitrary(architecture: Architecture, spec: InputSpec, seed: u64) -> Net {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let tensors = layout::tensors(&architecture, &spec)
            .into_iter()
            .map(|t| {
                let n = t.shape.iter().product();
                let (low, high) = match t.role {
                    Role::Hidden(fan_in) | Role::Last(fan_in) => {
                        let bound = (6.0 / fan_in as f32).sqrt();
                        (-bound, bound)
                    }
                    Role::Zero => (-0.5, 0.5),
                    Role::One => (0.5, 1.5),
                };
                let values = (0..n).map(|_| rng.random_range(low..high)).collect();
                (t.name, (t.shape, values))
            })
            .collect();
        let table = (0..spec.codes * spec.planes)
            .map(|i| {
                if i >= spec.planes && rng.random_bool(0.4) {
                    1.0
                } else {
                    0.0
                }
            })
            .collect();
        Net {
            architecture,
            spec,
            tensors,
            table,
        }
    }

    pub fn safetensors(&self) -> Vec<u8> {
        let list: Vec<_> = self
            .tensors
            .iter()
            .map(|(name, (shape, values))| (name.clone(), shape.clone(), values.clone()))
            .collect();
        fresh::to_safetensors(&list)
    }

    pub fn manifest(&self) -> Manifest {
        Manifest {
            format: Manifest::FORMAT,
            generation: Some(4),
            step: 1234,
            parent: String::new(),
            hash: String::new(),
            rules: "historical".into(),
            code_version: "0.1.0".into(),
            input: self.spec.clone(),
            architecture: self.architecture.clone(),
        }
    }

    /// Writes the network folder.
    pub fn write(&self, dir: &Path) {
        fresh::write_network(dir, &mut self.manifest(), &self.safetensors()).unwrap();
    }

    pub fn documentation(&self) -> Documentation {
        Documentation {
            plane_names: (0..self.spec.planes)
                .map(|i| format!("plane {i}"))
                .collect(),
            global_names: (0..self.spec.globals)
                .map(|i| format!("global {i}"))
                .collect(),
            mark_names: (0..self.spec.marks).map(|i| format!("mark {i}")).collect(),
            rating: Some(1512.5),
            precision: Precision::F32,
        }
    }

    /// Random input of `n` positions: squares `[n, L * S]`, globals `[n, G]`.
    pub fn input(&self, n: usize, seed: u64) -> (Vec<u8>, Vec<f32>) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let squares = (0..n * self.spec.cells())
            .map(|_| rng.random_range(0..self.spec.codes as u32) as u8)
            .collect();
        let globals = (0..n * self.spec.globals)
            .map(|_| rng.random_range(0.0..1.0))
            .collect();
        (squares, globals)
    }
}
