//! `tenjiku selfplay`, killed at random moments and started again: only games in flight are lost, and the log says how
//! many; nothing half-made stands under a final name; no game is counted twice.
//!
//! `TENJIKU_KILLS=50 cargo test --release -p cli --test kills` kills more often than the default.

#![cfg(unix)]

mod run;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::clean_leftovers;
use run::{command, games, hidden, succeed};

/// Numbers on the lists of games that had begun, those of one process or all.
fn begun(run: &Path, process: Option<u32>) -> BTreeSet<u32> {
    let of = process.map_or(String::new(), |id| format!(".{id}.playing"));
    let mut begun = BTreeSet::new();
    for entry in fs::read_dir(run.join("games")).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "playing") && path.to_string_lossy().ends_with(&of)
        {
            let text = fs::read_to_string(path).unwrap();
            let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
            begun.extend(
                whole
                    .lines()
                    .map(|line| line.strip_prefix("0 ").unwrap().parse::<u32>().unwrap()),
            );
        }
    }
    begun
}

/// Total size of the files in `run/games`, finished or not.
fn bytes(run: &Path) -> u64 {
    let entries = fs::read_dir(run.join("games")).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()))
        .sum()
}

/// Settles a copy of the records: which games are there in the end, and what the next start should say of it.
fn settled_copy(run: &Path) -> (BTreeSet<u32>, Vec<String>) {
    let copy = tempfile::tempdir().unwrap();
    for folder in ["games", "positions"] {
        let (from, to) = (run.join(folder), copy.path().join(folder));
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(from).into_iter().flatten() {
            let path = entry.unwrap().path();
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
    let begun = begun(run, None);
    let cleaned = clean_leftovers(copy.path()).unwrap();
    assert_eq!(cleaned.refused, []);
    let list = games(copy.path());
    let set: BTreeSet<u32> = list.iter().copied().collect();
    assert_eq!(list.len(), set.len(), "a game counts twice");
    assert_eq!(cleaned.lost_games, begun.difference(&set).count());
    assert_eq!(hidden(copy.path()), [] as [PathBuf; 0]);
    (set, cleaned.lines())
}

#[test]
fn only_games_in_flight_are_lost() {
    let kills = std::env::var("TENJIKU_KILLS").map_or(6, |text| text.parse().expect("a number"));
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let log = folder.path().join("log");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(kills);
    let (mut there, mut expected) = (BTreeSet::new(), Vec::<String>::new());
    let (mut told, mut lost) = (0, 0);
    for round in 0..kills {
        let before = bytes(&run);
        let mut child = command("selfplay", &run, 1_000_000)
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        // Two times of three it may come to play; the first starts also make the network.
        if round % 3 != 0 {
            let start = Instant::now();
            while bytes(&run) == before || !there_is_a_game(&run) {
                assert!(child.try_wait().unwrap().is_none(), "{}", read(&log));
                assert!(start.elapsed() < Duration::from_secs(120), "{}", read(&log));
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(0..700_000)));
        child.kill().unwrap();
        child.wait().unwrap();

        // What stands under a final name is good, as the kill left it.
        games_or_none(&run);
        let (now, lines) = settled_copy(&run);
        assert!(there.is_subset(&now), "a finished game was lost");
        // If it came so far as to play, it had told of the kill before.
        let said = read(&log);
        if said.contains("self-play network") {
            for line in &expected {
                assert!(said.contains(line.as_str()), "`{line}` in {said}");
                told += usize::from(line.contains("in flight"));
            }
        }
        lost += begun(&run, Some(child.id())).difference(&now).count();
        (there, expected) = (now, lines);
    }
    // Played to its end, the run has every game once, and nothing is left of the kills.
    let all = there.last().map_or(1, |last| last + 1);
    let said = succeed(&mut command("selfplay", &run, all));
    assert!(
        expected.iter().all(|line| said.contains(line.as_str())),
        "{said}"
    );
    let mut played = games(&run);
    played.sort_unstable();
    assert_eq!(played, (0..all).collect::<Vec<_>>());
    // Temporary names of other files wait for ten seconds before they are taken for left over; then the next start
    // removes them, though it finds nothing to play.
    grow_old(&hidden(&run));
    succeed(&mut command("selfplay", &run, all));
    assert_eq!(hidden(&run), [] as [PathBuf; 0]);
    assert!(lost > 0 && told > 0, "{lost} games lost, told {told} times");
    println!("{kills} kills, {all} games played, {lost} lost in flight, told {told} times");
}

#[test]
fn a_start_with_nothing_to_do_still_cleans_up() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let last = || {
        let mut command = command("loop", &run, 2);
        command.args(["--set", "generations=1", "--set", "evaluation.games=2"]);
        succeed(command.args([
            "--set",
            "evaluation.visits=2",
            "--set",
            "evaluation.max_plies=20",
        ]))
    };
    last();
    // Killed while it exported, and while it wrote a network; no process has this number.
    let export = run.join("export/.000001.onnx.4294967295.tmp");
    let network = run.join("networks/.000002.4294967295.tmp");
    fs::write(&export, "half").unwrap();
    fs::create_dir(&network).unwrap();
    grow_old(&[export, network]);
    assert!(last().contains("unfinished files removed: 2"));
    assert_eq!(hidden(&run), [] as [PathBuf; 0]);
}

/// Makes these files an hour old.
fn grow_old(paths: &[PathBuf]) {
    let old = std::time::SystemTime::now() - Duration::from_secs(3600);
    for path in paths {
        File::open(path).unwrap().set_modified(old).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_training_at_once_and_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let (run, log) = (folder.path().join("run"), folder.path().join("log"));
    for round in 0..4 {
        let mut child = command("loop", &run, 6)
            .args(["--set", "train.samples_per_position=200"])
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !read(&log).contains("training, generation 1:") {
            assert!(child.try_wait().unwrap().is_none(), "{}", read(&log));
            assert!(start.elapsed() < Duration::from_secs(120), "{}", read(&log));
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100 * round));
        for _ in 0..2 {
            let pid = child.id().to_string();
            let sent = std::process::Command::new("kill")
                .args(["-INT", &pid])
                .status();
            assert!(sent.unwrap().success());
        }
        // A run that has stopped cleanly before the second one came ends with 0.
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 130)), "{code:?}: {}", read(&log));
        assert!(!read(&log).contains("panicked"), "{}", read(&log));
    }
}

fn there_is_a_game(run: &Path) -> bool {
    let names = fs::read_dir(run.join("games")).into_iter().flatten();
    names
        .filter_map(Result::ok)
        .any(|e| e.path().extension().is_none_or(|e| e != "playing"))
}

fn games_or_none(run: &Path) {
    if run.exists() {
        games(run);
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
