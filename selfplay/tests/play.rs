//! How games are played: resignation, playout caps, temperature, starts, ends, and players that are no network.

mod common;

use common::{Opinionated, games, job, params, read, search};
use engine::{Choice, Fault, GameSoFar, GreedyPlayer, Player};
use mcts::{Algorithm, UniformEvaluator};
use records::SearchKind;
use rules::shogi::Shogi;
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{Color, EndReason, Position};
use selfplay::{
    PlayerMaker, ResignParams, SelfplayError, SelfplayParams, Source, StartParams, Starts, replay,
    run,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

fn shogi() -> Starts<Shogi> {
    Starts::one(Shogi::start(&Default::default()))
}

#[test]
fn a_side_without_hope_resigns_and_some_games_are_played_on() {
    let params = SelfplayParams {
        games: 40,
        games_in_flight: 10,
        max_plies: 12,
        opening_plies: 0,
        resign: ResignParams {
            threshold: 0.1,
            searches: 3,
            min_plies: 4,
            play_on_share: 0.5,
        },
        ..params()
    };
    // White thinks that it wins one game in twenty.
    let evaluator = Opinionated::black(0.95);
    let (report, games) = games(&shogi(), &params, &search(), &evaluator);
    let mut resigned = 0;
    for (game, rows) in games.values() {
        // White's third search is that of ply 5 (its others: 1 and 3), counted from 0.
        assert_eq!(
            (game.resign_side, game.resign_ply),
            (Some(Color::White), Some(5))
        );
        assert_eq!(rows.len(), game.plies() as usize);
        match game.play_on {
            true => assert_eq!((game.plies(), game.reason), (12, EndReason::PlyCap)),
            false => {
                resigned += 1;
                assert_eq!((game.plies(), game.reason), (5, EndReason::Resignation));
                assert_eq!(game.winner, Some(Color::Black));
            }
        }
    }
    // Binomial of 40 and a half: mean 20, deviation 3.2.
    assert!((8..=32).contains(&resigned), "{resigned}");
    let resign = report.tally.resign;
    assert_eq!(
        (resign.resigned, resign.played_on),
        (resigned, 40 - resigned)
    );
    assert_eq!(
        resign.false_positive_rate(),
        Some(1.0),
        "nobody won by the cap"
    );
    assert_eq!(report.tally.end_reason_rows["resignation"], 5 * resigned);
}

#[test]
fn nobody_resigns_unless_asked_to() {
    let evaluator = Opinionated::black(0.99);
    let (report, games) = games(&shogi(), &params(), &search(), &evaluator);
    assert!(
        games
            .values()
            .all(|(game, _)| !game.play_on && game.resign_side.is_none())
    );
    assert_eq!(report.tally.resign, Default::default());
}

#[test]
fn playout_caps_are_randomised_in_the_share_asked_for() {
    let params = SelfplayParams {
        games: 60,
        games_in_flight: 30,
        full_share: 0.25,
        max_plies: 20,
        ..params()
    };
    let (_, games) = games(&shogi(), &params, &search(), &UniformEvaluator::default());
    let mut counts = BTreeMap::new();
    for (_, rows) in games.values() {
        for row in rows {
            *counts.entry(row.search.name()).or_insert(0u32) += 1;
            // So early nothing is proven, and every search spends its whole budget.
            let budget = match row.search {
                SearchKind::Full => 12,
                SearchKind::Fast => 4,
                SearchKind::None => 0,
                SearchKind::Engine => panic!("no engine plays"),
            };
            assert_eq!(row.visits, budget);
            assert_eq!(row.policy.is_some(), row.search == SearchKind::Full);
        }
    }
    let searched = counts["full"] + counts["fast"];
    let expected = 0.25 * f64::from(searched);
    let deviation = (0.25 * 0.75 * f64::from(searched)).sqrt();
    assert!(
        (f64::from(counts["full"]) - expected).abs() < 4.0 * deviation,
        "{counts:?}"
    );
}

#[test]
fn temperature_makes_games_of_puct_differ() {
    let distinct = |temperature_plies| {
        let params = SelfplayParams {
            opening_plies: 0,
            max_plies: 10,
            temperature_plies,
            ..params()
        };
        let mut search = search();
        search.algorithm = Algorithm::Puct;
        search.puct.noise_fraction = 0.0;
        // Full and fast searches still alternate at random, so that only full ones are left.
        let params = SelfplayParams {
            full_share: 1.0,
            ..params
        };
        let (_, games) = games(&shogi(), &params, &search, &Opinionated::default());
        let lines: BTreeSet<String> = games.into_values().map(|(game, _)| game.moves).collect();
        lines.len()
    };
    assert_eq!(distinct(0), 1, "without noise all games are alike");
    assert_eq!(distinct(6), 6);
}

#[test]
fn mixtures_of_rules_and_handicaps_are_recorded() {
    let entry = |rules: &str, handicap: Option<&str>| StartParams {
        rules: Some(rules.into()),
        handicap: handicap.map(Into::into),
        ..StartParams::default()
    };
    let (name, _) = rules::tenjiku::handicap::HANDICAPS[0];
    let entries = [
        entry("historical", None),
        entry("western", None),
        entry("tsa", Some(name)),
    ];
    let starts = Starts::<Tenjiku>::resolve(&entries, &RuleSet::default()).unwrap();
    let params = SelfplayParams {
        games: 24,
        max_plies: 8,
        games_in_flight: 12,
        ..params()
    };
    let (_, games) = games(&starts, &params, &search(), &UniformEvaluator::default());
    let seen: BTreeSet<String> = games.values().map(|(game, _)| game.rules.clone()).collect();
    assert_eq!(seen.len(), 3, "{seen:?}");
    for (game, _) in games.values() {
        let handicapped = game.start_sfen != starts.positions()[0].sfen();
        assert_eq!(handicapped, game.rules == "tsa");
    }
}

#[test]
fn starts_without_a_game_are_counted_and_leave_no_rows() {
    let none = |starts: Starts<Shogi>| {
        let (report, games) = games(&starts, &params(), &search(), &UniformEvaluator::default());
        assert_eq!((report.tally.games, report.tally.decided_at_start), (0, 6));
        assert_eq!(report.missing, 0);
        assert!(games.is_empty());
    };
    let position = |sfen: &str| Starts::one(Shogi::from_sfen(&Default::default(), sfen).unwrap());
    // Mated: a gold guarded by a pawn before the king.
    none(position("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"));

    // In tenjiku a side may also have nothing to move without being attacked: a king behind pawns that are blocked.
    let shut_in = Tenjiku::from_sfen(
        &RuleSet::default(),
        &format!("KP14/PP14/{}15k b - 1", "16/".repeat(13)),
    )
    .unwrap();
    let mut moves = Vec::new();
    shut_in.legal_moves(&mut moves);
    assert!(moves.is_empty());
    let (report, games) = games(
        &Starts::one(shut_in),
        &params(),
        &search(),
        &UniformEvaluator::default(),
    );
    assert_eq!((report.tally.games, report.tally.decided_at_start), (0, 6));
    assert_eq!((report.missing, games.len()), (0, 0));
}

#[test]
fn one_ply_below_the_cap_there_is_one_row() {
    // The cap counts the plies of the game, whatever move number its start has.
    let late = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 399";
    let start = Shogi::from_sfen(&Default::default(), late).unwrap();
    for (max_plies, opening_plies) in [(1, 0), (7, 6)] {
        let params = SelfplayParams {
            max_plies,
            opening_plies,
            ..params()
        };
        let starts = Starts::one(start.clone());
        let (report, games) = games(&starts, &params, &search(), &UniformEvaluator::default());
        assert_eq!(report.tally.end_reasons["ply_cap"], 6);
        for (game, rows) in games.values() {
            assert_eq!((game.plies(), rows.len()), (max_plies, max_plies as usize));
            assert_eq!((game.reason, game.winner), (EndReason::PlyCap, None));
        }
    }
}

#[test]
fn positions_with_very_many_moves_pass_through_search_and_records() {
    for (start, at_least) in samples::wide().into_iter().zip(samples::WIDE) {
        let params = SelfplayParams {
            games: 2,
            max_plies: 3,
            opening_plies: 0,
            full_share: 1.0,
            ..params()
        };
        let starts = Starts::one(start);
        let (_, games) = games(&starts, &params, &search(), &Opinionated::default());
        for (_, rows) in games.values() {
            let (row, policy) = (&rows[0], rows[0].policy.as_ref().unwrap());
            assert!(
                row.legal_moves as usize >= at_least,
                "{} moves",
                row.legal_moves
            );
            let sum: f64 = policy.weights.iter().map(|&w| f64::from(w)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
            assert!(policy.moves.contains(&row.played));
        }
    }
}

fn greedy() -> Result<Box<dyn Player<Tenjiku>>, String> {
    Ok(Box::new(GreedyPlayer::new()))
}

#[test]
fn games_of_another_player_become_rows() {
    let starts = Starts::one(Tenjiku::start(&RuleSet::default()));
    let (params, search) = (params(), search());
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let never = AtomicBool::new(false);
    let make: &PlayerMaker<'_, Tenjiku> = &greedy;
    let mut all = Vec::new();
    for dir in &dirs {
        let mut job = job(dir.path(), &starts, &params, &search);
        (job.network_hash, job.player) = ("", "greedy");
        let report = run(&job, &Source::Player(make), &never, &|_| {}).unwrap();
        assert_eq!((report.tally.games, report.tally.evaluations), (6, 0));
        all.push(read::<Tenjiku>(dir.path()));
        for (game, rows) in all[0].values() {
            assert_eq!(
                (&*game.black, &*game.white, &game.network),
                ("greedy", "greedy", &None)
            );
            for row in rows {
                if row.search == SearchKind::None {
                    continue; // the opening
                }
                assert_eq!(row.search, SearchKind::Engine);
                let policy = row.policy.as_ref().unwrap();
                assert_eq!(
                    (&policy.moves[..], &policy.weights[..]),
                    (&[row.played][..], &[1.0][..])
                );
                assert_eq!((row.root, row.visits), (None, row.legal_moves));
            }
            let again = replay(&job, &Source::Player(make), game.index)
                .unwrap()
                .unwrap();
            assert!(again.game.same_play(game));
        }
    }
    assert_eq!(all[0], all[1], "repeatable");
}

/// Knows how it stands, and plays the first legal move.
struct Sure(f32);

impl Player<Shogi> for Sure {
    fn name(&self) -> &str {
        "sure"
    }
    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        Ok(())
    }
    fn choose(
        &mut self,
        position: &Shogi,
        game: &GameSoFar<Shogi>,
    ) -> Result<Choice<<Shogi as Position>::Move>, Fault> {
        assert_eq!(game.moves.len(), position.plies());
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        Ok(Choice {
            mv: moves[0],
            expected_score: Some(self.0),
            nodes: u64::MAX,
        })
    }
}

#[test]
fn a_players_score_is_the_value_of_the_root() {
    let (starts, params, search) = (shogi(), params(), search());
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), &starts, &params, &search);
    let make = || -> Result<Box<dyn Player<Shogi>>, String> { Ok(Box::new(Sure(0.75))) };
    run(
        &job,
        &Source::Player(&make),
        &AtomicBool::new(false),
        &|_| {},
    )
    .unwrap();
    for (_, rows) in read::<Shogi>(dir.path()).values() {
        for row in rows.iter().filter(|row| row.search == SearchKind::Engine) {
            let root = row.root.unwrap();
            assert!((root.win - 0.75).abs() < 1e-4 && (root.loss - 0.25).abs() < 1e-4);
            assert_eq!(row.visits, u32::MAX);
        }
    }
}

/// Never has a legal move.
struct Lost;

impl Player<Shogi> for Lost {
    fn name(&self) -> &str {
        "lost"
    }
    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        Ok(())
    }
    fn choose(
        &mut self,
        position: &Shogi,
        _game: &GameSoFar<Shogi>,
    ) -> Result<Choice<<Shogi as Position>::Move>, Fault> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut other = position.clone();
        other.play(moves[0]); // the opponent's moves are not ours
        other.legal_moves(&mut moves);
        Ok(Choice {
            mv: moves[0],
            expected_score: None,
            nodes: 1,
        })
    }
}

#[test]
fn a_player_that_cannot_play_ends_the_job_with_its_fault() {
    let (starts, params, search) = (shogi(), params(), search());
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), &starts, &params, &search);
    let make = || -> Result<Box<dyn Player<Shogi>>, String> { Ok(Box::new(Lost)) };
    let error = run(
        &job,
        &Source::Player(&make),
        &AtomicBool::new(false),
        &|_| {},
    )
    .unwrap_err();
    let said = error.to_string();
    assert!(
        matches!(error, SelfplayError::Worker(_)) && said.contains("3 failed games: lost"),
        "{said}"
    );
    assert!(read::<Shogi>(dir.path()).is_empty());
}
