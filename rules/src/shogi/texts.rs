//! Game texts of shogi: KIF and CSA files, and what the reader of all games' texts asks for.
//!
//! The readers are pure functions from a text to an [`ImportedGame`]; files and directories are the caller's
//! affair, and [`decode`](crate::import::decode) turns bytes into a text.

mod builder;
mod csa;
mod handicap;
mod kif;

use super::{RuleSet, Shogi, ShogiMove};
use crate::import::{GameText, ImportError, ImportedGame, Reading};
use crate::{MoveError, Position};

pub use csa::read_csa;
pub use kif::read_kif;

type Imported = Result<ImportedGame<Shogi>, ImportError<Shogi>>;

impl GameText for Shogi {
    /// The USI string: the one notation of shogi moves that needs no Japanese.
    fn write_move(&self, mv: ShogiMove) -> String {
        mv.to_string()
    }

    fn read_move(&self, text: &str) -> Result<Reading<ShogiMove>, MoveError> {
        let remarks = Vec::new();
        self.parse_move(text).map(|mv| Reading { mv, remarks })
    }

    fn handicap(rules: &RuleSet, name: &str) -> Result<Shogi, String> {
        handicap::start(rules, name)
    }

    fn handicaps() -> Vec<(&'static str, &'static str)> {
        handicap::suggested()
    }

    fn import_native(text: &str, rules: &RuleSet) -> Option<Vec<Imported>> {
        if kif::looks_like_kif(text) {
            Some(vec![read_kif(text, rules)])
        } else if csa::looks_like_csa(text) {
            Some(read_csa(text, rules))
        } else {
            None
        }
    }
}
