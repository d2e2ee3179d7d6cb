//! The engine behind a protocol: reads lines, thinks in a thread of its own, answers.
//!
//! Bad lines are answered with an error text and change nothing. The dialects are in `usi` and `cecp`. A network that
//! cannot be used is told, and alpha-beta plays.

mod cecp;
mod cecp_moves;
mod network;
mod think;
mod usi;
mod xboard;

pub use cecp_moves::{cecp_move, parse_cecp_move};
pub(crate) use cecp_moves::{move_on_board, parse_on_board};
pub(crate) use xboard::board_of_mover;

use crate::search::{Limits, Thought};
use crate::{Material, SearchKind, whole_number};
use encoding::{Encoded, GameName, with_game};
use mcts::WdlPov;
use rules::{Position, Rules};
use std::collections::VecDeque;
use std::io::{BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use think::Think;

/// The longest line that is read; the rest of a longer one is dropped.
const LONGEST_LINE: u64 = 1 << 20;

/// What can be set from outside.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The game.
    pub game: GameName,
    /// Rules preset with changes; `None` is the game's default.
    pub rules: Option<String>,
    /// Transposition table, MiB.
    pub hash_mib: usize,
    /// Exported network that plays in place of alpha-beta.
    pub network: Option<PathBuf>,
    /// Playouts a move of the network; `None` leaves it to the time, and is 800 where no time is given.
    pub visits: Option<u32>,
    /// Tree search of the network at a fixed number of playouts.
    pub search: SearchKind,
    /// Lines that an analysis shows (MultiPV), at least 1.
    pub lines: usize,
    /// Threads of the alpha-beta search, or of one network call.
    pub threads: usize,
}

/// Limits of the settings.
pub const HASH_MIB: std::ops::RangeInclusive<usize> = 1..=65_536;
/// Range of [`Settings::visits`].
pub const VISITS: std::ops::RangeInclusive<u32> = 1..=1_000_000;
/// Range of [`Settings::lines`].
pub const LINES: std::ops::RangeInclusive<usize> = 1..=500;
/// Range of [`Settings::threads`].
pub const THREADS: std::ops::RangeInclusive<usize> = 1..=crate::search::MAX_THREADS;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            game: GameName::default(),
            rules: None,
            hash_mib: 64,
            network: None,
            visits: None,
            search: SearchKind::default(),
            lines: 1,
            threads: 1,
        }
    }
}

impl Settings {
    /// Sets [`visits`](Settings::visits) to what a text says; 0 leaves it to the time.
    fn set_visits(&mut self, text: &str) -> Result<(), String> {
        let visits = whole_number(text, 0..=*VISITS.end()).map_err(|e| {
            let visits = network::VISITS;
            format!("{e}; 0 is as many as time allows, {visits} without time")
        })?;
        self.visits = Some(visits).filter(|&visits| visits > 0);
        Ok(())
    }

    /// Those for another game, with its default rules.
    fn of_game(&self, game: GameName) -> Settings {
        Settings {
            game,
            rules: None,
            ..self.clone()
        }
    }
}

/// How a session ended.
pub(crate) enum Next {
    /// The other side is done.
    Quit,
    /// The settings name another game; the line asked for it in this protocol.
    Game(Settings),
}

/// The rules that an option's value names; nothing names the game's default.
///
/// # Errors
/// What is wrong with the value.
fn rules_of<P: Position>(value: &str) -> Result<P::Rules, String> {
    match value {
        "" | "<empty>" => Ok(P::Rules::default()),
        text => P::Rules::parse(text).map_err(|e| e.to_string()),
    }
}

/// Which protocol is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dialect {
    Usi,
    Cecp,
}

/// Says a line; a closed pipe shows at the next read.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Speaks USI or CECP, by the first line, on standard input and output until `quit` or the end of input.
pub fn serve(settings: Settings) {
    let (send, receive) = channel();
    std::thread::spawn(move || read_lines(&send));
    let mut inbox = Inbox {
        receive,
        waiting: VecDeque::new(),
    };
    let dialect = loop {
        let Some(line) = inbox.line() else { return };
        let first = line.split_whitespace().next().unwrap_or("").to_string();
        let dialect = match first.as_str() {
            "" => continue,
            "quit" => return,
            "xboard" | "protover" | "new" | "ping" => Dialect::Cecp,
            _ => Dialect::Usi,
        };
        inbox.waiting.push_front(line);
        break dialect;
    };
    let mut settings = settings;
    let mut terms = cecp::Terms::default();
    loop {
        let next = with_game!(settings.game, P => match dialect {
            Dialect::Usi => usi::run::<P>(settings, &mut inbox),
            Dialect::Cecp => cecp::run::<P>(settings, &mut terms, &mut inbox),
        });
        match next {
            Next::Quit => return,
            Next::Game(new) => settings = new,
        }
    }
}

fn read_lines(send: &Sender<String>) {
    let mut input = std::io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        while bytes.len() as u64 >= LONGEST_LINE && bytes.last() != Some(&b'\n') {
            let mut rest = Vec::new();
            match input
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut rest)
            {
                Ok(n) if n > 0 && rest.last() != Some(&b'\n') => continue,
                _ => break,
            }
        }
        let line = String::from_utf8_lossy(&bytes).trim().to_string();
        if send.send(line).is_err() {
            return;
        }
    }
}

/// Lines in the order in which they came.
pub(crate) struct Inbox {
    receive: Receiver<String>,
    waiting: VecDeque<String>,
}

