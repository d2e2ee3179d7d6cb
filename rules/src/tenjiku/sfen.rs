//! Position strings (section 1).

use super::board::Board;
use super::kind::Kind;
use super::piece::Piece;
use super::square::Square;
use crate::position::MAX_MOVE_NUMBER;
use crate::{Color, SfenError};

/// The initial position (section 3).
pub const START_SFEN: &str = "ln[fl]icsg[de]kgsci[fl]nl/[rc]1[cs][cs]1[bt][ph]q[ln][kr][bt]1[cs][cs]1[rc]/\
    [ss][vs]b[dh][dk][wb][fd][fe][lh][fd][wb][dk][dh]b[vs][ss]/\
    [sm][vm]r[hf][se][bg][rg][vg][gg][rg][bg][se][hf]r[vm][sm]/pppppppppppppppp/4d6d4/16/16/16/16/4D6D4/\
    PPPPPPPPPPPPPPPP/[SM][VM]R[HF][SE][BG][RG][GG][VG][RG][BG][SE][HF]R[VM][SM]/\
    [SS][VS]B[DH][DK][WB][FD][LH][FE][FD][WB][DK][DH]B[VS][SS]/\
    [RC]1[CS][CS]1[BT][KR][LN]Q[PH][BT]1[CS][CS]1[RC]/LN[FL]ICSGK[DE]GSCI[FL]NL b - 1";

/// Reads a position string: board, side to move, move number.
pub(super) fn parse(sfen: &str) -> Result<(Board, Color, u32), SfenError> {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let [board, turn, hands, number] = fields[..] else {
        return Err(SfenError(format!(
            "expected 4 fields separated by single spaces (board, side, -, move number), found {}",
            fields.len()
        )));
    };
    let board = parse_board(board)?;
    let turn = match turn {
        "b" => Color::Black,
        "w" => Color::White,
        _ => {
            return Err(SfenError(format!(
                "side to move: expected b or w, found `{turn}`"
            )));
        }
    };
    if hands != "-" {
        return Err(SfenError(format!(
            "third field: expected - (there are no hands), found `{hands}`"
        )));
    }
    let plain = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    let read = number.parse().ok().filter(|n| *n <= MAX_MOVE_NUMBER);
    let Some(number) = read.filter(|_| plain) else {
        return Err(SfenError(format!(
            "move number: expected a number from 1 to {MAX_MOVE_NUMBER} without leading zeros, found `{number}`"
        )));
    };
    Ok((board, turn, number))
}

fn parse_board(text: &str) -> Result<Board, SfenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 16 {
        return Err(SfenError(format!(
            "board: expected 16 ranks, found {}",
            ranks.len()
        )));
    }
    let mut board = Board::EMPTY;
    for (row, rank) in ranks.into_iter().enumerate() {
        parse_rank(&mut board, row, rank)?;
    }
    Ok(board)
}

/// Reads one rank into row `row` of the board.
fn parse_rank(board: &mut Board, row: usize, rank: &str) -> Result<(), SfenError> {
    let letter = (b'a' + row as u8) as char;
    let mut column = 0;
    let mut rest = rank;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let run = &rest[..digits];
            let length = run
                .parse()
                .ok()
                .filter(|n| (1..=16).contains(n) && !run.starts_with('0'));
            let Some(length) = length else {
                return Err(SfenError(format!(
                    "rank {letter}: a run of empty squares is 1 to 16 without leading zeros, found `{run}`"
                )));
            };
            column += length;
            rest = &rest[digits..];
        } else {
            let square = Square::new(row as i32, column);
            let place = match square {
                Some(square) => format!("square {square}"),
                None => format!("rank {letter}, after file 1"),
            };
            let (piece, after) =
                parse_piece(rest).map_err(|what| SfenError(format!("{place}: {what}")))?;
            if let Some(square) = square {
                board.put(square, piece.code());
            }
            column += 1;
            rest = after;
        }
        if column > 16 {
            break;
        }
    }
    if column != 16 {
        let found = if column > 16 {
            "more".to_string()
        } else {
            column.to_string()
        };
        return Err(SfenError(format!(
            "rank {letter}: expected 16 squares, found {found}"
        )));
    }
    Ok(())
}

/// Reads one piece at the start of `text` and returns it with the rest.
fn parse_piece(text: &str) -> Result<(Piece, &str), String> {
    let (promoted, text) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (name, rest) = if let Some(inner) = text.strip_prefix('[') {
        let Some((name, rest)) = inner.split_once(']') else {
            return Err("`[` without `]`".to_string());
        };
        if name.len() == 1 {
            return Err(format!(
                "a single letter is written without brackets, found `[{name}]`"
            ));
        }
        (name, rest)
    } else {
        let Some(letter) = text.chars().next() else {
            return Err("`+` without a piece".to_string());
        };
        text.split_at(letter.len_utf8())
    };
    let upper = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase());
    let lower = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    if !upper && !lower {
        return Err(format!(
            "expected a piece in all upper or all lower case letters or a number, found `{name}`"
        ));
    }
    let Some(base) = Kind::from_abbr(name).filter(|kind| kind.is_base()) else {
        return Err(format!("there is no piece `{name}`"));
    };
    if promoted && base.promotes_to().is_none() {
        return Err(format!("`{name}` does not promote, found `+`"));
    }
    let color = if upper { Color::Black } else { Color::White };
    Ok((
        Piece {
            color,
            base,
            promoted,
        },
        rest,
    ))
}

/// The canonical position string.
pub(super) fn write(board: &Board, turn: Color, number: u32) -> String {
    let mut text = String::new();
    for row in 0..16 {
        if row > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for code in &board.cells[row * 16..row * 16 + 16] {
            let Some(piece) = Piece::from_code(*code) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                text.push_str(&empty.to_string());
                empty = 0;
            }
            write_piece(&mut text, piece);
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
    }
    format!("{text} {} - {number}", turn.letter())
}

fn write_piece(text: &mut String, piece: Piece) {
    if piece.promoted {
        text.push('+');
    }
    let abbr = piece.base.abbr();
    let abbr = match piece.color {
        Color::Black => abbr.to_ascii_uppercase(),
        Color::White => abbr.to_ascii_lowercase(),
    };
    if abbr.len() == 1 {
        text.push_str(&abbr);
    } else {
        text.push('[');
        text.push_str(&abbr);
        text.push(']');
    }
}
