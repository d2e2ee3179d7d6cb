//! The config of a run: one file for all stages.

use crate::config::Checked;
use crate::event_config::EventConfig;
use crate::game::GameName;
use crate::ratings_stage::RatingsParams;
use inference::Architecture;
use mcts::SearchParams;
use selfplay::SelfplayParams;
use serde::{Deserialize, Serialize};
use trainer::TrainParams;

/// A run's settings, e.g. `configs/quickstart.toml`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// The game. Default `tenjiku`.
    #[serde(default)]
    pub game: GameName,
    /// Rules preset, with changed options. Default: the game's first preset, `historical` in tenjiku and `standard` in shogi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Seed of everything random in the run. Default 1.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Networks that `tenjiku loop` trains before it ends, 1..=1000000. Default 10.
    #[serde(default = "default_generations")]
    pub generations: u32,
    /// Sizes of the network.
    #[serde(default)]
    pub network: Architecture,
    /// The search of self-play; `visits` is the budget of full searches.
    #[serde(default)]
    pub search: SearchParams,
    /// Self-play.
    #[serde(default)]
    pub selfplay: SelfplayParams,
    /// Training.
    #[serde(default)]
    pub train: TrainParams,
    /// The matches at the end of `tenjiku loop`.
    #[serde(default)]
    pub evaluation: EvaluationParams,
    /// Ratings over generations.
    #[serde(default)]
    pub ratings: RatingsParams,
}

/// The matches that `tenjiku loop` plays with its last network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationParams {
    /// Opponents: player specs, or `generation:N` for a network of this run. Default `random` and `generation:0`.
    pub opponents: Vec<String>,
    /// Playouts a move of this run's networks, 1..=1000000. Default 32.
    pub visits: u32,
    /// Games a match; rounded up to whole pairs. Default 40.
    pub games: usize,
    /// Random plies at the start of each pair, 0..=60. Default 4.
    pub opening_plies: usize,
    /// A game of this many plies is a draw. Default 600.
    pub max_plies: usize,
    /// Games at a time; 0 means one a core. Default 0.
    pub concurrency: usize,
}

impl Default for EvaluationParams {
    fn default() -> Self {
        let of_event = EventConfig::default();
        EvaluationParams {
            opponents: vec!["random".into(), "generation:0".into()],
            visits: of_event.visits,
            games: of_event.games,
            opening_plies: of_event.opening_plies,
            max_plies: of_event.play.max_plies,
            concurrency: of_event.play.concurrency,
        }
    }
}

fn default_seed() -> u64 {
    1
}

fn default_generations() -> u32 {
    10
}

impl Checked for RunConfig {
    fn check(&self) -> Result<(), String> {
        if !(1..=1_000_000).contains(&self.generations) {
            return Err(format!(
                "generations = {}, must be from 1 to 1000000",
                self.generations
            ));
        }
        if !(1..=1_000_000).contains(&self.evaluation.visits) {
            return Err(format!(
                "evaluation.visits = {}, must be from 1 to 1000000",
                self.evaluation.visits
            ));
        }
        self.network.check()?;
        self.search.check().map_err(|e| format!("search.{e}"))?;
        if self.search.visits == 0 {
            return Err("search.visits = 0, must be at least 1 in self-play".into());
        }
        self.selfplay.check()?;
        self.train.check()?;
        for opponent in &self.evaluation.opponents {
            let known = match opponent.strip_prefix("generation:") {
                Some(number) => number
                    .parse::<u32>()
                    .map(|_| ())
                    .map_err(|_| "write generation:N".to_string()),
                None => opponent
                    .parse::<engine::PlayerSpec>()
                    .map(|_| ())
                    .map_err(|e| e.to_string()),
            };
            known.map_err(|e| {
                format!(
                    "evaluation.opponents = {opponent:?}, must be player specs or generation:N: {e}"
                )
            })?;
        }
        let evaluation = &self.evaluation;
        if evaluation.games == 0 {
            return Err("evaluation.games = 0, must be at least 1".into());
        }
        if evaluation.opening_plies > 60 {
            return Err(format!(
                "evaluation.opening_plies = {}, must be at most 60",
                evaluation.opening_plies
            ));
        }
        if evaluation.max_plies <= evaluation.opening_plies {
            return Err(format!(
                "evaluation.max_plies = {}, must be above opening_plies = {}",
                evaluation.max_plies, evaluation.opening_plies
            ));
        }
        self.ratings.check().map_err(|e| format!("ratings.{e}"))
    }
}
