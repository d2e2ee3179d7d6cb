//! The search and its evaluation against slow answers: recount from scratch, exhaustive search.

use engine::{
    AlphaBeta, EnginePlayer, GameSoFar, Limit, Limits, Material, Player, QUIET, RandomPlayer,
    Score, WINS,
};
use rand::{SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use rules::{Color, Position};

/// Calls `look` with each position of a random game of at most `plies` plies.
fn playout<P: Position>(seed: u64, plies: usize, mut look: impl FnMut(&mut P)) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = P::start(&P::Rules::default());
    let mut moves = Vec::new();
    for _ in 0..plies {
        look(&mut position);
        position.legal_moves(&mut moves);
        let Some(&mv) = moves.choose(&mut rng) else {
            return;
        };
        position.play(mv);
    }
}

/// The running score equals a recount after every move, and taking back restores it; gains are the change of material
/// and nothing but wins is called a win.
fn score_agrees<P: Material>(games: u64, plies: usize) {
    for seed in 0..games {
        let mut running: Option<P::Score> = None;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = P::start(&P::Rules::default());
        let (mut moves, mut gains) = (Vec::new(), Vec::new());
        for _ in 0..plies {
            let score = running.get_or_insert_with(|| P::Score::new(&position));
            assert_eq!(
                score.score(Color::Black),
                P::Score::new(&position).score(Color::Black),
                "{position:?}"
            );
            position.legal_moves(&mut moves);
            score.gains(&position, &moves, &mut gains);
            for (&mv, &gain) in moves.iter().zip(&gains).step_by(7) {
                let (before, balance) = (score.score(Color::Black), position.material());
                assert_eq!(gain == WINS, position.wins_at_once(mv), "{mv}");
                score.play(&position, mv);
                position.play(mv);
                let change = -position.material() - balance;
                if position.early_outcome().is_none() {
                    assert_eq!(
                        score.score(Color::Black),
                        P::Score::new(&position).score(Color::Black),
                        "{mv}"
                    );
                    assert!(
                        gain != QUIET || change == 0,
                        "{mv} changes material by {change}"
                    );
                }
                position.undo();
                score.undo();
                assert_eq!(score.score(Color::Black), before);
            }
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            score.play(&position, mv);
            position.play(mv);
        }
    }
}

#[test]
fn the_running_score_is_the_recount() {
    score_agrees::<Tenjiku>(6, 250);
    score_agrees::<Shogi>(6, 150);
}

/// Whether the side to move can force a win within `plies` plies: every move tried, nothing left out.
fn forces_win<P: Position>(position: &mut P, plies: u32) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    if moves.iter().any(|&mv| position.wins_at_once(mv)) {
        return true;
    }
    plies >= 3
        && moves.into_iter().any(|mv| {
            position.play(mv);
            let mut replies = Vec::new();
            position.legal_moves(&mut replies);
            let lost = position.early_outcome().is_none()
                && replies.into_iter().all(|reply| {
                    position.play(reply);
                    let lost =
                        position.early_outcome().is_none() && forces_win(position, plies - 2);
                    position.undo();
                    lost
                });
            position.undo();
            lost
        })
}

#[test]
fn forced_royal_captures_are_found() {
    let mut search = AlphaBeta::<Tenjiku>::new(4);
    let mut found = [0; 2];
    for seed in 0..60 {
        let mut last = None;
        playout::<Tenjiku>(seed, 600, |position| last = Some(position.clone()));
        let Some(mut position) = last.filter(|p| p.early_outcome().is_some()) else {
            continue;
        };
        // Back from the end: the position with the capture, and the one two plies before it.
        for (back, (plies, count)) in [1u32, 3].into_iter().zip(&mut found).enumerate() {
            for _ in 0..if back == 0 { 1 } else { 2 } {
                position.undo();
            }
            if forces_win(&mut position, plies) {
                *count += 1;
                let thought = search
                    .think(&position, &Limits::depth(plies), &mut |_| {})
                    .unwrap();
                let mate = thought.mate_in().unwrap_or(0);
                assert!((1..=plies as i32).contains(&mate), "{mate} in {position:?}");
            }
        }
    }
    assert!(found[0] >= 10, "{found:?}");
}

#[test]
fn equal_depth_gives_equal_nodes() {
    let run = || engine::bench::bench(2, |_, _, _| {}).nodes;
    assert_eq!(run(), run());
}

#[test]
fn a_node_limit_is_kept() {
    let mut search = AlphaBeta::<Tenjiku>::new(1);
    let start = Tenjiku::start(&Default::default());
    for nodes in [1, 2, 100, 3000] {
        let thought = search
            .think(&start, &Limits::nodes(nodes), &mut |_| {})
            .unwrap();
        assert!(
            thought.nodes <= nodes && start.is_legal(thought.best),
            "{nodes}: {thought:?}"
        );
    }
}

#[test]
fn depth_one_beats_random() {
    let mut engine = EnginePlayer::<Tenjiku>::new(Limit::Depth(1));
    let mut random = RandomPlayer::new();
    for engine_side in [Color::Black, Color::White] {
        let mut position = Tenjiku::start(&Default::default());
        let game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        engine.new_game(1).unwrap();
        Player::<Tenjiku>::new_game(&mut random, 1).unwrap();
        while position.outcome().is_none() && position.plies() < 600 {
            let choice = if position.turn() == engine_side {
                engine.choose(&position, &game).unwrap()
            } else {
                random.choose(&position, &game).unwrap()
            };
            position.play(choice.mv);
        }
        assert_eq!(position.outcome().and_then(|o| o.winner), Some(engine_side));
    }
}
