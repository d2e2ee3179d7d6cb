//! Progress on a terminal as a bar, elsewhere as plain lines now and then; both on standard error.

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(15);

/// Progress of one stage.
pub struct Stage {
    name: String,
    bar: Option<ProgressBar>,
    total: u64,
    begun: Instant,
    /// Work that was done before this stage began, so that a resumed stage tells its own speed.
    before: u64,
    last_line: Cell<Instant>,
}

impl Stage {
    /// Starts a stage of `total` units, `before` of which an earlier run did.
    pub fn new(name: &str, total: u64, before: u64) -> Stage {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total).with_position(before);
            let style = ProgressStyle::with_template(
                "{prefix:>22} [{bar:32}] {pos}/{len} {msg} {eta} left",
            )
            .expect("a valid template")
            .progress_chars("=> ");
            bar.set_style(style);
            bar.set_prefix(name.to_string());
            bar
        });
        if bar.is_none() {
            eprintln!("{name}: {before}/{total}");
        }
        let now = Instant::now();
        Stage {
            name: name.into(),
            bar,
            total,
            begun: now,
            before,
            last_line: Cell::new(now),
        }
    }

    /// Shows that `done` units are done, with a short text; what follows a line break stands below the bar.
    pub fn set(&self, done: u64, message: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(message.to_string());
            bar.set_position(done);
        } else if self.last_line.get().elapsed() >= LINE_EVERY {
            self.last_line.set(Instant::now());
            let message = message.replace('\n', "; ");
            eprintln!(
                "{}: {done}/{} {message}{}",
                self.name,
                self.total,
                self.time_left(done)
            );
        }
    }

    /// Ends the stage with a summary line.
    pub fn finish(self, summary: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!(
            "{}: {summary} ({})",
            self.name,
            HumanDuration(self.begun.elapsed())
        );
    }

    fn time_left(&self, done: u64) -> String {
        let fresh = done.saturating_sub(self.before);
        if fresh == 0 || done >= self.total {
            return String::new();
        }
        let left = self
            .begun
            .elapsed()
            .mul_f64((self.total - done) as f64 / fresh as f64);
        format!(", {} left", HumanDuration(left))
    }
}

/// A flag that the first Ctrl-C (or TERM) sets; a second one ends the program at once.
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let installed = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            end_at_once(130);
        }
        eprintln!("stopping: finishing what is safe to finish (again to stop at once)");
    });
    if let Err(error) = installed {
        eprintln!("warning: Ctrl-C will not stop cleanly: {error}");
    }
    stop
}

/// Ends the process without destructors and `atexit` handlers: those of libtorch would take away what the other threads
/// compute with, and these then crash.
fn end_at_once(code: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` has no preconditions; it runs nothing in this process.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}
