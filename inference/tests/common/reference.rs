//! The forward pass of `docs/network.md`, one position at a time, in plain loops over f64: batch norms unfolded, planes
//! expanded, nothing shared with the crate but the tensors.

#![allow(
    clippy::needless_range_loop,
    reason = "plain index loops, as the definition is written"
)]

use super::Net;
use inference::{RawOutput, Trunk};

/// Runs the network on `n` positions.
pub fn forward(net: &Net, n: usize, squares: &[u8], globals: &[f32]) -> RawOutput {
    let mut out = RawOutput::default();
    let (s, g) = (net.spec.cells(), net.spec.globals);
    for i in 0..n {
        one(
            net,
            &squares[i * s..(i + 1) * s],
            &globals[i * g..(i + 1) * g],
            &mut out,
        );
    }
    out
}

/// A board of channels, `[C][S]`.
type Planes = Vec<Vec<f64>>;

fn one(net: &Net, squares: &[u8], globals: &[f32], out: &mut RawOutput) {
    let (spec, a) = (&net.spec, &net.architecture);
    let (c, s, d) = (a.channels, spec.squares(), a.policy_dim);
    let w = |name: &str| Weights::of(net, name);

    // Stem.
    let (stem, g_weight, g_bias, rank) = (
        w("stem.weight"),
        w("stem.globals.weight"),
        w("stem.globals.bias"),
        w("stem.rank"),
    );
    let mut x: Planes = vec![vec![0.0; s]; c];
    for k in 0..c {
        for q in 0..s {
            let mut sum = g_bias.at(&[k]) + rank.at(&[k, q / spec.files]);
            for layer in 0..spec.layers {
                let code = squares[layer * s + q] as usize;
                for p in 0..spec.planes {
                    sum += f64::from(net.table[code * spec.planes + p]) * stem.at(&[p, k]);
                }
            }
            for (j, &global) in globals.iter().enumerate() {
                sum += f64::from(global) * g_weight.at(&[k, j]);
            }
            x[k][q] = sum.max(0.0);
        }
    }

    // Blocks.
    for i in 0..a.blocks {
        let name = |part: &str| format!("blocks.{i}.{part}");
        let mut y = norm(net, &name("norm1"), conv3(net, &name("conv1.weight"), &x));
        if a.trunk == Trunk::Gpool && i % 2 == 1 {
            let add = linear(net, &name("gpool"), &pool(&x));
            for k in 0..c {
                y[k].iter_mut().for_each(|v| *v += add[k]);
            }
        }
        relu(&mut y);
        let mut y = norm(net, &name("norm2"), conv3(net, &name("conv2.weight"), &y));
        if a.trunk == Trunk::Se {
            let mut h = linear(net, &name("se.fc1"), &pool(&y));
            h.iter_mut().for_each(|v| *v = v.max(0.0));
            let both = linear(net, &name("se.fc2"), &h);
            for k in 0..c {
                let gate = 1.0 / (1.0 + (-both[k]).exp());
                y[k].iter_mut().for_each(|v| *v = *v * gate + both[c + k]);
            }
        }
        for k in 0..c {
            for q in 0..s {
                x[k][q] = (x[k][q] + y[k][q]).max(0.0);
            }
        }
    }

    // Policy.
    let conv = w("policy.conv.weight");
    let y: Planes = (0..c)
        .map(|k| {
            (0..s)
                .map(|q| (0..c).map(|j| conv.at(&[k, j, 0, 0]) * x[j][q]).sum())
                .collect()
        })
        .collect();
    let mut y = norm(net, "policy.norm", y);
    relu(&mut y);
    let (weight, bias) = (w("policy.out.weight"), w("policy.out.bias"));
    for q in 0..s {
        for o in 0..4 * d {
            let mut v = bias.at(&[o])
                + (0..c)
                    .map(|j| weight.at(&[o, j, 0, 0]) * y[j][q])
                    .sum::<f64>();
            if o < 2 * d {
                v /= (d as f64).sqrt();
            }
            out.policy.push(v as f32);
        }
    }

    // Pooled heads.
    let pooled = pool(&x);
    if spec.hand_kinds > 0 {
        out.drops.extend(
            linear(net, "drops", &pooled)
                .iter()
                .map(|v| (v / (d as f64).sqrt()) as f32),
        );
    }
    if spec.marks > 0 {
        let marks = linear(net, "marks", &pooled);
        out.marks.extend(marks.iter().map(|&v| v as f32));
    }
    let mut h = linear(net, "value.fc1", &pooled);
    h.iter_mut().for_each(|v| *v = v.max(0.0));
    let (weight, mean, var) = (
        w("value.linear.weight"),
        w("value.linear.running_mean"),
        w("value.linear.running_var"),
    );
    let mut inputs = vec![0.0; spec.planes];
    for &code in squares {
        for p in 0..spec.planes {
            inputs[p] += f64::from(net.table[code as usize * spec.planes + p]);
        }
    }
    inputs.extend(globals.iter().map(|&v| f64::from(v)));
    for (o, nonlinear) in linear(net, "value.wdl", &h).into_iter().enumerate() {
        let mut sum = nonlinear;
        for (i, input) in inputs.iter().enumerate() {
            sum += weight.at(&[o, i]) * (input - mean.at(&[i])) / (var.at(&[i]) + 0.05).sqrt();
        }
        out.wdl_logits.push(sum as f32);
    }
    let left = linear(net, "value.moves_left", &h)[0];
    out.moves_left
        .push((100.0 * (1.0 + left.exp()).ln()) as f32);
}

