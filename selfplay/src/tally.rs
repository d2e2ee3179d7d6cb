//! What came out of self-play, counted: by one worker, by all of them, and in the final report.

use records::{GameRecord, Refused, Written};
use rules::{Color, EndReason};
use std::collections::BTreeMap;
use std::time::Duration;

/// Progress of a job as workers report it, to be added up.
#[derive(Clone, Copy, Default, Debug)]
pub struct Progress {
    /// Games finished.
    pub games: u64,
    /// Plies of these games.
    pub plies: u64,
    /// Positions evaluated by the network.
    pub evaluations: u64,
    /// Network calls.
    pub batches: u64,
    /// Positions that searches asked for, whether the cache knew them or not.
    pub lookups: u64,
    /// Those that the cache knew.
    pub hits: u64,
}

/// Where the workers' time went, summed over workers.
#[derive(Clone, Copy, Default, PartialEq, Debug, serde::Serialize)]
pub struct Times {
    /// Trees, rules, the cache, or a player that is no network.
    pub search: Duration,
    /// Turning positions into network input.
    pub encode: Duration,
    /// In the network, policy logits included; with shared batches also the wait for it.
    pub network: Duration,
    /// Checking and writing finished games.
    pub records: Duration,
    /// Opening networks, and waiting for the other workers at the end.
    pub idle: Duration,
}

impl Times {
    /// Name and time of each stage.
    pub fn stages(&self) -> [(&'static str, Duration); 5] {
        [
            ("search", self.search),
            ("encode", self.encode),
            ("network", self.network),
            ("records", self.records),
            ("idle", self.idle),
        ]
    }

    /// All of it.
    pub fn total(&self) -> Duration {
        self.stages().iter().map(|stage| stage.1).sum()
    }

    fn add(&mut self, other: Times) {
        self.search += other.search;
        self.encode += other.encode;
        self.network += other.network;
        self.records += other.records;
        self.idle += other.idle;
    }
}

/// Resignation in numbers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Resignations {
    /// Games that ended by it.
    pub resigned: u64,
    /// Games that were played on, where a side would have resigned.
    pub played_on: u64,
    /// Those of them that this side did not lose.
    pub wrong: u64,
}

impl Resignations {
    /// Share of resignations that would have been wrong, 0 to 1; `None` without games that were played on.
    pub fn false_positive_rate(&self) -> Option<f64> {
        (self.played_on > 0).then(|| self.wrong as f64 / self.played_on as f64)
    }

    fn count(&mut self, game: &GameRecord) {
        if game.reason == EndReason::Resignation {
            self.resigned += 1;
        } else if let Some(side) = game.resign_side {
            self.played_on += 1;
            self.wrong += u64::from(game.winner != Some(side.opponent()));
        }
    }
}

/// What one worker, or all of them, did.
#[derive(Clone, Default, Debug, serde::Serialize)]
pub struct Tally {
    /// Games finished and written.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Games that Black won.
    pub black_wins: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Games by end reason.
    pub end_reasons: BTreeMap<&'static str, u64>,
    /// Rows (plies) by end reason of their game.
    pub end_reason_rows: BTreeMap<&'static str, u64>,
    /// Resignation.
    pub resign: Resignations,
    /// Games in flight when the stop flag was set; they will be played again.
    pub dropped: u64,
    /// Games whose start position was decided already; they have no rows.
    pub decided_at_start: u64,
    /// Games that a player could not finish, as text; they will be played again.
    pub faults: Vec<String>,
    /// Positions evaluated by the network.
    pub evaluations: u64,
    /// Network calls.
    pub batches: u64,
    /// Positions that searches asked for.
    pub lookups: u64,
    /// Those that the cache knew.
    pub hits: u64,
    /// Where the time went.
    pub times: Times,
    /// Pairs of files written.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, game: &GameRecord) {
        let plies = u64::from(game.plies());
        self.games += 1;
        self.plies += plies;
        match game.winner {
            Some(Color::Black) => self.black_wins += 1,
            Some(Color::White) => self.white_wins += 1,
            None => {}
        }
        *self.end_reasons.entry(game.reason.name()).or_insert(0) += 1;
        *self.end_reason_rows.entry(game.reason.name()).or_insert(0) += plies;
        self.resign.count(game);
    }

    pub(crate) fn count_file(&mut self, written: Option<Written>) {
        if let Some(written) = written {
            self.files += 1;
            self.bytes += written.bytes;
        }
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.games += other.games;
        self.plies += other.plies;
        self.black_wins += other.black_wins;
        self.white_wins += other.white_wins;
        for (reason, count) in other.end_reasons {
            *self.end_reasons.entry(reason).or_insert(0) += count;
        }
        for (reason, count) in other.end_reason_rows {
            *self.end_reason_rows.entry(reason).or_insert(0) += count;
        }
        self.resign.resigned += other.resign.resigned;
        self.resign.played_on += other.resign.played_on;
        self.resign.wrong += other.resign.wrong;
        self.dropped += other.dropped;
        self.decided_at_start += other.decided_at_start;
        self.faults.extend(other.faults);
        self.evaluations += other.evaluations;
        self.batches += other.batches;
        self.lookups += other.lookups;
        self.hits += other.hits;
        self.times.add(other.times);
        self.files += other.files;
        self.bytes += other.bytes;
    }
}

