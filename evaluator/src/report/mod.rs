//! What an event's games say: every number of `docs/evaluation.md`, computed from a plan and its ledger. Pure; the forms
//! are in `text` and `html`.

mod boards;
mod html;
mod plot;
mod text;

pub use html::html;
pub(crate) use html::{page, table};
pub use plot::{Point, interval_plot, line_plot};
pub use text::{one_line, text};

use crate::event::{Ledger, Plan, half_points};
use crate::fault::{FaultRecord, Handling};
use crate::stats::{self, Anchor, Decision, Encounter, Estimate, Pentanomial, Rating, Sprt, Tally};
use records::GameRecord;
use rules::{Color, Position, Rules};
use std::collections::{BTreeMap, HashSet};

/// Smallest, middle, mean and largest of some numbers.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Spread {
    /// Smallest.
    pub min: f64,
    /// Middle one (the lower of two).
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

impl Spread {
    fn of(mut numbers: Vec<f64>) -> Option<Spread> {
        numbers.sort_by(f64::total_cmp);
        let (&min, &max) = (numbers.first()?, numbers.last()?);
        Some(Spread {
            min,
            max,
            median: numbers[(numbers.len() - 1) / 2],
            mean: numbers.iter().sum::<f64>() / numbers.len() as f64,
        })
    }
}

/// One player in the event.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct PlayerReport {
    /// Its spec.
    pub name: String,
    /// Its results.
    pub tally: Tally,
    /// Elo among the players of the event.
    pub rating: Rating,
    /// Faults by cause; games replayed and pairs dropped.
    pub faults: BTreeMap<&'static str, u64>,
    /// Moves that came late, but within the margin.
    pub late_moves: u64,
}

/// Two players against each other.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct EncounterReport {
    /// Names of the first and the second.
    pub players: [String; 2],
    /// Their indices in [`Report::players`].
    pub indices: [usize; 2],
    /// From the first player's view.
    pub tally: Tally,
    /// Pairs by points of the first player: 0, ½, 1, 1½, 2.
    pub pairs: Pentanomial,
    /// First player's mean score with its 95 % interval, `None` with no whole pair.
    pub score: Option<[f64; 3]>,
    /// First player's Elo advantage.
    pub elo: Option<Estimate>,
    /// First player's normalised Elo, `None` without variance.
    pub normalised_elo: Option<f64>,
    /// Probability that the first player is the stronger one.
    pub superiority: Option<f64>,
    /// First player's results as Black.
    pub as_black: Tally,
    /// First player's results as White.
    pub as_white: Tally,
    /// Games whose moves differ.
    pub distinct_games: usize,
}

/// Black's results, whoever had the colour.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct ColourSplit {
    /// From Black's view.
    pub tally: Tally,
    /// Black's mean score with its 95 % interval; `None` without games.
    pub score: Option<[f64; 3]>,
}

/// What follows from the event.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase", tag = "verdict", content = "reason")]
pub enum Verdict {
    /// The test accepts: the first player is better.
    Accept,
    /// The test rejects: it is not better by what was asked.
    Reject,
    /// The games did not suffice.
    Undecided,
    /// The games cannot carry a verdict.
    Refused(String),
    /// There was no test.
    None,
}

/// The report of an event.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Report {
    /// What the event is called.
    pub title: String,
    /// `tenjiku` or `shogi`.
    pub game: &'static str,
    /// Canonical rules text.
    pub rules: String,
    /// Whether all that was scheduled was played, or the test has ended it.
    pub complete: bool,
    /// What follows.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Things to know before believing the numbers.
    pub warnings: Vec<String>,
    /// Pairs scheduled.
    pub pairs_scheduled: u64,
    /// Pairs that count.
    pub pairs_counted: u64,
    /// Pairs that do not count because a player failed.
    pub pairs_dropped: u64,
    /// Games that count: two a pair.
    pub games: u64,
    /// Games whose moves differ, summed over encounters.
    pub distinct_games: u64,
    /// The players, in the order of the plan.
    pub players: Vec<PlayerReport>,
    /// What the Elo scale hangs on, in words.
    pub anchor: String,
    /// Variance of pair scores by that of two coin throws; scales the intervals of the ratings.
    pub dispersion: f64,
    /// The encounters, in the order of the plan.
    pub encounters: Vec<EncounterReport>,
    /// Probability that the row's player is stronger than the column's.
    pub superiority: Vec<Vec<Option<f64>>>,
    /// Black's score.
    pub black: ColourSplit,
    /// Plies a game.
    pub plies: Option<Spread>,
    /// Seconds a game.
    pub seconds: Option<Spread>,
    /// Games by end reason.
    pub end_reasons: BTreeMap<&'static str, u64>,
    /// The test.
    pub sprt: Option<Sprt>,
    /// All faults.
    pub faults: Vec<FaultRecord>,
}

