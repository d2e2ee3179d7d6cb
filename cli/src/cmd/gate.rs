//! `tenjiku gate`: is the candidate better than the baseline?

use crate::cmd::play_match::{finished, print, two_players};
use crate::event_config::{EventArgs, EventConfig, SprtArgs};
use crate::event_stage::Event;
use crate::failure::exit;
use crate::game::{Game, GameTask, with_game};
use crate::progress::stop_on_signal;
use anyhow::Result;
use evaluator::Verdict;

/// Exit code of a rejected candidate.
const REJECTED: u8 = 3;
/// Exit code where the games did not suffice.
const UNDECIDED: u8 = 4;

/// Tests whether a candidate is better than a baseline, with a sequential test in normalised Elo.
///
/// Exit codes: 0 the candidate is accepted, 3 it is rejected, 4 the games did not suffice, 1 a game could not be
/// finished or the games are too much alike for a verdict, 2 wrong usage.
///
/// Example: tenjiku gate --candidate onnx:new.onnx:visits=64 --baseline onnx:best.onnx:visits=64 --games 2000 --out gate/
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct GateArgs {
    /// The player that wants to be better.
    #[arg(
        long,
        value_name = "SPEC",
        required_unless_present = "config",
        requires = "baseline"
    )]
    candidate: Option<String>,
    /// The player to beat.
    #[arg(long, value_name = "SPEC", requires = "candidate")]
    baseline: Option<String>,
    #[command(flatten)]
    test: SprtArgs,
    #[command(flatten)]
    event: EventArgs,
}

struct Gate(EventArgs, EventConfig);

impl GameTask for Gate {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let Gate(args, config) = self;
        let event = Event::<P>::of("gate", &config, &args.moves)?;
        let stop = stop_on_signal();
        let (report, _) = event.play(args.out.as_deref(), &stop)?;
        print(&report, args.json)?;
        finished(&report)?;
        match report.verdict {
            Verdict::Reject => Err(exit(REJECTED)),
            Verdict::Undecided => Err(exit(UNDECIDED)),
            Verdict::Accept | Verdict::Refused(_) | Verdict::None => Ok(()),
        }
    }
}

/// Runs the command.
pub fn run(args: GateArgs) -> Result<()> {
    let config = args.event.resolve("gate", |config| {
        if let (Some(candidate), Some(baseline)) = (&args.candidate, &args.baseline) {
            config.players = vec![candidate.clone(), baseline.clone()];
        }
        args.test.apply(config, true);
    })?;
    two_players(&config, "gate")?;
    with_game(config.game, Gate(args.event, config))
}
