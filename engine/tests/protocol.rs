//! Transcripts of both protocols with the program itself, and lines that nobody should send.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any answer takes on a busy machine; only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(300);

/// The running program. A reader thread keeps its output from blocking it.
struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tenjiku-engine"))
            .args(["--hash", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if send.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Engine {
            input: child.stdin.take().unwrap(),
            child,
            lines,
        }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// The lines up to the first that starts with `end`, that one last.
    fn until(&mut self, end: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|e| panic!("no `{end}` ({e}) after {lines:?}"));
            let found = line.starts_with(end);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    fn ask(&mut self, text: &str, end: &str) -> Vec<String> {
        self.say(text);
        self.until(end)
    }

    fn quit(mut self) {
        self.say("quit");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_usi_game_of_both_kinds() {
    let mut engine = Engine::start();
    let hello = engine.ask("usi", "usiok");
    assert!(
        hello[0].starts_with("id name ")
            && hello.iter().any(|l| l.starts_with("option name USI_Hash "))
    );
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    engine.say("usinewgame");
    engine.say("position startpos moves 9l9k 9e9f");
    let lines = engine.ask("go depth 1", "bestmove ");
    assert!(
        lines[0].starts_with("info depth 1 ")
            && lines[0].contains(" score cp ")
            && lines[0].contains(" pv ")
    );
    let mut game = Tenjiku::start(&RuleSet::HISTORICAL);
    for text in ["9l9k", "9e9f"] {
        let mv = game.parse_move(text).unwrap();
        game.play(mv);
    }
    let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
    assert!(game.parse_move(best).is_ok(), "{best}");

    // A search without bound answers `isready`, and gives its move at `stop`.
    engine.say("go infinite");
    engine.ask("isready", "readyok");
    let end = engine.ask("stop", "bestmove ");
    assert!(end.last().unwrap().len() > "bestmove ".len());

    // Mate in one of shogi: the gold drops before the king, protected by the pawn.
    engine.say("setoption name USI_Variant value shogi");
    engine.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    let lines = engine.ask("go depth 3", "bestmove ");
    assert_eq!(lines.last().unwrap(), "bestmove G*5b");
    assert!(
        lines.iter().any(|l| l.contains(" score mate 1 ")),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn bad_usi_lines_change_nothing() {
    let mut engine = Engine::start();
    engine.ask("usi", "usiok");
    for (line, part) in [
        ("position sfen nonsense b - 1", "bad SFEN"),
        ("position startpos moves 9l9k 9l9k", "move 2"),
        ("position", "expected `position startpos`"),
        ("setoption name USI_Hash value 0", "from 1 to"),
        ("setoption name Rules value nosuch", "nosuch"),
        ("setoption name Speed value 3", "no such option"),
        ("fly me to the moon", "unknown command `fly`"),
    ] {
        let answer = engine.ask(line, "info string").pop().unwrap();
        assert!(answer.contains(part), "{line}: {answer}");
    }
    let lines = engine.ask("go nodes 50", "bestmove ");
    let best = lines
        .last()
        .unwrap()
        .strip_prefix("bestmove ")
        .unwrap()
        .to_string();
    assert!(
        Tenjiku::start(&RuleSet::HISTORICAL)
            .parse_move(&best)
            .is_ok(),
        "{best}"
    );
    engine.quit();
}

#[test]
fn a_cecp_game() {
    let mut engine = Engine::start();
    engine.say("xboard");
    let features = engine.ask("protover 2", "feature done=1").join("\n");
    for part in ["setboard=1", "ping=1", "usermove=1", "memory=1", "tenjiku"] {
        assert!(features.contains(part), "{features}");
    }
    for line in [
        "memory 1",
        "new",
        "variant tenjiku",
        "force",
        "easy",
        "post",
        "sd 1",
    ] {
        engine.say(line);
    }
    // 9l9k: file 9 is the eighth from the left, h; rank l is the fifth from below.
    engine.say("usermove h5h6");
    assert_eq!(engine.ask("ping 7", "pong"), ["pong 7"]);
    let lines = engine.ask("go", "move ");
    assert!(lines[0].starts_with("1 "), "{lines:?}");
    engine.say("undo");
    engine.say("force");
    assert_eq!(
        engine.ask("usermove h5h9", "Illegal move").pop().unwrap(),
        "Illegal move: h5h9"
    );
    assert_eq!(
        engine.ask("usermove h5h6", "Illegal move").pop().unwrap(),
        "Illegal move: h5h6"
    );
    assert_eq!(
        engine.ask("sing", "Error").pop().unwrap(),
        "Error (unknown command): sing"
    );
    assert_eq!(engine.ask("ping 8", "pong"), ["pong 8"]);

    // The first mover's pawn takes the last royal: the engine says so and claims the win.
    engine.say("setboard 7k8/7P8/16/16/16/16/16/16/16/16/16/16/16/16/16/8K7 b - 1");
    let lines = engine.ask("go", "1-0");
    assert!(
        lines.iter().any(|l| l.starts_with("move h15h16")),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn a_capture_on_the_way_goes_in_and_out_as_two_legs() {
    let mut engine = Engine::start();
    engine.say("xboard");
    for line in [
        "new",
        "force",
        "setboard 7k8/16/16/16/16/16/16/7rp7/7N8/7L8/16/16/16/16/16/8K7 b - 1",
    ] {
        engine.say(line);
    }
    let illegal = engine
        .ask("usermove h7h8,h8h7", "Illegal move")
        .pop()
        .unwrap();
    assert_eq!(
        illegal, "Illegal move: h7h8,h8h7",
        "a lance takes nothing on the way"
    );
    engine.say("setboard 7k8/16/16/16/16/16/16/16/7p8/7[ln]8/16/16/16/16/16/8K7 b - 1");
    engine.say("setboard 7k8/16/16/16/16/16/16/16/7p8/7[LN]8/16/16/16/16/16/8K7 b - 1");
    engine.say("usermove h7h8,h8h7");
    assert_eq!(
        engine.ask("ping 1", "pong"),
        ["pong 1"],
        "igui is a legal move of the lion"
    );
    engine.quit();
}

/// Random lines of protocol words, numbers and noise, then a question that must be answered.
#[test]
fn any_lines_are_survived() {
    const WORDS: [&str; 40] = [
        "usi",
        "position",
        "startpos",
        "sfen",
        "moves",
        "9l9k",
        "9e9f",
        "b",
        "-",
        "1",
        "setoption",
        "name",
        "USI_Hash",
        "value",
        "usinewgame",
        "stop",
        "ponderhit",
        "gameover",
        "isready",
        "new",
        "variant",
        "tenjiku",
        "force",
        "usermove",
        "h5h6",
        "h5h6,",
        "@@@@",
        "setboard",
        "level",
        "40",
        "5:00",
        "st",
        "sd",
        "time",
        "99999999999999999999",
        "-3",
        "undo",
        "remove",
        "\u{7f}\u{fffd}",
        "NaN",
    ];
    for (seed, first, question, answer) in [
        (1, "usi", "isready", "readyok"),
        (2, "xboard", "ping 99", "pong 99"),
    ] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut engine = Engine::start();
        engine.say(first);
        for _ in 0..300 {
            let words: Vec<&str> = (0..rng.random_range(0..6))
                .map(|_| WORDS[rng.random_range(0..WORDS.len())])
                .collect();
            engine.say(&words.join(" "));
        }
        engine.say("go nodes 10 depth 99999999999999 wtime -5 btime nan movestogo 0");
        engine.say(&"x".repeat(3_000_000));
        engine.ask(question, answer);
        engine.quit();
    }
}
