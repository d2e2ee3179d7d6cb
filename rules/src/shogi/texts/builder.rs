//! A game while it is read from a file: tags, start position, moves, end.

use super::Imported;
use crate::import::{ImportError, ImportedGame, Remark};
use crate::shogi::board::Board;
use crate::shogi::piece::{Kind, Piece};
use crate::shogi::square::Square;
use crate::shogi::{RuleSet, Shogi, ShogiMove, sfen};
use crate::{Color, EndReason, Outcome, Position};

/// Text at fault, and why.
pub(super) type Wrong = (String, String);

/// How a file says that the game ended; the side to move is the one after the last move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// The side to move gives up.
    Resigns,
    /// The side to move is mated.
    Mated,
    /// The side to move used up its time.
    OutOfTime,
    /// Fourfold repetition.
    Repetition,
    /// The side to move wins by declaration.
    Declares,
    /// A draw by agreement, e.g. with both kings far up the board.
    Drawn,
    /// A draw by the limit of plies.
    PlyCap,
    /// Someone made an illegal move: who loses, or else the side to move.
    Illegal(Option<Color>),
    /// The side to move did something illegal just before: its opponent loses.
    IllegalBefore,
    /// The side to move wins or loses without play.
    Forfeit { wins: bool },
    /// Broken off, or no result of a game.
    Open,
}

impl Ending {
    fn outcome(self, turn: Color) -> Option<Outcome> {
        let won = |winner, reason| {
            Some(Outcome {
                winner: Some(winner),
                reason,
            })
        };
        let drawn = |reason| {
            Some(Outcome {
                winner: None,
                reason,
            })
        };
        let other = turn.opponent();
        match self {
            // Where it is mate the rules say so themselves; else a player who stops in a lost position resigns.
            Ending::Resigns | Ending::Mated => won(other, EndReason::Resignation),
            Ending::OutOfTime => won(other, EndReason::Time),
            Ending::Repetition => drawn(EndReason::Repetition),
            Ending::Declares => won(turn, EndReason::Declaration),
            Ending::Drawn => drawn(EndReason::Adjudication),
            Ending::PlyCap => drawn(EndReason::PlyCap),
            Ending::Illegal(loser) => won(loser.unwrap_or(turn).opponent(), EndReason::IllegalMove),
            Ending::IllegalBefore => won(turn, EndReason::IllegalMove),
            Ending::Forfeit { wins } => {
                won(if wins { turn } else { other }, EndReason::Adjudication)
            }
            Ending::Open => None,
        }
    }
}

/// The game so far.
pub(super) struct Builder {
    game: ImportedGame<Shogi>,
    /// Set at the first move, or at the end.
    position: Option<Shogi>,
    last_line: usize,
    ended: bool,
    /// A start position other than the usual one.
    handicap: Option<Shogi>,
    /// A start position given piece by piece.
    board: Option<Board>,
    turn: Option<Color>,
}

impl Builder {
    pub fn new(line: usize, rules: &RuleSet) -> Builder {
        let game = ImportedGame {
            line,
            tags: Vec::new(),
            rules: rules.clone(),
            start_sfen: String::new(),
            moves: Vec::new(),
            result: None,
            outcome: None,
            comments: Vec::new(),
            remarks: Vec::new(),
        };
        Builder {
            game,
            position: None,
            last_line: line,
            ended: false,
            handicap: None,
            board: None,
            turn: None,
        }
    }

    /// The rules that the game is played by.
    pub fn rules(&self) -> &RuleSet {
        &self.game.rules
    }

    pub fn tag(&mut self, name: &str, value: &str) {
        self.game.tags.push((name.to_string(), value.to_string()));
    }

    pub fn comment(&mut self, text: &str) {
        self.game
            .comments
            .push((self.game.moves.len(), text.to_string()));
    }

    pub fn remark(&mut self, line: usize, text: &str, what: impl Into<String>) {
        let remark = Remark {
            line,
            ply: self.plies(),
            text: text.to_string(),
            what: what.into(),
        };
        self.game.remarks.push(remark);
    }

    /// Number of moves so far.
    pub fn plies(&self) -> usize {
        self.game.moves.len()
    }

    /// Whether moves have begun, so that the start position is settled.
    pub fn begun(&self) -> bool {
        self.position.is_some()
    }

    /// The game starts here unless pieces are placed one by one.
    pub fn start_from(&mut self, position: Shogi) {
        self.handicap = Some(position);
    }

    /// Whose move it is at the start.
    pub fn set_turn(&mut self, turn: Color) {
        self.turn = Some(turn);
    }

