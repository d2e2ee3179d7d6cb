//! The network of `docs/network.md` in plain loops over plain arrays: slow, and written from the document alone.

use encoding::Encoded;
use inference::{RawOutput, Trunk};
use network::Network;

struct Reference<'a> {
    network: &'a Network,
    ranks: usize,
    files: usize,
}

/// `[C][S]`
type Maps = Vec<Vec<f64>>;

pub fn forward<P: Encoded>(
    network: &Network,
    n: usize,
    squares: &[u8],
    globals: &[f32],
) -> RawOutput {
    let r = Reference {
        network,
        ranks: P::RANKS,
        files: P::FILES,
    };
    let (s, table, arch) = (P::RANKS * P::FILES, P::plane_table(), network.arch());
    let (c, d) = (arch.channels, arch.policy_dim);
    let mut out = RawOutput::default();
    for i in 0..n {
        let (squares, globals) = (
            &squares[i * P::CELLS..][..P::CELLS],
            &globals[i * P::GLOBALS..][..P::GLOBALS],
        );
        let stem = r.get("stem.weight");
        let rank = r.get("stem.rank");
        let globals: Vec<f64> = globals.iter().map(|&g| f64::from(g)).collect();
        let shift = r.linear("stem.globals", &globals);
        let mut x: Maps = (0..c)
            .map(|c_out| {
                (0..s)
                    .map(|square| {
                        let sum: f64 = (squares.iter().skip(square).step_by(s))
                            .flat_map(|&code| {
                                let row = &table[code as usize * P::PLANES..][..P::PLANES];
                                row.iter().enumerate()
                            })
                            .map(|(p, &on)| f64::from(on) * stem[p * c + c_out])
                            .sum();
                        (sum + shift[c_out] + rank[c_out * P::RANKS + square / P::FILES]).max(0.0)
                    })
                    .collect()
            })
            .collect();
        for b in 0..arch.blocks {
            let name = |part: &str| format!("blocks.{b}.{part}");
            let mut y = r.norm(&name("norm1"), r.conv(&name("conv1.weight"), &x, c, 3));
            if arch.trunk == Trunk::Gpool && b % 2 == 1 {
                let bias = r.linear(&name("gpool"), &pool(&x));
                for (map, bias) in y.iter_mut().zip(bias) {
                    map.iter_mut().for_each(|v| *v += bias);
                }
            }
            let mut y = r.norm(
                &name("norm2"),
                r.conv(&name("conv2.weight"), &relu(y), c, 3),
            );
            if arch.trunk == Trunk::Se {
                let mut hidden = r.linear(&name("se.fc1"), &pool(&y));
                hidden.iter_mut().for_each(|v| *v = v.max(0.0));
                let parts = r.linear(&name("se.fc2"), &hidden);
                for (k, map) in y.iter_mut().enumerate() {
                    let scale = 1.0 / (1.0 + (-parts[k]).exp());
                    map.iter_mut().for_each(|v| *v = *v * scale + parts[c + k]);
                }
            }
            for (a, b) in x.iter_mut().zip(y) {
                for (a, b) in a.iter_mut().zip(b) {
                    *a = (*a + b).max(0.0);
                }
            }
        }
        let y = relu(r.norm("policy.norm", r.conv("policy.conv.weight", &x, c, 1)));
        let y = r.conv("policy.out.weight", &y, 4 * d, 1);
        let bias = r.get("policy.out.bias");
        for square in 0..s {
            for (k, (map, bias)) in y.iter().zip(&bias).enumerate() {
                let scale = if k < 2 * d {
                    1.0 / (d as f64).sqrt()
                } else {
                    1.0
                };
                out.policy.push(((map[square] + bias) * scale) as f32);
            }
        }
        let pooled = pool(&x);
        if P::HAND_KINDS > 0 {
            out.drops.extend(
                r.linear("drops", &pooled)
                    .iter()
                    .map(|v| (v / (d as f64).sqrt()) as f32),
            );
        }
        if P::MARKS > 0 {
            let marks = r.linear("marks", &pooled);
            out.marks.extend(marks.iter().map(|&v| v as f32));
        }
        let mut hidden = r.linear("value.fc1", &pooled);
        hidden.iter_mut().for_each(|v| *v = v.max(0.0));
        let linear = r.linear_value(&table, squares, &globals);
        let wdl = r.linear("value.wdl", &hidden).into_iter().zip(linear);
        out.wdl_logits.extend(wdl.map(|(a, b)| (a + b) as f32));
        let z = r.linear("value.moves_left", &hidden)[0];
        out.moves_left.push((100.0 * z.exp().ln_1p()) as f32);
    }
    out
}

