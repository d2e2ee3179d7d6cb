//! A self-play game of each way in which a shogi game ends by the rules or the limit of plies, played by the code
//! that plays real games. What network it would take to play like this does not matter: the evaluator follows a
//! script.

use mcts::{EvalError, Evaluations, LeafEvaluator, SearchParams};
use records::{Dataset, GameRecord, Shape};
use rules::shogi::{RuleSet, Shogi, ShogiMove};
use rules::{Color, EndReason, Position};
use selfplay::{Job, SelfplayParams, Source, Starts, run};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Wants the move of the script in each of its positions, any in others.
struct Scripted {
    moves: HashMap<u64, ShogiMove>,
    pending: Vec<Vec<f32>>,
}

impl Scripted {
    fn new(start: &Shogi, script: &str) -> Scripted {
        let mut position = start.clone();
        let mut moves = HashMap::new();
        for text in script.split_whitespace() {
            let mv = position.parse_move(text).expect("the script is legal");
            moves.insert(position.key(), mv);
            position.play(mv);
        }
        Scripted {
            moves,
            pending: Vec::new(),
        }
    }
}

impl LeafEvaluator<Shogi> for Scripted {
    fn push(&mut self, position: &Shogi, moves: &[ShogiMove]) {
        let wanted = self.moves.get(&position.key());
        let logit = |mv| if Some(mv) == wanted { 1000.0 } else { 0.0 };
        self.pending.push(moves.iter().map(logit).collect());
    }

    fn pending(&self) -> usize {
        self.pending.len()
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        out.clear();
        for logits in self.pending.drain(..) {
            out.logits.extend(logits);
            out.offsets.push(out.logits.len());
            out.wdl.push([0.25, 0.5, 0.25]);
            out.moves_left.push(100.0);
        }
        Ok(())
    }
}

/// The record of one game from `sfen` along `script`.
fn play(sfen: &str, script: &str, max_plies: u32) -> GameRecord {
    let start = Shogi::from_sfen(&RuleSet::default(), sfen).expect("a position");
    let dir = tempfile::tempdir().expect("a folder");
    let params = SelfplayParams {
        games: 1,
        workers: 1,
        max_plies,
        full_share: 1.0,
        opening_plies: 0,
        ..SelfplayParams::default()
    };
    // No playouts: the policy alone.
    let search = SearchParams {
        visits: 0,
        ..SearchParams::default()
    };
    let job = Job {
        run: dir.path(),
        starts: &Starts::one(start.clone()),
        params: &params,
        search: &search,
        run_seed: 1,
        generation: 0,
        network_hash: "none",
        player: "script",
        config_hash: "none",
        newer: None,
    };
    let evaluators = |_: usize| -> Result<Box<dyn LeafEvaluator<Shogi>>, EvalError> {
        Ok(Box::new(Scripted::new(&start, script)))
    };
    let source = Source::Network(&evaluators);
    run(&job, &source, &AtomicBool::new(false), &|_| {}).expect("a game");
    let dataset = Dataset::open(dir.path(), &Shape::of::<Shogi>()).expect("a data set");
    let mut games = Vec::new();
    for shard in dataset.shards() {
        let keep = |game: GameRecord, _| {
            games.push(game);
            Ok(())
        };
        dataset.read(shard, keep).expect("readable");
    }
    assert_eq!(games.len(), 1);
    games.remove(0)
}

#[track_caller]
fn ends(sfen: &str, script: &str, max_plies: u32, winner: Option<Color>, reason: EndReason) {
    let game = play(sfen, script, max_plies);
    assert_eq!(
        (game.winner, game.reason),
        (winner, reason),
        "{}",
        game.moves
    );
    let script: Vec<&str> = script.split_whitespace().collect();
    assert!(game.moves.starts_with(&script.join(" ")), "{}", game.moves);
    let extra = game.plies() as usize - script.len();
    assert!(extra == 0 || reason == EndReason::PlyCap, "{}", game.moves);
}

#[test]
fn mate() {
    // The pawn guards the gold.
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    ends(sfen, "G*5b", 10, Some(Color::Black), EndReason::NoMoves);
}

#[test]
fn stalemate_loses_as_well() {
    // Then the gold guards 9b and 8b, the rook 8a; the king on 9a stands in no check.
    let sfen = "k8/9/9/G8/9/9/9/9/1R6K b - 1";
    ends(sfen, "9d9c", 10, Some(Color::Black), EndReason::NoMoves);
}

#[test]
fn fourfold_repetition() {
    let script = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    ends(START, &script, 100, None, EndReason::Repetition);
}

#[test]
fn perpetual_check() {
    // The rook chases the king from 1a to 1b and back: Black has given check on every move.
    let script = "9b9a 1a1b 9a9b 1b1a ".repeat(3);
    ends(
        "8k/R8/9/9/9/9/9/9/K8 b - 1",
        &script,
        100,
        Some(Color::White),
        EndReason::PerpetualCheck,
    );
}

#[test]
fn declaration() {
    // White must let Black have the move, who has 28 points.
    let sfen = "9/K+P7/RB+P+P+P+P+P+P+P/9/9/9/9/9/4k4 w 10P 1";
    ends(sfen, "5i5h", 10, Some(Color::Black), EndReason::Declaration);
}

#[test]
fn ply_cap() {
    ends(START, "7g7f 3c3d", 4, None, EndReason::PlyCap);
}
