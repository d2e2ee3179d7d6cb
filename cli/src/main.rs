//! The `tenjiku` command: thin subcommands over the crates.

mod cmd;
mod config;
mod failure;
mod game;
mod progress;
mod run_config;
mod stages;
mod train_stage;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Self-play training and research for tenjiku shogi.
///
/// Exit codes: 0 success, 1 the work failed or input data are bad, 2 wrong usage or config. Results go to standard
/// output, progress and messages to standard error.
///
/// Example: tenjiku loop --config configs/quickstart.toml
#[derive(Parser)]
#[command(name = "tenjiku", version, verbatim_doc_comment)]
struct Cli {
    /// Print the chain of causes below an error.
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Perft(cmd::position::PerftArgs),
    Moves(cmd::position::MovesArgs),
    Show(cmd::show::ShowArgs),
    Import(cmd::import::ImportArgs),
    Loop(cmd::run_loop::LoopArgs),
    Selfplay(cmd::selfplay::SelfplayArgs),
    Train(cmd::train::TrainArgs),
    Match(cmd::play_match::MatchArgs),
    Tune(cmd::tune::TuneArgs),
    Export(cmd::export::ExportArgs),
    Analyze(cmd::analyze::AnalyzeArgs),
    Inspect(cmd::inspect::InspectArgs),
    Doctor(cmd::doctor::DoctorArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.verb {
        Verb::Perft(args) => cmd::position::perft(args),
        Verb::Moves(args) => cmd::position::moves(args),
        Verb::Show(args) => cmd::show::run(args),
        Verb::Import(args) => cmd::import::run(args),
        Verb::Loop(args) => cmd::run_loop::run(args),
        Verb::Selfplay(args) => cmd::selfplay::run(args),
        Verb::Train(args) => cmd::train::run(args),
        Verb::Match(args) => cmd::play_match::run(args),
        Verb::Tune(args) => cmd::tune::run(args),
        Verb::Export(args) => cmd::export::run(args),
        Verb::Analyze(args) => cmd::analyze::run(args),
        Verb::Inspect(args) => cmd::inspect::run(args),
        Verb::Doctor(args) => cmd::doctor::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, cli.verbose),
    }
}
