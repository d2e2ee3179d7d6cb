//! Every way in which an exported file or a network folder can be wrong is refused with its reason.

mod common;

use common::toy::Toy;
use common::{Net, Tensors, architecture, spec};
use inference::{
    Architecture, BatchEvaluator, Documentation, Manifest, OnnxFile, Precision, Runtime, Trunk,
    Weights, export, export_network, open_backend, open_evaluator, verify,
};
use prost::Message;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tract_onnx::pb;

/// A network for the toy game, exported with good canaries.
fn exported() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("network");
    let out = dir.path().join("net.onnx");
    let net = Net::arbitrary(architecture(Trunk::Gpool), encoding::spec::<Toy>(), 3);
    net.write(&folder);
    export_network::<Toy>(
        &folder,
        &mut evaluator(&folder),
        Some(1500.0),
        Precision::F32,
        &out,
    )
    .unwrap();
    (dir, out)
}

/// Runs the network folder on tract. (The real thing is libtorch; here it stands in for any second opinion.)
fn evaluator(folder: &Path) -> BatchEvaluator<Toy> {
    use encoding::Encoded;
    let documentation = Documentation {
        plane_names: Toy::plane_names(),
        global_names: Toy::global_names(),
        mark_names: Toy::mark_names(),
        rating: None,
        precision: Precision::F32,
    };
    let bytes = inference::build_model(folder, &Toy::plane_table(), &documentation, &[]).unwrap();
    let path = folder.join("tract.onnx");
    std::fs::write(&path, bytes).unwrap();
    open_evaluator::<Toy>(&path, Runtime::Tract, 1, false).unwrap()
}

/// The reason why the changed file is refused.
fn refused(change: impl FnOnce(&mut pb::ModelProto)) -> String {
    let (_dir, path) = exported();
    let mut model = pb::ModelProto::decode(std::fs::read(&path).unwrap().as_slice()).unwrap();
    change(&mut model);
    std::fs::write(&path, model.encode_to_vec()).unwrap();
    reason(&path)
}

fn reason(path: &Path) -> String {
    let error = open_evaluator::<Toy>(path, Runtime::Auto, 1, true)
        .err()
        .expect("refused")
        .to_string();
    assert!(
        error.starts_with(&path.display().to_string()),
        "names the file: {error}"
    );
    error
}

#[track_caller]
fn says(error: &str, words: &[&str]) {
    for word in words {
        assert!(error.contains(word), "`{word}` not in: {error}");
    }
}

fn set(model: &mut pb::ModelProto, key: &str, value: &str) {
    model
        .metadata_props
        .iter_mut()
        .find(|p| p.key == key)
        .unwrap()
        .value = value.into();
}

fn replace(model: &mut pb::ModelProto, key: &str, from: &str, to: &str) {
    let property = model
        .metadata_props
        .iter_mut()
        .find(|p| p.key == key)
        .unwrap();
    assert!(property.value.contains(from), "{}", property.value);
    property.value = property.value.replace(from, to);
}

#[test]
fn the_unchanged_file_is_accepted() {
    let (_dir, path) = exported();
    let report = verify::<Toy>(&path).unwrap();
    assert_eq!(report.positions, 32);
    assert!(report.policy < 1e-4 && report.wdl < 1e-4 && report.moves_left < 1e-4);
    let file = OnnxFile::open(&path).unwrap();
    assert_eq!(file.metadata().step, 1234);
    assert_eq!(file.metadata().generation, Some(4));
    assert_eq!(file.metadata().rating, Some(1500.0));
    assert_eq!(file.metadata().rules, "historical");
    assert_eq!(file.canaries()[0].sfen, "ppp/.../.../PPP b 00 1");
}

#[test]
fn missing_file() {
    let dir = tempfile::tempdir().unwrap();
    says(
        &reason(&dir.path().join("none.onnx")),
        &["none.onnx", "cannot read"],
    );
}

#[test]
fn not_onnx() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("net.onnx");
    for bytes in [&b"PK\x03\x04 a zip file"[..], b"hello", &[0xff; 300]] {
        std::fs::write(&path, bytes).unwrap();
        says(&reason(&path), &["not an ONNX"]);
    }
    std::fs::write(&path, b"").unwrap();
    says(&reason(&path), &["empty"]);
}

#[test]
fn truncated_at_any_length() {
    let (_dir, path) = exported();
    let bytes = std::fs::read(&path).unwrap();
    for length in (20..bytes.len()).step_by(bytes.len() / 97) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let error = reason(&path);
        assert!(
            error.contains("truncated") || error.contains("is missing"),
            "at {length}: {error}"
        );
    }
}

