//! Counting leaves of the tree of legal moves.

use super::Shogi;
use super::movegen::Count;
use super::moves::ShogiMove;
use crate::Position;

impl Shogi {
    /// Number of legal moves: as long as the list of [`Position::legal_moves`], which is not written.
    pub fn count_moves(&self) -> usize {
        if self.early_outcome().is_some() {
            return 0;
        }
        let mut count = Count::default();
        self.generate(&mut count);
        count.0
    }

    /// Number of move sequences of length `depth`; promotion choices count separately, the last ply is
    /// counted without being played.
    pub fn perft(&mut self, depth: u32) -> u64 {
        let mut lists = vec![Vec::new(); depth as usize];
        self.perft_with(&mut lists)
    }

    fn perft_with(&mut self, lists: &mut [Vec<ShogiMove>]) -> u64 {
        match lists {
            [] => 1,
            [_] => self.count_moves() as u64,
            [list, deeper @ ..] => {
                self.legal_moves(list);
                let mut leaves = 0;
                for &mv in list.iter() {
                    self.play(mv);
                    leaves += self.perft_with(deeper);
                    self.undo();
                }
                leaves
            }
        }
    }
}
