//! `tenjiku show`: the board, as text or SVG.

use crate::game::{Game, GameTask, PositionArgs, with_game};
use anyhow::{Context, Result};
use records::write_atomic;
use rules::show::{Labels, SvgOptions, TextOptions, losses, svg, text};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Shows a position: the board, and the position string in the last line.
///
/// Example: tenjiku show --kanji --moves "7l7k 5d3f"
#[derive(clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Write an SVG picture instead of text.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Kanji instead of letters (in SVG kanji are the default).
    #[arg(long)]
    kanji: bool,
    /// Letters in SVG too, for those who do not read kanji.
    #[arg(long, conflicts_with = "kanji")]
    letters: bool,
}

struct Show(ShowArgs);

impl GameTask for Show {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let position: P = args.position.position()?;
        // The position before the last move knows what that move burned.
        let last = match args.position.moves.split_whitespace().next_back() {
            None => None,
            Some(word) => {
                let mut before = position.clone();
                before.undo();
                let mv = before.parse_move(word)?;
                Some((before, mv))
            }
        };
        let last_move = last.as_ref().map(|(_, mv)| *mv);
        if let Some(path) = &args.svg {
            let labels = if args.letters {
                Labels::Letters
            } else {
                Labels::Kanji
            };
            let marks = last
                .as_ref()
                .map_or(Vec::new(), |(before, mv)| losses(before, *mv));
            let picture = svg(
                &position,
                &SvgOptions {
                    labels,
                    last_move,
                    marks,
                    ..SvgOptions::default()
                },
            );
            write_atomic(path, picture.as_bytes())
                .with_context(|| format!("{}", path.display()))?;
            println!("{}", path.display());
            return Ok(());
        }
        let labels = if args.kanji {
            Labels::Kanji
        } else {
            Labels::Letters
        };
        let color = std::io::stdout().is_terminal();
        print!(
            "{}",
            text(
                &position,
                &TextOptions {
                    labels,
                    color,
                    last_move
                }
            )
        );
        println!("sfen: {}", position.sfen());
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: ShowArgs) -> Result<()> {
    with_game(args.position.game, Show(args))
}
