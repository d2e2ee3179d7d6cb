//! The USI `position` line.

/// Where a line starts and the moves it plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    /// The position string, or `None` for the initial position.
    pub sfen: Option<String>,
    /// Move strings.
    pub moves: Vec<&'a str>,
}

/// Reads `[position] startpos|sfen <string> [moves <move>...]`.
///
/// # Errors
/// What was expected.
pub(super) fn parse(line: &str) -> Result<Line<'_>, String> {
    let mut words = line.split_whitespace().peekable();
    words.next_if_eq(&"position");
    let sfen = match words.next() {
        Some("startpos") => None,
        Some("sfen") => {
            let mut fields = Vec::new();
            while let Some(field) = words.next_if(|word| *word != "moves") {
                fields.push(field);
            }
            Some(fields.join(" "))
        }
        _ => return Err("expected `startpos` or `sfen` after `position`".to_string()),
    };
    match words.next() {
        None | Some("moves") => Ok(Line {
            sfen,
            moves: words.collect(),
        }),
        Some(other) => Err(format!("expected `moves`, found `{other}`")),
    }
}
