//! A report for terminals.

use super::{EncounterReport, Report, Spread, Verdict};
use crate::stats::{Estimate, Tally};
use std::fmt::Write;

/// The whole report.
pub fn text(report: &Report) -> String {
    let mut out = format!(
        "{}: {} ({}), {} of {} pairs count, {} games, {} distinct\n",
        report.title,
        report.game,
        report.rules,
        report.pairs_counted,
        report.pairs_scheduled,
        report.games,
        report.distinct_games
    );
    standings(&mut out, report);
    if report.players.len() > 2 {
        cross_table(&mut out, report);
    }
    for encounter in &report.encounters {
        let _ = writeln!(
            out,
            "{} against {}: {}",
            encounter.players[0],
            encounter.players[1],
            encounter_line(encounter)
        );
    }
    let black = &report.black;
    if let Some(score) = black.score {
        let _ = writeln!(out, "Black: {} {}", wdl(&black.tally), percents(score));
    }
    if let (Some(plies), Some(seconds)) = (report.plies, report.seconds) {
        let _ = writeln!(out, "plies a game: {}", spread(plies, 0));
        let _ = writeln!(out, "seconds a game: {}", spread(seconds, 2));
    }
    if !report.end_reasons.is_empty() {
        let _ = writeln!(out, "ends: {}", counts(&report.end_reasons));
    }
    for player in report.players.iter().filter(|p| !p.faults.is_empty()) {
        let _ = writeln!(out, "faults of {}: {}", player.name, counts(&player.faults));
    }
    if let Some(test) = report.sprt {
        let p = test.params;
        let _ = writeln!(
            out,
            "test of normalised Elo {} against {} (errors {}, {}): LLR {:.2} of {:.2} to {:.2} after {} pairs: {}",
            p.elo0,
            p.elo1,
            p.alpha,
            p.beta,
            test.llr,
            test.lower,
            test.upper,
            test.pairs,
            verdict_words(&report.verdict)
        );
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "warning: {warning}");
    }
    out
}

/// What a verdict means.
pub(super) fn verdict_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Accept => "accept".into(),
        Verdict::Reject => "reject".into(),
        Verdict::Undecided => "undecided, the games did not suffice".into(),
        Verdict::Refused(reason) => format!("refused: {reason}"),
        Verdict::None => "no test".into(),
    }
}

/// A match of two in one line.
pub fn one_line(report: &Report) -> String {
    let Some(encounter) = report.encounters.first() else {
        return "no games".into();
    };
    let plies = report.plies.map_or(0.0, |p| p.mean);
    format!(
        "{}; {} distinct games of {}, {plies:.0} plies on average, {}",
        encounter_line(encounter),
        report.distinct_games,
        report.games,
        counts(&report.end_reasons),
    )
}

/// `+3 =1 -0: 87.5 % (95 %: ...), Elo ..., likelihood of superiority 99.9 %`
fn encounter_line(encounter: &EncounterReport) -> String {
    let Some(score) = encounter.score else {
        return "no whole pair of games".into();
    };
    let mut line = format!("{}: {}", wdl(&encounter.tally), percents(score));
    if let Some(elo) = encounter.elo {
        line += &format!(", Elo {}", estimate(&elo));
    }
    if let Some(p) = encounter.superiority {
        line += &format!(", likelihood of superiority {:.1} %", 100.0 * p);
    }
    line
}

/// `+338 (+248 to +inf)`; where the estimate is infinite only the range.
pub(super) fn estimate(elo: &Estimate) -> String {
    // Adding 0 makes a rounded -0 a plain 0.
    let whole = |x: f64| format!("{:+}", x.round() + 0.0);
    let bound = |x: Option<f64>, none: &str| x.map_or(none.to_string(), whole);
    let range = format!("{} to {}", bound(elo.low, "-inf"), bound(elo.high, "+inf"));
    match elo.value {
        Some(value) => format!("{} ({range})", whole(value)),
        None => range,
    }
}

pub(super) fn wdl(tally: &Tally) -> String {
    format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses)
}

pub(super) fn percents([mean, low, high]: [f64; 3]) -> String {
    format!(
        "{:.1} % (95 %: {:.1} to {:.1})",
        100.0 * mean,
        100.0 * low,
        100.0 * high
    )
}

pub(super) fn counts(counts: &std::collections::BTreeMap<&'static str, u64>) -> String {
    let words: Vec<String> = counts.iter().map(|(k, n)| format!("{n} {k}")).collect();
    words.join(", ")
}

pub(super) fn spread(s: Spread, digits: usize) -> String {
    format!(
        "mean {:.digits$}, median {:.digits$}, from {:.digits$} to {:.digits$}",
        s.mean, s.median, s.min, s.max
    )
}

/// Players by rating, the best first; unrated ones last.
pub(super) fn ranking(report: &Report) -> Vec<usize> {
    let mut order: Vec<usize> = (0..report.players.len()).collect();
    let elo = |i: usize| {
        let rating = report.players[i].rating.elo;
        rating.and_then(|e| e.value).unwrap_or(f64::NEG_INFINITY)
    };
    order.sort_by(|&a, &b| elo(b).total_cmp(&elo(a)));
    order
}

pub(super) fn rating_words(report: &Report, player: usize) -> String {
    let rating = &report.players[player].rating;
    match rating.elo {
        None => "not enough games".into(),
        Some(elo) if rating.one_sided => format!("about {}", estimate(&elo)),
        Some(elo) => estimate(&elo),
    }
}

fn standings(out: &mut String, report: &Report) {
    let rows: Vec<[String; 4]> = ranking(report)
        .into_iter()
        .map(|i| {
            let player = &report.players[i];
            let score = player.tally.score();
            [
                player.name.clone(),
                rating_words(report, i),
                score.map_or("-".into(), |s| format!("{:.1} %", 100.0 * s)),
                wdl(&player.tally),
            ]
        })
        .collect();
    let _ = writeln!(out, "Elo, {}:", report.anchor);
    table(out, &rows);
}

fn table<const N: usize>(out: &mut String, rows: &[[String; N]]) {
    let width: [usize; N] =
        std::array::from_fn(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0));
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(width) {
            let _ = write!(line, " {cell:width$} ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Points of the row's player by games against the column's.
fn cross_table(out: &mut String, report: &Report) {
    let order = ranking(report);
    let _ = writeln!(out, "points against each:");
    for (place, &a) in order.iter().enumerate() {
        let cells: Vec<String> = order
            .iter()
            .map(|&b| match between(report, a, b) {
                Some(t) => format!("{:>11}", points(&t)),
                None => format!("{:>11}", if a == b { "-" } else { "" }),
            })
            .collect();
        let _ = writeln!(
            out,
            "  {:>2}. {} {}",
            place + 1,
            cells.join(" "),
            report.players[a].name
        );
    }
}

pub(super) fn points(tally: &Tally) -> String {
    let points = tally.wins as f64 + 0.5 * tally.draws as f64;
    format!("{points}/{}", tally.games())
}

/// Results of `a` against `b`, if they met.
pub(super) fn between(report: &Report, a: usize, b: usize) -> Option<Tally> {
    report.encounters.iter().find_map(|e| match e.indices {
        [x, y] if (x, y) == (a, b) => Some(e.tally),
        [x, y] if (x, y) == (b, a) => Some(e.tally.swapped()),
        _ => None,
    })
}
