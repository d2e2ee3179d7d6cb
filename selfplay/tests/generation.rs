//! A generation of self-play without a network: complete, repeatable, resumable, and honest about its values.

use mcts::{EvalError, LeafEvaluator, SearchParams, UniformEvaluator};
use records::SearchKind;
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Color, EndReason, Position};
use selfplay::{Job, Report, SelfplayError, SelfplayParams, Source, Starts, run};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

mod common;
use common::read;

fn params() -> SelfplayParams {
    SelfplayParams {
        games: 6,
        workers: 2,
        games_in_flight: 2,
        max_plies: 40,
        full_share: 0.5,
        fast_visits: 4,
        opening_plies: 6,
        ..SelfplayParams::default()
    }
}

fn search() -> SearchParams {
    SearchParams {
        visits: 12,
        ..SearchParams::default()
    }
}

fn play<P: Position>(
    dir: &Path,
    start: &P,
    params: &SelfplayParams,
    stop: &AtomicBool,
) -> Result<Report, SelfplayError> {
    let job = Job {
        run: dir,
        starts: &Starts::one(start.clone()),
        params,
        search: &search(),
        run_seed: 5,
        generation: 3,
        network_hash: "none",
        player: "uniform",
        config_hash: "none",
        newer: None,
    };
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<P>>, EvalError> {
        Ok(Box::new(UniformEvaluator::default()))
    };
    run(&job, &Source::Network(&evaluators), stop, &|_| {})
}

#[test]
fn the_same_job_gives_the_same_games_also_after_a_stop() {
    let start = Tenjiku::start(&RuleSet::default());
    let never = AtomicBool::new(false);
    let (a, b, c) = (
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
    );
    let report = play(a.path(), &start, &params(), &never).unwrap();
    assert_eq!(
        (report.tally.games, report.missing, report.already_there),
        (6, 0, 0)
    );
    play(b.path(), &start, &params(), &never).unwrap();
    let games = read::<Tenjiku>(a.path());
    assert_eq!(games.len(), 6);
    assert!(games.keys().all(|id| id.starts_with("000003-")));
    assert_eq!(games, read::<Tenjiku>(b.path()));

    // Two games first, then all: the two are kept, the rest is added, nothing is played twice.
    let two = SelfplayParams {
        games: 2,
        ..params()
    };
    play(c.path(), &start, &two, &never).unwrap();
    let report = play(c.path(), &start, &params(), &never).unwrap();
    assert_eq!((report.already_there, report.tally.games), (2, 4));
    assert_eq!(games, read::<Tenjiku>(c.path()));
    let report = play(c.path(), &start, &params(), &never).unwrap();
    assert_eq!((report.already_there, report.tally.games), (6, 0));

    // Stopped at once: nothing is written, and it says what is missing.
    let d = tempfile::tempdir().unwrap();
    let report = play(d.path(), &start, &params(), &AtomicBool::new(true)).unwrap();
    assert_eq!((report.tally.games, report.missing), (0, 6));
    assert!(report.tally.dropped > 0);
}

#[test]
fn rows_say_what_was_searched_and_what_came_of_it() {
    let start = Tenjiku::start(&RuleSet::default());
    let dir = tempfile::tempdir().unwrap();
    play(dir.path(), &start, &params(), &AtomicBool::new(false)).unwrap();
    let mut kinds = BTreeMap::new();
    for (game, rows) in read::<Tenjiku>(dir.path()).values() {
        assert_eq!(rows.len(), game.plies() as usize);
        assert!(rows.len() <= 40);
        for row in rows {
            *kinds.entry(row.search.name()).or_insert(0) += 1;
            assert_eq!(row.policy.is_some(), row.search == SearchKind::Full);
            assert_eq!(row.root.is_some(), row.search != SearchKind::None);
            if let Some(policy) = &row.policy {
                let sum: f32 = policy.weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            }
        }
        if game.reason == EndReason::RoyalCaptured {
            // The last move took the last royal: its search must have seen that, for the side that made it.
            let last = rows.last().unwrap();
            if last.search != SearchKind::None {
                assert_eq!(Some(last.snapshot.turn), game.winner);
                assert!(last.root.unwrap().win > 0.9, "{:?}", last.root);
            }
        }
    }
    assert!(
        kinds["full"] > 0 && kinds["fast"] > 0 && kinds["none"] > 0,
        "{kinds:?}"
    );
}

