//! `tenjiku report`: a run as one HTML page.

use anyhow::{Context, Result};
use records::write_atomic;
use std::path::PathBuf;

/// Writes one self-contained HTML page on a run: curves, ratings, speed, and games to replay.
///
/// Example: tenjiku report --run runs/quickstart
#[derive(clap::Args)]
pub struct ReportArgs {
    /// The run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// The file to write; `report.html` in the run directory if absent.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: ReportArgs) -> Result<()> {
    let page = web::report(&args.run)?;
    let out = args.out.unwrap_or_else(|| args.run.join("report.html"));
    write_atomic(&out, page.as_bytes()).with_context(|| format!("{}", out.display()))?;
    println!("{}", out.display());
    Ok(())
}
