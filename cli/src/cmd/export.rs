//! `tenjiku export`: a network folder to one ONNX file that proves itself.

use crate::game::{Game, GameName, GameTask, with_game};
use crate::stages::export_network;
use anyhow::{Result, bail};
use inference::{Manifest, Precision};
use std::path::PathBuf;

/// Writes a network as ONNX with canary positions inside, and verifies the file.
///
/// Example: tenjiku export --network runs/quickstart/networks/000003 --out best.onnx --precision f16
#[derive(clap::Args)]
pub struct ExportArgs {
    /// Network folder.
    #[arg(long, value_name = "DIR")]
    network: PathBuf,
    /// File to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How exactly the file keeps the weights: f32, f16 (half the size) or int8 (a quarter, for what it costs see
    /// docs/export.md). The network always computes in f32.
    #[arg(long, default_value = "f32")]
    precision: Precision,
    /// The network's rating, to be stated in the file: Elo in the pool of its run.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    rating: Option<f64>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

struct Export(ExportArgs);

impl GameTask for Export {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let report = export_network::<P>(&args.network, &args.out, args.rating, args.precision)?;
        let bytes = std::fs::metadata(&args.out)?.len();
        if args.json {
            let json = serde_json::json!({
                "file": args.out, "bytes": bytes, "canaries": report.positions,
                "precision": args.precision.name(), "tolerance": args.precision.tolerance(),
                "max_policy_difference": report.policy, "max_wdl_difference": report.wdl,
                "max_moves_left_difference": report.moves_left, "policy_kl": report.policy_kl,
                "score_error": report.score_error,
            });
            println!("{json}");
        } else {
            println!(
                "{}: {} kB, {}; on {} canary positions it differs from libtorch by at most {:.1e} (policy) and {:.1e} (value), \
                 on average by {:.1e} nats and {:.1e} of the expected score",
                args.out.display(),
                bytes / 1000,
                args.precision,
                report.positions,
                report.policy,
                report.wdl,
                report.policy_kl,
                report.score_error
            );
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: ExportArgs) -> Result<()> {
    let manifest = Manifest::read(&args.network)?;
    let Ok(game) = manifest.input.game.parse::<GameName>() else {
        bail!(
            "{}: a network for the unknown game `{}`",
            args.network.display(),
            manifest.input.game
        );
    };
    with_game(game, Export(args))
}
