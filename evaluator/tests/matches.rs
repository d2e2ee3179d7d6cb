//! Events with players whose strength and faults are known beforehand.

mod common;

use common::*;
use engine::{GreedyPlayer, RandomPlayer};
use evaluator::stats::{Decision, SprtParams};
use evaluator::{
    Cause, EventError, Format, Handling, OnFault, PlayerFactory, Store, Verdict, encounters,
    random_opening, run, text,
};
use rules::tenjiku::Tenjiku;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn every_opening_is_played_twice_with_colours_swapped() {
    let plan = plan(&["random", "other"], 5, 12);
    let (report, ledger) = play(&plan, &all_random);
    assert_eq!(
        (
            report.games,
            report.encounters[0].tally.games(),
            report.complete
        ),
        (10, 10, true)
    );
    assert_each_opening_twice_swapped(&plan, &ledger);
    for (i, opening) in plan.openings.iter().enumerate() {
        assert_eq!(opening.moves, random_opening(&start(), 4, 11, i as u64));
    }
    assert_eq!(report.encounters[0].pairs.iter().sum::<u64>(), 5);
    // The same match again is the same, whatever the threads did.
    let (_, again) = play(&plan, &all_random);
    assert_eq!(moves(&ledger), moves(&again));
}

#[test]
fn a_thousand_pairs_with_two_threads() {
    let plan = plan(&["a", "b"], 1000, 6);
    let (report, ledger) = play(&plan, &all_random);
    assert_each_opening_twice_swapped(&plan, &ledger);
    assert_eq!((report.pairs_counted, report.games), (1000, 2000));
}

#[test]
fn greedy_beats_random() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| {
        if i == 0 {
            boxed(GreedyPlayer::new())
        } else {
            boxed(RandomPlayer::new())
        }
    };
    let (report, _) = play(&plan(&["greedy", "random"], 5, 300), factory);
    let encounter = &report.encounters[0];
    assert!(encounter.tally.wins >= 9, "{encounter:?}");
    assert_eq!(report.black.tally.games(), 10);
    assert!(encounter.superiority.unwrap() > 0.99);
}

#[test]
fn an_illegal_move_is_a_fault_of_its_player_and_no_result() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| match i {
        1 => boxed(Cheat::new(u32::MAX)),
        _ => boxed(RandomPlayer::new()),
    };
    let mut plan = plan(&["random", "cheat"], 2, 300);
    plan.play.on_fault = OnFault::Drop;
    let (report, ledger) = play(&plan, factory);
    assert_eq!(
        (report.games, report.faults.len(), report.pairs_dropped),
        (0, 2, 2)
    );
    for fault in ledger.faults() {
        assert_eq!((fault.player, fault.cause), (1, Cause::IllegalMove));
        assert_eq!(fault.handling, Handling::Dropped);
        assert!(fault.what.contains("cheat"), "{fault:?}");
    }
    assert_eq!(report.encounters[0].score, None);
    assert_eq!(report.players[1].faults["illegal_move"], 2);
    assert!(report.players[0].faults.is_empty());
    assert!(report.complete, "nothing is left to be played");
    assert!(text(&report).contains("2 pairs do not count because a player failed"));
}

#[test]
fn a_game_with_a_fault_is_played_again() {
    // One thread has one cheat, which fails in its first two games as White.
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| match i {
        1 => boxed(Cheat::new(2)),
        _ => boxed(RandomPlayer::new()),
    };
    let mut plan = plan(&["random", "cheat"], 3, 40);
    plan.play.concurrency = 1;
    let (report, ledger) = play(&plan, factory);
    assert_eq!((report.games, report.pairs_dropped), (6, 0));
    let handled: Vec<_> = ledger
        .faults()
        .iter()
        .map(|f| (f.pair, f.game, f.attempt, f.handling))
        .collect();
    assert_eq!(
        handled,
        [(0, 0, 0, Handling::Replayed), (0, 0, 1, Handling::Replayed)]
    );
    // The replayed game is the one that an honest player would have had.
    let (_, honest) = play(&plan, &all_random);
    assert_eq!(moves(&ledger), moves(&honest));
    // With two attempts the pair is dropped at the second fault, though its player then goes on.
    plan.play.attempts = 2;
    let (report, _) = play(&plan, factory);
    assert_eq!(
        (report.games, report.pairs_dropped, report.faults.len()),
        (4, 1, 2)
    );
}

#[test]
fn a_player_that_never_works_ends_the_event() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| match i {
        1 => boxed(Cheat::new(u32::MAX)),
        _ => boxed(RandomPlayer::new()),
    };
    // Games in which it is Black finish and would reset the count: it fails as White in game 0 of each pair, and a
    // dropped pair's other game is not played.
    let mut plan = plan(&["random", "cheat"], 100, 40);
    plan.play.patience = 7;
    let mut store = Store::memory();
    let error = run(&plan, factory, &mut store, &AtomicBool::new(false), &|_| {}).unwrap_err();
    assert!(
        matches!(&error, EventError::Abandoned { player, times: 7, .. } if player == "cheat"),
        "{error}"
    );
    assert!(store.ledger().faults().len() <= 8);
}

