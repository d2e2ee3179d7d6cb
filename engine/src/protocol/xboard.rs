//! What XBoard needs to be told of a game that it does not know: the board in its letters, and where a lifted piece
//! may go.
//!
//! XBoard knows neither the game nor how its pieces move; its board only shows what it is told. The letters are the
//! game's own, [`XboardSetup`]. Source: `engine-intf.html` of XBoard 4.9, commands `setup`, `highlight` and `lift`.

use rules::score::{Material, XboardSetup};
use rules::{Color, Position};

/// The board of a position string of ours in XBoard's letters.
fn board_in_letters(setup: &XboardSetup, sfen: &str) -> String {
    let mut text = sfen.split(' ').next().unwrap_or("").to_string();
    for (ours, dressed) in setup.letters {
        text = text.replace(&format!("[{ours}]"), dressed);
        let (ours, dressed) = (ours.to_ascii_lowercase(), dressed.to_ascii_lowercase());
        text = text.replace(&format!("[{ours}]"), &dressed);
    }
    text
}

/// A position string as XBoard writes it as one of ours; ours stays as it is. The board alone has the first mover to move.
///
/// XBoard's pieces are its letters, and its `w` is its White, the first mover, our Black. Its third field counts plies, and
/// it may leave the last fields out. A game with drops has the hands behind the board: `[PPb]`, or `[-]`.
pub(super) fn from_letters(setup: Option<&XboardSetup>, text: &str) -> String {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let &[board, ref rest @ ..] = fields.as_slice() else {
        return String::new();
    };
    let holdings = match setup {
        None => board.strip_suffix(']').and_then(|b| b.split_once('[')),
        Some(_) => None,
    };
    let dressed = setup.is_some() && board.contains(['\'', '!']);
    let counts = rest
        .get(1)
        .is_some_and(|field| field.parse::<u32>().is_ok());
    if holdings.is_none() && !dressed && !counts && !rest.is_empty() {
        return text.to_string();
    }
    let (board, held) = holdings.unwrap_or((board, ""));
    let mut board = board.to_string();
    for (ours, dressed) in setup.iter().flat_map(|setup| setup.letters) {
        board = board.replace(dressed, &format!("[{ours}]"));
        let (ours, dressed) = (ours.to_ascii_lowercase(), dressed.to_ascii_lowercase());
        board = board.replace(&dressed, &format!("[{ours}]"));
    }
    let side = match rest.first() {
        Some(&"b") => "w",
        _ => "b",
    };
    format!("{board} {side} {} 1", hands(held))
}

/// Hands as our position strings write them, of a letter for each piece. Other characters stay, to be refused.
fn hands(held: &str) -> String {
    let mut rest: Vec<char> = held.chars().filter(|&c| c != '-').collect();
    let mut text = String::new();
    for piece in "RBGSNLPrbgsnlp".chars() {
        let before = rest.len();
        rest.retain(|&c| c != piece);
        match before - rest.len() {
            0 => {}
            1 => text.push(piece),
            count => text += &format!("{count}{piece}"),
        }
    }
    text.extend(rest);
    if text.is_empty() { "-".into() } else { text }
}

/// The board of `position` for a program that takes the first mover, upper case, to be the one to move: as it is, or
/// turned round with colours swapped. `None` if there are pieces in hand.
pub(crate) fn board_of_mover<P: Material>(position: &P) -> Option<String> {
    let mut snapshot = position.snapshot();
    if snapshot.hands.iter().any(|&count| count > 0) {
        return None;
    }
    if snapshot.turn == Color::White {
        let states = P::PIECE_STATES as u8;
        snapshot.turn = Color::Black;
        snapshot.board.reverse();
        for code in snapshot.board.iter_mut().filter(|code| **code != 0) {
            *code = if *code <= states {
                *code + states
            } else {
                *code - states
            };
        }
    }
    let sfen = P::from_snapshot(position.rules(), &snapshot).ok()?.sfen();
    Some(match P::xboard() {
        Some(setup) => board_in_letters(&setup, &sfen),
        None => sfen.split(' ').next().unwrap_or_default().to_string(),
    })
}

/// The answer to `variant` and the game's name.
pub(super) fn command(setup: &XboardSetup, start: &str) -> String {
    let board = board_in_letters(setup, start);
    format!("setup ({}) {} {board} w 0 1", setup.pieces, setup.size)
}

/// The answer to `lift SQUARE`, or `None` if that is no square: R where the piece captures, C where it may capture on
/// the way and go on, M where it may promote, Y elsewhere. XBoard takes moves to other squares for illegal.
pub(super) fn highlight<P: Position>(position: &P, square: &str) -> Option<String> {
    let file = square.bytes().next()?.wrapping_sub(b'a') as usize;
    let rank: usize = square.get(1..)?.parse().ok()?;
    if file >= P::FILES || !(1..=P::RANKS).contains(&rank) {
        return None;
    }
    let from = (P::RANKS - rank) * P::FILES + file;
    let mut colors = vec![None; P::FILES * P::RANKS];
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.retain(|&mv| P::move_from(mv) == from);
    let board = position.snapshot().board;
    for &mv in &moves {
        let to = P::move_to(mv);
        let color = if P::move_promotes(mv) {
            'M'
        } else if board[to] != 0 && to != from {
            'R'
        } else {
            'Y'
        };
        let (target, color) = match P::move_via(mv) {
            Some(via) => (via, 'C'),
            None => (to, color),
        };
        // The colour that says more wins.
        let weight = |c: char| "YRMC".find(c);
        let old: &mut Option<char> = &mut colors[target];
        if old.is_none_or(|o| weight(o) < weight(color)) {
            *old = Some(color);
        }
    }
    let rows: Vec<String> = colors.chunks(P::FILES).map(row).collect();
    Some(format!("highlight {}", rows.join("/")))
}

