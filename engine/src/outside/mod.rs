//! Outside engines as players: USI and CECP programs behind pipes, with a watchdog.
//!
//! The arbiter is ours: what an engine says about legality or results decides nothing. A program that crashes, hangs or
//! answers with an illegal move is a [`Fault`]; it is killed, and a new one is started for the next game.

mod process;

use crate::protocol::{board_of_mover, move_on_board, parse_on_board};
use crate::spec::Protocol;
use crate::{Choice, Fault, GameSoFar, Material, Player};
use process::{NoLine, Process, split_words};
use rules::{Color, MoveError, Position, Rules};
use std::time::{Duration, Instant};

/// Time for a program to start and introduce itself.
const START_LIMIT: Duration = Duration::from_secs(10);
/// Time that an old CECP program, which announces no features, is waited for.
const FEATURES_LIMIT: Duration = Duration::from_secs(2);
/// Time beyond the move time before a program counts as hanging.
const GRACE: Duration = Duration::from_secs(2);
/// The USI option for the game.
const VARIANT: &str = "USI_Variant";
/// Memory told to CECP programs, in MiB.
const MEMORY_MIB: u32 = 64;

/// An outside engine.
pub struct OutsidePlayer {
    name: String,
    protocol: Protocol,
    words: Vec<String>,
    variant: Option<String>,
    movetime: Duration,
    process: Option<Process>,
    /// Moves that a CECP program has been told, as CECP texts; `None` before the game is set up.
    told: Option<Vec<String>>,
    offers: Offers,
    /// The rules that it has been told.
    rules: Option<String>,
}

/// What a program says of itself when it starts.
#[derive(Default)]
struct Offers {
    /// CECP: it wants `usermove` before moves.
    usermove: bool,
    /// CECP: the games that it plays, if it names them.
    variants: Option<Vec<String>>,
    /// Names of options.
    options: Vec<String>,
}

impl Offers {
    /// Notes what a line of the introduction says.
    fn read(&mut self, line: &str) {
        if let Some(option) = line.strip_prefix("option name ") {
            let name = option.split(" type ").next().unwrap_or_default();
            self.options.push(name.trim().to_string());
        }
        let Some(features) = line.strip_prefix("feature ") else {
            return;
        };
        self.usermove |= features.contains("usermove=1");
        // `NAME="TEXT"`; an option's text is its name and its kind.
        let mut parts = features.split('"');
        while let (Some(name), Some(text)) = (parts.next(), parts.next()) {
            if name.ends_with("variants=") {
                self.variants = Some(text.split(',').map(|v| v.trim().to_string()).collect());
            } else if name.ends_with("option=") {
                let name = text.split(" -").next().unwrap_or_default();
                self.options.push(name.trim().to_string());
            }
        }
    }

    fn has(&self, option: &str) -> bool {
        self.options
            .iter()
            .any(|name| name.eq_ignore_ascii_case(option))
    }
}

impl OutsidePlayer {
    /// A player that starts `command` at its first game. `movetime` is what it is given for each move.
    ///
    /// # Errors
    /// The command line is empty.
    pub fn new(
        name: String,
        protocol: Protocol,
        command: &str,
        variant: Option<&str>,
        movetime: Duration,
    ) -> Result<Self, String> {
        let words = split_words(command);
        if words.is_empty() {
            return Err("names no command".into());
        }
        let variant = variant.map(str::to_string);
        Ok(OutsidePlayer {
            name,
            protocol,
            words,
            variant,
            movetime,
            process: None,
            told: None,
            offers: Offers::default(),
            rules: None,
        })
    }

    /// The process id of the running program.
    #[cfg(test)]
    fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Ends the program and says what happened.
    fn fault(&mut self, why: NoLine, limit: Duration) -> Fault {
        if why == NoLine::Closed {
            // Its exit status may come a little after the end of its output.
            std::thread::sleep(Duration::from_millis(20));
        }
        let detail = self
            .process
            .take()
            .map_or_else(String::new, |mut p| p.report());
        self.told = None;
        let player = self.name.clone();
        match why {
            NoLine::Closed => Fault::Crash { player, detail },
            NoLine::Late => Fault::Hang {
                player,
                limit,
                detail,
            },
        }
    }

    fn illegal(&mut self, error: MoveError) -> Fault {
        let lines = self
            .process
            .take()
            .map_or_else(String::new, |mut p| p.report());
        self.told = None;
        let error = match error {
            MoveError::Syntax(text, why) => MoveError::Syntax(text, format!("{why}; {lines}")),
            MoveError::Illegal(text, why) => MoveError::Illegal(text, format!("{why}; {lines}")),
        };
        Fault::IllegalMove {
            player: self.name.clone(),
            error,
        }
    }

    fn say(&mut self, line: &str) -> Result<(), Fault> {
        let Some(process) = &mut self.process else {
            return Err(Fault::Crash {
                player: self.name.clone(),
                detail: "it is not running".into(),
            });
        };
        process
            .say(line, GRACE)
            .map_err(|why| self.fault(why, GRACE))
    }

