//! When a search ends: depth, nodes, time, or a word from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What bounds one search. Without any bound it runs until the stop flag is set.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Iterations of deepening.
    pub depth: Option<u32>,
    /// Nodes of the first thread.
    pub nodes: Option<u64>,
    /// How many best lines are wanted; 0 and 1 ask for one.
    pub lines: usize,
    /// No new iteration begins after this time.
    pub soft: Option<Duration>,
    /// The search breaks off after this time.
    pub hard: Option<Duration>,
    /// Set from another thread to end the search.
    pub stop: Arc<AtomicBool>,
}

/// Clock times of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left for the rest of the game, or for the moves to go.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Time a move once `left` is used up.
    pub byoyomi: Duration,
    /// Moves until more time is added; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// Kept back from every time limit for the way of the move to whoever waits for it.
const OVERHEAD: Duration = Duration::from_millis(8);
/// Moves of one side that the rest of a game is planned for; tenjiku games are long.
const EXPECTED_MOVES: u32 = 60;

impl Limits {
    /// So many iterations.
    pub fn depth(depth: u32) -> Self {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// So many nodes.
    pub fn nodes(nodes: u64) -> Self {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// So much time, used up but for what the answer needs.
    pub fn move_time(time: Duration) -> Self {
        let hard = time.saturating_sub(OVERHEAD).max(Duration::from_millis(1));
        Limits {
            hard: Some(hard),
            ..Limits::default()
        }
    }

    /// A share of the clock.
    pub fn clock(clock: Clock) -> Self {
        let moves = clock
            .moves_to_go
            .unwrap_or(EXPECTED_MOVES)
            .clamp(1, EXPECTED_MOVES);
        let share = clock.left / moves + clock.increment.mul_f64(0.8) + clock.byoyomi.mul_f64(0.8);
        let most = (clock.left / if moves == 1 { 1 } else { 4 } + clock.byoyomi)
            .max(Duration::from_millis(1));
        let all = (clock.left + clock.byoyomi)
            .saturating_sub(OVERHEAD)
            .max(Duration::from_millis(1));
        let hard = (share * 3).min(most).min(all);
        Limits {
            soft: Some((share / 2).min(hard)),
            hard: Some(hard),
            ..Limits::default()
        }
    }

    /// Whether the search has to end now.
    pub(super) fn reached(&self, nodes: u64, start: Instant) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.nodes.is_some_and(|n| nodes >= n)
            || self.hard.is_some_and(|t| start.elapsed() >= t)
    }

    /// Nodes that may be searched before [`reached`](Self::reached) is asked again.
    pub(super) fn patience(&self, nodes: u64) -> u64 {
        // On boards full of demons and generals a thousand nodes take 25 ms; and in a large table that is still empty,
        // each look may wait for the system to give a page of two mebibytes.
        const USUAL: u64 = 16;
        self.nodes
            .map_or(USUAL, |n| n.saturating_sub(nodes).clamp(1, USUAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn no_plan_uses_more_than_there_is() {
        for left in [0, 1, 5, 50, 1000, 600_000] {
            for byoyomi in [0, 1, 100, 10_000] {
                for moves_to_go in [None, Some(1), Some(40)] {
                    let clock = Clock {
                        left: ms(left),
                        byoyomi: ms(byoyomi),
                        moves_to_go,
                        ..Clock::default()
                    };
                    let limits = Limits::clock(clock);
                    let (soft, hard) = (limits.soft.unwrap(), limits.hard.unwrap());
                    assert!(
                        soft <= hard && hard <= (ms(left + byoyomi)).max(ms(1)),
                        "{clock:?}: {limits:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_move_time_keeps_a_little_back() {
        assert_eq!(Limits::move_time(ms(100)).hard, Some(ms(92)));
        assert_eq!(Limits::move_time(ms(3)).hard, Some(ms(1)));
    }
}
