//! An evaluation for any game: material and the move. Slow, but it asks nothing of a game beside its rules.

use super::{Material, QUIET, Score, WINS};

/// Centipawns for having the move.
const TEMPO: i32 = 10;

/// Material of the position as it is; nothing runs along. Takes a list of moves for each question about kinds of moves
/// and a snapshot for each about pieces: games that are to be searched fast bring a [`Score`] of their own.
#[derive(Clone, Copy, Debug)]
pub struct PlainScore;

/// Centipawns of the piece with this board code; 0 for an empty square.
fn worth<P: Material>(code: u8) -> i32 {
    match usize::from(code).checked_sub(1) {
        Some(state) => 100 * P::piece_values()[state % P::PIECE_STATES],
        None => 0,
    }
}

/// The board code of the piece that makes `mv`.
fn moved<P: Material>(position: &P, board: &[u8], mv: P::Move) -> u8 {
    let from = P::move_from(mv);
    match from.checked_sub(board.len()) {
        None => board[from],
        // Hand kinds are the first piece states.
        Some(kind) => (1 + kind + P::PIECE_STATES * position.turn().index()) as u8,
    }
}

/// What [`Score::gain`] says, with the board at hand.
fn gain<P: Material>(position: &P, board: &[u8], mv: P::Move) -> i32 {
    if position.wins_at_once(mv) {
        return WINS;
    }
    let (from, to) = (P::move_from(mv), P::move_to(mv));
    let taken = if from == to { 0 } else { board[to] };
    let on_the_way = P::move_via(mv).map_or(0, |via| board[via]);
    if taken == 0 && on_the_way == 0 && !P::move_promotes(mv) {
        return QUIET;
    }
    let mut gain = worth::<P>(taken) + worth::<P>(on_the_way);
    if P::move_promotes(mv) {
        let state = usize::from(moved(position, board, mv) - 1) % P::PIECE_STATES;
        let values = P::piece_values();
        gain += 100 * (values[P::promoted_state(state)] - values[state]);
    }
    gain
}

impl<P: Material> Score<P> for PlainScore {
    const PIECES: usize = 1 + 2 * P::PIECE_STATES;

    fn new(_: &P) -> Self {
        PlainScore
    }

    fn score(&self, position: &P) -> i32 {
        100 * position.material() + TEMPO
    }

    fn gain(&self, position: &P, mv: P::Move) -> i32 {
        gain(position, &position.snapshot().board, mv)
    }

    /// The mover is taken to be lost if anything can go where it ends.
    fn exchange(&self, position: &P, mv: P::Move, gain: i32) -> i32 {
        let before = self.mover(position, mv);
        let gain = if gain == QUIET { 0 } else { gain };
        if gain >= before {
            return gain;
        }
        let mut after = position.clone();
        after.play(mv);
        let mut answers = Vec::new();
        after.legal_moves(&mut answers);
        let taken = answers.iter().any(|&answer| {
            P::move_via(answer) == Some(P::move_to(mv)) || P::move_to(answer) == P::move_to(mv)
        });
        if taken { gain - before } else { gain }
    }

    fn mover(&self, position: &P, mv: P::Move) -> i32 {
        let board = position.snapshot().board;
        match P::move_from(mv) {
            from if from < board.len() => worth::<P>(board[from]),
            _ => 0,
        }
    }

    fn piece(&self, position: &P, mv: P::Move) -> usize {
        usize::from(moved(position, &position.snapshot().board, mv))
    }

    fn noisy_moves(&self, position: &P, moves: &mut Vec<P::Move>) {
        position.legal_moves(moves);
        let board = position.snapshot().board;
        moves.retain(|&mv| gain(position, &board, mv) != QUIET);
    }

    fn quiet_moves(&self, position: &P, moves: &mut Vec<P::Move>) {
        position.legal_moves(moves);
        let board = position.snapshot().board;
        moves.retain(|&mv| gain(position, &board, mv) == QUIET);
    }

    fn winning_move(position: &P) -> Option<P::Move> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().find(|&mv| position.wins_at_once(mv))
    }

    fn pass(_: &P) -> Option<P::Move> {
        None
    }

    fn play(&mut self, _: &P, _: P::Move) {}

    fn undo(&mut self) {}
}
