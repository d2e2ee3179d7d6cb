//! The forward pass: a function of named tensors.

use encoding::{Encoded, InputSpec};
use inference::layout::{self, FEATURE_EPS, NORM_EPS, has_gpool};
use inference::{Architecture, Trunk};
use std::collections::BTreeMap;
use tch::{Device, Kind, Tensor};

use crate::{Weights, WeightsError};

/// Share of the newest batch in the running statistics of batch norms.
const NORM_MOMENTUM: f64 = 0.1;
/// The moves-left output counts plies; the head's unit is this many.
pub(crate) const MOVES_LEFT_SCALE: f64 = 100.0;

/// Which statistics batch norms use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Those of the batch; [`Outputs::running`] has the moved running statistics.
    Train,
    /// The running statistics.
    Eval,
}

/// The number format of convolutions and of the policy's matrix, where nearly all the work is.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// That of the weights.
    #[default]
    F32,
    /// bfloat16. Weights, their gradients, statistics, pooled values, heads and outputs stay as they are; the feature
    /// maps between them, and so most of the memory of training, are bfloat16 too.
    Bf16,
}

/// What the network says about `N` positions. See `docs/network.md` for the meaning of the dimensions.
#[derive(Debug)]
pub struct Outputs {
    /// `[N, S, 4D]`: plain query, promoting query, `lands here` key, `captures here on the way` key of each
    /// square; queries already times `1 / sqrt(D)`.
    pub policy: Tensor,
    /// `[N, H, D]`, already times `1 / sqrt(D)`; `None` where no pieces are dropped.
    pub drops: Option<Tensor>,
    /// `[N, Q]`: what each mark adds to a move's logit; `None` where moves have no marks.
    pub marks: Option<Tensor>,
    /// `[N, 3]`: logits of (win, draw, loss) for the side to move.
    pub wdl_logits: Tensor,
    /// `[N]`: expected plies to the end, above 0.
    pub moves_left: Tensor,
    /// `[N, C, R, F]`: the trunk's output, for heads that exist only in training; bfloat16 in [`Precision::Bf16`].
    pub trunk: Tensor,
    /// `[N, 2C]`: mean and maximum of `trunk` over the squares.
    pub pooled: Tensor,
    /// In [`Mode::Train`] the running statistics after this batch, by name; the caller decides whether to keep
    /// them. Empty in [`Mode::Eval`].
    pub running: BTreeMap<String, Tensor>,
}

/// A network: its sizes, its weights, and the fixed plane table of its game.
#[derive(Debug)]
pub struct Network {
    spec: InputSpec,
    arch: Architecture,
    /// The named tensors; shapes as [`layout::tensors`] says. Public so that the trainer can step them.
    pub weights: Weights,
    /// `[K, P]`, same device and kind as the weights.
    table: Tensor,
}

impl Network {
    /// A network for game `P` with these weights.
    ///
    /// # Errors
    /// [`WeightsError`] naming each tensor that is missing, superfluous, of a wrong shape or not finite.
    pub fn new<P: Encoded>(arch: Architecture, weights: Weights) -> Result<Network, WeightsError> {
        let spec = encoding::spec::<P>();
        arch.check().map_err(WeightsError)?;
        weights.check(&layout::tensors(&arch, &spec))?;
        let stem = weights.get("stem.weight");
        let table = Tensor::from_slice(&P::plane_table())
            .reshape([spec.codes as i64, spec.planes as i64])
            .to_device(stem.device())
            .to_kind(stem.kind());
        Ok(Network {
            spec,
            arch,
            weights,
            table,
        })
    }

    /// A network with fresh weights ([`inference::random_weights`]) on the CPU; the same seed gives the same bits.
    ///
    /// # Errors
    /// [`WeightsError`] if the architecture is out of range.
    pub fn fresh<P: Encoded>(arch: Architecture, seed: u64) -> Result<Network, WeightsError> {
        arch.check().map_err(WeightsError)?;
        let bytes = inference::random_weights(&arch, &encoding::spec::<P>(), seed);
        Network::new::<P>(arch, Weights::from_safetensors(&bytes)?)
    }

    /// What it reads.
    pub fn spec(&self) -> &InputSpec {
        &self.spec
    }

    /// Its sizes.
    pub fn arch(&self) -> &Architecture {
        &self.arch
    }

    /// Where its tensors are.
    pub fn device(&self) -> Device {
        self.table.device()
    }

    /// The same network with other weights of the same shapes, e.g. an average or another precision.
    ///
    /// # Errors
    /// As [`Network::new`].
    pub fn with_weights(&self, weights: Weights) -> Result<Network, WeightsError> {
        weights.check(&layout::tensors(&self.arch, &self.spec))?;
        let stem = weights.get("stem.weight");
        let table = self.table.to_device(stem.device()).to_kind(stem.kind());
        Ok(Network {
            spec: self.spec.clone(),
            arch: self.arch.clone(),
            weights,
            table,
        })
    }

