//! The settings of self-play, as they stand in the configs.

use crate::starts::StartParams;

/// The `player` of games by the run's own networks.
pub const NETWORK: &str = "network";

/// Which back-end evaluates positions.
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
pub enum BackendChoice {
    /// Whichever of the others is the fastest in a trial of two seconds; `torch` on a GPU, without a trial.
    #[default]
    Auto,
    /// The exported network by ONNX Runtime; an error where its library is missing.
    Onnx,
    /// The exported network by tract.
    Tract,
    /// The network folder by libtorch.
    Torch,
}

impl BackendChoice {
    /// The name in configs.
    pub const fn name(self) -> &'static str {
        match self {
            BackendChoice::Auto => "auto",
            BackendChoice::Onnx => "onnx",
            BackendChoice::Tract => "tract",
            BackendChoice::Torch => "torch",
        }
    }
}

/// How the leaves of many games become batches.
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
pub enum Batching {
    /// `workers` on a CPU, `shared` on a GPU.
    #[default]
    Auto,
    /// Each worker has its own network and its own batches. No lock, no queue, the same games each time.
    Workers,
    /// The workers are search threads that feed one batcher. Batches depend on timing, and so do roundings.
    Shared,
}

/// Settings of self-play. The search has its own section.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayParams {
    /// Games a generation, 1..=1000000. Default 100.
    pub games: u32,
    /// Worker threads, each with its own games; 0 means one a core (with shared batches two a core). Games depend on
    /// it only through the batches they share. Default 0.
    pub workers: usize,
    /// Games in flight a worker, which is also its largest batch, 1..=4096. Default 32.
    pub games_in_flight: usize,
    /// A game of this many plies ends without a winner, 1..=100000. Default 400.
    pub max_plies: u32,
    /// Share of moves searched with the full budget (`search.visits`); only these become policy targets, 0..=1. Default
    /// 0.25 (KataGo).
    pub full_share: f32,
    /// Playouts of the other searches, 1..=1000000. Default 16.
    pub fast_visits: u32,
    /// Whether the tree below the move played is kept for the next search. Budgets count new playouts. Default true.
    pub reuse_tree: bool,
    /// Evaluations a worker remembers, 0..=10000000; each takes about 60 bytes and 4 a legal move. 0 switches the cache
    /// off. Default 20000.
    pub cache_entries: usize,
    /// Each game opens with a number of random legal moves drawn evenly from 0 to this, 0..=200. Default 8.
    pub opening_plies: u32,
    /// During this many plies from the start of the game even fast searches draw their move with the noise of the root;
    /// after it they play their best. Default 30.
    pub noisy_plies: u32,
    /// During this many plies from the start of the game the move is drawn from the search's policy. For PUCT, as
    /// AlphaZero's 30; Gumbel's own choice is a sample already. Default 0.
    pub temperature_plies: u32,
    /// In these plies moves are drawn with probability proportional to policy^(1 / temperature), above 0 to 10. Default 1.
    pub temperature: f32,
    /// Who plays: `network`, or a player spec such as `engine:depth=2`, whose moves and scores become rows. Default
    /// `network`.
    pub player: String,
    /// Another `player` than the network plays the games of this many first generations, 1..=1000000; later ones are the
    /// network's. Default 1.
    pub player_generations: u32,
    /// Back-end: `auto`, `onnx`, `tract`, `torch`. `auto` can choose differently on another day: name one for games that
    /// are equal bit for bit. Default `auto`.
    pub backend: BackendChoice,
    /// Device of the `torch` back-end: `cpu` or `cuda:N`. Default `cpu`.
    pub device: String,
    /// Positions a file at most; a file is also closed at the end of a generation, 1000..=10000000. Default 100000.
    pub rows_per_file: usize,
    /// Batches: `auto`, `workers`, `shared`. Default `auto`.
    pub batching: Batching,
    /// Settings of shared batches.
    pub batcher: BatcherParams,
    /// Resignation.
    pub resign: ResignParams,
    /// Where games start; the rules' own start position if empty. Drawn by weight for each game.
    pub starts: Vec<StartParams>,
}

