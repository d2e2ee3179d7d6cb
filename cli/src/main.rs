//! The `tenjiku` command: thin subcommands over the crates.

mod cmd;
mod config;
mod event_config;
mod event_stage;
mod event_table;
mod explain;
mod failure;
mod game;
mod live;
mod loop_matches;
mod machine;
mod progress;
mod ratings_stage;
mod run_config;
mod selfplay_stage;
mod stages;
mod status;
mod train_stage;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Self-play training and research for tenjiku shogi.
///
/// Exit codes: 0 success, 1 the work failed or input data are bad, 2 wrong usage or config (`gate` has more). Results go to standard
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
    Tournament(cmd::tournament::TournamentArgs),
    Gate(cmd::gate::GateArgs),
    Openings(cmd::openings::OpeningsArgs),
    Ratings(cmd::ratings::RatingsArgs),
    Tune(cmd::tune::TuneArgs),
    Export(cmd::export::ExportArgs),
    Analyze(cmd::analyze::AnalyzeArgs),
    Inspect(cmd::inspect::InspectArgs),
    Replay(cmd::replay::ReplayArgs),
    Bench(cmd::bench::BenchArgs),
    Status(cmd::status::StatusArgs),
    Report(cmd::report::ReportArgs),
    Serve(cmd::serve::ServeArgs),
    Doctor(cmd::doctor::DoctorArgs),
    Config(cmd::config::ConfigArgs),
    Completions(cmd::shell::CompletionsArgs),
    Man(cmd::shell::ManArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::wrong_usage(error, &Cli::command()),
    };
    let result = match cli.verb {
        Verb::Perft(args) => cmd::position::perft(args),
        Verb::Moves(args) => cmd::position::moves(args),
        Verb::Show(args) => cmd::show::run(args),
        Verb::Import(args) => cmd::import::run(args),
        Verb::Loop(args) => cmd::run_loop::run(args),
        Verb::Selfplay(args) => cmd::selfplay::run(args),
        Verb::Train(args) => cmd::train::run(args),
        Verb::Match(args) => cmd::play_match::run(args),
        Verb::Tournament(args) => cmd::tournament::run(args),
        Verb::Gate(args) => cmd::gate::run(args),
        Verb::Openings(args) => cmd::openings::run(args),
        Verb::Ratings(args) => cmd::ratings::run(args),
        Verb::Tune(args) => cmd::tune::run(args),
        Verb::Export(args) => cmd::export::run(args),
        Verb::Analyze(args) => cmd::analyze::run(args),
        Verb::Inspect(args) => cmd::inspect::run(args),
        Verb::Replay(args) => cmd::replay::run(args),
        Verb::Bench(args) => cmd::bench::run(args),
        Verb::Status(args) => cmd::status::run(args),
        Verb::Report(args) => cmd::report::run(args),
        Verb::Serve(args) => cmd::serve::run(args),
        Verb::Doctor(args) => cmd::doctor::run(args),
        Verb::Config(args) => cmd::config::run(args),
        Verb::Completions(args) => cmd::shell::completions(args, Cli::command()),
        Verb::Man(args) => cmd::shell::man(args, Cli::command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, cli.verbose),
    }
}
