//! Ratings over generations: each generation meets a fixed pool, and all games so far are rated together.
//!
//! ```text
//! matches/ratings/pool/                  the pool among itself
//! matches/ratings/000003/                a generation against the pool and the oldest generation
//! matches/ratings/000003-against-000002/ and against the one that was best when it came
//! ratings.json, ratings.html             what follows
//! ```

use crate::event_stage::{Event, Participant, generation_of, generations};
use crate::game::Game;
use anyhow::{Context, Result};
use evaluator::{
    AnchorChoice, Format, Ledger, Plan, PlayParams, RatingsFile, encounters, random_openings,
    ratings_page,
};
use records::{RunDir, write_atomic};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How generations are rated.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RatingsParams {
    /// Whether `tenjiku loop` rates its generations at its end. Default false.
    pub enabled: bool,
    /// Games against each player of the pool, rounded up to whole pairs; at least 1. Default 20.
    pub games: usize,
    /// Playouts a move of the networks, 1..=1000000. Default 32.
    pub visits: u32,
    /// Every so many generations one is rated, and the newest; at least 1. Default 1.
    pub every: u32,
    /// Player specs of the pool. Default `random`, `greedy`, and the engine at depth 1, 2, 3.
    pub pool: Vec<String>,
    /// The player of the pool whose Elo is fixed. Default `random`.
    pub anchor: String,
    /// Its Elo. Default 0.
    pub anchor_elo: f64,
    /// Random plies at the start of each pair, 0..=60. Default 4.
    pub opening_plies: usize,
    /// A game of this many plies is a draw. Default 600.
    pub max_plies: usize,
    /// Games at a time; 0 means one a core. Default 0.
    pub concurrency: usize,
}

impl Default for RatingsParams {
    fn default() -> Self {
        let pool = [
            "random",
            "greedy",
            "engine:depth=1",
            "engine:depth=2",
            "engine:depth=3",
        ];
        RatingsParams {
            enabled: false,
            games: 20,
            visits: 32,
            every: 1,
            pool: pool.map(String::from).to_vec(),
            anchor: "random".into(),
            anchor_elo: 0.0,
            opening_plies: 4,
            max_plies: 600,
            concurrency: 0,
        }
    }
}

impl RatingsParams {
    /// Checks ranges.
    ///
    /// # Errors
    /// Names the first bad value.
    pub fn check(&self) -> Result<(), String> {
        if self.games == 0 {
            return Err("games = 0, must be at least 1".into());
        }
        if !(1..=1_000_000).contains(&self.visits) {
            return Err(format!(
                "visits = {}, must be from 1 to 1000000",
                self.visits
            ));
        }
        if self.every == 0 {
            return Err("every = 0, must be at least 1".into());
        }
        if self.opening_plies > 60 {
            return Err(format!(
                "opening_plies = {}, must be at most 60",
                self.opening_plies
            ));
        }
        if self.max_plies <= self.opening_plies {
            return Err(format!(
                "max_plies = {}, must be above opening_plies = {}",
                self.max_plies, self.opening_plies
            ));
        }
        if !self.anchor_elo.is_finite() {
            return Err(format!(
                "anchor_elo = {}, must be a number",
                self.anchor_elo
            ));
        }
        for player in &self.pool {
            player
                .parse::<engine::PlayerSpec>()
                .map_err(|e| format!("pool = {player:?}, must be player specs: {e}"))?;
        }
        if !self.pool.contains(&self.anchor) {
            return Err(format!("anchor = {:?}, must be in the pool", self.anchor));
        }
        Ok(())
    }
}

/// What a rating needs while it goes on.
struct Rater<'a, P: Game> {
    dir: &'a RunDir,
    start: &'a P,
    params: &'a RatingsParams,
    seed: u64,
    stop: &'a AtomicBool,
    played: Vec<(Plan<P>, Ledger)>,
}

