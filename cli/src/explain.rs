//! `selfplay --explain-speed`: where the time went, what limits, and which setting to try.

use selfplay::{Report, SelfplayParams};
use std::fmt::Write;

/// The explanation in words, some lines.
pub fn explain(report: &Report, params: &SelfplayParams) -> String {
    let mut text = String::new();
    let tally = &report.tally;
    let all = tally.times.total().as_secs_f64().max(1e-9);
    let seconds = report.duration.as_secs_f64().max(1e-9);
    let mut line = |name: &str, value: String| {
        writeln!(text, "{name:<22}{value}").expect("a string takes everything");
    };
    line(
        "speed",
        format!(
            "{:.0} evals/s, {:.0} positions/s, {:.0} games/h on {} workers",
            report.evaluations_per_second(),
            tally.plies as f64 / seconds,
            3600.0 * tally.games as f64 / seconds,
            report.workers
        ),
    );
    for (name, time) in tally.times.stages() {
        let share = 100.0 * time.as_secs_f64() / all;
        let per = match (name, tally.lookups, tally.evaluations) {
            ("search", n @ 1.., _) | ("encode" | "network", _, n @ 1..) => {
                format!(", {:.1} us a position", 1e6 * time.as_secs_f64() / n as f64)
            }
            _ => String::new(),
        };
        line(&format!("time in {name}"), format!("{share:>5.1} %{per}"));
    }
    line(
        "batches",
        format!(
            "{:.1} of {} positions on average, {:.0} % full",
            report.mean_batch(),
            report.max_batch,
            100.0 * report.batch_fill()
        ),
    );
    line(
        "cache",
        format!(
            "{:.1} % of the positions known",
            100.0 * report.cache_hits()
        ),
    );
    let (limit, advice) = verdict(report, params);
    line("limited by", limit);
    line("try", advice);
    text
}

/// What limits, and what to try.
fn verdict(report: &Report, params: &SelfplayParams) -> (String, String) {
    let times = &report.tally.times;
    let all = times.total().as_secs_f64().max(1e-9);
    let share = |name: &str| {
        let stage = times.stages().into_iter().find(|stage| stage.0 == name);
        stage.map_or(0.0, |(_, time)| time.as_secs_f64() / all)
    };
    let say = |limit: &str, advice: &str| (limit.to_string(), advice.to_string());
    if report.tally.games == 0 {
        return say("no game was finished", "let it run for longer");
    }
    if share("idle") > 0.2 {
        return say(
            "workers that wait for the last games, or open their network",
            "more selfplay.games a generation, a multiple of the workers, or fewer selfplay.games_in_flight",
        );
    }
    if share("records") > 0.1 {
        return say(
            "checking and writing games",
            "a faster disk for the run directory, or more playouts a move",
        );
    }
    if report.tally.evaluations == 0 {
        return say(
            "the player's thinking",
            "a smaller depth or node limit in selfplay.player",
        );
    }
    if share("network") >= 0.5 {
        if report.batch_fill() < 0.6 && share("network") > 0.9 && params.shares_batches() {
            return say(
                "the network, in batches that are not full",
                "more selfplay.games_in_flight, or a longer selfplay.batcher.wait_us",
            );
        }
        return say(
            "the network, as it should be",
            match params.shares_batches() {
                true => "more selfplay.games_in_flight for larger batches; a smaller network",
                false => {
                    "another selfplay.backend (tenjiku bench network compares); fewer search.visits or a smaller full_share; a smaller network"
                }
            },
        );
    }
    say(
        "the search itself",
        match params.shares_batches() {
            true => "more selfplay.workers: the network waits for search threads",
            false => "nothing: the network is small next to the rules; a larger one costs little",
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay::{Tally, Times};
    use std::time::Duration;

    fn report(search: u64, network: u64, idle: u64) -> Report {
        let second = Duration::from_secs;
        Report {
            tally: Tally {
                games: 36,
                plies: 3600,
                evaluations: 100_000,
                batches: 6250,
                lookups: 125_000,
                hits: 25_000,
                times: Times {
                    search: second(search),
                    encode: second(1),
                    network: second(network),
                    records: second(1),
                    idle: second(idle),
                },
                ..Tally::default()
            },
            already_there: 0,
            missing: 0,
            refused: Vec::new(),
            duration: second(50),
            workers: 2,
            max_batch: 32,
        }
    }

    #[test]
    fn figures_and_verdict_follow_from_the_report() {
        let params = SelfplayParams::default();
        let text = explain(&report(8, 88, 2), &params);
        for part in [
            "2000 evals/s, 72 positions/s, 2592 games/h on 2 workers",
            "time in network        88.0 %, 880.0 us a position",
            "time in search          8.0 %, 64.0 us a position",
            "16.0 of 32 positions on average, 50 % full",
            "20.0 % of the positions known",
            "limited by            the network",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(explain(&report(8, 60, 30), &params).contains("wait for the last games"));
        assert!(explain(&report(80, 16, 2), &params).contains("the search itself"));
    }
}
