//! The settings of training: one struct a concern, every field with its unit, range and default.

use network::Precision;
use records::{SearchKind, WindowParams};
use rules::EndReason;

use crate::auxiliary::AuxiliaryParams;
use crate::schedule::ScheduleParams;

/// Everything that training depends on beside the data, the network's sizes and the rules.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrainParams {
    /// Seed of fresh weights, of the samples drawn and of their mirroring. Default 1.
    pub seed: u64,
    /// `cpu`, `cuda`, `cuda:N` or `auto` (a GPU if there is one). Default `auto`.
    pub device: String,
    /// Threads inside one operation on the CPU, 0 = as many as there are cores. Results on the CPU are the same bit
    /// for bit only at the same number. At most 1024; default 0.
    pub threads: usize,
    /// Threads that decode batches ahead. 1..=64; default 1.
    pub decode_threads: usize,
    /// Positions in a step. 1..=65536; default 256.
    pub batch_size: usize,
    /// Positions that go through the network at a time, 0 = all of the step. Smaller parts take less memory and add up to
    /// the same step but for the batch norms, whose statistics are those of a part. 0..=65536; default 0.
    pub micro_batch: usize,
    /// Number format of the convolutions: `f32`, or `bf16` (half the memory; for GPUs with bfloat16). Default `f32`.
    pub precision: Precision,
    /// Batches decoded ahead of the step. 1..=64; default 4.
    pub prefetch: usize,
    /// How often each position of the run is drawn on average; decides how many steps its data are worth:
    /// `positions in the run * samples_per_position / batch_size`. Above 0, at most 1000; default 4.
    pub samples_per_position: f64,
    /// Mirror half of the samples left to right, by a coin. Default true.
    pub mirror: bool,
    /// Decay of the weight average that is exported, a step. In [0, 1); 0 exports the plain weights. The average
    /// warms up: step `t` uses `min(ema_decay, (1 + t) / (10 + t))`. Default 0.999.
    pub ema_decay: f64,
    /// Steps in a row that may be skipped for a loss or gradient that is not finite before training stops.
    /// At least 1; default 10.
    pub max_skips: u32,
    /// Steps between checkpoints; one is also written at the end and when stopped. At least 1; default 1000.
    pub checkpoint_every: u64,
    /// Checkpoints kept, the newest. At least 1; default 3.
    pub keep_checkpoints: usize,
    /// Steps between reports. At least 1; default 50.
    pub report_every: u64,
    /// Steps between validations on the games kept apart, 0 = only at the end. Default 1000.
    pub validate_every: u64,
    /// Positions of one validation at most, 0 = none. Default 4096.
    pub validation_positions: usize,
    /// The optimiser.
    pub optimiser: OptimiserParams,
    /// The learning rate over the steps.
    pub schedule: ScheduleParams,
    /// Weights of the losses.
    pub loss: LossParams,
    /// Heads that exist in training only.
    pub auxiliary: AuxiliaryParams,
    /// What a game's end says about the value of its positions.
    pub ends: EndTargets,
    /// In which rows without a policy target the played move is one: `nothing`, `engine` (moves found by an engine or
    /// another program), or `all` (for imported games). All but `nothing` need `window.policy_only = false`.
    /// Default `nothing`.
    pub imitate: Imitate,
    /// Which positions are drawn.
    pub window: WindowParams,
}

impl Default for TrainParams {
    fn default() -> Self {
        TrainParams {
            seed: 1,
            device: "auto".into(),
            threads: 0,
            decode_threads: 1,
            batch_size: 256,
            micro_batch: 0,
            precision: Precision::F32,
            prefetch: 4,
            samples_per_position: 4.0,
            mirror: true,
            ema_decay: 0.999,
            max_skips: 10,
            checkpoint_every: 1000,
            keep_checkpoints: 3,
            report_every: 50,
            validate_every: 1000,
            validation_positions: 4096,
            optimiser: OptimiserParams::default(),
            schedule: ScheduleParams::default(),
            loss: LossParams::default(),
            auxiliary: AuxiliaryParams::default(),
            imitate: Imitate::Nothing,
            ends: EndTargets::default(),
            window: WindowParams::default(),
        }
    }
}

