//! An outside program with its pipes: lines in and out with a deadline, no panic, no orphan.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Protocol lines kept for error reports.
const KEPT_LINES: usize = 50;
/// Longest piece of output that counts as one line.
const LONGEST_LINE: u64 = 1 << 16;
/// Lines that may wait to be read before the program is made to wait.
const WAITING_LINES: usize = 10_000;

/// Why there is no line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoLine {
    /// The deadline has passed.
    Late,
    /// The program has closed its output.
    Closed,
}

/// The last lines said to (`>`) and by (`<`, `!` for its error output) the program.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<VecDeque<String>>>);

impl Log {
    fn add(&self, mark: char, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(format!(
            "{mark} {}",
            line.chars().take(200).collect::<String>()
        ));
    }

    /// The last line of the error output, to be appended; empty where there is none.
    fn complaint(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let last = lines.iter().rev().find_map(|l| l.strip_prefix("! "));
        last.map_or(String::new(), |line| format!(", its last word: {line}"))
    }

    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(|e| e.into_inner());
        lines.iter().map(|line| format!("\n  {line}")).collect()
    }
}

/// A running program. Dropping it kills it and what it has started.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    log: Log,
}

impl Process {
    /// Starts `words[0]` with the rest as arguments.
    ///
    /// # Errors
    /// What the system says.
    pub fn start(words: &[String]) -> Result<Process, String> {
        let [program, arguments @ ..] = words else {
            return Err("names no command".into());
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            // A group of its own, so that the children of a wrapper script end with it.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let mut child = spawn(command).map_err(|e| format!("cannot start `{program}`: {e}"))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(format!("cannot talk to `{program}`: no pipes"));
        };
        let log = Log::default();
        let (send, lines) = std::sync::mpsc::sync_channel(WAITING_LINES);
        let said = log.clone();
        std::thread::spawn(move || {
            each_line(output, |line| {
                said.add('<', &line);
                send.send(line).is_ok()
            });
        });
        let said = log.clone();
        std::thread::spawn(move || {
            each_line(errors, |line| {
                said.add('!', &line);
                true
            });
        });
        Ok(Process {
            child,
            input,
            lines,
            log,
        })
    }

    /// Sends a line. A program that does not take it within `limit` counts as gone or hanging.
    ///
    /// # Errors
    /// [`NoLine::Closed`] if it has closed its input, [`NoLine::Late`] if it does not read.
    pub fn say(&mut self, line: &str, limit: Duration) -> Result<(), NoLine> {
        self.log.add('>', line);
        let text = format!("{line}\n");
        let input = &mut self.input;
        // A full pipe blocks: write in a thread and wait for it only so long; the caller kills the program then,
        // which ends the write.
        std::thread::scope(|scope| {
            let (done, wait) = channel();
            scope.spawn(move || {
                done.send(
                    input
                        .write_all(text.as_bytes())
                        .and_then(|()| input.flush()),
                )
            });
            match wait.recv_timeout(limit) {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) => Err(NoLine::Closed),
                Err(_) => {
                    kill(&mut self.child);
                    Err(NoLine::Late)
                }
            }
        })
    }

    /// The next line before `deadline`.
    pub fn line(&mut self, deadline: Instant) -> Result<String, NoLine> {
        match self
            .lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
            Err(RecvTimeoutError::Disconnected) => Err(NoLine::Closed),
        }
    }

    /// In the first line how the program ended, where it has, and the last line of its error output; below it the last
    /// protocol lines.
    pub fn report(&mut self) -> String {
        let state = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => "still running".to_string(),
            Err(e) => e.to_string(),
        };
        let complaint = self.log.complaint();
        format!("{state}{complaint}\nlast lines:{}", self.log.text())
    }

    /// The process id.
    #[cfg(test)]
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

/// Starts the program. On Linux the system kills it when this process ends, however that ends; of what a wrapper
/// script has started, only what ends with the script's pipes does.
#[cfg(target_os = "linux")]
fn spawn(mut command: Command) -> std::io::Result<Child> {
    use std::os::unix::process::CommandExt;
    use std::sync::{OnceLock, mpsc};
    type Order = (Command, mpsc::Sender<std::io::Result<Child>>);
    // The signal comes when the thread that started the program ends, not the process: one thread, which never ends,
    // starts them all.
    static STARTER: OnceLock<mpsc::Sender<Order>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (send, orders) = mpsc::channel::<Order>();
        std::thread::spawn(move || {
            for (mut command, reply) in orders {
                let _ = reply.send(command.spawn());
            }
        });
        send
    });
    let parent = std::process::id();
    // SAFETY: between fork and exec only system calls are made that may be made there; nothing is allocated.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            // The parent may have ended before the call above.
            if libc::getppid() as u32 != parent {
                return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        });
    }
    let (reply, wait) = mpsc::channel();
    let gone = || std::io::Error::other("the thread that starts programs is gone");
    starter.send((command, reply)).map_err(|_| gone())?;
    wait.recv().map_err(|_| gone())?
}

#[cfg(not(target_os = "linux"))]
fn spawn(mut command: Command) -> std::io::Result<Child> {
    command.spawn()
}

/// Calls `take` with each line until it says false or the input ends.
fn each_line(input: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
        {
            Ok(n) if n > 0 => {}
            _ => return,
        }
        if !take(String::from_utf8_lossy(&bytes).trim().to_string()) {
            return;
        }
    }
}

/// Kills the program and its group, and waits for it.
fn kill(child: &mut Child) {
    if matches!(child.try_wait(), Ok(Some(_))) {
        return;
    }
    #[cfg(unix)]
    {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

impl Drop for Process {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// Splits a command line at spaces; single or double quotes keep spaces inside.
pub(super) fn split_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
