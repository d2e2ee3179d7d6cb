//! Perft: numbers of legal move sequences, the standard check of a move generator.

use crate::Position;

/// The number of legal move sequences of exactly `depth` plies. Repetition counts the positions on the path and
/// the game before; a finished game has no continuation. The last ply is counted, not played.
pub fn perft<P: Position>(position: &P, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut lists = vec![Vec::new(); depth - 1];
    descend(&mut position.clone(), &mut lists)
}

/// Each legal move with the [`perft`] of the position after it at `depth - 1`; empty for depth 0. The counts add
/// up to `perft(position, depth)`.
///
/// Callers with several threads share the work by calling [`perft`] for each move themselves.
pub fn perft_divide<P: Position>(position: &P, depth: usize) -> Vec<(P::Move, u64)> {
    let mut moves = Vec::new();
    if depth > 0 {
        position.legal_moves(&mut moves);
    }
    let mut position = position.clone();
    let count = |mv| {
        position.play(mv);
        let count = perft(&position, depth - 1);
        position.undo();
        (mv, count)
    };
    moves.into_iter().map(count).collect()
}

/// Perft at depth `lists.len() + 1`, with one move list to use per ply played.
fn descend<P: Position>(position: &mut P, lists: &mut [Vec<P::Move>]) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else {
        return position.legal_count() as u64;
    };
    position.legal_moves(moves);
    let mut total = 0;
    for &mv in moves.iter() {
        position.play(mv);
        total += descend(position, deeper);
        position.undo();
    }
    total
}
