//! Which tensors a network has: names and shapes of `model.safetensors`, as `docs/network.md` lists them.
//!
//! One list for everything that writes, reads or checks weights; it holds no numbers.

use crate::{Architecture, Trunk};
use encoding::InputSpec;

/// Tensors whose names start with this are no part of the exported network (heads used in training only).
pub const AUXILIARY: &str = "aux.";

/// Epsilon of every batch norm.
pub const NORM_EPS: f64 = 1e-5;

/// Added to the variances of the inputs of the linear part of the value. Large, because most planes are rare: a piece that the
/// last batches had not must not count for a hundred.
pub const FEATURE_EPS: f64 = 0.05;

/// What a tensor is for; decides how fresh weights are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Weight of a layer followed by a ReLU; the field is its fan-in (inputs of one output unit).
    Hidden(usize),
    /// Weight of a last layer; the field is its fan-in.
    Last(usize),
    /// Starts at 0: biases, and the means of batch norms.
    Zero,
    /// Starts at 1: scales and variances of batch norms.
    One,
}

/// Name, shape and role of one tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorSpec {
    /// Name in `model.safetensors`.
    pub name: String,
    /// Shape, row-major.
    pub shape: Vec<usize>,
    /// What it is for.
    pub role: Role,
}

/// Every tensor of a network, in the order of `docs/network.md`.
pub fn tensors(architecture: &Architecture, input: &InputSpec) -> Vec<TensorSpec> {
    let Architecture {
        channels: c,
        blocks,
        trunk,
        policy_dim: d,
        value_channels: v,
    } = *architecture;
    let mut list = List(Vec::new());
    list.add("stem.weight", &[input.planes, c], Role::Hidden(8));
    list.add(
        "stem.globals.weight",
        &[c, input.globals],
        Role::Last(input.globals),
    );
    list.add("stem.globals.bias", &[c], Role::Zero);
    list.add("stem.rank", &[c, input.ranks], Role::Zero);
    for i in 0..blocks {
        for half in ["1", "2"] {
            list.add(
                &format!("blocks.{i}.conv{half}.weight"),
                &[c, c, 3, 3],
                Role::Hidden(9 * c),
            );
            list.norm(&format!("blocks.{i}.norm{half}"), c);
        }
        match trunk {
            Trunk::Gpool if has_gpool(trunk, i) => {
                list.linear(&format!("blocks.{i}.gpool"), c, 2 * c, Role::Last(2 * c));
            }
            Trunk::Se => {
                list.linear(
                    &format!("blocks.{i}.se.fc1"),
                    se_hidden(c),
                    2 * c,
                    Role::Hidden(2 * c),
                );
                list.linear(
                    &format!("blocks.{i}.se.fc2"),
                    2 * c,
                    se_hidden(c),
                    Role::Last(se_hidden(c)),
                );
            }
            Trunk::Gpool | Trunk::Plain => {}
        }
    }
    list.add("policy.conv.weight", &[c, c, 1, 1], Role::Hidden(c));
    list.norm("policy.norm", c);
    list.add("policy.out.weight", &[4 * d, c, 1, 1], Role::Last(c));
    list.add("policy.out.bias", &[4 * d], Role::Zero);
    if input.hand_kinds > 0 {
        list.linear("drops", input.hand_kinds * d, 2 * c, Role::Last(2 * c));
    }
    if input.marks > 0 {
        list.linear("marks", input.marks, 2 * c, Role::Last(2 * c));
    }
    list.linear("value.fc1", v, 2 * c, Role::Hidden(2 * c));
    list.linear("value.wdl", 3, v, Role::Last(v));
    list.linear("value.moves_left", 1, v, Role::Last(v));
    // Its largest inputs are numbers of squares: as many inputs of size 1 would be that number squared.
    let (features, fan_in) = (features(input), input.squares() * input.squares());
    list.add("value.linear.weight", &[3, features], Role::Last(fan_in));
    list.add("value.linear.running_mean", &[features], Role::Zero);
    list.add("value.linear.running_var", &[features], Role::One);
    list.0
}

/// Inputs of the linear part of the value: the sum of each plane over the board, then the globals.
pub fn features(input: &InputSpec) -> usize {
    input.planes + input.globals
}

/// Whether block `i` has a `gpool` layer.
pub fn has_gpool(trunk: Trunk, i: usize) -> bool {
    trunk == Trunk::Gpool && i % 2 == 1
}

/// Hidden units of squeeze-excitation for `channels` channels.
pub fn se_hidden(channels: usize) -> usize {
    channels / 2
}

struct List(Vec<TensorSpec>);

impl List {
    fn add(&mut self, name: &str, shape: &[usize], role: Role) {
        self.0.push(TensorSpec {
            name: name.to_string(),
            shape: shape.to_vec(),
            role,
        });
    }

    fn linear(&mut self, name: &str, outputs: usize, inputs: usize, role: Role) {
        self.add(&format!("{name}.weight"), &[outputs, inputs], role);
        self.add(&format!("{name}.bias"), &[outputs], Role::Zero);
    }

    fn norm(&mut self, name: &str, channels: usize) {
        for (part, role) in [
            ("weight", Role::One),
            ("bias", Role::Zero),
            ("running_mean", Role::Zero),
            ("running_var", Role::One),
        ] {
            self.add(&format!("{name}.{part}"), &[channels], role);
        }
    }
}
