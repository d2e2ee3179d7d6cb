//! The stages of a run, as the single commands and `tenjiku loop` both use them. Each looks at the run directory for
//! what is done already, and does the rest.

use crate::config::resolved;
use crate::game::{Game, parse_rules};
use crate::progress::Stage;
use crate::run_config::RunConfig;
use anyhow::{Context, Result};
use engine::{Fault, PlayerSpec};
use evaluator::{MatchParams, MatchReport, PlayerFactory, make_player, play_match};
use inference::Precision;
use records::{RunDir, StageClaim, write_atomic};
use rules::Rules;
use selfplay::BackendChoice;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};

/// An opened run with its config.
pub struct Run<P: Game> {
    pub dir: RunDir,
    pub config: RunConfig,
    pub config_hash: String,
    pub rules: P::Rules,
    pub start: P,
    /// The back-end that a trial chose.
    pub backend: OnceLock<BackendChoice>,
    /// Keeps other processes off these stages.
    _claims: Vec<StageClaim>,
}

impl<P: Game> Run<P> {
    /// Opens the run directory of `config`, or starts it, claims the stages `claims`, and keeps the resolved config
    /// there as that of `command`.
    pub fn open_or_create(
        root: &Path,
        config: RunConfig,
        command: &str,
        claims: &[&str],
    ) -> Result<Self> {
        let rules = parse_rules::<P>(config.rules.as_deref())?;
        let dir = RunDir::open_or_create(root, P::GAME, &rules.name(), config.seed)?;
        let claims = claims
            .iter()
            .map(|stage| dir.claim(stage))
            .collect::<Result<_, _>>()?;
        let (text, config_hash) = resolved(&config)?;
        dir.save_config(command, &config_hash, &text)?;
        let start = P::start(&rules);
        Ok(Run {
            dir,
            config,
            config_hash,
            rules,
            start,
            backend: OnceLock::new(),
            _claims: claims,
        })
    }

    /// Generation 0: a network with random weights, if the run has none yet. Returns the newest generation.
    pub fn ensure_network(&self) -> Result<u32> {
        if let Some(generation) = self.dir.latest_generation()? {
            return Ok(generation);
        }
        let fresh = network::Network::fresh::<P>(self.config.network.clone(), self.config.seed)?;
        let meta = network::NetworkMeta {
            generation: Some(0),
            rules: self.rules.name(),
            ..network::NetworkMeta::default()
        };
        network::save_network(&self.dir.network(0), &fresh, &meta)?;
        eprintln!(
            "generation 0: a fresh network in {}",
            self.dir.network(0).display()
        );
        Ok(0)
    }

    /// The exported file of a generation, made from its network folder if it is not there.
    pub fn ensure_export(&self, generation: u32) -> Result<PathBuf> {
        let path = self.dir.export(generation);
        if !path.exists() {
            let folder = self.dir.network(generation);
            let report = export_network::<P>(&folder, &path, None, Precision::F32)?;
            eprintln!(
                "generation {generation}: exported to {}; differs from libtorch by at most {:.1e} (policy), {:.1e} (value)",
                path.display(),
                report.policy,
                report.wdl
            );
        }
        Ok(path)
    }

    /// Plays the match of a generation against an opponent of the config, unless its report is there.
    pub fn evaluate(
        &self,
        generation: u32,
        opponent: &str,
        stop: &AtomicBool,
    ) -> Result<Option<serde_json::Value>> {
        let params = &self.config.evaluation;
        let name: String = opponent
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-=.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let out = self
            .dir
            .root()
            .join("matches")
            .join(format!("{generation:06}-{name}.json"));
        if let Ok(text) = std::fs::read_to_string(&out) {
            return Ok(Some(
                serde_json::from_str(&text)
                    .with_context(|| format!("{}: not a report", out.display()))?,
            ));
        }
        let player = |g: u32| -> Result<PlayerSpec> {
            Ok(format!(
                "onnx:{}:visits={}",
                self.ensure_export(g)?.display(),
                params.visits
            )
            .parse()?)
        };
        let second = match opponent.strip_prefix("generation:") {
            Some(number) => player(
                number
                    .parse()
                    .with_context(|| format!("opponent `{opponent}`"))?,
            )?,
            None => opponent.parse()?,
        };
        let specs = [player(generation)?, second];
        let title = format!("generation {generation} against {opponent}");
        let report = run_match::<P>(
            &title,
            &self.start,
            &specs,
            &params.match_params(self.config.seed),
            stop,
        )?;
        if !report.complete {
            return Ok(None);
        }
        let value = serde_json::to_value(&report)?;
        write_atomic(&out, serde_json::to_string_pretty(&value)?.as_bytes())
            .with_context(|| format!("{}", out.display()))?;
        Ok(Some(value))
    }
}

