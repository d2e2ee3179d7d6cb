//! USI, for shogi and under the same verbs for tenjiku with our position and move strings.

use super::network::VISITS as DEFAULT_VISITS;
use super::{Desk, Event, HASH_MIB, Inbox, LINES, Next, Settings, THREADS, VISITS, say};
use crate::search::{Clock, Limits, Thought};
use crate::{Material, SearchKind};
use encoding::{Encoded, GameName};
use mcts::WdlPov;
use rules::{Color, Rules};
use std::time::Duration;

/// Most that a number of milliseconds, nodes or plies in a line means; larger ones count as this.
const MOST: u64 = 1 << 40;

struct Usi<P: Material> {
    settings: Settings,
    rules: P::Rules,
    position: P,
    desk: Desk<P>,
}

/// Speaks USI for the game `P`.
pub(super) fn run<P: Encoded + Material>(settings: Settings, inbox: &mut Inbox) -> Next {
    let rules = match settings.rules.as_deref().map(P::Rules::parse) {
        Some(Ok(rules)) => rules,
        Some(Err(e)) => {
            say(&format!("info string {e}; the default rules are in force"));
            P::Rules::default()
        }
        None => P::Rules::default(),
    };
    let position = P::start(&rules);
    let mut usi = Usi {
        settings,
        rules,
        position,
        desk: Desk::new(),
    };
    loop {
        match usi.desk.wait(inbox) {
            Event::Done => usi.best_move(),
            Event::Closed => {
                usi.desk.stop();
                usi.best_move();
                return Next::Quit;
            }
            Event::Line(line) => {
                if let Some(next) = usi.line(&line) {
                    return next;
                }
            }
        }
    }
}

impl<P: Encoded + Material> Usi<P> {
    fn line(&mut self, line: &str) -> Option<Next> {
        let mut words = line.split_whitespace();
        let verb = words.next()?;
        // Nothing but these is heard while thinking: anything else ends the search first.
        if self.desk.is_busy() && !matches!(verb, "stop" | "isready" | "ponderhit" | "usi") {
            self.desk.stop();
            self.best_move();
        }
        match verb {
            "usi" => self.introduce(),
            "isready" => {
                if let Err(e) = self.desk.prepare(&self.settings, &self.position) {
                    say(&format!("info string {e}"));
                }
                say("readyok");
            }
            "setoption" => return self.set_option(line),
            "usinewgame" => self.desk.clear(),
            "position" => {
                if let Err(e) = self.set_position(line) {
                    say(&format!("info string {e}; the position is unchanged"));
                }
            }
            "go" => self.go(&words.collect::<Vec<_>>()),
            // Pondering is not offered; who does it all the same gets the move at once.
            "stop" | "ponderhit" => {
                self.desk.stop();
                self.best_move();
            }
            "gameover" => {}
            "quit" => {
                return Some(Next::Quit);
            }
            _ => say(&format!("info string unknown command `{}`", shorten(verb))),
        }
        None
    }

    fn introduce(&self) {
        say(&format!(
            "id name Tenjiku Zero engine {}",
            env!("CARGO_PKG_VERSION")
        ));
        say("id author the Tenjiku Zero authors");
        for (name, value, range) in [
            ("USI_Hash", self.settings.hash_mib, HASH_MIB),
            ("Threads", self.settings.threads, THREADS),
            ("MultiPV", self.settings.lines, LINES),
        ] {
            let (low, high) = (range.start(), range.end());
            say(&format!(
                "option name {name} type spin default {value} min {low} max {high}"
            ));
        }
        let games: String = GameName::ALL.map(|g| format!(" var {g}")).concat();
        say(&format!(
            "option name USI_Variant type combo default {}{games}",
            P::GAME
        ));
        say(&format!(
            "option name Rules type string default {}",
            self.rules.name()
        ));
        let network = self
            .settings
            .network
            .as_ref()
            .map_or("<empty>".into(), |f| f.display().to_string());
        say(&format!(
            "option name Network type filename default {network}"
        ));
        say(&format!(
            "option name Visits type spin default {} min 0 max {}",
            self.settings.visits.unwrap_or(0),
            VISITS.end()
        ));
        say(&format!(
            "option name Search type combo default {} var gumbel var puct",
            match self.settings.search {
                SearchKind::Gumbel { .. } => "gumbel",
                SearchKind::Puct => "puct",
            }
        ));
        say("usiok");
    }

