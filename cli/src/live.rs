//! Self-play as it is watched: counters that workers add to, and the thread that shows them.

use crate::progress::Stage;
use crate::status::{State, Status, StatusFile};
use selfplay::Progress;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the line on the terminal is renewed.
const SHOW_EVERY: Duration = Duration::from_millis(250);
/// How often the status file is.
const WRITE_EVERY: Duration = Duration::from_secs(2);

/// Sums of what the workers report.
#[derive(Default)]
pub struct Counters {
    games: AtomicU64,
    plies: AtomicU64,
    evaluations: AtomicU64,
    batches: AtomicU64,
    lookups: AtomicU64,
    hits: AtomicU64,
}

impl Counters {
    /// Adds news of a worker.
    pub fn add(&self, news: Progress) {
        for (sum, value) in [
            (&self.games, news.games),
            (&self.plies, news.plies),
            (&self.evaluations, news.evaluations),
            (&self.batches, news.batches),
            (&self.lookups, news.lookups),
            (&self.hits, news.hits),
        ] {
            sum.fetch_add(value, Ordering::Relaxed);
        }
    }

    /// The sums so far.
    pub fn sums(&self) -> Progress {
        let of = |sum: &AtomicU64| sum.load(Ordering::Relaxed);
        Progress {
            games: of(&self.games),
            plies: of(&self.plies),
            evaluations: of(&self.evaluations),
            batches: of(&self.batches),
            lookups: of(&self.lookups),
            hits: of(&self.hits),
        }
    }
}

/// What is watched.
pub struct Watch<'a> {
    pub counters: &'a Counters,
    pub run: &'a Path,
    pub generation: u32,
    /// Games of the generation that were there before, and how many there should be.
    pub before: u64,
    pub wanted: u64,
    pub max_batch: usize,
}

impl Watch<'_> {
    /// Shows and writes the counters until `done` is set and the thread is unparked; returns the stage for its summary,
    /// and the last status.
    pub fn run(&self, done: &AtomicBool) -> (Stage, Status) {
        let name = format!("self-play, generation {}", self.generation);
        let stage = Stage::new(&name, self.wanted, self.before);
        let mut file = StatusFile::of(self.run);
        let mut status = Status::new(self.generation, self.before, self.wanted);
        status.write(&mut file);
        let (begun, mut written) = (Instant::now(), Instant::now());
        loop {
            let over = done.load(Ordering::Acquire);
            self.update(&mut status, begun.elapsed());
            if over {
                return (stage, status);
            }
            stage.set(status.games_done, &line(&status));
            if written.elapsed() >= WRITE_EVERY {
                status.write(&mut file);
                written = Instant::now();
            }
            std::thread::park_timeout(SHOW_EVERY);
        }
    }

    /// Writes the last status.
    pub fn finish(&self, mut status: Status, state: State) {
        status.state = state;
        status.seconds_left = (state == State::Finished).then_some(0.0);
        status.write(&mut StatusFile::of(self.run));
    }

    fn update(&self, status: &mut Status, elapsed: Duration) {
        let sums = self.counters.sums();
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        status.games_done = self.before + sums.games;
        status.plies = sums.plies;
        status.evals_per_s = sums.evaluations as f64 / seconds;
        status.positions_per_s = sums.plies as f64 / seconds;
        status.batch_fill = share(sums.evaluations, sums.batches) / self.max_batch.max(1) as f64;
        status.cache_hits = share(sums.hits, sums.lookups);
        let left = self.wanted.saturating_sub(status.games_done);
        status.seconds_left = (sums.games > 0).then(|| seconds * left as f64 / sums.games as f64);
    }
}

/// The live line, behind the number of games.
fn line(status: &Status) -> String {
    format!(
        "games, {} positions, {:.0} evals/s, batches {:.0} % full, cache {:.0} %",
        status.plies,
        status.evals_per_s,
        100.0 * status.batch_fill,
        100.0 * status.cache_hits
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_time_left_follow_from_the_counters() {
        let counters = Counters::default();
        for _ in 0..2 {
            counters.add(Progress {
                games: 5,
                plies: 500,
                evaluations: 4000,
                batches: 250,
                lookups: 5000,
                hits: 1000,
            });
        }
        let dir = tempfile::tempdir().unwrap();
        let watch = Watch {
            counters: &counters,
            run: dir.path(),
            generation: 2,
            before: 30,
            wanted: 100,
            max_batch: 32,
        };
        let mut status = Status::new(2, 30, 100);
        watch.update(&mut status, Duration::from_secs(20));
        assert_eq!((status.games_done, status.plies), (40, 1000));
        assert_eq!((status.evals_per_s, status.positions_per_s), (400.0, 50.0));
        assert_eq!((status.batch_fill, status.cache_hits), (0.5, 0.2));
        assert_eq!(status.seconds_left, Some(120.0)); // 60 games at one in two seconds
        watch.finish(status, State::Finished);
        let text = std::fs::read_to_string(dir.path().join("status.json")).unwrap();
        assert!(text.contains("\"state\": \"finished\""), "{text}");
    }
}
