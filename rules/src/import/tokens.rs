//! Cuts a game text into tokens. Knows the look of things, not their meaning.

/// A piece of the text and the line in which it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    /// Line, from 1.
    pub line: usize,
    /// What it is.
    pub kind: Kind,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `[Name "value"]`.
    Tag(String, String),
    /// `Name: value` on a line of its own: a tag before the moves, a comment among them.
    Header(String, String),
    /// What braces held, or what followed `;`, `#` or `%`.
    Comment(String),
    /// One or more empty lines.
    Blank,
    /// `12.`
    Number(u32),
    /// `...`, the move of the other side that is left out.
    Ellipsis,
    /// The whole of a line that begins with `position`, `startpos` or `sfen`.
    Usi(String),
    /// `1-0` and the like, or words about the end.
    Result(String),
    /// Anything else: a move, it is hoped.
    Word(String),
}

/// Words with which a line about the end of a game begins.
const ENDINGS: [&str; 14] = [
    "black",
    "white",
    "sente",
    "gote",
    "resigns",
    "resign",
    "resigned",
    "mate",
    "checkmate",
    "draw",
    "drawn",
    "time",
    "illegal",
    "abandoned",
];

/// Cuts the text up.
pub(super) fn split(text: &str) -> Vec<Token> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut tokens: Vec<Token> = Vec::new();
    // Line and text of a comment in braces that is still open.
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if open.is_none() && line.trim().is_empty() {
            tokens.push(Token {
                line: line_number,
                kind: Kind::Blank,
            });
            continue;
        }
        split_line(line_number, line, &mut open, &mut tokens);
    }
    if let Some((line, comment)) = open {
        tokens.push(Token {
            line,
            kind: Kind::Comment(comment.trim().to_string()),
        });
    }
    join_moves(tokens)
}

fn split_line(
    line: usize,
    text: &str,
    open: &mut Option<(usize, String)>,
    tokens: &mut Vec<Token>,
) {
    let mut rest = text;
    if open.is_none()
        && let Some(kind) = whole_line(rest.trim())
    {
        tokens.push(Token { line, kind });
        return;
    }
    loop {
        if let Some((start, mut comment)) = open.take() {
            let Some((end, after)) = rest.split_once('}') else {
                comment += rest;
                comment.push(' ');
                *open = Some((start, comment));
                return;
            };
            comment += end;
            tokens.push(Token {
                line: start,
                kind: Kind::Comment(comment.trim().to_string()),
            });
            rest = after;
        }
        let special = rest.find(['{', ';']).unwrap_or(rest.len());
        words(line, &rest[..special], tokens);
        match rest[special..].chars().next() {
            None => return,
            Some('{') => {
                *open = Some((line, String::new()));
                rest = &rest[special + 1..];
            }
            Some(_) => {
                let comment = rest[special + 1..].trim().to_string();
                tokens.push(Token {
                    line,
                    kind: Kind::Comment(comment),
                });
                return;
            }
        }
    }
}

/// Tags, USI lines, remarks and endings take whole lines.
fn whole_line(line: &str) -> Option<Kind> {
    if let Some(inner) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
        let (name, value) = inner.trim().split_once(char::is_whitespace)?;
        let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
        return Some(Kind::Tag(name.to_string(), value.to_string()));
    }
    if let Some(comment) = line.strip_prefix(['#', '%']) {
        return Some(Kind::Comment(comment.trim().to_string()));
    }
    let first = line.split_whitespace().next()?;
    if ["position", "startpos", "sfen"].contains(&first) {
        return Some(Kind::Usi(line.to_string()));
    }
    let (name, value) = line.split_once(':')?;
    let is_name = name.len() > 1 && name.bytes().all(|b| b.is_ascii_alphabetic());
    is_name.then(|| Kind::Header(name.to_string(), value.trim().to_string()))
}

fn words(line: usize, text: &str, tokens: &mut Vec<Token>) {
    let mut rest = text.trim_start();
    while let Some(first) = rest.split_whitespace().next() {
        if ENDINGS.contains(
            &first
                .trim_end_matches(['.', ',', '!'])
                .to_ascii_lowercase()
                .as_str(),
        ) {
            tokens.push(Token {
                line,
                kind: Kind::Result(rest.trim_end().to_string()),
            });
            return;
        }
        word(line, first, tokens);
        rest = rest[first.len()..].trim_start();
    }
}

fn word(line: usize, word: &str, tokens: &mut Vec<Token>) {
    let mut push = |kind| tokens.push(Token { line, kind });
    if ["1-0", "0-1", "1/2-1/2", "½-½", "*"].contains(&word) {
        return push(Kind::Result(word.to_string()));
    }
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, mut rest) = word.split_at(digits);
    if digits > 0 {
        let after = rest.strip_prefix(['.', ')']);
        match (number.parse(), after.or(rest.is_empty().then_some(""))) {
            (Ok(number), Some(after)) => {
                push(Kind::Number(number));
                rest = after;
            }
            _ => rest = word,
        }
    }
    let after_dots = rest.trim_start_matches(['.', '…']);
    if after_dots.len() < rest.len() {
        push(Kind::Ellipsis);
    }
    if !after_dots.is_empty() {
        push(Kind::Word(after_dots.to_string()));
    }
}

/// Puts together what blanks have torn apart: `SEg 5d-3f`, `FDx15k x!16j, 15j`.
fn join_moves(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let (
            Some(Token {
                kind: Kind::Word(before),
                ..
            }),
            Kind::Word(word),
        ) = (joined.last_mut(), &token.kind)
        {
            let letters = before.strip_prefix('+').unwrap_or(before);
            let is_name = (1..=3).contains(&letters.len())
                && letters.bytes().all(|b| b.is_ascii_alphabetic());
            let is_rest = word.starts_with(|c: char| c.is_ascii_digit() || "-–xX×".contains(c));
            if (is_name && is_rest) || before.ends_with(',') || word.starts_with("x!") {
                before.push_str(word);
                continue;
            }
        }
        joined.push(token);
    }
    joined
}
