//! What thinks behind a protocol: alpha-beta, or tree search over an exported network.

use super::Settings;
use super::network::Network;
use crate::Material;
use crate::search::{AlphaBeta, Limits, Thought};
use encoding::Encoded;
use mcts::WdlPov;
use rules::Position;

/// Hears of progress: a thought, and of a network the expected result of its line for the side to move.
pub(super) type Report<'a, P> = &'a mut dyn FnMut(&Thought<<P as Position>::Move>, Option<WdlPov>);

/// Something that finds a move.
pub(super) trait Think<P: Material>: Send {
    /// Thinks about `position`; `report` hears of progress. `endless` asks for a search that goes on until the stop
    /// flag of `limits` is set. `None` if the game is over.
    fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        endless: bool,
        report: Report<'_, P>,
    ) -> Result<Option<Thought<P::Move>>, String>;

    /// Forgets earlier games.
    fn clear(&mut self);

    /// Whether [`Limits::depth`] bounds it.
    fn takes_depth(&self) -> bool;
}

/// Opens what the settings name; alpha-beta, and the reason, where the network cannot be used.
pub(super) fn open<P: Encoded + Material>(
    settings: &Settings,
    start: &P,
) -> (Box<dyn Think<P>>, Option<String>) {
    let mut reason = None;
    if let Some(file) = &settings.network {
        match Network::open(file, settings, start) {
            Ok(network) => return (Box::new(network), None),
            Err(e) => reason = Some(e),
        }
    }
    let alpha_beta = AlphaBeta::with_threads(settings.hash_mib, settings.threads);
    (Box::new(alpha_beta), reason)
}

impl<P: Material> Think<P> for AlphaBeta<P> {
    fn think(
        &mut self,
        position: &P,
        limits: &Limits,
        _endless: bool,
        report: Report<'_, P>,
    ) -> Result<Option<Thought<P::Move>>, String> {
        Ok(AlphaBeta::think(self, position, limits, &mut |thought| {
            report(thought, None)
        }))
    }

    fn clear(&mut self) {
        AlphaBeta::clear(self);
    }

    fn takes_depth(&self) -> bool {
        true
    }
}
