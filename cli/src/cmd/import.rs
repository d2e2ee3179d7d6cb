//! `tenjiku import`: game texts to records.

use crate::game::{Game, GameName, GameTask, game_parser, parse_rules, with_game};
use anyhow::{Context, Result, bail};
use records::{GameRecord, Kind, PositionRecord, Provenance, SearchKind, ShardLimits, ShardWriter};
use rules::import::{ImportedGame, decode, import};
use rules::{Color, EndReason, GameMove, Outcome, Rules};
use std::path::PathBuf;

/// Imports game texts (TSA style, our move strings, USI `position` lines; KIF and CSA for shogi) to `games/` and `positions/`
/// Parquet.
///
/// A bad game is reported with file, line and reason, and skipped; the exit code is 1 if no game could be imported.
///
/// Example: tenjiku import game.txt --out runs/imported --rules western
#[derive(clap::Args)]
pub struct ImportArgs {
    /// Game texts, UTF-8 or Shift-JIS.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Run folder to add `games/` files to.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The game.
    #[arg(long, value_parser = game_parser(), default_value_t)]
    game: GameName,
    /// Rules for texts that do not name theirs.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
}

struct Import(ImportArgs);

impl GameTask for Import {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let rules = parse_rules::<P>("--rules", args.rules.as_deref())?;
        let provenance = Provenance {
            game: P::GAME.to_string(),
            rules: rules.name(),
            config_hash: String::new(),
            network_hash: String::new(),
            run_seed: 0,
            code_version: env!("CARGO_PKG_VERSION").to_string(),
            generation: 0,
            kind: Kind::Import,
        };
        // Made with the first good game: a failed import leaves no folders.
        let mut writer = None;
        let (mut good, mut bad) = (0u32, 0u32);
        for file in &args.files {
            let name = file.display();
            let bytes = std::fs::read(file).with_context(|| format!("{name}"))?;
            let text = match decode(&bytes) {
                Ok(text) => text,
                Err(why) => {
                    eprintln!("{name}: {why}; skipped");
                    bad += 1;
                    continue;
                }
            };
            let games = import::<P>(&text, &rules);
            if games.is_empty() {
                eprintln!("{name}: no game in it");
            }
            for game in games {
                match game {
                    Ok(game) if game.moves.is_empty() => {
                        eprintln!("{name}:{}: a game without moves; skipped", game.line)
                    }
                    Ok(game) => {
                        for remark in &game.remarks {
                            eprintln!(
                                "{name}:{}: move {}, `{}`: {}",
                                remark.line, remark.ply, remark.text, remark.what
                            );
                        }
                        let stem = file
                            .file_stem()
                            .unwrap_or_default()
                            .to_string_lossy()
                            .to_string();
                        let record = record::<P>(&game, &format!("{stem}-{}", game.line), good)?;
                        println!("{name}:{}: {} moves", game.line, game.moves.len());
                        let rows = rows(&game)?;
                        let writer = match &mut writer {
                            Some(writer) => writer,
                            none => none.insert(ShardWriter::<P>::new(
                                &args.out,
                                "import",
                                provenance.clone(),
                                ShardLimits::default(),
                            )?),
                        };
                        writer.push(&record, &rows)?;
                        good += 1;
                    }
                    Err(error) => {
                        eprintln!(
                            "{name}:{}: move {}, at `{}`: {}; skipped ({} moves before it are legal)",
                            error.line,
                            error.ply,
                            error.text,
                            error.why,
                            error.good.moves.len()
                        );
                        bad += 1;
                    }
                }
            }
        }
        if let Some(writer) = writer {
            writer.finish()?;
        }
        eprintln!(
            "{good} games imported to {}, {bad} skipped",
            args.out.display()
        );
        if good == 0 {
            bail!("no game could be imported");
        }
        Ok(())
    }
}

/// A row for each ply, as found without any search.
fn rows<P: Game>(game: &ImportedGame<P>) -> Result<Vec<PositionRecord>> {
    let mut position = P::from_sfen(&game.rules, &game.start_sfen)?;
    let (mut rows, mut legal) = (Vec::with_capacity(game.moves.len()), Vec::new());
    for &mv in &game.moves {
        position.legal_moves(&mut legal);
        rows.push(PositionRecord {
            snapshot: position.snapshot(),
            in_check: position.in_check(),
            legal_moves: legal.len() as u32,
            search: SearchKind::None,
            visits: 0,
            policy: None,
            played: mv.code(),
            root: None,
            net: None,
        });
        position.play(mv);
    }
    Ok(rows)
}

/// The game as a record. A text that stops in the middle of the game counts as adjudicated without a winner.
fn record<P: Game>(game: &ImportedGame<P>, id: &str, index: u32) -> Result<GameRecord> {
    let mut position = P::from_sfen(&game.rules, &game.start_sfen)?;
    for &mv in &game.moves {
        position.play(mv);
    }
    let said = |winner, reason| Outcome { winner, reason };
    let outcome = game
        .outcome
        .or(position.outcome())
        .unwrap_or(match game.result.as_deref() {
            Some("1-0") => said(Some(Color::Black), EndReason::Resignation),
            Some("0-1") => said(Some(Color::White), EndReason::Resignation),
            _ => said(None, EndReason::Adjudication),
        });
    let player = |name: &str| game.tag(name).unwrap_or("unknown").to_string();
    Ok(GameRecord {
        id: id.to_string(),
        generation: 0,
        index,
        rules: game.rules.name(),
        start_sfen: game.start_sfen.clone(),
        moves: game
            .moves
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
        winner: outcome.winner,
        reason: outcome.reason,
        final_sfen: position.sfen(),
        seed: 0,
        black: player("Black"),
        white: player("White"),
        network: None,
        play_on: false,
        resign_side: None,
        resign_ply: None,
        start_unix_ms: 0,
        duration_ms: 0,
    })
}

/// Runs the command.
pub fn run(args: ImportArgs) -> Result<()> {
    with_game(args.game, Import(args))
}
