//! An exported network behind a protocol: its tree search as thoughts and analysis lines.

use super::Settings;
use super::think::{Report, Think};
use crate::Material;
use crate::search::{Limits, MATE, Thought};
use crate::tree::{TreeSearch, ranked};
use encoding::{Encoded, GameName};
use inference::{OnnxFile, Runtime};
use mcts::{MoveStats, ProofPov, Search, SearchResult, WdlPov};
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};

/// A network with tree search.
pub(super) struct Network<P: Material> {
    tree: TreeSearch<P>,
    /// Playouts that the user wants; without, [`VISITS`] where no other limit is given.
    visits: Option<u32>,
}

/// Playouts of a search for which nobody gave any limit.
pub(super) const VISITS: u32 = 800;
/// Playouts that a larger number of nodes counts as.
const MOST: u32 = 1_000_000_000;

impl<P: Encoded + Material> Network<P> {
    /// Opens the exported file; `start` is any position of the game.
    ///
    /// # Errors
    /// The file is missing or bad: names it, with the reason.
    pub fn open(file: &Path, settings: &Settings, start: &P) -> Result<Self, String> {
        let evaluator = inference::open_evaluator::<P>(file, Runtime::Auto, settings.threads, true)
            .map_err(|e| e.to_string())?;
        static ONCE: Once = Once::new();
        ONCE.call_once(tell_unused_library);
        Ok(Network {
            tree: TreeSearch::new(Box::new(evaluator), settings.search, start),
            visits: settings.visits,
        })
    }
}

/// Whether the file is a network for a game that is not `P`.
pub(super) fn is_for_another_game<P: Material>(file: &Path) -> bool {
    OnnxFile::open(file).is_ok_and(|file| {
        let game = file.metadata().input.game.parse::<GameName>();
        game.is_ok_and(|game| game.name() != P::GAME)
    })
}

/// Says on standard error that the library which the user named is not the one that runs the network.
fn tell_unused_library() {
    let Some(named) = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) else {
        return;
    };
    match inference::library() {
        Err(e) => eprintln!("tenjiku-engine: {e}; tract runs the network"),
        Ok(library) if std::path::absolute(&named).ok().as_deref() != Some(library.path()) => {
            eprintln!(
                "tenjiku-engine: ORT_DYLIB_PATH={} cannot be loaded; {} runs the network",
                named.display(),
                library.path().display()
            );
        }
        Ok(_) => {}
    }
}

impl<P: Material> Think<P> for Network<P> {
    fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        endless: bool,
        report: Report<'_, P>,
    ) -> Result<Option<Thought<P::Move>>, String> {
        if position.outcome().is_some() {
            return Ok(None);
        }
        let timed = limits.soft.is_some() || limits.hard.is_some();
        let nodes = limits.nodes.map(|n| n.min(u64::from(MOST)) as u32);
        let playouts = nodes
            .or(self.visits)
            .or((!timed).then_some(VISITS))
            .filter(|_| !endless);
        let (lines, start) = (limits.lines.max(1), Instant::now());
        let mut tell = |search: &Search<P>, result: &SearchResult<P::Move>, elapsed: Duration| {
            let moves = ranked(result);
            for (i, stats) in moves.iter().take(lines).enumerate() {
                let wdl = odds(stats, result);
                let thought = Thought {
                    line: i + 1,
                    ..thought(search, stats, wdl, result, elapsed)
                };
                report(&thought, Some(wdl));
            }
        };
        let mut progress = |search: &Search<P>, elapsed: Duration| {
            if let Some(result) = search.result() {
                tell(search, &result, elapsed);
            }
        };
        let result = self.tree.think(position, playouts, limits, &mut progress)?;
        let elapsed = start.elapsed();
        tell(self.tree.search(), &result, elapsed);
        let best = ranked(&result)[0];
        let wdl = odds(best, &result);
        Ok(Some(thought(
            self.tree.search(),
            best,
            wdl,
            &result,
            elapsed,
        )))
    }

    fn clear(&mut self) {}

    fn takes_depth(&self) -> bool {
        false
    }
}

/// The move's own odds; those of the root where the search never came to the move.
fn odds<M>(stats: &MoveStats<M>, result: &SearchResult<M>) -> WdlPov {
    stats.wdl.unwrap_or(result.value)
}

fn thought<P: Material>(
    search: &Search<P>,
    stats: &MoveStats<P::Move>,
    wdl: WdlPov,
    result: &SearchResult<P::Move>,
    elapsed: Duration,
) -> Thought<P::Move> {
    let pv = search.line(stats.mv).unwrap_or_else(|| vec![stats.mv]);
    Thought {
        best: stats.mv,
        line: 1,
        score: score(stats.proof, wdl),
        depth: pv.len() as u32,
        deepest: pv.len() as u32,
        nodes: u64::from(result.playouts),
        elapsed,
        pv,
        hash_full: 0,
    }
}

/// Centipawns by the same logistic curve as [`Thought::expected_score`], or plies to a proven end.
fn score(proof: Option<ProofPov>, wdl: WdlPov) -> i32 {
    match proof {
        Some(ProofPov::Win(plies)) => MATE - i32::from(plies) - 1,
        Some(ProofPov::Loss(plies)) => i32::from(plies) + 1 - MATE,
        Some(ProofPov::Draw) => 0,
        None => {
            let win = (wdl.win + 0.5 * wdl.draw).clamp(0.001, 0.999);
            (1500.0 * (win / (1.0 - win)).ln()) as i32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_follow_the_odds_and_proofs_count_plies_from_the_root() {
        let even = WdlPov {
            win: 0.3,
            draw: 0.4,
            loss: 0.3,
        };
        assert_eq!(score(None, even), 0);
        assert_eq!(score(Some(ProofPov::Draw), even), 0);
        // A move after which the game is over wins in one ply.
        assert_eq!(score(Some(ProofPov::Win(0)), even), MATE - 1);
        assert_eq!(score(Some(ProofPov::Loss(3)), even), 4 - MATE);
        // Odds of three to one: 1500 ln 3.
        let good = WdlPov {
            win: 0.7,
            draw: 0.1,
            loss: 0.2,
        };
        assert_eq!(score(None, good), 1647);
    }
}
