//! A match between two players over colour-swapped opening pairs.

use crate::conduct::{PlayedGame, Unfinished, play_game};
use crate::openings::random_opening;
use crate::stats::{self, Estimate, Pentanomial, Tally};
use engine::{Fault, Player};
use rules::{Color, Position};
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How a match is played.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchParams {
    /// Number of games; rounded up to whole pairs. Default 40.
    pub games: usize,
    /// Random plies at the start of each pair, 0..=60. Default 4.
    pub opening_plies: usize,
    /// A game of this many plies is a draw. Default 600.
    pub max_plies: usize,
    /// Games at a time; 0 means one a core. Default 0.
    pub concurrency: usize,
    /// Seed of openings and players. Default 1.
    pub seed: u64,
}

impl Default for MatchParams {
    fn default() -> Self {
        MatchParams {
            games: 40,
            opening_plies: 4,
            max_plies: 600,
            concurrency: 0,
            seed: 1,
        }
    }
}

impl MatchParams {
    /// Checks ranges; `section` names the config section in the message.
    ///
    /// # Errors
    /// Names the first bad value.
    pub fn check(&self, section: &str) -> Result<(), String> {
        if self.games == 0 {
            return Err(format!("{section}.games = 0, must be at least 1"));
        }
        if self.opening_plies > 60 {
            return Err(format!(
                "{section}.opening_plies = {}, must be at most 60",
                self.opening_plies
            ));
        }
        if self.max_plies <= self.opening_plies {
            return Err(format!(
                "{section}.max_plies = {}, must be above opening_plies = {}",
                self.max_plies, self.opening_plies
            ));
        }
        Ok(())
    }
}

/// A game of a match, told from the first player's side.
#[derive(Clone, Debug)]
pub struct MatchGame<P: Position> {
    /// Number of the pair.
    pub pair: u64,
    /// The colour of the first player.
    pub first_color: Color,
    /// The game.
    pub game: PlayedGame<P>,
}

/// A fault of a player, in words, with the number of the pair it spoiled.
#[derive(Clone, Debug, serde::Serialize)]
pub struct FaultReport {
    /// Number of the pair, which does not count.
    pub pair: u64,
    /// Which player: 0 or 1.
    pub player: usize,
    /// What happened.
    pub fault: String,
}

/// The result of a match.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MatchReport {
    /// The players' names.
    pub players: [String; 2],
    /// From the first player's view.
    pub tally: Tally,
    /// From the first player's view.
    pub pairs: Pentanomial,
    /// First player's mean score with its 95 % interval, `None` with no whole pair.
    pub score: Option<[f64; 3]>,
    /// First player's Elo advantage.
    pub elo: Option<Estimate>,
    /// Black's results, whoever had the colour.
    pub black: Tally,
    /// Games whose moves differ.
    pub distinct_games: usize,
    /// Mean number of plies.
    pub mean_plies: f64,
    /// Games by end reason.
    pub end_reasons: BTreeMap<&'static str, u64>,
    /// Pairs that do not count because a player failed.
    pub faults: Vec<FaultReport>,
    /// Whether all scheduled pairs were played.
    pub complete: bool,
}

/// Makes the player of a thread: index 0 or 1.
pub type PlayerFactory<'a, P> = dyn Fn(usize) -> Result<Box<dyn Player<P>>, Fault> + Sync + 'a;

/// Told of each finished pair: its games, the number of pairs scheduled, and the running tally.
pub type OnPair<'a, P> = dyn Fn(&[MatchGame<P>], usize, Tally) + Sync + 'a;