    /// The next line that `wanted` accepts, within `limit`.
    fn wait<T>(
        &mut self,
        limit: Duration,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + limit;
        loop {
            let Some(process) = &mut self.process else {
                return Err(Fault::Crash {
                    player: self.name.clone(),
                    detail: "it is not running".into(),
                });
            };
            match process.line(deadline) {
                Ok(line) => {
                    if let Some(answer) = wanted(&line) {
                        return Ok(answer);
                    }
                    if Instant::now() >= deadline {
                        return Err(self.fault(NoLine::Late, limit));
                    }
                }
                Err(why) => return Err(self.fault(why, limit)),
            }
        }
    }

    fn start(&mut self) -> Result<(), Fault> {
        let process = Process::start(&self.words).map_err(|detail| Fault::Crash {
            player: self.name.clone(),
            detail,
        })?;
        self.process = Some(process);
        self.rules = None;
        match self.protocol {
            Protocol::Usi => {
                self.say("usi")?;
                let mut offers = Offers::default();
                self.wait(START_LIMIT, |line| {
                    offers.read(line);
                    (line == "usiok").then_some(())
                })?;
                self.offers = offers;
                Ok(())
            }
            Protocol::Cecp => {
                self.say("xboard")?;
                self.say("protover 2")?;
                self.read_features()
            }
        }
    }

    /// Reads `feature` lines until `done=1`; a program that sends none is of version 1.
    fn read_features(&mut self) -> Result<(), Fault> {
        let mut deadline = Instant::now() + FEATURES_LIMIT;
        self.offers = Offers::default();
        while let Some(process) = &mut self.process {
            match process.line(deadline) {
                Ok(line) => {
                    let Some(features) = line.strip_prefix("feature ") else {
                        continue;
                    };
                    self.offers.read(&line);
                    if features.contains("done=1") {
                        return Ok(());
                    }
                    if features.contains("done=0") {
                        deadline = Instant::now() + START_LIMIT;
                    }
                }
                Err(NoLine::Late) => return Ok(()),
                Err(NoLine::Closed) => return Err(self.fault(NoLine::Closed, FEATURES_LIMIT)),
            }
        }
        Ok(())
    }

    /// What the program calls the game.
    fn variant<P: Position>(&self) -> String {
        self.variant.clone().unwrap_or_else(|| P::GAME.into())
    }

    /// The line that tells of the rules, to a program that has an option for them and has not been told.
    fn untold_rules<P: Position>(&mut self, rules: &P::Rules) -> Option<String> {
        let name = rules.name();
        if self.rules.as_ref() == Some(&name) || !self.offers.has("Rules") {
            return None;
        }
        let line = match self.protocol {
            Protocol::Usi => format!("setoption name Rules value {name}"),
            Protocol::Cecp => format!("option Rules={name}"),
        };
        self.rules = Some(name);
        Some(line)
    }

    fn choose_usi<P: Position>(
        &mut self,
        position: &P,
        game: &GameSoFar<P>,
    ) -> Result<Choice<P::Move>, Fault> {
        let moves: String = game.moves.iter().map(|mv| format!(" {mv}")).collect();
        let moves = if moves.is_empty() {
            moves
        } else {
            format!(" moves{moves}")
        };
        if let Some(line) = self.untold_rules::<P>(position.rules()) {
            self.say(&line)?;
        }
        self.say(&format!("position sfen {}{moves}", game.start))?;
        let ms = self.movetime.as_millis();
        self.say(&format!("go btime 0 wtime 0 byoyomi {ms}"))?;
        let mut info = Info::default();
        let answer = self.wait(self.movetime + GRACE, |line| {
            info.read(line);
            line.strip_prefix("bestmove")
                .map(|rest| rest.split_whitespace().next().unwrap_or("").to_string())
        })?;
        if answer == "resign" {
            return Ok(resigned(position));
        }
        let mv = position
            .parse_move(&answer)
            .map_err(|error| self.illegal(error))?;
        Ok(Choice {
            mv,
            expected_score: info.expected_score(),
            nodes: info.nodes,
        })
    }

    /// The position that the game began with; `None` if it is the game's own start.
    fn cecp_start<P: Position>(
        &self,
        position: &P,
        game: &GameSoFar<P>,
    ) -> Result<Option<P>, Fault> {
        if game.start == P::start(position.rules()).sfen() {
            return Ok(None);
        }
        let start = P::from_sfen(position.rules(), &game.start);
        start.map(Some).map_err(|e| Fault::Failure {
            player: self.name.clone(),
            detail: e.to_string(),
        })
    }