#[test]
fn flipped_bytes_never_panic_and_never_pass_in_the_weights() {
    let (_dir, path) = exported();
    let bytes = std::fs::read(&path).unwrap();
    for position in (0..bytes.len()).step_by(bytes.len() / 61) {
        let mut changed = bytes.clone();
        changed[position] ^= 0x10;
        std::fs::write(&path, &changed).unwrap();
        let _ = open_evaluator::<Toy>(&path, Runtime::Tract, 1, true).map(|_| ());
    }
}

#[test]
fn tampered_weight() {
    let error = refused(|model| {
        let tensors = &mut model.graph.as_mut().unwrap().initializer;
        let tensor = tensors
            .iter_mut()
            .find(|t| t.name == "blocks.1.conv2.weight")
            .unwrap();
        tensor.raw_data[2] ^= 1;
    });
    says(&error, &["weights were changed", "SHA-256"]);
}

#[test]
fn tampered_graph_is_found_by_the_canaries() {
    let error = refused(|model| {
        let nodes = &mut model.graph.as_mut().unwrap().node;
        nodes
            .iter_mut()
            .find(|n| n.name == "policy.relu")
            .unwrap()
            .op_type = "Sigmoid".into();
    });
    says(&error, &["canary 1 ", "policy of"]);
}

#[test]
fn tampered_canary() {
    says(
        &refused(|m| replace(m, "tenjiku.canaries", "\"wdl\":[0.", "\"wdl\":[0.1")),
        &["canary", "win"],
    );
    says(
        &refused(|m| replace(m, "tenjiku.canaries", "\"0-3\"", "\"0-9\"")),
        &["canary", "legal", "other rules"],
    );
    says(
        &refused(|m| replace(m, "tenjiku.canaries", "historical", "modern")),
        &["canary 1", "rules", "modern"],
    );
    says(
        &refused(|m| replace(m, "tenjiku.canaries", "historical", "historical,jumps=no")),
        &["global 2", "encoding"],
    );
    says(
        &refused(|m| replace(m, "tenjiku.canaries", "\"squares\":[", "\"squares\":[0,")),
        &["does not fit"],
    );
    says(
        &refused(|m| set(m, "tenjiku.canaries", "[{}]")),
        &["tenjiku.canaries", "cannot be read"],
    );
}

#[test]
fn other_game_or_encoding() {
    let encoding = "tenjiku.encoding";
    let error = refused(|m| {
        replace(m, encoding, "toy", "go");
        set(m, "tenjiku.game", "go");
    });
    says(&error, &["network for go", "this is toy"]);
    says(
        &refused(|m| replace(m, encoding, "toy", "go")),
        &["contradict"],
    );
    says(
        &refused(|m| replace(m, encoding, "\"version\":3", "\"version\":4")),
        &["version 4", "update this program"],
    );
    says(
        &refused(|m| replace(m, encoding, "\"version\":3", "\"version\":2")),
        &["version 2", "writes version 3"],
    );
    says(
        &refused(|m| replace(m, encoding, "\"planes\":4", "\"planes\":5")),
        &["planes: 5", "planes: 4"],
    );
}

#[test]
fn missing_or_broken_metadata() {
    let (_dir, path) = exported();
    let model = pb::ModelProto::decode(std::fs::read(&path).unwrap().as_slice()).unwrap();
    let optional = [
        "tenjiku.generation",
        "tenjiku.rating",
        "tenjiku.precision",
        "tenjiku.tolerance",
        "tenjiku.documentation",
        "tenjiku.parent_hash",
    ];
    for i in 0..model.metadata_props.len() {
        let mut changed = model.clone();
        let key = changed.metadata_props.remove(i).key;
        std::fs::write(&path, changed.encode_to_vec()).unwrap();
        if optional.contains(&key.as_str()) {
            open_evaluator::<Toy>(&path, Runtime::Auto, 1, true)
                .map(|_| ())
                .unwrap();
        } else {
            says(&reason(&path), &[&key, "missing"]);
        }
    }
    says(
        &refused(|m| m.metadata_props.clear()),
        &["truncated", "metadata"],
    );
    says(
        &refused(|m| set(m, "tenjiku.format", "2")),
        &["format 2", "update this program"],
    );
    says(
        &refused(|m| set(m, "tenjiku.format", "0")),
        &["format 0", "export"],
    );
    says(
        &refused(|m| set(m, "tenjiku.training_step", "many")),
        &["tenjiku.training_step", "many"],
    );
    says(
        &refused(|m| set(m, "tenjiku.architecture", "{\"channels\":0}")),
        &["channels = 0"],
    );
}

