//! The folder of an event: what is in it, and what becomes of it after a kill.

mod common;

use common::*;
use engine::{Fault, Player, RandomPlayer};
use evaluator::{EventError, PlayerFactory, Store, html, read_openings, run};
use records::{Dataset, GameRecord, Shape};
use rules::import::import;
use rules::tenjiku::{RuleSet, Tenjiku};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn records(folder: &Path) -> Vec<GameRecord> {
    let dataset = Dataset::open(folder, &Shape::of::<Tenjiku>()).unwrap();
    assert!(dataset.refused().is_empty(), "{:?}", dataset.refused());
    let mut games: Vec<GameRecord> = dataset
        .shards()
        .iter()
        .flat_map(|shard| dataset.games(shard).unwrap())
        .collect();
    games.sort_by_key(|g| g.index);
    games
}

/// Plays until `games` games are there, then drops everything as a kill would: the journal is not made a file.
fn play_and_die(folder: &Path, plan: &evaluator::Plan<Tenjiku>, games: u64) {
    let stop = AtomicBool::new(false);
    let mut store = Store::open(folder, plan).unwrap();
    let kept = AtomicU64::new(0);
    // The error ends the event without a flush of the text; `run` flushes the records, so the journal is copied first.
    let _ = run(plan, &all_random, &mut store, &stop, &|ledger| {
        if ledger.games_played() >= games && kept.swap(1, Ordering::Relaxed) == 0 {
            snapshot(folder, &folder.with_extension("dead"));
            stop.store(true, Ordering::Relaxed);
        }
    });
    drop(store);
    fs::remove_dir_all(folder).unwrap();
    fs::rename(folder.with_extension("dead"), folder).unwrap();
}

