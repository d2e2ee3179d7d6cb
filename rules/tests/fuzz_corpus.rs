//! Replays the committed fuzz corpora through the functions that are fuzzed: what fuzzing once found stays found.

#[path = "../../fuzz/checks.rs"]
mod checks;

use std::fs;
use std::path::Path;

#[test]
fn every_committed_input_passes() {
    let targets: [(&str, fn(&[u8])); 6] = [
        ("sfen", checks::sfen),
        ("moves", checks::moves),
        ("batch", checks::batch),
        ("game_text", checks::game_text),
        ("shogi_text", checks::shogi_text),
        ("rules_text", checks::rules_text),
    ];
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let mut folders: Vec<String> = fs::read_dir(&corpus)
        .expect("fuzz/corpus is there")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    folders.sort();
    let mut names: Vec<&str> = targets.iter().map(|target| target.0).collect();
    names.sort_unstable();
    assert_eq!(folders, names, "one folder a target");
    for (name, check) in targets {
        let inputs: Vec<_> = fs::read_dir(corpus.join(name)).expect("readable").collect();
        assert!(!inputs.is_empty(), "no inputs for {name}");
        for input in inputs {
            let path = input.expect("readable").path();
            println!("{}", path.display());
            check(&fs::read(&path).expect("readable"));
        }
    }
}
