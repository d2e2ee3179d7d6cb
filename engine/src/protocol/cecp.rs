//! CECP (XBoard protocol) version 2.
//!
//! `setboard` takes our own position string, or one in the letters of `setup`. XBoard cannot take burned pieces off its
//! board; see docs/engine.md.

use super::cecp_moves::{cecp_move, parse_cecp_move};
use super::{
    Desk, Event, HASH_MIB, Inbox, LINES, Next, Settings, THREADS, VISITS, rules_of, say, xboard,
};
use crate::search::{Clock, Limits, Thought};
use crate::{Material, whole_number};
use encoding::{Encoded, GameName};
use mcts::WdlPov;
use rules::{Color, Rules};
use std::time::Duration;

/// Highest number of seconds, minutes, centiseconds or moves in a line.
const MOST: u32 = 1_000_000_000;

/// What a session keeps when the game changes: how to think, and whether to tell of it.
pub(super) struct Terms {
    post: bool,
    depth: Option<u32>,
    /// Exact time a move, `st`.
    move_time: Option<Duration>,
    clock: Clock,
}

impl Default for Terms {
    fn default() -> Self {
        Terms {
            post: false,
            depth: None,
            move_time: None,
            clock: Clock {
                left: Duration::from_secs(300),
                ..Clock::default()
            },
        }
    }
}

struct Cecp<'a, P: Material> {
    settings: Settings,
    terms: &'a mut Terms,
    rules: P::Rules,
    position: P,
    desk: Desk<P>,
    /// The side the engine plays; `None` in force mode.
    plays: Option<Color>,
    analyzing: bool,
    /// First leg of a move of two, as it came.
    first_leg: String,
    /// What came with each `ping` that is not answered yet.
    pings: Vec<String>,
}

/// Speaks CECP for the game `P`.
pub(super) fn run<P: Encoded + Material>(
    settings: Settings,
    terms: &mut Terms,
    inbox: &mut Inbox,
) -> Next {
    let rules = settings
        .rules
        .as_deref()
        .and_then(|r| P::Rules::parse(r).ok())
        .unwrap_or_default();
    let mut cecp = Cecp {
        position: P::start(&rules),
        settings,
        terms,
        rules,
        desk: Desk::new(),
        plays: None,
        analyzing: false,
        first_leg: String::new(),
        pings: Vec::new(),
    };
    loop {
        match cecp.desk.wait(inbox) {
            Event::Done => cecp.played(),
            Event::Closed => {
                cecp.abandon();
                return Next::Quit;
            }
            Event::Line(line) => {
                if let Some(next) = cecp.line(&line) {
                    cecp.abandon();
                    cecp.answer_pings();
                    if let Next::Game(settings) = &next {
                        // The session of the other game answers the line, and goes on with the game that `new` began, or
                        // with the analysis.
                        if cecp.analyzing {
                            inbox.again("analyze".into());
                        }
                        inbox.again(format!("variant {}", settings.game));
                        if cecp.plays.is_some() {
                            inbox.again("new".into());
                        }
                    }
                    return next;
                }
            }
        }
        cecp.answer_pings();
    }
}

