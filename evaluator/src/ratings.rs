//! `ratings.json`: the strength of a run's generations and of the pool they are measured against, over all games that
//! were played for it.

use crate::event::{Ledger, Plan};
use crate::report::{AnchorChoice, Point, interval_plot, line_plot, page, table};
use crate::stats::{Anchor, Encounter, Pentanomial, fit};
use rules::Position;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a rated player is in the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A network of the run.
    Generation,
    /// A player of the fixed pool.
    Anchor,
}

/// One player.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct RatedPlayer {
    /// Its spec; networks of the run are `generation:N:visits=V`.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// The generation, for networks of the run.
    pub generation: Option<u32>,
    /// Elo; `None` with no games.
    pub elo: Option<f64>,
    /// Lower bound of the 95 % interval; `None` where the results do not bound it.
    pub low: Option<f64>,
    /// Upper bound; `None` where the results do not bound it.
    pub high: Option<f64>,
    /// Whether the results bound the rating on one side only, see [`crate::stats::Rating::one_sided`].
    pub one_sided: bool,
    /// Games that count.
    pub games: u64,
    /// Mean score in them.
    pub score: Option<f64>,
}

/// The file.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct RatingsFile {
    /// Version of this schema.
    pub version: u32,
    /// `tenjiku` or `shogi`.
    pub game: String,
    /// Canonical rules text.
    pub rules: String,
    /// The player whose Elo is fixed; `None`: the mean of all is.
    pub anchor: Option<String>,
    /// Its Elo.
    pub anchor_elo: f64,
    /// Games that count.
    pub games: u64,
    /// Scales the intervals, see [`crate::stats::Ratings::dispersion`].
    pub dispersion: f64,
    /// The generation with the highest Elo.
    pub best_generation: Option<u32>,
    /// Generations in ascending order, then the pool.
    pub players: Vec<RatedPlayer>,
}

impl RatingsFile {
    /// Version of the schema.
    pub const VERSION: u32 = 1;

    /// Rates all players of some events together; players of one name are one. `generation` tells a network's number
    /// from its name.
    pub fn of<P: Position>(
        rules: String,
        events: &[(Plan<P>, Ledger)],
        anchor: &AnchorChoice,
        generation: &dyn Fn(&str) -> Option<u32>,
    ) -> RatingsFile {
        let mut names: Vec<&str> = events
            .iter()
            .flat_map(|(plan, _)| plan.players.iter().map(|p| p.name.as_str()))
            .collect();
        // Generations first, by number; the pool as it comes.
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
        names.sort_by_key(|name| generation(name).map_or((1, 0), |g| (0, g)));
        let index = |name: &str| names.iter().position(|n| *n == name).expect("listed");
        let mut met: BTreeMap<(usize, usize), Pentanomial> = BTreeMap::new();
        for (plan, ledger) in events {
            for (encounter, &(a, b)) in plan.encounters.iter().enumerate() {
                let ends = [a, b].map(|i| index(&plan.players[i].name));
                let (_, pairs) = ledger.tally(plan, encounter);
                let sum = met.entry((ends[0], ends[1])).or_default();
                sum.iter_mut().zip(pairs).for_each(|(s, n)| *s += n);
            }
        }
        let encounters: Vec<Encounter> = met
            .into_iter()
            .map(|((first, second), pairs)| Encounter {
                first,
                second,
                pairs,
            })
            .collect();
        let anchored = anchor
            .player
            .as_ref()
            .and_then(|name| names.iter().position(|n| n == name));
        let hung = match anchored {
            Some(i) => Anchor::Player(i, anchor.elo),
            None => Anchor::Mean(anchor.elo),
        };
        let ratings = fit(names.len(), &encounters, hung);
        let players: Vec<RatedPlayer> = names
            .iter()
            .zip(&ratings.players)
            .map(|(name, rating)| RatedPlayer {
                name: name.to_string(),
                role: match generation(name) {
                    Some(_) => Role::Generation,
                    None => Role::Anchor,
                },
                generation: generation(name),
                elo: rating.elo.and_then(|e| e.value),
                low: rating.elo.and_then(|e| e.low),
                high: rating.elo.and_then(|e| e.high),
                one_sided: rating.one_sided,
                games: rating.games,
                score: rating.score,
            })
            .collect();
        let best = players
            .iter()
            .filter_map(|p| Some((p.elo?, p.generation?)))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let pairs: u64 = encounters.iter().flat_map(|e| e.pairs).sum();
        RatingsFile {
            version: Self::VERSION,
            game: P::GAME.to_string(),
            rules,
            anchor: anchored.and(anchor.player.clone()),
            anchor_elo: anchor.elo,
            games: 2 * pairs,
            dispersion: ratings.dispersion,
            best_generation: best.map(|(_, g)| g),
            players,
        }
    }
}

/// The ratings as one self-contained HTML page: Elo over generations, and everybody with intervals.
pub fn ratings_page(file: &RatingsFile) -> String {
    let anchor = match &file.anchor {
        Some(name) => format!("{name} is {:.0}", file.anchor_elo),
        None => format!("the mean is {:.0}", file.anchor_elo),
    };
    let mut out = format!(
        "<h1>Ratings over generations</h1>\n<p class=\"sub\">{} by the rules {}; {} games; Elo with 95 % intervals, {}</p>\n",
        file.game, file.rules, file.games, anchor
    );
    let generations: Vec<(f64, &RatedPlayer)> = file
        .players
        .iter()
        .filter_map(|p| Some((f64::from(p.generation?), p)))
        .filter(|(_, p)| p.elo.is_some())
        .collect();
    if !generations.is_empty() {
        let value = |p: &RatedPlayer| p.elo.unwrap_or_default();
        let curve: Vec<(f64, f64)> = generations.iter().map(|(g, p)| (*g, value(p))).collect();
        let band: Vec<(f64, f64, f64)> = generations
            .iter()
            .map(|(g, p)| (*g, p.low.unwrap_or(value(p)), p.high.unwrap_or(value(p))))
            .collect();
        let marks: Vec<(f64, &str)> = file
            .players
            .iter()
            .filter(|p| p.role == Role::Anchor)
            .filter_map(|p| Some((p.elo?, p.name.as_str())))
            .collect();
        let _ = writeln!(
            out,
            "{}",
            line_plot(&curve, &band, &marks, ["generation", "Elo"])
        );
    }
    let mut order: Vec<&RatedPlayer> = file.players.iter().collect();
    order.sort_by(|a, b| {
        let elo = |p: &RatedPlayer| p.elo.unwrap_or(f64::NEG_INFINITY);
        elo(b).total_cmp(&elo(a))
    });
    let dots: Vec<Point> = order
        .iter()
        .filter_map(|p| {
            Some(Point {
                label: p.name.clone(),
                value: p.elo?,
                low: p.low,
                high: p.high,
            })
        })
        .collect();
    let _ = writeln!(
        out,
        "<h2>Everybody</h2>\n{}\n<p></p>",
        interval_plot(&dots, "Elo")
    );
    let rows = order.iter().map(|p| {
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:+.0}"));
        vec![
            p.name.clone(),
            if p.one_sided {
                format!("about {}", number(p.elo))
            } else {
                number(p.elo)
            },
            number(p.low),
            number(p.high),
            p.games.to_string(),
            p.score
                .map_or("-".into(), |s| format!("{:.1} %", 100.0 * s)),
        ]
    });
    table(
        &mut out,
        &["player", "Elo", "from", "to", "games", "score"],
        rows,
    );
    page("Ratings over generations", &out)
}
