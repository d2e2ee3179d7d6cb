//! The exported network on ONNX Runtime: finding the library, and running the network on it.
//!
//! The library is loaded while the program runs, so that one binary works with and without it. Whatever is wrong with
//! it (absent, too old, not the library at all) is a reason in words, never a panic.

use crate::{Backend, BackendError, OnnxFile, RawOutput};
use encoding::InputSpec;
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::session::Session;
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::value::TensorRef;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The loaded library. It stays loaded until the process ends.
pub struct Library {
    environment: Environment,
    path: PathBuf,
    version: String,
}

impl Library {
    /// Where it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, e.g. `1.32.0`.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// Environment variable with the path of the library; looked at first.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// The ONNX Runtime library: found and loaded at the first call, the same answer ever after.
///
/// It is looked for in `ORT_DYLIB_PATH`, then as `onnxruntime/lib/libonnxruntime.{so,dylib}` (`onnxruntime.dll`) in the
/// folder of the executable, its parents, the current folder and its parents.
///
/// # Errors
/// Where it was looked for, or why what was found cannot be used.
pub fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY
        .get_or_init(|| find(&candidates()))
        .as_ref()
        .map_err(String::clone)
}

/// The files to try, in order; only such that exist, but for the one that the user named.
fn candidates() -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = Vec::new();
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        list.push(std::path::absolute(&path).unwrap_or(path.into()));
    }
    let name = format!(
        "{}onnxruntime{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    for start in [std::env::current_exe(), std::env::current_dir()]
        .into_iter()
        .flatten()
    {
        for folder in start.ancestors() {
            let path = folder.join("onnxruntime").join("lib").join(&name);
            if path.is_file() && !list.contains(&path) {
                list.push(path);
            }
        }
    }
    list
}

