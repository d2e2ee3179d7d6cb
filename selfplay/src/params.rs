//! The settings of self-play, as they stand in the configs.

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
    /// The exported network on a CPU, libtorch on a GPU.
    #[default]
    Auto,
    /// The exported network by ONNX Runtime; an error where its library is missing.
    Onnx,
    /// The exported network by tract.
    Tract,
    /// The network folder by libtorch.
    Torch,
}

/// Settings of self-play. The search has its own section.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayParams {
    /// Games a generation, 1..=1000000. Default 100.
    pub games: u32,
    /// Worker threads, each with its own games and batches; 0 means one a core. Games depend on it only through the
    /// batches they share. Default 0.
    pub workers: usize,
    /// Games in flight a worker, which is also the largest batch, 1..=4096. Default 32.
    pub games_in_flight: usize,
    /// A game of this many plies ends without a winner, 1..=100000. Default 400.
    pub max_plies: u32,
    /// Share of moves searched with the full budget (`search.visits`); only these become policy targets, 0..=1. Default
    /// 0.25 (KataGo).
    pub full_share: f32,
    /// Playouts of the other searches, 1..=1000000. Default 16.
    pub fast_visits: u32,
    /// Each game opens with a number of random legal moves drawn evenly from 0 to this, 0..=200. Default 8.
    pub opening_plies: u32,
    /// During this many plies from the start of the game even fast searches draw their move with the noise of the root;
    /// after it they play their best. Default 30.
    pub noisy_plies: u32,
    /// Back-end: `auto`, `onnx`, `tract`, `torch`. Default `auto`.
    pub backend: BackendChoice,
    /// Device of the `torch` back-end: `cpu` or `cuda:N`. Default `cpu`.
    pub device: String,
    /// Positions a file at most; a file is also closed at the end of a generation, 1000..=10000000. Default 100000.
    pub rows_per_file: usize,
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
            opening_plies: 8,
            noisy_plies: 30,
            backend: BackendChoice::Auto,
            device: "cpu".into(),
            rows_per_file: 100_000,
        }
    }
}

impl SelfplayParams {
    /// Checks the ranges given at the fields.
    ///
    /// # Errors
    /// `selfplay.key = value, must be ...` for the first bad value.
    pub fn check(&self) -> Result<(), String> {
        let range = |key: &str, value: u64, low: u64, high: u64| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!(
                    "selfplay.{key} = {value}, must be from {low} to {high}"
                ))
            }
        };
        range("games", self.games.into(), 1, 1_000_000)?;
        range("workers", self.workers as u64, 0, 4096)?;
        range("games_in_flight", self.games_in_flight as u64, 1, 4096)?;
        range("max_plies", self.max_plies.into(), 1, 100_000)?;
        range("fast_visits", self.fast_visits.into(), 1, 1_000_000)?;
        range("opening_plies", self.opening_plies.into(), 0, 200)?;
        range("rows_per_file", self.rows_per_file as u64, 1000, 10_000_000)?;
        if !(0.0..=1.0).contains(&self.full_share) {
            return Err(format!(
                "selfplay.full_share = {}, must be from 0 to 1",
                self.full_share
            ));
        }
        if self.opening_plies >= self.max_plies {
            return Err(format!(
                "selfplay.opening_plies = {}, must be below max_plies = {}",
                self.opening_plies, self.max_plies
            ));
        }
        Ok(())
    }

    /// Number of workers on this machine.
    pub fn worker_count(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}
