//! Who meets whom, with which opening. Pure arithmetic: a pair's number says all, so that a schedule needs no file and
//! can be resumed at any pair.

/// The form of a tournament.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The challengers, listed first, each meet all others, and not each other.
    Gauntlet,
    /// A gauntlet of a run's generations against a pool of anchors.
    Generations,
}

/// The pairs of players that meet, by index, in the order in which each round plays them.
pub fn encounters(format: Format, players: usize, challengers: usize) -> Vec<(usize, usize)> {
    match format {
        Format::RoundRobin => (0..players)
            .flat_map(|a| (a + 1..players).map(move |b| (a, b)))
            .collect(),
        Format::Gauntlet | Format::Generations => (0..challengers.min(players))
            .flat_map(|a| (challengers..players).map(move |b| (a, b)))
            .collect(),
    }
}

/// A colour-swapped pair: two games from one opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// Number of the pair in the event, from 0.
    pub number: u64,
    /// Index of the encounter.
    pub encounter: usize,
    /// The player who has Black in game 0.
    pub first: usize,
    /// The player who has Black in game 1.
    pub second: usize,
    /// Index of the opening: the round.
    pub opening: usize,
}

impl Pairing {
    /// Pair `number` of an event with these encounters. All encounters play opening 0, then all play opening 1, and so
    /// on: a stopped event has treated everybody alike, and more rounds can be added at the end.
    ///
    /// # Panics
    /// If there are no encounters.
    pub fn of(number: u64, encounters: &[(usize, usize)]) -> Pairing {
        let encounter = (number % encounters.len() as u64) as usize;
        let (first, second) = encounters[encounter];
        Pairing {
            number,
            encounter,
            first,
            second,
            opening: (number / encounters.len() as u64) as usize,
        }
    }

    /// The players of game 0 or 1: Black, White.
    pub fn colours(&self, game: usize) -> [usize; 2] {
        match game {
            0 => [self.first, self.second],
            _ => [self.second, self.first],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn formats_by_hand() {
        assert_eq!(
            encounters(Format::RoundRobin, 4, 0),
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        );
        assert_eq!(encounters(Format::Gauntlet, 4, 1), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(
            encounters(Format::Generations, 5, 2),
            [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]
        );
        assert!(encounters(Format::RoundRobin, 1, 0).is_empty());
    }

    #[test]
    fn each_encounter_has_each_opening_twice_with_colours_swapped() {
        let encounters = encounters(Format::RoundRobin, 5, 0);
        let mut black = HashMap::new();
        for number in 0..1000 {
            let pairing = Pairing::of(number, &encounters);
            for game in [0, 1] {
                let [b, w] = pairing.colours(game);
                *black.entry((pairing.opening, b, w)).or_insert(0) += 1;
            }
        }
        // 100 openings, 20 ordered pairs of players, each once.
        assert_eq!(black.len(), 2000);
        assert!(black.values().all(|&n| n == 1));
    }
}