/// One rank as in a position string: letters, and the numbers of empty squares between them.
fn row(colors: &[Option<char>]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for color in colors {
        match color {
            None => empty += 1,
            Some(c) => {
                if empty > 0 {
                    text += &empty.to_string();
                }
                empty = 0;
                text.push(*c);
            }
        }
    }
    if empty > 0 {
        text += &empty.to_string();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::tenjiku::{RuleSet, START_SFEN, Tenjiku};

    fn setup() -> XboardSetup {
        Tenjiku::xboard().unwrap()
    }

    /// The entries of one side of a piece table.
    fn entries(table: &str) -> Vec<String> {
        let mut entries: Vec<String> = Vec::new();
        for c in table.chars() {
            match c {
                '\'' | '!' => entries.last_mut().unwrap().push(c),
                _ if entries.last().is_some_and(|e| e == "^") => {
                    entries.last_mut().unwrap().push(c);
                }
                _ => entries.push(c.to_string()),
            }
        }
        entries
    }

    #[test]
    fn the_table_names_each_piece_once() {
        let table = setup().pieces;
        let mut all = entries(&table);
        assert_eq!(all.len(), 2 * 66, "{table}");
        assert!(all[..5] == ["P", "N", "B", "R", "Q"] && all[65] == "K" && all[131] == "k");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 2 * 66, "{table}");
    }

    #[test]
    fn positions_survive_the_other_letters() {
        let board = board_in_letters(&setup(), START_SFEN);
        assert!(!board.contains('['), "{board}");
        let back = from_letters(Some(&setup()), &format!("{board} w 0 1"));
        assert_eq!(back, START_SFEN);
        let promoted = "7k8/16/3+[wb]12/16/16/16/16/16/16/16/16/16/16/16/16/8K7 w - 1";
        let letters = format!("{} b 0 1", board_in_letters(&setup(), promoted));
        assert!(letters.contains("3+w'12"), "{letters}");
        assert_eq!(from_letters(Some(&setup()), &letters), promoted);
        assert_eq!(
            from_letters(Some(&setup()), promoted),
            promoted,
            "our own strings stay as they are"
        );
        let board = "8k/9/9/9/9/9/9/9/K8";
        assert_eq!(from_letters(None, board), format!("{board} b - 1"));
        // Where each piece has a plain letter, the third field tells whose string it is.
        let tenjiku = "7k8/16/16/16/16/P15/16/16/16/16/16/16/16/16/16/8K7";
        let read = |text: &str| from_letters(Some(&setup()), text);
        assert_eq!(
            read(&format!("{tenjiku} w 0 1")),
            format!("{tenjiku} b - 1")
        );
        assert_eq!(
            read(&format!("{tenjiku} b 0 1")),
            format!("{tenjiku} w - 1")
        );
        assert_eq!(
            read(&format!("{tenjiku} w - 1")),
            format!("{tenjiku} w - 1")
        );
        assert_eq!(read(""), "");
        for (theirs, ours) in [
            ("[-] w 0 1", " b - 1"),
            ("[] b", " w - 1"),
            (" w 0 1", " b - 1"),
            ("[pPpRP] b 0 1", " w R2P2p 1"),
            ("[Px]", " b Px 1"),
        ] {
            let text = format!("{board}{theirs}");
            assert_eq!(
                from_letters(None, &text),
                format!("{board}{ours}"),
                "{text}"
            );
        }
        let hands = format!("{board} w 2Pb 3");
        assert_eq!(from_letters(None, &hands), hands);
    }

    #[test]
    fn lifted_pieces_show_where_they_go() {
        // A pawn before the enemy's zone: it steps in and may promote. A lion next to a pawn: capture and go on.
        let sfen = "7k8/16/16/16/16/P15/16/16/7p8/7[LN]8/16/16/16/16/16/8K7 b - 1";
        let position = Tenjiku::from_sfen(&RuleSet::HISTORICAL, sfen).unwrap();
        let pawn = highlight(&position, "a11").unwrap();
        assert_eq!(
            pawn,
            "highlight 16/16/16/16/M15/16/16/16/16/16/16/16/16/16/16/16"
        );
        // Its own square is yellow: it may pass.
        let lion = highlight(&position, "h7").unwrap();
        assert_eq!(
            lion,
            "highlight 16/16/16/16/16/16/16/5YYYYY6/5YYCYY6/5YYYYY6/5YYYYY6/5YYYYY6/16/16/16/16"
        );
        assert_eq!(highlight(&position, "q1"), None);
        assert_eq!(highlight(&position, "a17"), None);
        assert_eq!(highlight(&position, "é1"), None);
        let empty = highlight(&position, "b2").unwrap();
        assert_eq!(empty, format!("highlight {}", ["16"; 16].join("/")));
    }
}
