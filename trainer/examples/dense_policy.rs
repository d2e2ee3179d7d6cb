//! The factored policy head against a dense one with a plane for every way to move: parameters, speed, and loss on the
//! same batches. What `docs/network.md` says about it comes from here.
//!
//! `cargo run --release -p trainer --example dense_policy -- RUN [STEPS]` with a run folder of tenjiku games.
//!
//! The dense head is made as those of AlphaZero and its kin are: per start square one logit for each displacement that a
//! move can have (along the eight lines, or within three steps), plain and promoting, and one for each neighbouring square
//! that can be captured on the way, which is added. It exists only here.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;

use encoding::{NO_VIA, PolicySlot};
use inference::Architecture;
use network::tch::{Device, Kind, Tensor, no_grad};
use network::{Mode, Network, is_running};
use records::{ReplayWindow, Shape};
use rules::Rules;
use rules::tenjiku::Tenjiku;
use trainer::{
    Batch, DecodeParams, Example, HostBatch, Optimiser, Stepped, TrainParams, log_policy, losses,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const SIDE: i32 = 16;
const SQUARES: i64 = 256;

/// The planes of the dense head.
struct Planes {
    to: HashMap<(i32, i32), i64>,
    via: HashMap<(i32, i32), i64>,
}

impl Planes {
    fn new() -> Planes {
        let all = (-SIDE + 1..SIDE).flat_map(|x| (-SIDE + 1..SIDE).map(move |y| (x, y)));
        let reach = |&(x, y): &(i32, i32)| {
            let line = x == 0 || y == 0 || x.abs() == y.abs();
            (x, y) != (0, 0) && (line || x.abs().max(y.abs()) <= 3)
        };
        let to: Vec<(i32, i32)> = all.filter(reach).collect();
        let near = to.iter().filter(|(x, y)| x.abs().max(y.abs()) == 1);
        // A move may also end where it began.
        let to_numbers = to.iter().chain(&[(0, 0)]).copied().zip(0..).collect();
        Planes {
            via: near.copied().zip(0..).collect(),
            to: to_numbers,
        }
    }

    fn count(&self) -> i64 {
        2 * self.to.len() as i64 + self.via.len() as i64
    }

    /// Place of a move's logit in `[S, planes]`, and of the one that is added.
    fn places(&self, slot: PolicySlot) -> Result<(i64, Option<i64>)> {
        let (from, promotes) = (
            i64::from(slot.query) % SQUARES,
            i64::from(slot.query) / SQUARES,
        );
        let step = |to: u16| {
            let (from, to) = (from as i32, i32::from(to));
            (to % SIDE - from % SIDE, to / SIDE - from / SIDE)
        };
        let plane = |planes: &HashMap<_, i64>, to| {
            let found = planes.get(&step(to)).copied();
            found.ok_or_else(|| format!("no plane for the step {:?}", step(to)))
        };
        let to = promotes * self.to.len() as i64 + plane(&self.to, slot.to)?;
        let via = match slot.via {
            NO_VIA => None,
            via => Some(2 * self.to.len() as i64 + plane(&self.via, via)?),
        };
        let place = |plane| from * self.count() + plane;
        Ok((place(to), via.map(place)))
    }
}

/// A batch with the places of its moves in the dense head's output.
struct Step {
    batch: Batch,
    /// `[M]` into `[N * S * planes]`.
    places: Tensor,
    /// `[V]`, as [`Batch::via_moves`].
    vias: Tensor,
}

fn load(
    window: &ReplayWindow,
    rows: &[(u32, bool)],
    params: &TrainParams,
    planes: &Planes,
) -> Result<Step> {
    let decode = DecodeParams::from(params);
    let mut examples: Vec<Example> = Vec::new();
    let (mut places, mut vias) = (Vec::new(), Vec::new());
    for (i, &(row, mirrored)) in rows.iter().enumerate() {
        let sample = window.read(row)?;
        let rules = Rules::parse(&sample.game.rules)?;
        let example = trainer::example::<Tenjiku>(&sample, &rules, mirrored, &decode)?;
        let first = i as i64 * SQUARES * planes.count();
        for &slot in &example.slots {
            let (place, via) = planes.places(slot)?;
            places.push(first + place);
            vias.extend(via.map(|via| first + via));
        }
        examples.push(example);
    }
    Ok(Step {
        batch: HostBatch::new::<Tenjiku>(&examples).to_device(Device::Cpu),
        places: Tensor::from_slice(&places),
        vias: Tensor::from_slice(&vias),
    })
}

/// A policy head on the trunk: its own tensors, and its cross-entropy.
trait Head {
    fn tensors(&self) -> &BTreeMap<String, Tensor>;
    fn loss(&self, trunk: &Tensor, step: &Step) -> Tensor;
}

/// 1x1 convolution, ReLU, 1x1 convolution to the outputs; no batch norms, which here would only be one more difference.
struct Plain(BTreeMap<String, Tensor>);

impl Plain {
    fn new(channels: i64, outputs: i64) -> Plain {
        let uniform = |rows: i64, factor: f64| {
            let bound = factor * (6.0 / channels as f64).sqrt();
            let t = Tensor::empty([rows, channels], (Kind::Float, Device::Cpu));
            no_grad(|| t.uniform(-bound, bound)).set_requires_grad(true)
        };
        let zeros = |n: i64| Tensor::zeros([n], (Kind::Float, Device::Cpu)).set_requires_grad(true);
        let tensors = [
            ("head.hidden.weight", uniform(channels, 1.0)),
            ("head.hidden.bias", zeros(channels)),
            ("head.out.weight", uniform(outputs, 0.1)),
            ("head.out.bias", zeros(outputs)),
        ];
        Plain(tensors.map(|(name, t)| (name.to_string(), t)).into())
    }

    /// `[N, C, R, F]` to `[N, S, outputs]`.
    fn forward(&self, trunk: &Tensor) -> Tensor {
        let n = trunk.size()[0];
        let x = trunk.permute([0, 2, 3, 1]).reshape([n, SQUARES, -1]);
        let layer = |x: &Tensor, name: &str| {
            x.linear(
                &self.0[&format!("head.{name}.weight")],
                Some(&self.0[&format!("head.{name}.bias")]),
            )
        };
        layer(&layer(&x, "hidden").relu(), "out")
    }
}

fn cross_entropy(log_policy: &Tensor, batch: &Batch) -> Tensor {
    let each = (log_policy * &batch.policy).sum_dim_intlist([1i64].as_slice(), false, None);
    -each.dot(&batch.policy_weight)
}

struct Factored(Plain, i64);

impl Head for Factored {
    fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.0.0
    }
    fn loss(&self, trunk: &Tensor, step: &Step) -> Tensor {
        let parts = self
            .0
            .forward(trunk)
            .split_with_sizes([2 * self.1, 2 * self.1], 2);
        let policy = Tensor::cat(
            &[&parts[0] / (self.1 as f64).sqrt(), parts[1].shallow_clone()],
            2,
        );
        cross_entropy(&log_policy(&outputs(policy), &step.batch), &step.batch)
    }
}

