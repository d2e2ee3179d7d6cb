//! Plans and players for the tests of events.
#![allow(dead_code, reason = "each test file uses its part")]

use engine::{Choice, Fault, GameSoFar, Player, RandomPlayer};
use evaluator::{
    AnchorChoice, Entrant, Format, Ledger, Plan, PlayParams, PlayerFactory, Report, Store,
    encounters, random_openings, report, run,
};
use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku, TenjikuMove};
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub fn start() -> Tenjiku {
    Tenjiku::start(&RuleSet::default())
}

/// A round robin of these players with random openings of 4 plies, games of at most `max_plies`, two at a time.
pub fn plan(names: &[&str], pairs: usize, max_plies: usize) -> Plan<Tenjiku> {
    Plan {
        title: "test".into(),
        players: names.iter().map(|name| Entrant::named(name)).collect(),
        encounters: encounters(Format::RoundRobin, names.len(), 0),
        openings: random_openings(&start(), 4, 11, pairs),
        play: PlayParams {
            max_plies,
            concurrency: 2,
            seed: 11,
            ..PlayParams::default()
        },
        sprt: None,
    }
}

pub fn boxed(player: impl Player<Tenjiku> + 'static) -> Result<Box<dyn Player<Tenjiku>>, Fault> {
    Ok(Box::new(player))
}

/// Makes random players.
pub fn all_random(_: usize) -> Result<Box<dyn Player<Tenjiku>>, Fault> {
    boxed(RandomPlayer::new())
}

/// Plays the plan in memory.
pub fn play(plan: &Plan<Tenjiku>, factory: &PlayerFactory<'_, Tenjiku>) -> (Report, Ledger) {
    let mut store = Store::memory();
    run(plan, factory, &mut store, &AtomicBool::new(false), &|_| {}).unwrap();
    (report_of(plan, &store), store.ledger().clone())
}

/// Plays what the folder lacks.
pub fn play_in(
    folder: &Path,
    plan: &Plan<Tenjiku>,
    factory: &PlayerFactory<'_, Tenjiku>,
) -> (Report, Ledger) {
    let mut store = Store::open(folder, plan).unwrap();
    run(plan, factory, &mut store, &AtomicBool::new(false), &|_| {}).unwrap();
    (report_of(plan, &store), store.ledger().clone())
}

pub fn report_of(plan: &Plan<Tenjiku>, store: &Store<Tenjiku>) -> Report {
    report(plan, store.ledger(), &AnchorChoice::default())
}

/// The moves of all games, in order.
pub fn moves(ledger: &Ledger) -> Vec<(u64, String)> {
    ledger.games().map(|(n, g)| (n, g.moves.clone())).collect()
}

/// Every complete pair has the opening of its round in both games, with colours swapped, and each ordered pair of
/// players has each opening once.
pub fn assert_each_opening_twice_swapped(plan: &Plan<Tenjiku>, ledger: &Ledger) {
    let mut seen = std::collections::HashSet::new();
    for number in 0..plan.pairs() {
        let pairing = plan.pairing(number);
        let [a, b] = ledger.pair(number).expect("a complete pair");
        let name = |i: usize| plan.players[i].name.as_str();
        assert_eq!(
            (a.black.as_str(), a.white.as_str()),
            (name(pairing.first), name(pairing.second))
        );
        assert_eq!(
            (b.black.as_str(), b.white.as_str()),
            (name(pairing.second), name(pairing.first))
        );
        let opening = &plan.openings[pairing.opening];
        let words: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
        for game in [a, b] {
            let begin: Vec<&str> = game.moves.split(' ').take(words.len()).collect();
            assert_eq!(
                (game.start_sfen.clone(), begin.join(" ")),
                (opening.start.sfen(), words.join(" "))
            );
            assert!(
                seen.insert((game.black.clone(), game.white.clone(), words.join(" "))),
                "opening played again: {}",
                words.join(" ")
            );
        }
    }
    assert_eq!(ledger.games_played(), 2 * plan.pairs());
}

/// Always plays the first legal move: the same game again from the same opening.
pub struct First;

impl Player<Tenjiku> for First {
    fn name(&self) -> &str {
        "first"
    }
    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        Ok(())
    }
    fn choose(
        &mut self,
        position: &Tenjiku,
        _game: &GameSoFar<Tenjiku>,
    ) -> Result<Choice<TenjikuMove>, Fault> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        Ok(Choice {
            mv: moves[0],
            expected_score: None,
            nodes: 1,
        })
    }
}

/// Plays at random, and an illegal move on its third turn as White, in the first `faults` games with that colour.
pub struct Cheat {
    player: RandomPlayer,
    turns: usize,
    faults: u32,
}

impl Cheat {
    pub fn new(faults: u32) -> Cheat {
        Cheat {
            player: RandomPlayer::new(),
            turns: 0,
            faults,
        }
    }
}

impl Player<Tenjiku> for Cheat {
    fn name(&self) -> &str {
        "cheat"
    }
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.turns = 0;
        Player::<Tenjiku>::new_game(&mut self.player, seed)
    }
    fn choose(
        &mut self,
        position: &Tenjiku,
        game: &GameSoFar<Tenjiku>,
    ) -> Result<Choice<TenjikuMove>, Fault> {
        self.turns += 1;
        let mut choice = self.player.choose(position, game)?;
        if self.turns == 3 && position.turn() == rules::Color::White && self.faults > 0 {
            self.faults -= 1;
            let mut other = position.clone();
            other.play(choice.mv);
            let mut moves = Vec::new();
            other.legal_moves(&mut moves);
            choice.mv = moves[0]; // a move of the other side
        }
        Ok(choice)
    }
}