    /// Whether the side to move at the start was told.
    pub fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// The board on which pieces are placed; empty at first.
    pub fn board(&mut self) -> &mut Board {
        self.board.get_or_insert_with(Board::empty)
    }

    /// Places a piece of the start position.
    ///
    /// # Errors
    /// If the square is taken.
    pub fn place(&mut self, piece: Piece, square: Square) -> Result<(), String> {
        if self.board().on(square).is_some() {
            return Err(format!("two pieces on {square}"));
        }
        self.board().put(piece, square);
        Ok(())
    }

    /// Adds pieces to a hand of the start position.
    ///
    /// # Errors
    /// If they are too many, or a king.
    pub fn give(&mut self, color: Color, kind: Kind, count: usize) -> Result<(), String> {
        if kind == Kind::King {
            return Err("a king cannot be in hand".to_string());
        }
        let total = self.board().in_hand(color, kind) as usize + count;
        if total > kind.in_set() {
            return Err(format!(
                "{total} {}s in hand, but a set has {}",
                kind.name(),
                kind.in_set()
            ));
        }
        self.board().set_hand(color, kind, total as u8);
        Ok(())
    }

    /// The position after the moves so far.
    ///
    /// # Errors
    /// If the start position is none.
    pub fn position(&mut self) -> Result<&mut Shogi, String> {
        if self.position.is_none() {
            let rules = &self.game.rules;
            let position = match (self.board.take(), self.handicap.take()) {
                (Some(board), handicap) => {
                    let usual = handicap.map_or(Color::Black, |start| start.turn());
                    let turn = self.turn.unwrap_or(usual);
                    sfen::set_up(rules, board, turn, 1).map_err(|error| error.0)?
                }
                (None, Some(position)) => position,
                (None, None) => Shogi::start(rules),
            };
            if self.turn.is_some_and(|turn| turn != position.turn()) {
                return Err(format!("{:?} moves first from this start", position.turn()));
            }
            self.game.start_sfen = position.sfen();
            self.position = Some(position);
        }
        Ok(self.position.as_mut().expect("set above"))
    }

    /// Where the last move ended.
    pub fn last_target(&self) -> Option<Square> {
        self.game.moves.last().map(|mv| mv.to())
    }

    /// Plays a move.
    ///
    /// # Errors
    /// Why it is not legal.
    pub fn play(&mut self, line: usize, mv: ShogiMove) -> Result<(), String> {
        if self.ended {
            return Err("a move after the end of the game".to_string());
        }
        let position = self.position()?;
        if !position.is_legal(mv) {
            return Err(position.why_illegal(mv));
        }
        position.play(mv);
        self.game.moves.push(mv);
        self.last_line = line;
        Ok(())
    }

    /// Takes the mark that ends the game.
    ///
    /// # Errors
    /// If the start position is none.
    pub fn end(&mut self, line: usize, text: &str, ending: Ending) -> Result<(), String> {
        let position = self.position()?;
        let by_rules = position.outcome();
        let told = ending.outcome(position.turn());
        let odd = match ending {
            Ending::Mated => by_rules.map(|outcome| outcome.reason) != Some(EndReason::NoMoves),
            Ending::Repetition => position.early_outcome().is_none(),
            Ending::Declares => !position.can_declare(),
            Ending::Resigns | Ending::OutOfTime => {
                by_rules.is_some_and(|outcome| outcome.winner != told.and_then(|t| t.winner))
            }
            _ => false,
        };
        self.game.outcome = by_rules.or(told);
        self.game.result = self.game.outcome.map(|outcome| score(outcome).to_string());
        self.tag("Termination", text);
        self.ended = true;
        if odd {
            self.remark(line, text, "the position does not bear it out");
        }
        Ok(())
    }

    /// The game, complete.
    pub fn finish(mut self) -> Imported {
        match self.position() {
            Ok(position) => {
                let by_rules = position.outcome();
                self.game.outcome = self.game.outcome.or(by_rules);
                Ok(self.game)
            }
            Err(why) => {
                let line = self.last_line;
                self.fail(line, ("start position".to_string(), why))
            }
        }
    }

    /// The game up to an error.
    pub fn fail(self, line: usize, (text, why): Wrong) -> Imported {
        let ply = self.plies() + 1;
        Err(ImportError {
            line,
            ply,
            text,
            why,
            good: Box::new(self.game),
        })
    }
}

/// As all our game texts write a result; Black is the first player.
fn score(outcome: Outcome) -> &'static str {
    match outcome.winner {
        Some(Color::Black) => "1-0",
        Some(Color::White) => "0-1",
        None => "1/2-1/2",
    }
}
