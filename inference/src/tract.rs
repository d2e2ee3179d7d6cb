//! The exported network on tract: pure Rust, always there, one thread.

use crate::{Backend, BackendError, OnnxFile, RawOutput};
use encoding::InputSpec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tract_onnx::prelude::*;

type Plan = std::sync::Arc<TypedRunnableModel>;

/// A network on tract.
///
/// The plan is made for one position: tract's convolutions lose more on batches than they gain.
pub struct TractBackend {
    plan: Plan,
    outputs: Vec<String>,
    spec: InputSpec,
    policy_dim: usize,
    description: String,
}

impl TractBackend {
    /// Optimises the graph. `why` says, for people, why it is tract and not ONNX Runtime.
    ///
    /// # Errors
    /// tract refuses the graph.
    pub fn new(file: &OnnxFile, why: Option<String>) -> Result<TractBackend, String> {
        let spec = file.metadata().input.clone();
        let model = file.model().map_err(|e| e.reason)?;
        let outputs: Vec<String> = model
            .graph
            .iter()
            .flat_map(|g| &g.output)
            .map(|o| o.name.clone())
            .collect();
        // tract asserts what a graph from strangers may break.
        let plan = catch_unwind(AssertUnwindSafe(|| plan(&model, &spec, 1)))
            .unwrap_or_else(|_| Err("it panicked".into()))
            .map_err(|e| format!("tract cannot load the network: {e}"))?;
        Ok(TractBackend {
            plan,
            outputs,
            spec,
            policy_dim: file.metadata().architecture.policy_dim,
            description: why.map_or("tract, 1 thread".to_string(), |why| {
                format!("tract, 1 thread ({why})")
            }),
        })
    }
}

fn plan(
    model: &tract_onnx::pb::ModelProto,
    spec: &InputSpec,
    batch: usize,
) -> Result<Plan, String> {
    let make = || -> TractResult<Plan> {
        tract_onnx::onnx()
            .model_for_proto_model(model)?
            .with_input_fact(0, u8::fact([batch, spec.cells()]).into())?
            .with_input_fact(1, f32::fact([batch, spec.globals]).into())?
            .into_optimized()?
            .into_runnable()
    };
    make().map_err(|e| format!("{e:#}"))
}

impl Backend for TractBackend {
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
        let (s, g) = (self.spec.cells(), self.spec.globals);
        let mut buffers = out.by_name();
        for (_, buffer) in &mut buffers {
            buffer.clear();
        }
        for i in 0..n {
            let run = || -> TractResult<TVec<TValue>> {
                let squares = Tensor::from_shape(&[1, s], &squares[i * s..(i + 1) * s])?;
                let globals = Tensor::from_shape(&[1, g], &globals[i * g..(i + 1) * g])?;
                self.plan.run(tvec!(squares.into(), globals.into()))
            };
            let values = run().map_err(|e| BackendError(format!("tract: {e:#}")))?;
            for (name, value) in self.outputs.iter().zip(values) {
                let found = buffers.iter_mut().find(|(known, _)| known == name);
                let (_, buffer) =
                    found.ok_or_else(|| BackendError(format!("tract: unknown output `{name}`")))?;
                let plain = value.try_as_plain_ram();
                let values = plain.and_then(|view| view.as_slice::<f32>());
                buffer
                    .extend_from_slice(values.map_err(|e| BackendError(format!("tract: {e:#}")))?);
            }
        }
        out.check(n, &self.spec, self.policy_dim)
    }
}
