//! Section 1 of the rules: squares, the board and the position string.

use std::hash::{Hash, Hasher};

use super::pieces::{BASE, Piece, promotes_to};

/// A square: column 0..16 counted from file 16, row 0..16 counted from rank a.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    pub column: i32,
    pub row: i32,
}

impl Square {
    /// The square this far away, if it is on the board.
    pub fn offset(self, columns: i32, rows: i32) -> Option<Square> {
        let (column, row) = (self.column + columns, self.row + rows);
        ((0..16).contains(&column) && (0..16).contains(&row)).then_some(Square { column, row })
    }

    pub fn all() -> impl Iterator<Item = Square> {
        (0..16).flat_map(|row| (0..16).map(move |column| Square { column, row }))
    }

    /// The up to eight squares around.
    pub fn neighbours(self) -> impl Iterator<Item = Square> {
        let around = (-1..=1).flat_map(|rows| (-1..=1).map(move |columns| (columns, rows)));
        around
            .filter(|&around| around != (0, 0))
            .filter_map(move |(columns, rows)| self.offset(columns, rows))
    }

    /// Whether the square is among the five farthest ranks of this side.
    pub fn in_zone(self, white: bool) -> bool {
        if white { self.row >= 11 } else { self.row <= 4 }
    }

    pub fn text(self) -> String {
        format!("{}{}", 16 - self.column, (b'a' + self.row as u8) as char)
    }
}

/// Who stands where, by `[row][column]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board(pub [[Option<Piece>; 16]; 16]);

/// Only which squares are occupied: enough to spread a game's positions, and much faster.
impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for row in &self.0 {
            state.write_u16(
                row.iter()
                    .fold(0, |bits, cell| bits << 1 | u16::from(cell.is_some())),
            );
        }
    }
}

impl Board {
    pub const EMPTY: Board = Board([[None; 16]; 16]);

    pub fn at(&self, square: Square) -> Option<Piece> {
        self.0[square.row as usize][square.column as usize]
    }

    pub fn put(&mut self, square: Square, piece: Option<Piece>) {
        self.0[square.row as usize][square.column as usize] = piece;
    }

    pub fn has_royal(&self, white: bool) -> bool {
        self.have_royals()[usize::from(white)]
    }

    /// Whether Black, and whether White, has a king or prince.
    pub fn have_royals(&self) -> [bool; 2] {
        let mut found = [false; 2];
        for piece in self.0.iter().flatten().flatten() {
            found[usize::from(piece.white)] |= piece.is_royal();
        }
        found
    }

    /// Reads the first field of a position string.
    pub fn parse(text: &str) -> Result<Board, String> {
        let mut board = Board::EMPTY;
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 16 {
            return Err(format!("{} ranks", ranks.len()));
        }
        for (row, rank) in ranks.iter().enumerate() {
            let cells = parse_rank(rank)?;
            if cells.len() != 16 {
                return Err(format!("{} squares in `{rank}`", cells.len()));
            }
            board.0[row].copy_from_slice(&cells);
        }
        Ok(board)
    }

    pub fn text(&self) -> String {
        let ranks: Vec<String> = self.0.iter().map(rank_text).collect();
        ranks.join("/")
    }
}

fn parse_rank(text: &str) -> Result<Vec<Option<Piece>>, String> {
    let mut cells = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let length = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let run: usize = rest[..length]
                .parse()
                .map_err(|_| "number too long".to_string())?;
            if first == '0' || run > 16 {
                return Err(format!("run of {} empty squares", &rest[..length]));
            }
            cells.extend(std::iter::repeat_n(None, run));
            rest = &rest[length..];
            continue;
        }
        let promoted = first == '+';
        if promoted {
            rest = &rest[1..];
        }
        let (name, length) = match rest.strip_prefix('[') {
            Some(inner) => {
                let end = inner.find(']').ok_or("no closing bracket")?;
                if end < 2 {
                    return Err("bracketed single letter".into());
                }
                (&inner[..end], end + 2)
            }
            None => {
                let letter = rest.chars().next().ok_or("a lone `+`")?;
                (&rest[..letter.len_utf8()], letter.len_utf8())
            }
        };
        let white = name.chars().all(|c| c.is_ascii_lowercase());
        if !white && !name.chars().all(|c| c.is_ascii_uppercase()) {
            return Err(format!("`{name}` is neither upper nor lower case"));
        }
        let upper = name.to_ascii_uppercase();
        let (base, _) = BASE
            .into_iter()
            .find(|(_, a)| *a == upper)
            .ok_or(format!("no piece `{name}`"))?;
        if promoted && promotes_to(base).is_none() {
            return Err(format!("`{name}` does not promote"));
        }
        cells.push(Some(Piece {
            white,
            base,
            promoted,
        }));
        rest = &rest[length..];
    }
    Ok(cells)
}

fn rank_text(rank: &[Option<Piece>; 16]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for cell in rank {
        let Some(piece) = cell else {
            empty += 1;
            continue;
        };
        if empty > 0 {
            text += &empty.to_string();
            empty = 0;
        }
        if piece.promoted {
            text.push('+');
        }
        let (base, upper) = BASE[piece.base as usize];
        assert_eq!(base, piece.base);
        let bracketed = upper.len() > 1;
        if bracketed {
            text.push('[');
        }
        text.extend(upper.chars().map(|c| {
            if piece.white {
                c.to_ascii_lowercase()
            } else {
                c
            }
        }));
        if bracketed {
            text.push(']');
        }
    }
    if empty > 0 {
        text += &empty.to_string();
    }
    text
}