impl<P: Encoded + Material> Cecp<'_, P> {
    fn line(&mut self, line: &str) -> Option<Next> {
        let (verb, rest) = line
            .split_once(char::is_whitespace)
            .map_or((line, ""), |(v, r)| (v, r.trim()));
        self.obey(verb, rest).unwrap_or_else(|e| {
            let line: String = line.chars().take(80).collect();
            say(&format!("Error ({e}): {line}"));
            None
        })
    }

    /// Does what a line says. The search goes on at whatever is refused or does not change the game; settings are those
    /// of the next one.
    fn obey(&mut self, verb: &str, rest: &str) -> Result<Option<Next>, String> {
        match verb {
            "" | "xboard" | "accepted" | "rejected" | "random" | "hard" | "easy" | "computer"
            | "name" | "rating" | "ics" | "otim" | "hint" | "bk" | "draw" | "." | "put"
            | "hover" | "white" | "black" => {}
            "exit" if !self.analyzing => {}
            "go" if self.is_thinking() => {}
            "lift" => {
                if let Some(colors) = xboard::highlight(&self.position, rest) {
                    say(&colors);
                }
            }
            "protover" => self.features(),
            "ping" => self.pings.push(rest.to_string()),
            "post" => self.terms.post = true,
            "nopost" => self.terms.post = false,
            "quit" => return Ok(Some(Next::Quit)),
            "?" => {
                if self.is_thinking() {
                    self.desk.stop();
                    self.played();
                }
            }
            "time" => {
                // A clock that has run out may be told as less than nothing.
                let most = i64::from(MOST);
                let centiseconds = whole_number(rest, -most..=most)?.max(0) as u64;
                self.terms.clock.left = Duration::from_millis(10 * centiseconds);
            }
            "st" => {
                let seconds = decimal(rest);
                let expected = || format!("expected a number of seconds from 0 to {MOST}");
                self.terms.move_time = Some(Duration::from_secs_f64(seconds.ok_or_else(expected)?));
            }
            "sd" => self.terms.depth = Some(whole_number(rest, 1..=1000)?),
            "level" => {
                let clock = level(rest).ok_or("expected moves, time, increment")?;
                (self.terms.clock, self.terms.move_time) = (clock, None);
            }
            "memory" => {
                self.settings.hash_mib = whole_number(rest, HASH_MIB)?;
                self.desk.renew();
            }
            "cores" => {
                self.settings.threads = whole_number(rest, THREADS)?;
                self.desk.renew();
            }
            "option" => self.set_option(rest)?,
            "variant" => {
                let game: GameName = rest.parse().map_err(|e| format!("{e}"))?;
                if game.name() != P::GAME {
                    return Ok(Some(Next::Game(self.settings.of_game(game))));
                }
                self.prepare();
                let start = P::start(&self.rules);
                self.tell_setup(&start);
                self.set_position(start);
            }
            "setboard" => match P::from_sfen(
                &self.rules,
                &xboard::from_letters(P::xboard().as_ref(), rest),
            ) {
                Ok(position) => self.set_position(position),
                Err(e) => say(&format!("tellusererror Illegal position: {e}")),
            },
            "undo" => self.take_back(1)?,
            "remove" => self.take_back(2)?,
            "usermove" => self.user_move(rest),
            "new" | "force" | "result" | "exit" | "go" | "playother" | "analyze" => {
                self.abandon();
                self.take_side(verb);
            }
            // As programs of version 1 send moves.
            _ if rest.is_empty() && parse_cecp_move(&self.position, verb).is_some() => {
                self.user_move(verb);
            }
            _ => return Err("unknown command".into()),
        }
        Ok(None)
    }

    /// Whether a move will come of the search that is running.
    fn is_thinking(&self) -> bool {
        self.desk.is_busy() && !self.analyzing
    }

    /// Answers each `ping`, but not before the move that the engine is thinking about.
    fn answer_pings(&mut self) {
        if !self.is_thinking() {
            for rest in self.pings.drain(..) {
                say(&format!("pong {rest}"));
            }
        }
    }

    /// The lines that say which side the engine plays. Analysis goes on after `new`, with the game's start.
    fn take_side(&mut self, verb: &str) {
        let turn = self.position.turn();
        self.analyzing = verb == "analyze" || (verb == "new" && self.analyzing);
        self.first_leg.clear();
        self.plays = match verb {
            "new" if !self.analyzing => Some(Color::White),
            "go" => Some(turn),
            "playother" => Some(turn.opponent()),
            "exit" => self.plays,
            _ => None,
        };
        match verb {
            "new" => {
                self.position = P::start(&self.rules);
                self.terms.depth = None;
                self.desk.clear();
                self.prepare();
                self.resume_analysis();
            }
            "go" | "analyze" => self.think(),
            _ => {}
        }
    }

    /// Puts a position on the board. Whoever is thinking thinks about that one.
    fn set_position(&mut self, position: P) {
        let thinking = self.is_thinking();
        self.abandon();
        self.position = position;
        self.first_leg.clear();
        if thinking && self.plays == Some(self.position.turn()) {
            self.think();
        }
        self.resume_analysis();
    }

    fn take_back(&mut self, plies: usize) -> Result<(), String> {
        if self.position.plies() < plies {
            return Err("there is no move to take back".into());
        }
        let mut position = self.position.clone();
        (0..plies).for_each(|_| position.undo());
        self.set_position(position);
        Ok(())
    }

    fn features(&self) {
        say("feature done=0");
        say(&format!(
            "feature myname=\"Tenjiku Zero engine {}\"",
            env!("CARGO_PKG_VERSION")
        ));
        say(
            "feature ping=1 setboard=1 playother=1 usermove=1 time=1 memory=1 smp=1 analyze=1 highlight=1 colors=0 sigint=0 sigterm=0",
        );
        let games = GameName::ALL.map(GameName::name).join(",");
        say(&format!(
            "feature reuse=1 draw=0 debug=1 san=0 variants=\"{games}\""
        ));
        let file = self.settings.network.as_ref();
        say(&format!(
            "feature option=\"Network -file {}\"",
            file.map_or(String::new(), |f| f.display().to_string())
        ));
        say(&format!(
            "feature option=\"Visits -spin {} 0 {}\"",
            self.settings.visits.unwrap_or(0),
            VISITS.end()
        ));
        say(&format!(
            "feature option=\"MultiPV -spin {} {} {}\"",
            self.settings.lines,
            LINES.start(),
            LINES.end()
        ));
        say(&format!(
            "feature option=\"Rules -string {}\"",
            self.rules.name()
        ));
        say("feature done=1");
    }

    /// `option NAME=VALUE`.
    fn set_option(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "network" => {
                let desk = &mut self.desk;
                if let Err(e) = desk.set_network(&mut self.settings, value, &self.position) {
                    say(&format!("tellusererror {e}"));
                    return Ok(());
                }
            }
            "visits" => {
                self.settings.set_visits(value)?;
                self.desk.renew();
            }
            "multipv" => self.settings.lines = whole_number(value, LINES)?,
            "rules" => {
                let rules = rules_of::<P>(value)?;
                if rules == self.rules {
                    return Ok(());
                }
                self.settings.rules = Some(rules.name());
                self.desk.renew();
                let start = P::start(&rules);
                self.rules = rules;
                self.set_position(start);
                return Ok(());
            }
            _ => return Err("there is no such option".into()),
        }
        self.resume_analysis();
        Ok(())
    }

    /// Makes the thinker, and tells the user what is wrong with its network.
    fn prepare(&mut self) {
        if let Some(e) = self.desk.prepare(&self.settings, &self.position) {
            say(&format!("tellusererror {e}"));
        }
    }

    /// Tells XBoard of a game that it does not know.
    fn tell_setup(&self, start: &P) {
        if let Some(setup) = P::xboard() {
            say(&xboard::command(&setup, &start.sfen()));
        }
    }

    fn user_move(&mut self, text: &str) {
        let text = format!("{}{text}", std::mem::take(&mut self.first_leg));
        let refuse = |why: &str| {
            let text: String = text.chars().take(40).collect();
            say(&format!("Illegal move{why}: {text}"));
        };
        if self.is_thinking() {
            return refuse(" (it is the engine's turn)");
        }
        if text.ends_with(',') && text.len() < 16 {
            self.first_leg = text;
            return;
        }
        let Some(mv) = parse_cecp_move(&self.position, &text) else {
            return refuse("");
        };
        self.abandon();
        self.position.play(mv);
        if self.tell_result() {
            return;
        }
        if self.analyzing || self.plays == Some(self.position.turn()) {
            self.think();
        }
    }

    /// Analyses anew after a change.
    fn resume_analysis(&mut self) {
        if self.analyzing {
            self.abandon();
            self.think();
        }
    }

    fn think(&mut self) {
        self.prepare();
        let mut limits = match self.terms.move_time {
            _ if self.analyzing => Limits::default(),
            Some(time) => Limits::move_time(time),
            None => Limits::clock(self.terms.clock),
        };
        limits.depth = self.terms.depth.filter(|_| !self.analyzing);
        if limits.depth.is_some() && !self.desk.takes_depth() {
            say("# sd is ignored: time and visits bound a network");
        }
        limits.lines = self.settings.lines;
        let post = self.terms.post || self.analyzing;
        self.desk.start(
            self.position.clone(),
            limits,
            self.analyzing,
            move |thought, wdl| {
                if post {
                    say(&thinking::<P>(thought, wdl));
                }
            },
        );
    }

    /// The search has ended by itself or by `?`: plays its move.
    fn played(&mut self) {
        match self.desk.finish() {
            None => {}
            Some(Ok(Some(thought))) if !self.analyzing => {
                let text = cecp_move::<P>(thought.best);
                match text.split_once(',') {
                    Some((first, second)) => {
                        say(&format!("move {first},"));
                        say(&format!("move {second}"));
                    }
                    None => say(&format!("move {text}")),
                }
                self.position.play(thought.best);
                self.tell_result();
            }
            Some(Ok(_)) => {
                self.tell_result();
            }
            Some(Err(e)) => {
                say(&format!("tellusererror {e}"));
                if !self.analyzing {
                    say("resign");
                }
            }
        }
    }

    /// Ends the search without a move.
    fn abandon(&mut self) {
        self.desk.stop();
        self.desk.finish();
    }

    /// Claims the result if the game is over.
    fn tell_result(&mut self) -> bool {
        let Some(outcome) = self.position.outcome() else {
            return false;
        };
        // White in XBoard is the first mover, our Black.
        let score = match outcome.winner {
            Some(Color::Black) => "1-0",
            Some(Color::White) => "0-1",
            None => "1/2-1/2",
        };
        say(&format!("{score} {{{}}}", outcome.reason.name()));
        true
    }
}

