//! A live table on standard error: redrawn in place on a terminal, elsewhere a line now and then.

use evaluator::{Handling, Ledger, Plan};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use rules::Position;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often the table is redrawn at most.
const REDRAW: Duration = Duration::from_millis(200);
/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(15);
/// Rows of the table at most.
const ROWS: usize = 20;

/// The table of an event in progress.
pub struct Live {
    title: String,
    bar: Option<ProgressBar>,
    begun: Instant,
    shown: Mutex<Instant>,
}

impl Live {
    /// A table for `games` games, `before` of which an earlier run played.
    pub fn new(title: &str, games: u64, before: u64) -> Live {
        let bar = std::io::stderr().is_terminal().then(|| {
            let template = "{prefix} [{bar:32}] {pos}/{len} games, {eta} left\n{msg}";
            let style = ProgressStyle::with_template(template)
                .expect("a valid template")
                .progress_chars("=> ");
            let bar = ProgressBar::new(games).with_position(before);
            bar.set_style(style);
            bar.set_prefix(title.to_string());
            bar
        });
        if bar.is_none() {
            eprintln!("{title}: {before}/{games} games");
        }
        Live {
            title: title.to_string(),
            bar,
            begun: Instant::now(),
            shown: Mutex::new(Instant::now()),
        }
    }

    /// Shows where the event stands.
    pub fn show<P: Position>(&self, plan: &Plan<P>, ledger: &Ledger) {
        let wait = if self.bar.is_some() {
            REDRAW
        } else {
            LINE_EVERY
        };
        let mut shown = self.shown.lock().expect("no panic while held");
        if shown.elapsed() < wait {
            return;
        }
        *shown = Instant::now();
        match &self.bar {
            Some(bar) => {
                bar.set_position(ledger.games_played());
                bar.set_message(rows(plan, ledger).join("\n"));
            }
            None => eprintln!(
                "{}: {}/{} games, {}",
                self.title,
                ledger.games_played(),
                2 * plan.pairs(),
                rows(plan, ledger).join("; ")
            ),
        }
    }

    /// Takes the table away and prints a last line.
    pub fn finish(self, summary: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!(
            "{}: {summary} ({})",
            self.title,
            HumanDuration(self.begun.elapsed())
        );
    }
}

/// One row a player, the best score first.
fn rows<P: Position>(plan: &Plan<P>, ledger: &Ledger) -> Vec<String> {
    let mut points = vec![(0.0, 0u64); plan.players.len()];
    for (i, &(a, b)) in plan.encounters.iter().enumerate() {
        let (tally, _) = ledger.tally(plan, i);
        let won = tally.wins as f64 + 0.5 * tally.draws as f64;
        points[a].0 += won;
        points[b].0 += tally.games() as f64 - won;
        points[a].1 += tally.games();
        points[b].1 += tally.games();
    }
    let mut faults = vec![0; plan.players.len()];
    for fault in ledger.faults() {
        faults[fault.player] += u32::from(fault.handling != Handling::Accepted);
    }
    let mut order: Vec<usize> = (0..points.len()).collect();
    let score = |i: usize| points[i].0 / points[i].1.max(1) as f64;
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut rows: Vec<String> = order
        .into_iter()
        .take(ROWS)
        .map(|i| {
            let failed = match faults[i] {
                0 => String::new(),
                n => format!(", {n} faults"),
            };
            format!(
                "{} {}/{}{failed}",
                plan.players[i].name, points[i].0, points[i].1
            )
        })
        .collect();
    if let Some(test) = ledger.test(plan) {
        rows.push(format!(
            "LLR {:.2} ({:.2} to {:.2})",
            test.llr, test.lower, test.upper
        ));
    }
    rows
}