#[test]
fn a_side_that_can_take_the_last_royal_does_so_with_either_colour() {
    // A rook faces a bare king on an open file.
    for (sfen, winner) in [
        (
            "7k8/16/16/16/16/16/16/16/16/16/16/16/16/16/7R8/K15 b - 1",
            Color::Black,
        ),
        (
            "15k/8r7/16/16/16/16/16/16/16/16/16/16/16/16/16/8K7 w - 1",
            Color::White,
        ),
    ] {
        let start = Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let params = SelfplayParams {
            opening_plies: 0,
            full_share: 1.0,
            games: 2,
            ..params()
        };
        play(dir.path(), &start, &params, &AtomicBool::new(false)).unwrap();
        for (game, rows) in read::<Tenjiku>(dir.path()).values() {
            assert_eq!(
                (game.plies(), game.winner, game.reason),
                (1, Some(winner), EndReason::RoyalCaptured)
            );
            assert_eq!(rows[0].root.unwrap().win, 1.0);
        }
    }
}

#[test]
fn a_game_that_ends_with_the_last_ply_allowed_is_not_capped() {
    let sfen = "7k8/16/16/16/16/16/16/16/16/16/16/16/16/16/7R8/K15 b - 1";
    let start = Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let params = SelfplayParams {
        opening_plies: 0,
        max_plies: 1,
        games: 2,
        ..params()
    };
    play(dir.path(), &start, &params, &AtomicBool::new(false)).unwrap();
    for (game, _) in read::<Tenjiku>(dir.path()).values() {
        assert_eq!(
            (game.plies(), game.winner, game.reason),
            (1, Some(Color::Black), EndReason::RoyalCaptured)
        );
    }
}

#[test]
fn a_decided_start_is_counted_and_gives_no_rows() {
    let sfen = "16/16/16/16/16/16/16/16/16/16/16/16/16/16/16/K15 w - 1";
    let start = Tenjiku::from_sfen(&RuleSet::default(), sfen).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let report = play(dir.path(), &start, &params(), &AtomicBool::new(false)).unwrap();
    assert_eq!(
        (
            report.tally.games,
            report.tally.decided_at_start,
            report.missing
        ),
        (0, 6, 0)
    );
    assert!(read::<Tenjiku>(dir.path()).is_empty());
}

#[test]
fn a_failing_evaluator_ends_the_job_with_its_error() {
    struct Broken(AtomicU64);
    impl LeafEvaluator<Tenjiku> for Broken {
        fn push(&mut self, _: &Tenjiku, _: &[rules::tenjiku::TenjikuMove]) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn pending(&self) -> usize {
            self.0.load(Ordering::Relaxed) as usize
        }
        fn flush(&mut self, _: &mut mcts::Evaluations) -> Result<(), EvalError> {
            Err(EvalError("broken on purpose".into()))
        }
    }
    let start = Tenjiku::start(&RuleSet::default());
    let dir = tempfile::tempdir().unwrap();
    let (params, search) = (params(), search());
    let job = Job {
        run: dir.path(),
        starts: &Starts::one(start),
        params: &params,
        search: &search,
        run_seed: 5,
        generation: 0,
        network_hash: "none",
        player: "broken",
        config_hash: "none",
        newer: None,
    };
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<Tenjiku>>, EvalError> {
        Ok(Box::new(Broken(AtomicU64::new(0))))
    };
    let source = Source::Network(&evaluators);
    let error = run(&job, &source, &AtomicBool::new(false), &|_| {}).unwrap_err();
    assert!(error.to_string().contains("broken on purpose"));
}

#[test]
fn shogi_plays_through_the_same_code() {
    let start = rules::shogi::Shogi::start(&Default::default());
    let dir = tempfile::tempdir().unwrap();
    let report = play(dir.path(), &start, &params(), &AtomicBool::new(false)).unwrap();
    assert_eq!(report.tally.games, 6);
    assert_eq!(read::<rules::shogi::Shogi>(dir.path()).len(), 6);
}
