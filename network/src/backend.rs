//! [`Backend`] over libtorch, for self-play and matches on CPU or GPU.

use encoding::{Encoded, InputSpec};
use inference::{Backend, BackendError, BatchEvaluator, NetworkFileError, RawOutput};
use std::path::Path;
use tch::{Device, Kind, Tensor};

use crate::{Mode, Network, load_network};

/// Runs a [`Network`] without gradients. The number of threads is the process's, see [`crate::set_threads`].
pub struct TorchBackend {
    network: Network,
}

impl TorchBackend {
    /// Takes a network, on whichever device it is.
    pub fn new(network: Network) -> Self {
        TorchBackend { network }
    }

    /// Opens a network folder on `device`.
    ///
    /// # Errors
    /// As [`load_network`].
    pub fn open<P: Encoded>(dir: &Path, device: Device) -> Result<Self, NetworkFileError> {
        crate::keep_memory();
        Ok(TorchBackend::new(load_network::<P>(dir, device)?.1))
    }
}

/// A batched evaluator over the network folder `dir`.
///
/// # Errors
/// As [`load_network`].
pub fn open_evaluator<P: Encoded>(
    dir: &Path,
    device: Device,
) -> Result<BatchEvaluator<P>, NetworkFileError> {
    let backend = TorchBackend::open::<P>(dir, device)?;
    BatchEvaluator::new(Box::new(backend)).map_err(|e| NetworkFileError::new(dir, e))
}

impl Backend for TorchBackend {
    fn spec(&self) -> &InputSpec {
        self.network.spec()
    }

    fn policy_dim(&self) -> usize {
        self.network.arch().policy_dim
    }

    fn describe(&self) -> String {
        match self.network.device() {
            Device::Cuda(index) => format!("libtorch on GPU {index}"),
            _ => format!("libtorch on the CPU, {} threads", tch::get_num_threads()),
        }
    }

    fn forward(
        &mut self,
        n: usize,
        squares: &[u8],
        globals: &[f32],
        out: &mut RawOutput,
    ) -> Result<(), BackendError> {
        let spec = self.network.spec();
        let length = |name: &str, found: usize, each: usize| {
            if found == n * each {
                Ok(())
            } else {
                Err(BackendError(format!(
                    "{name}: {found} values for {n} positions of {each}"
                )))
            }
        };
        length("squares", squares.len(), spec.cells())?;
        length("globals", globals.len(), spec.globals)?;
        if let Some(code) = squares.iter().find(|&&code| code as usize >= spec.codes) {
            return Err(BackendError(format!(
                "piece code {code}, must be below {}",
                spec.codes
            )));
        }
        let device = self.network.device();
        let (n, s, g) = (n as i64, spec.cells() as i64, spec.globals as i64);
        tch::no_grad(|| {
            let squares = Tensor::from_slice(squares)
                .reshape([n, s])
                .to_device(device);
            let globals = Tensor::from_slice(globals)
                .reshape([n, g])
                .to_device(device);
            let outputs = self.network.forward(&squares, &globals, Mode::Eval);
            read(&outputs.policy, &mut out.policy);
            for (tensor, out) in [
                (&outputs.drops, &mut out.drops),
                (&outputs.marks, &mut out.marks),
            ] {
                match tensor {
                    Some(tensor) => read(tensor, out),
                    None => out.clear(),
                }
            }
            read(&outputs.wdl_logits, &mut out.wdl_logits);
            read(&outputs.moves_left, &mut out.moves_left);
        });
        Ok(())
    }
}

/// Copies the values of `t` into `out`, row-major.
fn read(t: &Tensor, out: &mut Vec<f32>) {
    let t = t.to_device(Device::Cpu).to_kind(Kind::Float).contiguous();
    out.resize(t.numel(), 0.0);
    let n = out.len();
    t.copy_data(out, n);
}
