//! Random numbers for the position key.

use super::piece::{HAND_KINDS, Kind, Piece, STATES};
use super::square::{SQUARES, Square};
use crate::Color;

struct Keys {
    /// By piece code - 1 and square.
    board: [[u64; SQUARES]; 2 * STATES],
    /// By colour, kind and count; 0 for none, so that an empty hand adds nothing.
    hands: [[[u64; 19]; HAND_KINDS]; 2],
    white_to_move: u64,
}

static KEYS: Keys = keys();

/// SplitMix64 (Steele, Lea, Flood 2014): the next state and its output.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

const fn keys() -> Keys {
    let mut keys = Keys {
        board: [[0; SQUARES]; 2 * STATES],
        hands: [[[0; 19]; HAND_KINDS]; 2],
        white_to_move: 0,
    };
    let mut state;
    (state, keys.white_to_move) = split_mix(0);
    let mut i = 0;
    while i < 2 * STATES * SQUARES {
        (state, keys.board[i / SQUARES][i % SQUARES]) = split_mix(state);
        i += 1;
    }
    let mut i = 0;
    while i < 2 * HAND_KINDS {
        let mut count = 1;
        while count < 19 {
            (state, keys.hands[i / HAND_KINDS][i % HAND_KINDS][count]) = split_mix(state);
            count += 1;
        }
        i += 1;
    }
    keys
}

#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.board[piece.code() as usize - 1][square.index()]
}

#[inline]
pub(super) fn hand(color: Color, kind: Kind, count: u8) -> u64 {
    KEYS.hands[color.index()][kind as usize][count as usize]
}

#[inline]
pub(super) fn white_to_move() -> u64 {
    KEYS.white_to_move
}
