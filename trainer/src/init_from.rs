//! Weights for a new network from another one: what fits is copied, the rest starts fresh.

use std::path::Path;

use encoding::Encoded;
use inference::{Architecture, layout};
use network::{Network, Weights};

use crate::TrainError;

/// What became of each tensor, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Adopted {
    /// Taken over.
    pub copied: Vec<String>,
    /// Fresh: the source has no tensor of this name and shape.
    pub initialised: Vec<String>,
    /// Tensors of the source that have no place here.
    pub dropped: Vec<String>,
}

impl std::fmt::Display for Adopted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |names: &[String]| match names {
            [] => "none".to_string(),
            names => format!("{} ({})", names.len(), names.join(", ")),
        };
        write!(
            f,
            "tensors copied: {}; initialised: {}; dropped: {}",
            list(&self.copied),
            list(&self.initialised),
            list(&self.dropped)
        )
    }
}

/// A network of sizes `architecture` whose tensors come from the network or checkpoint folder `source` where name and
/// shape fit (of a checkpoint, the averaged weights), and are fresh from `seed` elsewhere. On the CPU.
///
/// # Errors
/// No such folder, no weights in it, a damaged file, or not one tensor that fits.
pub fn init_from<P: Encoded>(
    source: &Path,
    architecture: &Architecture,
    seed: u64,
) -> Result<(Network, Adopted), TrainError> {
    let files = ["average.safetensors", inference::Manifest::WEIGHTS];
    let Some(path) = files
        .iter()
        .map(|name| source.join(name))
        .find(|path| path.is_file())
    else {
        return Err(TrainError::checkpoint(
            source,
            format!(
                "no network or checkpoint folder here: it should hold {}",
                files.join(" or ")
            ),
        ));
    };
    let bytes = std::fs::read(&path).map_err(TrainError::io(&path))?;
    let mut found = Weights::from_safetensors(&bytes)
        .map_err(|e| TrainError::checkpoint(&path, e))?
        .0;
    let fresh = Network::fresh::<P>(architecture.clone(), seed)
        .map_err(|e| TrainError::Config(e.to_string()))?;
    let mut adopted = Adopted::default();
    let mut weights = fresh.weights.clone();
    for tensor in layout::tensors(architecture, fresh.spec()) {
        let fits = |t: &network::tch::Tensor| {
            t.size()
                .iter()
                .map(|&d| d as usize)
                .eq(tensor.shape.iter().copied())
        };
        match found.remove(&tensor.name) {
            Some(t) if fits(&t) => {
                weights.0.insert(tensor.name.clone(), t);
                adopted.copied.push(tensor.name);
            }
            Some(_) => {
                adopted.dropped.push(tensor.name.clone());
                adopted.initialised.push(tensor.name);
            }
            None => adopted.initialised.push(tensor.name),
        }
    }
    adopted.dropped.extend(found.into_keys());
    if adopted.copied.is_empty() {
        return Err(TrainError::checkpoint(
            &path,
            "not one tensor fits the network of the config; check its sizes",
        ));
    }
    let network = fresh
        .with_weights(weights)
        .map_err(|e| TrainError::checkpoint(&path, e))?;
    Ok((network, adopted))
}
