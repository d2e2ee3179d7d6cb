//! CECP (XBoard protocol) version 2.
//!
//! `setboard` takes our own position string, or one in the letters of `setup`. XBoard cannot take burned pieces off its
//! board; see docs/engine.md.

use super::cecp_moves::{cecp_move, parse_cecp_move};
use super::network::VISITS as DEFAULT_VISITS;
use super::{Desk, Event, HASH_MIB, Inbox, LINES, Next, Settings, THREADS, VISITS, say, xboard};
use crate::Material;
use crate::search::{Clock, Limits, Thought};
use encoding::{Encoded, GameName};
use mcts::WdlPov;
use rules::{Color, Rules};
use std::time::Duration;

/// Largest number of seconds, centiseconds or plies that a line means.
const MOST: f64 = 1e9;

struct Cecp<P: Material> {
    settings: Settings,
    rules: P::Rules,
    position: P,
    desk: Desk<P>,
    /// The side the engine plays; `None` in force mode.
    plays: Option<Color>,
    analyzing: bool,
    post: bool,
    depth: Option<u32>,
    /// Exact time a move, `st`.
    move_time: Option<Duration>,
    clock: Clock,
    /// First leg of a move of two, as it came.
    first_leg: String,
}

/// Speaks CECP for the game `P`.
pub(super) fn run<P: Encoded + Material>(settings: Settings, inbox: &mut Inbox) -> Next {
    let rules = settings
        .rules
        .as_deref()
        .and_then(|r| P::Rules::parse(r).ok())
        .unwrap_or_default();
    let mut cecp = Cecp {
        position: P::start(&rules),
        settings,
        rules,
        desk: Desk::new(),
        plays: None,
        analyzing: false,
        post: false,
        depth: None,
        move_time: None,
        clock: Clock {
            left: Duration::from_secs(300),
            ..Clock::default()
        },
        first_leg: String::new(),
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
                    if let Next::Game(settings) = &next {
                        // The session of the other game answers the line.
                        inbox.again(format!("variant {}", settings.game));
                    }
                    return next;
                }
            }
        }
    }
}

impl<P: Encoded + Material> Cecp<P> {
    fn line(&mut self, line: &str) -> Option<Next> {
        let (verb, rest) = line
            .split_once(char::is_whitespace)
            .map_or((line, ""), |(v, r)| (v, r.trim()));
        let number = rest
            .split_whitespace()
            .next()
            .and_then(|w| w.parse::<f64>().ok())
            .map(|n| n.clamp(0.0, MOST));
        match verb {
            "" | "xboard" | "accepted" | "rejected" | "random" | "hard" | "easy" | "computer"
            | "name" | "rating" | "ics" | "otim" | "hint" | "bk" | "draw" | "." | "put"
            | "hover" | "white" | "black" => {}
            "lift" => {
                if let Some(colors) = xboard::highlight(&self.position, rest) {
                    say(&colors);
                }
            }
            "protover" => self.features(),
            "ping" => say(&format!("pong {rest}")),
            "post" => self.post = true,
            "nopost" => self.post = false,
            "quit" => return Some(Next::Quit),
            "?" => {
                if self.desk.is_busy() && !self.analyzing {
                    self.desk.stop();
                    self.played();
                }
            }
            "time" | "st" | "sd" | "memory" | "cores" => self.set_number(line, verb, number),
            "level" => match level(rest) {
                Some(clock) => (self.clock, self.move_time) = (clock, None),
                None => say(&format!("Error (expected moves, time, increment): {line}")),
            },
            // All others change the game: the search of the old position ends.
            _ => {
                self.abandon();
                return self.game_line(line, verb, rest);
            }
        }
        None
    }

    fn set_number(&mut self, line: &str, verb: &str, number: Option<f64>) {
        match (verb, number) {
            ("time", Some(n)) => self.clock.left = Duration::from_millis(10 * n as u64),
            ("st", Some(n)) => self.move_time = Some(Duration::from_secs_f64(n)),
            ("sd", Some(n)) => self.depth = Some(n.clamp(1.0, 1000.0) as u32),
            ("memory", Some(n)) => {
                self.settings.hash_mib = (n as usize).clamp(*HASH_MIB.start(), *HASH_MIB.end());
                self.desk.renew();
            }
            ("cores", Some(n)) => {
                self.settings.threads = (n as usize).clamp(*THREADS.start(), *THREADS.end());
                self.desk.renew();
            }
            _ => say(&format!("Error (expected a number): {line}")),
        }
    }