/// A number from 0 to [`MOST`].
fn decimal(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    (0.0..=f64::from(MOST)).contains(&number).then_some(number)
}

/// `level MOVES TIME INCREMENT` with the time in minutes or minutes:seconds, the increment in seconds.
fn level(text: &str) -> Option<Clock> {
    let [moves, time, increment] = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .try_into()
        .ok()?;
    let seconds = match time.split_once(':') {
        Some((minutes, seconds)) => 60.0 * decimal(minutes)? + decimal(seconds)?,
        None => 60.0 * decimal(time)?,
    };
    let moves = whole_number(moves, 0..=MOST).ok()?;
    Some(Clock {
        left: Duration::from_secs_f64(seconds),
        increment: Duration::from_secs_f64(decimal(increment)?),
        moves_to_go: (moves > 0).then_some(moves),
        ..Clock::default()
    })
}

/// The thinking line: depth, centipawns, centiseconds, nodes, moves. A known win in n moves is 100000 + n. A network's
/// odds follow the moves as a comment.
fn thinking<P: Material>(thought: &Thought<P::Move>, wdl: Option<WdlPov>) -> String {
    let score = match thought.mate_in() {
        Some(plies) if plies > 0 => 100_000 + (plies + 1) / 2,
        Some(plies) => -100_000 + plies / 2,
        None => thought.score.clamp(-99_999, 99_999),
    };
    let pv: String = thought
        .pv
        .iter()
        .map(|&mv| format!(" {}", cecp_move::<P>(mv)))
        .collect();
    let odds = wdl.map_or(String::new(), |wdl| {
        let [win, draw, loss] = wdl.to_array().map(|p| 100.0 * p);
        format!(" {{win {win:.1}% draw {draw:.1}% loss {loss:.1}%}}")
    });
    format!(
        "{} {score} {} {}{pv}{odds}",
        thought.depth,
        thought.elapsed.as_millis() / 10,
        thought.nodes
    )
}