/// A tensor read by index.
struct Weights<'a> {
    shape: &'a [usize],
    values: &'a [f32],
}

impl<'a> Weights<'a> {
    fn of(net: &'a Net, name: &str) -> Weights<'a> {
        let (shape, values) = &net.tensors[name];
        Weights { shape, values }
    }

    fn at(&self, index: &[usize]) -> f64 {
        assert_eq!(index.len(), self.shape.len());
        let mut flat = 0;
        for (&i, &d) in index.iter().zip(self.shape) {
            assert!(i < d);
            flat = flat * d + i;
        }
        f64::from(self.values[flat])
    }
}

fn conv3(net: &Net, name: &str, x: &Planes) -> Planes {
    let (files, ranks) = (net.spec.files as i64, net.spec.ranks as i64);
    let w = Weights::of(net, name);
    let mut y: Planes = vec![vec![0.0; x[0].len()]; x.len()];
    for (k, plane) in y.iter_mut().enumerate() {
        for r in 0..ranks {
            for f in 0..files {
                let mut sum = 0.0;
                for (j, input) in x.iter().enumerate() {
                    for dr in 0..3i64 {
                        for df in 0..3i64 {
                            let (rr, ff) = (r + dr - 1, f + df - 1);
                            if (0..ranks).contains(&rr) && (0..files).contains(&ff) {
                                sum += w.at(&[k, j, dr as usize, df as usize])
                                    * input[(rr * files + ff) as usize];
                            }
                        }
                    }
                }
                plane[(r * files + f) as usize] = sum;
            }
        }
    }
    y
}

fn norm(net: &Net, name: &str, mut x: Planes) -> Planes {
    let part = |part: &str| Weights::of(net, &format!("{name}.{part}"));
    let (weight, bias, mean, var) = (
        part("weight"),
        part("bias"),
        part("running_mean"),
        part("running_var"),
    );
    for (k, plane) in x.iter_mut().enumerate() {
        for v in plane.iter_mut() {
            *v = (*v - mean.at(&[k])) / (var.at(&[k]) + 1e-5).sqrt() * weight.at(&[k])
                + bias.at(&[k]);
        }
    }
    x
}

fn relu(x: &mut Planes) {
    x.iter_mut().flatten().for_each(|v| *v = v.max(0.0));
}

/// `[mean, max]` over the squares.
fn pool(x: &Planes) -> Vec<f64> {
    let mean = x
        .iter()
        .map(|plane| plane.iter().sum::<f64>() / plane.len() as f64);
    let max = x
        .iter()
        .map(|plane| plane.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    mean.chain(max).collect()
}

fn linear(net: &Net, name: &str, x: &[f64]) -> Vec<f64> {
    let (weight, bias) = (
        Weights::of(net, &format!("{name}.weight")),
        Weights::of(net, &format!("{name}.bias")),
    );
    (0..bias.shape[0])
        .map(|o| bias.at(&[o]) + (0..x.len()).map(|i| weight.at(&[o, i]) * x[i]).sum::<f64>())
        .collect()
}
