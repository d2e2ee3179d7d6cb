//! What the compared positions contained: a differential test proves nothing about what never came up.

use std::collections::BTreeMap;
use std::fmt;

use crate::oracle::Game;
use crate::oracle::moves::{Move, all_moves};

/// Counts by name.
#[derive(Clone, Default, Debug)]
pub struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    pub fn add(&mut self, name: &'static str, count: usize) {
        *self.0.entry(name).or_default() += count as u64;
    }

    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    pub fn merge(mut self, other: Tally) -> Tally {
        for (name, count) in other.0 {
            *self.0.entry(name).or_default() += count;
        }
        self
    }

    /// Counts a compared position.
    pub fn see(&mut self, game: &Game, legal: &[Move], in_check: bool, reached_by: Option<Move>) {
        self.add("positions", 1);
        self.add(
            if reached_by.is_some() {
                "positions by play"
            } else {
                "positions set up"
            },
            1,
        );
        self.add("legal moves", legal.len());
        self.add(
            "two-step captures",
            legal
                .iter()
                .filter(|mv| mv.via.is_some() && mv.from != mv.to)
                .count(),
        );
        self.add(
            "igui and shots",
            legal
                .iter()
                .filter(|mv| mv.via.is_some() && mv.from == mv.to)
                .count(),
        );
        self.add(
            "passes",
            legal
                .iter()
                .filter(|mv| mv.via.is_none() && mv.from == mv.to)
                .count(),
        );
        self.add("promotions", legal.iter().filter(|mv| mv.promote).count());
        if legal.is_empty() {
            let reason = game.status().reason.unwrap_or("no reason");
            self.add(reason, 1);
        } else {
            self.add("positions in check", usize::from(in_check));
            let all = all_moves(&game.board, game.white_to_move, &game.options).len();
            self.add("moves forbidden by repetition", all - legal.len());
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(name, count)| writeln!(f, "{count:>12} {name}"))
    }
}
