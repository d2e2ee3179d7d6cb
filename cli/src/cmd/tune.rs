//! `tenjiku tune`: fits the handcrafted evaluation's weights to games. The fit itself is in `engine::tune`.

use crate::failure::usage;
use anyhow::{Context, Result, anyhow, bail};
use engine::tune::{Sample, TuneParams, table, tune};
use records::{Dataset, GameRecord, Shape, write_atomic};
use rules::tenjiku::{RuleSet, Tenjiku};
use rules::{EndReason, Position, Rules};
use serde_json::json;
use std::path::PathBuf;

/// Fits the weights of tenjiku's handcrafted evaluation to the results of recorded games.
///
/// Tenjiku only: shogi's evaluation has no table of weights, and its games are refused.
///
/// Reads the games of folders with `games/` in them (runs, imports), replays them, leaves out positions in check or
/// before a capture or promotion, and prints `name<TAB>old<TAB>new` for each weight. One game in ten is kept apart to
/// measure on. See docs/engine.md for how the weights in force were made.
///
/// Example: tenjiku tune runs/quickstart
#[derive(clap::Args)]
pub struct TuneArgs {
    /// Folders with recorded games.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Plies at the start of each game that are left out.
    #[arg(long, default_value_t = 8)]
    skip_plies: usize,
    /// Passes over the positions.
    #[arg(long, default_value_t = TuneParams::default().epochs, value_parser = at_least_one)]
    epochs: usize,
    /// How strongly weights are held to what they are, 0 or more.
    #[arg(long, default_value_t = TuneParams::default().pull)]
    pull: f64,
    /// File for the table of weights.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n >= 1 => Ok(n),
        _ => Err("must be a whole number of at least 1".into()),
    }
}

/// The score of the game's end for Black; `None` where the end says nothing about the positions.
fn result(game: &GameRecord) -> Option<f32> {
    use EndReason::*;
    match game.reason {
        IllegalMove | Time | EngineFailure => None,
        RoyalCaptured | NoMoves | Repetition | PerpetualCheck | Declaration | Resignation
        | PlyCap | Adjudication => Some(match game.winner {
            Some(rules::Color::Black) => 1.0,
            Some(rules::Color::White) => 0.0,
            None => 0.5,
        }),
    }
}

/// The samples of one game.
fn samples(game: &GameRecord, skip_plies: usize) -> Result<Vec<Sample>> {
    let Some(black) = result(game) else {
        return Ok(Vec::new());
    };
    let rules = RuleSet::parse(&game.rules)?;
    let mut position = Tenjiku::from_sfen(&rules, &game.start_sfen)?;
    let mut samples = Vec::new();
    for (ply, text) in game.moves.split_ascii_whitespace().enumerate() {
        let mv = position
            .parse_move(text)
            .with_context(|| format!("ply {ply}"))?;
        let quiet = position.effects(mv).is_quiet() && !mv.promotes();
        if ply >= skip_plies && quiet && !position.in_check() {
            let own = match position.turn() {
                rules::Color::Black => black,
                rules::Color::White => 1.0 - black,
            };
            samples.push(Sample::new(&position, own));
        }
        position.play(mv);
    }
    Ok(samples)
}

/// Runs the command.
pub fn run(args: TuneArgs) -> Result<()> {
    if !(args.pull >= 0.0 && args.pull.is_finite()) {
        return Err(usage(format!(
            "--pull {}: must be a number of at least 0",
            args.pull
        )));
    }
    let (mut fitted, mut apart) = (Vec::new(), Vec::new());
    let mut games = 0u64;
    for dir in &args.dirs {
        if !dir.join("games").is_dir() {
            bail!(
                "{}: has no folder `games`; name a run or an import",
                dir.display()
            );
        }
        let dataset = Dataset::open(dir, &Shape::of::<Tenjiku>())?;
        let refused = dataset.refused();
        if let Some(first) = refused.first()
            && dataset.shards().is_empty()
        {
            bail!(
                "{}: no games of tenjiku in it: {}: {}",
                dir.display(),
                first.file.display(),
                first.reason
            );
        }
        for refused in refused {
            eprintln!("left out: {}: {}", refused.file.display(), refused.reason);
        }
        for shard in dataset.shards() {
            for game in dataset.games(shard)? {
                let new = samples(&game, args.skip_plies)
                    .with_context(|| format!("{}: game {}", dir.display(), game.id))?;
                let to = if games % 10 == 9 {
                    &mut apart
                } else {
                    &mut fitted
                };
                to.extend(new);
                games += 1;
            }
        }
    }
    eprintln!(
        "{games} games, {} positions to fit to, {} kept apart",
        fitted.len(),
        apart.len()
    );
    let params = TuneParams {
        epochs: args.epochs,
        pull: args.pull,
        ..TuneParams::default()
    };
    let tuned = tune(&fitted, &apart, &params).map_err(|e| anyhow!(e))?;
    let text = table(&tuned);
    if let Some(file) = &args.out {
        write_atomic(file, text.as_bytes()).with_context(|| format!("{}", file.display()))?;
    }
    if args.json {
        println!(
            "{}",
            json!({
                "games": games, "positions": fitted.len(), "apart": apart.len(), "scale": tuned.scale,
                "loss_before": tuned.before, "loss_after": tuned.after,
                "apart_before": tuned.apart.map(|a| a.0), "apart_after": tuned.apart.map(|a| a.1),
                "weights": tuned.weights,
            })
        );
        return Ok(());
    }
    print!("{text}");
    eprintln!(
        "scale {:.0}; loss {:.4} before, {:.4} after",
        tuned.scale, tuned.before, tuned.after
    );
    if let Some((before, after)) = tuned.apart {
        eprintln!("kept apart: loss {before:.4} before, {after:.4} after");
    }
    Ok(())
}
