//! Writing a network folder as one ONNX file with documentation and canaries, and proving the result.

use crate::metadata::{Metadata, PRODUCER, weights_sha256};
use crate::proto::property;
use crate::weights::Weights;
use crate::{
    CANARIES, Canary, Manifest, NetworkFileError, OnnxFile, Precision, Report, Runtime, canary,
    file, graph,
};
use encoding::Encoded;
use files::PartFile;
use mcts::LeafEvaluator;
use prost::Message;
use std::path::Path;
use tract_onnx::pb;

/// ONNX IR version of our files.
const IR_VERSION: i64 = 8;
/// Operator set of our files.
const OPSET: i64 = 17;
/// Seed of the random games behind the canaries.
const CANARY_SEED: u64 = 0x7e11_1c0d;

/// What the exported file has beyond the network folder.
#[derive(Clone, Debug, Default)]
pub struct Documentation {
    /// Name of each plane.
    pub plane_names: Vec<String>,
    /// Name of each global.
    pub global_names: Vec<String>,
    /// Name of each mark of a move.
    pub mark_names: Vec<String>,
    /// The network's rating, if known: Elo in the pool of its run.
    pub rating: Option<f64>,
    /// How exactly it keeps the weights.
    pub precision: Precision,
}

/// Exports the network folder `network` to `out`, with canaries answered by `evaluator` (the original network, run by
/// other code than the exported file's). The file is proven before it gets its name: see [`verify`].
///
/// # Errors
/// As [`export`]; and if `evaluator` fails.
pub fn export_network<P: Encoded>(
    network: &Path,
    evaluator: &mut dyn LeafEvaluator<P>,
    rating: Option<f64>,
    precision: Precision,
    out: &Path,
) -> Result<Report, NetworkFileError> {
    let manifest = Manifest::read(network)?;
    let error = |reason: String| NetworkFileError::new(network.join(Manifest::FILE), reason);
    file::fits(&manifest.input, &encoding::spec::<P>()).map_err(error)?;
    let rules =
        <P::Rules as rules::Rules>::parse(&manifest.rules).map_err(|e| error(e.to_string()))?;
    let canaries = canary::make_canaries::<P>(&rules, evaluator, CANARIES, CANARY_SEED)
        .map_err(|e| NetworkFileError::new(network, format!("cannot make canaries: {e}")))?;
    let documentation = Documentation {
        plane_names: P::plane_names(),
        global_names: P::global_names(),
        mark_names: P::mark_names(),
        rating,
        precision,
    };
    let model = build_model(network, &P::plane_table(), &documentation, &canaries)?;
    write_proven(out, &model, |path| verify::<P>(path))
}

/// Exports the network folder `network` to `out` with given canaries, for code that is not generic over the game.
/// `plane_table` is `[K, P]`, row-major, as [`Encoded::plane_table`] gives it.
///
/// The file is written under a temporary name, loaded again, run on the canaries, and only then renamed: a file that
/// is there is whole and right.
///
/// # Errors
/// A bad network folder (see [`Weights::read`]), dimensions of the plane table or the names that do not fit, canaries
/// with other answers than the exported network's, or a failure to write.
pub fn export(
    network: &Path,
    plane_table: &[f32],
    documentation: &Documentation,
    canaries: &[Canary],
    out: &Path,
) -> Result<Report, NetworkFileError> {
    let model = build_model(network, plane_table, documentation, canaries)?;
    write_proven(out, &model, |path| prove(&OnnxFile::open(path)?))
}

/// Loads an exported file and compares it with its canaries at batch sizes 1, 2, an odd one and all at once; and this
/// program's rules and encoding with what they say.
///
/// # Errors
/// As [`OnnxFile::open`]; another game; a difference of more than [`Precision::tolerance`].
pub fn verify<P: Encoded>(path: &Path) -> Result<Report, NetworkFileError> {
    let file = OnnxFile::open(path)?;
    file.check_game::<P>()?;
    canary::check_positions::<P>(file.canaries()).map_err(|reason| file.error(reason))?;
    prove(&file)
}

fn prove(file: &OnnxFile) -> Result<Report, NetworkFileError> {
    let mut backend = file.backend(Runtime::Auto, 1)?;
    let (mut worst, tolerance) = (Report::default(), file.metadata().precision.tolerance());
    for batch in [1, 2, 7, file.canaries().len()] {
        let report = canary::check_answers(file.canaries(), tolerance, backend.as_mut(), batch)
            .map_err(|reason| {
                file.error(format!("{reason} ({}, batch {batch})", backend.describe()))
            })?;
        worst = worst.worst(report);
    }
    Ok(worst)
}

/// Builds the ONNX model of a network folder.
///
/// # Errors
/// As [`export`], but for writing and proving.
pub fn build_model(
    network: &Path,
    plane_table: &[f32],
    documentation: &Documentation,
    canaries: &[Canary],
) -> Result<Vec<u8>, NetworkFileError> {
    let (manifest, weights) = Weights::read(network)?;
    let input = &manifest.input;
    for (what, length, expected) in [
        (
            "plane table values",
            plane_table.len(),
            input.codes * input.planes,
        ),
        ("plane names", documentation.plane_names.len(), input.planes),
        (
            "global names",
            documentation.global_names.len(),
            input.globals,
        ),
        ("mark names", documentation.mark_names.len(), input.marks),
    ] {
        if length != expected {
            return Err(NetworkFileError::new(
                network.join(Manifest::FILE),
                format!(
                    "the network reads {expected} {what}, this program has {length}; they do not belong together"
                ),
            ));
        }
    }
    let graph = graph::build(
        &manifest.architecture,
        input,
        &weights,
        plane_table,
        documentation.precision,
    );
    let metadata = Metadata::of(&manifest, documentation);
    let canaries = serde_json::to_string(canaries)
        .map_err(|e| NetworkFileError::new(network, format!("cannot write canaries: {e}")))?;
    let mut properties = metadata.properties(&weights_sha256(&graph), canaries);
    if !manifest.parent.is_empty() {
        properties.push(property("tenjiku.parent_hash", &manifest.parent));
    }
    let model = pb::ModelProto {
        ir_version: IR_VERSION,
        producer_name: PRODUCER.to_string(),
        producer_version: env!("CARGO_PKG_VERSION").to_string(),
        doc_string: format!("{} network, {} steps", input.game, manifest.step),
        opset_import: vec![pb::OperatorSetIdProto {
            domain: String::new(),
            version: OPSET,
        }],
        graph: Some(graph),
        metadata_props: properties,
        ..Default::default()
    };
    Ok(model.encode_to_vec())
}

/// Writes the model, lets `check` load it again, and gives it its name if that is content.
fn write_proven(
    out: &Path,
    model: &[u8],
    check: impl FnOnce(&Path) -> Result<Report, NetworkFileError>,
) -> Result<Report, NetworkFileError> {
    let io = |e: std::io::Error| NetworkFileError::new(out, format!("cannot write the file: {e}"));
    let part = PartFile::write(out, model).map_err(io)?;
    let report = check(part.part()).map_err(|e| {
        NetworkFileError::new(
            out,
            format!("not written, the exported network is wrong: {}", e.reason),
        )
    })?;
    part.commit().map_err(io)?;
    Ok(report)
}
