//! Players that need no libtorch: random, greedy, alpha-beta, and search over an exported network.

pub mod bench;
mod engine_player;
mod game_flag;
mod network_player;
mod number;
mod outside;
mod player;
pub mod protocol;
mod search;
mod simple;
mod spec;
mod tree;
pub mod tune;

pub use engine_player::EnginePlayer;
pub use game_flag::game_parser;
pub use network_player::NetworkPlayer;
pub use number::whole_number;
pub use outside::OutsidePlayer;
pub use player::{Choice, Fault, GameSoFar, Player};
pub use rules::score::{
    Material, QUIET, Score, ShogiScore, TenjikuScore, WEIGHTS, WINS, tenjiku_features, weight_names,
};
pub use search::{AlphaBeta, Clock, KNOWN, Limits, MATE, MAX_THREADS, Thought};
pub use simple::{GreedyPlayer, RandomPlayer};
pub use spec::{Limit, PlayerSpec, Protocol, SearchKind, SpecError};
