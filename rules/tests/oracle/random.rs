//! Random rules, random set-up positions and random moves, all from a generator passed in.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::Game;
use super::board::{Board, Square};
use super::moves::Move;
use super::options::CHOICES;
use super::pieces::{BASE, Kind, Piece, promotes_to};

/// A preset as it is, a preset with one or two options changed, or every option at random.
pub fn rules(rng: &mut impl Rng) -> String {
    let mut text = (*["historical", "western", "tsa"].choose(rng).expect("three")).to_string();
    let changes = *[0, 0, 0, 1, 1, 2, 13].choose(rng).expect("some");
    for in_order in CHOICES.iter().take(changes) {
        let (name, values) = if changes == 13 {
            *in_order
        } else {
            *CHOICES.choose(rng).expect("some")
        };
        if !text.contains(&format!(",{name}=")) {
            text += &format!(",{name}={}", values.choose(rng).expect("some"));
        }
    }
    text
}

/// Every (base type, promoted) that exists.
fn every_state() -> Vec<(Kind, bool)> {
    let plain = BASE.into_iter().map(|(base, _)| (base, false));
    let promoted = BASE
        .into_iter()
        .filter(|(base, _)| promotes_to(*base).is_some())
        .map(|(base, _)| (base, true));
    plain.chain(promoted).collect()
}

/// Pieces that have something to do with each other, or anything.
fn palette(rng: &mut impl Rng) -> Vec<(Kind, bool)> {
    use Kind::*;
    let every = every_state();
    let theme: &[(Kind, bool)] = match rng.random_range(0..12) {
        0 => &[
            (FD, false),
            (WB, false),
            (WB, true),
            (SS, true),
            (K, false),
            (P, false),
        ],
        1 => &[
            (FD, false),
            (WB, true),
            (K, false),
            (DE, true),
            (DE, false),
            (VG, false),
            (Ln, false),
        ],
        2 => &[
            (GG, false),
            (VG, false),
            (RG, false),
            (BG, false),
            (K, false),
            (DE, true),
            (DE, false),
            (P, false),
        ],
        3 => &[
            (RG, true),
            (BG, true),
            (SE, true),
            (HF, true),
            (K, false),
            (DE, true),
            (FD, false),
            (R, false),
        ],
        4 => &[
            (Ln, false),
            (LH, false),
            (Kr, true),
            (Ln, true),
            (P, false),
            (G, false),
            (FD, false),
        ],
        5 => &[
            (HF, false),
            (SE, false),
            (DH, true),
            (DK, true),
            (FE, false),
            (Q, true),
            (P, true),
        ],
        6 => &[
            (CS, true),
            (CS, false),
            (VS, true),
            (P, false),
            (FD, false),
            (K, false),
        ],
        7 => &[
            (P, false),
            (L, false),
            (I, false),
            (N, false),
            (D, false),
            (C, false),
            (S, false),
            (FL, false),
        ],
        8 => {
            let size = rng.random_range(1..=6);
            return (0..size)
                .map(|_| *every.choose(rng).expect("some"))
                .collect();
        }
        _ => return every,
    };
    theme.to_vec()
}

/// Any number of pieces, spread over the board or crowded into a corner of it; mostly with royals.
pub fn board(rng: &mut impl Rng) -> Board {
    let palette = palette(rng);
    let (columns, rows) = match rng.random_range(0..3) {
        0 => (0..16, 0..16),
        _ => {
            let (width, height) = (rng.random_range(3..=10), rng.random_range(3..=10));
            let (left, top) = (
                rng.random_range(0..=16 - width),
                rng.random_range(0..=16 - height),
            );
            (left..left + width, top..top + height)
        }
    };
    let area = columns.len() * rows.len();
    let pieces = match rng.random_range(0..4) {
        0 => rng.random_range(1..=6),
        1 => rng.random_range(1..=area.div_ceil(8)),
        2 => rng.random_range(1..=area.div_ceil(3)),
        _ => rng.random_range(area / 3..=area),
    };
    let white_share = *[0.5, 0.5, 0.5, 0.2, 0.8].choose(rng).expect("some");
    let mut board = Board::EMPTY;
    for _ in 0..pieces {
        let square = Square {
            column: rng.random_range(columns.clone()),
            row: rng.random_range(rows.clone()),
        };
        let &(base, promoted) = palette.choose(rng).expect("some");
        board.put(
            square,
            Some(Piece {
                white: rng.random_bool(white_share),
                base,
                promoted,
            }),
        );
    }
    for white in [false, true] {
        if !rng.random_bool(0.05) {
            let square = if rng.random_bool(0.5) {
                Square {
                    column: rng.random_range(0..16),
                    row: rng.random_range(0..16),
                }
            } else {
                Square {
                    column: rng.random_range(columns.clone()),
                    row: rng.random_range(rows.clone()),
                }
            };
            let (base, promoted) = if rng.random_bool(0.7) {
                (Kind::K, false)
            } else {
                (Kind::DE, true)
            };
            board.put(
                square,
                Some(Piece {
                    white,
                    base,
                    promoted,
                }),
            );
        }
    }
    board
}

/// The position string of a random set-up position.
pub fn sfen(rng: &mut impl Rng) -> String {
    let turn = if rng.random_bool(0.5) { 'b' } else { 'w' };
    format!(
        "{} {turn} - {}",
        board(rng).text(),
        rng.random_range(1..1000)
    )
}

/// A legal move: mostly any, sometimes one of the rare kinds, sometimes straight back where `last` came from
/// (which is how positions repeat).
pub fn choose_move(rng: &mut impl Rng, legal: &[Move], own_last: Option<Move>) -> Option<Move> {
    let special = match rng.random_range(0..10) {
        0 => legal
            .iter()
            .filter(|mv| mv.via.is_some() || mv.from == mv.to)
            .collect(),
        1 => legal.iter().filter(|mv| mv.promote).collect(),
        2..=4 => legal
            .iter()
            .filter(|mv| own_last.is_some_and(|l| mv.from == l.to && mv.to == l.from))
            .collect(),
        _ => Vec::new(),
    };
    special
        .choose(rng)
        .map(|mv| **mv)
        .or_else(|| legal.choose(rng).copied())
}

/// Plays up to `plies` random moves and hands every position on the way, with its legal moves and the move that
/// led there, to `visit`, until it says stop.
pub fn play_out(
    rng: &mut impl Rng,
    game: &mut Game,
    plies: usize,
    mut visit: impl FnMut(&Game, &[Move], Option<Move>) -> bool,
) {
    let mut played: Vec<Move> = Vec::new();
    loop {
        let legal = game.legal();
        if !visit(game, &legal, played.last().copied()) || played.len() == plies {
            return;
        }
        let own_last = played.len().checked_sub(2).map(|i| played[i]);
        let Some(mv) = choose_move(rng, &legal, own_last) else {
            return;
        };
        game.play_move(mv);
        played.push(mv);
    }
}
