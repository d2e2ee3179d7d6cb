//! Rules of the games: positions, legal moves, results, strings, and what pieces are worth.
//!
//! Each game is a static type behind the trait [`Position`]: [`tenjiku::Tenjiku`] (16x16, fire demons,
//! jumping generals) and [`shogi::Shogi`] (9x9, drops). Search, records, self-play and evaluation are
//! generic over it, and nothing outside this crate and `encoding` knows a piece.
//!
//! This crate does no I/O, starts no thread and depends on none of our other crates.

pub mod batch;
pub mod import;
pub mod score;
pub mod shogi;
pub mod show;
pub mod tenjiku;

mod perft;
mod play_out;
mod position;

pub use perft::{perft, perft_divide};
pub use play_out::play_out;
pub use position::{
    Color, EndReason, GameMove, MoveError, Outcome, Position, Rules, RulesError, SfenError,
    Snapshot,
};

/// Whether squares and board codes of a game fit in a byte, as in [`Snapshot`] and in records, and a start square
/// or hand kind ([`Position::move_from`]) in 16 bits.
const fn widths_fit<P: Position>() -> bool {
    P::FILES * P::RANKS <= 256
        && 2 * P::PIECE_STATES < 256
        && P::FILES * P::RANKS + P::HAND_KINDS < 1 << 16
}

const _: () = assert!(widths_fit::<tenjiku::Tenjiku>() && widths_fit::<shogi::Shogi>());
