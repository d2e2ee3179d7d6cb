//! Plays what is missing of an event, on several threads.

use super::{EventError, Ledger, Plan, Store};
use crate::conduct::{Conditions, Late, Unfinished, play_game};
use crate::fault::{Cause, FaultRecord, Handling};
use crate::schedule::Pairing;
use engine::{Fault, Player};
use rules::import::GameText;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Makes a player of the event by its index. Every thread makes its own.
pub type PlayerFactory<'a, P> = dyn Fn(usize) -> Result<Box<dyn Player<P>>, Fault> + Sync + 'a;

/// Players that a thread keeps; the one used longest ago goes first.
const KEPT: usize = 8;

/// Plays the pairs of `plan` that `store` lacks, and stops early when the test decides. `watch` hears of every finished
/// game and every fault.
///
/// Games depend on nothing but the plan: the same plan gives the same games whatever the threads, kills and resumes, if
/// the players are deterministic. `stop` ends it after the moves being thought about; games in flight are lost, all
/// others are kept.
///
/// # Errors
/// [`EventError`] if a player cannot be made, fails too often in a row, or a file cannot be written. What was played is
/// kept.
pub fn run<P: GameText>(
    plan: &Plan<P>,
    factory: &PlayerFactory<'_, P>,
    store: &mut Store<P>,
    stop: &AtomicBool,
    watch: &(dyn Fn(&Ledger) + Sync),
) -> Result<(), EventError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match plan.play.concurrency {
        0 => cores,
        n => n,
    };
    let shared = Shared {
        plan,
        factory,
        stop,
        watch,
        next: AtomicU64::new(0),
        over: AtomicBool::new(store.ledger().is_complete(plan)),
        state: Mutex::new(State {
            store,
            failures_in_a_row: vec![0; plan.players.len()],
            error: None,
        }),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(plan.pairs() as usize) {
            scope.spawn(|| shared.work());
        }
    });
    let state = shared
        .state
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let flushed = state.store.flush();
    match state.error {
        Some(error) => Err(error),
        None => flushed,
    }
}

struct State<'a, P: GameText> {
    store: &'a mut Store<P>,
    failures_in_a_row: Vec<u32>,
    error: Option<EventError>,
}

struct Shared<'a, P: GameText> {
    plan: &'a Plan<P>,
    factory: &'a PlayerFactory<'a, P>,
    stop: &'a AtomicBool,
    watch: &'a (dyn Fn(&Ledger) + Sync),
    next: AtomicU64,
    /// Set when the test has decided or an error ends the event.
    over: AtomicBool,
    state: Mutex<State<'a, P>>,
}

/// Whether a pair is to be left at once.
struct Leave;

impl<'a, P: GameText> Shared<'a, P> {
    fn state(&self) -> MutexGuard<'_, State<'a, P>> {
        self.state.lock().expect("no panic while held")
    }