    fn set_option(&mut self, line: &str) -> Option<Next> {
        let rest = line
            .trim_start_matches("setoption")
            .trim()
            .trim_start_matches("name")
            .trim();
        let (name, value) = rest
            .split_once(" value ")
            .map_or((rest, ""), |(n, v)| (n.trim(), v.trim()));
        let result = match name.to_ascii_lowercase().as_str() {
            "usi_hash" | "hash" => number(value, HASH_MIB).map(|n| self.settings.hash_mib = n),
            "threads" => number(value, THREADS).map(|n| self.settings.threads = n),
            "multipv" => number(value, LINES).map(|n| self.settings.lines = n),
            "visits" => match value.parse() {
                Ok(0) => {
                    self.settings.visits = None;
                    Ok(())
                }
                Ok(visits) if VISITS.contains(&visits) => {
                    self.settings.visits = Some(visits);
                    Ok(())
                }
                _ => Err(format!(
                    "must be a whole number from {} to {}, or 0: as many as time allows, {DEFAULT_VISITS} without time",
                    VISITS.start(),
                    VISITS.end()
                )),
            },
            "search" => match value {
                "gumbel" => {
                    self.settings.search = SearchKind::default();
                    Ok(())
                }
                "puct" => {
                    self.settings.search = SearchKind::Puct;
                    Ok(())
                }
                _ => Err("must be gumbel or puct".into()),
            },
            "network" => {
                self.settings.network = Some(value)
                    .filter(|v| !v.is_empty() && *v != "<empty>")
                    .map(Into::into);
                Ok(())
            }
            "rules" => match P::Rules::parse(value) {
                Ok(rules) => {
                    self.position = P::start(&rules);
                    self.settings.rules = Some(rules.name());
                    self.rules = rules;
                    Ok(())
                }
                Err(e) => Err(e.to_string()),
            },
            "usi_variant" | "uci_variant" => match value {
                _ if value == P::GAME => Ok(()),
                _ => match value.parse() {
                    Ok(game) => {
                        return Some(Next::Game(Settings {
                            game,
                            rules: None,
                            ..self.settings.clone()
                        }));
                    }
                    Err(e) => Err(format!("{e}")),
                },
            },
            "usi_ponder" => Ok(()),
            _ => Err("there is no such option".into()),
        };
        match result {
            Ok(()) => self.desk.renew(),
            Err(e) => say(&format!("info string option {}: {e}", shorten(name))),
        }
        None
    }

    fn set_position(&mut self, line: &str) -> Result<(), String> {
        let rest = line.trim_start_matches("position").trim();
        let (place, moves) = match rest.split_once("moves") {
            Some((place, moves)) => (place.trim(), moves),
            None => (rest, ""),
        };
        let mut position = match place.strip_prefix("sfen ") {
            Some(sfen) => P::from_sfen(&self.rules, sfen.trim()).map_err(|e| e.to_string())?,
            None if place == "startpos" => P::start(&self.rules),
            None => return Err("expected `position startpos` or `position sfen ...`".into()),
        };
        for (i, text) in moves.split_whitespace().enumerate() {
            let mv = position
                .parse_move(text)
                .map_err(|e| format!("move {}: {e}", i + 1))?;
            position.play(mv);
        }
        self.position = position;
        Ok(())
    }

