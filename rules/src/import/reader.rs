//! From tokens to games: numbering, the start position, and each move checked.

use super::tokens::{Kind, Token};
use super::{GameText, ImportError, ImportedGame, Reading, Remark, meant_by_tags, usi};
use crate::MoveError;

type Imported<P> = Result<ImportedGame<P>, ImportError<P>>;

/// Reads games one after the other; `default_rules` hold where no tag says otherwise.
pub(super) struct Reader<P: GameText> {
    default_rules: P::Rules,
    done: Vec<Imported<P>>,
    current: Option<Open<P>>,
    after_blank: bool,
}

/// A game being read.
struct Open<P: GameText> {
    game: ImportedGame<P>,
    /// The position after the moves so far; `None` until the first move needs it.
    position: Option<P>,
    numbering: Numbering,
    /// Whether a result or a USI line has ended it.
    ended: bool,
    /// Where it went wrong; the rest of it is passed over.
    wrong: Option<(usize, Wrong)>,
}

impl<P: GameText> Reader<P> {
    pub fn new(default_rules: P::Rules) -> Reader<P> {
        Reader {
            default_rules,
            done: Vec::new(),
            current: None,
            after_blank: false,
        }
    }

    pub fn read(mut self, tokens: Vec<Token>) -> Vec<Imported<P>> {
        for Token { line, kind } in tokens {
            if self.begins_game(&kind) {
                self.close();
            }
            self.after_blank = kind == Kind::Blank;
            if self.current.is_none() && matches!(kind, Kind::Blank | Kind::Comment(_)) {
                continue;
            }
            let rules = &self.default_rules;
            self.current
                .get_or_insert_with(|| Open::new(line, rules.clone()))
                .take(line, kind);
        }
        self.close();
        self.done
    }

    /// Whether a token can only belong to another game than the one being read.
    fn begins_game(&self, kind: &Kind) -> bool {
        let Some(open) = &self.current else {
            return false;
        };
        let begun = open.position.is_some() || open.wrong.is_some();
        match kind {
            Kind::Usi(_) | Kind::Tag(..) => begun,
            Kind::Number(1) => begun && (open.ended || self.after_blank),
            Kind::Word(_) => {
                open.ended || (begun && self.after_blank && open.numbering == Numbering::None)
            }
            Kind::Number(_) | Kind::Ellipsis | Kind::Header(..) => open.ended,
            Kind::Comment(_) | Kind::Blank | Kind::Result(_) => false,
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.current.take() {
            self.done.push(open.finish());
        }
    }
}

/// The text that is wrong, and what is wrong with it.
type Wrong = (String, String);

impl<P: GameText> Open<P> {
    fn new(line: usize, rules: P::Rules) -> Open<P> {
        let game = ImportedGame {
            line,
            tags: Vec::new(),
            rules,
            start_sfen: String::new(),
            moves: Vec::new(),
            result: None,
            outcome: None,
            comments: Vec::new(),
            remarks: Vec::new(),
        };
        Open {
            game,
            position: None,
            numbering: Numbering::None,
            ended: false,
            wrong: None,
        }
    }

    fn take(&mut self, line: usize, kind: Kind) {
        if self.wrong.is_some() {
            self.ended |= matches!(kind, Kind::Result(_) | Kind::Usi(_));
        } else if let Err(wrong) = self.try_take(line, kind) {
            self.wrong = Some((line, wrong));
        }
    }

    fn try_take(&mut self, line: usize, kind: Kind) -> Result<(), Wrong> {
        let plies = self.game.moves.len();
        match kind {
            Kind::Blank => {}
            Kind::Tag(name, value) => self.game.tags.push((name, value)),
            Kind::Header(name, value) if self.position.is_none() => {
                self.game.tags.push((name, value))
            }
            Kind::Header(name, value) => {
                self.game.comments.push((plies, format!("{name}: {value}")))
            }
            Kind::Comment(text) => self.game.comments.push((plies, text)),
            Kind::Number(number) => {
                self.begin()?;
                self.numbering = self
                    .numbering
                    .number(number, plies)
                    .map_err(|why| (format!("{number}."), why))?;
            }
            Kind::Ellipsis => {
                self.begin()?;
                self.numbering = self
                    .numbering
                    .ellipsis(plies)
                    .map_err(|why| ("...".to_string(), why))?;
            }
            Kind::Result(text) => {
                self.begin()?;
                let before = self
                    .game
                    .result
                    .take()
                    .map_or(String::new(), |before| before + " ");
                self.game.result = Some(before + &text);
                self.ended = true;
            }
            Kind::Usi(text) => self.usi(&text)?,
            Kind::Word(text) => {
                let remarks = self.play(&text)?;
                let ply = self.game.moves.len();
                let remark = |what| Remark {
                    line,
                    ply,
                    text: text.clone(),
                    what,
                };
                self.game.remarks.extend(remarks.into_iter().map(remark));
            }
        }
        Ok(())
    }

