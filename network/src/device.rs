//! Which processor tensors live on.

use tch::{Cuda, Device};

/// Reads `cpu`, `cuda` (the first GPU), `cuda:N`, or `auto` (a GPU if there is one).
///
/// # Errors
/// Unknown text, or a GPU that libtorch does not see.
pub fn parse_device(text: &str) -> Result<Device, String> {
    let gpus = || {
        if Cuda::is_available() {
            Cuda::device_count()
        } else {
            0
        }
    };
    let index = match text {
        "cpu" => return Ok(Device::Cpu),
        "auto" => {
            return Ok(if gpus() > 0 {
                Device::Cuda(0)
            } else {
                Device::Cpu
            });
        }
        "cuda" => 0,
        _ => text
            .strip_prefix("cuda:")
            .and_then(|n| n.parse::<usize>().ok())
            .ok_or_else(|| format!("device `{text}` is unknown; use cpu, cuda, cuda:N or auto"))?,
    };
    match gpus() {
        count if (index as i64) < count => Ok(Device::Cuda(index)),
        0 => Err(format!(
            "device `{text}`: this libtorch sees no GPU; use device = \"cpu\", or `./setup.sh --cuda` for the CUDA build; `tenjiku doctor` \
             tells what is there"
        )),
        count => Err(format!(
            "device `{text}`: there are {count} GPUs, numbered from 0"
        )),
    }
}

/// Sets the number of threads that libtorch uses inside one operation, for the whole process. Results on the CPU are
/// reproducible bit for bit only at the same number.
pub fn set_threads(threads: usize) {
    tch::set_num_threads(threads.clamp(1, 1024) as i32);
}
