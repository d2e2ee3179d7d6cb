//! Games as films: the pictures of `rules::show`, cut into lines, so that a page needs to hold each piece on each square
//! only once.
//!
//! A picture is a list of lines, a line is a piece, a mark or the board's wood. Consecutive pictures share nearly all
//! lines in the same order, so a film is its first picture and, a ply, the lines taken out and put in.

use records::GameRecord;
use rules::Rules;
use rules::import::GameText;
use rules::show::{Show, SvgOptions, losses, svg};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Lines of pictures, each once, shared by all films of a page.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Lines {
    fn number(&mut self, line: &str) -> u32 {
        if let Some(&number) = self.numbers.get(line) {
            return number;
        }
        let number = self.lines.len() as u32;
        self.lines.push(line.to_string());
        self.numbers.insert(line.to_string(), number);
        number
    }

    /// The lines by number.
    pub(super) fn list(&self) -> &[String] {
        &self.lines
    }
}

/// A game to be looked at.
#[derive(Serialize)]
pub(super) struct Film {
    /// What it is called in the list of games.
    pub title: String,
    /// The moves as people write them.
    pub moves: Vec<String>,
    /// The first picture, by line numbers.
    first: Vec<u32>,
    /// One a ply.
    steps: Vec<Step>,
}

/// From a picture to the next: numbers of the lines to take out, then (place, number) of lines to put in, places
/// ascending.
type Step = (Vec<u32>, Vec<(u32, u32)>);

/// The film of a game; `None` if its record cannot be replayed.
pub(super) fn film<P: Show + GameText>(
    title: String,
    game: &GameRecord,
    lines: &mut Lines,
) -> Option<Film> {
    let rules = P::Rules::parse(&game.rules).ok()?;
    let mut position = P::from_sfen(&rules, &game.start_sfen).ok()?;
    let options = || SvgOptions {
        width: 720,
        ..SvgOptions::default()
    };
    let mut picture = |position: &P, options: &SvgOptions<P::Move>| -> Vec<u32> {
        svg(position, options)
            .lines()
            .map(|line| lines.number(line))
            .collect()
    };
    let first = picture(&position, &options());
    let mut before = first.clone();
    let (mut moves, mut steps) = (Vec::new(), Vec::new());
    for text in game.moves.split_ascii_whitespace() {
        let mv = position.parse_move(text).ok()?;
        let marks = losses(&position, mv);
        moves.push(position.write_move(mv));
        position.play(mv);
        let after = picture(
            &position,
            &SvgOptions {
                last_move: Some(mv),
                marks,
                ..options()
            },
        );
        steps.push(step(&before, &after));
        before = after;
    }
    Some(Film {
        title,
        moves,
        first,
        steps,
    })
}

/// What turns one picture into the next.
fn step(before: &[u32], after: &[u32]) -> Step {
    let new: HashSet<u32> = after.iter().copied().collect();
    let mut kept = before
        .iter()
        .copied()
        .filter(|n| new.contains(n))
        .peekable();
    let mut stay = HashSet::new();
    let mut put = Vec::new();
    for (place, &number) in after.iter().enumerate() {
        if kept.next_if_eq(&number).is_some() {
            stay.insert(number);
        } else {
            put.push((place as u32, number));
        }
    }
    // A line that stands in both, but in another order, is taken out and put in again.
    let out = before
        .iter()
        .copied()
        .filter(|n| !stay.contains(n))
        .collect();
    (out, put)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Position;
    use rules::tenjiku::{RuleSet, Tenjiku};

    fn apply(picture: &[u32], (out, put): &Step) -> Vec<u32> {
        let mut next: Vec<u32> = picture
            .iter()
            .copied()
            .filter(|n| !out.contains(n))
            .collect();
        for &(place, number) in put {
            next.insert(place as usize, number);
        }
        next
    }

    #[test]
    fn steps_lead_from_picture_to_picture() {
        for (a, b) in [
            (vec![1, 2, 3], vec![1, 4, 3]),
            (vec![1, 2, 3], vec![3, 1, 2]),
            (vec![], vec![5]),
            (vec![5, 6], vec![]),
            (vec![1, 2, 3, 4], vec![9, 2, 1, 8, 4, 7]),
        ] {
            assert_eq!(apply(&a, &step(&a, &b)), b, "{a:?} to {b:?}");
        }
    }

    #[test]
    fn a_film_ends_with_the_picture_of_the_last_position() {
        let start = Tenjiku::start(&RuleSet::default());
        let texts = ["7l7k", "5d3f", "8l8k"];
        let (mut last, mut mv, mut before) = (start.clone(), None, start.clone());
        for text in texts {
            before = last.clone();
            mv = Some(last.parse_move(text).unwrap());
            last.play(mv.unwrap());
        }
        let record = GameRecord {
            id: "x".into(),
            generation: 0,
            index: 0,
            rules: start.rules().name(),
            start_sfen: start.sfen(),
            moves: texts.join(" "),
            winner: None,
            reason: rules::EndReason::PlyCap,
            final_sfen: last.sfen(),
            seed: 0,
            black: "a".into(),
            white: "b".into(),
            network: None,
            play_on: false,
            resign_side: None,
            resign_ply: None,
            start_unix_ms: 0,
            duration_ms: 0,
        };
        let mut lines = Lines::default();
        let film = film::<Tenjiku>("t".into(), &record, &mut lines).unwrap();
        let shown = film
            .steps
            .iter()
            .fold(film.first.clone(), |p, s| apply(&p, s));
        let shown: Vec<&str> = shown
            .iter()
            .map(|&n| lines.list()[n as usize].as_str())
            .collect();
        let options = SvgOptions {
            width: 720,
            last_move: mv,
            marks: losses(&before, mv.unwrap()),
            ..SvgOptions::default()
        };
        assert_eq!(shown.join("\n"), svg(&last, &options).trim_end());
        assert_eq!(film.moves.len(), 3);
    }
}