/// Plays the match. Pairs are independent of order and thread: the same parameters give the same games, if the
/// players are deterministic. `on_pair` is told of each finished pair and the running tally.
///
/// # Errors
/// [`Fault`] if a player cannot be made at all.
pub fn play_match<P: Position>(
    start: &P,
    factory: &PlayerFactory<'_, P>,
    params: &MatchParams,
    stop: &AtomicBool,
    on_pair: &OnPair<'_, P>,
) -> Result<(MatchReport, Vec<MatchGame<P>>), Fault> {
    let pairs = params.games.div_ceil(2);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if params.concurrency == 0 {
        cores
    } else {
        params.concurrency
    }
    .min(pairs);
    let names = [
        factory(0)?.name().to_string(),
        factory(1)?.name().to_string(),
    ];
    let next = AtomicUsize::new(0);
    let done: Mutex<(Vec<MatchGame<P>>, Vec<FaultReport>)> = Mutex::default();
    let failed: Mutex<Option<Fault>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut first, mut second) = match (factory(0), factory(1)) {
                    (Ok(a), Ok(b)) => (a, b),
                    (Err(fault), _) | (_, Err(fault)) => {
                        *failed.lock().expect("no panic while held") = Some(fault);
                        return;
                    }
                };
                loop {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= pairs {
                        break;
                    }
                    match play_pair(
                        start,
                        first.as_mut(),
                        second.as_mut(),
                        params,
                        pair as u64,
                        stop,
                    ) {
                        Ok(games) => {
                            let mut done = done.lock().expect("no panic while held");
                            done.0.extend(games.clone());
                            on_pair(&games, pairs, tally(&done.0));
                        }
                        Err((_, Unfinished::Stopped)) => break,
                        Err((player, Unfinished::Fault(_, fault))) => {
                            let report = FaultReport {
                                pair: pair as u64,
                                player,
                                fault: fault.to_string(),
                            };
                            done.lock().expect("no panic while held").1.push(report);
                        }
                    }
                }
            });
        }
    });
    if let Some(fault) = failed.into_inner().expect("no panic while held") {
        return Err(fault);
    }
    let (mut games, mut faults) = done.into_inner().expect("no panic while held");
    games.sort_by_key(|g| (g.pair, g.first_color));
    faults.sort_by_key(|f| f.pair);
    Ok((report(names, &games, faults, pairs), games))
}

/// Both games of a pair, or the index of the player that failed.
fn play_pair<P: Position>(
    start: &P,
    first: &mut dyn Player<P>,
    second: &mut dyn Player<P>,
    params: &MatchParams,
    pair: u64,
    stop: &AtomicBool,
) -> Result<[MatchGame<P>; 2], (usize, Unfinished)> {
    let opening = random_opening(start, params.opening_plies, params.seed, pair);
    let seed = |game: u64| {
        params
            .seed
            .wrapping_mul(0x2545_F491_4F6C_DD1D)
            .wrapping_add(2 * pair + game)
    };
    let blame = |first_color: Color, unfinished: Unfinished| {
        let player = match &unfinished {
            Unfinished::Fault(color, _) if *color == first_color => 0,
            _ => 1,
        };
        (player, unfinished)
    };
    let game = play_game(
        start,
        &opening,
        [first, second],
        seed(0),
        params.max_plies,
        stop,
    )
    .map_err(|u| blame(Color::Black, u))?;
    let as_black = MatchGame {
        pair,
        first_color: Color::Black,
        game,
    };
    let game = play_game(
        start,
        &opening,
        [second, first],
        seed(1),
        params.max_plies,
        stop,
    )
    .map_err(|u| blame(Color::White, u))?;
    Ok([
        as_black,
        MatchGame {
            pair,
            first_color: Color::White,
            game,
        },
    ])
}

/// Twice the first player's points in a game.
fn half_points<P: Position>(game: &MatchGame<P>) -> usize {
    match game.game.outcome.winner {
        None => 1,
        Some(winner) if winner == game.first_color => 2,
        Some(_) => 0,
    }
}

fn tally<P: Position>(games: &[MatchGame<P>]) -> Tally {
    let mut tally = Tally::default();
    for game in games {
        match half_points(game) {
            2 => tally.wins += 1,
            1 => tally.draws += 1,
            _ => tally.losses += 1,
        }
    }
    tally
}

fn report<P: Position>(
    players: [String; 2],
    games: &[MatchGame<P>],
    faults: Vec<FaultReport>,
    scheduled_pairs: usize,
) -> MatchReport {
    let mut pairs = Pentanomial::default();
    for pair in games.chunks_exact(2) {
        pairs[half_points(&pair[0]) + half_points(&pair[1])] += 1;
    }
    let mut black = Tally::default();
    let mut end_reasons = BTreeMap::new();
    for game in games {
        match game.game.outcome.winner {
            Some(Color::Black) => black.wins += 1,
            None => black.draws += 1,
            Some(Color::White) => black.losses += 1,
        }
        *end_reasons
            .entry(game.game.outcome.reason.name())
            .or_insert(0) += 1;
    }
    let plies: usize = games.iter().map(|g| g.game.moves.len()).sum();
    MatchReport {
        players,
        tally: tally(games),
        pairs,
        score: stats::score_interval(&pairs).map(|(mean, low, high)| [mean, low, high]),
        elo: stats::elo(&pairs),
        black,
        distinct_games: games
            .iter()
            .map(|g| &g.game.moves)
            .collect::<HashSet<_>>()
            .len(),
        mean_plies: plies as f64 / games.len().max(1) as f64,
        end_reasons,
        complete: games.len() / 2 + faults.len() == scheduled_pairs,
        faults,
    }
}