    fn choose_cecp<P: Material>(
        &mut self,
        position: &P,
        game: &GameSoFar<P>,
    ) -> Result<Choice<P::Move>, Fault> {
        let start = self.cecp_start(position, game)?;
        // A set board has the first mover to move: with the other it is turned round, and so are the moves.
        let turned = start.as_ref().is_some_and(|s| s.turn() == Color::White);
        let text = |mv: P::Move| move_on_board::<P>(mv, turned);
        let texts: Vec<String> = game.moves.iter().map(|&mv| text(mv)).collect();
        let known = self.told.take().filter(|told| texts.starts_with(told));
        let mut told = match known {
            Some(told) => told,
            None => {
                self.say(&format!("memory {MEMORY_MIB}"))?;
                self.say("new")?;
                let variant = self.variant::<P>();
                if let Some(variants) = &self.offers.variants
                    && !variants.contains(&variant)
                {
                    let variants = variants.join(", ");
                    return Err(Fault::Failure {
                        player: self.name.clone(),
                        detail: format!("it does not play variant={variant}, but {variants}"),
                    });
                }
                self.say(&format!("variant {variant}"))?;
                if let Some(line) = self.untold_rules::<P>(position.rules()) {
                    self.say(&line)?;
                }
                // Time is for one move: `time` says more exactly how much.
                let seconds = self.movetime.as_secs_f64().ceil().max(1.0) as u64;
                self.say(&format!("level 1 {}:{:02} 0", seconds / 60, seconds % 60))?;
                for line in ["force", "easy", "post"] {
                    self.say(line)?;
                }
                if let Some(start) = &start {
                    let board = board_of_mover(start).ok_or_else(|| Fault::Failure {
                        player: self.name.clone(),
                        detail: "a position with pieces in hand cannot be set up over CECP; use a USI engine, or leave --sfen out".into(),
                    })?;
                    self.say(&format!("setboard {board}"))?;
                }
                Vec::new()
            }
        };
        for text in &texts[told.len()..] {
            let line = if self.offers.usermove {
                format!("usermove {text}")
            } else {
                text.clone()
            };
            self.say(&line)?;
        }
        let color = if position.turn() == Color::Black {
            "first"
        } else {
            "second"
        };
        self.say(&format!("time {}", (self.movetime.as_millis() / 10).max(1)))?;
        self.say("go")?;
        let mut first_leg = String::new();
        let answer = self.wait(self.movetime + GRACE, |line| {
            if line == "resign" {
                return Some(String::new());
            }
            let text = line.strip_prefix("move ")?.trim();
            if text.ends_with(',') {
                first_leg.push_str(text);
                return None;
            }
            Some(format!("{first_leg}{text}"))
        })?;
        self.say("force")?;
        if answer.is_empty() {
            // It is not told the move that is played for it: the next one sets the game up anew.
            return Ok(resigned(position));
        }
        let Some(mv) = parse_on_board(position, &answer, turned) else {
            return Err(self.illegal(MoveError::Illegal(
                answer,
                format!("no such move of the {color} mover"),
            )));
        };
        told = texts;
        told.push(text(mv));
        self.told = Some(told);
        Ok(Choice {
            mv,
            expected_score: None,
            nodes: 0,
        })
    }
}

/// A resignation decides nothing, since engines resign wrongly: the first legal move is played for the engine.
fn resigned<P: Position>(position: &P) -> Choice<P::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    Choice {
        mv: moves[0],
        expected_score: Some(0.0),
        nodes: 0,
    }
}

impl<P: Material> Player<P> for OutsidePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        if self.process.is_none() {
            self.start()?;
        }
        self.told = None;
        if self.protocol == Protocol::Usi {
            if self.offers.has(VARIANT) {
                let variant = self.variant::<P>();
                self.say(&format!("setoption name {VARIANT} value {variant}"))?;
            }
            self.say("isready")?;
            self.wait(START_LIMIT, |line| (line == "readyok").then_some(()))?;
            self.say("usinewgame")?;
        }
        Ok(())
    }

    fn choose(&mut self, position: &P, game: &GameSoFar<P>) -> Result<Choice<P::Move>, Fault> {
        match self.protocol {
            Protocol::Usi => self.choose_usi(position, game),
            Protocol::Cecp => self.choose_cecp(position, game),
        }
    }

    fn last_lines(&mut self) -> Option<String> {
        self.process.as_mut().map(Process::report)
    }
}

/// What the last `info` lines of a USI engine say.
#[derive(Default)]
struct Info {
    centipawns: Option<f32>,
    nodes: u64,
}

impl Info {
    fn read(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() != Some(&"info") {
            return;
        }
        for pair in words.windows(2) {
            match pair {
                ["nodes", n] => self.nodes = n.parse().unwrap_or(self.nodes),
                ["cp", n] => self.centipawns = n.parse().ok().or(self.centipawns),
                ["mate", n] => self.centipawns = Some(if n.starts_with('-') { -1e5 } else { 1e5 }),
                _ => {}
            }
        }
    }

    fn expected_score(&self) -> Option<f32> {
        self.centipawns.map(|cp| 1.0 / (1.0 + (-cp / 1500.0).exp()))
    }
}

#[cfg(all(test, unix))]
mod tests;
