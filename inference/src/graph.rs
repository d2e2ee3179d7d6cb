//! The network as an ONNX graph: `docs/network.md` with the batch norms folded into the convolutions and the plane
//! table folded into the stem.
//!
//! The stem runs channels-last, because a gather of embedding rows gives that; the trunk runs channels-first, where
//! the run-times have their fast 3x3 convolutions; the policy head ends channels-last again, so that the vectors of
//! a square are contiguous in the output.

use crate::layout::{self, FEATURE_EPS, NORM_EPS, se_hidden};
use crate::proto::{Dim, GraphBuilder, int, ints, value};
use crate::weights::Weights;
use crate::{Architecture, Precision, Trunk};
use encoding::InputSpec;
use tract_onnx::pb;
use tract_onnx::pb::tensor_proto::DataType;

/// Operators that a graph of ours uses; files with others are refused. The two global pools are in older files.
pub const OPERATORS: [&str; 18] = [
    "Add",
    "AveragePool",
    "Cast",
    "Concat",
    "Conv",
    "Flatten",
    "Gather",
    "Gemm",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "MaxPool",
    "Mul",
    "ReduceSum",
    "Relu",
    "Reshape",
    "Sigmoid",
    "Softplus",
    "Transpose",
];

/// Plies by which the softplus of the moves-left head is multiplied.
const MOVES_LEFT_SCALE: f32 = 100.0;

/// Inputs of a network's graph.
pub fn inputs(spec: &InputSpec) -> Vec<pb::ValueInfoProto> {
    vec![
        value(
            "squares",
            DataType::Uint8,
            &[Dim::Batch, Dim::Fixed(spec.cells())],
            "code of each square, row by row from the far left as the side to move sees the board, layer after layer",
        ),
        value(
            "globals",
            DataType::Float,
            &[Dim::Batch, Dim::Fixed(spec.globals)],
            "values in [-1, 1], from the side to move's view; names in `tenjiku.global_names`",
        ),
    ]
}

/// Outputs of a network's graph.
pub fn outputs(spec: &InputSpec, policy_dim: usize) -> Vec<pb::ValueInfoProto> {
    let float = |name: &str, shape: &[Dim], doc: &str| value(name, DataType::Float, shape, doc);
    let mut outputs = vec![float(
        "policy",
        &[
            Dim::Batch,
            Dim::Fixed(spec.squares()),
            Dim::Fixed(4 * policy_dim),
        ],
        "per square four vectors: plain query, promoting query, `lands here` key, `captures here on the way` key; \
         the logit of a move is query(from) . lands(to) + query(from) . captures(via), and what its marks add",
    )];
    if spec.hand_kinds > 0 {
        outputs.push(float(
            "drops",
            &[
                Dim::Batch,
                Dim::Fixed(spec.hand_kinds),
                Dim::Fixed(policy_dim),
            ],
            "the query of a drop of each kind in hand",
        ));
    }
    if spec.marks > 0 {
        outputs.push(float(
            "marks",
            &[Dim::Batch, Dim::Fixed(spec.marks)],
            "what each mark of a move adds to its logit; names in `tenjiku.mark_names`",
        ));
    }
    outputs.push(float(
        "wdl_logits",
        &[Dim::Batch, Dim::Fixed(3)],
        "logits of (win, draw, loss) for the side to move",
    ));
    outputs.push(float(
        "moves_left",
        &[Dim::Batch],
        "expected plies to the end of the game",
    ));
    outputs
}

/// Builds the graph.
///
/// `plane_table` is `[K, P]`, row-major.
///
/// # Panics
/// If `plane_table` has not `K * P` values.
pub fn build(
    architecture: &Architecture,
    spec: &InputSpec,
    weights: &Weights,
    plane_table: &[f32],
    precision: Precision,
) -> pb::GraphProto {
    let mut net = Net {
        g: GraphBuilder::default(),
        precision,
        a: architecture,
        spec,
        w: weights,
    };
    net.shapes();
    let mut x = net.stem(plane_table);
    for i in 0..architecture.blocks {
        x = net.block(i, &x);
    }
    net.policy(&x);
    net.value(&x, plane_table);
    net.g.finish(
        &format!("{} network", spec.game),
        inputs(spec),
        outputs(spec, architecture.policy_dim),
    )
}

