//! Errors and exit codes: 1 when the work failed or input data are bad, 2 on wrong usage or config.

use clap::error::ErrorKind;
use std::fmt;
use std::process::ExitCode;

/// Wrong usage or config. Anything else that fails is bad input or failed work.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error as [`anyhow::Error`].
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Usage(message.into()))
}

/// No error, but a result that a command tells by an exit code of its own.
#[derive(Debug)]
struct Exit(u8);

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {}", self.0)
    }
}

impl std::error::Error for Exit {}

/// Ends the program with this exit code, and says nothing.
pub fn exit(code: u8) -> anyhow::Error {
    anyhow::Error::new(Exit(code))
}

/// Prints the error in one line (`verbose`: the chain of causes below it) and gives the exit code.
pub fn report(error: &anyhow::Error, verbose: bool) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    if let Some(Exit(code)) = error.downcast_ref() {
        return ExitCode::from(*code);
    }
    let line = if verbose {
        error.to_string()
    } else {
        format!("{error:#}")
    };
    eprintln!(
        "error: {}",
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    if verbose {
        for cause in error.chain().skip(1) {
            eprintln!("  caused by: {cause}");
        }
    }
    if error.downcast_ref::<Usage>().is_some() {
        ExitCode::from(2)
    } else {
        ExitCode::from(1)
    }
}

/// Prints what clap finds wrong with the command line, in one line that ends with where to look, and gives the exit code. Help and
/// versions are printed as they are.
pub fn wrong_usage(error: clap::Error, command: &clap::Command) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        error.exit();
    }
    let verb = std::env::args()
        .skip(1)
        .find(|word| command.find_subcommand(word).is_some())
        .map_or(String::new(), |verb| format!("{verb} "));
    eprintln!(
        "{}; see `tenjiku {verb}--help`",
        in_one_line(&error.to_string())
    );
    ExitCode::from(2)
}

/// Clap's message without the usage below it: `error: unrecognized subcommand 'lopp'; tip: a similar subcommand exists: 'loop'`.
fn in_one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let mut text = String::new();
    for line in
        lines.take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"))
    {
        match (text.is_empty(), line) {
            (_, "") => continue,
            (true, _) => {}
            (false, tip) if tip.starts_with("tip:") => text += "; ",
            _ => text.push(' '),
        }
        text += line;
    }
    text
}

/// `tenjiku moves | head` is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|e| e.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