/// Result of [`run`](crate::run).
#[derive(Clone, Debug, serde::Serialize)]
pub struct Report {
    /// All workers together.
    pub tally: Tally,
    /// Games of this generation that were there before.
    pub already_there: u64,
    /// Games still missing because of a stop, a newer network, or a player's fault.
    pub missing: u64,
    /// Files of this run that were not read, with reasons.
    pub refused: Vec<Refused>,
    /// Wall-clock time.
    pub duration: Duration,
    /// Worker threads.
    pub workers: usize,
    /// Positions a network call has at most.
    pub max_batch: usize,
}

impl Report {
    /// Share of the workers' time spent in the network, 0 to 1.
    pub fn network_share(&self) -> f64 {
        share(
            self.tally.times.network.as_secs_f64(),
            self.tally.times.total().as_secs_f64(),
        )
    }

    /// Mean batch size.
    pub fn mean_batch(&self) -> f64 {
        share(self.tally.evaluations as f64, self.tally.batches as f64)
    }

    /// Mean batch size as a share of the largest, 0 to 1.
    pub fn batch_fill(&self) -> f64 {
        self.mean_batch() / self.max_batch.max(1) as f64
    }

    /// Share of the positions asked for that the cache knew, 0 to 1.
    pub fn cache_hits(&self) -> f64 {
        share(self.tally.hits as f64, self.tally.lookups as f64)
    }

    /// Evaluations a second.
    pub fn evaluations_per_second(&self) -> f64 {
        share(self.tally.evaluations as f64, self.duration.as_secs_f64())
    }
}

/// `part / whole`, 0 where there is nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(reason: EndReason, winner: Option<Color>, resign: Option<(Color, u32)>) -> GameRecord {
        GameRecord {
            id: "000000-000000".into(),
            generation: 0,
            index: 0,
            rules: String::new(),
            start_sfen: String::new(),
            moves: "a b c".into(),
            winner,
            reason,
            final_sfen: String::new(),
            seed: 0,
            black: String::new(),
            white: String::new(),
            network: None,
            play_on: resign.is_some() && reason != EndReason::Resignation,
            resign_side: resign.map(|r| r.0),
            resign_ply: resign.map(|r| r.1),
            start_unix_ms: 0,
            duration_ms: 0,
        }
    }

    #[test]
    fn false_positives_are_games_that_the_resigner_did_not_lose() {
        use Color::{Black, White};
        use EndReason::{NoMoves, PlyCap, Resignation};
        let mut tally = Tally::default();
        for (reason, winner, resign) in [
            (Resignation, Some(White), Some((Black, 3))),
            (NoMoves, Some(White), Some((Black, 2))), // right
            (NoMoves, Some(Black), Some((Black, 2))), // wrong: it won
            (PlyCap, None, Some((White, 2))),         // wrong: nobody won
            (NoMoves, Some(White), Some((Black, 1))), // right
            (NoMoves, Some(White), None),
        ] {
            tally.count(&game(reason, winner, resign));
        }
        let resign = tally.resign;
        assert_eq!((resign.resigned, resign.played_on, resign.wrong), (1, 4, 2));
        assert_eq!(resign.false_positive_rate(), Some(0.5));
        assert_eq!(tally.end_reasons["no_moves"], 4);
        assert_eq!(tally.end_reason_rows["no_moves"], 12);
        assert_eq!(Resignations::default().false_positive_rate(), None);
    }
}
