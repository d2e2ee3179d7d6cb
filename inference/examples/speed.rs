//! Evaluations a second of fresh networks of tenjiku's size, by run-time and batch size, on one thread; by the clock, and
//! by the processor time of the thread, which other programs on the machine disturb less (Linux only).
//!
//! `cargo run --release -p inference --example speed [-- SECONDS]`: SECONDS for each figure, default 1.

use encoding::InputSpec;
use inference::{
    Architecture, Documentation, Manifest, OnnxFile, RawOutput, Runtime, Trunk, fresh,
};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: f64 = std::env::args()
        .nth(1)
        .map_or(Ok(1.0), |text| text.parse())?;
    let input = InputSpec {
        game: "tenjiku".into(),
        version: 1,
        files: 16,
        ranks: 16,
        codes: 145,
        planes: 92,
        globals: 20,
        hand_kinds: 0,
    };
    let dir = std::env::temp_dir().join(format!("inference-speed-{}", std::process::id()));
    println!(
        "{:<10} {:<30} {:>5} {:>8} {:>9}",
        "network", "run-time", "batch", "evals/s", "per CPU s"
    );
    for (channels, blocks, trunk) in [
        (32, 4, Trunk::Gpool),
        (32, 4, Trunk::Se),
        (32, 4, Trunk::Plain),
        (64, 6, Trunk::Gpool),
    ] {
        let architecture = Architecture {
            channels,
            blocks,
            trunk,
            ..Architecture::default()
        };
        let file = exported(&dir, &architecture, &input)?;
        for runtime in [Runtime::OnnxRuntime, Runtime::Tract] {
            let mut backend = match file.backend(runtime, 1) {
                Ok(backend) => backend,
                Err(e) => {
                    println!("{e}");
                    continue;
                }
            };
            for batch in [1usize, 8, 32, 64] {
                let squares: Vec<u8> = (0..batch * 256).map(|i| (i * 37 % 145) as u8).collect();
                let globals = vec![0.5f32; batch * 20];
                let mut out = RawOutput::default();
                backend.forward(batch, &squares, &globals, &mut out)?;
                let (start, cpu, mut evals) = (Instant::now(), cpu_time(), 0);
                while start.elapsed() < Duration::from_secs_f64(seconds) {
                    backend.forward(batch, &squares, &globals, &mut out)?;
                    evals += batch;
                }
                let rate = evals as f64 / start.elapsed().as_secs_f64();
                let share = (cpu_time() - cpu) / start.elapsed().as_secs_f64();
                println!(
                    "{:<10} {:<30} {batch:>5} {rate:>8.0} {:>9.0}",
                    format!("{blocks}x{channels} {trunk:?}"),
                    backend.describe(),
                    rate / share
                );
            }
        }
    }
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

fn exported(
    dir: &std::path::Path,
    architecture: &Architecture,
    input: &InputSpec,
) -> Result<OnnxFile, Box<dyn std::error::Error>> {
    let mut manifest = Manifest {
        format: Manifest::FORMAT,
        generation: Some(0),
        step: 0,
        parent: String::new(),
        hash: String::new(),
        rules: "historical".into(),
        code_version: "0.1.0".into(),
        input: input.clone(),
        architecture: architecture.clone(),
    };
    fresh::write_network(
        dir,
        &mut manifest,
        &fresh::random_weights(architecture, input, 1),
    )?;
    let table: Vec<f32> = (0..input.codes * input.planes)
        .map(|i| f32::from(i >= input.planes && i * 7 % 5 == 0))
        .collect();
    let documentation = Documentation {
        plane_names: vec![String::new(); input.planes],
        global_names: vec![String::new(); input.globals],
        rating: None,
    };
    let path = dir.join("speed.onnx");
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
