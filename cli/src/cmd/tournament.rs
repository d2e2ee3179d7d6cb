//! `tenjiku tournament`: many players.

use crate::cmd::play_match::{finished, print};
use crate::event_config::{EventArgs, EventConfig};
use crate::event_stage::Event;
use crate::game::{Game, GameTask, with_game};
use crate::progress::stop_on_signal;
use anyhow::Result;
use evaluator::Format;
use std::path::PathBuf;

/// Plays a tournament: round robin, gauntlet, or a run's generations against a pool; and rates all players together.
///
/// With --out it can be stopped or killed at any moment, and the same command goes on. Exit code 1 if a game could not
/// be finished or it was stopped.
///
/// Example: tenjiku tournament --players random greedy engine:depth=1 engine:depth=2 --games 20 --anchor random --out out/
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct TournamentArgs {
    /// The players; in a gauntlet the challengers come first.
    #[arg(long, num_args = 1.., value_name = "SPEC", required_unless_present = "config")]
    players: Vec<String>,
    /// Who meets whom: round-robin, gauntlet, generations.
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    /// Challengers of a gauntlet.
    #[arg(long)]
    challengers: Option<usize>,
    /// The run whose networks play, with --format generations.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Every so many generations of the run one plays.
    #[arg(long)]
    every: Option<u32>,
    /// Playouts a move of the run's networks.
    #[arg(long)]
    visits: Option<u32>,
    #[command(flatten)]
    event: EventArgs,
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "round-robin" => Ok(Format::RoundRobin),
        "gauntlet" => Ok(Format::Gauntlet),
        "generations" => Ok(Format::Generations),
        _ => Err("must be round-robin, gauntlet or generations".into()),
    }
}

struct Tournament(EventArgs, EventConfig);

impl GameTask for Tournament {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let Tournament(args, config) = self;
        let event = Event::<P>::of("tournament", &config, &args.moves)?;
        let stop = stop_on_signal();
        let (report, _) = event.play(args.out.as_deref(), &stop)?;
        print(&report, args.json)?;
        finished(&report)
    }
}

/// Runs the command.
pub fn run(args: TournamentArgs) -> Result<()> {
    let config = args.event.resolve("tournament", |config| {
        if !args.players.is_empty() {
            config.players.clone_from(&args.players);
        }
        config.format = args.format.unwrap_or(config.format);
        config.challengers = args.challengers.unwrap_or(config.challengers);
        config.every = args.every.unwrap_or(config.every);
        config.visits = args.visits.unwrap_or(config.visits);
        config.run = args.run.clone().or(config.run.take());
    })?;
    with_game(config.game, Tournament(args.event, config))
}