/// Outputs of which only the policy is used.
fn outputs(policy: Tensor) -> network::Outputs {
    let none = || Tensor::zeros([0], (Kind::Float, Device::Cpu));
    network::Outputs {
        policy,
        drops: None,
        marks: None,
        wdl_logits: none(),
        moves_left: none(),
        trunk: none(),
        pooled: none(),
        running: BTreeMap::new(),
    }
}

struct Dense(Plain);

impl Head for Dense {
    fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.0.0
    }
    fn loss(&self, trunk: &Tensor, step: &Step) -> Tensor {
        let all = self.0.forward(trunk).reshape([-1]);
        let plain = all.index_select(0, &step.places);
        let added = all.index_select(0, &step.vias);
        let logits = plain.index_add(0, &step.batch.via_moves.to_kind(Kind::Int64), &added);
        let padding = Tensor::full([1], -1e9, (Kind::Float, Device::Cpu));
        let layout = &step.batch.layout;
        let table = Tensor::cat(&[logits, padding], 0)
            .index_select(0, &layout.view(-1))
            .view(layout.size().as_slice());
        cross_entropy(&table.log_softmax(1, None), &step.batch)
    }
}

/// Milliseconds of the head alone, forward and backward, on a trunk output of `step`'s size.
fn time(head: &dyn Head, step: &Step, channels: i64) -> f64 {
    let n = step.batch.len() as i64;
    let trunk = Tensor::rand([n, 16, 16, channels], (Kind::Float, Device::Cpu))
        .permute([0, 3, 1, 2])
        .set_requires_grad(true);
    let mut inputs: Vec<&Tensor> = head.tensors().values().collect();
    inputs.push(&trunk);
    let mut best = f64::INFINITY;
    for _ in 0..12 {
        let start = Instant::now();
        Tensor::run_backward(&[&head.loss(&trunk, step)], &inputs, false, false);
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best
}

/// Trains a network with `head`; the policy's cross-entropy on games kept apart.
fn train(
    head: &dyn Head,
    window: &ReplayWindow,
    params: &TrainParams,
    planes: &Planes,
    steps: u64,
) -> Result<(f64, f64)> {
    let mut network = Network::fresh::<Tenjiku>(Architecture::default(), 1)?;
    let trained = |name: &str| !is_running(name) && !name.starts_with("policy.");
    for (_, t) in network.weights.0.iter().filter(|(name, _)| trained(name)) {
        let _ = t.set_requires_grad(true);
    }
    let mut head_weights: Vec<(String, Tensor)> = head
        .tensors()
        .iter()
        .map(|(name, t)| (name.clone(), t.shallow_clone()))
        .collect();
    let mut optimiser = Optimiser::default();
    let start = Instant::now();
    for step_number in 0..steps {
        let step = load(
            window,
            &trainer::draw(window, params, step_number),
            params,
            planes,
        )?;
        let batch = &step.batch;
        let outputs = network.forward(&batch.squares, &batch.globals, Mode::Train);
        let value = trainer::LossParams {
            policy: 0.0,
            ..params.loss.clone()
        };
        let total = losses(&outputs, batch, &value).total + head.loss(&outputs.trunk, &step);
        let inputs: Vec<&Tensor> = network
            .weights
            .0
            .iter()
            .filter(|(name, _)| trained(name))
            .map(|(_, t)| t)
            .chain(head_weights.iter().map(|(_, t)| t))
            .collect();
        let gradients = Tensor::run_backward(&[&total], &inputs, false, false);
        no_grad(|| {
            for (name, moved) in &outputs.running {
                if let Some(t) = network.weights.0.get_mut(name) {
                    t.copy_(moved);
                }
            }
            let own = network
                .weights
                .0
                .iter_mut()
                .filter(|(name, _)| trained(name));
            let heads = head_weights.iter_mut().map(|(name, t)| (&*name, t));
            let stepped = own
                .chain(heads)
                .zip(&gradients)
                .map(|((name, weight), gradient)| Stepped {
                    name,
                    weight,
                    gradient,
                    decayed: name.ends_with("weight") && !name.contains("norm"),
                });
            optimiser.step(
                &params.optimiser,
                params.schedule.rate(step_number),
                stepped,
            );
        });
    }
    let seconds = start.elapsed().as_secs_f64();
    let rows = window.validation_rows();
    let rows: Vec<(u32, bool)> = rows
        .iter()
        .step_by(rows.len().div_ceil(2048))
        .map(|&row| (row, false))
        .collect();
    let (mut sum, mut count) = (0.0, 0.0);
    for rows in rows.chunks(params.batch_size) {
        let step = load(window, rows, params, planes)?;
        let batch = &step.batch;
        let loss = no_grad(|| {
            let outputs = network.forward(&batch.squares, &batch.globals, Mode::Eval);
            head.loss(&outputs.trunk, &step).double_value(&[])
        });
        sum += (loss - batch.info.policy_entropy) * batch.len() as f64;
        count += batch.len() as f64;
    }
    Ok((sum / count, seconds))
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let run = arguments
        .next()
        .ok_or("give a run folder of tenjiku games")?;
    let steps: u64 = arguments.next().map_or(Ok(300), |text| text.parse())?;
    let mut params = TrainParams {
        batch_size: 128,
        ..Default::default()
    };
    params.window.validation_share = 0.1;
    params.schedule.warmup_steps = 50;
    params.schedule.learning_rate = 2e-3;
    network::keep_memory();
    network::set_threads(params.resolved_threads());
    let window = ReplayWindow::open(
        Path::new(&run),
        &Shape::of::<Tenjiku>(),
        params.window.clone(),
    )?;
    let planes = Planes::new();
    let arch = Architecture::default();
    let (c, d) = (arch.channels as i64, arch.policy_dim as i64);
    println!(
        "{} training rows; dense: {} planes, {} logits a position; factored: {} numbers a position",
        window.train_rows().len(),
        planes.count(),
        planes.count() * SQUARES,
        4 * d * SQUARES
    );
    network::tch::manual_seed(1);
    let factored = Factored(Plain::new(c, 4 * d), d);
    let dense = Dense(Plain::new(c, planes.count()));
    let probe = load(
        &window,
        &trainer::draw(&window, &params, 0),
        &params,
        &planes,
    )?;
    for (name, head) in [("factored", &factored as &dyn Head), ("dense", &dense)] {
        let parameters: usize = head.tensors().values().map(Tensor::numel).sum();
        let milliseconds = time(head, &probe, c);
        println!(
            "{name}: {parameters} parameters in the head, {milliseconds:.1} ms forward and backward at batch {}",
            params.batch_size
        );
    }
    for (name, head) in [("factored", &factored as &dyn Head), ("dense", &dense)] {
        let (kl, seconds) = train(head, &window, &params, &planes, steps)?;
        println!("{name}: KL {kl:.4} nats on games kept apart after {steps} steps, {seconds:.0} s");
    }
    Ok(())
}
