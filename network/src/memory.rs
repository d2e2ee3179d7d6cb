//! How the C library's allocator treats tensors.

/// Lets the process keep memory that tensors give back, instead of returning it to the system at once.
///
/// By default glibc maps each tensor of some megabytes afresh and unmaps it when it is dropped; clearing the pages
/// again and again takes a tenth of a training step (4x32 network, batch 256, one thread: 471 ms without, 429 ms
/// with). The process stays as large as it once was. Does nothing on other systems.
pub fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (parameter, value) in [
        (libc::M_MMAP_THRESHOLD, 1 << 30),
        (libc::M_TRIM_THRESHOLD, i32::MAX),
        (libc::M_TOP_PAD, 64 << 20),
    ] {
        // SAFETY: mallopt takes the allocator's own lock and has no memory precondition; an unknown parameter or value is
        // answered with 0 and changes nothing.
        let _ = unsafe { libc::mallopt(parameter, value) };
    }
}
