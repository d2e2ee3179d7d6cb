//! The games of a run: listed, searched, sampled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use records::{Dataset, GameRecord, Shape, Shard};
use serde::Serialize;

use crate::view::Over;

/// Most games that are listed; of more, the oldest are left out.
const MAX_GAMES: usize = 200_000;
/// Bytes of a game's moves that are kept to search openings.
const OPENING_BYTES: usize = 160;
/// The folders are not listed again within this time.
const FRESH: Duration = Duration::from_secs(1);
/// Most games of one answer.
const MAX_PAGE: usize = 100;

/// A game in the list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub id: String,
    pub generation: u32,
    pub rules: String,
    pub over: Over,
    pub plies: u32,
    pub black: String,
    pub white: String,
    /// Its first moves.
    pub opening: String,
    pub start_unix_ms: u64,
    pub duration_ms: u64,
    #[serde(skip)]
    stem: String,
}

/// What games are wanted. `None` is any.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameQuery {
    pub generation: Option<u32>,
    /// `b`, `w`, `draw`.
    pub winner: Option<String>,
    pub reason: Option<String>,
    pub min_plies: Option<u32>,
    pub max_plies: Option<u32>,
    /// The moves begin so.
    pub opening: Option<String>,
    /// The id contains this.
    pub id: Option<String>,
    pub offset: usize,
    pub limit: usize,
}

/// Answer to `GET /api/run/games`.
#[derive(Debug, Serialize)]
pub(crate) struct GameList {
    /// How many fit.
    pub total: usize,
    pub offset: usize,
    pub games: Vec<Summary>,
}

/// The list.
pub(crate) struct Index {
    dataset: Dataset,
    /// Oldest first.
    games: Vec<Summary>,
    read: BTreeSet<String>,
    problems: Vec<String>,
    looked: Option<Instant>,
}

impl Index {
    /// Of a run's games, not read yet.
    pub fn open(run: &Path, shape: &Shape) -> anyhow::Result<Index> {
        Ok(Index {
            dataset: Dataset::open(run, shape)?,
            games: Vec::new(),
            read: BTreeSet::new(),
            problems: Vec::new(),
            looked: None,
        })
    }

    /// Reads the games of files that are new.
    pub fn refresh(&mut self) {
        if self.looked.is_some_and(|t| t.elapsed() < FRESH) {
            return;
        }
        if let Err(error) = self.dataset.refresh() {
            self.problem(error.to_string());
        }
        let shards = self.dataset.shards().to_vec();
        let there: BTreeSet<&String> = shards.iter().map(|s| &s.stem).collect();
        self.games.retain(|game| there.contains(&game.stem));
        for shard in &shards {
            if !self.read.insert(shard.stem.clone()) {
                continue;
            }
            match self.dataset.games(shard) {
                Ok(games) => self
                    .games
                    .extend(games.into_iter().map(|g| summary(g, &shard.stem))),
                Err(error) => self.dataset.refuse(&shard.stem, &error),
            }
        }
        self.games
            .sort_by(|a, b| (a.generation, &a.id).cmp(&(b.generation, &b.id)));
        let excess = self.games.len().saturating_sub(MAX_GAMES);
        self.games.drain(..excess);
        self.looked = Some(Instant::now());
    }

    /// Remembers what went wrong, a few of them.
    pub fn problem(&mut self, what: String) {
        if self.problems.len() < 20 && !self.problems.contains(&what) {
            self.problems.push(what);
        }
    }

    /// What went wrong, refused files included.
    pub fn problems(&self) -> Vec<String> {
        let refused = self.dataset.refused().iter().take(20);
        let refused = refused.map(|r| format!("{}: {}", r.file.display(), r.reason));
        self.problems.iter().cloned().chain(refused).collect()
    }

    /// All games, oldest first.
    pub fn all(&self) -> &[Summary] {
        &self.games
    }

