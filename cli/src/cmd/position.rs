//! `perft`, `moves`: the rules core from the command line.

use crate::failure::usage;
use crate::game::{Game, GameName, GameTask, PositionArgs, with_game};
use anyhow::Result;
use rayon::prelude::*;
use rules::batch::{Answer, Query, sorted_moves, status};
use serde::Serialize;
use std::io::{BufRead, Write};

/// Counts legal move sequences of exactly DEPTH plies.
///
/// Example: tenjiku perft 3 --divide --threads 2
#[derive(clap::Args)]
pub struct PerftArgs {
    /// Number of plies.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    #[command(flatten)]
    position: PositionArgs,
    /// Prints `move<TAB>count` for each first move before the total.
    #[arg(long)]
    divide: bool,
    /// Worker threads.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
}

struct Perft(PerftArgs);

impl GameTask for Perft {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let position: P = args.position.position()?;
        let mut out = std::io::stdout().lock();
        if args.depth == 0 {
            writeln!(out, "1")?;
            return Ok(());
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(args.threads as usize)
            .build()?;
        let counts: Vec<u64> = pool.install(|| {
            moves
                .par_iter()
                .map(|&mv| {
                    let mut position = position.clone();
                    position.play(mv);
                    rules::perft(&position, args.depth as usize - 1)
                })
                .collect()
        });
        if args.divide {
            let mut lines: Vec<(String, u64)> = moves
                .iter()
                .zip(&counts)
                .map(|(mv, &count)| (mv.to_string(), count))
                .collect();
            lines.sort();
            for (mv, count) in lines {
                writeln!(out, "{mv}\t{count}")?;
            }
        }
        writeln!(out, "{}", counts.iter().sum::<u64>())?;
        Ok(())
    }
}

/// Runs `tenjiku perft`.
pub fn perft(args: PerftArgs) -> Result<()> {
    with_game(args.position.game, Perft(args))
}

/// Lists the legal moves, one a line, sorted by bytes.
///
/// With `--batch -`, reads JSON lines {"game","rules","sfen","moves":[..]} from standard input (all but sfen
/// optional, empty sfen = start) and writes one JSON line each.
///
/// Example: tenjiku moves --moves "7l7k 5d3f"
#[derive(clap::Args)]
pub struct MovesArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// `-`: answer JSON lines from standard input, one a line; empty lines are skipped.
    #[arg(long, value_name = "-")]
    batch: Option<String>,
}

struct Moves(MovesArgs);

impl GameTask for Moves {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let position: P = self.0.position.position()?;
        let mut out = std::io::stdout().lock();
        for mv in sorted_moves(&position) {
            writeln!(out, "{mv}")?;
        }
        if let Some(outcome) = position.outcome() {
            eprintln!(
                "the game is over: {} ({})",
                status(Some(outcome)),
                outcome.reason.name()
            );
        }
        Ok(())
    }
}

/// Runs `tenjiku moves`.
pub fn moves(args: MovesArgs) -> Result<()> {
    match args.batch.as_deref() {
        None => with_game(args.position.game, Moves(args)),
        Some("-") if args.position.sfen.is_some() || !args.position.moves.is_empty() => Err(usage(
            "--batch -: takes positions from standard input; leave --sfen and --moves out",
        )),
        Some("-") => batch(),
        Some(other) => Err(usage(format!(
            "--batch {other}: only `-`, standard input, is supported"
        ))),
    }
}

#[derive(Serialize)]
struct Refusal {
    error: String,
}

impl GameTask for &Query {
    type Output = Result<Answer, String>;
    fn run<P: Game>(self) -> Self::Output {
        self.answer::<P>()
    }
}

/// Answers one line, for the game that it names.
fn answer(line: &[u8]) -> Result<Answer, String> {
    let query = Query::read(line)?;
    let game = match &query.game {
        None => GameName::default(),
        Some(name) => name
            .parse::<GameName>()
            .map_err(|_| format!("game {name}: unknown; `tenjiku moves --help` lists the games"))?,
    };
    with_game(game, &query)
}

/// Answers JSON lines until the end of input; a bad line gets an `error` line and does not stop the rest.
fn batch() -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match answer(line) {
            Ok(answer) => serde_json::to_writer(&mut out, &answer)?,
            Err(error) => serde_json::to_writer(&mut out, &Refusal { error })?,
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}
