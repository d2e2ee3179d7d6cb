//! Lets this crate's programs and tests find libtorch at run time with no variable set.

fn main() {
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    if let Ok(torch) = std::env::var("LIBTORCH")
        && !torch.is_empty()
        && cfg!(unix)
    {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{torch}/lib");
    }
}