#[test]
fn a_stopped_match_keeps_what_it_has_and_says_so() {
    let stop = AtomicBool::new(false);
    let mut plan = plan(&["random", "other"], 10, 40);
    plan.play.concurrency = 1;
    let mut store = Store::memory();
    run(&plan, &all_random, &mut store, &stop, &|ledger| {
        if ledger.games_played() == 3 {
            stop.store(true, Ordering::Relaxed);
        }
    })
    .unwrap();
    let report = report_of(&plan, &store);
    assert_eq!(store.ledger().games_played(), 3);
    assert_eq!(
        (report.games, report.complete),
        (2, false),
        "half a pair does not count"
    );
    assert!(report.warnings[0].contains("not finished"));
    // It goes on with the other game of the pair.
    run(
        &plan,
        &all_random,
        &mut store,
        &AtomicBool::new(false),
        &|_| {},
    )
    .unwrap();
    assert_each_opening_twice_swapped(&plan, store.ledger());
    let (_, whole) = play(&plan, &all_random);
    assert_eq!(moves(store.ledger()), moves(&whole));
}

#[test]
fn a_player_against_itself_scores_half() {
    // Without openings, a deterministic player plays one game again and again: the warning says so, and a test is
    // refused.
    let mut same = plan(&["first", "first"], 4, 30);
    for opening in &mut same.openings {
        opening.moves.clear();
    }
    same.sprt = Some(SprtParams::default());
    let (report, _) = play(&same, &|_| boxed(First));
    assert_eq!((report.games, report.distinct_games), (8, 1));
    let warning = "only 1 of 8 games are distinct";
    assert!(
        report.warnings.iter().any(|w| w.contains(warning)),
        "{:?}",
        report.warnings
    );
    assert!(matches!(&report.verdict, Verdict::Refused(why) if why.contains("1 of 8")));
    let [mean, low, high] = report.encounters[0].score.unwrap();
    assert!(
        mean == 0.5 && low < 0.5 && high > 0.5,
        "exactly half, by colours swapped"
    );
    // With openings both games of a pair are alike, so half of the games are distinct: no warning. Every pair gives
    // one point to each side.
    let (report, _) = play(&plan(&["first", "first"], 10, 60), &|_| boxed(First));
    assert_eq!(report.distinct_games, 10);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert_eq!(report.encounters[0].pairs, [0, 0, 10, 0, 0]);
}

#[test]
fn the_test_ends_a_match_and_does_not_depend_on_threads() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| match i {
        0 => boxed(GreedyPlayer::new()),
        _ => boxed(RandomPlayer::new()),
    };
    let mut plan = plan(&["greedy", "random"], 100, 300);
    plan.sprt = Some(SprtParams {
        elo1: 200.0,
        ..SprtParams::default()
    });
    plan.play.concurrency = 1;
    let (one, alone) = play(&plan, factory);
    plan.play.concurrency = 3;
    let (three, _) = play(&plan, factory);
    assert_eq!(one.verdict, Verdict::Accept);
    assert_eq!(one.sprt.unwrap().decision, Decision::Accept);
    assert!(
        one.complete && one.pairs_counted < 100,
        "{}",
        one.pairs_counted
    );
    assert_eq!(one.pairs_counted, one.sprt.unwrap().pairs);
    assert_eq!(one.encounters, three.encounters);
    assert_eq!(one.sprt, three.sprt);
    assert_eq!(alone.games_played(), 2 * one.pairs_counted);
}

#[test]
fn a_round_robin_and_a_gauntlet_rate_their_players() {
    let names = ["greedy", "random", "random again"];
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| match i {
        0 => boxed(GreedyPlayer::new()),
        _ => boxed(RandomPlayer::new()),
    };
    let mut plan = plan(&names, 4, 200);
    let (report, ledger) = play(&plan, factory);
    assert_each_opening_twice_swapped(&plan, &ledger);
    assert_eq!((report.games, report.encounters.len()), (24, 3));
    let elo = |i: usize| report.players[i].rating.elo.unwrap().value.unwrap();
    assert!(elo(0) > elo(1) && elo(0) > elo(2));
    assert!(report.superiority[0][1].unwrap() > 0.9 && report.superiority[0][0].is_none());
    let sum: f64 = (0..3).map(elo).sum();
    assert!(sum.abs() < 1e-6, "the mean is 0");
    let said = text(&report);
    assert!(
        said.contains("points against each") && said.contains("Black: +"),
        "{said}"
    );
    plan.encounters = encounters(Format::Gauntlet, 3, 1);
    let (report, _) = play(&plan, factory);
    assert_eq!(report.encounters.len(), 2);
}
