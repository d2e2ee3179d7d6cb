//! The settings of `match`, `tournament` and `gate`: one struct, from a TOML file or from flags.

use crate::config::{self, Checked};
use crate::failure::usage;
use crate::game::{GameName, game_parser};
use anyhow::Result;
use engine::PlayerSpec;
use evaluator::stats::SprtParams;
use evaluator::{Format, OnFault, PlayParams};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is to be played, e.g. `configs/tournament.toml`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventConfig {
    /// The game. Default `tenjiku`.
    pub game: GameName,
    /// Rules preset, with changed options. Default: the game's first preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Position string from which random openings begin. Default: the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sfen: Option<String>,
    /// Player specs; in a gauntlet the challengers come first, with `format = "generations"` these are the pool.
    pub players: Vec<String>,
    /// Who meets whom: `round-robin`, `gauntlet`, `generations`. Default `round-robin`.
    pub format: Format,
    /// Challengers of a gauntlet, at least 1. Default 1.
    pub challengers: usize,
    /// The run whose networks play, for `format = "generations"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<PathBuf>,
    /// Every so many generations of the run one plays, and the newest one; at least 1. Default 1.
    pub every: u32,
    /// Playouts a move of the run's networks, 1..=1000000. Default 32.
    pub visits: u32,
    /// Games an encounter; rounded up to whole pairs. At least 1; default 40.
    pub games: usize,
    /// Opening file made by `tenjiku openings`, with one opening a pair. Default: random openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// Random plies at the start of each pair where there is no opening file, 0..=60. Default 4.
    pub opening_plies: usize,
    /// The player whose Elo is fixed. Default: the mean of all is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The Elo of the anchor, or the mean. Default 0.
    pub anchor_elo: f64,
    /// Games that can be replayed on the HTML page. Default 8.
    pub boards: usize,
    /// How games are played.
    pub play: PlayParams,
    /// The test that ends a match. Default: none; `gate` always has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtParams>,
}

impl Default for EventConfig {
    fn default() -> Self {
        EventConfig {
            game: GameName::default(),
            rules: None,
            sfen: None,
            players: Vec::new(),
            format: Format::default(),
            challengers: 1,
            run: None,
            every: 1,
            visits: 32,
            games: 40,
            openings: None,
            opening_plies: 4,
            anchor: None,
            anchor_elo: 0.0,
            boards: 8,
            play: PlayParams::default(),
            sprt: None,
        }
    }
}

impl Checked for EventConfig {
    fn check(&self) -> Result<(), String> {
        if self.games == 0 {
            return Err("games = 0, must be at least 1".into());
        }
        if self.opening_plies > 60 {
            return Err(format!(
                "opening_plies = {}, must be at most 60",
                self.opening_plies
            ));
        }
        if self.openings.is_none() && self.play.max_plies <= self.opening_plies {
            return Err(format!(
                "play.max_plies = {}, must be above opening_plies = {}",
                self.play.max_plies, self.opening_plies
            ));
        }
        if self.challengers == 0 {
            return Err("challengers = 0, must be at least 1".into());
        }
        if self.every == 0 {
            return Err("every = 0, must be at least 1".into());
        }
        if !(1..=1_000_000).contains(&self.visits) {
            return Err(format!(
                "visits = {}, must be from 1 to 1000000",
                self.visits
            ));
        }
        if !self.anchor_elo.is_finite() {
            return Err(format!(
                "anchor_elo = {}, must be a number",
                self.anchor_elo
            ));
        }
        self.play.check("play")?;
        if let Some(sprt) = &self.sprt {
            sprt.check("sprt")?;
        }
        for player in &self.players {
            player
                .parse::<PlayerSpec>()
                .map_err(|e| format!("players = {player:?}: {e}"))?;
        }
        match (self.format, &self.run) {
            (Format::Generations, None) => {
                Err("run is missing, must be the run whose generations play".into())
            }
            (Format::RoundRobin | Format::Gauntlet, Some(_)) => {
                Err("run is set, must go with format = \"generations\"".into())
            }
            _ => Ok(()),
        }
    }
}