    /// A deep copy on `device`.
    pub fn to_device(&self, device: Device) -> Network {
        Network {
            spec: self.spec.clone(),
            arch: self.arch.clone(),
            weights: self.weights.copy(device),
            table: self.table.to_device(device),
        }
    }

    /// Runs the network.
    ///
    /// `squares` is `[N, L * S]` of u8, i32 or i64 codes below K, `globals` is `[N, G]`; both on the network's device.
    ///
    /// # Panics
    /// If a shape or a code is wrong: the caller made the tensors.
    pub fn forward(&self, squares: &Tensor, globals: &Tensor, mode: Mode) -> Outputs {
        self.forward_in(squares, globals, mode, Precision::F32)
    }

    /// As [`forward`](Self::forward), with a number format.
    ///
    /// # Panics
    /// As [`forward`](Self::forward).
    pub fn forward_in(
        &self,
        squares: &Tensor,
        globals: &Tensor,
        mode: Mode,
        precision: Precision,
    ) -> Outputs {
        let mut pass = Pass {
            network: self,
            mode,
            precision,
            running: BTreeMap::new(),
        };
        let mut x = pass.lowered(&pass.stem(squares, globals));
        for i in 0..self.arch.blocks {
            x = pass.block(i, &x);
        }
        let pooled = pass.pool(&x); // [N, 2C]
        let policy = pass.policy(&x);
        let drops = (self.spec.hand_kinds > 0).then(|| pass.drops(&pooled));
        let marks = (self.spec.marks > 0).then(|| pass.linear("marks", &pooled));
        let hidden = pass.linear("value.fc1", &pooled).relu(); // [N, V]
        let wdl_logits = pass.linear("value.wdl", &hidden) + pass.linear_value(squares, globals);
        let moves_left = pass
            .linear("value.moves_left", &hidden)
            .softplus()
            .squeeze_dim(1)
            * MOVES_LEFT_SCALE;
        Outputs {
            policy,
            drops,
            marks,
            wdl_logits,
            moves_left,
            trunk: x,
            pooled,
            running: pass.running,
        }
    }
}

/// One run through the network.
struct Pass<'a> {
    network: &'a Network,
    mode: Mode,
    precision: Precision,
    running: BTreeMap<String, Tensor>,
}

