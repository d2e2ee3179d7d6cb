//! The stages of a run, as the single commands and `tenjiku loop` both use them. Each looks at the run directory for
//! what is done already, and does the rest.

use crate::config::resolved;
use crate::event_stage::exported;
use crate::game::{Game, parse_rules};
use crate::machine;
use crate::run_config::RunConfig;
use anyhow::{Context, Result};
use inference::Precision;
use records::{RunDir, StageClaim};
use rules::Rules;
use selfplay::BackendChoice;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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
    /// Opens the run directory of `config`, or starts it, claims the stages `claims`, settles what killed processes
    /// left there, whatever they were at, and keeps the resolved config there as that of `command`.
    ///
    /// # Errors
    /// Bad rules, a device that is not there, a full disk, a folder of another game or seed or in use, or the file system.
    pub fn open_or_create(
        root: &Path,
        config: RunConfig,
        command: &str,
        claims: &[&str],
    ) -> Result<Self> {
        let rules = parse_rules::<P>("rules", config.rules.as_deref())?;
        machine::devices(&config, claims).map_err(anyhow::Error::msg)?;
        if let Some(free) = machine::free_disk(root) {
            machine::enough_disk(root, free).map_err(anyhow::Error::msg)?;
        }
        let dir = RunDir::open_or_create(root, P::GAME, &rules.name(), config.seed)?;
        let claims = claims
            .iter()
            .map(|stage| dir.claim(stage))
            .collect::<Result<_, _>>()?;
        for line in records::clean_leftovers(dir.root())?.lines() {
            eprintln!("{line}");
        }
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
        exported::<P>(&self.dir, generation)
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
