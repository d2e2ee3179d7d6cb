//! Moves as CECP writes them: squares a1 upwards from the first mover's left, `+` promotes, `P@e5` drops, a capture on the
//! way as two legs `e5e6,e6e5`, `@@@@` for a pass.

use rules::Position;

/// The square's name; on a board that was turned round before it was shown, that of the square opposite.
fn square<P: Position>(square: usize, turned: bool) -> String {
    let square = match turned {
        true => P::FILES * P::RANKS - 1 - square,
        false => square,
    };
    let (row, column) = (square / P::FILES, square % P::FILES);
    format!("{}{}", (b'a' + column as u8) as char, P::RANKS - row)
}

/// The move in CECP. All passes are alike.
pub fn cecp_move<P: Position>(mv: P::Move) -> String {
    move_on_board::<P>(mv, false)
}

/// The same for a board that is shown turned round (`turned`) with colours swapped.
pub(crate) fn move_on_board<P: Position>(mv: P::Move, turned: bool) -> String {
    let square = |s: usize| square::<P>(s, turned);
    let (from, to) = (P::move_from(mv), P::move_to(mv));
    let plus = if P::move_promotes(mv) { "+" } else { "" };
    if from >= P::FILES * P::RANKS {
        let letter = mv.to_string().chars().next().unwrap_or('P');
        return format!("{letter}@{}", square(to));
    }
    match P::move_via(mv) {
        None if from == to => "@@@@".to_string(),
        None => format!("{}{}{plus}", square(from), square(to)),
        Some(via) => {
            let (from, via, to) = (square(from), square(via), square(to));
            format!("{from}{via},{via}{to}{plus}")
        }
    }
}

/// The legal move of `position` that `text` writes; the first pass for `@@@@`. A trailing `=` declines promotion.
pub fn parse_cecp_move<P: Position>(position: &P, text: &str) -> Option<P::Move> {
    parse_on_board(position, text, false)
}

/// The same for a board that is shown turned round (`turned`).
pub(crate) fn parse_on_board<P: Position>(
    position: &P,
    text: &str,
    turned: bool,
) -> Option<P::Move> {
    let text = text.trim_end_matches('=');
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
        .into_iter()
        .find(|&mv| move_on_board::<P>(mv, turned) == text)
}
