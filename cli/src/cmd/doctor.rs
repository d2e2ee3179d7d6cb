//! `tenjiku doctor`: what is installed, what is missing, and how to get it.

use anyhow::Result;

/// Tells what is installed, which devices there are, what is missing and how to get it.
///
/// Example: tenjiku doctor
#[derive(clap::Args)]
pub struct DoctorArgs {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: DoctorArgs) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let onnx = inference::library().map(|l| format!("{} at {}", l.version(), l.path().display()));
    let cuda = network::parse_device("cuda").map(|_| "available".to_string());
    if args.json {
        let value = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "cores": cores,
            "onnx_runtime": onnx.as_ref().ok(), "cuda": cuda.is_ok(),
        });
        println!("{value}");
        return Ok(());
    }
    println!("tenjiku       {}", env!("CARGO_PKG_VERSION"));
    println!("cores         {cores}");
    println!("libtorch      linked, CPU");
    match onnx {
        Ok(text) => println!("ONNX Runtime  {text}"),
        Err(why) => println!(
            "ONNX Runtime  missing ({why}); tract is used instead; run ./setup.sh to get it"
        ),
    }
    match cuda {
        Ok(text) => println!("CUDA          {text}"),
        Err(_) => println!(
            "CUDA          none; everything runs on the CPU (for a GPU: ./setup.sh --cuda)"
        ),
    }
    Ok(())
}
