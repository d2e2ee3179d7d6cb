//! Lets this crate's programs and tests find libtorch at run time with no variable set.

fn main() {
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    if let Ok(torch) = std::env::var("LIBTORCH")
        && !torch.is_empty()
        && cfg!(unix)
    {
        println!("cargo:rerun-if-changed={torch}/lib");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{torch}/lib");
        // No symbol names the CUDA half: the linker would drop it, and CUDA would seem absent.
        if std::path::Path::new(&torch)
            .join("lib/libtorch_cuda.so")
            .exists()
        {
            println!("cargo:rustc-link-arg=-Wl,--push-state,--no-as-needed");
            println!("cargo:rustc-link-arg={torch}/lib/libtorch_cuda.so");
            println!("cargo:rustc-link-arg=-Wl,--pop-state");
        }
    }
}
