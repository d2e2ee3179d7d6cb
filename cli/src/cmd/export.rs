//! `tenjiku export`: a network folder to one ONNX file that proves itself.

use crate::game::{Game, GameName, GameTask};
use crate::stages::export_network;
use anyhow::{Result, bail};
use inference::Manifest;
use std::path::PathBuf;

/// Writes a network as ONNX with canary positions inside, and verifies the file.
///
/// Example: tenjiku export --network runs/quickstart/networks/000003 --out best.onnx
#[derive(clap::Args)]
pub struct ExportArgs {
    /// Network folder.
    #[arg(long, value_name = "DIR")]
    network: PathBuf,
    /// File to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

struct Export(ExportArgs);

impl GameTask for Export {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let args = self.0;
        let report = export_network::<P>(&args.network, &args.out)?;
        let bytes = std::fs::metadata(&args.out)?.len();
        if args.json {
            let json = serde_json::json!({
                "file": args.out, "bytes": bytes, "canaries": report.positions,
                "max_policy_difference": report.policy, "max_wdl_difference": report.wdl,
            });
            println!("{json}");
        } else {
            println!(
                "{}: {} kB; on {} canary positions it differs from libtorch by at most {:.1e} (policy) and {:.1e} (value)",
                args.out.display(),
                bytes / 1000,
                report.positions,
                report.policy,
                report.wdl
            );
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: ExportArgs) -> Result<()> {
    let manifest = Manifest::read(&args.network)?;
    let Some(game) = GameName::from_name(&manifest.input.game) else {
        bail!(
            "{}: a network for the unknown game `{}`",
            args.network.display(),
            manifest.input.game
        );
    };
    game.run(Export(args))
}
