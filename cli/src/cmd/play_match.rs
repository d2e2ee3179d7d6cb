//! `tenjiku match`: two players, head to head.

use crate::event_config::{EventArgs, EventConfig, SprtArgs};
use crate::event_stage::Event;
use crate::failure::usage;
use crate::game::{Game, GameTask, with_game};
use crate::progress::stop_on_signal;
use anyhow::{Result, bail};
use evaluator::{Format, Report, Verdict, text};

/// Plays colour-swapped pairs of games between two players and tells score and Elo with 95 % intervals.
///
/// Players: random, greedy, engine:depth=N|nodes=N|movetime=MS, net:DIR:visits=N, onnx:FILE:visits=N,
/// usi:"COMMAND":movetime=MS, cecp:"COMMAND":movetime=MS.
///
/// With --elo0, --elo1, --alpha or --beta a sequential test in normalised Elo ends the match as soon as it decides.
/// With --out every finished game is kept as Parquet and as text, and the same command goes on after a stop or a kill.
/// Exit code 0 if all games were played, 1 if a game could not be finished, the match was stopped, or the verdict of
/// the test is refused.
///
/// Example: tenjiku match --players net:runs/quickstart/networks/000003:visits=32 random --games 40 --out out/
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct MatchArgs {
    /// The two players.
    #[arg(long, num_args = 2, value_names = ["SPEC", "SPEC"], required_unless_present = "config")]
    players: Vec<String>,
    #[command(flatten)]
    test: SprtArgs,
    #[command(flatten)]
    event: EventArgs,
}

struct Match(EventArgs, EventConfig);

impl GameTask for Match {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let Match(args, config) = self;
        let event = Event::<P>::of("match", &config, &args.moves)?;
        let stop = stop_on_signal();
        let (report, _) = event.play(args.out.as_deref(), &stop)?;
        print(&report, args.json)?;
        finished(&report)
    }
}

/// The report on standard output.
pub fn print(report: &Report, json: bool) -> Result<()> {
    match json {
        true => println!("{}", serde_json::to_string(report)?),
        false => print!("{}", text(report)),
    }
    Ok(())
}

/// An error unless all games could be played and their verdict stands.
pub fn finished(report: &Report) -> Result<()> {
    if !report.complete {
        bail!(
            "the event was stopped; its report counts {} games",
            report.games
        );
    }
    if report.pairs_dropped > 0 {
        bail!(
            "{} pairs could not be finished because a player failed",
            report.pairs_dropped
        );
    }
    if let Verdict::Refused(reason) = &report.verdict {
        bail!("the verdict is refused: {reason}");
    }
    Ok(())
}

/// Two players, each meeting the other.
pub fn two_players(config: &EventConfig, verb: &str) -> Result<()> {
    if config.players.len() != 2 || config.format == Format::Generations {
        return Err(usage(format!(
            "{verb}.players: {} players, must be two; for more use `tenjiku tournament`",
            config.players.len()
        )));
    }
    Ok(())
}

/// Runs the command.
pub fn run(args: MatchArgs) -> Result<()> {
    let config = args.event.resolve("match", |config| {
        if !args.players.is_empty() {
            config.players.clone_from(&args.players);
        }
        args.test.apply(config, false);
    })?;
    two_players(&config, "match")?;
    with_game(config.game, Match(args.event, config))
}
