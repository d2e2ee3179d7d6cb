//! Players that fail: what is told of it. A fault is never a result.

use engine::Fault;

/// Why a player could not go on.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The program ended or closed its pipe.
    Crash,
    /// No answer at all.
    Hang,
    /// An answer that is no legal move.
    IllegalMove,
    /// An answer after the time allowed and the margin.
    Time,
    /// Anything else: a network with non-finite numbers, a start position the program cannot have.
    Failure,
}

impl Cause {
    /// The name in files and reports, e.g. `illegal_move`.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Crash => "crash",
            Cause::Hang => "hang",
            Cause::IllegalMove => "illegal_move",
            Cause::Time => "time",
            Cause::Failure => "failure",
        }
    }

    /// The cause of an engine's fault.
    pub fn of(fault: &Fault) -> Cause {
        match fault {
            Fault::Crash { .. } => Cause::Crash,
            Fault::Hang { .. } => Cause::Hang,
            Fault::IllegalMove { .. } => Cause::IllegalMove,
            Fault::Failure { .. } => Cause::Failure,
        }
    }
}

/// What is done with the game of a failed player.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum OnFault {
    /// It is played again with the same seed, until it has failed `attempts` times; then its pair is dropped.
    #[default]
    Replay,
    /// Its pair is dropped: neither game counts.
    Drop,
}

/// What was done about a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Handling {
    /// The game was or will be played again.
    Replayed,
    /// The pair does not count.
    Dropped,
    /// Late moves within the margin: the game counts.
    Accepted,
}

/// A line of `faults.jsonl`.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct FaultRecord {
    /// Number of the pair.
    pub pair: u64,
    /// Game of the pair, 0 or 1.
    pub game: u32,
    /// How often this game had been begun before in this run of the program.
    pub attempt: u32,
    /// Index of the player.
    pub player: usize,
    /// Its name.
    pub name: String,
    /// Why.
    pub cause: Cause,
    /// What was done.
    pub handling: Handling,
    /// Moves that came after the time allowed, for `accepted`.
    pub late_moves: u32,
    /// In one line.
    pub what: String,
    /// File with all that is known, the last protocol lines included; below the event's folder.
    pub file: Option<String>,
}