    fn ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.over.load(Ordering::Relaxed)
    }

    /// One thread: takes pairs in order until none is left.
    fn work(&self) {
        let mut bench: Vec<(usize, Box<dyn Player<P>>)> = Vec::new();
        while !self.ended() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.plan.pairs() {
                return;
            }
            let wanted = {
                let state = self.state();
                let ledger = state.store.ledger();
                !ledger.is_dropped(number) && ledger.pair(number).is_none()
            };
            if !wanted {
                continue;
            }
            let pairing = self.plan.pairing(number);
            let players = [pairing.first, pairing.second].map(|i| self.take(&mut bench, i));
            let [mut first, mut second] = match players {
                [Ok(first), Ok(second)] => [first, second],
                [Err(error), _] | [_, Err(error)] => return self.fail(error),
            };
            let result = self.play_pair(&pairing, first.as_mut(), second.as_mut());
            bench.push((pairing.first, first));
            bench.push((pairing.second, second));
            bench.drain(..bench.len().saturating_sub(KEPT));
            if let Err(Leave) = result {
                return;
            }
        }
    }

    fn take(
        &self,
        bench: &mut Vec<(usize, Box<dyn Player<P>>)>,
        index: usize,
    ) -> Result<Box<dyn Player<P>>, EventError> {
        if let Some(place) = bench.iter().position(|(i, _)| *i == index) {
            return Ok(bench.remove(place).1);
        }
        (self.factory)(index).map_err(|fault| EventError::Player {
            player: self.plan.players[index].name.clone(),
            reason: fault.to_string(),
        })
    }

    fn fail(&self, error: EventError) {
        self.over.store(true, Ordering::Relaxed);
        self.state().error.get_or_insert(error);
    }

    /// Plays the games of a pair that are missing.
    fn play_pair(
        &self,
        pairing: &Pairing,
        first: &mut dyn Player<P>,
        second: &mut dyn Player<P>,
    ) -> Result<(), Leave> {
        for game in [0, 1] {
            if self
                .state()
                .store
                .ledger()
                .game(pairing.number, game)
                .is_some()
            {
                continue;
            }
            let mut attempt = 0;
            while !self.play_once(pairing, game, attempt, first, second)? {
                attempt += 1;
                if attempt >= self.plan.play.attempts() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Plays a game; false if a player failed.
    fn play_once(
        &self,
        pairing: &Pairing,
        game: usize,
        attempt: u32,
        first: &mut dyn Player<P>,
        second: &mut dyn Player<P>,
    ) -> Result<bool, Leave> {
        let colours = pairing.colours(game);
        let conditions = Conditions {
            max_plies: self.plan.play.max_plies,
            move_times: colours.map(|i| self.plan.move_time(i)),
            margin: Duration::from_millis(self.plan.play.time_margin_ms),
            stop: &|| self.ended(),
        };
        let opening = &self.plan.openings[pairing.opening];
        let seed = self.plan.seed(pairing.number, game);
        let players: [&mut dyn Player<P>; 2] = match game {
            0 => [first, second],
            _ => [second, first],
        };
        match play_game(opening, players, seed, &conditions) {
            Ok(played) => {
                let mut state = self.state();
                let kept = state.store.keep_game(self.plan, pairing, game, &played);
                let kept = kept.and_then(|()| {
                    for (player, late) in colours.into_iter().zip(played.late) {
                        if late.moves > 0 {
                            let record = self.late(pairing, game, attempt, player, late);
                            state.store.keep_fault(self.plan, record, "")?;
                        }
                    }
                    Ok(())
                });
                colours.iter().for_each(|&i| state.failures_in_a_row[i] = 0);
                self.after(state, kept)?;
                Ok(true)
            }
            Err(Unfinished::Stopped) => Err(Leave),
            Err(Unfinished::Fault {
                color,
                cause,
                detail,
            }) => {
                let player = colours[color.index()];
                let record = FaultRecord {
                    handling: match attempt + 1 < self.plan.play.attempts() {
                        true => Handling::Replayed,
                        false => Handling::Dropped,
                    },
                    cause,
                    what: one_line(&detail),
                    ..self.late(pairing, game, attempt, player, Late::default())
                };
                let mut state = self.state();
                let what = record.what.clone();
                let kept = state.store.keep_fault(self.plan, record, &detail);
                state.failures_in_a_row[player] += 1;
                let times = state.failures_in_a_row[player];
                let kept = kept.and_then(|()| match times < self.plan.play.patience {
                    true => Ok(()),
                    false => Err(EventError::Abandoned {
                        player: self.plan.players[player].name.clone(),
                        times,
                        what,
                    }),
                });
                self.after(state, kept)?;
                Ok(false)
            }
        }
    }

    /// The record of late moves that count.
    fn late(
        &self,
        pairing: &Pairing,
        game: usize,
        attempt: u32,
        player: usize,
        late: Late,
    ) -> FaultRecord {
        FaultRecord {
            pair: pairing.number,
            game: game as u32,
            attempt,
            player,
            name: self.plan.players[player].name.clone(),
            cause: Cause::Time,
            handling: Handling::Accepted,
            late_moves: late.moves,
            what: format!("{} late moves, at most {:?} late", late.moves, late.worst),
            file: None,
        }
    }

    /// Tells of a change, and ends the event on an error or a decision.
    fn after(
        &self,
        state: MutexGuard<'_, State<'a, P>>,
        kept: Result<(), EventError>,
    ) -> Result<(), Leave> {
        (self.watch)(state.store.ledger());
        let decided = state.store.ledger().decided().is_some();
        drop(state);
        if let Err(error) = kept {
            self.fail(error);
            return Err(Leave);
        }
        if decided {
            self.over.store(true, Ordering::Relaxed);
            return Err(Leave);
        }
        Ok(())
    }
}

/// The first line of a text, at most 300 characters.
fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    line.chars().take(300).collect()
}
