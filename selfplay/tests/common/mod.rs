//! What the tests of self-play share.
#![allow(dead_code)] // every test file uses its part

use mcts::{EvalError, Evaluations, LeafEvaluator, SearchParams};
use records::{Dataset, GameRecord, PositionRecord, Shape};
use rules::{Color, GameMove, Position};
use selfplay::{Job, Report, SelfplayError, SelfplayParams, Source, Starts, run};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A game and its rows by id, without timings.
pub type Games = BTreeMap<String, (GameRecord, Vec<PositionRecord>)>;

pub fn params() -> SelfplayParams {
    SelfplayParams {
        games: 6,
        workers: 2,
        games_in_flight: 2,
        max_plies: 24,
        full_share: 0.5,
        fast_visits: 4,
        opening_plies: 6,
        ..SelfplayParams::default()
    }
}

/// So few moves considered that their replies are searched as well: there is a tree to keep.
pub fn search() -> SearchParams {
    let mut params = SearchParams {
        visits: 12,
        ..SearchParams::default()
    };
    params.gumbel.considered = 4;
    params
}

/// Has an opinion on every position and move, the same in every batch. It thinks that Black stands as `black` says, if
/// that is given.
#[derive(Clone, Default)]
pub struct Opinionated {
    pub black: Option<f32>,
    pending: Vec<(u64, Color, Vec<u32>)>,
}

impl Opinionated {
    pub fn black(win: f32) -> Self {
        Opinionated {
            black: Some(win),
            pending: Vec::new(),
        }
    }
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// 0 to 1.
fn unit(x: u64) -> f32 {
    (mix(x) >> 40) as f32 / (1u64 << 24) as f32
}

impl<P: Position> LeafEvaluator<P> for Opinionated {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        let codes = moves.iter().map(|mv| mv.code()).collect();
        self.pending.push((position.key(), position.turn(), codes));
    }

    fn pending(&self) -> usize {
        self.pending.len()
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        out.clear();
        for (key, turn, codes) in self.pending.drain(..) {
            out.logits
                .extend(codes.iter().map(|&code| 2.0 * unit(key ^ mix(code.into()))));
            out.offsets.push(out.logits.len());
            let win = match (self.black, turn) {
                (Some(win), Color::Black) => win,
                (Some(win), Color::White) => 1.0 - win,
                (None, _) => 0.3 + 0.4 * unit(key),
            };
            out.wdl.push([win, 0.0, 1.0 - win]);
            out.moves_left.push(50.0);
        }
        Ok(())
    }
}

/// The job of these tests.
pub fn job<'a, P: Position>(
    dir: &'a Path,
    starts: &'a Starts<P>,
    params: &'a SelfplayParams,
    search: &'a SearchParams,
) -> Job<'a, P> {
    Job {
        run: dir,
        starts,
        params,
        search,
        run_seed: 5,
        generation: 3,
        network_hash: "none",
        player: "test",
        config_hash: "none",
        newer: None,
    }
}

/// Plays a job with evaluators like `evaluator`.
pub fn play<P: Position>(
    job: &Job<'_, P>,
    evaluator: &(impl LeafEvaluator<P> + Clone + Sync + 'static),
) -> Result<Report, SelfplayError> {
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<P>>, EvalError> {
        Ok(Box::new(evaluator.clone()))
    };
    let never = AtomicBool::new(false);
    run(job, &Source::Network(&evaluators), &never, &|_| {})
}

/// Plays from `starts` in a new folder and reads the games.
pub fn games<P: Position>(
    starts: &Starts<P>,
    params: &SelfplayParams,
    search: &SearchParams,
    evaluator: &(impl LeafEvaluator<P> + Clone + Sync + 'static),
) -> (Report, Games) {
    params.check().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let report = play(&job(dir.path(), starts, params, search), evaluator).unwrap();
    (report, read::<P>(dir.path()))
}

/// All games of a folder.
pub fn read<P: Position>(dir: &Path) -> Games {
    let dataset = Dataset::open(dir, &Shape::of::<P>()).unwrap();
    assert!(dataset.refused().is_empty() && dataset.orphans().is_empty());
    let mut all = BTreeMap::new();
    for shard in dataset.shards() {
        let visit = |mut game: GameRecord, rows: Vec<PositionRecord>| {
            (game.start_unix_ms, game.duration_ms) = (0, 0);
            assert!(
                all.insert(game.id.clone(), (game, rows)).is_none(),
                "a game is there twice"
            );
            Ok(())
        };
        dataset.read(shard, visit).unwrap();
    }
    all
}