/// Settings of `batching = "shared"`.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BatcherParams {
    /// Positions a batch at most, 0..=65536; 0 means half of all games in flight, so that two batches are. Default 0.
    pub max_batch: usize,
    /// Batches in flight, 1..=8: one is computed while another travels. Default 2.
    pub in_flight: usize,
    /// How long a batch that is not full waits for more, in microseconds, 0..=1000000. Default 500.
    pub wait_us: u64,
}

impl Default for BatcherParams {
    fn default() -> Self {
        BatcherParams {
            max_batch: 0,
            in_flight: 2,
            wait_us: 500,
        }
    }
}

/// When a side gives up. Expected scores are those of the search: wins and half of the draws, 0 to 1.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResignParams {
    /// A side resigns when its expected score is below this, 0..=0.4; 0 switches resignation off. Default 0.
    pub threshold: f32,
    /// ... in so many searches of its own one after the other, 1..=100. Default 3.
    pub searches: u32,
    /// Nobody resigns before this ply, 1..=100000. Default 40.
    pub min_plies: u32,
    /// Share of games that are played on to measure how often resigning would have been wrong, 0..=1. Default 0.1
    /// (AlphaGo Zero).
    pub play_on_share: f32,
}

impl Default for ResignParams {
    fn default() -> Self {
        ResignParams {
            threshold: 0.0,
            searches: 3,
            min_plies: 40,
            play_on_share: 0.1,
        }
    }
}

impl Default for SelfplayParams {
    fn default() -> Self {
        SelfplayParams {
            games: 100,
            workers: 0,
            games_in_flight: 32,
            max_plies: 400,
            full_share: 0.25,
            fast_visits: 16,
            reuse_tree: true,
            cache_entries: 20_000,
            opening_plies: 8,
            noisy_plies: 30,
            temperature_plies: 0,
            temperature: 1.0,
            player: NETWORK.into(),
            player_generations: 1,
            backend: BackendChoice::Auto,
            device: "cpu".into(),
            rows_per_file: 100_000,
            batching: Batching::Auto,
            batcher: BatcherParams::default(),
            resign: ResignParams::default(),
            starts: Vec::new(),
        }
    }
}

impl SelfplayParams {
    /// Checks the ranges given at the fields.
    ///
    /// # Errors
    /// `selfplay.key = value, must be ...` for the first bad value.
    pub fn check(&self) -> Result<(), String> {
        for (key, value, low, high) in [
            ("games", u64::from(self.games), 1, 1_000_000),
            ("workers", self.workers as u64, 0, 4096),
            ("games_in_flight", self.games_in_flight as u64, 1, 4096),
            ("max_plies", self.max_plies.into(), 1, 100_000),
            ("fast_visits", self.fast_visits.into(), 1, 1_000_000),
            ("cache_entries", self.cache_entries as u64, 0, 10_000_000),
            ("opening_plies", self.opening_plies.into(), 0, 200),
            (
                "player_generations",
                self.player_generations.into(),
                1,
                1_000_000,
            ),
            ("rows_per_file", self.rows_per_file as u64, 1000, 10_000_000),
            ("batcher.max_batch", self.batcher.max_batch as u64, 0, 65536),
            ("batcher.in_flight", self.batcher.in_flight as u64, 1, 8),
            ("batcher.wait_us", self.batcher.wait_us, 0, 1_000_000),
            ("resign.searches", self.resign.searches.into(), 1, 100),
            ("resign.min_plies", self.resign.min_plies.into(), 1, 100_000),
        ] {
            if !(low..=high).contains(&value) {
                return Err(format!(
                    "selfplay.{key} = {value}, must be from {low} to {high}"
                ));
            }
        }
        for (key, value, low, high) in [
            ("full_share", self.full_share, 0.0, 1.0),
            ("temperature", self.temperature, f32::MIN_POSITIVE, 10.0),
            ("resign.threshold", self.resign.threshold, 0.0, 0.4),
            ("resign.play_on_share", self.resign.play_on_share, 0.0, 1.0),
        ] {
            if !(low..=high).contains(&value) {
                let from = if low > 0.0 {
                    "above 0".to_string()
                } else {
                    format!("from {low}")
                };
                return Err(format!(
                    "selfplay.{key} = {value}, must be {from} to {high}"
                ));
            }
        }
        if self.opening_plies >= self.max_plies {
            return Err(format!(
                "selfplay.opening_plies = {}, must be below max_plies = {}",
                self.opening_plies, self.max_plies
            ));
        }
        let on_cpu_only = matches!(self.backend, BackendChoice::Onnx | BackendChoice::Tract);
        if on_cpu_only && !["cpu", "auto"].contains(&&*self.device) {
            return Err(format!(
                "selfplay.device = {:?}, but the back-end {} computes on the CPU; set selfplay.backend to \"torch\" or \"auto\"",
                self.device,
                self.backend.name()
            ));
        }
        if self.player != NETWORK {
            self.player.parse::<engine::PlayerSpec>().map_err(|e| {
                format!(
                    "selfplay.player = {:?}, must be network or a player spec: {e}",
                    self.player
                )
            })?;
        }
        self.starts.iter().enumerate().try_for_each(|(i, start)| {
            start
                .check()
                .map_err(|e| format!("selfplay.starts: entry {}: {e}", i + 1))
        })
    }