struct Net<'a> {
    g: GraphBuilder,
    precision: Precision,
    a: &'a Architecture,
    spec: &'a InputSpec,
    w: &'a Weights,
}

impl Net<'_> {
    /// Weights of any layer but the 3x3 convolutions; returns the name of the f32 tensor.
    fn weights(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        match self.precision {
            Precision::F32 => self.g.floats(name, shape, values),
            Precision::F16 | Precision::Int8 => self.g.halves(name, shape, values),
        }
    }

    /// Weights of a 3x3 convolution, `[C, C, 3, 3]`: nearly all of a network.
    fn kernel(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        match self.precision {
            Precision::Int8 => self.g.signed_bytes(name, shape, values),
            Precision::F32 | Precision::F16 => self.weights(name, shape, values),
        }
    }

    /// Constants for the reshapes. A 0 copies the batch dimension.
    fn shapes(&mut self) {
        let (s, c, d) = (
            self.spec.squares() as i64,
            self.a.channels as i64,
            self.a.policy_dim as i64,
        );
        self.g.ints("shape.globals", &[0, 1, c]);
        self.g.ints(
            "shape.board",
            &[0, self.spec.ranks as i64, self.spec.files as i64, c],
        );
        self.g.ints("shape.rows", &[-1, c]);
        self.g.ints("shape.policy", &[-1, s, 4 * d]);
        self.g.ints("shape.scalar", &[-1]);
        if self.spec.hand_kinds > 0 {
            self.g
                .ints("shape.drops", &[0, self.spec.hand_kinds as i64, d]);
        }
    }

    /// `relu(sum over layers of embed[squares] + globals + rank)`: `[N, C, R, F]`.
    fn stem(&mut self, plane_table: &[f32]) -> String {
        let (c, ranks, files) = (self.a.channels, self.spec.ranks, self.spec.files);
        let embed = embedding(
            plane_table,
            self.w.get("stem.weight"),
            self.spec.codes,
            self.spec.planes,
            c,
        );
        self.weights("embed", &[self.spec.codes, c], &embed);
        let rank = self.w.get("stem.rank"); // [C, R]
        let rank: Vec<f32> = (0..ranks * files)
            .flat_map(|s| (0..c).map(move |k| rank[k * ranks + s / files]))
            .collect();
        self.weights("rank", &[ranks * files, c], &rank);
        self.g.node(
            "Cast",
            &["squares"],
            "codes",
            vec![int("to", DataType::Int32 as i64)],
        );
        self.g
            .node("Gather", &["embed", "codes"], "embedded", vec![]);
        let mut embedded = "embedded";
        if self.spec.layers > 1 {
            let (layers, s) = (self.spec.layers as i64, self.spec.squares() as i64);
            self.g.ints("shape.layers", &[0, layers, s, c as i64]);
            self.g.ints("axis.layers", &[1]);
            self.g
                .node("Reshape", &["embedded", "shape.layers"], "layers", vec![]);
            let sum = vec![int("keepdims", 0)];
            self.g
                .node("ReduceSum", &["layers", "axis.layers"], "summed", sum);
            embedded = "summed";
        }
        self.g.node("Add", &[embedded, "rank"], "placed", vec![]);
        let globals = self.linear("stem.globals", "globals", c, self.spec.globals);
        self.g.node(
            "Reshape",
            &[&globals, "shape.globals"],
            "globals.row",
            vec![],
        );
        self.g
            .node("Add", &["placed", "globals.row"], "stem.sum", vec![]);
        self.g.node("Relu", &["stem.sum"], "stem.relu", vec![]);
        self.g.node(
            "Reshape",
            &["stem.relu", "shape.board"],
            "stem.board",
            vec![],
        );
        self.g.node(
            "Transpose",
            &["stem.board"],
            "stem",
            vec![ints("perm", &[0, 3, 1, 2])],
        )
    }

    /// One residual block on `x`.
    fn block(&mut self, i: usize, x: &str) -> String {
        let name = |part: &str| format!("blocks.{i}.{part}");
        let c = self.a.channels;
        let mut y = self.conv(&name("conv1"), &name("norm1"), x, 3);
        if layout::has_gpool(self.a.trunk, i) {
            let pooled = self.pooled(&name("gpool"), x);
            let bias = self.pointwise(&name("gpool"), &pooled, 0..c, 2 * c, &name("gpool.out"));
            y = self.g.node("Add", &[&y, &bias], &name("gpool.sum"), vec![]);
        }
        y = self.g.node("Relu", &[&y], &name("relu1"), vec![]);
        y = self.conv(&name("conv2"), &name("norm2"), &y, 3);
        if self.a.trunk == Trunk::Se {
            let hidden = se_hidden(c);
            let pooled = self.pooled(&name("se"), &y);
            let h = self.pointwise(
                &name("se.fc1"),
                &pooled,
                0..hidden,
                2 * c,
                &name("se.fc1.out"),
            );
            let h = self.g.node("Relu", &[&h], &name("se.hidden"), vec![]);
            let scale = self.pointwise(&name("se.fc2"), &h, 0..c, hidden, &name("se.scale"));
            let scale = self.g.node("Sigmoid", &[&scale], &name("se.gate"), vec![]);
            let shift = self.pointwise(&name("se.fc2"), &h, c..2 * c, hidden, &name("se.shift"));
            y = self
                .g
                .node("Mul", &[&y, &scale], &name("se.scaled"), vec![]);
            y = self
                .g
                .node("Add", &[&y, &shift], &name("se.shifted"), vec![]);
        }
        let sum = self.g.node("Add", &[&y, x], &name("sum"), vec![]);
        self.g.node("Relu", &[&sum], &name("out"), vec![])
    }

    /// `[N, S, 4D]`; the queries are scaled by `1 / sqrt(D)` in the weights.
    fn policy(&mut self, x: &str) {
        let (c, d) = (self.a.channels, self.a.policy_dim);
        let y = self.conv("policy.conv", "policy.norm", x, 1);
        let y = self.g.node("Relu", &[&y], "policy.relu", vec![]);
        let y = self.g.node(
            "Transpose",
            &[&y],
            "policy.last",
            vec![ints("perm", &[0, 2, 3, 1])],
        );
        let y = self
            .g
            .node("Reshape", &[&y, "shape.rows"], "policy.rows", vec![]);
        let scale = |row: usize| {
            if row < 2 * d {
                1.0 / (d as f64).sqrt()
            } else {
                1.0
            }
        };
        self.scaled_linear("policy.out", &y, 4 * d, c, &scale, "policy.vectors");
        self.g.node(
            "Reshape",
            &["policy.vectors", "shape.policy"],
            "policy",
            vec![],
        );
    }

    /// The heads on the pooled trunk output.
    fn value(&mut self, x: &str, plane_table: &[f32]) {
        let (c, d, v, hands) = (
            self.a.channels,
            self.a.policy_dim,
            self.a.value_channels,
            self.spec.hand_kinds,
        );
        let pooled = self.pooled("pooled", x);
        let pooled = self.g.node("Flatten", &[&pooled], "pooled.flat", vec![]);
        if hands > 0 {
            let scale = |_| 1.0 / (d as f64).sqrt();
            self.scaled_linear("drops", &pooled, hands * d, 2 * c, &scale, "drops.flat");
            self.g
                .node("Reshape", &["drops.flat", "shape.drops"], "drops", vec![]);
        }
        if self.spec.marks > 0 {
            self.scaled_linear("marks", &pooled, self.spec.marks, 2 * c, &|_| 1.0, "marks");
        }
        let h = self.linear("value.fc1", &pooled, v, 2 * c);
        let h = self.g.node("Relu", &[&h], "value.hidden", vec![]);
        let nonlinear = self.linear("value.wdl", &h, 3, v);
        let linear = self.linear_value(plane_table);
        self.g
            .node("Add", &[&nonlinear, &linear], "wdl_logits", vec![]);
        let left = self.linear("value.moves_left", &h, 1, v);
        let left = self
            .g
            .node("Softplus", &[&left], "moves_left.softplus", vec![]);
        let scale = self.g.floats("moves_left.scale", &[], &[MOVES_LEFT_SCALE]);
        let left = self
            .g
            .node("Mul", &[&left, &scale], "moves_left.column", vec![]);
        self.g
            .node("Reshape", &[&left, "shape.scalar"], "moves_left", vec![]);
    }

    /// The part of the value that is linear in the sums of the planes over the board and in the globals: a row of a table for
    /// each cell, and their sum. The standardisation of the inputs is folded into the weights.
    fn linear_value(&mut self, plane_table: &[f32]) -> String {
        let InputSpec {
            codes,
            planes,
            globals,
            ..
        } = *self.spec;
        let features = layout::features(self.spec);
        let weight = self.w.get("value.linear.weight"); // [3, P + G]
        let mean = self.w.get("value.linear.running_mean");
        let var = self.w.get("value.linear.running_var");
        let mut columns: Vec<f32> = Vec::with_capacity(3 * features); // [P + G, 3]
        let mut bias = [0.0f64; 3];
        for i in 0..features {
            let scale = 1.0 / (f64::from(var[i]) + FEATURE_EPS).sqrt();
            for (o, bias) in bias.iter_mut().enumerate() {
                let w = f64::from(weight[o * features + i]) * scale;
                columns.push(w as f32);
                *bias -= w * f64::from(mean[i]);
            }
        }
        let (plane_weights, global_weights) = columns.split_at(3 * planes);
        // In full precision whatever the file's: they are few, and up to all cells are added up.
        let table = embedding(plane_table, plane_weights, codes, planes, 3);
        let table = self.g.floats("value.linear.codes", &[codes, 3], &table);
        let weight = self
            .g
            .floats("value.linear.globals", &[globals, 3], global_weights);
        let bias = self
            .g
            .floats("value.linear.bias", &[3], &bias.map(|b| b as f32));
        self.g
            .node("Gather", &[&table, "codes"], "value.linear.cells", vec![]);
        self.g.ints("axis.cells", &[1]);
        let sum = self.g.node(
            "ReduceSum",
            &["value.linear.cells", "axis.cells"],
            "value.linear.sum",
            vec![int("keepdims", 0)],
        );
        let rest = self.g.node(
            "Gemm",
            &["globals", &weight, &bias],
            "value.linear.rest",
            vec![],
        );
        self.g
            .node("Add", &[&sum, &rest], "value.linear.out", vec![])
    }

    /// A convolution without bias and the batch norm after it, as one convolution with bias.
    fn conv(&mut self, conv: &str, norm: &str, x: &str, kernel: usize) -> String {
        let c = self.a.channels;
        let part = |part: &str| self.w.get(&format!("{norm}.{part}"));
        let scale: Vec<f64> = part("weight")
            .iter()
            .zip(part("running_var"))
            .map(|(&w, &var)| f64::from(w) / (f64::from(var) + NORM_EPS).sqrt())
            .collect();
        let bias: Vec<f32> = (0..c)
            .map(|k| {
                (f64::from(part("bias")[k]) - f64::from(part("running_mean")[k]) * scale[k]) as f32
            })
            .collect();
        let name = format!("{conv}.weight");
        let fan = c * kernel * kernel;
        let weight: Vec<f32> = self
            .w
            .get(&name)
            .iter()
            .enumerate()
            .map(|(i, &w)| (f64::from(w) * scale[i / fan]) as f32)
            .collect();
        let shape = [c, c, kernel, kernel];
        let weight = if kernel == 3 {
            self.kernel(&name, &shape, &weight)
        } else {
            self.weights(&name, &shape, &weight)
        };
        let bias = self.g.floats(&format!("{conv}.bias"), &[c], &bias);
        let (k, pad) = (kernel as i64, (kernel / 2) as i64);
        self.g.node(
            "Conv",
            &[x, &weight, &bias],
            conv,
            vec![
                ints("kernel_shape", &[k, k]),
                ints("pads", &[pad, pad, pad, pad]),
            ],
        )
    }

    /// Mean and maximum over the squares: `[N, 2C, 1, 1]`. Pools with the board as their window, because tract is much
    /// slower at `GlobalAveragePool` and `GlobalMaxPool`.
    fn pooled(&mut self, name: &str, x: &str) -> String {
        let board = [self.spec.ranks as i64, self.spec.files as i64];
        let window = || vec![ints("kernel_shape", &board)];
        let mean = self
            .g
            .node("AveragePool", &[x], &format!("{name}.mean"), window());
        let max = self
            .g
            .node("MaxPool", &[x], &format!("{name}.max"), window());
        self.g.node(
            "Concat",
            &[&mean, &max],
            &format!("{name}.both"),
            vec![int("axis", 1)],
        )
    }

    /// Rows `rows` of a linear layer, as a 1x1 convolution on `[N, inputs, 1, 1]`.
    fn pointwise(
        &mut self,
        layer: &str,
        x: &str,
        rows: std::ops::Range<usize>,
        inputs: usize,
        out: &str,
    ) -> String {
        let outputs = rows.len();
        let weight =
            &self.w.get(&format!("{layer}.weight"))[rows.start * inputs..rows.end * inputs];
        let bias = &self.w.get(&format!("{layer}.bias"))[rows];
        let weight = self.weights(&format!("{out}.weight"), &[outputs, inputs, 1, 1], weight);
        let bias = self.g.floats(&format!("{out}.bias"), &[outputs], bias);
        self.g.node(
            "Conv",
            &[x, &weight, &bias],
            out,
            vec![ints("kernel_shape", &[1, 1])],
        )
    }

    /// A linear layer on `[N, inputs]`.
    fn linear(&mut self, layer: &str, x: &str, outputs: usize, inputs: usize) -> String {
        self.scaled_linear(layer, x, outputs, inputs, &|_| 1.0, &format!("{layer}.out"))
    }

    /// A linear layer whose output `row` is multiplied by `scale(row)`. The weight is stored `[inputs, outputs]`.
    fn scaled_linear(
        &mut self,
        layer: &str,
        x: &str,
        outputs: usize,
        inputs: usize,
        scale: &dyn Fn(usize) -> f64,
        out: &str,
    ) -> String {
        let (weight, bias) = (format!("{layer}.weight"), format!("{layer}.bias"));
        let w = self.w.get(&weight);
        let transposed: Vec<f32> = (0..inputs)
            .flat_map(|i| {
                (0..outputs).map(move |o| (f64::from(w[o * inputs + i]) * scale(o)) as f32)
            })
            .collect();
        let scaled: Vec<f32> = self
            .w
            .get(&bias)
            .iter()
            .enumerate()
            .map(|(o, &b)| (f64::from(b) * scale(o)) as f32)
            .collect();
        self.weights(&weight, &[inputs, outputs], &transposed);
        self.g.floats(&bias, &[outputs], &scaled);
        self.g.node("Gemm", &[x, &weight, &bias], out, vec![])
    }
}

/// `table [K, P] · weight [P, C]`.
fn embedding(
    table: &[f32],
    weight: &[f32],
    codes: usize,
    planes: usize,
    channels: usize,
) -> Vec<f32> {
    assert_eq!(table.len(), codes * planes, "plane table");
    let mut embed = Vec::with_capacity(codes * channels);
    for code in 0..codes {
        for c in 0..channels {
            let sum: f64 = (0..planes)
                .map(|p| f64::from(table[code * planes + p]) * f64::from(weight[p * channels + c]))
                .sum();
            embed.push(sum as f32);
        }
    }
    embed
}
