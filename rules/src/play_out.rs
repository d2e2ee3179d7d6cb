//! Whole games by somebody's choice of moves: for measuring and for tests.

use crate::Position;

/// Plays until the game is over or has `max_plies` plies, each time the move at the index that `pick` gives for the number of legal
/// moves, and returns the plies of the game. `moves` is only there to be used again.
///
/// # Panics
/// If `pick` gives an index that is no less than the number.
pub fn play_out<P: Position>(
    position: &mut P,
    moves: &mut Vec<P::Move>,
    max_plies: usize,
    mut pick: impl FnMut(usize) -> usize,
) -> usize {
    while position.plies() < max_plies {
        position.legal_moves(moves);
        if moves.is_empty() {
            break;
        }
        position.play(moves[pick(moves.len())]);
    }
    position.plies()
}
