//! A running `tenjiku-engine` to talk to.

use std::io::{BufRead, BufReader, Write};
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

    /// The lines up to the first that starts with `end`, that one last.
    pub fn until(&mut self, end: &str) -> Vec<String> {
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

    /// Says a line; the answers up to the first that starts with `end`, that one last.
    pub fn ask(&mut self, text: &str, end: &str) -> Vec<String> {
        self.say(text);
        self.until(end)
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