impl TrainParams {
    /// [`threads`](Self::threads) with 0 resolved.
    pub fn resolved_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads => threads,
        }
    }

    /// Positions that go through the network at a time: [`micro_batch`](Self::micro_batch) with 0 resolved.
    pub fn positions_at_a_time(&self) -> usize {
        match self.micro_batch {
            0 => self.batch_size,
            size => size.min(self.batch_size),
        }
    }

    /// Checks the ranges given at the fields and how they fit together.
    ///
    /// # Errors
    /// Names the first field that is out of range, its value and the range.
    pub fn check(&self) -> Result<(), String> {
        within("threads", self.threads, 0, 1024)?;
        within("decode_threads", self.decode_threads, 1, 64)?;
        within("batch_size", self.batch_size, 1, 65536)?;
        within("micro_batch", self.micro_batch, 0, 65536)?;
        within("prefetch", self.prefetch, 1, 64)?;
        require(
            self.samples_per_position > 0.0 && self.samples_per_position <= 1000.0,
            "samples_per_position",
            self.samples_per_position,
            "must be above 0 and at most 1000",
        )?;
        require(
            (0.0..1.0).contains(&self.ema_decay),
            "ema_decay",
            self.ema_decay,
            "must be in [0, 1)",
        )?;
        within("max_skips", self.max_skips as usize, 1, usize::MAX)?;
        require(
            self.checkpoint_every >= 1,
            "checkpoint_every",
            self.checkpoint_every,
            "must be at least 1",
        )?;
        within("keep_checkpoints", self.keep_checkpoints, 1, usize::MAX)?;
        require(
            self.report_every >= 1,
            "report_every",
            self.report_every,
            "must be at least 1",
        )?;
        self.optimiser.check()?;
        self.schedule.check()?;
        self.loss.check()?;
        self.auxiliary.check()?;
        self.window
            .validate()
            .map_err(|e| format!("train.window.{e}"))?;
        require(
            self.imitate == Imitate::Nothing || !self.window.policy_only,
            "window.policy_only",
            self.window.policy_only,
            "must be false where train.imitate is set: rows to imitate have no policy target of their own",
        )
    }
}

/// Which optimiser, and its constants. Those of the other optimiser are not used.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OptimiserParams {
    /// `adamw` or `sgd` (with Nesterov momentum). Default `adamw`.
    pub kind: OptimiserKind,
    /// AdamW: decay of the mean of gradients. In [0, 1); default 0.9.
    pub beta1: f64,
    /// AdamW: decay of the mean of squared gradients. In [0, 1); default 0.999.
    pub beta2: f64,
    /// AdamW: added to the root of the squares. Above 0; default 1e-8.
    pub epsilon: f64,
    /// SGD: momentum. In [0, 1); default 0.9.
    pub momentum: f64,
    /// Share of a matrix or kernel that is taken away a step, in units of the learning rate; biases and batch norms
    /// have none. In [0, 1]; default 1e-2 (for SGD use about 1e-4).
    pub weight_decay: f64,
    /// Gradients whose norm over all weights is larger are scaled down to it; 0 = never. Default 5.
    pub clip_norm: f64,
}

/// See [`OptimiserParams::kind`].
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
pub enum OptimiserKind {
    /// Loshchilov and Hutter 2019.
    #[default]
    Adamw,
    /// Stochastic gradient descent with Nesterov momentum, decay decoupled from the gradient.
    Sgd,
}

impl Default for OptimiserParams {
    fn default() -> Self {
        OptimiserParams {
            kind: OptimiserKind::Adamw,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            momentum: 0.9,
            weight_decay: 1e-2,
            clip_norm: 5.0,
        }
    }
}

impl OptimiserParams {
    fn check(&self) -> Result<(), String> {
        for (name, value) in [
            ("beta1", self.beta1),
            ("beta2", self.beta2),
            ("momentum", self.momentum),
        ] {
            require(
                (0.0..1.0).contains(&value),
                &format!("optimiser.{name}"),
                value,
                "must be in [0, 1)",
            )?;
        }
        let positive = self.epsilon > 0.0 && self.epsilon.is_finite();
        require(
            positive,
            "optimiser.epsilon",
            self.epsilon,
            "must be above 0",
        )?;
        let decay = self.weight_decay;
        require(
            (0.0..=1.0).contains(&decay),
            "optimiser.weight_decay",
            decay,
            "must be in [0, 1]",
        )?;
        let clip = self.clip_norm;
        require(
            clip >= 0.0 && clip.is_finite(),
            "optimiser.clip_norm",
            clip,
            "must be at least 0",
        )
    }
}

/// See [`TrainParams::imitate`].
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
pub enum Imitate {
    /// Only searches with the full budget teach the policy.
    #[default]
    Nothing,
    /// Moves of engines too.
    Engine,
    /// Every move too.
    All,
}

impl Imitate {
    /// Whether a move found by `search` is a policy target where the row has none.
    pub fn covers(self, search: SearchKind) -> bool {
        match self {
            Imitate::Nothing => false,
            Imitate::Engine => search == SearchKind::Engine,
            Imitate::All => true,
        }
    }
}

