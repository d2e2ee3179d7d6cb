//! A report as one page that needs nothing but itself: plots as inline SVG, games to be replayed by a small script.

use super::boards::{Film, Lines, film};
use super::plot::{Point, escape, histogram, interval_plot, line_plot};
use super::text::{
    between, counts, estimate, percents, points, ranking, rating_words, spread, verdict_words, wdl,
};
use super::{Report, Verdict, counted_games};
use crate::event::{Ledger, Plan};
use crate::fault::Handling;
use crate::stats::Pentanomial;
use rules::Color;
use rules::import::GameText;
use rules::show::Show;
use std::fmt::Write;

/// The page of an event, with at most `boards` games to be replayed.
pub fn html<P: Show + GameText>(
    report: &Report,
    plan: &Plan<P>,
    ledger: &Ledger,
    boards: usize,
) -> String {
    let mut out = String::new();
    head(&mut out, report);
    standings(&mut out, report);
    if report.players.len() > 2 {
        cross_table(&mut out, report);
    }
    encounters(&mut out, report);
    test(&mut out, report, plan, ledger);
    games(&mut out, report, plan, ledger);
    faults(&mut out, report);
    replay(&mut out, plan, ledger, boards);
    page(&report.title, &out)
}

/// A page around a body.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title>\n<style>\n{}</style></head>\n<body>\n{body}</body></html>\n",
        escape(title),
        include_str!("page.css")
    )
}

fn head(out: &mut String, report: &Report) {
    let _ = write!(
        out,
        "<h1>{}</h1>\n<p class=\"sub\">{} by the rules {}; {} of {} pairs count, {} games, {} of them distinct</p>\n",
        escape(&report.title),
        report.game,
        escape(&report.rules),
        report.pairs_counted,
        report.pairs_scheduled,
        report.games,
        report.distinct_games
    );
    if report.verdict != Verdict::None {
        let words = escape(&verdict_words(&report.verdict));
        let _ = writeln!(out, "<p class=\"verdict\"><b>Verdict:</b> {words}</p>");
    }
    for warning in &report.warnings {
        let warning = escape(warning);
        let _ = writeln!(out, "<p class=\"verdict warning\">{warning}</p>");
    }
}

fn standings(out: &mut String, report: &Report) {
    let _ = writeln!(
        out,
        "<h2>Ratings</h2>\n<p class=\"sub\">Elo with 95 % intervals; {}</p>",
        escape(&report.anchor)
    );
    let order = ranking(report);
    let dots: Vec<Point> = order
        .iter()
        .filter_map(|&i| {
            let elo = report.players[i].rating.elo?;
            Some(Point {
                label: report.players[i].name.clone(),
                value: elo.value?,
                low: elo.low,
                high: elo.high,
            })
        })
        .collect();
    if !dots.is_empty() {
        let _ = writeln!(out, "{}", interval_plot(&dots, "Elo"));
    }
    let rows = order.iter().map(|&i| {
        let player = &report.players[i];
        let score = player
            .tally
            .score()
            .map_or("-".into(), |s| format!("{:.1} %", 100.0 * s));
        let games = player.tally.games().to_string();
        vec![
            player.name.clone(),
            rating_words(report, i),
            games,
            score,
            wdl(&player.tally),
        ]
    });
    table(
        out,
        &["player", "Elo", "games", "score", "won, drawn, lost"],
        rows,
    );
}

fn cross_table(out: &mut String, report: &Report) {
    let order = ranking(report);
    let _ = writeln!(
        out,
        "<h2>Cross table</h2>\n<p class=\"sub\">Points of the row's player by games, and the probability that it is the stronger one</p>"
    );
    let numbers: Vec<String> = (1..=order.len()).map(|n| n.to_string()).collect();
    let mut heads = vec!["player"];
    heads.extend(numbers.iter().map(String::as_str));
    let rows = order.iter().enumerate().map(|(place, &a)| {
        let mut row = vec![format!("{}. {}", place + 1, report.players[a].name)];
        row.extend(order.iter().map(|&b| match between(report, a, b) {
            Some(tally) => {
                let los = report.superiority[a][b];
                let los = los.map_or(String::new(), |p| format!(" · {:.1} %", 100.0 * p));
                format!("{}{los}", points(&tally))
            }
            None => String::new(),
        }));
        row
    });
    table(out, &heads, rows);
}