    /// Sets the start position up from the tags, once.
    fn begin(&mut self) -> Result<&mut P, Wrong> {
        if self.position.is_none() {
            let (rules, position) = meant_by_tags(&self.game)?;
            self.game.rules = rules;
            self.game.start_sfen = position.sfen();
            self.position = Some(position);
        }
        Ok(self.position.as_mut().expect("set above"))
    }

    fn usi(&mut self, text: &str) -> Result<(), Wrong> {
        let line = usi::parse(text).map_err(|why| (text.to_string(), why))?;
        if let Some(sfen) = line.sfen {
            self.game.tags.retain(|(name, _)| {
                !["sfen", "fen", "handicap"].contains(&name.to_lowercase().as_str())
            });
            self.game.tags.push(("SFEN".to_string(), sfen));
        }
        self.begin()?;
        self.ended = true;
        line.moves
            .into_iter()
            .try_for_each(|text| self.play(text).map(|_| ()))
    }

    /// Plays a move in either notation and gives the remarks on it.
    fn play(&mut self, text: &str) -> Result<Vec<String>, Wrong> {
        let position = self.begin()?;
        let reading = read(position, text).map_err(|why| (text.to_string(), why))?;
        position.play(reading.mv);
        self.game.moves.push(reading.mv);
        Ok(reading.remarks)
    }

    fn finish(mut self) -> Imported<P> {
        let line = self.game.line;
        if self.wrong.is_none() {
            match self.begin() {
                Ok(position) => self.game.outcome = position.outcome(),
                Err(wrong) => self.wrong = Some((line, wrong)),
            }
        }
        match self.wrong {
            None => Ok(self.game),
            Some((line, (text, why))) => {
                let ply = self.game.moves.len() + 1;
                Err(ImportError {
                    line,
                    ply,
                    text,
                    why,
                    good: Box::new(self.game),
                })
            }
        }
    }
}

/// The move that a word means: a move string if it has the form of one, else human notation.
fn read<P: GameText>(position: &P, text: &str) -> Result<Reading<P::Move>, String> {
    let why = |error: MoveError| match error {
        MoveError::Syntax(_, why) => format!("this is not a move: {why}"),
        MoveError::Illegal(_, why) => why,
    };
    match position.parse_move(text) {
        Ok(mv) => Ok(Reading {
            mv,
            remarks: Vec::new(),
        }),
        Err(error @ MoveError::Illegal(..)) => Err(why(error)),
        Err(MoveError::Syntax(..)) => position.read_move(text).map_err(why),
    }
}

/// How the moves of a game are numbered, found out on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbering {
    /// No number yet.
    None,
    /// One number, which both ways allow; it stood before move `before` (counted from 0).
    Open { first: u32, before: usize },
    /// Every ply has a number: that of the first ply is `first`.
    ByPly { first: u32 },
    /// A number for two plies. `offset` is 1 if the first pair began with an ellipsis.
    ByPair { first: u32, offset: usize },
}

impl Numbering {
    /// Takes a number that stands after `plies` moves.
    fn number(self, number: u32, plies: usize) -> Result<Numbering, String> {
        let by_ply = |first: u32| first as usize + plies;
        let by_pair = |first: u32, offset: usize| first as usize + (plies + offset) / 2;
        let found = number as usize;
        match self {
            Numbering::None => Ok(Numbering::Open {
                first: number,
                before: plies,
            }),
            Numbering::Open { first, before } => {
                let since = plies - before;
                let first_ply = (first as usize).checked_sub(before);
                match (since, found.checked_sub(first as usize)) {
                    (0, Some(0)) => Ok(self),
                    (1, Some(0)) => Ok(Numbering::ByPair {
                        first,
                        offset: before % 2,
                    }),
                    (1, Some(1)) if first_ply.is_some() => Ok(Numbering::ByPly {
                        first: first - before as u32,
                    }),
                    (2, Some(1)) => Ok(Numbering::ByPair {
                        first,
                        offset: before % 2,
                    }),
                    _ => Err(format!(
                        "{since} moves stand between the numbers {first} and {number}"
                    )),
                }
            }
            Numbering::ByPly { first } if found == by_ply(first) => Ok(self),
            Numbering::ByPly { first } => Err(format!("expected number {}", by_ply(first))),
            Numbering::ByPair { first, offset } if found == by_pair(first, offset) => Ok(self),
            Numbering::ByPair { first, offset } => {
                Err(format!("expected number {}", by_pair(first, offset)))
            }
        }
    }

    /// Takes an ellipsis that stands after `plies` moves: the first half of its pair is left out or was before.
    fn ellipsis(self, plies: usize) -> Result<Numbering, String> {
        match self {
            Numbering::Open { first, before } if before == plies && plies == 0 => {
                Ok(Numbering::ByPair { first, offset: 1 })
            }
            Numbering::ByPair { offset, .. } if (plies + offset) % 2 == 1 => Ok(self),
            Numbering::Open { first, before } if plies == before + 1 => Ok(Numbering::ByPair {
                first,
                offset: before % 2,
            }),
            _ => Err("an ellipsis belongs before the second move of a pair".to_string()),
        }
    }
}
