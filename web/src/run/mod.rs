//! A run directory, read only: what is there, what is running, and its games.
//!
//! Nothing a page sends becomes a path: files are found by listing the folders of the run, links are not followed, and
//! games are found by their id among those listed. Whatever is missing or broken is left out and, where somebody
//! would look for it, named in `problems`.

mod curves;
mod games;
mod overview;
mod replay;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use records::{RunDir, RunInfo};
use rules::Position;

use crate::error::{Refusal, refuse};
use crate::games::{GameTask, WebGame, with_game};

pub(crate) use curves::{Curves, read_curves};
pub(crate) use games::{GameList, GameQuery, Index};
pub(crate) use overview::{Overview, overview};
pub(crate) use replay::Replay;

/// A run and what was read of it so far.
pub(crate) struct Run {
    root: PathBuf,
    info: RunInfo,
    index: Mutex<Index>,
    curves: Mutex<Option<(String, Curves)>>,
}

impl Run {
    /// Opens a run.
    ///
    /// # Errors
    /// If it is no run directory, or of a game that this program does not know.
    pub fn open(root: &Path) -> anyhow::Result<Run> {
        let info = RunDir::open(root)?.info().clone();
        let index = with_game(&info.game, OpenIndex(root))
            .map_err(|refusal| anyhow::anyhow!("{}: {}", root.display(), refusal.reason))??;
        Ok(Run {
            root: root.to_path_buf(),
            info,
            index: Mutex::new(index),
            curves: Mutex::default(),
        })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name of the game.
    pub fn game(&self) -> &str {
        &self.info.game
    }

    /// The state of the run now.
    pub fn overview(&self) -> Overview {
        let mut index = self.index.lock().expect("no reader panics");
        index.refresh();
        let mut cached = self.curves.lock().expect("no reader panics");
        let stamp = curves::stamp(&self.root);
        let curves = match cached.as_ref() {
            Some((s, curves)) if *s == stamp => curves.clone(),
            _ => {
                let curves = read_curves(&self.root);
                *cached = Some((stamp, curves.clone()));
                curves
            }
        };
        overview(&self.root, &self.info, &index, curves)
    }

    /// The games that fit a query, newest first.
    pub fn games(&self, query: &GameQuery) -> GameList {
        let mut index = self.index.lock().expect("no reader panics");
        index.refresh();
        index.find(query)
    }

    /// A game to replay.
    ///
    /// # Errors
    /// 404 if there is no such game.
    pub fn game_by_id(&self, id: &str) -> Result<Replay, Refusal> {
        let found = {
            let mut index = self.index.lock().expect("no reader panics");
            index.refresh();
            index.locate(id)
        };
        let (dataset, shard) =
            found.ok_or_else(|| refuse(404, "this run has no game of this id"))?;
        let task = replay::Read {
            dataset: &dataset,
            shard: &shard,
            ids: &[id.to_string()],
        };
        let mut games = with_game(&self.info.game, task)?.map_err(|reason| refuse(500, reason))?;
        games
            .pop()
            .ok_or_else(|| refuse(404, "this run has no game of this id"))
    }

    /// A few games of each of at most `generations` generations, oldest first.
    pub fn samples(&self, generations: usize, each: usize) -> Result<Vec<Replay>, Refusal> {
        let mut index = self.index.lock().expect("no reader panics");
        index.refresh();
        let mut replays = Vec::new();
        for (shard, ids) in index.samples(generations, each) {
            let task = replay::Read {
                dataset: index.dataset(),
                shard: &shard,
                ids: &ids,
            };
            match with_game(&self.info.game, task)? {
                Ok(games) => replays.extend(games),
                Err(reason) => index.problem(reason),
            }
        }
        Ok(replays)
    }
}

struct OpenIndex<'a>(&'a Path);

impl GameTask for OpenIndex<'_> {
    type Output = anyhow::Result<Index>;
    fn run<P: WebGame>(self) -> Self::Output {
        Index::open(self.0, &shape::<P>())
    }
}

fn shape<P: Position>() -> records::Shape {
    records::Shape::of::<P>()
}

/// The regular files of a folder of the run with this ending, by name; links are not followed.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.ends_with(ending) && !name.starts_with('.')
        })
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}