fn find(candidates: &[PathBuf]) -> Result<Library, String> {
    let mut reasons = Vec::new();
    for path in candidates {
        match load(path) {
            Ok(library) => return Ok(library),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(if reasons.is_empty() {
        format!(
            "no ONNX Runtime library: {VARIABLE} is not set and there is no folder onnxruntime; run ./setup.sh"
        )
    } else {
        format!(
            "no usable ONNX Runtime library: {}; run ./setup.sh, or set {VARIABLE} to the library's file",
            reasons.join("; ")
        )
    })
}

/// Loads one file. It is looked at first, because `ort` asserts what it expects of a library.
fn load(path: &Path) -> Result<Library, String> {
    let error = |reason: String| format!("{}: {reason}", path.display());
    let version = version(path).map_err(error)?;
    let minor = version
        .split('.')
        .nth(1)
        .and_then(|minor| minor.parse::<u32>().ok());
    if minor.is_none_or(|minor| minor < ort::MINOR_VERSION) {
        let needed = ort::MINOR_VERSION;
        return Err(error(format!(
            "version {version}, at least 1.{needed} is needed"
        )));
    }
    let start = || -> Result<Environment, String> {
        let builder = ort::init_from(path).map_err(|e| e.to_string())?;
        let builder = builder.with_name("tenjiku").with_telemetry(false);
        builder.build().map_err(|e| e.to_string())
    };
    let environment = catch_unwind(start)
        .unwrap_or_else(|_| Err("it panicked".into()))
        .map_err(error)?;
    Ok(Library {
        environment,
        path: path.to_path_buf(),
        version,
    })
}

/// The version that a library says it has, e.g. `1.32.0`.
fn version(path: &Path) -> Result<String, String> {
    if !path.is_file() {
        return Err("no such file".into());
    }
    // SAFETY: loading runs the library's initialisers. The user, or whoever installed this program, put it where it
    // is to be run; it will be loaded again below and used.
    let library = unsafe { libloading::Library::new(path) }.map_err(|e| e.to_string())?;
    type GetBase = unsafe extern "C" fn() -> *const ort::sys::OrtApiBase;
    // SAFETY: this is the declaration of the function in ONNX Runtime's C API, unchanged in all versions.
    let get_base = unsafe { library.get::<GetBase>(b"OrtGetApiBase\0") };
    let get_base = get_base.map_err(|_| "not an ONNX Runtime library".to_string())?;
    // SAFETY: the API promises a pointer to a static structure that begins with the same two function pointers in
    // all versions; a null pointer is caught. The version is a static string that ends with a zero byte.
    let text = unsafe {
        let base = get_base().as_ref().ok_or("gives no API".to_string())?;
        CStr::from_ptr((base.GetVersionString)())
            .to_string_lossy()
            .into_owned()
    };
    Ok(text)
}

/// A network on ONNX Runtime.
pub struct OrtBackend {
    session: Session,
    spec: InputSpec,
    policy_dim: usize,
    description: String,
}

impl OrtBackend {
    /// Makes a session of its own, with `threads` threads for one batch.
    ///
    /// # Errors
    /// The library is not there or refuses the graph.
    pub fn new(file: &OnnxFile, threads: usize) -> Result<OrtBackend, String> {
        let library = library()?;
        let threads = threads.max(1);
        let session = catch_unwind(AssertUnwindSafe(|| session(library, file.bytes(), threads)))
            .unwrap_or_else(|_| Err("ONNX Runtime panicked".into()))
            .map_err(|e| {
                format!(
                    "ONNX Runtime {} cannot load the network: {e}",
                    library.version
                )
            })?;
        Ok(OrtBackend {
            session,
            spec: file.metadata().input.clone(),
            policy_dim: file.metadata().architecture.policy_dim,
            description: format!(
                "ONNX Runtime {}, {threads} thread{}",
                library.version,
                if threads == 1 { "" } else { "s" }
            ),
        })
    }
}

#[expect(
    clippy::result_large_err,
    reason = "the error type is ort's, met once at start-up"
)]
fn session(library: &Library, model: &[u8], threads: usize) -> Result<Session, String> {
    let options = |builder: SessionBuilder| -> Result<SessionBuilder, ort::Error<SessionBuilder>> {
        builder
            .with_optimization_level(GraphOptimizationLevel::All)?
            .with_intra_threads(threads)?
            .with_inter_threads(1)?
            .with_parallel_execution(false)?
            .with_memory_pattern(true)?
            .with_log_level(LogLevel::Error)?
            // A worker that waits for its next batch must not burn the core that another worker needs.
            .with_config_entry("session.intra_op.allow_spinning", "0")?
            .with_config_entry("session.inter_op.allow_spinning", "0")
    };
    let builder = Session::builder(&library.environment).map_err(|e| e.to_string())?;
    let mut builder = options(builder).map_err(|e| e.to_string())?;
    builder.commit_from_memory(model).map_err(|e| e.to_string())
}

impl Backend for OrtBackend {
    fn spec(&self) -> &InputSpec {
        &self.spec
    }

    fn policy_dim(&self) -> usize {
        self.policy_dim
    }

    fn describe(&self) -> String {
        self.description.clone()
    }

    fn forward(
        &mut self,
        n: usize,
        squares: &[u8],
        globals: &[f32],
        out: &mut RawOutput,
    ) -> Result<(), BackendError> {
        let error = |e: ort::Error| BackendError(format!("{}: {e}", self.description));
        let squares =
            TensorRef::from_array_view(([n, self.spec.cells()], squares)).map_err(error)?;
        let globals =
            TensorRef::from_array_view(([n, self.spec.globals], globals)).map_err(error)?;
        let outputs = self
            .session
            .run(ort::inputs!["squares" => squares, "globals" => globals])
            .map_err(|e| BackendError(format!("{}: {e}", self.description)))?;
        for (name, buffer) in out.by_name() {
            buffer.clear();
            if let Some(value) = outputs.get(name) {
                let (_, values) = value
                    .try_extract_tensor::<f32>()
                    .map_err(|e| BackendError(e.to_string()))?;
                buffer.extend_from_slice(values);
            }
        }
        out.check(n, &self.spec, self.policy_dim)
    }
}
