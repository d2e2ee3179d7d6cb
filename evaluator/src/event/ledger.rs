//! What was played so far, in memory: games by number, faults, and the state of the test.

use super::Plan;
use crate::fault::{FaultRecord, Handling};
use crate::schedule::Pairing;
use crate::stats::{Decision, Pentanomial, Sprt, Tally};
use records::GameRecord;
use rules::{Color, Position};
use std::collections::{BTreeMap, BTreeSet};

/// What was played so far.
#[derive(Clone, Default, Debug)]
pub struct Ledger {
    /// By `2 * pair + game`.
    games: BTreeMap<u64, GameRecord>,
    faults: Vec<FaultRecord>,
    dropped: BTreeSet<u64>,
    /// The first pair that is neither complete nor dropped.
    front: u64,
    /// The pairs before it, for the test.
    front_pairs: Pentanomial,
    /// The test, once it has decided; pairs from `front` on do not count then.
    decided: Option<Sprt>,
}

impl Ledger {
    /// Adds a game.
    pub fn add_game<P: Position>(
        &mut self,
        plan: &Plan<P>,
        pair: u64,
        game: usize,
        record: GameRecord,
    ) {
        self.games.insert(2 * pair + game as u64, record);
        self.advance(plan);
    }

    /// Adds a fault.
    pub fn add_fault<P: Position>(&mut self, plan: &Plan<P>, fault: FaultRecord) {
        if fault.handling == Handling::Dropped {
            self.dropped.insert(fault.pair);
        }
        self.faults.push(fault);
        self.advance(plan);
    }

    /// Moves the front, and the test with it. The test looks at pairs in the order of their numbers, so that it does
    /// not depend on which games happen to end first.
    fn advance<P: Position>(&mut self, plan: &Plan<P>) {
        while self.decided.is_none() && self.front < plan.pairs() {
            match self.points(self.front) {
                _ if self.dropped.contains(&self.front) => {}
                Some(points) => self.front_pairs[points] += 1,
                None => return,
            }
            self.front += 1;
            let test = plan.sprt.map(|params| params.test(&self.front_pairs));
            self.decided = test.filter(|t| t.decision != Decision::Open);
        }
    }

    /// A game.
    pub fn game(&self, pair: u64, game: usize) -> Option<&GameRecord> {
        self.games.get(&(2 * pair + game as u64))
    }

    /// Both games of a pair.
    pub fn pair(&self, pair: u64) -> Option<[&GameRecord; 2]> {
        Some([self.game(pair, 0)?, self.game(pair, 1)?])
    }

    /// Half points of the first player in a complete pair, 0 to 4.
    pub fn points(&self, pair: u64) -> Option<usize> {
        let [a, b] = self.pair(pair)?;
        Some(half_points(a, Color::Black) + half_points(b, Color::White))
    }

    /// Whether the pair will never count.
    pub fn is_dropped(&self, pair: u64) -> bool {
        self.dropped.contains(&pair)
    }

    /// Number of dropped pairs.
    pub fn dropped(&self) -> u64 {
        self.dropped.len() as u64
    }

    /// All faults, in the order in which they happened.
    pub fn faults(&self) -> &[FaultRecord] {
        &self.faults
    }

    /// The test, once it has decided.
    pub fn decided(&self) -> Option<Sprt> {
        self.decided
    }

    /// The test as it stands.
    pub fn test<P: Position>(&self, plan: &Plan<P>) -> Option<Sprt> {
        let params = plan.sprt?;
        Some(
            self.decided
                .unwrap_or_else(|| params.test(&self.front_pairs)),
        )
    }

    /// The pairs that count, in order: complete, not dropped, and not beyond the end of the test.
    pub fn counted<P: Position>(&self, plan: &Plan<P>) -> Vec<Pairing> {
        let end = match self.decided {
            Some(_) => self.front,
            None => plan.pairs(),
        };
        (0..end)
            .filter(|n| !self.dropped.contains(n) && self.pair(*n).is_some())
            .map(|n| plan.pairing(n))
            .collect()
    }

    /// Games played, those of incomplete pairs too.
    pub fn games_played(&self) -> u64 {
        self.games.len() as u64
    }

    /// All games with their numbers (`2 * pair + game`).
    pub fn games(&self) -> impl Iterator<Item = (u64, &GameRecord)> {
        self.games.iter().map(|(n, g)| (*n, g))
    }

    /// Whether nothing is left to be played.
    pub fn is_complete<P: Position>(&self, plan: &Plan<P>) -> bool {
        self.decided.is_some()
            || (0..plan.pairs()).all(|n| self.dropped.contains(&n) || self.pair(n).is_some())
    }

    /// Results of the encounter from its first player's side, over complete pairs.
    pub fn tally<P: Position>(&self, plan: &Plan<P>, encounter: usize) -> (Tally, Pentanomial) {
        let (mut tally, mut pairs) = (Tally::default(), Pentanomial::default());
        for pairing in self.counted(plan) {
            if pairing.encounter == encounter {
                let [a, b] = self
                    .pair(pairing.number)
                    .expect("counted pairs are complete");
                let points = [half_points(a, Color::Black), half_points(b, Color::White)];
                points.iter().for_each(|&p| tally.add(p));
                pairs[points[0] + points[1]] += 1;
            }
        }
        (tally, pairs)
    }
}

/// Twice the points of the side in a game.
pub(crate) fn half_points(game: &GameRecord, side: Color) -> usize {
    match game.winner {
        None => 1,
        Some(winner) if winner == side => 2,
        Some(_) => 0,
    }
}
