//! Prints what a replay window over a whole run takes, and how fast one thread decodes its rows into batches, without a
//! network: `cargo run --release --workspace --example decode_speed -- RUN [GAME] [SECONDS]`.

use std::path::Path;
use std::time::Instant;

use encoding::Encoded;
use records::{ReplayWindow, Shape, WindowParams};
use rules::{shogi::Shogi, tenjiku::Tenjiku};
use trainer::{TrainError, TrainParams, bench};

fn figures<P: Encoded>(run: &Path, seconds: f64) -> Result<(), TrainError> {
    // All there is, up to the ten million of the default.
    let window = WindowParams {
        alpha: 1.0,
        beta: 1.0,
        ..WindowParams::default()
    };
    let begun = Instant::now();
    let rows = ReplayWindow::open(run, &Shape::of::<P>(), window.clone())?;
    let taken = begun.elapsed().as_secs_f64();
    let n = f64::from(rows.rows());
    println!(
        "{}: {} positions of {} games, loaded at {:.0} positions/s by {} threads",
        P::GAME,
        rows.rows(),
        rows.games(),
        n / taken,
        rayon::current_num_threads()
    );
    println!(
        "  {:.1} bytes a position in memory, {:.1} in temporary files; {} of the process at most",
        rows.memory_bytes() as f64 / n,
        rows.disk_bytes() as f64 / n,
        peak()
    );
    for batch_size in [32, 256] {
        let params = TrainParams {
            batch_size,
            window: window.clone(),
            ..TrainParams::default()
        };
        let rate = bench::window_decode_rate::<P>(&rows, &params, seconds)?;
        println!("  batch {batch_size}: {rate:.0} positions/s decoded by one thread");
    }
    Ok(())
}

/// The largest resident memory of this process so far, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown memory".into(), |text| text.trim().to_string())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let run = args
        .next()
        .ok_or("usage: decode_speed RUN [GAME] [SECONDS]")?;
    let game = args.next().unwrap_or("tenjiku".into());
    let seconds = args.next().map_or(Ok(5.0), |text| text.parse())?;
    match game.as_str() {
        "tenjiku" => figures::<Tenjiku>(run.as_ref(), seconds)?,
        "shogi" => figures::<Shogi>(run.as_ref(), seconds)?,
        other => return Err(format!("no game `{other}`").into()),
    }
    Ok(())
}
