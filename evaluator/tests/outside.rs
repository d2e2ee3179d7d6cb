//! Outside engines that misbehave: each fault has its cause, the event ends, no process is left, the last lines are kept.
#![cfg(unix)]

mod common;

use common::*;
use engine::Fault;
use engine::PlayerSpec;
use evaluator::{Cause, Handling, OnFault, Plan, PlayerFactory, Report, entrant, make_player};
use rules::tenjiku::Tenjiku;
use std::fs;
use std::path::Path;

/// A USI engine in shell, which writes its process id into `pids` and answers `go` with `on_go`.
fn stub(dir: &Path, on_go: &str) -> PlayerSpec {
    let script = dir.join("stub.sh");
    let pids = dir.join("pids");
    let text = format!(
        "echo $$ >> '{}'\nwhile read -r line; do case \"$line\" in usi) echo usiok;; isready) echo readyok;;\n go*) {on_go};;\n quit) exit 0;; esac; done\n",
        pids.display()
    );
    fs::write(&script, text).unwrap();
    format!("usi:\"sh {}\":movetime=50", script.display())
        .parse()
        .unwrap()
}

/// Plays two pairs of the stub against `random` in a folder.
fn play_stub(on_go: &str, change: impl Fn(&mut Plan<Tenjiku>)) -> (Report, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let spec = stub(dir.path(), on_go);
    let mut plan = plan(&["random", "stub"], 2, 20);
    plan.players[1] = entrant(&spec).unwrap();
    assert_eq!(plan.players[1].move_time_ms, Some(50));
    plan.play.on_fault = OnFault::Drop;
    for opening in &mut plan.openings {
        opening.moves.clear();
    }
    change(&mut plan);
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| {
        let spec = if i == 1 {
            spec.clone()
        } else {
            PlayerSpec::Random
        };
        make_player::<Tenjiku>(&spec, &start()).map_err(|e| Fault::Failure {
            player: spec.to_string(),
            detail: e.reason,
        })
    };
    let (report, _) = play_in(&dir.path().join("event"), &plan, factory);
    let pids = fs::read_to_string(dir.path().join("pids")).unwrap();
    for pid in pids.lines() {
        let runs = std::process::Command::new("kill")
            .args(["-0", pid])
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success();
        assert!(!runs, "process {pid} was left");
    }
    (report, dir)
}

fn assert_faults(on_go: &str, cause: Cause, line: &str) {
    let (report, dir) = play_stub(on_go, |_| {});
    assert_eq!((report.games, report.pairs_dropped), (0, 2), "{on_go}");
    assert!(report.complete);
    for fault in &report.faults {
        assert_eq!(
            (fault.player, fault.cause, fault.handling),
            (1, cause, Handling::Dropped)
        );
        let file = dir.path().join("event").join(fault.file.as_ref().unwrap());
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(line), "{text}");
        let lines = text.lines().count();
        assert!(lines <= 52, "the last 50 lines");
        // What was asked is among them unless more came after it.
        let asked = text.contains("> position sfen") && text.contains("> go");
        assert!(asked || lines >= 50, "{text}");
    }
    assert_eq!(report.players[1].faults[cause.name()], 2);
}

#[test]
fn exits() {
    assert_faults("exit 3", Cause::Crash, "exit status: 3");
}

#[test]
fn hangs() {
    assert_faults("sleep 1000", Cause::Hang, "still running");
}

#[test]
fn answers_garbage_or_illegal_moves() {
    assert_faults(
        "echo bestmove xyzzy",
        Cause::IllegalMove,
        "< bestmove xyzzy",
    );
    assert_faults("echo bestmove 9l9a", Cause::IllegalMove, "< bestmove 9l9a");
    assert_faults("echo bestmove", Cause::IllegalMove, "< bestmove");
}

#[test]
fn chatters_and_only_the_last_lines_are_kept() {
    let on_go = "i=0; while [ $i -lt 200 ]; do echo info string line $i; i=$((i+1)); done; echo bestmove xyzzy";
    assert_faults(on_go, Cause::IllegalMove, "< info string line 199");
}

/// Late by 5 ms. Resigning is an answer that is right in every position: the first legal move is played for it.
const LATE: &str = "sleep 0.055; echo bestmove resign";

#[test]
fn five_milliseconds_late_is_a_fault_without_a_margin() {
    let (report, dir) = play_stub(LATE, |plan| plan.play.time_margin_ms = 0);
    assert_eq!((report.games, report.pairs_dropped), (0, 2));
    let fault = &report.faults[0];
    assert_eq!((fault.player, fault.cause), (1, Cause::Time));
    let file = dir.path().join("event").join(fault.file.as_ref().unwrap());
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("< bestmove resign") && text.contains("50ms"),
        "{text}"
    );
}

#[test]
fn within_the_margin_late_moves_are_counted_and_accepted() {
    let (report, _) = play_stub(LATE, |plan| {
        plan.play.time_margin_ms = 60_000;
        plan.play.max_plies = 6;
    });
    assert_eq!((report.games, report.pairs_dropped), (4, 0));
    assert!(report.players[1].faults.is_empty(), "late is no fault here");
    // Six plies a game, three by the stub, four games.
    assert_eq!(report.players[1].late_moves, 12);
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.contains("12 moves came after their time"))
    );
}

#[test]
fn a_faulty_game_is_replayed_with_a_new_process() {
    // Crashes at the first `go` of its life, which leaves a mark; later processes see the mark.
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("mark");
    let on_go = format!(
        "if [ -e '{0}' ]; then echo bestmove resign; else : > '{0}'; exit 1; fi",
        mark.display()
    );
    let (report, _) = play_stub(&on_go, |plan| {
        plan.play.on_fault = OnFault::Replay;
        plan.play.concurrency = 1;
        plan.play.time_margin_ms = 60_000;
        plan.play.max_plies = 6;
    });
    assert_eq!(
        (report.games, report.pairs_dropped, report.faults.len()),
        (4, 0, 1)
    );
    assert_eq!(report.faults[0].handling, Handling::Replayed);
}
