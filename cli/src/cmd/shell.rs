//! `tenjiku completions` and `tenjiku man`: what a shell and `man` need, made from the same definitions as `--help`.

use crate::failure::usage;
use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;

/// Prints the completions of a shell.
///
/// Example: tenjiku completions bash > ~/.local/share/bash-completion/completions/tenjiku
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Writes a man page for every command into a folder.
///
/// Example: tenjiku man --out man && man man/tenjiku-loop.1
#[derive(clap::Args)]
pub struct ManArgs {
    /// The folder; it is made if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `completions`.
pub fn completions(args: CompletionsArgs, mut command: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tenjiku", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(())
}

/// Runs `man`.
pub fn man(args: ManArgs, command: Command) -> Result<()> {
    let out = &args.out;
    if out.is_file() {
        return Err(usage(format!(
            "--out {}: is a file; name a folder",
            out.display()
        )));
    }
    std::fs::create_dir_all(out).with_context(|| format!("{}: cannot make it", out.display()))?;
    clap_mangen::generate_to(command, out)
        .with_context(|| format!("{}: cannot write into it", out.display()))?;
    eprintln!("man pages in {}", out.display());
    Ok(())
}
