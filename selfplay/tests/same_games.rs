//! Games depend on seeds and answers, and on nothing else: not on workers, batches, cache, or who asks again.

mod common;

use common::{Games, Opinionated, games, job, params, play, read, search};
use encoding::Encoded;
use inference::{Backend, BackendError, BatchEvaluator, RawOutput};
use mcts::{EvalError, LeafEvaluator};
use rules::Position;
use rules::shogi::Shogi;
use rules::tenjiku::{RuleSet, Tenjiku};
use selfplay::{Batcher, SelfplayParams, Source, Starts, replay, run};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn tenjiku() -> Starts<Tenjiku> {
    Starts::one(Tenjiku::start(&RuleSet::default()))
}

fn with(change: impl FnOnce(&mut SelfplayParams)) -> Games {
    let mut params = params();
    change(&mut params);
    games(&tenjiku(), &params, &search(), &Opinionated::default()).1
}

#[test]
fn workers_batches_and_cache_do_not_change_the_games() {
    let first = with(|_| {});
    assert_eq!(first.len(), 6);
    assert_eq!(first, with(|_| {}), "again");
    assert_eq!(first, with(|p| p.workers = 1), "one worker");
    assert_eq!(first, with(|p| p.games_in_flight = 6), "larger batches");
    assert_eq!(first, with(|p| p.cache_entries = 0), "no cache");
    assert_eq!(first, with(|p| p.cache_entries = 40), "a small cache");
    assert!(first != with(|p| p.reuse_tree = false), "the tree is kept");
}

#[test]
fn a_kept_tree_saves_evaluations_and_is_repeatable() {
    let count = |reuse_tree| {
        let params = SelfplayParams {
            reuse_tree,
            cache_entries: 0,
            ..params()
        };
        let (report, games) = games(&tenjiku(), &params, &search(), &Opinionated::default());
        let rows: u64 = games.values().map(|(_, rows)| rows.len() as u64).sum();
        assert_eq!(report.tally.plies, rows);
        report.tally.evaluations as f64 / rows as f64
    };
    // Without it every search begins with an evaluation of its root.
    let (kept, dropped) = (count(true), count(false));
    assert!(kept < dropped - 0.3, "{kept} {dropped}");
}

#[test]
fn a_game_played_again_alone_is_the_same() {
    let starts = Starts::one(Shogi::start(&Default::default()));
    let (params, search) = (params(), search());
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), &starts, &params, &search);
    play(&job, &Opinionated::default()).unwrap();
    let games = read::<Shogi>(dir.path());
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<Shogi>>, EvalError> {
        Ok(Box::new(Opinionated::default()))
    };
    for (game, rows) in games.values() {
        let again = replay(&job, &Source::Network(&evaluators), game.index)
            .unwrap()
            .unwrap();
        assert!(again.game.same_play(game));
        assert_eq!(again.rows.len(), rows.len());
        for (new, old) in again.rows.iter().zip(rows) {
            assert_eq!((new.visits, new.played), (old.visits, old.played));
        }
    }
}

/// A network whose answers depend on the position alone.
struct Fake(encoding::InputSpec);

impl Backend for Fake {
    fn spec(&self) -> &encoding::InputSpec {
        &self.0
    }
    fn policy_dim(&self) -> usize {
        1
    }
    fn describe(&self) -> String {
        "fake".into()
    }
    fn forward(
        &mut self,
        n: usize,
        squares: &[u8],
        _globals: &[f32],
        out: &mut RawOutput,
    ) -> Result<(), BackendError> {
        let (each, s) = (self.0.cells(), self.0.squares());
        *out = RawOutput::default();
        for position in squares.chunks_exact(each).take(n) {
            out.policy
                .extend((0..4 * s).map(|i| f32::from(position[i % s]) / 50.0));
            let sum: u32 = position.iter().map(|&code| u32::from(code)).sum();
            out.wdl_logits
                .extend([(sum % 7) as f32 / 7.0, 0.0, (sum % 5) as f32 / 5.0]);
            out.moves_left.push(40.0);
            out.marks.extend((0..self.0.marks).map(|i| i as f32 / 50.0));
        }
        Ok(())
    }
}

fn through_a_batcher<P: Encoded>(starts: &Starts<P>, shared: bool) -> Games {
    let fake = || -> Box<dyn Backend> { Box::new(Fake(encoding::spec::<P>())) };
    let batcher = Batcher::new(vec![fake(), fake()], 5, Duration::from_micros(100)).unwrap();
    let (params, search) = (params(), search());
    let params = SelfplayParams {
        workers: 3,
        ..params
    };
    let dir = tempfile::tempdir().unwrap();
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<P>>, EvalError> {
        let backend = if shared { batcher.client() } else { fake() };
        Ok(Box::new(BatchEvaluator::<P>::new(backend)?))
    };
    let job = job(dir.path(), starts, &params, &search);
    let never = AtomicBool::new(false);
    let report = run(&job, &Source::Network(&evaluators), &never, &|_| {}).unwrap();
    if shared {
        assert_eq!(batcher.counts().1, report.tally.evaluations);
    }
    read::<P>(dir.path())
}

#[test]
fn shared_batches_give_the_same_games_where_the_network_does_not_round() {
    let starts = tenjiku();
    let own = through_a_batcher(&starts, false);
    assert_eq!(own.len(), 6);
    assert_eq!(own, through_a_batcher(&starts, true));
}

#[test]
fn a_newer_network_lets_games_in_flight_end_and_no_other_begin() {
    let starts = tenjiku();
    let (params, search) = (params(), search());
    let dir = tempfile::tempdir().unwrap();
    let asked = AtomicU64::new(0);
    let newer = || asked.fetch_add(1, Ordering::Relaxed) >= 4;
    let mut first = job(dir.path(), &starts, &params, &search);
    first.newer = Some(&newer);
    let report = play(&first, &Opinionated::default()).unwrap();
    assert_eq!((report.tally.games, report.tally.dropped), (4, 0));
    assert_eq!(report.missing, 2);
    // Later, the rest: the same six games as in one go.
    let second = job(dir.path(), &starts, &params, &search);
    let report = play(&second, &Opinionated::default()).unwrap();
    assert_eq!((report.tally.games, report.already_there), (2, 4));
    assert_eq!(read::<Tenjiku>(dir.path()), with(|_| {}));
}