    fn go(&mut self, words: &[&str]) {
        if words.first() == Some(&"mate") {
            say("checkmate notimplemented");
            return;
        }
        let (mut limits, mut clock, mut infinite) = (Limits::default(), Clock::default(), false);
        limits.lines = self.settings.lines;
        let mut timed = false;
        let black = self.position.turn() == Color::Black;
        let mut i = 0;
        while i < words.len() {
            let number = words
                .get(i + 1)
                .and_then(|w| w.parse::<f64>().ok())
                .map(|n| n.clamp(0.0, MOST as f64) as u64);
            let mine = |b: &str| {
                words[i]
                    == if black {
                        format!("b{b}")
                    } else {
                        format!("w{b}")
                    }
            };
            match (words[i], number) {
                ("infinite" | "ponder", _) => infinite = true,
                ("depth", Some(n)) => limits.depth = Some(n.clamp(1, 1000) as u32),
                ("nodes", Some(n)) => limits.nodes = Some(n.max(1)),
                ("movetime", Some(n)) => {
                    limits.hard = Limits::move_time(Duration::from_millis(n)).hard
                }
                ("byoyomi", Some(n)) => (clock.byoyomi, timed) = (Duration::from_millis(n), true),
                ("movestogo", Some(n)) => clock.moves_to_go = Some(n.clamp(1, 1000) as u32),
                ("btime" | "wtime", Some(n)) if mine("time") => {
                    (clock.left, timed) = (Duration::from_millis(n), true);
                }
                ("binc" | "winc", Some(n)) if mine("inc") => {
                    clock.increment = Duration::from_millis(n)
                }
                ("btime" | "wtime" | "binc" | "winc", Some(_)) => {}
                (word, _) => {
                    say(&format!("info string go: `{}` is ignored", shorten(word)));
                    i += 1;
                    continue;
                }
            }
            i += if infinite && matches!(words[i], "infinite" | "ponder") {
                1
            } else {
                2
            };
        }
        if timed && !infinite {
            let planned = Limits::clock(clock);
            limits.soft = planned.soft;
            limits.hard = limits.hard.or(planned.hard);
        }
        if let Err(e) = self.desk.prepare(&self.settings, &self.position) {
            say(&format!("info string {e}"));
            say("bestmove resign");
            return;
        }
        let several = limits.lines > 1;
        self.desk.start(
            self.position.clone(),
            limits,
            infinite,
            move |thought, wdl| say(&info(thought, wdl, several)),
        );
    }

    /// Waits for the end of the search, if there is one, and tells its move.
    fn best_move(&mut self) {
        match self.desk.finish() {
            None => {}
            Some(Ok(Some(thought))) => say(&format!("bestmove {}", thought.best)),
            Some(Ok(None)) => say("bestmove resign"),
            Some(Err(e)) => {
                say(&format!("info string {e}"));
                say("bestmove resign");
            }
        }
    }
}

/// The info line of a finished iteration, or of one line of a network's analysis, with its rank where several are
/// wanted. `wdl` is as in UCI: (win, draw, loss) for the side to move, in thousandths.
fn info<M: std::fmt::Display>(thought: &Thought<M>, wdl: Option<WdlPov>, several: bool) -> String {
    let ms = thought.elapsed.as_millis();
    let score = match thought.mate_in() {
        Some(plies) => format!("mate {plies}"),
        None => format!("cp {}", thought.score),
    };
    let nps = thought.nodes as u128 * 1_000_000 / thought.elapsed.as_micros().max(1);
    let line = match several {
        true => format!(" multipv {}", thought.line),
        false => String::new(),
    };
    let pv: String = thought.pv.iter().map(|mv| format!(" {mv}")).collect();
    let wdl = wdl.map_or(String::new(), |wdl| {
        let [win, draw, loss] = wdl.to_array().map(|p| (1000.0 * p).round());
        format!(" wdl {win} {draw} {loss}")
    });
    format!(
        "info depth {} seldepth {}{line} score {score}{wdl} nodes {} nps {nps} hashfull {} time {ms} pv{pv}",
        thought.depth, thought.deepest, thought.nodes, thought.hash_full
    )
}

/// The whole number that an option's value is.
fn number(value: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, String> {
    let (low, high) = (range.start(), range.end());
    value
        .parse()
        .ok()
        .filter(|n| range.contains(n))
        .ok_or_else(|| format!("must be a whole number from {low} to {high}"))
}

/// At most the first characters, for error texts.
fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}
