//! Stub engines in shell that hang, exit, answer garbage, answer an illegal move.

use super::*;
use rules::tenjiku::{RuleSet, Tenjiku};

const HEAD: &str =
    "while read -r line; do case \"$line\" in usi) echo usiok;; isready) echo readyok;;";

/// What the engine with this reaction to `go` does in the first move of a game, and its process id before it.
fn first_move(on_go: &str) -> (Result<Choice<<Tenjiku as Position>::Move>, Fault>, u32) {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("stub.sh");
    std::fs::write(&script, format!("{HEAD} go*) {on_go};; esac; done\n")).unwrap();
    let command = format!("sh '{}'", script.display());
    let movetime = Duration::from_millis(50);
    let mut player =
        OutsidePlayer::new("stub".into(), Protocol::Usi, &command, None, movetime).unwrap();
    Player::<Tenjiku>::new_game(&mut player, 1).unwrap();
    let id = player.id().unwrap();
    let start = Tenjiku::start(&RuleSet::HISTORICAL);
    let game = GameSoFar {
        start: start.sfen(),
        moves: Vec::new(),
    };
    let choice = player.choose(&start, &game);
    if choice.is_err() {
        assert_eq!(player.id(), None, "a faulty engine is not kept");
    }
    (choice, id)
}

fn runs(id: u32) -> bool {
    std::process::Command::new("kill")
        .args(["-0", &id.to_string()])
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap()
        .success()
}

#[test]
fn a_legal_answer_is_taken_with_its_score() {
    let (choice, id) = first_move("echo info depth 1 score cp 0 nodes 17; echo bestmove 9l9k");
    let choice = choice.unwrap();
    assert_eq!(
        (
            choice.mv.to_string().as_str(),
            choice.nodes,
            choice.expected_score
        ),
        ("9l9k", 17, Some(0.5))
    );
    assert!(!runs(id), "a dropped player leaves no process");
}

#[test]
fn an_engine_that_exits_is_a_crash() {
    let (choice, id) = first_move("exit 3");
    let fault = choice.unwrap_err();
    let Fault::Crash { detail, .. } = &fault else {
        panic!("{fault}")
    };
    assert!(detail.contains("3") && detail.contains("> go"), "{detail}");
    assert!(!runs(id));
}

#[test]
fn the_last_words_of_an_engine_stand_in_the_first_line() {
    let (choice, _) = first_move("echo out of paper >&2; exit 3");
    let fault = choice.unwrap_err().to_string();
    let first = fault.lines().next().unwrap();
    assert!(first.contains("3, its last word: out of paper"), "{fault}");
}

#[test]
fn an_engine_that_hangs_is_killed_with_its_children() {
    let (choice, id) = first_move("sleep 1000");
    let fault = choice.unwrap_err();
    assert!(matches!(fault, Fault::Hang { .. }), "{fault}");
    assert!(!runs(id));
}

#[test]
fn an_engine_that_talks_without_end_hangs_too() {
    let (choice, id) = first_move("while true; do echo info string hello; done");
    let fault = choice.unwrap_err();
    assert!(matches!(fault, Fault::Hang { .. }), "{fault}");
    assert!(!runs(id));
}

#[test]
fn garbage_and_illegal_moves_are_reported_with_the_lines() {
    for (answer, part) in [
        ("bestmove xyzzy", "xyzzy"),
        ("bestmove 9l9a", "9l9a"),
        ("bestmove", ""),
    ] {
        let (choice, _) = first_move(&format!("echo {answer}"));
        let fault = choice.unwrap_err();
        let Fault::IllegalMove { error, .. } = &fault else {
            panic!("{fault}")
        };
        let text = error.to_string();
        assert!(
            text.contains(part) && text.contains(&format!("< {answer}")),
            "{text}"
        );
    }
}

#[test]
fn a_missing_program_is_a_crash() {
    let limit = Duration::from_millis(50);
    let mut player =
        OutsidePlayer::new("x".into(), Protocol::Usi, "/no/such/engine", None, limit).unwrap();
    let fault = Player::<Tenjiku>::new_game(&mut player, 1).unwrap_err();
    assert!(fault.to_string().contains("cannot start"), "{fault}");
}

#[test]
fn commands_are_split_at_spaces_outside_quotes() {
    assert_eq!(split_words("a 'b c'  \"d\"e ''"), ["a", "b c", "de", ""]);
}