    fn game_line(&mut self, line: &str, verb: &str, rest: &str) -> Option<Next> {
        match verb {
            "new" => {
                self.position = P::start(&self.rules);
                self.plays = Some(Color::White);
                (self.depth, self.analyzing) = (None, false);
                self.first_leg.clear();
                self.desk.clear();
                self.prepare();
            }
            "option" => self.set_option(line, rest),
            "variant" => match rest {
                _ if rest == P::GAME => {
                    self.position = P::start(&self.rules);
                    self.tell_setup();
                }
                _ => match rest.parse() {
                    Ok(game) => {
                        return Some(Next::Game(Settings {
                            game,
                            rules: None,
                            ..self.settings.clone()
                        }));
                    }
                    Err(e) => say(&format!("Error ({e}): {line}")),
                },
            },
            "force" | "result" => {
                self.plays = None;
                self.analyzing = false;
            }
            "exit" => self.analyzing = false,
            "go" => {
                self.plays = Some(self.position.turn());
                self.think();
            }
            "playother" => self.plays = Some(self.position.turn().opponent()),
            "analyze" => {
                self.analyzing = true;
                self.plays = None;
                self.think();
            }
            "setboard" => match P::from_sfen(
                &self.rules,
                &xboard::from_letters(P::xboard().as_ref(), rest),
            ) {
                Ok(position) => {
                    self.position = position;
                    self.resume_analysis();
                }
                Err(e) => say(&format!("tellusererror Illegal position: {e}")),
            },
            "undo" | "remove" => {
                let plies = if verb == "undo" { 1 } else { 2 };
                if self.position.plies() < plies {
                    say(&format!("Error (there is no move to take back): {line}"));
                } else {
                    (0..plies).for_each(|_| self.position.undo());
                    self.resume_analysis();
                }
            }
            "usermove" => self.user_move(rest),
            _ => say(&format!(
                "Error (unknown command): {}",
                line.chars().take(80).collect::<String>()
            )),
        }
        None
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
        say("feature done=1");
    }

    /// `option NAME=VALUE`.
    fn set_option(&mut self, line: &str, text: &str) {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let number = value.trim().parse::<u32>().ok();
        match (name.trim().to_ascii_lowercase().as_str(), number) {
            ("network", _) => {
                let value = Some(value.trim()).filter(|v| !v.is_empty());
                self.settings.network = value.map(Into::into);
            }
            ("visits", Some(0)) => self.settings.visits = None,
            ("visits", Some(n)) if VISITS.contains(&n) => self.settings.visits = Some(n),
            ("visits", _) => {
                return say(&format!(
                    "Error (expected a number up to {}; 0 is as many as time allows, {DEFAULT_VISITS} without time): {line}",
                    VISITS.end()
                ));
            }
            ("multipv", Some(n)) if LINES.contains(&(n as usize)) => {
                self.settings.lines = n as usize;
            }
            ("multipv", _) => {
                return say(&format!(
                    "Error (expected a number from {} to {}): {line}",
                    LINES.start(),
                    LINES.end()
                ));
            }
            // Options of other engines are no mistake of the user.
            _ => return,
        }
        self.desk.renew();
        self.prepare();
    }

    /// Makes the thinker, and tells the user if that fails. Returns whether it is there.
    fn prepare(&mut self) -> bool {
        match self.desk.prepare(&self.settings, &self.position) {
            Ok(()) => true,
            Err(e) => {
                say(&format!("tellusererror {e}"));
                false
            }
        }
    }

    /// Tells XBoard of a game that it does not know.
    fn tell_setup(&self) {
        if let Some(setup) = P::xboard() {
            say(&xboard::command(&setup, &self.position.sfen()));
        }
    }

    fn user_move(&mut self, text: &str) {
        let text = format!("{}{text}", std::mem::take(&mut self.first_leg));
        if text.ends_with(',') && text.len() < 16 {
            self.first_leg = text;
            return;
        }
        let Some(mv) = parse_cecp_move(&self.position, &text) else {
            say(&format!(
                "Illegal move: {}",
                text.chars().take(40).collect::<String>()
            ));
            self.resume_analysis();
            return;
        };
        self.position.play(mv);
        if self.tell_result() {
            return;
        }
        if self.analyzing || self.plays == Some(self.position.turn()) {
            self.think();
        }
    }

    fn resume_analysis(&mut self) {
        if self.analyzing {
            self.think();
        }
    }

    fn think(&mut self) {
        if !self.prepare() {
            return;
        }
        let mut limits = match self.move_time {
            _ if self.analyzing => Limits::default(),
            Some(time) => Limits::move_time(time),
            None => Limits::clock(self.clock),
        };
        limits.depth = self.depth.filter(|_| !self.analyzing);
        limits.lines = self.settings.lines;
        let post = self.post || self.analyzing;
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
            Some(Err(e)) => say(&format!("tellusererror {e}")),
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

/// `level MOVES TIME INCREMENT` with the time in minutes or minutes:seconds, the increment in seconds.
fn level(text: &str) -> Option<Clock> {
    let [moves, time, increment] = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .try_into()
        .ok()?;
    let number = |t: &str| t.parse::<f64>().ok().filter(|n| (0.0..=MOST).contains(n));
    let seconds = match time.split_once(':') {
        Some((minutes, seconds)) => 60.0 * number(minutes)? + number(seconds)?,
        None => 60.0 * number(time)?,
    };
    let moves = number(moves)? as u32;
    Some(Clock {
        left: Duration::from_secs_f64(seconds),
        increment: Duration::from_secs_f64(number(increment)?),
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