impl Inbox {
    /// The next line; `None` at the end of input.
    pub fn line(&mut self) -> Option<String> {
        self.waiting
            .pop_front()
            .or_else(|| self.receive.recv().ok())
    }

    /// Puts a line before all that wait.
    pub fn again(&mut self, line: String) {
        self.waiting.push_front(line);
    }

    /// The next line, if there is one before `done` says true. The middle value says that `done` came first.
    fn line_or(&mut self, mut done: impl FnMut() -> bool) -> Event {
        use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
        if let Some(line) = self.waiting.pop_front() {
            return Event::Line(line);
        }
        loop {
            if done() {
                return Event::Done;
            }
            match self
                .receive
                .recv_timeout(std::time::Duration::from_millis(1))
            {
                Ok(line) => return Event::Line(line),
                Err(Timeout) => {}
                Err(Disconnected) => return Event::Closed,
            }
        }
    }
}

/// What woke a session up.
pub(crate) enum Event {
    /// A line came.
    Line(String),
    /// The search has ended.
    Done,
    /// The input has ended.
    Closed,
}

type Answer<P> = (
    Box<dyn Think<P>>,
    Result<Option<Thought<<P as Position>::Move>>, String>,
);

/// The thinker, and the thread it is in while it thinks.
pub(crate) struct Desk<P: Material> {
    idle: Option<Box<dyn Think<P>>>,
    busy: Option<std::thread::JoinHandle<Answer<P>>>,
    /// The settings have changed since the search began: its thinker is not used again.
    stale: bool,
    stop: Arc<AtomicBool>,
}

impl<P: Encoded + Material> Desk<P> {
    pub fn new() -> Self {
        Desk {
            idle: None,
            busy: None,
            stale: false,
            stop: Arc::default(),
        }
    }

    /// Makes the thinker that the settings name. If the network cannot be used it is alpha-beta, and what comes back says
    /// so.
    #[must_use]
    pub fn prepare(&mut self, settings: &Settings, start: &P) -> Option<String> {
        if self.idle.is_some() || self.busy.is_some() {
            return None;
        }
        let (thinker, reason) = think::open(settings, start);
        self.idle = Some(thinker);
        reason.map(|e| format!("{e}; alpha-beta plays"))
    }

    /// Drops the thinker, if it thinks then after that: the settings have changed.
    pub fn renew(&mut self) {
        self.idle = None;
        self.stale = self.busy.is_some();
    }

    /// Sets the network, none by `<empty>` or nothing. It is loaded at once.
    ///
    /// # Errors
    /// It cannot be used, and nothing is changed; or it is for another game, and waits until that is played.
    pub fn set_network(
        &mut self,
        settings: &mut Settings,
        value: &str,
        start: &P,
    ) -> Result<(), String> {
        let network = Some(value).filter(|value| !value.is_empty() && *value != "<empty>");
        let wanted = Settings {
            network: network.map(PathBuf::from),
            ..settings.clone()
        };
        let (thinker, reason) = think::open(&wanted, start);
        let waits = network::is_for_another_game::<P>;
        if let Some(e) = &reason
            && !wanted.network.as_deref().is_some_and(waits)
        {
            let old = settings.network.as_ref();
            let old = old.map_or("alpha-beta".into(), |file| file.display().to_string());
            return Err(format!("{e}; {old} plays on"));
        }
        self.renew();
        self.idle = Some(thinker);
        *settings = wanted;
        reason.map_or(Ok(()), |e| Err(format!("{e}; alpha-beta plays until then")))
    }

    /// Whether the thinker is bounded by a depth.
    pub fn takes_depth(&self) -> bool {
        self.idle
            .as_ref()
            .is_none_or(|thinker| thinker.takes_depth())
    }

    pub fn clear(&mut self) {
        if let Some(thinker) = &mut self.idle {
            thinker.clear();
        }
    }

    pub fn is_busy(&self) -> bool {
        self.busy.is_some()
    }

    /// Thinks in the background. With `wait` it holds its answer back until [`stop`](Self::stop).
    pub fn start(
        &mut self,
        position: P,
        limits: Limits,
        wait: bool,
        report: impl Fn(&Thought<P::Move>, Option<WdlPov>) + Send + 'static,
    ) {
        let Some(mut thinker) = self.idle.take() else {
            return;
        };
        self.stop = Arc::default();
        let stop = Arc::clone(&self.stop);
        let limits = Limits {
            stop: Arc::clone(&stop),
            ..limits
        };
        self.busy = Some(std::thread::spawn(move || {
            let answer = thinker.think(&position, &limits, wait, &mut |thought, wdl| {
                report(thought, wdl)
            });
            while wait && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            (thinker, answer)
        }));
    }

    /// Asks the search to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the end of the search.
    pub fn finish(&mut self) -> Option<Result<Option<Thought<P::Move>>, String>> {
        let answer = self.busy.take()?.join();
        let stale = std::mem::take(&mut self.stale);
        let (thinker, answer) = match answer {
            Ok(answer) => answer,
            Err(_) => {
                return Some(Err(
                    "the search failed; this is a bug, please report the game".into(),
                ));
            }
        };
        if !stale {
            self.idle = Some(thinker);
        }
        Some(answer)
    }

    /// The next thing that happens.
    pub fn wait(&self, inbox: &mut Inbox) -> Event {
        match &self.busy {
            Some(thread) => inbox.line_or(|| thread.is_finished()),
            None => inbox.line().map_or(Event::Closed, Event::Line),
        }
    }
}
