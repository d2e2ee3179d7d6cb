//! A third game takes its rules, its values and its encoding, and everything plays it: alpha-beta, greedy, the tree
//! search, self-play with its records. `mini` is the game; nothing outside that file knows it.

#[path = "../common/mod.rs"]
mod common;
mod mini;

use engine::{
    AlphaBeta, EnginePlayer, GameSoFar, GreedyPlayer, Limit, Limits, NetworkPlayer, Player,
    RandomPlayer, SearchKind,
};
use mcts::UniformEvaluator;
use mini::Mini;
use rules::{Color, EndReason, Position};
use selfplay::Starts;

/// The rook shuts the white king into the corner that the black king watches: wherever it goes, it is taken.
const WIN_IN_3: &str = "k..../...../.K.../....R/..... b";

fn position(sfen: &str) -> Mini {
    Mini::from_sfen(&Default::default(), sfen).unwrap()
}

fn choose(player: &mut dyn Player<Mini>, position: &Mini) -> String {
    player.new_game(1).unwrap();
    let game = GameSoFar {
        start: position.sfen(),
        moves: Vec::new(),
    };
    player.choose(position, &game).unwrap().mv.to_string()
}

#[test]
fn alpha_beta_finds_a_forced_win() {
    let mut search = AlphaBeta::new(1);
    let thought = search
        .think(&position(WIN_IN_3), &Limits::depth(4), &mut |_| {})
        .unwrap();
    assert_eq!(thought.mate_in(), Some(3));
    assert_eq!(thought.best.to_string(), "e2e5");
}

#[test]
fn alpha_beta_beats_random_by_taking_the_king() {
    for seed in 0..4 {
        let mut engine = EnginePlayer::<Mini>::new(Limit::Depth(3));
        let mut random = RandomPlayer::new();
        Player::<Mini>::new_game(&mut random, seed).unwrap();
        let mut game = Mini::start(&Default::default());
        while game.outcome().is_none() {
            let so_far = GameSoFar {
                start: mini::START.into(),
                moves: Vec::new(),
            };
            let choice = match game.turn() {
                Color::Black => engine.choose(&game, &so_far),
                Color::White => random.choose(&game, &so_far),
            };
            game.play(choice.unwrap().mv);
            assert!(game.plies() < 400, "{}", game.sfen());
        }
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome.winner, Some(Color::Black));
        assert_eq!(outcome.reason, EndReason::RoyalCaptured);
    }
}

#[test]
fn greedy_takes_what_stands_there() {
    // The rook on e2 is for the taking, the one on a1 is shut off.
    let sfen = "k..../...../...../r..Rr/...K. b";
    assert_eq!(choose(&mut GreedyPlayer::new(), &position(sfen)), "d2e2");
}

#[test]
fn the_tree_search_finds_the_forced_win() {
    let start = position(WIN_IN_3);
    let evaluator = Box::new(UniformEvaluator::default());
    let mut player =
        NetworkPlayer::new("uniform".into(), evaluator, SearchKind::Puct, 3000, &start);
    assert_eq!(choose(&mut player, &start), "e2e5");
}

#[test]
fn self_play_writes_and_reads_its_games() {
    let starts = Starts::one(Mini::start(&Default::default()));
    let (report, games) = common::games(
        &starts,
        &common::params(),
        &common::search(),
        &common::Opinionated::default(),
    );
    assert_eq!(games.len(), 6);
    assert_eq!(report.tally.games, 6);
    for (game, rows) in games.values() {
        assert!(!rows.is_empty() && rows.len() <= game.moves.len());
    }
}

#[test]
fn the_encoding_serves_the_third_game() {
    let spec = encoding::spec::<Mini>();
    assert_eq!(
        (spec.game.as_str(), spec.codes, spec.queries()),
        ("mini", 5, 50)
    );
    let game = position("rk..r/...../...../...../R..KR w");
    let mut squares = [0; 25];
    encoding::encode::<Mini>(game.rules(), &game.snapshot(), &mut squares, &mut []);
    // Seen by White the board is turned and its own pieces come first.
    assert_eq!(squares[..5], [4, 3, 0, 0, 4]);
    assert_eq!(squares[20..], [2, 0, 0, 1, 2]);
}
