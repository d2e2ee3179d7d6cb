//! Evaluations a second of one thread: libtorch, ONNX Runtime and tract in one run, by network, precision of the exported
//! file and batch size. Prints a table; the ratio is to libtorch at batch 1. `CPU` is the rate by the thread's processor
//! time, which other programs on the machine disturb less (Linux only).
//!
//! `cargo bench -p network --bench inference [-- SECONDS [NETWORK]]`: SECONDS for each figure, default 0.5; NETWORK like
//! `6x64`, blocks by channels, default 4x32.

use encoding::Encoded;
use inference::{
    Architecture, Backend, Documentation, OnnxFile, Precision, RawOutput, Runtime, Trunk, fresh,
};
use network::TorchBackend;
use network::tch::Device;
use rules::tenjiku::Tenjiku;
use std::path::Path;
use std::time::{Duration, Instant};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let seconds: f64 = words.first().map_or(Ok(0.5), |text| text.parse())?;
    let size = words.get(1).map_or("4x32", String::as_str);
    let (blocks, channels) = size
        .split_once('x')
        .ok_or("write blocks x channels: 4x32")?;
    let (blocks, channels) = (blocks.parse()?, channels.parse()?);
    network::set_threads(1);
    let dir = std::env::temp_dir().join(format!("inference-bench-{}", std::process::id()));
    println!("seconds a figure: {seconds}");
    println!("network     file         run-time                    batch  evals/s     CPU  ratio");
    for trunk in [Trunk::Gpool, Trunk::Se, Trunk::Plain] {
        let architecture = Architecture {
            channels,
            blocks,
            trunk,
            ..Architecture::default()
        };
        write_network(&dir, &architecture)?;
        let torch = TorchBackend::open::<Tenjiku>(&dir, Device::Cpu)?;
        let name = format!("{size} {trunk:?}");
        let mut base = None;
        measure(&name, "-", Box::new(torch), seconds, &mut base)?;
        for precision in Precision::ALL {
            if precision != Precision::F32 && trunk != Trunk::Gpool {
                continue;
            }
            let file = exported(&dir, precision)?;
            let kept = format!("{precision} {} kB", file.bytes().len() / 1000);
            for runtime in [Runtime::OnnxRuntime, Runtime::Tract] {
                match file.backend(runtime, 1) {
                    Ok(backend) => measure(&name, &kept, backend, seconds, &mut base)?,
                    Err(e) => println!("{e}"),
                }
            }
        }
    }
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

fn measure(
    name: &str,
    file: &str,
    mut backend: Box<dyn Backend>,
    seconds: f64,
    base: &mut Option<f64>,
) -> Result<(), Error> {
    let spec = backend.spec().clone();
    for batch in [1usize, 8, 32] {
        let squares: Vec<u8> = (0..batch * spec.cells())
            .map(|i| (i * 37 % spec.codes) as u8)
            .collect();
        let globals = vec![0.5f32; batch * spec.globals];
        let mut out = RawOutput::default();
        let (warm, mut evals) = (Instant::now(), 0);
        while warm.elapsed() < Duration::from_secs_f64(0.2 * seconds) {
            backend.forward(batch, &squares, &globals, &mut out)?;
        }
        let (start, cpu) = (Instant::now(), cpu_time());
        while start.elapsed() < Duration::from_secs_f64(seconds) {
            backend.forward(batch, &squares, &globals, &mut out)?;
            evals += batch;
        }
        let (clock, cpu) = (start.elapsed().as_secs_f64(), cpu_time() - cpu);
        let rate = evals as f64 / clock;
        let base = *base.get_or_insert(rate);
        println!(
            "{name:<11} {file:<12} {:<27} {batch:>5} {rate:>8.0} {:>7.0} {:>6.2}",
            backend.describe(),
            evals as f64 / cpu,
            rate / base
        );
    }
    Ok(())
}

fn write_network(dir: &Path, architecture: &Architecture) -> Result<(), Error> {
    let input = encoding::spec::<Tenjiku>();
    let weights = fresh::arbitrary_weights(architecture, &input, 1);
    Ok(fresh::write_loose_network::<Tenjiku>(
        dir,
        architecture,
        &weights,
    )?)
}

fn exported(dir: &Path, precision: Precision) -> Result<OnnxFile, Error> {
    let documentation = Documentation {
        plane_names: Tenjiku::plane_names(),
        global_names: Tenjiku::global_names(),
        mark_names: Tenjiku::mark_names(),
        rating: None,
        precision,
    };
    let path = dir.join("bench.onnx");
    let table = Tenjiku::plane_table();
    std::fs::write(
        &path,
        inference::build_model(dir, &table, &documentation, &[])?,
    )?;
    Ok(OnnxFile::open(&path)?)
}

/// Seconds that this thread was on a processor; NaN where the system does not tell.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|ns| ns.parse::<f64>().ok())
        .map_or(f64::NAN, |ns| ns / 1e9)
}