    /// Who plays the games of a generation, unless the network does.
    pub fn player_of(&self, generation: u32) -> Option<&str> {
        (self.player != NETWORK && generation < self.player_generations).then_some(&*self.player)
    }

    /// Whether the workers share one batcher.
    pub fn shares_batches(&self) -> bool {
        match self.batching {
            Batching::Auto => self.device != "cpu",
            Batching::Workers => false,
            Batching::Shared => true,
        }
    }

    /// Number of workers on this machine. A search thread waits for its batch half of the time, so with shared batches
    /// there are two a core.
    pub fn worker_count(&self) -> usize {
        match self.workers {
            0 => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                cores * if self.shares_batches() { 2 } else { 1 }
            }
            n => n,
        }
    }

    /// Positions a shared batch has at most.
    pub fn max_batch(&self) -> usize {
        match self.batcher.max_batch {
            0 => (self.worker_count() * self.games_in_flight / 2).max(1),
            n => n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut SelfplayParams)) -> String {
        let mut params = SelfplayParams::default();
        change(&mut params);
        params.check().unwrap_err()
    }

    #[test]
    fn bad_values_are_named_with_what_is_allowed() {
        assert_eq!(SelfplayParams::default().check(), Ok(()));
        assert_eq!(
            refusal(|p| p.resign.threshold = 0.5),
            "selfplay.resign.threshold = 0.5, must be from 0 to 0.4"
        );
        assert_eq!(
            refusal(|p| p.temperature = 0.0),
            "selfplay.temperature = 0, must be above 0 to 10"
        );
        assert!(refusal(|p| p.full_share = f32::NAN).contains("full_share"));
        assert!(refusal(|p| p.player = "engine:deep=3".into()).contains("unknown option `deep`"));
        assert!(
            refusal(|p| p.starts = vec![StartParams {
                weight: -1.0,
                ..Default::default()
            }])
            .contains("entry 1: weight = -1")
        );
        for backend in [BackendChoice::Onnx, BackendChoice::Tract] {
            let said = refusal(|p| (p.backend, p.device) = (backend, "cuda:0".into()));
            assert!(said.contains("computes on the CPU"), "{said}");
        }
        assert!(refusal(|p| (p.opening_plies, p.max_plies) = (8, 8)).contains("below max_plies"));
    }

    #[test]
    fn another_player_plays_the_first_generations_only() {
        let mut params = SelfplayParams::default();
        assert_eq!(params.player_of(0), None);
        params.player = "engine:depth=1".into();
        params.player_generations = 2;
        assert_eq!(params.player_of(1), Some("engine:depth=1"));
        assert_eq!(params.player_of(2), None);
    }
}
