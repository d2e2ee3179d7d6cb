//! The rows as plain values, independent of Parquet.

use rules::{Color, EndReason, Snapshot};

/// One game: what is needed to replay it and to say who played how. A row of `games`.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct GameRecord {
    /// Unique in the run, `<generation>-<index>` with six digits each for games of self-play.
    pub id: String,
    /// Generation of the network that played, 0 without one.
    pub generation: u32,
    /// Number of the game in its generation.
    pub index: u32,
    /// Canonical name of the rules in force ([`rules::Rules::name`]).
    pub rules: String,
    /// The first position.
    pub start_sfen: String,
    /// The moves, separated by one space.
    pub moves: String,
    /// Who won, `None` for a draw or no result.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub reason: EndReason,
    /// The last position.
    pub final_sfen: String,
    /// Seed of every random choice in this game.
    pub seed: u64,
    /// Player spec of Black.
    pub black: String,
    /// Player spec of White.
    pub white: String,
    /// Hash of the network that played, if one did.
    pub network: Option<String>,
    /// Whether this game was to be played on after a side would have resigned.
    pub play_on: bool,
    /// The side that first met the resignation rule, if one did.
    pub resign_side: Option<Color>,
    /// The ply at which it did.
    pub resign_ply: Option<u32>,
    /// When the game began, milliseconds since 1970 (UTC).
    pub start_unix_ms: u64,
    /// How long it took, milliseconds of wall clock.
    pub duration_ms: u64,
}

impl GameRecord {
    /// The id of game `index` of a generation, e.g. `000012-000345`.
    pub fn self_play_id(generation: u32, index: u32) -> String {
        format!("{generation:06}-{index:06}")
    }

    /// Number of moves.
    pub fn plies(&self) -> u32 {
        self.moves.split_ascii_whitespace().count() as u32
    }

    /// Whether both records tell the same game: all but the timings.
    pub fn same_play(&self, other: &GameRecord) -> bool {
        let untimed = |game: &GameRecord| GameRecord {
            start_unix_ms: 0,
            duration_ms: 0,
            ..game.clone()
        };
        untimed(self) == untimed(other)
    }
}

/// How a move was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Not searched: random openings, imported games.
    None,
    /// A search with the small budget, no policy target.
    Fast,
    /// A search with the full budget.
    Full,
    /// Another program or the handcrafted engine.
    Engine,
}

impl SearchKind {
    /// Every kind, in the order of the file format.
    pub const ALL: [SearchKind; 4] = [
        SearchKind::None,
        SearchKind::Fast,
        SearchKind::Full,
        SearchKind::Engine,
    ];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            SearchKind::None => "none",
            SearchKind::Fast => "fast",
            SearchKind::Full => "full",
            SearchKind::Engine => "engine",
        }
    }

    /// The kind with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<SearchKind> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// A result from the side to move's view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StmResult {
    /// The side to move won the game.
    Win,
    /// Nobody won.
    Draw,
    /// The side to move lost the game.
    Loss,
}

impl StmResult {
    /// The result for `turn` of a game won by `winner`.
    pub fn of(winner: Option<Color>, turn: Color) -> StmResult {
        match winner {
            None => StmResult::Draw,
            Some(side) if side == turn => StmResult::Win,
            Some(_) => StmResult::Loss,
        }
    }

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            StmResult::Win => "win",
            StmResult::Draw => "draw",
            StmResult::Loss => "loss",
        }
    }

    /// As probabilities: a one at the result.
    pub const fn wdl(self) -> Wdl {
        match self {
            StmResult::Win => Wdl {
                win: 1.0,
                draw: 0.0,
                loss: 0.0,
            },
            StmResult::Draw => Wdl {
                win: 0.0,
                draw: 1.0,
                loss: 0.0,
            },
            StmResult::Loss => Wdl {
                win: 0.0,
                draw: 0.0,
                loss: 1.0,
            },
        }
    }
}

/// Probabilities of the results from the side to move's view. Each in [0, 1], sum 1.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Wdl {
    /// The side to move wins.
    pub win: f32,
    /// Nobody wins.
    pub draw: f32,
    /// The side to move loses.
    pub loss: f32,
}

impl Wdl {
    /// `win - loss`, in [-1, 1].
    pub fn value(self) -> f32 {
        self.win - self.loss
    }
}

impl From<[f32; 3]> for Wdl {
    /// From (win, draw, loss).
    fn from([win, draw, loss]: [f32; 3]) -> Wdl {
        Wdl { win, draw, loss }
    }
}

/// A policy target: a weight for each of some legal moves. Weights are finite, not negative, and sum to 1.
///
/// Read back from a file the moves are in ascending order of their codes, the weights are multiples of
/// 1/[`QUANTUM`](crate::QUANTUM), and moves whose weight was rounded to 0 are absent.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Policy {
    /// Move codes ([`rules::GameMove::code`]), each once.
    pub moves: Vec<u32>,
    /// Their weights.
    pub weights: Vec<f32>,
}

/// One ply: the position before the move, what the search said, and the move played. A row of `positions`,
/// less what follows from its [`GameRecord`].
#[derive(Clone, PartialEq, Debug)]
pub struct PositionRecord {
    /// The position before the move.
    pub snapshot: Snapshot,
    /// Whether the side to move is in check.
    pub in_check: bool,
    /// Number of legal moves, at least 1.
    pub legal_moves: u32,
    /// How the move was found.
    pub search: SearchKind,
    /// Playouts of the search (nodes for engines), 0 without search.
    pub visits: u32,
    /// The policy target, only where the search makes one.
    pub policy: Option<Policy>,
    /// Code of the move played.
    pub played: u32,
    /// Value of the root after the search.
    pub root: Option<Wdl>,
    /// Value the network alone gave.
    pub net: Option<Wdl>,
}