/// The total loss is the weighted sum of the heads' losses, each a mean over the positions that have its target.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LossParams {
    /// Weight of the policy's cross-entropy over all legal moves. At least 0; default 1.
    pub policy: f64,
    /// Weight of the cross-entropy of win, draw, loss. At least 0; default 1.
    pub wdl: f64,
    /// Weight of the Huber loss of the plies to the end, in units of 100 plies. At least 0; default 0.1.
    pub moves_left: f64,
    /// Share of the search's root value in the value target; the rest is the game's result. In [0, 1];
    /// default 0.25.
    pub root_value_share: f64,
}

impl Default for LossParams {
    fn default() -> Self {
        LossParams {
            policy: 1.0,
            wdl: 1.0,
            moves_left: 0.1,
            root_value_share: 0.25,
        }
    }
}

impl LossParams {
    fn check(&self) -> Result<(), String> {
        for (name, value) in [
            ("policy", self.policy),
            ("wdl", self.wdl),
            ("moves_left", self.moves_left),
        ] {
            let name = format!("loss.{name}");
            require(
                value >= 0.0 && value.is_finite(),
                &name,
                value,
                "must be at least 0",
            )?;
        }
        let share = self.root_value_share;
        require(
            (0.0..=1.0).contains(&share),
            "loss.root_value_share",
            share,
            "must be in [0, 1]",
        )
    }
}

/// What a position learns about its value from the way its game ended.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EndTarget {
    /// The recorded result, mixed with the root value as `loss.root_value_share` says; and the plies to the end.
    Result,
    /// As `result`, but a draw whatever is recorded, and no plies to the end.
    Draw,
    /// The search's root value alone (nothing where there is none), and no plies to the end.
    Search,
    /// Nothing: only the policy is trained.
    Drop,
}

/// The [`EndTarget`] of each [`EndReason`].
#[derive(
    Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(default, deny_unknown_fields)]
pub struct EndTargets {
    /// A side lost its last royal. Default `result`.
    pub royal_captured: EndTarget,
    /// A side had no legal move. Default `result`.
    pub no_moves: EndTarget,
    /// Repetition, a draw. Default `result`.
    pub repetition: EndTarget,
    /// Perpetual check. Default `result`.
    pub perpetual_check: EndTarget,
    /// Declaration. Default `result`.
    pub declaration: EndTarget,
    /// A player gave up. Default `result`.
    pub resignation: EndTarget,
    /// The ply limit was reached: the game has no result of its own. Default `search`.
    pub ply_cap: EndTarget,
    /// Stopped and scored. Default `result`.
    pub adjudication: EndTarget,
    /// A player sent an illegal move: a fault, not a result. Default `drop`.
    pub illegal_move: EndTarget,
    /// A player used up its time. Default `drop`.
    pub time: EndTarget,
    /// A player crashed. Default `drop`.
    pub engine_failure: EndTarget,
}

impl Default for EndTargets {
    fn default() -> Self {
        EndTargets {
            royal_captured: EndTarget::Result,
            no_moves: EndTarget::Result,
            repetition: EndTarget::Result,
            perpetual_check: EndTarget::Result,
            declaration: EndTarget::Result,
            resignation: EndTarget::Result,
            ply_cap: EndTarget::Search,
            adjudication: EndTarget::Result,
            illegal_move: EndTarget::Drop,
            time: EndTarget::Drop,
            engine_failure: EndTarget::Drop,
        }
    }
}

impl EndTargets {
    /// The target for games that ended by `reason`. Exhaustive: a new reason does not compile until it is decided.
    pub fn of(&self, reason: EndReason) -> EndTarget {
        match reason {
            EndReason::RoyalCaptured => self.royal_captured,
            EndReason::NoMoves => self.no_moves,
            EndReason::Repetition => self.repetition,
            EndReason::PerpetualCheck => self.perpetual_check,
            EndReason::Declaration => self.declaration,
            EndReason::Resignation => self.resignation,
            EndReason::PlyCap => self.ply_cap,
            EndReason::Adjudication => self.adjudication,
            EndReason::IllegalMove => self.illegal_move,
            EndReason::Time => self.time,
            EndReason::EngineFailure => self.engine_failure,
        }
    }
}

/// `Err` naming field, value and rule where `ok` is false.
pub(crate) fn require(
    ok: bool,
    name: &str,
    value: impl std::fmt::Display,
    rule: &str,
) -> Result<(), String> {
    if ok {
        Ok(())
    } else {
        Err(format!("train.{name} = {value}, {rule}"))
    }
}

fn within(name: &str, value: usize, min: usize, max: usize) -> Result<(), String> {
    let rule = match max {
        usize::MAX => format!("must be at least {min}"),
        _ => format!("must be between {min} and {max}"),
    };
    require((min..=max).contains(&value), name, value, &rule)
}