fn relu(mut x: Maps) -> Maps {
    x.iter_mut().flatten().for_each(|v| *v = v.max(0.0));
    x
}

/// Means of all channels, then maxima.
fn pool(x: &Maps) -> Vec<f64> {
    let means = x.iter().map(|m| m.iter().sum::<f64>() / m.len() as f64);
    means
        .chain(
            x.iter()
                .map(|m| m.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        )
        .collect()
}

impl Reference<'_> {
    fn get(&self, name: &str) -> Vec<f64> {
        Vec::<f32>::try_from(self.network.weights.get(name).contiguous().view(-1))
            .unwrap()
            .into_iter()
            .map(f64::from)
            .collect()
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (weight, bias) = (
            self.get(&format!("{name}.weight")),
            self.get(&format!("{name}.bias")),
        );
        weight
            .chunks(x.len())
            .zip(bias)
            .map(|(w, b)| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b)
            .collect()
    }

    /// Three sums of weight times standardised input: the planes over the board, and the globals.
    fn linear_value(&self, table: &[f32], cells: &[u8], globals: &[f64]) -> Vec<f64> {
        let mut inputs = vec![0.0; self.network.spec().planes];
        for &code in cells {
            let planes = table.chunks(inputs.len()).nth(code.into()).unwrap();
            inputs
                .iter_mut()
                .zip(planes)
                .for_each(|(input, &on)| *input += f64::from(on));
        }
        inputs.extend(globals);
        let part = |p: &str| self.get(&format!("value.linear.{p}"));
        let (mean, var) = (part("running_mean"), part("running_var"));
        for (i, v) in inputs.iter_mut().enumerate() {
            *v = (*v - mean[i]) / (var[i] + 0.05).sqrt();
        }
        part("weight")
            .chunks(inputs.len())
            .map(|w| w.iter().zip(&inputs).map(|(w, x)| w * x).sum())
            .collect()
    }

    fn norm(&self, name: &str, mut x: Maps) -> Maps {
        let part = |p: &str| self.get(&format!("{name}.{p}"));
        let (weight, bias, mean, var) = (
            part("weight"),
            part("bias"),
            part("running_mean"),
            part("running_var"),
        );
        for (c, map) in x.iter_mut().enumerate() {
            map.iter_mut()
                .for_each(|v| *v = (*v - mean[c]) / (var[c] + 1e-5).sqrt() * weight[c] + bias[c]);
        }
        x
    }

    /// A `k x k` convolution with zeros around the board.
    fn conv(&self, name: &str, x: &Maps, outputs: usize, k: usize) -> Maps {
        let weight = self.get(name);
        let (inputs, half) = (x.len(), (k / 2) as i64);
        let at = |map: &[f64], rank: i64, file: i64| {
            let inside =
                (0..self.ranks as i64).contains(&rank) && (0..self.files as i64).contains(&file);
            if inside {
                map[rank as usize * self.files + file as usize]
            } else {
                0.0
            }
        };
        (0..outputs)
            .map(|o| {
                (0..self.ranks * self.files)
                    .map(|square| {
                        let (rank, file) =
                            ((square / self.files) as i64, (square % self.files) as i64);
                        let mut sum = 0.0;
                        for (i, map) in x.iter().enumerate() {
                            for a in 0..k {
                                for b in 0..k {
                                    sum += weight[((o * inputs + i) * k + a) * k + b]
                                        * at(map, rank + a as i64 - half, file + b as i64 - half);
                                }
                            }
                        }
                        sum
                    })
                    .collect()
            })
            .collect()
    }
}
