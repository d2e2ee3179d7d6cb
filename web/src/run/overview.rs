//! The state of a run on one page: status, curves, generations, ratings, matches.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use records::RunInfo;
use serde::Serialize;
use serde_json::Value;

use super::games::{Index, Summary};
use super::{Curves, files};

/// Longest JSON file that is passed on, in bytes.
const MAX_JSON: u64 = 2 << 20;
/// Most matches shown, the newest.
const MAX_MATCHES: usize = 100;

/// Answer to `GET /api/run`.
#[derive(Serialize)]
pub(crate) struct Overview {
    name: String,
    game: String,
    rules: String,
    seed: u64,
    created: u64,
    code_version: String,
    /// When this was put together, milliseconds since 1970.
    now_ms: u64,
    games: usize,
    plies: u64,
    /// `status.json` of the running stage, if it is there.
    status: Option<Value>,
    /// How long ago it was written.
    status_age_s: Option<f64>,
    curves: Curves,
    generations: Vec<Generation>,
    /// `ratings.json`, if it is there.
    ratings: Option<Value>,
    /// `matches/*.json`: file name and content.
    matches: Vec<(String, Value)>,
    problems: Vec<String>,
}

/// The games of a generation in numbers.
#[derive(Serialize)]
struct Generation {
    generation: u32,
    games: usize,
    plies: u64,
    mean_plies: f64,
    /// Games by winner: `b`, `w`, `draw`.
    winners: BTreeMap<String, usize>,
    /// Games by end reason.
    reasons: BTreeMap<&'static str, usize>,
    first_ms: u64,
    last_ms: u64,
    /// From the first game's start to the last game's end.
    selfplay_s: f64,
    /// From there to the next network, if there is one.
    train_s: Option<f64>,
    /// From there to the first game of the next generation: matches, export.
    rest_s: Option<f64>,
}

/// Puts the overview together.
pub(crate) fn overview(run: &Path, info: &RunInfo, index: &Index, curves: Curves) -> Overview {
    let mut problems = index.problems();
    problems.extend(curves.problems.iter().cloned());
    let mut read = |path: &Path| match json(path) {
        Ok(value) => value,
        Err(why) => {
            problems.push(format!("{}: {why}", path.display()));
            None
        }
    };
    let ratings = read(&run.join("ratings.json"));
    let status = read(&run.join("status.json"));
    let mut matches = files(&run.join("matches"), ".json");
    matches.drain(..matches.len().saturating_sub(MAX_MATCHES));
    let matches = matches
        .iter()
        .filter_map(|file| {
            let name = file.file_stem()?.to_string_lossy().into_owned();
            Some((name, read(file)?))
        })
        .collect();
    let status_age_s = status
        .is_some()
        .then(|| run.join("status.json").metadata().ok()?.modified().ok())
        .flatten()
        .and_then(|at| SystemTime::now().duration_since(at).ok())
        .map(|age| age.as_secs_f64());
    let name = run.canonicalize().unwrap_or_else(|_| run.to_path_buf());
    Overview {
        name: name
            .file_name()
            .map_or("run".into(), |n| n.to_string_lossy().into_owned()),
        game: info.game.clone(),
        rules: info.rules.clone(),
        seed: info.seed,
        created: info.created,
        code_version: info.code_version.clone(),
        now_ms: unix_ms(SystemTime::now()).unwrap_or(0),
        games: index.all().len(),
        plies: index.all().iter().map(|g| u64::from(g.plies)).sum(),
        status,
        status_age_s,
        curves,
        generations: generations(run, index.all()),
        ratings,
        matches,
        problems,
    }
}

fn unix_ms(at: SystemTime) -> Option<u64> {
    Some(at.duration_since(UNIX_EPOCH).ok()?.as_millis() as u64)
}

/// A JSON file of the run; `None` if it is not there.
fn json(path: &Path) -> Result<Option<Value>, String> {
    let Ok(data) = path.symlink_metadata() else {
        return Ok(None);
    };
    if !data.is_file() {
        return Err("is no regular file".into());
    }
    if data.len() > MAX_JSON {
        return Err(format!("longer than {MAX_JSON} bytes"));
    }
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|e| e.to_string())
}

fn generations(run: &Path, games: &[Summary]) -> Vec<Generation> {
    let mut all = BTreeMap::<u32, Generation>::new();
    for game in games {
        let end = game.start_unix_ms.saturating_add(game.duration_ms);
        let g = all.entry(game.generation).or_insert_with(|| Generation {
            generation: game.generation,
            games: 0,
            plies: 0,
            mean_plies: 0.0,
            winners: BTreeMap::new(),
            reasons: BTreeMap::new(),
            first_ms: u64::MAX,
            last_ms: 0,
            selfplay_s: 0.0,
            train_s: None,
            rest_s: None,
        });
        g.games += 1;
        g.plies += u64::from(game.plies);
        *g.winners.entry(game.over.winner.clone()).or_default() += 1;
        *g.reasons.entry(game.over.reason).or_default() += 1;
        g.first_ms = g.first_ms.min(game.start_unix_ms);
        g.last_ms = g.last_ms.max(end);
    }
    let mut list: Vec<Generation> = all.into_values().collect();
    for i in 0..list.len() {
        let next = list.get(i + 1).map(|g| g.first_ms);
        let g = &mut list[i];
        g.mean_plies = g.plies as f64 / g.games as f64;
        g.selfplay_s = seconds(g.first_ms, g.last_ms);
        let network = run
            .join("networks")
            .join(format!("{:06}", g.generation + 1));
        let made = network
            .join("network.toml")
            .metadata()
            .and_then(|data| data.modified())
            .ok()
            .and_then(unix_ms)
            .filter(|made| *made >= g.last_ms);
        g.train_s = made.map(|made| seconds(g.last_ms, made));
        g.rest_s = made
            .zip(next)
            .filter(|(made, next)| next >= made)
            .map(|(made, next)| seconds(made, next));
    }
    list
}

fn seconds(from_ms: u64, to_ms: u64) -> f64 {
    to_ms.saturating_sub(from_ms) as f64 / 1000.0
}
