//! Players that need no libtorch: random, greedy, alpha-beta, and search over an exported network.

mod material;
mod network_player;
mod player;
mod simple;
mod spec;

pub use material::Material;
pub use network_player::NetworkPlayer;
pub use player::{Choice, Fault, GameSoFar, Player};
pub use simple::{GreedyPlayer, RandomPlayer};
pub use spec::{Limit, PlayerSpec, Protocol, SearchKind, SpecError};