/// What the ratings hang on: a player by name, or the mean.
#[derive(Clone, PartialEq, Debug)]
pub struct AnchorChoice {
    /// The player's spec; `None` for the mean of all.
    pub player: Option<String>,
    /// Its Elo.
    pub elo: f64,
}

impl Default for AnchorChoice {
    fn default() -> Self {
        AnchorChoice {
            player: None,
            elo: 0.0,
        }
    }
}

/// The report of what was played so far. An anchor that does not play is taken as the mean.
pub fn report<P: Position>(plan: &Plan<P>, ledger: &Ledger, anchor: &AnchorChoice) -> Report {
    let counted = ledger.counted(plan);
    let games_of = |number: u64| ledger.pair(number).expect("counted pairs are complete");
    let mut encounters: Vec<EncounterReport> = (0..plan.encounters.len())
        .map(|i| empty_encounter(plan, i))
        .collect();
    let mut tallies = vec![Tally::default(); plan.players.len()];
    let mut seen: Vec<HashSet<(&str, &str)>> = vec![HashSet::new(); encounters.len()];
    let (mut black, mut black_pairs) = (Tally::default(), Pentanomial::default());
    let mut end_reasons = BTreeMap::new();
    let (mut plies, mut seconds) = (Vec::new(), Vec::new());
    for pairing in &counted {
        let games = games_of(pairing.number);
        let encounter = &mut encounters[pairing.encounter];
        let (mut points, mut black_points) = (0, 0);
        for (game, colour) in games.into_iter().zip([Color::Black, Color::White]) {
            let first = half_points(game, colour);
            encounter.tally.add(first);
            match colour {
                Color::Black => encounter.as_black.add(first),
                Color::White => encounter.as_white.add(first),
            }
            tallies[pairing.first].add(first);
            tallies[pairing.second].add(2 - first);
            let of_black = half_points(game, Color::Black);
            black.add(of_black);
            points += first;
            black_points += of_black;
            seen[pairing.encounter].insert((&game.start_sfen, &game.moves));
            *end_reasons.entry(game.reason.name()).or_insert(0) += 1;
            plies.push(f64::from(game.plies()));
            seconds.push(game.duration_ms as f64 / 1000.0);
        }
        encounter.pairs[points] += 1;
        black_pairs[black_points] += 1;
    }
    for (encounter, seen) in encounters.iter_mut().zip(&seen) {
        encounter.distinct_games = seen.len();
        encounter.score = interval(&encounter.pairs);
        encounter.elo = stats::elo(&encounter.pairs);
        encounter.normalised_elo = stats::normalised_elo(&encounter.pairs);
        encounter.superiority = stats::superiority(&encounter.pairs);
    }
    let (hung, said) = hang(plan, anchor);
    let met: Vec<Encounter> = encounters
        .iter()
        .map(|e| Encounter {
            first: e.indices[0],
            second: e.indices[1],
            pairs: e.pairs,
        })
        .collect();
    let ratings = stats::fit(plan.players.len(), &met, hung);
    let players = (0..plan.players.len())
        .map(|i| PlayerReport {
            name: plan.players[i].name.clone(),
            tally: tallies[i],
            rating: ratings.players[i],
            faults: faults_of(ledger, i),
            late_moves: ledger
                .faults()
                .iter()
                .filter(|f| f.player == i)
                .map(|f| u64::from(f.late_moves))
                .sum(),
        })
        .collect();
    let indices = 0..plan.players.len();
    let superiority = indices
        .clone()
        .map(|a| {
            let of = |b| (a != b).then(|| ratings.superiority(a, b)).flatten();
            indices.clone().map(of).collect()
        })
        .collect();
    let mut report = Report {
        title: plan.title.clone(),
        game: P::GAME,
        rules: plan.openings[0].start.rules().name(),
        complete: ledger.is_complete(plan),
        verdict: Verdict::None,
        warnings: Vec::new(),
        pairs_scheduled: plan.pairs(),
        pairs_counted: counted.len() as u64,
        pairs_dropped: ledger.dropped(),
        games: 2 * counted.len() as u64,
        distinct_games: seen.iter().map(|s| s.len() as u64).sum(),
        players,
        anchor: said,
        dispersion: ratings.dispersion,
        encounters,
        superiority,
        black: ColourSplit {
            tally: black,
            score: interval(&black_pairs),
        },
        plies: Spread::of(plies),
        seconds: Spread::of(seconds),
        end_reasons,
        sprt: ledger.test(plan),
        faults: ledger.faults().to_vec(),
    };
    report.verdict = verdict(&report);
    report.warnings = warnings(&report);
    report
}

