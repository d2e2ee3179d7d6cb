//! One game of a network against itself: what happens between two network calls.

use crate::log::{Finished, Log, Shared};
use mcts::{EvalError, Evaluations, LeafEvaluator, Search, SearchResult, StartError, Step, Ticket};
use rand::RngExt;
use records::{Policy, SearchKind, Wdl};
use rules::{GameMove, Outcome, Position};

/// A game being played.
pub(crate) struct Game<P: Position> {
    log: Log<P>,
    search: Search<P>,
    /// Kind of the search in progress.
    kind: SearchKind,
    /// Whether the tree holds the present position.
    kept: bool,
}

/// What a game needs next.
pub(crate) enum Next {
    /// A leaf was pushed to the evaluator; [`Game::apply`] wants its answer.
    Leaf(Ticket),
    /// The game is over.
    Over(Outcome),
}

impl<P: Position> Game<P> {
    /// Starts game number `index`, see [`Log::start`].
    pub fn start(shared: &Shared<'_, P>, index: u32) -> Result<Self, Outcome> {
        let log = Log::start(shared, index)?;
        Ok(Game {
            search: Search::new(log.position.clone()),
            kind: SearchKind::None,
            kept: false,
            log,
        })
    }

    /// Begins the search of the next move, unless the game is over. Full searches draw their move with noise at the
    /// root; fast ones only during the first `noisy_plies`.
    fn begin_search(&mut self, shared: &Shared<'_, P>) -> Option<Outcome> {
        if let Some(outcome) = self.log.end_before_search(shared.params.max_plies) {
            return Some(outcome);
        }
        let rng = &mut self.log.rng;
        let full = rng.random::<f32>() < shared.params.full_share;
        let noisy = full || self.log.moves.len() < shared.params.noisy_plies as usize;
        let (kind, visits) = match full {
            true => (SearchKind::Full, shared.search.visits),
            false => (SearchKind::Fast, shared.params.fast_visits),
        };
        let params = if noisy { shared.search } else { &shared.quiet };
        self.kind = kind;
        let begun = match self.kept {
            true => self.search.resume(params, visits, rng),
            false => self
                .search
                .start(self.log.position.clone(), params, visits, rng),
        };
        match begun {
            Ok(()) => None,
            Err(StartError::GameOver(outcome)) => Some(outcome),
            Err(StartError::Params(error)) => panic!("search settings are checked before: {error}"),
        }
    }

    /// Goes on until a leaf waits for the network or the game is over.
    pub fn advance<E: LeafEvaluator<P> + ?Sized>(
        &mut self,
        shared: &Shared<'_, P>,
        evaluator: &mut E,
    ) -> Next {
        loop {
            if self.kind == SearchKind::None
                && let Some(outcome) = self.begin_search(shared)
            {
                return Next::Over(outcome);
            }
            match self.search.gather(evaluator) {
                Step::Leaf(ticket) => return Next::Leaf(ticket),
                Step::Backed => {}
                // One leaf a game is in flight, and it has been applied before we come here.
                Step::Busy => panic!("a search with nothing in flight waits"),
                Step::Finished => {
                    if let Some(outcome) = self.make_move(shared) {
                        return Next::Over(outcome);
                    }
                }
            }
        }
    }

    /// Gives the answer to the leaf of [`advance`](Self::advance).
    pub fn apply(
        &mut self,
        ticket: Ticket,
        answers: &Evaluations,
        i: usize,
    ) -> Result<(), EvalError> {
        self.search.apply(ticket, answers, i)
    }

    /// Plays the move that the finished search found, or resigns.
    fn make_move(&mut self, shared: &Shared<'_, P>) -> Option<Outcome> {
        let result = self
            .search
            .result()
            .expect("a finished search has a result");
        let params = shared.params;
        let score = result.value.win + 0.5 * result.value.draw;
        if let Some(outcome) = self.log.resigns(params, score) {
            return Some(outcome);
        }
        let mv = match self.log.moves.len() < params.temperature_plies as usize {
            true => result.sample(params.temperature, &mut self.log.rng),
            false => result.best,
        };
        let mut row = self.log.row(self.kind, result.moves.len(), mv);
        row.visits = result.playouts;
        row.root = Some(Wdl::from(result.value.to_array()));
        row.net = result.network.map(|wdl| Wdl::from(wdl.to_array()));
        if self.kind == SearchKind::Full {
            row.policy = Some(policy_target(&result));
        }
        self.log.play(row, mv);
        self.kept = params.reuse_tree;
        if self.kept {
            self.search.advance(mv).expect("a move of the search");
        }
        self.kind = SearchKind::None;
        None
    }

    /// The rows of the finished game; `None` if it has no move (the start was decided).
    pub fn finish(self, shared: &Shared<'_, P>, outcome: Outcome) -> Option<Finished> {
        self.log.finish(shared, outcome)
    }
}

/// The search's target policy over all legal moves.
fn policy_target<M: GameMove>(result: &SearchResult<M>) -> Policy {
    Policy {
        moves: result.moves.iter().map(|stats| stats.mv.code()).collect(),
        weights: result.moves.iter().map(|stats| stats.policy).collect(),
    }
}