fn encounters(out: &mut String, report: &Report) {
    let _ = writeln!(out, "<h2>Encounters</h2>");
    let rows = report.encounters.iter().map(|e| {
        let pairs: Vec<String> = e.pairs.iter().map(ToString::to_string).collect();
        let none = || "-".to_string();
        vec![
            format!("{} – {}", e.players[0], e.players[1]),
            wdl(&e.tally),
            pairs.join(" "),
            e.score.map_or_else(none, percents),
            e.elo.as_ref().map_or_else(none, estimate),
            e.normalised_elo.map_or_else(none, |x| format!("{x:+.0}")),
            e.superiority
                .map_or_else(none, |p| format!("{:.1} %", 100.0 * p)),
            format!("{} / {}", wdl(&e.as_black), wdl(&e.as_white)),
            e.distinct_games.to_string(),
        ]
    });
    let heads = [
        "players",
        "games",
        "pairs 0 ½ 1 1½ 2",
        "score",
        "Elo",
        "nElo",
        "superior",
        "as Black / White",
        "distinct",
    ];
    table(out, &heads, rows);
}

fn test<P: GameText>(out: &mut String, report: &Report, plan: &Plan<P>, ledger: &Ledger) {
    let Some(test) = report.sprt else { return };
    let p = test.params;
    let _ = writeln!(
        out,
        "<h2>Test</h2>\n<p class=\"sub\">Normalised Elo {} against {}, errors {} and {}: log-likelihood ratio {:.2} after {} pairs</p>",
        p.elo0, p.elo1, p.alpha, p.beta, test.llr, test.pairs
    );
    let mut pairs = Pentanomial::default();
    let mut path = vec![(0.0, 0.0)];
    for pairing in ledger.counted(plan) {
        pairs[ledger
            .points(pairing.number)
            .expect("counted pairs are complete")] += 1;
        path.push((path.len() as f64, p.test(&pairs).llr));
    }
    // A long path is drawn with at most a thousand points, the last one always.
    let stride = path.len().div_ceil(1000);
    let last = path.len() - 1;
    let path: Vec<(f64, f64)> = path
        .into_iter()
        .enumerate()
        .filter(|(i, _)| i % stride == 0 || *i == last)
        .map(|(_, point)| point)
        .collect();
    let marks = [(test.upper, "accept"), (test.lower, "reject")];
    let axes = ["pairs", "log-likelihood ratio"];
    let _ = writeln!(out, "{}", line_plot(&path, &[], &marks, axes));
}

fn games<P: GameText>(out: &mut String, report: &Report, plan: &Plan<P>, ledger: &Ledger) {
    let _ = writeln!(out, "<h2>Games</h2>");
    let mut rows = Vec::new();
    if let Some(score) = report.black.score {
        let words = format!("{} {}", wdl(&report.black.tally), percents(score));
        rows.push(vec!["Black".to_string(), words]);
    }
    if let (Some(plies), Some(seconds)) = (report.plies, report.seconds) {
        rows.push(vec!["plies a game".into(), spread(plies, 0)]);
        rows.push(vec!["seconds a game".into(), spread(seconds, 2)]);
    }
    rows.push(vec!["ends".into(), counts(&report.end_reasons)]);
    table(out, &["", ""], rows.into_iter());
    let plies: Vec<f64> = counted_games(plan, ledger)
        .iter()
        .map(|(_, _, game)| f64::from(game.plies()))
        .collect();
    if !plies.is_empty() {
        let _ = writeln!(out, "<p></p>{}", histogram(&plies, "plies a game"));
    }
}