/// Copies a folder as it lies on the disk.
fn snapshot(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => snapshot(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn killed_again_and_again_it_plays_every_game_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("event");
    let plan = plan(&["a", "b"], 60, 10);
    for games in [1, 2, 7, 30, 31, 90] {
        play_and_die(&folder, &plan, games);
        // A torn last line of both texts, as after a power cut.
        for name in ["games.txt", "faults.jsonl"] {
            let path = folder.join(name);
            let mut text = fs::read_to_string(&path).unwrap();
            text += "{\"pair\":3,\"ga";
            fs::write(&path, text).unwrap();
        }
    }
    let (report, ledger) = play_in(&folder, &plan, &all_random);
    assert_each_opening_twice_swapped(&plan, &ledger);
    assert_eq!(
        (report.games, report.complete, report.faults.len()),
        (120, true, 0)
    );
    let games = records(&folder);
    assert_eq!(
        games.iter().map(|g| g.index).collect::<Vec<_>>(),
        (0..120).collect::<Vec<_>>()
    );
    // The games are those of a match that nobody killed.
    let (_, whole) = play(&plan, &all_random);
    assert_eq!(moves(&ledger), moves(&whole));
    // The texts are the same games.
    let text = fs::read_to_string(folder.join("games.txt")).unwrap();
    let read: Vec<_> = import::<Tenjiku>(&text, &RuleSet::default())
        .into_iter()
        .map(|g| g.unwrap_or_else(|e| panic!("{e}")))
        .collect();
    assert_eq!(read.len(), 120);
    let mut texts: Vec<String> = read
        .iter()
        .map(|g| {
            g.moves
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let mut kept: Vec<String> = games.iter().map(|g| g.moves.clone()).collect();
    texts.sort();
    kept.sort();
    assert_eq!(texts, kept);
    // Opening it once more plays nothing and changes nothing.
    let (again, _) = play_in(&folder, &plan, &|_| {
        Err(Fault::Failure {
            player: "x".into(),
            detail: "must not be made".into(),
        })
    });
    assert_eq!(again, report);
}

#[test]
fn rounds_can_be_added_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let short = plan(&["a", "b"], 4, 10);
    play_in(dir.path(), &short, &all_random);
    let openings = fs::read_to_string(dir.path().join("openings.txt")).unwrap();
    assert_eq!(
        read_openings::<Tenjiku>(&openings, &RuleSet::default())
            .unwrap()
            .len(),
        4
    );
    let long = plan(&["a", "b"], 9, 10);
    let (report, ledger) = play_in(dir.path(), &long, &all_random);
    assert_eq!(report.games, 18);
    assert_each_opening_twice_swapped(&long, &ledger);
    let refused = |plan: &evaluator::Plan<Tenjiku>, part: &str| {
        let error = Store::open(dir.path(), plan)
            .err()
            .expect("another event")
            .to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&short, "set of openings (9 rounds, now 4)");
    refused(&plan(&["a", "c"], 9, 10), "list of players");
    refused(&plan(&["a", "b", "c"], 9, 10), "list of players");
    refused(&plan(&["a", "b"], 9, 11), "max_plies (10, now 11)");
    let mut other = long.clone();
    other.play.seed = 5;
    refused(&other, "seed (11, now 5)");
    let mut other = long.clone();
    other.openings.swap(0, 1);
    refused(&other, "set of openings");
    let mut other = long.clone();
    other.players[0].fingerprint = Some("another network".into());
    refused(&other, "list of players");
    let held = Store::open(dir.path(), &long).unwrap();
    assert!(matches!(
        Store::open(dir.path(), &long),
        Err(EventError::Busy(_))
    ));
    drop(held);
    fs::write(dir.path().join("faults.jsonl"), "nonsense\n").unwrap();
    refused(&long, "faults.jsonl: line 1");
}

#[test]
fn faults_survive_with_all_that_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let plan = plan(&["random", "cheat"], 3, 40);
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| -> Result<Box<dyn Player<Tenjiku>>, Fault> {
        match i {
            1 => boxed(Cheat::new(u32::MAX)),
            _ => boxed(RandomPlayer::new()),
        }
    };
    let (report, _) = play_in(dir.path(), &plan, factory);
    // Three attempts at the first game of each pair.
    assert_eq!(
        (report.faults.len(), report.pairs_dropped, report.games),
        (9, 3, 0)
    );
    for fault in &report.faults {
        let file = dir.path().join(fault.file.as_ref().unwrap());
        let detail = fs::read_to_string(file).unwrap();
        assert!(
            detail.contains("cheat") && detail.contains("not legal in"),
            "{detail}"
        );
    }
    let (again, _) = play_in(dir.path(), &plan, &all_random);
    assert_eq!(again.faults, report.faults, "dropped pairs stay dropped");
    assert_eq!(again.games, 0);
}

#[test]
fn the_page_holds_all_it_needs() {
    let names = ["a <script>", "b & c", "d"];
    let plan = plan(&names, 3, 14);
    let (report, ledger) = play(&plan, &all_random);
    let page = html::<Tenjiku>(&report, &plan, &ledger, 5);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let found = page.matches(outside).count();
        // The SVG name space is a name, and gradients are in the page itself.
        let allowed = page.matches("http://www.w3.org/2000/svg").count();
        match outside {
            "http://" => assert_eq!(found, allowed),
            "url(" => assert_eq!(found, page.matches("url(#").count()),
            _ => assert_eq!(found, 0, "{outside}"),
        }
    }
    assert!(page.contains("a &lt;script&gt;") && !page.contains("a <script>"));
    assert!(page.matches("<svg").count() >= 2);
    // The films are JSON that leads to five games.
    let (_, rest) = page.split_once("id=\"films\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["films"].as_array().unwrap().len(), 5);
    let film = &data["films"][0];
    assert_eq!(
        film["moves"].as_array().unwrap().len(),
        film["steps"].as_array().unwrap().len()
    );
    assert!(
        data["lines"]
            .as_array()
            .unwrap()
            .iter()
            .any(|l| l.as_str().unwrap().contains("<svg"))
    );
}
