//! `tenjiku export`: a network folder to one ONNX file that proves itself.

use crate::game::{Game, GameName, GameTask};
use crate::stages::export_network;
use anyhow::{Result, bail};
use evaluator::{RatingsFile, Role};
use inference::{Manifest, Precision};
use std::path::{Path, PathBuf};

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
    /// The network's rating, to be stated in the file: Elo in the pool of its run. If absent, that of the run's
    /// ratings.json, if the network is in there.
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
        let rating = args.rating.or_else(|| known_rating(&args.network));
        let report = export_network::<P>(&args.network, &args.out, rating, args.precision)?;
        let bytes = std::fs::metadata(&args.out)?.len();
        if args.json {
            let json = serde_json::json!({
                "file": args.out, "bytes": bytes, "canaries": report.positions,
                "rating": rating, "precision": args.precision.name(), "tolerance": args.precision.tolerance(),
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

/// The rating of a run's network, from the run's ratings.json. A file that is not there or cannot be read is no reason
/// not to export.
fn known_rating(network: &Path) -> Option<f64> {
    let generation = Manifest::read(network).ok()?.generation?;
    let folder = std::path::absolute(network).ok()?;
    let path = folder.parent()?.parent()?.join("ratings.json");
    let text = std::fs::read_to_string(&path).ok()?;
    match serde_json::from_str::<RatingsFile>(&text) {
        Ok(ratings) => ratings
            .players
            .into_iter()
            .find(|p| p.role == Role::Generation && p.generation == Some(generation))
            .and_then(|p| p.elo),
        Err(e) => {
            eprintln!("{}: {e}; exported without a rating", path.display());
            None
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use evaluator::RatedPlayer;
    use inference::{Architecture, fresh};

    #[test]
    fn a_rated_generation_is_exported_with_its_rating() {
        let dir = tempfile::tempdir().unwrap();
        let player = |generation, elo| RatedPlayer {
            name: format!("generation:{generation}:visits=32"),
            role: Role::Generation,
            generation: Some(generation),
            elo: Some(elo),
            low: None,
            high: None,
            one_sided: false,
            games: 10,
            score: Some(0.5),
        };
        let ratings = RatingsFile {
            version: RatingsFile::VERSION,
            game: "tenjiku".into(),
            rules: "historical".into(),
            anchor: None,
            anchor_elo: 0.0,
            games: 20,
            dispersion: 1.0,
            best_generation: Some(2),
            players: vec![player(1, 12.5), player(2, 200.0)],
        };
        let write = |generation| {
            let folder = dir.path().join("networks").join(format!("{generation:06}"));
            let input = encoding::spec::<rules::tenjiku::Tenjiku>();
            let architecture = Architecture {
                channels: 1,
                blocks: 1,
                policy_dim: 1,
                value_channels: 1,
                ..Architecture::default()
            };
            let weights = fresh::random_weights(&architecture, &input, 1);
            let mut manifest = Manifest {
                format: Manifest::FORMAT,
                generation: Some(generation),
                step: 0,
                parent: String::new(),
                hash: String::new(),
                rules: "historical".into(),
                code_version: "0.1.0".into(),
                input,
                architecture,
            };
            fresh::write_network(&folder, &mut manifest, &weights).unwrap();
            folder
        };
        let file = dir.path().join("ratings.json");
        assert_eq!(known_rating(&write(1)), None);
        std::fs::write(&file, serde_json::to_string(&ratings).unwrap()).unwrap();
        assert_eq!(known_rating(&write(1)), Some(12.5));
        assert_eq!(known_rating(&write(2)), Some(200.0));
        assert_eq!(known_rating(&write(3)), None);
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(known_rating(&write(1)), None);
    }
}
