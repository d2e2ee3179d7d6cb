//! From a file to something that evaluates: choice of the run-time.

use crate::onnxruntime::{OrtBackend, library};
use crate::tract::TractBackend;
use crate::{Backend, BatchEvaluator, NetworkFileError, OnnxFile, canary};
use encoding::Encoded;
use std::path::Path;

/// Which library runs the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runtime {
    /// ONNX Runtime where its library is found, else tract.
    #[default]
    Auto,
    /// ONNX Runtime; an error where its library is not found.
    OnnxRuntime,
    /// The pure Rust run-time, always there.
    Tract,
}

impl std::str::FromStr for Runtime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Runtime::Auto),
            "onnxruntime" => Ok(Runtime::OnnxRuntime),
            "tract" => Ok(Runtime::Tract),
            _ => Err(format!(
                "`{text}` is no run-time; use auto, onnxruntime or tract"
            )),
        }
    }
}

impl OnnxFile {
    /// Makes a back-end. `threads` work on one batch (1 for self-play, which runs one worker a core); tract always
    /// uses one.
    ///
    /// # Errors
    /// The run-time is missing or refuses the graph.
    pub fn backend(
        &self,
        runtime: Runtime,
        threads: usize,
    ) -> Result<Box<dyn Backend>, NetworkFileError> {
        let missing = match (runtime, library()) {
            (Runtime::OnnxRuntime, _) | (Runtime::Auto, Ok(_)) => {
                let backend =
                    OrtBackend::new(self, threads).map_err(|reason| self.error(reason))?;
                return Ok(Box::new(backend));
            }
            (Runtime::Auto, Err(missing)) => Some(missing),
            (Runtime::Tract, _) => None,
        };
        let backend = TractBackend::new(self, missing).map_err(|reason| self.error(reason))?;
        Ok(Box::new(backend))
    }
}

/// Opens an exported network without knowing its game; see [`OnnxFile::backend`].
///
/// # Errors
/// As [`OnnxFile::open`] and [`OnnxFile::backend`].
pub fn open_backend(
    path: &Path,
    runtime: Runtime,
    threads: usize,
) -> Result<Box<dyn Backend>, NetworkFileError> {
    OnnxFile::open(path)?.backend(runtime, threads)
}

/// Opens an exported network for the game `P`: checks file, game and encoding and, if `check_canaries`, that the
/// run-time gives the original network's answers and this program's rules and encoding are those of the file. The
/// check takes as long as 32 evaluations; leave it out only where the same file was checked before.
///
/// # Errors
/// As [`OnnxFile::open`], [`OnnxFile::check_game`] and [`OnnxFile::backend`]; a canary with another answer.
pub fn open_evaluator<P: Encoded>(
    path: &Path,
    runtime: Runtime,
    threads: usize,
    check_canaries: bool,
) -> Result<BatchEvaluator<P>, NetworkFileError> {
    let file = OnnxFile::open(path)?;
    file.check_game::<P>()?;
    let mut backend = file.backend(runtime, threads)?;
    if check_canaries {
        canary::check_positions::<P>(file.canaries()).map_err(|reason| file.error(reason))?;
        let (canaries, tolerance) = (file.canaries(), file.metadata().precision.tolerance());
        canary::check_answers(canaries, tolerance, backend.as_mut(), canaries.len())
            .map_err(|reason| file.error(format!("{reason} ({})", backend.describe())))?;
    }
    BatchEvaluator::new(backend).map_err(|e| file.error(e))
}