/// Exports a network folder with canaries answered by libtorch, and proves the file.
pub fn export_network<P: Game>(
    network: &Path,
    out: &Path,
    rating: Option<f64>,
    precision: Precision,
) -> Result<inference::Report> {
    if let Some(parent) = out.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("{}", parent.display()))?;
    }
    network::set_threads(1);
    let device = network::parse_device("cpu").map_err(anyhow::Error::msg)?;
    let mut evaluator = network::open_evaluator::<P>(network, device)?;
    Ok(inference::export_network::<P>(
        network,
        &mut evaluator,
        rating,
        precision,
        out,
    )?)
}

/// Plays a match with progress on standard error.
pub fn run_match<P: Game>(
    title: &str,
    start: &P,
    specs: &[PlayerSpec; 2],
    params: &MatchParams,
    stop: &AtomicBool,
) -> Result<MatchReport> {
    network::set_threads(1);
    // A spec that cannot be played is an error of the input, told before any game.
    for spec in specs {
        make_player::<P>(spec, start)?;
    }
    let factory = |i: usize| {
        make_player::<P>(&specs[i], start).map_err(|e| Fault::Failure {
            player: specs[i].to_string(),
            detail: e.reason,
        })
    };
    let factory: &PlayerFactory<'_, P> = &factory;
    let pairs = params.games.div_ceil(2) as u64;
    let stage = Mutex::new((Stage::new(title, 2 * pairs, 0), 0u64));
    let on_pair = |_: &[evaluator::MatchGame<P>], _: usize, tally: evaluator::stats::Tally| {
        let mut stage = stage.lock().expect("no panic while held");
        stage.1 += 2;
        let text = format!("games, +{} ={} -{}", tally.wins, tally.draws, tally.losses);
        stage.0.set(stage.1, &text);
    };
    let (report, _games) = play_match(start, factory, params, stop, &on_pair)?;
    stage
        .into_inner()
        .expect("no panic while held")
        .0
        .finish(&verdict(&report));
    for fault in &report.faults {
        eprintln!(
            "warning: pair {} does not count: {}",
            fault.pair, fault.fault
        );
    }
    Ok(report)
}

/// A match result in one line.
pub fn verdict(report: &MatchReport) -> String {
    let tally = &report.tally;
    let Some([mean, low, high]) = report.score else {
        return "not enough games".into();
    };
    let bound = |x: Option<f64>, open: &str| x.map_or(open.to_string(), |x| format!("{x:+.0}"));
    let elo = report.elo.map_or(String::new(), |elo| {
        let range = format!("{} to {}", bound(elo.low, "-inf"), bound(elo.high, "+inf"));
        match elo.value {
            Some(value) => format!(", Elo {value:+.0} ({range})"),
            None => format!(", Elo {range}"),
        }
    });
    format!(
        "+{} ={} -{}: {:.1} % (95 %: {:.1} to {:.1}){elo}; {} distinct games of {}, {:.0} plies on average, {}",
        tally.wins,
        tally.draws,
        tally.losses,
        100.0 * mean,
        100.0 * low,
        100.0 * high,
        report.distinct_games,
        tally.games(),
        report.mean_plies,
        join_counts(&report.end_reasons),
    )
}

/// Files that were not read, for people.
pub fn warn_refused(refused: &[records::Refused]) {
    for refused in refused {
        eprintln!(
            "warning: {} is not read: {}",
            refused.file.display(),
            refused.reason
        );
    }
    if !refused.is_empty() {
        eprintln!("warning: {} files of the run were skipped", refused.len());
    }
}

fn join_counts(counts: &std::collections::BTreeMap<&'static str, u64>) -> String {
    counts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect::<Vec<_>>()
        .join(", ")
}
