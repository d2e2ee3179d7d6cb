//! One game of self-play: its position, its search, its rows, and what happens between two network calls.

use crate::params::SelfplayParams;
use mcts::{
    EvalError, Evaluations, LeafEvaluator, Search, SearchParams, SearchResult, StartError, Step,
    Ticket,
};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::{GameRecord, Policy, PositionRecord, SearchKind, Wdl};
use rules::{EndReason, GameMove, Outcome, Position, Rules};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Settings that every game of a job shares.
pub(crate) struct Shared<'a, P: Position> {
    pub params: &'a SelfplayParams,
    pub search: &'a SearchParams,
    pub start: &'a P,
    pub run_seed: u64,
    pub generation: u32,
    pub network_hash: &'a str,
    pub player: &'a str,
}

/// A finished game: its row in `games`, and one row in `positions` for each ply.
pub(crate) struct Finished {
    pub game: GameRecord,
    pub rows: Vec<PositionRecord>,
}

/// A game being played.
pub(crate) struct Game<P: Position> {
    index: u32,
    seed: u64,
    rng: Xoshiro256PlusPlus,
    position: P,
    search: Search<P>,
    kind: SearchKind,
    moves: Vec<P::Move>,
    rows: Vec<PositionRecord>,
    begun: Instant,
    start_unix_ms: u64,
}

/// What a game needs next.
pub(crate) enum Next {
    /// A leaf was pushed to the evaluator; [`Game::apply`] wants its answer.
    Leaf(Ticket),
    /// The game is over.
    Over(Outcome),
}

impl<P: Position> Game<P> {
    /// Starts game number `index`: all its randomness comes from (run seed, generation, index). Plays the random
    /// opening and begins the first search, or returns the outcome where the start position is decided already.
    pub fn start(shared: &Shared<'_, P>, index: u32) -> Result<Self, (Outcome, u32)> {
        let seed = game_seed(shared.run_seed, shared.generation, index);
        let mut game = Game {
            index,
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            position: shared.start.clone(),
            search: Search::new(shared.start.clone()),
            kind: SearchKind::None,
            moves: Vec::new(),
            rows: Vec::new(),
            begun: Instant::now(),
            start_unix_ms: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| d.as_millis() as u64),
        };
        if let Some(outcome) = shared.start.outcome() {
            return Err((outcome, index));
        }
        game.play_opening(shared.params.opening_plies);
        Ok(game)
    }

    /// Random legal moves, their number drawn evenly from 0 to `most`. A move that ends the game is not played.
    fn play_opening(&mut self, most: u32) {
        let plies = self.rng.random_range(0..=most);
        let mut moves = Vec::new();
        for _ in 0..plies {
            self.position.legal_moves(&mut moves);
            let mv = *moves.choose(&mut self.rng).expect("the game goes on");
            self.position.play(mv);
            let over = self.position.outcome().is_some();
            self.position.undo();
            if over {
                break;
            }
            self.rows.push(self.row(SearchKind::None, moves.len(), mv));
            self.play(mv);
        }
    }

    fn play(&mut self, mv: P::Move) {
        self.position.play(mv);
        self.moves.push(mv);
    }

    fn row(&self, search: SearchKind, legal_moves: usize, played: P::Move) -> PositionRecord {
        PositionRecord {
            snapshot: self.position.snapshot(),
            in_check: self.position.in_check(),
            legal_moves: legal_moves as u32,
            search,
            visits: 0,
            policy: None,
            played: played.code(),
            root: None,
            net: None,
        }
    }

    /// Begins the search of the next move, unless the game is over or the side to move wins by declaration. Full searches draw their move with noise at the root; fast ones only
    /// during the first `noisy_plies`.
    fn begin_search(&mut self, shared: &Shared<'_, P>) -> Option<Outcome> {
        if self.moves.len() >= shared.params.max_plies as usize {
            // The last move allowed may have ended the game: then that is its end, not the cap.
            let cap = Outcome {
                winner: None,
                reason: EndReason::PlyCap,
            };
            return Some(self.position.outcome().unwrap_or(cap));
        }
        if let Some(outcome) = self
            .position
            .declaration()
            .filter(|o| o.winner == Some(self.position.turn()))
        {
            return Some(outcome);
        }
        let full = self.rng.random::<f32>() < shared.params.full_share;
        let noisy = full || self.moves.len() < shared.params.noisy_plies as usize;
        let (kind, visits) = match full {
            true => (SearchKind::Full, shared.search.visits),
            false => (SearchKind::Fast, shared.params.fast_visits),
        };
        let quiet;
        let params = if noisy {
            shared.search
        } else {
            quiet = shared.search.without_noise();
            &quiet
        };
        self.kind = kind;
        match self
            .search
            .start(self.position.clone(), params, visits, &mut self.rng)
        {
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
                Step::Finished => self.make_move(),
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

    fn make_move(&mut self) {
        let result = self
            .search
            .result()
            .expect("a finished search has a result");
        let mut row = self.row(self.kind, result.moves.len(), result.best);
        row.visits = result.playouts;
        row.root = Some(Wdl::from(result.value.to_array()));
        row.net = result.network.map(|wdl| Wdl::from(wdl.to_array()));
        if self.kind == SearchKind::Full {
            row.policy = Some(policy_target(&result));
        }
        self.rows.push(row);
        self.play(result.best);
        self.kind = SearchKind::None;
    }

    /// The rows of the finished game; `None` if it has no move (the start was decided).
    pub fn finish(self, shared: &Shared<'_, P>, outcome: Outcome) -> Option<Finished> {
        if self.moves.is_empty() {
            return None;
        }
        let texts: Vec<String> = self.moves.iter().map(ToString::to_string).collect();
        let game = GameRecord {
            id: GameRecord::self_play_id(shared.generation, self.index),
            generation: shared.generation,
            index: self.index,
            rules: shared.start.rules().name(),
            start_sfen: shared.start.sfen(),
            moves: texts.join(" "),
            winner: outcome.winner,
            reason: outcome.reason,
            final_sfen: self.position.sfen(),
            seed: self.seed,
            black: shared.player.to_string(),
            white: shared.player.to_string(),
            network: Some(shared.network_hash.to_string()),
            play_on: false,
            resign_side: None,
            resign_ply: None,
            start_unix_ms: self.start_unix_ms,
            duration_ms: self.begun.elapsed().as_millis() as u64,
        };
        Some(Finished {
            game,
            rows: self.rows,
        })
    }
}

/// The search's target policy over all legal moves.
fn policy_target<M: GameMove>(result: &SearchResult<M>) -> Policy {
    Policy {
        moves: result.moves.iter().map(|stats| stats.mv.code()).collect(),
        weights: result.moves.iter().map(|stats| stats.policy).collect(),
    }
}

/// Mixes run seed, generation and game number into the game's seed (SplitMix64's finaliser over their sum with odd
/// multipliers).
pub(crate) fn game_seed(run_seed: u64, generation: u32, index: u32) -> u64 {
    let mut z = run_seed
        .wrapping_add(u64::from(generation).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_add(u64::from(index).wrapping_mul(0xD134_2543_DE82_EF95));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