/// Flags for all of these settings. A flag beats the file.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct EventArgs {
    /// Settings from a TOML file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Overrides a config value, e.g. `--set play.attempts=5`. Can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Games an encounter; rounded up to whole pairs.
    #[arg(long)]
    games: Option<usize>,
    /// Opening file made by `tenjiku openings`, one opening a pair.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Random plies at the start of each pair where there is no opening file.
    #[arg(long)]
    opening_plies: Option<usize>,
    /// A game of this many plies is a draw.
    #[arg(long)]
    max_plies: Option<usize>,
    /// Games at a time; 0 means one a core.
    #[arg(long)]
    concurrency: Option<usize>,
    /// Seed of openings and players.
    #[arg(long)]
    seed: Option<u64>,
    /// What becomes of a game in which a player fails: replay, drop.
    #[arg(long, value_name = "WHAT", value_parser = on_fault)]
    on_fault: Option<OnFault>,
    /// How often such a game is begun at most.
    #[arg(long)]
    attempts: Option<u32>,
    /// How much later than its time a move may come, in milliseconds.
    #[arg(long, value_name = "MS")]
    time_margin: Option<u64>,
    /// The player whose Elo is fixed.
    #[arg(long, value_name = "SPEC")]
    anchor: Option<String>,
    /// Its Elo.
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    anchor_elo: Option<f64>,
    /// Games that can be replayed on the HTML page.
    #[arg(long)]
    boards: Option<usize>,
    /// The game.
    #[arg(long, value_parser = game_parser())]
    game: Option<GameName>,
    /// Rules preset, with changed options: NAME[,option=value]...
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Position string from which random openings begin.
    #[arg(long)]
    sfen: Option<String>,
    /// Moves from there, separated by spaces.
    #[arg(long, default_value = "")]
    pub moves: String,
    /// Folder for games, faults and reports. The same command goes on where it was stopped or killed.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Flags of the test.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SprtArgs {
    /// Normalised Elo under the null hypothesis.
    #[arg(long, allow_hyphen_values = true)]
    elo0: Option<f64>,
    /// Normalised Elo under the alternative.
    #[arg(long, allow_hyphen_values = true)]
    elo1: Option<f64>,
    /// Probability of accepting where the null hypothesis holds.
    #[arg(long)]
    alpha: Option<f64>,
    /// Probability of rejecting where the alternative holds.
    #[arg(long)]
    beta: Option<f64>,
}

fn on_fault(text: &str) -> Result<OnFault, String> {
    match text {
        "replay" => Ok(OnFault::Replay),
        "drop" => Ok(OnFault::Drop),
        _ => Err("must be replay or drop".into()),
    }
}

impl SprtArgs {
    /// Sets what the flags say; the first flag, or `always`, turns the test on.
    pub fn apply(&self, config: &mut EventConfig, always: bool) {
        let any = [self.elo0, self.elo1, self.alpha, self.beta];
        if !always && any.iter().all(Option::is_none) {
            return;
        }
        let sprt = config.sprt.get_or_insert_default();
        set(&mut sprt.elo0, &self.elo0);
        set(&mut sprt.elo1, &self.elo1);
        set(&mut sprt.alpha, &self.alpha);
        set(&mut sprt.beta, &self.beta);
    }
}

fn set<T: Clone>(target: &mut T, value: &Option<T>) {
    if let Some(value) = value {
        *target = value.clone();
    }
}

impl EventArgs {
    /// The settings of the file, or the defaults, with the flags on top; `change` sets what else there is before they are
    /// checked. `verb` names the command in messages about flags.
    pub fn resolve(
        &self,
        verb: &str,
        change: impl FnOnce(&mut EventConfig),
    ) -> Result<EventConfig> {
        let mut config: EventConfig = match &self.config {
            Some(path) => config::load(path, &self.overrides)?,
            None => config::from_text("", &self.overrides)?,
        };
        set(&mut config.games, &self.games);
        set(&mut config.opening_plies, &self.opening_plies);
        set(&mut config.play.max_plies, &self.max_plies);
        set(&mut config.play.concurrency, &self.concurrency);
        set(&mut config.play.seed, &self.seed);
        set(&mut config.play.on_fault, &self.on_fault);
        set(&mut config.play.attempts, &self.attempts);
        set(&mut config.play.time_margin_ms, &self.time_margin);
        set(&mut config.anchor_elo, &self.anchor_elo);
        set(&mut config.boards, &self.boards);
        set(&mut config.game, &self.game);
        for (target, value) in [
            (&mut config.rules, &self.rules),
            (&mut config.sfen, &self.sfen),
            (&mut config.anchor, &self.anchor),
        ] {
            if value.is_some() {
                target.clone_from(value);
            }
        }
        if self.openings.is_some() {
            config.openings.clone_from(&self.openings);
        }
        change(&mut config);
        config.check().map_err(|e| usage(format!("{verb}.{e}")))?;
        Ok(config)
    }
}
