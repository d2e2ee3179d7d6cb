//! The run directory: where every stage finds and leaves its files (`design/interfaces.md`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use files::write_atomic;

use crate::error::advice;

/// What a run is about, fixed at its start: `run.toml`.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// `tenjiku` or `shogi`.
    pub game: String,
    /// Canonical rules text.
    pub rules: String,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// Unix time of creation, seconds.
    pub created: u64,
    /// Version of the program that created it.
    pub code_version: String,
}

/// A run directory that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// No such folder, or no run in it.
    #[error(
        "{0}: no run here (no run.toml); start one with `tenjiku loop --config FILE --run {0}`"
    )]
    Missing(PathBuf),
    /// The file says something else than the config.
    #[error(
        "{path}: the run has {field} = {found}, the config says {wanted}; use another --run folder, or the run's own config"
    )]
    Mismatch {
        /// `run.toml`.
        path: PathBuf,
        /// Which field.
        field: &'static str,
        /// In the file.
        found: String,
        /// In the config.
        wanted: String,
    },
    /// Not readable as `run.toml`.
    #[error("{path}: {reason}")]
    Bad {
        /// `run.toml`.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Another process is at work in it.
    #[error(
        "{root}: another tenjiku is at work on the stage `{stage}` of this run; wait for it, or stop it first"
    )]
    Busy {
        /// The run directory.
        root: PathBuf,
        /// `selfplay` or `train`.
        stage: String,
    },
    /// The file system refused.
    #[error("{path}: {error}{}", advice(.error))]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// A stage of a run that belongs to this process, see [`RunDir::claim`].