#[test]
fn precision_and_tolerance_that_nobody_promised() {
    says(
        &refused(|m| set(m, "tenjiku.precision", "f64")),
        &["tenjiku.precision", "f64"],
    );
    for tolerance in ["0.5", "NaN", "inf"] {
        let error = refused(|m| set(m, "tenjiku.tolerance", tolerance));
        says(&error, &["tenjiku.tolerance", "at most 0.0001", "f32"]);
    }
    // Stated more loosely than this program is for the precision: the canaries decide, and they fit.
    let (_dir, path) = exported();
    let mut model = pb::ModelProto::decode(std::fs::read(&path).unwrap().as_slice()).unwrap();
    set(&mut model, "tenjiku.precision", "f16");
    std::fs::write(&path, model.encode_to_vec()).unwrap();
    OnnxFile::open(&path).unwrap();
}

#[test]
fn somebody_elses_model() {
    let error = refused(|m| {
        m.producer_name = "pytorch".into();
        m.metadata_props.clear();
    });
    says(&error, &["tenjiku.format", "tenjiku export"]);
}

#[test]
fn wrong_shapes() {
    let dim = |m: &mut pb::ModelProto, output: usize, axis: usize| {
        use pb::tensor_shape_proto::dimension::Value;
        let value = &mut m.graph.as_mut().unwrap().output[output];
        let Some(pb::type_proto::Value::TensorType(tensor)) =
            &mut value.r#type.as_mut().unwrap().value
        else {
            panic!()
        };
        tensor.shape.as_mut().unwrap().dim[axis].value = Some(Value::DimValue(17));
    };
    says(
        &refused(|m| dim(m, 0, 1)),
        &["output `policy`", "FLOAT [N, 17, 20]", "FLOAT [N, 12, 20]"],
    );
    says(
        &refused(|m| dim(m, 2, 1)),
        &["output `marks`", "FLOAT [N, 17]", "FLOAT [N, 2]"],
    );
    says(
        &refused(|m| dim(m, 3, 0)),
        &["output `wdl_logits`", "[17, 3]"],
    );
    says(
        &refused(|m| _ = m.graph.as_mut().unwrap().output.pop()),
        &["output `moves_left` is missing"],
    );
    says(
        &refused(|m| m.graph.as_mut().unwrap().input[1].name = "extra".into()),
        &["`globals`"],
    );
    let error = refused(|m| m.graph.as_mut().unwrap().initializer[0].dims[0] += 1);
    says(&error, &["initializer", "bytes"]);
    // Declared as promised, but the graph makes something else.
    let error = refused(|m| {
        let nodes = &mut m.graph.as_mut().unwrap().node;
        nodes
            .iter_mut()
            .find(|n| n.name == "moves_left")
            .unwrap()
            .input[0] = "wdl_logits".into();
    });
    says(&error, &["moves_left"]);
}

#[test]
fn foreign_operators_and_dangling_names() {
    let error = refused(|m| m.graph.as_mut().unwrap().node[3].op_type = "Loop".into());
    says(&error, &["`Loop`"]);
    let error = refused(|m| m.graph.as_mut().unwrap().node[3].input[0] = "nothing".into());
    says(&error, &["reads `nothing`"]);
}

#[test]
fn bad_files_never_panic_on_either_run_time() {
    let (_dir, path) = exported();
    let model = pb::ModelProto::decode(std::fs::read(&path).unwrap().as_slice()).unwrap();
    let nodes = model.graph.as_ref().unwrap().node.len();
    for i in 0..nodes {
        let mut changed = model.clone();
        changed.graph.as_mut().unwrap().node[i].attribute.clear();
        changed.graph.as_mut().unwrap().node[i].input.truncate(1);
        std::fs::write(&path, changed.encode_to_vec()).unwrap();
        for runtime in [Runtime::Tract, Runtime::Auto] {
            // Nodes with one input and no attributes are not changed at all.
            let _ = open_evaluator::<Toy>(&path, runtime, 1, true).map(|_| ());
        }
    }
}

/// The reason why the changed network folder is not exported.
fn not_exported(change: impl FnOnce(&mut Tensors, &mut Manifest)) -> String {
    let dir = tempfile::tempdir().unwrap();
    let net = Net::arbitrary(architecture(Trunk::Se), spec(5, 4, 2), 3);
    let mut manifest = net.manifest();
    let (documentation, table) = (net.documentation(), net.table.clone());
    let mut net = net;
    change(&mut net.tensors, &mut manifest);
    inference::fresh::write_network(dir.path(), &mut manifest, &net.safetensors()).unwrap();
    let out = dir.path().join("net.onnx");
    let error = export(dir.path(), &table, &documentation, &[], &out)
        .unwrap_err()
        .to_string();
    assert!(!out.exists());
    error
}

