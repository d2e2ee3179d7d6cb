//! A game as it becomes a record: its position, its moves, its rows, and who would have resigned when. Whoever plays it
//! chooses the moves.

use crate::params::SelfplayParams;
use crate::starts::Starts;
use mcts::SearchParams;
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::{GameRecord, PositionRecord, SearchKind};
use rules::{Color, EndReason, GameMove, Outcome, Position, Rules};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Settings that every game of a job shares.
pub(crate) struct Shared<'a, P: Position> {
    pub params: &'a SelfplayParams,
    pub search: &'a SearchParams,
    /// The search without noise.
    pub quiet: SearchParams,
    pub starts: &'a Starts<P>,
    pub run_seed: u64,
    pub generation: u32,
    /// Empty without a network.
    pub network_hash: &'a str,
    pub player: &'a str,
}

/// A finished game: its row in `games`, and one row in `positions` for each ply.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The game.
    pub game: GameRecord,
    /// Its plies.
    pub rows: Vec<PositionRecord>,
}

/// A game being played.
pub(crate) struct Log<P: Position> {
    index: u32,
    pub seed: u64,
    pub rng: Xoshiro256PlusPlus,
    pub position: P,
    rules: String,
    start_sfen: String,
    pub moves: Vec<P::Move>,
    rows: Vec<PositionRecord>,
    play_on: bool,
    /// Searches one after the other in which the side saw itself as lost, by colour.
    hopeless: [u32; 2],
    resign: Option<(Color, u32)>,
    begun: Instant,
    start_unix_ms: u64,
}

impl<P: Position> Log<P> {
    /// Starts game number `index`: all its randomness comes from (run seed, generation, index). Plays the random opening,
    /// or returns the outcome where the start position is decided already.
    pub fn start(shared: &Shared<'_, P>, index: u32) -> Result<Self, Outcome> {
        let seed = game_seed(shared.run_seed, shared.generation, index);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let position = shared.starts.choose(&mut rng).clone();
        if let Some(outcome) = position.outcome() {
            return Err(outcome);
        }
        let resign = &shared.params.resign;
        let play_on = resign.threshold > 0.0 && rng.random::<f32>() < resign.play_on_share;
        let mut log = Log {
            index,
            seed,
            rng,
            rules: position.rules().name(),
            start_sfen: position.sfen(),
            position,
            moves: Vec::new(),
            rows: Vec::new(),
            play_on,
            hopeless: [0; 2],
            resign: None,
            begun: Instant::now(),
            start_unix_ms: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| d.as_millis() as u64),
        };
        log.play_opening(shared.params.opening_plies);
        Ok(log)
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
            let row = self.row(SearchKind::None, moves.len(), mv);
            self.play(row, mv);
        }
    }

    /// Position string of the start.
    pub fn start_sfen(&self) -> &str {
        &self.start_sfen
    }

    /// Plays a move with its row.
    pub fn play(&mut self, row: PositionRecord, mv: P::Move) {
        self.rows.push(row);
        self.position.play(mv);
        self.moves.push(mv);
    }

    /// A row for the present position, without what a search found.
    pub fn row(&self, search: SearchKind, legal_moves: usize, played: P::Move) -> PositionRecord {
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

    /// The end that needs no search: the ply cap, or a declaration by which the side to move wins.
    pub fn end_before_search(&self, max_plies: u32) -> Option<Outcome> {
        if self.moves.len() >= max_plies as usize {
            // The last move allowed may have ended the game: then that is its end, not the cap.
            let cap = Outcome {
                winner: None,
                reason: EndReason::PlyCap,
            };
            return Some(self.position.outcome().unwrap_or(cap));
        }
        let declared = self.position.declaration();
        declared.filter(|o| o.winner == Some(self.position.turn()))
    }

    /// Takes note of the side to move's expected score, 0 to 1; the outcome if it resigns now.
    pub fn resigns(&mut self, params: &SelfplayParams, expected_score: f32) -> Option<Outcome> {
        let side = self.position.turn();
        let count = &mut self.hopeless[side.index()];
        *count = match expected_score < params.resign.threshold {
            true => *count + 1,
            false => 0,
        };
        let met = *count >= params.resign.searches
            && self.moves.len() >= params.resign.min_plies as usize
            && self.resign.is_none();
        if !met {
            return None;
        }
        self.resign = Some((side, self.moves.len() as u32));
        (!self.play_on).then_some(Outcome {
            winner: Some(side.opponent()),
            reason: EndReason::Resignation,
        })
    }

    /// The rows of the finished game; `None` if it has no move.
    pub fn finish(self, shared: &Shared<'_, P>, outcome: Outcome) -> Option<Finished> {
        if self.moves.is_empty() {
            return None;
        }
        let texts: Vec<String> = self.moves.iter().map(ToString::to_string).collect();
        let hash = shared.network_hash;
        let game = GameRecord {
            id: GameRecord::self_play_id(shared.generation, self.index),
            generation: shared.generation,
            index: self.index,
            rules: self.rules,
            start_sfen: self.start_sfen,
            moves: texts.join(" "),
            winner: outcome.winner,
            reason: outcome.reason,
            final_sfen: self.position.sfen(),
            seed: self.seed,
            black: shared.player.to_string(),
            white: shared.player.to_string(),
            network: (!hash.is_empty()).then(|| hash.to_string()),
            play_on: self.play_on,
            resign_side: self.resign.map(|(side, _)| side),
            resign_ply: self.resign.map(|(_, ply)| ply),
            start_unix_ms: self.start_unix_ms,
            duration_ms: self.begun.elapsed().as_millis() as u64,
        };
        Some(Finished {
            game,
            rows: self.rows,
        })
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
