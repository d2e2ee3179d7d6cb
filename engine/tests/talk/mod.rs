//! A running `tenjiku-engine` to talk to, and networks for it.

use encoding::Encoded;
use inference::{
    Architecture, Documentation, Manifest, Precision, Runtime, export_network, fresh,
    open_evaluator,
};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any answer takes on a busy machine; only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(300);

/// The running program. A reader thread keeps its output from blocking it.
pub struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    pub fn start(arguments: &[&str]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tenjiku-engine"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if send.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Engine {
            input: child.stdin.take().unwrap(),
            child,
            lines,
        }
    }

    pub fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// Says a line; the answers up to the first that starts with `end`, that one last.
    pub fn ask(&mut self, text: &str, end: &str) -> Vec<String> {
        self.say(text);
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|e| panic!("no `{end}` ({e}) after {lines:?}"));
            let found = line.starts_with(end);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    pub fn quit(mut self) {
        self.say("quit");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An exported network for the game with fresh weights: nearly uniform, nearly even. tract answers its canaries.
pub fn network<P: Encoded>(dir: &Path) -> PathBuf {
    let architecture = Architecture {
        channels: 8,
        blocks: 2,
        policy_dim: 4,
        value_channels: 8,
        ..Architecture::default()
    };
    let input = encoding::spec::<P>();
    let weights = fresh::random_weights(&architecture, &input, 5);
    let mut manifest = Manifest {
        format: Manifest::FORMAT,
        generation: None,
        step: 0,
        parent: String::new(),
        hash: String::new(),
        rules: rules::Rules::name(&P::Rules::default()),
        code_version: "0.1.0".into(),
        input,
        architecture,
    };
    fresh::write_network(dir, &mut manifest, &weights).unwrap();
    let documentation = Documentation {
        plane_names: P::plane_names(),
        global_names: P::global_names(),
        ..Documentation::default()
    };
    let bare = dir.join("bare.onnx");
    let model = inference::build_model(dir, &P::plane_table(), &documentation, &[]).unwrap();
    std::fs::write(&bare, model).unwrap();
    let mut answers = open_evaluator::<P>(&bare, Runtime::Tract, 1, false).unwrap();
    let path = dir.join(format!("{}.onnx", P::GAME));
    export_network::<P>(dir, &mut answers, None, Precision::F32, &path).unwrap();
    path
}
