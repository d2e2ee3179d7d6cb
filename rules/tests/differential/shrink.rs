//! Makes a failing case small: fewer moves, fewer pieces, fewer changed options.

use super::case::Case;
use crate::oracle::board::{Board, Square};

/// A smallest case found that still fails (perhaps with another message), and its message.
pub fn shrink(mut case: Case) -> (Case, String) {
    loop {
        let smaller = candidates(&case)
            .into_iter()
            .find(|c| matches!(c.run(), Some(Err(_))));
        match smaller {
            Some(smaller) => case = smaller,
            None => break,
        }
    }
    let message = match case.run() {
        Some(Err(message)) => message,
        other => format!("not reproducible from the text of the case: {other:?}"),
    };
    (case, message)
}

/// Cases one step simpler, the best first.
fn candidates(case: &Case) -> Vec<Case> {
    let mut list = Vec::new();
    for kept in 0..case.moves.len() {
        let (before, after) = case.moves.split_at(case.moves.len() - kept);
        let start = Case {
            moves: before.to_vec(),
            ..case.clone()
        };
        if let Some(sfen) = start.final_sfen() {
            list.push(Case {
                sfen,
                moves: after.to_vec(),
                ..case.clone()
            });
        }
    }
    let (placement, fields) = case.sfen.split_once(' ').unwrap_or((&case.sfen, ""));
    if let Ok(board) = Board::parse(placement) {
        let occupied = Square::all().filter(|&s| board.at(s).is_some());
        for square in occupied {
            let mut fewer = board.clone();
            fewer.put(square, None);
            list.push(Case {
                sfen: format!("{} {fields}", fewer.text()),
                ..case.clone()
            });
        }
    }
    let parts: Vec<&str> = case.rules.split(',').collect();
    for dropped in 1..parts.len() {
        let mut fewer = parts.clone();
        fewer.remove(dropped);
        list.push(Case {
            rules: fewer.join(","),
            ..case.clone()
        });
    }
    list
}