    /// The files.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// The games that fit, newest first.
    pub fn find(&self, query: &GameQuery) -> GameList {
        let fits = |g: &&Summary| {
            query.generation.is_none_or(|n| g.generation == n)
                && query.winner.as_ref().is_none_or(|w| g.over.winner == *w)
                && query.reason.as_ref().is_none_or(|r| g.over.reason == r)
                && query.min_plies.is_none_or(|n| g.plies >= n)
                && query.max_plies.is_none_or(|n| g.plies <= n)
                && query
                    .opening
                    .as_ref()
                    .is_none_or(|o| g.opening.starts_with(o.trim()))
                && query.id.as_ref().is_none_or(|id| g.id.contains(id))
        };
        let found: Vec<&Summary> = self.games.iter().rev().filter(fits).collect();
        GameList {
            total: found.len(),
            offset: query.offset,
            games: found
                .into_iter()
                .skip(query.offset)
                .take(query.limit.min(MAX_PAGE))
                .cloned()
                .collect(),
        }
    }

    /// The files that hold a game, apart from the index so that reading them blocks nobody.
    pub fn locate(&self, id: &str) -> Option<(Dataset, Shard)> {
        let game = self.games.iter().find(|g| g.id == id)?;
        let shard = self.dataset.shards().iter().find(|s| s.stem == game.stem)?;
        Some((self.dataset.clone(), shard.clone()))
    }

    /// Games to show: of at most `generations` generations, spread over the run and the last included, `each` games
    /// whose lengths are spread over those of their generation.
    pub fn samples(&self, generations: usize, each: usize) -> Vec<(Shard, Vec<String>)> {
        let mut by_generation = BTreeMap::<u32, Vec<&Summary>>::new();
        for game in &self.games {
            by_generation.entry(game.generation).or_default().push(game);
        }
        let numbers: Vec<u32> = by_generation.keys().copied().collect();
        let mut wanted = BTreeMap::<&str, Vec<String>>::new();
        for i in spread(numbers.len(), generations) {
            let games = by_generation.get_mut(&numbers[i]).expect("a key");
            games.sort_by(|a, b| (a.plies, &a.id).cmp(&(b.plies, &b.id)));
            for k in middle(games.len(), each) {
                wanted
                    .entry(&games[k].stem)
                    .or_default()
                    .push(games[k].id.clone());
            }
        }
        let shards = self.dataset.shards().iter();
        shards
            .filter_map(|s| Some((s.clone(), wanted.remove(s.stem.as_str())?)))
            .collect()
    }
}

/// `n` of `count` places, evenly, the first and the last included.
fn spread(count: usize, n: usize) -> Vec<usize> {
    match (count <= n, n) {
        (true, _) => (0..count).collect(),
        (false, 0) => Vec::new(),
        (false, 1) => vec![count - 1],
        (false, n) => (0..n).map(|i| i * (count - 1) / (n - 1)).collect(),
    }
}

/// `n` of `count` places, evenly, away from the ends: the middles of `n` equal parts.
fn middle(count: usize, n: usize) -> Vec<usize> {
    match count <= n {
        true => (0..count).collect(),
        false => (0..n).map(|i| (2 * i + 1) * count / (2 * n)).collect(),
    }
}

fn summary(game: GameRecord, stem: &str) -> Summary {
    let plies = game.plies();
    let mut opening = game.moves;
    if opening.len() > OPENING_BYTES {
        let end = opening[..OPENING_BYTES].rfind(' ').unwrap_or(0);
        opening.truncate(end);
    }
    let outcome = rules::Outcome {
        winner: game.winner,
        reason: game.reason,
    };
    Summary {
        id: game.id,
        generation: game.generation,
        rules: game.rules,
        over: outcome.into(),
        plies,
        black: game.black,
        white: game.white,
        opening,
        start_unix_ms: game.start_unix_ms,
        duration_ms: game.duration_ms,
        stem: stem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread() {
        assert_eq!(spread(3, 5), [0, 1, 2]);
        assert_eq!(spread(11, 3), [0, 5, 10]);
        assert_eq!(spread(4, 1), [3]);
        assert_eq!(middle(10, 2), [2, 7]);
        assert_eq!(middle(1, 2), [0]);
    }
}
