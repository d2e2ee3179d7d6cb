//! From a written move to the legal move it means.

use super::super::{Piece, Square, Tenjiku, TenjikuMove};
use super::Reading;
use super::name::Name;
use super::written::{Step, Written, steps};
use crate::{Color, MoveError, Position};

/// The legal move that a text means.
///
/// Exact agreement is tried first. Else a promoted piece may be called by what it moves as, `-` and `x` may be
/// mixed up, and a square passed without capture may be given; each with a remark. Where promotion is optional
/// and no sign is given, the piece does not promote.
///
/// # Errors
/// [`MoveError::Syntax`] if it does not look like a move, [`MoveError::Illegal`] if no legal move is meant, or
/// more than one.
pub fn read(pos: &Tenjiku, text: &str) -> Result<Reading, MoveError> {
    let written = Written::parse(text).map_err(|why| MoveError::Syntax(text.to_string(), why))?;
    let search = Search::new(pos, &written);
    search
        .find()
        .map_err(|why| MoveError::Illegal(text.to_string(), why))
}

struct Search<'a> {
    pos: &'a Tenjiku,
    written: &'a Written,
    legal: Vec<TenjikuMove>,
}

impl<'a> Search<'a> {
    fn new(pos: &'a Tenjiku, written: &'a Written) -> Search<'a> {
        let mut legal = Vec::new();
        pos.legal_moves(&mut legal);
        Search {
            pos,
            written,
            legal,
        }
    }

    fn piece(&self, square: Square) -> Option<Piece> {
        self.pos.piece_at(square)
    }

    fn find(&self) -> Result<Reading, String> {
        let mut remarks = Vec::new();
        let by_piece = self.by_piece()?;
        let meant = self
            .by_steps(&by_piece, &mut remarks)
            .ok_or_else(|| self.why_none(&by_piece))?;
        let from = meant[0].from();
        if meant.iter().any(|mv| mv.from() != from) {
            let mut starts: Vec<Square> = meant.iter().map(|mv| mv.from()).collect();
            starts.dedup();
            let starts: Vec<String> = starts.iter().map(Square::to_string).collect();
            return Err(format!(
                "it could start on {}; write the start square",
                starts.join(" or ")
            ));
        }
        let mv = self.by_promotion(&meant, &mut remarks)?;
        self.check_fire(mv, &mut remarks);
        Ok(Reading { mv, remarks })
    }

    /// Legal moves of the pieces that the name and the start square allow.
    fn by_piece(&self) -> Result<Vec<TenjikuMove>, String> {
        if let Some(start) = self.written.start {
            self.check_start(start)?;
        }
        let own = |fits: &dyn Fn(Name, Piece) -> bool| -> Vec<TenjikuMove> {
            let named = |mv: &TenjikuMove| match (self.written.name, self.piece(mv.from())) {
                (Some(name), Some(piece)) => fits(name, piece),
                _ => true,
            };
            let starts =
                |mv: &TenjikuMove| self.written.start.is_none_or(|start| mv.from() == start);
            self.legal
                .iter()
                .copied()
                .filter(|mv| starts(mv) && named(mv))
                .collect()
        };
        let exact = own(&Name::is);
        Ok(if exact.iter().any(|&mv| self.fits_loosely(mv)) {
            exact
        } else {
            own(&Name::may_mean)
        })
    }

    fn check_start(&self, start: Square) -> Result<(), String> {
        let turn = self.pos.turn();
        match self.piece(start) {
            None => Err(format!("{start} is empty")),
            Some(piece) if piece.color != turn => Err(format!(
                "the {} on {start} is not {}'s",
                piece.abbr(),
                side(turn)
            )),
            Some(piece) if self.written.name.is_some_and(|name| !name.may_mean(piece)) => {
                Err(format!("the piece on {start} is {}", piece.abbr()))
            }
            Some(_) => Ok(()),
        }
    }

    /// Those that make the written steps, exactly or at least roughly.
    fn by_steps(
        &self,
        moves: &[TenjikuMove],
        remarks: &mut Vec<String>,
    ) -> Option<Vec<TenjikuMove>> {
        let exact: Vec<_> = moves
            .iter()
            .copied()
            .filter(|&mv| steps(self.pos, mv) == self.written.steps)
            .collect();
        if !exact.is_empty() {
            return Some(exact);
        }
        let loose: Vec<_> = moves
            .iter()
            .copied()
            .filter(|&mv| self.fits_loosely(mv))
            .collect();
        let first = *loose.first()?;
        let proper: String = steps(self.pos, first).iter().map(Step::to_string).collect();
        remarks.push(format!("it should be written {proper}"));
        Some(loose)
    }

    /// Whether the squares are the move's, whatever the symbols.
    fn fits_loosely(&self, mv: TenjikuMove) -> bool {
        let proper = steps(self.pos, mv);
        let written = &self.written.steps;
        let same_squares = proper.len() == written.len()
            && proper
                .iter()
                .zip(written)
                .all(|(a, b)| a.square() == b.square() && !a.differs_in_kind(*b));
        let is_demon = self.piece(mv.from()).is_some_and(Piece::is_demon);
        match written[..] {
            _ if same_squares => true,
            // `x8gx8h` or `x8g-8h` for an igui on 8h.
            [Step::Take(victim), Step::To(back) | Step::Take(back)] if back == mv.from() => {
                mv.via() == Some(victim) && mv.to() == mv.from()
            }
            // A square passed without a capture on the way to the end square.
            [first, second] if self.piece(first.square()).is_none() => {
                mv.via().is_none() && mv.to() == second.square() && mv.from() != mv.to()
            }
            // A demon that stays and burns: `FDx!8g`.
            [Step::Shoot(_)] => is_demon && mv.is_pass(),
            _ => false,
        }
    }

    fn by_promotion(
        &self,
        meant: &[TenjikuMove],
        remarks: &mut Vec<String>,
    ) -> Result<TenjikuMove, String> {
        let with = |promotes| meant.iter().copied().find(|mv| mv.promotes() == promotes);
        match (self.written.promotion, with(false), with(true)) {
            (Some(true), _, Some(mv))
            | (Some(false) | None, Some(mv), Some(_))
            | (None, Some(mv), None) => Ok(mv),
            (Some(false), Some(mv), None) => {
                remarks.push("`=` though it cannot promote".to_string());
                Ok(mv)
            }
            (None, None, Some(mv)) => Ok(mv),
            (Some(true), _, None) => Err("it cannot promote here".to_string()),
            (Some(false), None, _) => Err("it must promote".to_string()),
            (None, None, None) => Err("no such move".to_string()),
        }
    }

    fn check_fire(&self, mv: TenjikuMove, remarks: &mut Vec<String>) {
        let effects = self.pos.effects(mv);
        let mut listed = self.written.burned.clone();
        if let ([Step::Shoot(square)], true) = (&self.written.steps[..], mv.is_pass()) {
            listed.push(*square);
        }
        listed.sort();
        listed.dedup();
        let burned: Vec<Square> = effects.burned.squares().collect();
        if !listed.is_empty() && listed != burned {
            let burned: Vec<String> = burned.iter().map(Square::to_string).collect();
            let burned = if burned.is_empty() {
                "nothing".to_string()
            } else {
                burned.join(",")
            };
            remarks.push(format!("the burn list differs: the move burns {burned}"));
        }
        if self.written.mover_burned && !effects.mover_burned {
            remarks.push("`*` though the mover is not burned".to_string());
        }
    }

    /// Why nothing fits.
    fn why_none(&self, by_piece: &[TenjikuMove]) -> String {
        let turn = side(self.pos.turn());
        if self.pos.early_outcome().is_some() {
            return "the game is over".to_string();
        }
        if let Some(start) = self.written.start {
            return self.why_not_from(start);
        }
        let own_pieces = (0..=255).map(Square).filter(|&square| {
            self.piece(square).is_some_and(|piece| {
                piece.color == self.pos.turn()
                    && self.written.name.is_none_or(|name| name.may_mean(piece))
            })
        });
        match (own_pieces.collect::<Vec<_>>()[..].len(), by_piece.len()) {
            (0, _) => format!("{turn} has no such piece"),
            (_, 0) => "that piece has no legal move".to_string(),
            _ => "no such piece can make this move".to_string(),
        }
    }

    /// The core's own reason, for the move string that the text comes to.
    fn why_not_from(&self, start: Square) -> String {
        let squares: String = match self.written.steps[..] {
            [Step::Shoot(victim)] => format!("{victim}{start}"),
            [only] => only.square().to_string(),
            [first, second] if self.piece(first.square()).is_none() => second.square().to_string(),
            _ => self
                .written
                .steps
                .iter()
                .map(|step| step.square().to_string())
                .collect(),
        };
        let plus = if self.written.promotion == Some(true) {
            "+"
        } else {
            ""
        };
        match self.pos.parse_move(&format!("{start}{squares}{plus}")) {
            Err(MoveError::Illegal(_, why) | MoveError::Syntax(_, why)) => why,
            Ok(_) => format!("the piece on {start} cannot move like that"),
        }
    }
}

impl Step {
    /// A shot is never another kind of step, however carelessly written.
    fn differs_in_kind(self, other: Step) -> bool {
        matches!(self, Step::Shoot(_)) != matches!(other, Step::Shoot(_))
    }
}

fn side(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
