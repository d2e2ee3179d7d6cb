//! Transcripts of both protocols with the program itself, and lines that nobody should send.

#[path = "talk/program.rs"]
mod program;

use program::Engine;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku};
use std::process::{Command, Stdio};

/// The program with a small table.
fn start() -> Engine {
    Engine::start(&["--hash", "1"])
}

#[test]
fn a_usi_game_of_both_kinds() {
    let mut engine = start();
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

    // Where no royal of the other side is left the game is over: won or lost, by whose turn it is.
    for (turn, answer) in [("b", "bestmove win"), ("w", "bestmove resign")] {
        engine.say(&format!(
            "position sfen 16/16/16/16/16/16/8p7/16/16/16/16/16/16/16/16/8K7 {turn} - 1"
        ));
        let why = "info string the game is over (royal_captured)";
        assert_eq!(engine.ask("go depth 2", "bestmove "), [why, answer]);
    }

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
    let mut engine = start();
    engine.ask("usi", "usiok");
    for (line, part) in [
        ("position sfen nonsense b - 1", "bad SFEN"),
        ("position startpos moves 9l9k 9l9k", "move 2"),
        ("position", "expected `position startpos`"),
        ("setoption name USI_Hash value 0", "from 1 to"),
        ("setoption name USI_Hash value", "must be a whole number"),
        ("setoption name USI_Hash", "needs a value"),
        ("setoption name Network", "needs a value"),
        ("setoption name Network value /none", "alpha-beta plays on"),
        ("setoption name USI_Variant value chess", "unknown game"),
        ("setoption name Visits value nan", "from 0 to 1000000"),
        ("setoption", "no such option"),
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
fn an_empty_value_empties_an_option_of_usi() {
    let mut engine = start();
    let hello = engine.ask("usi", "usiok");
    for empty in ["", "<empty>"] {
        engine.say("setoption name Rules value western");
        assert_ne!(engine.ask("usi", "usiok"), hello);
        engine.say(&format!("setoption name Rules value {empty}"));
        engine.say(&format!("setoption name Network value {empty}"));
        assert_eq!(engine.ask("usi", "usiok"), hello);
    }
    engine.quit();
}

#[test]
fn numbers_of_go_that_are_none_are_told_and_the_rest_counts() {
    let mut engine = start();
    engine.ask("usi", "usiok");
    // The move comes although nothing else bounds the search.
    for (words, range) in [
        ("movetime nan", "0 to 1000000000000"),
        ("movetime inf", "0 to"),
        ("movetime -5", "0 to"),
        ("movetime 1e400", "0 to"),
        ("nodes nan", "1 to 1000000000000"),
        ("nodes 1e3", "1 to"),
        ("nodes -5", "1 to"),
        ("nodes 99999999999999999999", "1 to"),
        ("depth 0", "1 to 1000"),
        ("depth", "1 to 1000"),
        ("btime nan", "-1000000000000 to"),
    ] {
        let lines = engine.ask(&format!("go {words}"), "bestmove ");
        let told: Vec<_> = lines.iter().filter(|l| l.contains(" string ")).collect();
        let expected = format!("info string go {words}: must be a whole number from {range}");
        assert!(
            told.len() == 1 && told[0].starts_with(&expected),
            "{words}: {lines:?}"
        );
    }
    let lines = engine.ask("go nodes nan movestogo x btime depth 1", "bestmove ");
    let told = |part: &str| lines.iter().filter(|l| l.contains(part)).count();
    assert_eq!(told("info string go "), 3, "{lines:?}");
    assert_eq!(
        (told("info depth 1 "), told("info depth 2 ")),
        (1, 0),
        "{lines:?}"
    );
    // A clock that has run out is no mistake.
    let lines = engine.ask("go btime -5 wtime -5", "bestmove ");
    assert!(!lines[0].contains(" string "), "{lines:?}");
    engine.quit();
}

#[test]
fn a_usi_search_goes_on_after_words_that_are_unknown() {
    let mut engine = start();
    engine.ask("usi", "usiok");
    engine.say("go infinite");
    for (line, end) in [("sing", "info string unknown"), ("isready", "readyok")] {
        let lines = engine.ask(line, end);
        assert!(!lines.iter().any(|l| l.contains("bestmove")), "{lines:?}");
    }
    engine.ask("stop", "bestmove ");
    engine.quit();
}

#[test]
fn bad_cecp_lines_change_nothing() {
    let mut engine = start();
    engine.say("xboard");
    for line in [
        "new",
        "variant tenjiku",
        "post",
        "sd 1",
        "st 100000",
        "time -5",
    ] {
        engine.say(line);
    }
    engine.until("setup");
    for (line, part) in [
        ("st nan", "from 0 to 1000000000"),
        ("st inf", "from 0 to"),
        ("st 1e30", "from 0 to"),
        ("st -1", "from 0 to"),
        ("st", "from 0 to"),
        ("time nan", "whole number from -1000000000 to 1000000000"),
        ("time 1e30", "whole number from"),
        ("sd -1", "from 1 to 1000"),
        ("sd 0", "from 1 to 1000"),
        ("sd 99999999999999999999", "from 1 to 1000"),
        ("cores 0", "from 1 to 256"),
        ("cores 9999", "from 1 to 256"),
        ("memory 0", "from 1 to 65536"),
        ("memory -1", "from 1 to 65536"),
        ("level 40 nan 0", "moves, time, increment"),
        ("level 40 5:inf 0", "moves, time, increment"),
        ("level 40 5 -1", "moves, time, increment"),
        ("level 1.5 5 0", "moves, time, increment"),
        ("option", "NAME=VALUE"),
        ("option Network", "NAME=VALUE"),
        ("option Foo=1", "no such option"),
        ("option MultiPV=501", "from 1 to 500"),
        ("option Visits=nan", "from 0 to 1000000"),
        ("variant chess", "unknown game"),
    ] {
        let answer = engine.ask(line, "Error (").pop().unwrap();
        assert!(
            answer.contains(part) && answer.ends_with(&format!("): {line}")),
            "{line}: {answer}"
        );
    }
    engine.say("option Network=");
    let lines = engine.ask("go", "move ");
    assert!(lines[0].starts_with("1 ") && lines.len() == 2, "{lines:?}");
    engine.quit();
}

/// The search has no end but `?`.
#[test]
fn a_cecp_search_goes_on_after_lines_that_do_not_change_the_game() {
    let mut engine = start();
    engine.say("xboard");
    engine.ask("protover 2", "feature done=1");
    for line in ["new", "variant tenjiku", "force", "st 100000"] {
        engine.say(line);
    }
    for line in [
        "sing",
        "usermove a1a1",
        "usermove h5h6",
        "option MultiPV=2",
        "option Foo=1",
        "option Network=/none",
        "memory 2",
        "cores 2",
        "undo",
        "remove",
        "setboard nonsense",
        "variant chess",
        "exit",
        "go",
        "st nan",
    ] {
        engine.say("go");
        engine.say(line);
        engine.ask("?", "move ");
        engine.say("force");
        engine.say("undo");
    }
    // What was set in the meantime is in force now: two lines.
    engine.say("post");
    engine.say("sd 1");
    let lines = engine.ask("go", "move ");
    let thoughts = lines.iter().filter(|l| l.starts_with("1 ")).count();
    assert_eq!(thoughts, 2, "{lines:?}");

    // Two moves are taken back: it is the engine's turn again.
    for line in ["nopost", "sd 1000", "force", "usermove h12h11", "go"] {
        engine.say(line);
    }
    engine.say("remove");
    engine.ask("?", "move ");
    engine.say("force");
    let error = engine.ask("remove", "Error").pop().unwrap();
    assert!(error.contains("no move to take back"), "{error}");
    // An option that is set shows in the analysis at once.
    engine.say("option MultiPV=1");
    engine.say("analyze");
    engine.until("2 ");
    engine.say("option MultiPV=2");
    engine.say("sing");
    let mut lines = engine.until("Error");
    lines.extend(engine.until("3 "));
    lines.extend(engine.until("3 "));
    assert!(lines.iter().any(|l| l.starts_with("2 ")), "{lines:?}");
    engine.quit();
}

#[test]
fn pong_comes_after_the_move() {
    let mut engine = start();
    engine.say("xboard");
    for line in ["new", "force", "st 100000", "go", "ping 5", "ping 6"] {
        engine.say(line);
    }
    let lines = engine.ask("?", "pong 6");
    let words: Vec<_> = lines.iter().map(|l| &l[..5]).collect();
    assert_eq!(words, ["move ", "pong ", "pong "], "{lines:?}");
    // Where no move will come, it comes at once.
    for line in ["force", "analyze"] {
        engine.say(line);
    }
    engine.ask("ping 7", "pong 7");
    for line in ["exit", "go", "ping 8"] {
        engine.say(line);
    }
    let lines = engine.ask("force", "pong 8");
    assert!(!lines.iter().any(|l| l.starts_with("move ")), "{lines:?}");
    engine.quit();
}

#[test]
fn after_new_and_variant_the_engine_answers_a_move() {
    let mut engine = start();
    engine.say("xboard");
    for line in ["new", "variant shogi", "sd 1"] {
        engine.say(line);
    }
    engine.ask("usermove c3c4", "move ");
    engine.quit();
}

#[test]
fn new_leaves_an_analysis_on() {
    let mut engine = start();
    engine.say("xboard");
    for line in ["new", "variant tenjiku", "force", "usermove h5h6"] {
        engine.say(line);
    }
    engine.ask("analyze", "2 ");
    engine.ask("new", "2 ");
    engine.say("usermove h5h6");
    // It analyses the position after the move, in the other game too, and never moves.
    let mut lines = engine.until("3 ");
    lines.extend(engine.ask("variant shogi", "3 "));
    engine.say("exit");
    lines.extend(engine.ask("ping 1", "pong 1"));
    assert!(lines.iter().all(|l| !l.starts_with("move ")), "{lines:?}");
    engine.quit();
}

#[test]
fn another_variant_keeps_the_terms() {
    let mut engine = start();
    engine.say("xboard");
    for line in ["post", "sd 1", "variant shogi"] {
        engine.say(line);
    }
    let lines = engine.ask("go", "move ");
    assert!(lines[0].starts_with("1 ") && lines.len() == 2, "{lines:?}");
    engine.quit();
}

#[test]
fn cecp_moves_come_in_all_their_forms() {
    let mut engine = start();
    engine.say("xboard");
    for line in ["new", "variant tenjiku", "force", "usermove h5h6,", "force"] {
        engine.say(line);
    }
    // The first leg is forgotten; a move may stand alone.
    engine.say("usermove h5h6");
    engine.say("h12h11");
    engine.say("remove");
    let error = engine.ask("undo", "Error").pop().unwrap();
    assert!(error.contains("no move to take back"), "{error}");
    engine.ask("a1a1", "Error (unknown command)");

    // A board as XBoard writes it, though each piece has a plain letter; White, our Black, can take the king.
    engine.say("setboard 7k8/16/16/16/16/16/16/16/16/16/16/16/7R8/16/16/8K7 w 0 1");
    assert_eq!(engine.ask("go", "").len(), 1);
    let lines = engine.ask("ping 1", "pong 1");
    assert!(lines.iter().all(|l| !l.starts_with("tellus")), "{lines:?}");
    engine.quit();
}

#[test]
fn rules_are_an_option_of_cecp() {
    let mut engine = start();
    engine.say("xboard");
    let features = engine.ask("protover 2", "feature done=1");
    let offer = "feature option=\"Rules -string historical\"".to_string();
    assert!(features.contains(&offer), "{features:?}");
    let error = engine.ask("option Rules=easter", "Error").pop().unwrap();
    assert!(error.contains("easter"), "{error}");
    engine.say("option Rules=western");
    let features = engine.ask("protover 2", "feature done=1");
    assert!(features.iter().any(|f| f.contains("string western")));
    engine.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_by_bench() {
    let output = Command::new(env!("CARGO_BIN_EXE_tenjiku-engine"))
        .args(["bench", "--depth", "1"])
        .stdout(std::fs::File::create("/dev/full").unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: cannot write"), "{said}");
}

/// Exit code, standard output and standard error of the program with these arguments and no input.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tenjiku-engine"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn arguments_are_in_their_range_or_refused() {
    let (_, help, _) = run(&["--help"]);
    for (argument, wrong, range) in [
        ("--hash", "0", "1 to 65536"),
        ("--hash", "65537", "1 to 65536"),
        ("--threads", "100000", "1 to 256"),
        ("--multipv", "501", "1 to 500"),
        ("--visits", "2000000", "to 1000000"),
    ] {
        let (code, _, said) = run(&[argument, wrong]);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains(&format!("'{wrong}' for '{argument} ")) && said.contains(range),
            "{said}"
        );
        assert!(help.contains(range), "{range}: {help}");
    }
    for arguments in [
        ["--network", "none.onnx", "bench"],
        ["--hash", "2", "bench"],
    ] {
        let (code, _, said) = run(&arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("'bench' cannot be used with"), "{said}");
    }
    for arguments in [["--visits", "20"], ["--search", "puct"]] {
        let (code, _, said) = run(&arguments);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("until there is a network"), "{said}");
    }
    for file in ["/dev/zero", env!("CARGO_MANIFEST_DIR")] {
        let (code, _, said) = run(&["--network", file]);
        assert_eq!(code, Some(1), "{said}");
        // Where there is no such device it is told that it cannot be read.
        assert!(said.starts_with(&format!("error: {file}: ")), "{said}");
        assert!(
            !std::path::Path::new(file).exists() || said.contains("not a regular file"),
            "{said}"
        );
    }
}

#[test]
fn a_cecp_game() {
    let mut engine = start();
    engine.say("xboard");
    let features = engine.ask("protover 2", "feature done=1").join("\n");
    for part in ["setboard=1", "ping=1", "usermove=1", "memory=1", "tenjiku"] {
        assert!(features.contains(part), "{features}");
    }
    for line in [
        "memory 1",
        "cores 1",
        "new",
        "variant tenjiku",
        "force",
        "easy",
        "post",
        "sd 1",
    ] {
        engine.say(line);
    }
    // XBoard is told the board, the pieces and where they go.
    let setup = engine.until("setup").pop().unwrap();
    assert!(
        setup.starts_with("setup (PNBRQ") && setup.contains(") 16x16+0_chu lnf'icsgd!kgscif'nl/"),
        "{setup}"
    );
    let colors = engine.ask("lift h5", "highlight").pop().unwrap();
    assert_eq!(
        colors,
        "highlight 16/16/16/16/16/16/16/16/16/16/7Y8/16/16/16/16/16"
    );
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
fn several_lines_and_threads_are_options_of_usi() {
    let mut engine = start();
    let hello = engine.ask("usi", "usiok").join("\n");
    assert!(hello.contains("option name MultiPV ") && hello.contains("option name Threads "));
    engine.say("setoption name MultiPV value 2");
    engine.say("setoption name Threads value 2");
    engine.say("setoption name USI_Hash value 2");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
    engine.say("position startpos");
    let lines = engine.ask("go depth 2", "bestmove ");
    let rank = |n: u32| {
        lines
            .iter()
            .filter(|l| l.contains(&format!(" multipv {n} ")))
            .count()
    };
    assert_eq!((rank(1), rank(2), rank(3)), (2, 2, 0), "{lines:?}");
    assert_eq!(
        engine.ask("go mate 1000", "checkmate"),
        ["checkmate notimplemented"]
    );
    // A clock, byoyomi, an increment, all with time to spare.
    for go in [
        "go btime 1000 wtime 1000 byoyomi 0",
        "go btime 0 wtime 0 byoyomi 20",
        "go btime 100 wtime 100 binc 10 winc 10",
        "go movetime 20",
        "go nodes 100",
    ] {
        engine.ask(go, "bestmove ");
    }
    engine.quit();
}

#[test]
fn a_cecp_session_with_analysis_and_moves_taken_back() {
    let mut engine = start();
    engine.say("xboard");
    engine.ask("protover 2", "feature done=1");
    for line in ["new", "variant tenjiku", "force", "post"] {
        engine.say(line);
    }
    engine.until("setup");
    engine.say("usermove h5h6");
    engine.say("usermove h12h11");
    engine.say("analyze");
    // It thinks about the position after both moves, then about the one before.
    engine.until("2 ");
    engine.say("undo");
    engine.until("2 ");
    engine.say(".");
    engine.say("exit");
    engine.say("remove");
    let error = engine.ask("ping 1", "pong").join(" ");
    assert!(error.contains("no move to take back"), "{error}");
    engine.say("undo");
    assert_eq!(engine.ask("ping 2", "pong"), ["pong 2"]);

    // `?` makes it move now; `playother` gives it the other side; `result` ends its duty.
    for line in ["nopost", "level 0 60 0", "go"] {
        engine.say(line);
    }
    engine.ask("?", "move ");
    engine.say("force");
    engine.say("st 0.05");
    engine.say("playother");
    engine.say("result * {stopped}");
    engine.say("usermove h12h11");
    assert_eq!(engine.ask("ping 3", "pong"), ["pong 3"]);

    // To shogi and back.
    engine.say("variant shogi");
    engine.say("usermove c3c4");
    assert_eq!(engine.ask("ping 4", "pong"), ["pong 4"]);
    engine.say("variant tenjiku");
    engine.until("setup");
    engine.quit();
}

#[test]
fn a_double_capture_is_answered_in_two_lines() {
    let mut engine = start();
    engine.say("xboard");
    // Both royals stand in the lion's way: only to take them in one move wins.
    for line in [
        "new",
        "force",
        "sd 1",
        "setboard 16/16/16/16/16/16/16/7+[de]8/7k8/7[LN]8/16/16/16/16/16/8K7 b - 1",
    ] {
        engine.say(line);
    }
    let lines = engine.ask("go", "1-0");
    assert_eq!(
        lines,
        ["move h7h8,", "move h8h9", "1-0 {royal_captured}"],
        "two legs, the first with a comma"
    );
    // The same position as XBoard would write it.
    engine.say("force");
    engine.say("setboard 16/16/16/16/16/16/16/7+d!8/7k8/7L'8/16/16/16/16/16/8K7 w 0 1");
    let lines = engine.ask("go", "1-0");
    assert_eq!(lines[..2], ["move h7h8,", "move h8h9"]);
    engine.quit();
}

#[test]
fn a_capture_on_the_way_goes_in_and_out_as_two_legs() {
    let mut engine = start();
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

/// Words of both protocols, numbers, squares and noise.
const WORDS: [&str; 74] = [
    "usi",
    "position",
    "startpos",
    "sfen",
    "moves",
    "9l9k",
    "9e9f",
    "b",
    "w",
    "-",
    "1",
    "setoption",
    "name",
    "USI_Hash",
    "MultiPV",
    "Threads",
    "Rules",
    "western",
    "value",
    "usinewgame",
    "stop",
    "ponderhit",
    "gameover",
    "isready",
    "go",
    "depth",
    "nodes",
    "movetime",
    "byoyomi",
    "btime",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "xboard",
    "protover",
    "accepted",
    "new",
    "variant",
    "tenjiku",
    "shogi",
    "force",
    "playother",
    "usermove",
    "h5h6",
    "h5h6,",
    "@@@@",
    "P@e5",
    "setboard",
    "16/16",
    "level",
    "40",
    "5:00",
    "st",
    "sd",
    "time",
    "otim",
    "memory",
    "cores",
    "analyze",
    "exit",
    "lift",
    "hover",
    "?",
    ".",
    "undo",
    "remove",
    "result",
    "0",
    "99999999999999999999",
    "-3",
    "1e300",
    "\u{7f}\u{fffd}",
    "NaN",
];

/// A line that nobody should send: words in any order, or a proper line cut in two or with something in it.
fn noise(rng: &mut Xoshiro256PlusPlus) -> String {
    const PROPER: [&str; 8] = [
        "position startpos moves 9l9k 9e9f 8l8k",
        "position sfen 7k8/7P8/16/16/16/16/16/16/16/16/16/16/16/16/16/8K7 b - 1 moves 9b9a",
        "setoption name USI_Variant value tenjiku",
        "go btime 20 wtime 20 byoyomi 5",
        "setboard 7k8/7P8/16/16/16/16/16/16/16/16/16/16/16/16/16/8K7 b - 1",
        "setboard 7k8/7P8/16/16/16/16/3+w'12/16/16/16/16/16/16/16/16/8K7 w 0 1",
        "usermove h5h6",
        "level 40 0:01 1",
    ];
    let mut line = if rng.random_range(0..2) == 0 {
        PROPER[rng.random_range(0..PROPER.len())].to_string()
    } else {
        let words: Vec<&str> = (0..rng.random_range(0..6))
            .map(|_| WORDS[rng.random_range(0..WORDS.len())])
            .collect();
        words.join(" ")
    };
    let places: Vec<usize> = line.char_indices().map(|(i, _)| i).collect();
    if !places.is_empty() {
        let place = places[rng.random_range(0..places.len())];
        match rng.random_range(0..4) {
            0 => line.truncate(place),
            1 => line.insert_str(place, WORDS[rng.random_range(0..WORDS.len())]),
            _ => {}
        }
    }
    // Tables of gigabytes and hundreds of threads are legal wishes, but not in a test.
    let heavy = ["USI_Hash", "Threads", "memory", "cores", "quit"];
    if heavy.iter().any(|word| line.contains(word)) && line.contains("99999") {
        line.clear();
    }
    line
}

#[test]
fn any_lines_are_survived() {
    for (seed, first, question, answer) in [
        (1, "usi", "isready", "readyok"),
        (2, "xboard", "ping 99", "pong 99"),
        (3, "usi", "isready", "readyok"),
        (4, "xboard", "ping 99", "pong 99"),
    ] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut engine = start();
        engine.say(first);
        for _ in 0..12 {
            for _ in 0..40 {
                let line = noise(&mut rng);
                engine.say(&line);
            }
            // Whatever it was made to think about ends here.
            engine.say("stop");
            engine.say("force");
            engine.ask(question, answer);
        }
        engine.say("go nodes 10 depth 99999999999999 wtime -5 btime nan movestogo 0");
        engine.say(&"x".repeat(3_000_000));
        engine.ask(question, answer);
        engine.quit();
    }
}