/// Rates the run's generations, playing what is missing. `None` if it was stopped.
pub fn rate<P: Game>(
    dir: &RunDir,
    start: &P,
    params: &RatingsParams,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<RatingsFile>> {
    let mut rater = Rater {
        dir,
        start,
        params,
        seed,
        stop,
        played: Vec::new(),
    };
    if params.pool.len() > 1 && !rater.event("pool", Format::RoundRobin, rater.pool()?)? {
        return Ok(None);
    }
    let all = generations(dir, params.every)?;
    let oldest = all.first().copied();
    for &generation in &all {
        let mut players = vec![rater.network(generation)?];
        players.extend(rater.pool()?);
        if let Some(oldest) = oldest.filter(|&o| o != generation) {
            players.push(rater.network(oldest)?);
        }
        let name = format!("{generation:06}");
        if !rater.event(&name, Format::Gauntlet, players)? {
            return Ok(None);
        }
        if let Some(best) = rater.best_before(generation, oldest)? {
            let players = vec![rater.network(generation)?, rater.network(best)?];
            let name = format!("{generation:06}-against-{best:06}");
            if !rater.event(&name, Format::RoundRobin, players)? {
                return Ok(None);
            }
        }
        rater.write()?;
    }
    Ok(Some(rater.write()?))
}

impl<P: Game> Rater<'_, P> {
    fn pool(&self) -> Result<Vec<Participant>> {
        let specs = self.params.pool.iter();
        specs.map(|spec| Participant::of(spec.parse()?)).collect()
    }

    fn network(&self, generation: u32) -> Result<Participant> {
        Participant::generation::<P>(self.dir, generation, self.params.visits)
    }

    /// Plays an event to its end; false if it was stopped.
    fn event(&mut self, name: &str, format: Format, players: Vec<Participant>) -> Result<bool> {
        let meet = encounters(format, players.len(), 1);
        if meet.is_empty() {
            return Ok(true);
        }
        let params = self.params;
        let (specs, entrants) = players.into_iter().map(|p| (p.spec, p.entrant)).unzip();
        let plan = Plan {
            title: format!("ratings, {name}"),
            players: entrants,
            encounters: meet,
            openings: random_openings(
                self.start,
                params.opening_plies,
                self.seed,
                params.games.div_ceil(2),
            ),
            play: PlayParams {
                max_plies: params.max_plies,
                concurrency: params.concurrency,
                seed: self.seed,
                ..PlayParams::default()
            },
            sprt: None,
        };
        plan.check().map_err(anyhow::Error::msg)?;
        let event = Event {
            plan,
            specs,
            anchor: AnchorChoice::default(),
            boards: 4,
        };
        let out = self.dir.root().join("matches/ratings").join(name);
        let (report, ledger) = event.play(Some(&out), self.stop)?;
        self.played.push((event.plan, ledger));
        Ok(report.complete && !self.stop.load(Ordering::Relaxed))
    }

    /// The generation that a new one meets as the best before it: the one it met last time, else the best so far. `None`
    /// if that is the oldest, which it meets anyway.
    fn best_before(&self, generation: u32, oldest: Option<u32>) -> Result<Option<u32>> {
        let prefix = format!("{generation:06}-against-");
        let folder = self.dir.root().join("matches/ratings");
        for entry in std::fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))? {
            let name = entry?.file_name();
            let met = name
                .to_str()
                .and_then(|n| n.strip_prefix(&prefix)?.parse().ok());
            if met.is_some() {
                return Ok(met);
            }
        }
        let best = self
            .file()
            .players
            .iter()
            .filter_map(|p| Some((p.elo?, p.generation?)))
            .filter(|(_, g)| *g < generation)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, g)| g);
        Ok(best.filter(|&g| Some(g) != oldest))
    }

    fn file(&self) -> RatingsFile {
        let anchor = AnchorChoice {
            player: Some(self.params.anchor.clone()),
            elo: self.params.anchor_elo,
        };
        let rules = rules::Rules::name(self.start.rules());
        RatingsFile::of(rules, &self.played, &anchor, &generation_of)
    }

    fn write(&self) -> Result<RatingsFile> {
        let file = self.file();
        let json = serde_json::to_string_pretty(&file)? + "\n";
        put(&self.dir.root().join("ratings.json"), &json)?;
        put(&self.dir.root().join("ratings.html"), &ratings_page(&file))?;
        Ok(file)
    }
}

fn put(path: &Path, text: &str) -> Result<()> {
    write_atomic(path, text.as_bytes()).with_context(|| format!("{}", path.display()))
}

/// The ratings, the best first.
pub fn summary(file: &RatingsFile) -> String {
    let mut order: Vec<_> = file.players.iter().collect();
    order.sort_by(|a, b| {
        let elo = |x: Option<f64>| x.unwrap_or(f64::NEG_INFINITY);
        elo(b.elo).total_cmp(&elo(a.elo))
    });
    let mut out = format!(
        "Elo over {} games, {} is {:.0}:\n",
        file.games,
        file.anchor.as_deref().unwrap_or("the mean"),
        file.anchor_elo
    );
    for p in order {
        let bound = |x: Option<f64>, none: &str| x.map_or(none.to_string(), |x| format!("{x:+.0}"));
        let words = match p.elo {
            None => "not enough games".to_string(),
            Some(elo) => format!(
                "{}{elo:+.0} ({} to {})",
                if p.one_sided { "about " } else { "" },
                bound(p.low, "-inf"),
                bound(p.high, "+inf")
            ),
        };
        out += &format!("  {:32} {words}\n", p.name);
    }
    out
}