fn interval(pairs: &Pentanomial) -> Option<[f64; 3]> {
    stats::score_interval(pairs).map(|(mean, low, high)| [mean, low, high])
}

fn empty_encounter<P: Position>(plan: &Plan<P>, index: usize) -> EncounterReport {
    let (a, b) = plan.encounters[index];
    EncounterReport {
        players: [a, b].map(|i| plan.players[i].name.clone()),
        indices: [a, b],
        tally: Tally::default(),
        pairs: Pentanomial::default(),
        score: None,
        elo: None,
        normalised_elo: None,
        superiority: None,
        as_black: Tally::default(),
        as_white: Tally::default(),
        distinct_games: 0,
    }
}

fn hang<P: Position>(plan: &Plan<P>, anchor: &AnchorChoice) -> (Anchor, String) {
    let elo = anchor.elo;
    let place = anchor
        .player
        .as_ref()
        .and_then(|name| plan.players.iter().position(|p| p.name == *name));
    match place {
        Some(i) => (
            Anchor::Player(i, elo),
            format!("{} is {elo:.0}", plan.players[i].name),
        ),
        None => (Anchor::Mean(elo), format!("the mean is {elo:.0}")),
    }
}

fn faults_of(ledger: &Ledger, player: usize) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for fault in ledger.faults() {
        if fault.player == player && fault.handling != Handling::Accepted {
            *counts.entry(fault.cause.name()).or_insert(0) += 1;
        }
    }
    counts
}

/// Whether the games are too much alike to carry a verdict.
fn too_alike(games: u64, distinct: u64) -> bool {
    2 * distinct < games
}

fn verdict(report: &Report) -> Verdict {
    let Some(test) = report.sprt else {
        return Verdict::None;
    };
    if too_alike(report.games, report.distinct_games) {
        return Verdict::Refused(format!(
            "only {} of {} games are distinct; play more openings",
            report.distinct_games, report.games
        ));
    }
    match test.decision {
        Decision::Accept => Verdict::Accept,
        Decision::Reject => Verdict::Reject,
        Decision::Open => Verdict::Undecided,
    }
}

fn warnings(report: &Report) -> Vec<String> {
    let mut warnings = Vec::new();
    if !report.complete {
        warnings.push(format!(
            "not finished: {} of {} pairs; the same command goes on",
            report.pairs_counted, report.pairs_scheduled
        ));
    }
    if report.pairs_dropped > 0 {
        warnings.push(format!(
            "{} pairs do not count because a player failed",
            report.pairs_dropped
        ));
    }
    for encounter in &report.encounters {
        let games = encounter.tally.games();
        if too_alike(games, encounter.distinct_games as u64) {
            warnings.push(format!(
                "{} against {}: only {} of {games} games are distinct, the others repeat them; intervals are too \
                 narrow, play more openings",
                encounter.players[0], encounter.players[1], encounter.distinct_games
            ));
        }
    }
    for player in &report.players {
        if player.late_moves > 0 {
            warnings.push(format!(
                "{}: {} moves came after their time, within the margin",
                player.name, player.late_moves
            ));
        }
    }
    warnings
}

/// The games that count, in order, with the number of their pair.
pub(crate) fn counted_games<'a, P: Position>(
    plan: &Plan<P>,
    ledger: &'a Ledger,
) -> Vec<(u64, usize, &'a GameRecord)> {
    let pairs = ledger.counted(plan).into_iter();
    pairs
        .flat_map(|p| [0, 1].map(|g| (p.number, g)))
        .filter_map(|(pair, game)| Some((pair, game, ledger.game(pair, game)?)))
        .collect()
}
