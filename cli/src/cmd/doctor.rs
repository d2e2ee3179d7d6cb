//! `tenjiku doctor`: what is installed, what is missing, and how to get it.

use crate::config;
use crate::machine;
use crate::run_config::RunConfig;
use anyhow::{Result, bail};
use selfplay::BackendChoice;
use std::path::{Path, PathBuf};

/// Tells what is installed, which devices there are, what is missing and how to get it.
///
/// Exit code 1 if something is wrong that would stop a run.
///
/// Example: tenjiku doctor --config configs/quickstart.toml --run runs/quickstart
#[derive(clap::Args)]
pub struct DoctorArgs {
    /// A config to check against this machine.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where runs will be written; it need not exist yet.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    run: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// One thing that was looked at.
#[derive(serde::Serialize)]
struct Finding {
    what: &'static str,
    /// Whether a run can be begun as far as this goes.
    good: bool,
    /// What was found; where that is bad or could be better, what to do.
    said: String,
}

fn finding(what: &'static str, result: Result<String, String>) -> Finding {
    Finding {
        what,
        good: result.is_ok(),
        said: result.unwrap_or_else(|why| why),
    }
}

/// The folder of libtorch and what is noted about it. A program that cannot find it does not even start.
fn libtorch() -> Result<String, String> {
    let Some(file) = machine::loaded_library("/libtorch_cpu.") else {
        return Ok("linked".into());
    };
    let folder = file.parent().and_then(Path::parent).unwrap_or(&file);
    let title = match machine::set_up(folder)? {
        Some(title) => title,
        None => "a libtorch of your own".into(),
    };
    Ok(format!("{title}, in {}", folder.display()))
}

/// ONNX Runtime is a matter of speed: without it tract runs the exported networks.
fn onnx_runtime() -> Result<String, String> {
    let library = match inference::library() {
        Ok(library) => library,
        Err(why) => {
            return Ok(format!(
                "none, tract runs exported networks instead, slower: {why}"
            ));
        }
    };
    if let Some(folder) = library.path().parent().and_then(Path::parent) {
        machine::set_up(folder)?;
    }
    Ok(format!(
        "{} at {}",
        library.version(),
        library.path().display()
    ))
}

fn cuda() -> String {
    if network::parse_device("cuda").is_ok() {
        return "available".into();
    }
    match machine::loaded_library("/libtorch_cuda.") {
        Some(_) => "none: libtorch has its CUDA half but sees no GPU; look at what `nvidia-smi` says, and whether the driver is \
                    for CUDA 13"
            .into(),
        None => "none: everything runs on the CPU (for an NVIDIA GPU: ./setup.sh --cuda, then build again)".into(),
    }
}

fn disk(run: &Path) -> Result<String, String> {
    let Some(free) = machine::free_disk(run) else {
        return Ok("this system does not tell".into());
    };
    machine::enough_disk(run, free)?;
    let more = match free < machine::AMPLE_DISK {
        true => "; little for a long run: make room",
        false => "",
    };
    Ok(format!(
        "{:.1} GB free in {}{more}",
        free as f64 / 1e9,
        machine::existing(run).display()
    ))
}

/// Whether this machine has what the config asks for.
fn fits(path: &Path) -> Result<String, String> {
    let config: RunConfig = config::load(path, &[]).map_err(|e| e.to_string())?;
    machine::devices(&config, &["selfplay", "train"])
        .map_err(|e| format!("{}: {e}", path.display()))?;
    if config.selfplay.backend == BackendChoice::Onnx {
        inference::library().map_err(|e| {
            format!(
                "{}: selfplay.backend = \"onnx\": {e}; or set it to \"auto\"",
                path.display()
            )
        })?;
    }
    Ok(format!("{} can run here", path.display()))
}

/// Runs the command.
pub fn run(args: DoctorArgs) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut findings = vec![
        finding("tenjiku", Ok(env!("CARGO_PKG_VERSION").into())),
        finding("cores", Ok(cores.to_string())),
        finding("libtorch", libtorch()),
        finding("ONNX Runtime", onnx_runtime()),
        finding("CUDA", Ok(cuda())),
        finding("disk", disk(&args.run)),
        finding(
            "run folder",
            machine::writable(&args.run).map(|()| format!("{} can be written", args.run.display())),
        ),
    ];
    if let Some(path) = &args.config {
        findings.push(finding("config", fits(path)));
    }
    if args.json {
        let value = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "cores": cores,
            "onnx_runtime": inference::library().ok().map(|library| library.version()),
            "cuda": network::parse_device("cuda").is_ok(), "free_disk_bytes": machine::free_disk(&args.run),
            "findings": findings,
        });
        println!("{value}");
    } else {
        for finding in &findings {
            let mark = if finding.good { "" } else { "BAD: " };
            println!("{:<14}{mark}{}", finding.what, finding.said);
        }
    }
    let bad: Vec<&str> = findings
        .iter()
        .filter(|finding| !finding.good)
        .map(|finding| finding.what)
        .collect();
    if !bad.is_empty() {
        bail!(
            "doctor: {} must be put right first; what to do stands in the lines above",
            bad.join(", ")
        );
    }
    Ok(())
}
