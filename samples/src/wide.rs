//! Positions of tenjiku with very many legal moves.

use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku};

/// The least numbers of legal moves of the positions of [`wide`]: more than 8, 9 and 10 bits can count.
pub const WIDE: [usize; 3] = [256, 513, 1025];

/// Lion hawks all over the board, Black to move, with at least as many legal moves as [`WIDE`] says. White's king and prince stand
/// apart, so that no move wins at once. `1p2p` is a move of the king that changes nothing.
pub fn wide() -> [Tenjiku; 3] {
    // Empty squares between hawks, and ranks between their ranks.
    [(4, 3), (3, 2), (2, 1)].map(|(empty, step)| {
        let hawks = 15 / (empty + 1);
        let rest = 16 - hawks * (empty + 1);
        let full = format!("{}{rest}/", format!("{empty}[LH]").repeat(hawks));
        let ranks: String = (0..13)
            .map(|rank| {
                if rank % step == 0 {
                    full.as_str()
                } else {
                    "16/"
                }
            })
            .collect();
        let sfen = format!("k14+[de]/16/{ranks}15K b - 1");
        Tenjiku::from_sfen(&RuleSet::default(), &sfen).unwrap()
    })
}
