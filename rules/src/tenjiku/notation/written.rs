//! A move as it stands in the text, before it is known which legal move it means.

use std::fmt;

use super::super::{Square, Tenjiku, TenjikuMove};
use super::name::Name;

/// One symbol with its square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// `-8g`: goes there, to an empty square or, in a pass, to its own.
    To(Square),
    /// `x8g`: captures there and stands there, at the end or on the way.
    Take(Square),
    /// `x!8g`: captures there and is back on, or never left, its own square.
    Shoot(Square),
}

impl Step {
    /// The square of the step.
    pub fn square(self) -> Square {
        let (Step::To(square) | Step::Take(square) | Step::Shoot(square)) = self;
        square
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::To(square) => write!(f, "-{square}"),
            Step::Take(square) => write!(f, "x{square}"),
            Step::Shoot(square) => write!(f, "x!{square}"),
        }
    }
}

/// The symbols and squares of a move: one step, or two for a capture on the way.
pub(super) fn steps(pos: &Tenjiku, mv: TenjikuMove) -> Vec<Step> {
    let captures = mv.to() != mv.from() && pos.piece_at(mv.to()).is_some();
    let end = if captures {
        Step::Take(mv.to())
    } else {
        Step::To(mv.to())
    };
    match mv.via() {
        None => vec![end],
        Some(victim) if mv.to() == mv.from() => vec![Step::Shoot(victim)],
        Some(victim) => vec![Step::Take(victim), end],
    }
}

/// The parts of a written move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Written {
    /// The piece, if named.
    pub name: Option<Name>,
    /// The start square, if given.
    pub start: Option<Square>,
    /// Symbols and squares, at least one.
    pub steps: Vec<Step>,
    /// `+` or `=`, if there is one.
    pub promotion: Option<bool>,
    /// The burned squares, if any are listed.
    pub burned: Vec<Square>,
    /// Whether `*` says that the mover is burned.
    pub mover_burned: bool,
}

impl Written {
    /// Reads the parts. Blanks between them are skipped, and a last `!` or `?` is somebody's opinion.
    ///
    /// # Errors
    /// What was expected, and where.
    pub fn parse(text: &str) -> Result<Written, String> {
        let mut written = Written::default();
        let mut rest = text.trim();
        (written.name, rest) = split_name(rest)?;
        if let Some((square, after)) = Square::split(rest) {
            written.start = Some(square);
            rest = after.trim_start();
        }
        while let Some((symbol, after)) = split_symbol(rest) {
            let (square, after) = Square::split(after.trim_start())
                .ok_or_else(|| format!("expected a square such as 8g at `{after}`"))?;
            rest = after.trim_start();
            match symbol {
                "-" => written.steps.push(Step::To(square)),
                "x" => written.steps.push(Step::Take(square)),
                _ if written.steps.is_empty() => {
                    written.steps.push(Step::Shoot(square));
                    rest = split_list(rest, &mut written.burned)?;
                }
                _ => {
                    written.burned.push(square);
                    rest = split_list(rest, &mut written.burned)?;
                }
            }
            rest = written.marks(rest)?;
        }
        match written.steps.len() {
            _ if !rest.is_empty() => Err(format!("cannot read `{rest}`")),
            0 => Err("expected `-` or `x` and a square".to_string()),
            1 | 2 => Ok(written),
            _ => Err("too many squares: no move has more than two".to_string()),
        }
    }

    /// Takes the marks at the start of `rest`: promotion, mover burned, opinions.
    fn marks<'a>(&mut self, mut rest: &'a str) -> Result<&'a str, String> {
        loop {
            let promotes = match rest.chars().next() {
                Some('+') => Some(true),
                Some('=') => Some(false),
                Some('*') => {
                    self.mover_burned = true;
                    None
                }
                Some('!' | '?') => None,
                _ => return Ok(rest),
            };
            if promotes.is_some() && std::mem::replace(&mut self.promotion, promotes).is_some() {
                return Err("promotion is marked twice".to_string());
            }
            rest = rest[1..].trim_start();
        }
    }
}

/// Splits a piece name off, if there is one.
fn split_name(text: &str) -> Result<(Option<Name>, &str), String> {
    let letters = text.strip_prefix('+').unwrap_or(text);
    let plus = text.len() - letters.len();
    let count = letters.bytes().take_while(u8::is_ascii_alphabetic).count();
    // No name ends in x: that is the capture sign.
    let x = letters[..count].ends_with(['x', 'X']);
    let end = plus + count - usize::from(x);
    if end == 0 {
        return Ok((None, text));
    }
    let name =
        Name::parse(&text[..end]).ok_or_else(|| format!("there is no piece `{}`", &text[..end]))?;
    Ok((Some(name), text[end..].trim_start()))
}

/// Splits `-`, `x` or `x!` off, in any of their forms.
fn split_symbol(text: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = text.strip_prefix(['-', '–', '—', '−']) {
        return Some(("-", rest));
    }
    let rest = text.strip_prefix(['x', 'X', '×'])?;
    match rest.strip_prefix('!') {
        Some(rest) => Some(("x!", rest)),
        None => Some(("x", rest)),
    }
}

/// Takes `,15j,14j` off.
fn split_list<'a>(mut rest: &'a str, list: &mut Vec<Square>) -> Result<&'a str, String> {
    while let Some(after) = rest.strip_prefix(',') {
        let (square, after) = Square::split(after.trim_start())
            .ok_or_else(|| format!("expected a burned square at `{after}`"))?;
        list.push(square);
        rest = after.trim_start();
    }
    Ok(rest)
}
