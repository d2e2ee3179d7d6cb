//! Prints how fast training is here: bare steps, decoding, and real runs against bare steps.
//!
//! `cargo run --release -p trainer --example train_speed [-- RUN [SECONDS]]`; without a run folder of tenjiku games only
//! bare steps are measured, for several networks. With one, a 4x32 network at batch 256, in turns of `SECONDS`
//! (default 20): bare steps on one batch that is ready, then `trainer::train` on a copy of the run's records.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use inference::{Architecture, Trunk};
use rules::Position;
use rules::tenjiku::Tenjiku;
use trainer::{Job, Progress, Report, Steps, TrainParams, bench};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next() {
        None => bare(),
        Some(run) => {
            let seconds = arguments.next().map_or(Ok(20.0), |text| text.parse())?;
            real(run.as_ref(), seconds)
        }
    }
}

/// Bare steps of several networks.
fn bare() -> Result<()> {
    let rules = <Tenjiku as Position>::Rules::default();
    for (channels, blocks, trunk) in [
        (32, 4, Trunk::Gpool),
        (32, 4, Trunk::Se),
        (64, 6, Trunk::Gpool),
    ] {
        let arch = Architecture {
            channels,
            blocks,
            trunk,
            ..Default::default()
        };
        println!("{}", network::Cost::of(&encoding::spec::<Tenjiku>(), &arch));
        for batch_size in [32, 256] {
            let params = TrainParams {
                batch_size,
                ..Default::default()
            };
            let rate = bench::step_rate::<Tenjiku>(&rules, &arch, &params, 5.0)?;
            println!("{blocks}x{channels} {trunk:?}, batch {batch_size}: {rate:.0} positions/s");
        }
    }
    Ok(())
}

/// Stops after a time, and keeps the reports.
struct Timed<'a> {
    stop: &'a AtomicBool,
    end: Instant,
    reports: Vec<Report>,
}

impl Progress for Timed<'_> {
    fn report(&mut self, report: &Report) {
        self.reports.push(report.clone());
        self.stop
            .store(Instant::now() >= self.end, Ordering::Relaxed);
    }
}

/// A real run against bare steps on batches of the same run.
fn real(run: &Path, seconds: f64) -> Result<()> {
    let rules = <Tenjiku as Position>::Rules::default();
    let architecture = Architecture::default();
    let params = TrainParams {
        report_every: 5,
        validate_every: 0,
        validation_positions: 0,
        checkpoint_every: 1_000_000,
        ..Default::default()
    };
    let rate = bench::decode_rate::<Tenjiku>(run, &params, seconds / 4.0)?;
    println!("decoding, one thread: {rate:.0} positions/s");
    let mut sums = [0.0; 3];
    let turns = 3;
    for turn in 1..=turns {
        let bare = bench::step_rate_on::<Tenjiku>(run, &architecture, &params, seconds)?;
        let copy = tempfile::tempdir()?;
        for folder in ["games", "positions"] {
            fs::create_dir(copy.path().join(folder))?;
            for file in fs::read_dir(run.join(folder))? {
                let file = file?;
                fs::copy(file.path(), copy.path().join(folder).join(file.file_name()))?;
            }
        }
        let job = Job::<Tenjiku> {
            run: copy.path(),
            params: &params,
            architecture: &architecture,
            rules: &rules,
            steps: Steps::Until(1_000_000),
            generation: None,
        };
        let stop = AtomicBool::new(false);
        let mut timed = Timed {
            stop: &stop,
            end: Instant::now() + Duration::from_secs_f64(seconds),
            reports: Vec::new(),
        };
        trainer::train(&job, &mut timed, &stop)?;
        // The first report has the start of the threads in it.
        let later = &timed.reports[1.min(timed.reports.len() - 1)..];
        let mean =
            |value: fn(&Report) -> f64| later.iter().map(value).sum::<f64>() / later.len() as f64;
        let real = 1.0 / mean(|report| 1.0 / report.positions_per_second);
        let waiting = mean(|report| report.wait_share);
        println!(
            "turn {turn}: bare {bare:.0}, real {real:.0} positions/s ({:.3}), {:.2} % waiting for data",
            real / bare,
            100.0 * waiting
        );
        for (sum, value) in sums.iter_mut().zip([bare, real, waiting]) {
            *sum += value / f64::from(turns);
        }
    }
    println!(
        "mean: bare {:.0}, real {:.0} positions/s ({:.3}), {:.2} % waiting for data",
        sums[0],
        sums[1],
        sums[1] / sums[0],
        100.0 * sums[2]
    );
    Ok(())
}