fn faults(out: &mut String, report: &Report) {
    if report.faults.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<h2>Faults</h2>\n<p class=\"sub\">Never a result. Files lie beside this page.</p>"
    );
    let rows = report.faults.iter().map(|f| {
        let handling = match f.handling {
            Handling::Replayed => "played again",
            Handling::Dropped => "pair dropped",
            Handling::Accepted => "accepted",
        };
        vec![
            f.name.clone(),
            f.cause.name().to_string(),
            format!("{}.{}", f.pair + 1, f.game + 1),
            handling.to_string(),
            f.what.clone(),
            f.file.clone().unwrap_or_default(),
        ]
    });
    table(
        out,
        &["player", "cause", "game", "handling", "what", "file"],
        rows,
    );
}

/// The games to look at: the first pair of each encounter, then the shortest and the longest game.
fn chosen<P: GameText>(plan: &Plan<P>, ledger: &Ledger, boards: usize) -> Vec<(u64, usize)> {
    let games = counted_games(plan, ledger);
    let firsts = games
        .iter()
        .filter(|(pair, _, _)| plan.pairing(*pair).opening == 0)
        .map(|(pair, game, _)| (*pair, *game));
    let length = |(_, _, game): &&(u64, usize, &records::GameRecord)| game.plies();
    let ends = [
        games.iter().min_by_key(length),
        games.iter().max_by_key(length),
    ];
    let ends = ends
        .into_iter()
        .flatten()
        .map(|(pair, game, _)| (*pair, *game));
    let mut list: Vec<(u64, usize)> = Vec::new();
    for one in firsts.take(boards.saturating_sub(2)).chain(ends) {
        if list.len() < boards && !list.contains(&one) {
            list.push(one);
        }
    }
    list
}

fn replay<P: Show + GameText>(out: &mut String, plan: &Plan<P>, ledger: &Ledger, boards: usize) {
    let mut lines = Lines::default();
    let films: Vec<Film> = chosen(plan, ledger, boards)
        .into_iter()
        .filter_map(|(pair, number)| {
            let game = ledger.game(pair, number)?;
            let result = match game.winner {
                Some(Color::Black) => "1-0",
                Some(Color::White) => "0-1",
                None => "½-½",
            };
            let title = format!(
                "{}.{} {} – {} {result} ({}, {} plies)",
                pair + 1,
                number + 1,
                game.black,
                game.white,
                game.reason.name(),
                game.plies()
            );
            film::<P>(title, game, &mut lines)
        })
        .collect();
    if films.is_empty() {
        return;
    }
    let options: String = films
        .iter()
        .enumerate()
        .map(|(i, f)| format!("<option value=\"{i}\">{}</option>", escape(&f.title)))
        .collect();
    let data = serde_json::json!({ "lines": lines.list(), "films": films });
    // Tags must not stand inside a script element; JSON may write `<` as an escape.
    let data = data.to_string().replace('<', "\\u003c");
    let _ = write!(
        out,
        "<h2>Boards</h2>\n<div class=\"player\"><select id=\"game\">{options}</select></div>\n\
         <div class=\"player\"><button id=\"first\">|&lt;</button><button id=\"back\">&lt;</button>\
         <button id=\"play\">Play</button><button id=\"next\">&gt;</button><button id=\"last\">&gt;|</button>\
         <input type=\"range\" id=\"ply\" min=\"0\" value=\"0\"><span id=\"count\"></span></div>\n\
         <div id=\"board\"></div>\n<p id=\"moves\"></p>\n\
         <script type=\"application/json\" id=\"films\">{data}</script>\n<script>\n{}</script>\n",
        include_str!("film.js")
    );
}

/// A table; the first column is words.
pub(crate) fn table(out: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = write!(out, "<div class=\"scroll\"><table>");
    if heads.iter().any(|h| !h.is_empty()) {
        let _ = write!(out, "<tr>");
        for head in heads {
            let _ = write!(out, "<th>{}</th>", escape(head));
        }
        let _ = write!(out, "</tr>");
    }
    for row in rows {
        let _ = write!(out, "<tr>");
        for cell in row {
            let class = if cell.chars().count() > 60 {
                " class=\"words\""
            } else {
                ""
            };
            let _ = write!(out, "<td{class}>{}</td>", escape(&cell));
        }
        let _ = writeln!(out, "</tr>");
    }
    let _ = writeln!(out, "</table></div>");
}
