//! Moves as CECP writes them: squares a1 upwards from the first mover's left, `+` promotes, `P@e5` drops, a capture on the
//! way as two legs `e5e6,e6e5`, `@@@@` for a pass.

use rules::Position;

fn square<P: Position>(square: usize) -> String {
    let (row, column) = (square / P::FILES, square % P::FILES);
    format!("{}{}", (b'a' + column as u8) as char, P::RANKS - row)
}

/// The move in CECP. All passes are alike.
pub fn cecp_move<P: Position>(mv: P::Move) -> String {
    let (from, to) = (P::move_from(mv), P::move_to(mv));
    let plus = if P::move_promotes(mv) { "+" } else { "" };
    if from >= P::FILES * P::RANKS {
        let letter = mv.to_string().chars().next().unwrap_or('P');
        return format!("{letter}@{}", square::<P>(to));
    }
    match P::move_via(mv) {
        None if from == to => "@@@@".to_string(),
        None => format!("{}{}{plus}", square::<P>(from), square::<P>(to)),
        Some(via) => {
            let (from, via, to) = (square::<P>(from), square::<P>(via), square::<P>(to));
            format!("{from}{via},{via}{to}{plus}")
        }
    }
}

/// The legal move of `position` that `text` writes; the first pass for `@@@@`. A trailing `=` declines promotion.
pub fn parse_cecp_move<P: Position>(position: &P, text: &str) -> Option<P::Move> {
    let text = text.trim_end_matches('=');
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.into_iter().find(|&mv| cecp_move::<P>(mv) == text)
}