#[derive(Debug)]
pub struct StageClaim(#[expect(dead_code, reason = "holds the lock")] fs::File);

/// A run directory.
#[derive(Clone, Debug)]
pub struct RunDir {
    root: PathBuf,
    info: RunInfo,
}

impl RunDir {
    /// Opens an existing run.
    ///
    /// # Errors
    /// [`RunDirError`] if there is none or its `run.toml` cannot be read.
    pub fn open(root: &Path) -> Result<RunDir, RunDirError> {
        let path = root.join("run.toml");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err(RunDirError::Missing(root.into()));
            }
            Err(error) => return Err(RunDirError::Io { path, error }),
        };
        let info = toml::from_str(&text).map_err(|e| RunDirError::Bad {
            path,
            reason: format!("bad run.toml: {}", e.message()),
        })?;
        Ok(RunDir {
            root: root.into(),
            info,
        })
    }

    /// Opens the run at `root`, or starts one with this game, rules and seed.
    ///
    /// # Errors
    /// [`RunDirError`] if an existing run was started with other ones, or the folder cannot be written.
    pub fn open_or_create(
        root: &Path,
        game: &str,
        rules: &str,
        seed: u64,
    ) -> Result<RunDir, RunDirError> {
        match RunDir::open(root) {
            Ok(run) => {
                run.expect("game", &run.info.game, game)?;
                run.expect("rules", &run.info.rules, rules)?;
                run.expect("seed", &run.info.seed.to_string(), &seed.to_string())?;
                Ok(run)
            }
            Err(RunDirError::Missing(_)) => {
                let created = std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .map_or(0, |d| d.as_secs());
                let info = RunInfo {
                    game: game.into(),
                    rules: rules.into(),
                    seed,
                    created,
                    code_version: env!("CARGO_PKG_VERSION").into(),
                };
                fs::create_dir_all(root).map_err(|error| RunDirError::Io {
                    path: root.into(),
                    error,
                })?;
                let path = root.join("run.toml");
                let text = toml::to_string(&info).map_err(|e| RunDirError::Bad {
                    path: path.clone(),
                    reason: e.to_string(),
                })?;
                write_atomic(&path, text.as_bytes())
                    .map_err(|error| RunDirError::Io { path, error })?;
                Ok(RunDir {
                    root: root.into(),
                    info,
                })
            }
            Err(other) => Err(other),
        }
    }

    fn expect(&self, field: &'static str, found: &str, wanted: &str) -> Result<(), RunDirError> {
        if found == wanted {
            return Ok(());
        }
        Err(RunDirError::Mismatch {
            path: self.root.join("run.toml"),
            field,
            found: found.into(),
            wanted: wanted.into(),
        })
    }

    /// Claims a stage (`selfplay`, `train`) of this run for this process, until the returned value is dropped or the
    /// process ends, however it ends.
    ///
    /// # Errors
    /// [`RunDirError::Busy`] if another process has it.
    pub fn claim(&self, stage: &str) -> Result<StageClaim, RunDirError> {
        let path = self.root.join(format!(".{stage}.lock"));
        let io = |error| RunDirError::Io {
            path: path.clone(),
            error,
        };
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(StageClaim(file)),
            Err(fs::TryLockError::WouldBlock) => Err(RunDirError::Busy {
                root: self.root.clone(),
                stage: stage.to_string(),
            }),
            Err(fs::TryLockError::Error(error)) => Err(io(error)),
        }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the run is about.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// `networks/000012`
    pub fn network(&self, generation: u32) -> PathBuf {
        self.root.join("networks").join(format!("{generation:06}"))
    }

    /// `export/000012.onnx`
    pub fn export(&self, generation: u32) -> PathBuf {
        self.root
            .join("export")
            .join(format!("{generation:06}.onnx"))
    }

    /// The newest generation with a network folder.
    ///
    /// # Errors
    /// [`RunDirError::Io`] if `networks/` cannot be listed.
    pub fn latest_generation(&self) -> Result<Option<u32>, RunDirError> {
        let path = self.root.join("networks");
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RunDirError::Io { path, error }),
        };
        Ok(entries
            .filter_map(|e| e.ok()?.file_name().to_str()?.parse::<u32>().ok())
            .filter(|&generation| self.network(generation).join("network.toml").is_file())
            .max())
    }

    /// Keeps a resolved config as `config/<stage>-<hash>.toml`.
    ///
    /// # Errors
    /// [`RunDirError::Io`] if it cannot be written.
    pub fn save_config(&self, stage: &str, hash: &str, text: &str) -> Result<PathBuf, RunDirError> {
        let path = self
            .root
            .join("config")
            .join(format!("{stage}-{hash}.toml"));
        if !path.exists() {
            write_atomic(&path, text.as_bytes()).map_err(|error| RunDirError::Io {
                path: path.clone(),
                error,
            })?;
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_keeps_its_identity() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("runs/a");
        assert!(matches!(RunDir::open(&root), Err(RunDirError::Missing(_))));
        let run = RunDir::open_or_create(&root, "tenjiku", "historical", 7).unwrap();
        assert_eq!(RunDir::open(&root).unwrap().info(), run.info());
        RunDir::open_or_create(&root, "tenjiku", "historical", 7).unwrap();
        let error = RunDir::open_or_create(&root, "tenjiku", "western", 7)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("rules = historical, the config says western"),
            "{error}"
        );
        fs::write(root.join("run.toml"), "game = 3").unwrap();
        assert!(matches!(RunDir::open(&root), Err(RunDirError::Bad { .. })));
    }

    #[test]
    fn a_stage_belongs_to_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::open_or_create(dir.path(), "tenjiku", "historical", 1).unwrap();
        let claim = run.claim("train").unwrap();
        assert!(matches!(run.claim("train"), Err(RunDirError::Busy { .. })));
        run.claim("selfplay").unwrap();
        drop(claim);
        run.claim("train").unwrap();
    }

    #[test]
    fn the_latest_generation_is_the_last_whole_one() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::open_or_create(dir.path(), "tenjiku", "historical", 1).unwrap();
        assert_eq!(run.latest_generation().unwrap(), None);
        for name in ["000000", "000002", "000007.tmp", "x"] {
            write_atomic(
                &run.root().join("networks").join(name).join("network.toml"),
                b"",
            )
            .unwrap();
        }
        fs::create_dir_all(run.network(9)).unwrap();
        assert_eq!(run.latest_generation().unwrap(), Some(2));
    }
}