impl Pass<'_> {
    fn get(&self, name: &str) -> &Tensor {
        self.network.weights.get(name)
    }

    /// `t` in the format of the feature maps.
    fn lowered(&self, t: &Tensor) -> Tensor {
        match self.precision {
            Precision::F32 => t.shallow_clone(),
            Precision::Bf16 => t.to_kind(Kind::BFloat16),
        }
    }

    /// `[N, L * S]` codes to `[N, C, R, F]`. The result lies in memory with the channels last, as the embedding gives
    /// them; the convolutions keep that layout, and it is what the policy head wants in the end.
    fn stem(&self, squares: &Tensor, globals: &Tensor) -> Tensor {
        let spec = &self.network.spec;
        let (n, c) = (squares.size()[0], self.network.arch.channels as i64);
        let (ranks, files) = (spec.ranks as i64, spec.files as i64);
        let embed = self.network.table.matmul(self.get("stem.weight")); // [K, C]
        let index = if squares.kind() == Kind::Uint8 {
            squares.to_kind(Kind::Int)
        } else {
            squares.shallow_clone()
        };
        let mut x = Tensor::embedding(&embed, &index, -1, false, false);
        if spec.layers > 1 {
            let sum = [1i64].as_slice();
            x = x
                .view([n, spec.layers as i64, ranks * files, c])
                .sum_dim_intlist(sum, false, embed.kind());
        }
        let x = x.view([n, ranks, files, c]);
        let globals = self
            .linear("stem.globals", &globals.to_kind(embed.kind()))
            .view([n, 1, 1, c]);
        let rank = self.get("stem.rank").transpose(0, 1).view([1, ranks, 1, c]);
        (x + (globals + rank)).relu_().permute([0, 3, 1, 2])
    }

    fn block(&mut self, i: usize, x: &Tensor) -> Tensor {
        let arch = &self.network.arch;
        let name = |part: &str| format!("blocks.{i}.{part}");
        let mut y = self.conv(&name("conv1"), x, 1);
        y = self.norm(&name("norm1"), &y);
        if has_gpool(arch.trunk, i) {
            y += self
                .linear(&name("gpool"), &self.pool(x))
                .to_kind(y.kind())
                .unsqueeze(2)
                .unsqueeze(3);
        }
        y = self.conv(&name("conv2"), &y.relu_(), 1);
        y = self.norm(&name("norm2"), &y);
        if arch.trunk == Trunk::Se {
            let hidden = self.linear(&name("se.fc1"), &self.pool(&y)).relu();
            let parts = self
                .linear(&name("se.fc2"), &hidden)
                .to_kind(y.kind())
                .unsqueeze(2)
                .unsqueeze(3)
                .chunk(2, 1);
            y = y * parts[0].sigmoid() + &parts[1];
        }
        (x + y).relu_()
    }

    /// `[N, C, R, F]` to `[N, S, 4D]`.
    fn policy(&mut self, x: &Tensor) -> Tensor {
        let spec = &self.network.spec;
        let d = self.network.arch.policy_dim as i64;
        let y = self.conv("policy.conv", x, 0);
        let y = self.norm("policy.norm", &y).relu_();
        // The factor of the queries goes into the weights: they are small, the output is the largest tensor of all.
        let weight = self.get("policy.out.weight");
        let factor = Tensor::from_slice(&[1.0 / (d as f64).sqrt(), 1.0]).to_device(weight.device());
        let factor = factor
            .to_kind(weight.kind())
            .repeat_interleave_self_int(2 * d, 0, None); // [4D]
        let weight = weight * factor.view([4 * d, 1, 1, 1]);
        let bias = self.get("policy.out.bias") * factor;
        let y = y
            .permute([0, 2, 3, 1])
            .reshape([x.size()[0], spec.squares() as i64, -1]);
        let weight = self.lowered(&weight.view([4 * d, -1]));
        let y = y.linear(&weight, Some(&self.lowered(&bias)));
        y.to_kind(bias.kind())
    }

    /// `[N, 2C]` to `[N, H, D]`.
    fn drops(&self, pooled: &Tensor) -> Tensor {
        let d = self.network.arch.policy_dim as i64;
        self.linear("drops", pooled)
            .view([-1, self.network.spec.hand_kinds as i64, d])
            / (d as f64).sqrt()
    }

    /// The part of the value that is linear in the sums of the planes over the board, and in the globals: `[N, 3]`. A mean over
    /// 256 squares hardly shows the trunk that one piece is missing, so material would be learned last.
    fn linear_value(&mut self, squares: &Tensor, globals: &Tensor) -> Tensor {
        let (n, codes) = (squares.size()[0], self.network.spec.codes as i64);
        let kind = (self.network.table.kind(), squares.device());
        let index = squares.to_kind(Kind::Int64);
        let counts = Tensor::zeros([n, codes], kind).scatter_add(
            1,
            &index,
            &Tensor::ones_like(&index).to_kind(kind.0),
        );
        let planes = counts.matmul(&self.network.table); // [N, P]
        let features = Tensor::cat(&[planes, globals.to_kind(kind.0)], 1);
        let features = self.standardised("value.linear", &features, None, FEATURE_EPS);
        features.linear(self.get("value.linear.weight"), None::<&Tensor>)
    }

    fn linear(&self, name: &str, x: &Tensor) -> Tensor {
        x.linear(
            self.get(&format!("{name}.weight")),
            Some(self.get(&format!("{name}.bias"))),
        )
    }

    fn conv(&self, name: &str, x: &Tensor, padding: i64) -> Tensor {
        x.conv2d(
            &self.lowered(self.get(&format!("{name}.weight"))),
            None::<&Tensor>,
            1,
            padding,
            1,
            1,
        )
    }

    fn norm(&mut self, name: &str, x: &Tensor) -> Tensor {
        let tensor = |part: &str| self.get(&format!("{name}.{part}")).shallow_clone();
        let affine = [tensor("weight"), tensor("bias")];
        self.standardised(name, x, Some(affine), NORM_EPS)
    }

    /// Batch norm, with scale and bias or without.
    fn standardised(
        &mut self,
        name: &str,
        x: &Tensor,
        affine: Option<[Tensor; 2]>,
        eps: f64,
    ) -> Tensor {
        let tensor = |part: &str| self.get(&format!("{name}.{part}"));
        let (mean, var) = (tensor("running_mean"), tensor("running_var"));
        let (weight, bias) = affine.map(|[weight, bias]| (weight, bias)).unzip();
        let train = self.mode == Mode::Train;
        // libtorch moves the running statistics in place: it gets copies, the weights stay as they are.
        let (mean, var) = if train {
            (mean.copy(), var.copy())
        } else {
            (mean.shallow_clone(), var.shallow_clone())
        };
        let y = x.batch_norm(
            weight.as_ref(),
            bias.as_ref(),
            Some(&mean),
            Some(&var),
            train,
            NORM_MOMENTUM,
            eps,
            true,
        );
        if train {
            self.running.insert(format!("{name}.running_mean"), mean);
            self.running.insert(format!("{name}.running_var"), var);
        }
        y
    }

    /// Mean and maximum over the squares: `[N, C, R, F]` to `[N, 2C]`, in the format of the weights.
    fn pool(&self, x: &Tensor) -> Tensor {
        let kind = self.network.table.kind();
        let mean = x.mean_dim([2i64, 3].as_slice(), false, kind);
        Tensor::cat(&[mean, x.amax([2i64, 3], false).to_kind(kind)], 1)
    }
}
