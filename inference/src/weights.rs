//! The weights of a network folder, checked tensor by tensor.

use crate::layout::{self, AUXILIARY};
use crate::{Architecture, Manifest, NetworkFileError};
use encoding::InputSpec;
use safetensors::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;

/// At most this many faults are listed in one error.
const LISTED: usize = 8;

/// All tensors of a network, as f32.
#[derive(Clone, Debug)]
pub struct Weights {
    tensors: HashMap<String, Vec<f32>>,
}

impl Weights {
    /// Reads `network.toml` and `model.safetensors` of the network folder `dir`.
    ///
    /// # Errors
    /// As [`Manifest::read`]; a weights file that is missing, has another SHA-256 than the manifest says, or is
    /// faulty as in [`from_bytes`](Self::from_bytes).
    pub fn read(dir: &Path) -> Result<(Manifest, Weights), NetworkFileError> {
        let manifest = Manifest::read(dir)?;
        let path = dir.join(Manifest::WEIGHTS);
        let error = |reason: String| NetworkFileError::new(&path, reason);
        let bytes =
            std::fs::read(&path).map_err(|e| error(format!("cannot read the weights: {e}")))?;
        let hash = sha256(&bytes);
        if hash != manifest.hash {
            return Err(error(format!(
                "its SHA-256 is {hash}, {} says {}; the file is damaged or belongs to another network",
                Manifest::FILE,
                manifest.hash
            )));
        }
        let weights =
            Weights::from_bytes(&manifest.architecture, &manifest.input, &bytes).map_err(error)?;
        Ok((manifest, weights))
    }

    /// Reads the contents of a `model.safetensors`.
    ///
    /// # Errors
    /// Not a safetensors file; or tensors that are missing, unknown (names beginning with `aux.` are skipped), not
    /// f32, of another shape than [`layout::tensors`] says, or not finite: the first eight are named.
    pub fn from_bytes(
        architecture: &Architecture,
        input: &InputSpec,
        bytes: &[u8],
    ) -> Result<Weights, String> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|e| format!("not a complete safetensors file: {e}; copy or write it again"))?;
        let expected = layout::tensors(architecture, input);
        let mut faults = Vec::new();
        let mut tensors = HashMap::new();
        for spec in &expected {
            let name = &spec.name;
            let Ok(view) = file.tensor(name) else {
                faults.push(format!("`{name}` {:?} is missing", spec.shape));
                continue;
            };
            if view.shape() != spec.shape {
                faults.push(format!(
                    "`{name}` has shape {:?}, expected {:?}",
                    view.shape(),
                    spec.shape
                ));
            } else if view.dtype() != Dtype::F32 {
                faults.push(format!("`{name}` is {:?}, expected F32", view.dtype()));
            } else {
                let values: Vec<f32> = view
                    .data()
                    .chunks_exact(4)
                    .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                    .collect();
                if values.iter().any(|v| !v.is_finite()) {
                    faults.push(format!("`{name}` holds values that are not finite"));
                }
                tensors.insert(name.clone(), values);
            }
        }
        let mut unknown: Vec<&str> = file
            .names()
            .into_iter()
            .filter(|name| {
                !name.starts_with(AUXILIARY) && !expected.iter().any(|spec| spec.name == *name)
            })
            .collect();
        unknown.sort_unstable();
        faults.extend(
            unknown
                .iter()
                .map(|name| format!("`{name}` is no tensor of this architecture")),
        );
        if faults.is_empty() {
            return Ok(Weights { tensors });
        }
        let more = faults.len().saturating_sub(LISTED);
        faults.truncate(LISTED);
        let more = if more > 0 {
            format!("; and {more} more")
        } else {
            String::new()
        };
        Err(format!(
            "does not fit {architecture:?} on a {} board of {}x{}: {}{more}",
            input.game,
            input.files,
            input.ranks,
            faults.join("; ")
        ))
    }

    /// The values of a tensor, row-major.
    ///
    /// # Panics
    /// If [`layout::tensors`] has no such name: a mistake in the caller.
    pub fn get(&self, name: &str) -> &[f32] {
        match self.tensors.get(name) {
            Some(values) => values,
            None => panic!("no tensor `{name}` in the layout of this architecture"),
        }
    }
}

/// SHA-256 in lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
