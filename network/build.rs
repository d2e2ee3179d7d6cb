//! Lets programs and tests find libtorch at run time with no variable set, and says what to do where it is missing. This is the
//! build script of every crate whose programs or tests link libtorch.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    println!("cargo:rerun-if-env-changed=LIBTORCH_USE_PYTORCH");
    let torch = std::env::var("LIBTORCH").unwrap_or_default();
    let of_python = std::env::var("LIBTORCH_USE_PYTORCH").is_ok();
    if torch.is_empty() || !cfg!(unix) {
        return;
    }
    println!("cargo:rerun-if-changed={torch}/lib");
    let lib = Path::new(&torch).join("lib");
    // Said once, by the crate that all others need. In a first build the C++ compiler of `torch-sys` may be there before.
    let complete = ["libtorch_cpu.so", "libtorch_cpu.dylib"]
        .iter()
        .any(|name| lib.join(name).exists())
        && Path::new(&torch).join("include").is_dir();
    if !complete && !of_python && std::env::var("CARGO_PKG_NAME").as_deref() == Ok("network") {
        println!(
            "cargo::error=no libtorch: looked for include/ and lib/libtorch_cpu in {torch}; run ./setup.sh, which puts it there, \
             or set LIBTORCH to the absolute path of a libtorch 2.13.0 folder"
        );
        return;
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{torch}/lib");
    // No symbol names the CUDA half: the linker would drop it, and CUDA would seem absent.
    if lib.join("libtorch_cuda.so").exists() {
        println!("cargo:rustc-link-arg=-Wl,--push-state,--no-as-needed");
        println!("cargo:rustc-link-arg={torch}/lib/libtorch_cuda.so");
        println!("cargo:rustc-link-arg=-Wl,--pop-state");
    }
}
