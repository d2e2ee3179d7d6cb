//! Making opening sets: lines of random or policy moves, kept where the judge thinks both sides have chances.

use super::random::{Choose, line, random_opening};
use super::{Opening, opening_line};
use engine::{GameSoFar, Player};
use mcts::{Evaluations, LeafEvaluator};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::Position;
use std::collections::HashSet;

/// What openings to make.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OpeningParams {
    /// How many, at least 1.
    pub count: usize,
    /// Moves of each, 1..=60.
    pub plies: usize,
    /// How far from ½ the judge's expected score may be, in (0, 0.5].
    pub bound: f32,
    /// Seed of the moves.
    pub seed: u64,
}

impl OpeningParams {
    /// Checks ranges.
    ///
    /// # Errors
    /// Names the first bad value.
    pub fn check(&self) -> Result<(), String> {
        if self.count == 0 {
            return Err("count = 0, must be at least 1".into());
        }
        if !(1..=60).contains(&self.plies) {
            return Err(format!("plies = {}, must be from 1 to 60", self.plies));
        }
        if !(self.bound > 0.0 && self.bound <= 0.5) {
            return Err(format!(
                "bound = {}, must be above 0 and at most 0.5",
                self.bound
            ));
        }
        Ok(())
    }
}

/// An opening set, and how it came about.
#[derive(Clone, Debug)]
pub struct Made<P: Position> {
    /// The openings, all different, each with the judge's expected score for Black.
    pub openings: Vec<(Opening<P>, f32)>,
    /// Lines looked at.
    pub tried: usize,
}

/// Lines tried for one opening before giving up.
const TRIES: usize = 500;

/// Makes openings from `start`. `policy` chooses their moves (random moves without one), `judge` says what it expects;
/// `told` hears the number made so far. The same parameters, policy and judge give the same openings.
///
/// # Errors
/// If the judge or the policy fails or has no opinion, or too few lines are balanced.
pub fn make_openings<P: Position>(
    start: &P,
    params: &OpeningParams,
    mut policy: Option<&mut Choose<'_, P>>,
    judge: &mut dyn Player<P>,
    told: &mut dyn FnMut(usize),
) -> Result<Made<P>, String> {
    let mut made = Made {
        openings: Vec::new(),
        tried: 0,
    };
    let mut seen = HashSet::new();
    while made.openings.len() < params.count {
        if made.tried >= TRIES * params.count {
            return Err(format!(
                "only {} of {} openings found in {} lines; allow more plies or a wider bound than {}",
                made.openings.len(),
                params.count,
                made.tried,
                params.bound
            ));
        }
        let number = made.tried as u64;
        made.tried += 1;
        let moves = match &mut policy {
            None => random_opening(start, params.plies, params.seed, number),
            Some(choose) => line(start, params.plies, *choose)?.unwrap_or_default(),
        };
        if moves.len() < params.plies {
            continue;
        }
        let opening = Opening {
            start: start.clone(),
            moves,
        };
        if !seen.insert(opening_line(&opening)) {
            continue;
        }
        let score = expected_score(&opening, judge)?;
        if (score - 0.5).abs() <= params.bound {
            made.openings.push((opening, score));
            told(made.openings.len());
        }
    }
    Ok(made)
}

/// What the judge expects for Black after the opening, in [0, 1].
fn expected_score<P: Position>(
    opening: &Opening<P>,
    judge: &mut dyn Player<P>,
) -> Result<f32, String> {
    let position = opening.position();
    let game = GameSoFar {
        start: opening.start.sfen(),
        moves: opening.moves.clone(),
    };
    judge.new_game(0).map_err(|e| e.to_string())?;
    let choice = judge.choose(&position, &game).map_err(|e| e.to_string())?;
    let score = choice.expected_score.ok_or_else(|| {
        let name = judge.name();
        format!("player `{name}` has no opinion on positions; judge with engine:depth=2")
    })?;
    Ok(match position.turn() {
        rules::Color::Black => score,
        rules::Color::White => 1.0 - score,
    })
}

/// A chooser of moves by the policy of a network: probabilities proportional to `exp(logit / temperature)`.
pub fn policy_move<P: Position>(
    mut network: Box<dyn LeafEvaluator<P> + Send>,
    temperature: f32,
    seed: u64,
) -> impl FnMut(&P, &[P::Move]) -> Result<Option<P::Move>, String> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut answers = Evaluations::default();
    move |position, moves| {
        network.push(position, moves);
        network.flush(&mut answers).map_err(|e| e.to_string())?;
        let logits = answers.logits(0);
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> = logits
            .iter()
            .map(|x| f64::from((x - highest) / temperature).exp())
            .collect();
        let mut point = rng.random::<f64>() * weights.iter().sum::<f64>();
        let chosen = weights.iter().position(|w| {
            point -= w;
            point < 0.0
        });
        Ok(moves.get(chosen.unwrap_or(moves.len() - 1)).copied())
    }
}
