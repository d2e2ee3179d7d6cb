//! How pieces move.

/// A piece: its unpromoted letter in upper case, and whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub letter: u8,
    pub promoted: bool,
    pub black: bool,
}

/// Steps as (aside, ahead), for its owner.
const GOLD: [(i32, i32); 6] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
const SILVER: [(i32, i32); 5] = [(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];
const DIAGONAL: [(i32, i32); 4] = [(-1, 1), (1, 1), (-1, -1), (1, -1)];
const ORTHOGONAL: [(i32, i32); 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];

/// Single steps and jumps, and directions of any distance.
type Moves = (Vec<(i32, i32)>, Vec<(i32, i32)>);

impl Piece {
    /// (steps, slides).
    pub fn moves(self) -> Moves {
        match (self.letter, self.promoted) {
            (b'K', _) => ([DIAGONAL, ORTHOGONAL].concat(), vec![]),
            (b'R', false) => (vec![], ORTHOGONAL.to_vec()),
            (b'R', true) => (DIAGONAL.to_vec(), ORTHOGONAL.to_vec()),
            (b'B', false) => (vec![], DIAGONAL.to_vec()),
            (b'B', true) => (ORTHOGONAL.to_vec(), DIAGONAL.to_vec()),
            (b'S', false) => (SILVER.to_vec(), vec![]),
            (b'N', false) => (vec![(-1, 2), (1, 2)], vec![]),
            (b'L', false) => (vec![], vec![(0, 1)]),
            (b'P', false) => (vec![(0, 1)], vec![]),
            _ => (GOLD.to_vec(), vec![]),
        }
    }

    /// Whether it could never move from the `row`th rank as its owner counts from the far edge.
    pub fn is_stuck(self, row: i32) -> bool {
        match (self.letter, self.promoted) {
            (b'P' | b'L', false) => row == 1,
            (b'N', false) => row <= 2,
            _ => false,
        }
    }

    pub fn can_promote(self) -> bool {
        !self.promoted && self.letter != b'G' && self.letter != b'K'
    }
}
