//! Matches with players whose strength and faults are known beforehand.

use engine::{Choice, Fault, GameSoFar, GreedyPlayer, Player, RandomPlayer};
use evaluator::{MatchGame, MatchParams, PlayerFactory, play_match, random_opening};
use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku, TenjikuMove};
use std::sync::atomic::{AtomicBool, Ordering};

fn params(games: usize) -> MatchParams {
    MatchParams {
        games,
        opening_plies: 4,
        max_plies: 300,
        concurrency: 2,
        seed: 11,
    }
}

fn start() -> Tenjiku {
    Tenjiku::start(&RuleSet::default())
}

fn boxed(player: impl Player<Tenjiku> + 'static) -> Result<Box<dyn Player<Tenjiku>>, Fault> {
    Ok(Box::new(player))
}

#[test]
fn every_opening_is_played_twice_with_colours_swapped() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|_| boxed(RandomPlayer::new());
    let params = MatchParams {
        max_plies: 12,
        ..params(9)
    };
    let (report, games) = play_match(
        &start(),
        factory,
        &params,
        &AtomicBool::new(false),
        &|_, _, _| {},
    )
    .unwrap();
    assert_eq!(
        (games.len(), report.tally.games(), report.complete),
        (10, 10, true),
        "rounded up to whole pairs"
    );
    for (i, pair) in games.chunks(2).enumerate() {
        let opening = random_opening(&start(), 4, 11, i as u64);
        assert_eq!(pair[0].pair, i as u64);
        assert_ne!(pair[0].first_color, pair[1].first_color);
        for MatchGame { game, .. } in pair {
            assert_eq!(game.moves[..4], opening[..]);
        }
    }
    assert_eq!(report.pairs.iter().sum::<u64>(), 5);
    // The same match again is the same, whatever the threads did.
    let (_, again) = play_match(
        &start(),
        factory,
        &params,
        &AtomicBool::new(false),
        &|_, _, _| {},
    )
    .unwrap();
    let moves = |games: &[MatchGame<Tenjiku>]| {
        games
            .iter()
            .map(|g| g.game.moves.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(&games), moves(&again));
}

#[test]
fn greedy_beats_random() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| {
        if i == 0 {
            boxed(GreedyPlayer::new())
        } else {
            boxed(RandomPlayer::new())
        }
    };
    let (report, _) = play_match(
        &start(),
        factory,
        &params(10),
        &AtomicBool::new(false),
        &|_, _, _| {},
    )
    .unwrap();
    assert!(report.tally.wins >= 9, "{report:?}");
    assert_eq!(report.black.games(), 10);
}

/// Plays at random, and an illegal move on its third turn as White.
struct Cheat(RandomPlayer, usize);

impl Player<Tenjiku> for Cheat {
    fn name(&self) -> &str {
        "cheat"
    }
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.1 = 0;
        Player::<Tenjiku>::new_game(&mut self.0, seed)
    }
    fn choose(
        &mut self,
        position: &Tenjiku,
        game: &GameSoFar<Tenjiku>,
    ) -> Result<Choice<TenjikuMove>, Fault> {
        self.1 += 1;
        let mut choice = self.0.choose(position, game)?;
        if self.1 == 3 && position.turn() == rules::Color::White {
            let mut other = position.clone();
            other.play(choice.mv);
            let mut moves = Vec::new();
            other.legal_moves(&mut moves);
            choice.mv = moves[0]; // a move of the other side
        }
        Ok(choice)
    }
}

#[test]
fn an_illegal_move_is_a_fault_of_its_player_and_no_result() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|i| {
        if i == 1 {
            boxed(Cheat(RandomPlayer::new(), 0))
        } else {
            boxed(RandomPlayer::new())
        }
    };
    let (report, games) = play_match(
        &start(),
        factory,
        &params(4),
        &AtomicBool::new(false),
        &|_, _, _| {},
    )
    .unwrap();
    assert_eq!((games.len(), report.faults.len()), (0, 2));
    assert!(
        report
            .faults
            .iter()
            .all(|f| f.player == 1 && f.fault.contains("cheat")),
        "{:?}",
        report.faults
    );
    assert_eq!(report.score, None);
}

#[test]
fn a_stopped_match_keeps_whole_pairs_and_says_so() {
    let factory: &PlayerFactory<'_, Tenjiku> = &|_| boxed(RandomPlayer::new());
    let stop = AtomicBool::new(false);
    let params = MatchParams {
        concurrency: 1,
        ..params(20)
    };
    let (report, games) = play_match(&start(), factory, &params, &stop, &|_, _, _| {
        stop.store(true, Ordering::Relaxed)
    })
    .unwrap();
    assert_eq!((games.len(), report.complete), (2, false));
}
