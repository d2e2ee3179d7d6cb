//! Transcripts of both protocols with the program itself, and lines that nobody should send.

#[path = "talk/program.rs"]
mod program;

use program::Engine;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku};

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