#[test]
fn network_folders_that_do_not_fit_are_not_exported() {
    let error = not_exported(|t, _| _ = t.remove("blocks.2.se.fc2.bias"));
    says(
        &error,
        &[
            "model.safetensors",
            "`blocks.2.se.fc2.bias` [12] is missing",
        ],
    );
    let error =
        not_exported(|t, _| _ = t.insert("stem.weight".into(), (vec![6, 7], vec![0.0; 42])));
    says(&error, &["`stem.weight` has shape [6, 7], expected [7, 6]"]);
    let error =
        not_exported(|t, _| _ = t.insert("blocks.3.conv1.weight".into(), (vec![1], vec![0.0])));
    says(
        &error,
        &["`blocks.3.conv1.weight` is no tensor of this architecture"],
    );
    let error = not_exported(|t, _| t.get_mut("drops.weight").unwrap().1[3] = f32::NAN);
    says(&error, &["`drops.weight`", "not finite"]);
    let error = not_exported(|_, m| m.architecture.trunk = Trunk::Plain);
    says(&error, &["blocks.0.se", "no tensor", "more"]);
    let error = not_exported(|_, m| {
        m.architecture = Architecture {
            channels: 7,
            ..m.architecture.clone()
        }
    });
    says(&error, &["expected [7, 7, 3, 3]"]);
    let error = not_exported(|_, m| m.input.globals = 6);
    says(&error, &["globals"]);
    let error = not_exported(|t, m| {
        m.input.planes = 8;
        t.insert("stem.weight".into(), (vec![8, 6], vec![0.0; 48]));
        for (part, rows) in [("weight", 3), ("running_mean", 1), ("running_var", 1)] {
            let (shape, values) = t.get_mut(&format!("value.linear.{part}")).unwrap();
            *shape.last_mut().unwrap() += 1;
            values.resize(values.len() + rows, 0.0);
        }
    });
    says(&error, &["plane table", "88", "77"]);
    let error = not_exported(|_, m| m.format = 9);
    says(&error, &["network.toml", "format 9"]);
}

#[test]
fn heads_used_in_training_only_are_left_out() {
    let net = Net::arbitrary(architecture(Trunk::Plain), spec(3, 3, 0), 3);
    let mut tensors = net.tensors.clone();
    tensors.insert("aux.future.weight".into(), (vec![2], vec![0.0; 2]));
    let bytes = Net { tensors, ..net }.safetensors();
    Weights::from_bytes(&architecture(Trunk::Plain), &spec(3, 3, 0), &bytes).unwrap();
}

#[test]
fn changed_or_foreign_weights_file() {
    let dir = tempfile::tempdir().unwrap();
    let net = Net::arbitrary(architecture(Trunk::Plain), spec(3, 3, 0), 3);
    net.write(dir.path());
    let path = dir.path().join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 4]).unwrap();
    says(
        &Weights::read(dir.path()).unwrap_err().to_string(),
        &["model.safetensors", "SHA-256", "damaged"],
    );
    std::fs::remove_file(&path).unwrap();
    says(
        &Weights::read(dir.path()).unwrap_err().to_string(),
        &["cannot read"],
    );
    let error =
        Weights::from_bytes(&net.architecture, &net.spec, &bytes[..bytes.len() - 4]).unwrap_err();
    says(&error, &["not a complete safetensors file"]);
}

#[test]
fn export_refuses_other_canaries_and_leaves_nothing_behind() {
    let (dir, path) = exported();
    let mut canaries = OnnxFile::open(&path).unwrap().canaries().to_vec();
    canaries[5].moves[0].probability += 2e-4;
    use encoding::Encoded;
    let documentation = Documentation {
        plane_names: Toy::plane_names(),
        global_names: Toy::global_names(),
        mark_names: Toy::mark_names(),
        rating: None,
        precision: Precision::F32,
    };
    let out = dir.path().join("other.onnx");
    let folder = dir.path().join("network");
    let error = export(
        &folder,
        &Toy::plane_table(),
        &documentation,
        &canaries,
        &out,
    )
    .unwrap_err()
    .to_string();
    says(&error, &["other.onnx", "not written", "canary 6 "]);
    let names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn unknown_places_to_write() {
    let (dir, _) = exported();
    let folder = dir.path().join("network");
    std::fs::write(dir.path().join("file"), "no folder").unwrap();
    let out = dir.path().join("file").join("net.onnx");
    let error = export_network::<Toy>(&folder, &mut evaluator(&folder), None, Precision::F32, &out)
        .unwrap_err()
        .to_string();
    says(&error, &["net.onnx", "cannot write"]);
}

#[test]
fn run_times_by_name() {
    assert_eq!("tract".parse(), Ok(Runtime::Tract));
    assert!(
        "torch"
            .parse::<Runtime>()
            .unwrap_err()
            .contains("onnxruntime")
    );
    let (_dir, path) = exported();
    assert!(
        open_backend(&path, Runtime::Tract, 1)
            .unwrap()
            .describe()
            .starts_with("tract")
    );
}
