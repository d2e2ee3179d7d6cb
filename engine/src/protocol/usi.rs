//! USI, for shogi and under the same verbs for tenjiku with our position and move strings.

use super::{Desk, Event, HASH_MIB, Inbox, LINES, Next, Settings, THREADS, VISITS, rules_of, say};
use crate::search::{Clock, Limits, Thought};
use crate::{Material, SearchKind, whole_number};
use encoding::{Encoded, GameName};
use mcts::WdlPov;
use rules::{Color, Rules};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Highest number of milliseconds or nodes in a line.
const MOST: i64 = 1_000_000_000_000;

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
                    if let Next::Game(settings) = &next {
                        // The session of the other game hears it as well, and says whether the network is for that.
                        inbox.again(format!(
                            "setoption name USI_Variant value {}",
                            settings.game
                        ));
                    }
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
        // These end the search first; it has to be over before anything changes.
        let changes = matches!(
            verb,
            "setoption" | "usinewgame" | "position" | "go" | "gameover" | "quit"
        );
        if self.desk.is_busy() && changes {
            self.desk.stop();
            self.best_move();
        }
        match verb {
            "usi" => self.introduce(),
            "isready" => {
                self.prepare();
                say("readyok");
            }
            "setoption" => {
                let (name, value) = option(line);
                match self.set_option(name, value) {
                    Ok(next) => return next,
                    Err(e) => say(&format!("info string option {}: {e}", shorten(name))),
                }
            }
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

    /// Makes the thinker, and says what is wrong with its network.
    fn prepare(&mut self) {
        if let Some(e) = self.desk.prepare(&self.settings, &self.position) {
            say(&format!("info string {e}"));
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Option<Next>, String> {
        let settings = &mut self.settings;
        let value = value.ok_or("needs a value: `setoption name NAME value VALUE`");
        match name.to_ascii_lowercase().as_str() {
            "usi_hash" | "hash" => settings.hash_mib = whole_number(value?, HASH_MIB)?,
            "threads" => settings.threads = whole_number(value?, THREADS)?,
            "visits" => settings.set_visits(value?)?,
            "search" => {
                settings.search = match value? {
                    "gumbel" => SearchKind::default(),
                    "puct" => SearchKind::Puct,
                    _ => return Err("must be gumbel or puct".into()),
                }
            }
            "rules" => {
                let rules = rules_of::<P>(value?)?;
                if rules == self.rules {
                    return Ok(None);
                }
                self.set_rules(rules);
            }
            // These need no new thinker.
            "multipv" => {
                settings.lines = whole_number(value?, LINES)?;
                return Ok(None);
            }
            "network" => {
                self.desk.set_network(settings, value?, &self.position)?;
                return Ok(None);
            }
            "usi_variant" | "uci_variant" => {
                let game: GameName = value?.parse().map_err(|e| format!("{e}"))?;
                if game.name() != P::GAME {
                    return Ok(Some(Next::Game(settings.of_game(game))));
                }
                if settings.network.is_some() {
                    self.prepare();
                }
                return Ok(None);
            }
            "usi_ponder" => return Ok(None),
            _ => return Err("there is no such option".into()),
        }
        self.desk.renew();
        Ok(None)
    }

    fn set_rules(&mut self, rules: P::Rules) {
        self.position = P::start(&rules);
        self.settings.rules = Some(rules.name());
        self.rules = rules;
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
        let (mut limits, mut clock) = (Limits::default(), Clock::default());
        limits.lines = self.settings.lines;
        let (mut infinite, mut timed, mut bad) = (false, false, false);
        let (my_time, my_increment) = match self.position.turn() {
            Color::Black => ("btime", "binc"),
            Color::White => ("wtime", "winc"),
        };
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            if is_endless(word) {
                infinite = true;
                continue;
            }
            let Some(range) = range_of(word) else {
                say(&format!("info string go: `{}` is ignored", shorten(word)));
                continue;
            };
            let text = words.next_if(|w| !is_endless(w) && range_of(w).is_none());
            let text = text.unwrap_or("");
            let n = match whole_number(text, range) {
                Ok(n) => n.max(0) as u64,
                Err(e) => {
                    let given = format!("{word} {}", shorten(text));
                    say(&format!("info string go {}: {e}", given.trim_end()));
                    bad = true;
                    continue;
                }
            };
            let time = Duration::from_millis(n);
            match word {
                "depth" => limits.depth = Some(n as u32),
                "nodes" => limits.nodes = Some(n),
                "movetime" => limits.hard = Limits::move_time(time).hard,
                "movestogo" => clock.moves_to_go = Some(n as u32),
                "byoyomi" => (clock.byoyomi, timed) = (time, true),
                _ if word == my_time => (clock.left, timed) = (time, true),
                _ if word == my_increment => clock.increment = time,
                _ => {}
            }
        }
        if timed && !infinite {
            let planned = Limits::clock(clock);
            limits.soft = planned.soft;
            limits.hard = limits.hard.or(planned.hard);
        }
        let bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.hard.is_some();
        if bad && !bounded && !infinite {
            // Whoever wanted a limit shall not wait for ever.
            limits.hard = Some(Duration::from_millis(1));
        }
        self.prepare();
        if limits.depth.is_some() && !self.desk.takes_depth() {
            say("info string depth is ignored: time, nodes and visits bound a network");
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
            Some(Ok(None)) => {
                let outcome = self.position.outcome();
                if let Some(outcome) = outcome {
                    let reason = outcome.reason.name();
                    say(&format!("info string the game is over ({reason})"));
                }
                let winner = outcome.and_then(|outcome| outcome.winner);
                say(if winner == Some(self.position.turn()) {
                    "bestmove win"
                } else {
                    "bestmove resign"
                });
            }
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

/// Name and value of `setoption name NAME value VALUE`; no value without the word.
fn option(line: &str) -> (&str, Option<&str>) {
    let rest = line.strip_prefix("setoption").unwrap_or(line).trim();
    let rest = rest.strip_prefix("name").unwrap_or(rest).trim();
    match rest.split_once(" value ") {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => match rest.strip_suffix(" value") {
            Some(name) => (name.trim(), Some("")),
            None => (rest, None),
        },
    }
}

/// Whether a word of `go` asks for a search without end.
fn is_endless(word: &str) -> bool {
    matches!(word, "infinite" | "ponder")
}

/// What the number after a word of `go` may be. A clock that has run out may be told as less than nothing.
fn range_of(word: &str) -> Option<RangeInclusive<i64>> {
    Some(match word {
        "depth" | "movestogo" => 1..=1000,
        "nodes" => 1..=MOST,
        "movetime" | "byoyomi" | "binc" | "winc" => 0..=MOST,
        "btime" | "wtime" => -MOST..=MOST,
        _ => return None,
    })
}

/// At most the first characters, for error texts.
fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}
