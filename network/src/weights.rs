//! Named tensors, and their safetensors form.

use inference::layout::{Role, TensorSpec};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::collections::BTreeMap;
use tch::{Device, Kind, Tensor};

/// Weights that do not fit, or a file that is not safetensors.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct WeightsError(pub String);

/// Tensors by name, in the order of the names. Cloning shares storage; [`Weights::copy`] does not.
#[derive(Debug, Default)]
pub struct Weights(pub BTreeMap<String, Tensor>);

impl Weights {
    /// The tensor called `name`.
    ///
    /// # Panics
    /// If there is none: the weights were not checked against their architecture.
    pub fn get(&self, name: &str) -> &Tensor {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("no tensor {name} in the weights"))
    }

    /// A deep copy on `device`, cut off from any gradient.
    pub fn copy(&self, device: Device) -> Weights {
        let copy = |t: &Tensor| t.detach().to_device(device).copy();
        Weights(
            self.0
                .iter()
                .map(|(name, t)| (name.clone(), copy(t)))
                .collect(),
        )
    }

    /// A deep copy with all values as `kind`.
    pub fn to_kind(&self, kind: Kind) -> Weights {
        Weights(
            self.0
                .iter()
                .map(|(name, t)| (name.clone(), t.detach().to_kind(kind).copy()))
                .collect(),
        )
    }

    /// Checks that exactly the tensors of `list` are there, with their shapes and finite values.
    ///
    /// # Errors
    /// Lists every tensor that is missing, superfluous, of another shape, or not finite.
    pub fn check(&self, list: &[TensorSpec]) -> Result<(), WeightsError> {
        let mut problems = Vec::new();
        for TensorSpec { name, shape, .. } in list {
            let same = |t: &Tensor| {
                t.size()
                    .iter()
                    .map(|&d| d as usize)
                    .eq(shape.iter().copied())
            };
            match self.0.get(name) {
                None => problems.push(format!("`{name}` {shape:?} is missing")),
                Some(t) if !same(t) => {
                    problems.push(format!(
                        "`{name}` has shape {:?}, expected {shape:?}",
                        t.size()
                    ));
                }
                Some(t) if bool::try_from(t.isfinite().all()).unwrap_or(false) => {}
                Some(_) => problems.push(format!("`{name}` holds values that are not finite")),
            }
        }
        for name in self.0.keys() {
            if !list.iter().any(|spec| spec.name == *name) {
                problems.push(format!("`{name}` is no tensor of this architecture"));
            }
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(WeightsError(problems.join("; ")))
        }
    }

    /// The safetensors file, all values as f32. The same weights give the same bytes.
    ///
    /// # Errors
    /// Only if the safetensors library refuses, which it does for no valid name.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, WeightsError> {
        let bytes: Vec<(&String, Vec<usize>, Vec<u8>)> = self
            .0
            .iter()
            .map(|(name, t)| {
                let shape = t.size().iter().map(|&d| d as usize).collect();
                (
                    name,
                    shape,
                    f32_values(t).iter().flat_map(|v| v.to_le_bytes()).collect(),
                )
            })
            .collect();
        let views = bytes
            .iter()
            .map(|(name, shape, data)| {
                TensorView::new(Dtype::F32, shape.clone(), data).map(|view| (name.as_str(), view))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| WeightsError(e.to_string()))?;
        safetensors::serialize(views, None).map_err(|e| WeightsError(e.to_string()))
    }

    /// Reads a safetensors file of f32 tensors, to the CPU.
    ///
    /// # Errors
    /// Not a safetensors file, or a tensor that is not f32.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|e| WeightsError(format!("not a valid safetensors file ({e})")))?;
        let mut tensors = BTreeMap::new();
        for (name, view) in file.iter() {
            if view.dtype() != Dtype::F32 {
                return Err(WeightsError(format!(
                    "{name} is {:?}, expected F32",
                    view.dtype()
                )));
            }
            let shape: Vec<i64> = view.shape().iter().map(|&d| d as i64).collect();
            let values: Vec<f32> = view
                .data()
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect();
            tensors.insert(
                name.to_string(),
                Tensor::from_slice(&values).reshape(&shape),
            );
        }
        Ok(Weights(tensors))
    }
}

/// Whether the tensor follows the batches (running statistics of batch norms) instead of the gradient.
pub fn is_running(name: &str) -> bool {
    name.ends_with(".running_mean") || name.ends_with(".running_var")
}

/// Whether weight decay pulls the tensor: matrices and kernels, never biases and batch norms.
pub fn is_decayed(spec: &TensorSpec) -> bool {
    matches!(spec.role, Role::Hidden(_) | Role::Last(_))
}

impl Clone for Weights {
    fn clone(&self) -> Self {
        Weights(
            self.0
                .iter()
                .map(|(name, t)| (name.clone(), t.shallow_clone()))
                .collect(),
        )
    }
}

/// The values in row-major order, as f32 on the CPU.
pub(crate) fn f32_values(t: &Tensor) -> Vec<f32> {
    let t = t
        .detach()
        .to_device(Device::Cpu)
        .to_kind(Kind::Float)
        .contiguous();
    let mut values = vec![0f32; t.numel()];
    let n = values.len();
    t.copy_data(&mut values, n);
    values
}
