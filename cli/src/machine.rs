//! What this machine offers: disk space, folders that can be written, native libraries. It looks, and changes nothing.

use crate::run_config::RunConfig;
use std::path::{Path, PathBuf};

/// A run that has less free disk than this, in bytes, is not begun: its first files would not fit.
const LEAST_DISK: u64 = 64 << 20;
/// Below this, in bytes, a user is warned: about what a small run of a day writes.
pub const AMPLE_DISK: u64 = 1 << 30;

/// The deepest folder above `path`, or it, that exists.
pub fn existing(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let found = path.ancestors().find(|folder| folder.is_dir());
    found.unwrap_or(Path::new("/")).to_path_buf()
}

/// Bytes that this user may still write where `path` is or will be; `None` where the system does not tell.
#[cfg(unix)]
pub fn free_disk(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(existing(path)).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Bytes that this user may still write where `path` is or will be; `None` where the system does not tell.
#[cfg(not(unix))]
pub fn free_disk(_: &Path) -> Option<u64> {
    None
}

/// Whether `free` bytes on the disk of the run folder `run` are enough to begin with.
///
/// # Errors
/// What was found, what is needed and what to do.
pub fn enough_disk(run: &Path, free: u64) -> Result<(), String> {
    if free >= LEAST_DISK {
        return Ok(());
    }
    Err(format!(
        "{}: only {} MB are free on this disk, a run needs at least {} MB; make room, or give a folder on another disk with --run",
        run.display(),
        free / 1_000_000,
        LEAST_DISK / 1_000_000
    ))
}

/// Whether the devices on which the config wants the `stages` (`selfplay`, `train`) to run are there.
///
/// # Errors
/// The key, the device and what to do.
pub fn devices(config: &RunConfig, stages: &[&str]) -> Result<(), String> {
    for (stage, device) in [
        ("selfplay", &config.selfplay.device),
        ("train", &config.train.device),
    ] {
        if stages.contains(&stage) {
            network::parse_device(device).map_err(|e| format!("{stage}.device: {e}"))?;
        }
    }
    Ok(())
}

/// Whether files can be made where `path` is or will be.
///
/// # Errors
/// The folder, the reason and what to do.
pub fn writable(path: &Path) -> Result<(), String> {
    let folder = existing(path);
    tempfile::tempfile_in(&folder).map(|_| ()).map_err(|e| {
        format!(
            "cannot write in {}: {e}; make the folder writable, or give another one with --run",
            folder.display()
        )
    })
}

/// The file of a library that this process has loaded, by a part of its name; `None` where the system does not tell.
pub fn loaded_library(part: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut paths = maps
        .lines()
        .filter_map(|line| Some(&line[line.find('/')?..]));
    paths.find(|path| path.contains(part)).map(PathBuf::from)
}

/// What `setup.sh` noted about the folder it made, e.g. `libtorch 2.13.0 cpu linux-x86_64`; `None` where it did not make it.
///
/// # Errors
/// The first file that is not as it was then, and what to do.
pub fn set_up(folder: &Path) -> Result<Option<String>, String> {
    let Ok(stamp) = std::fs::read_to_string(folder.join(".setup-stamp")) else {
        return Ok(None);
    };
    let mut lines = stamp.lines();
    let title = lines.next().unwrap_or_default().to_string();
    for line in lines {
        let Some((size, file)) = line.split_once(' ') else {
            continue;
        };
        let Ok(size) = size.parse::<u64>() else {
            continue; // the number of headers, which only a build reads
        };
        let found = std::fs::metadata(folder.join(file)).map_or(0, |about| about.len());
        if found != size {
            return Err(format!(
                "{} is incomplete: {file} has {found} of {size} bytes; run ./setup.sh again",
                folder.display()
            ));
        }
    }
    Ok(Some(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_disk_is_said_with_what_to_do() {
        let run = Path::new("runs/a");
        assert_eq!(enough_disk(run, 64 << 20), Ok(()));
        let said = enough_disk(run, 12_000_000).unwrap_err();
        for part in ["runs/a: only 12 MB are free", "at least 67 MB", "make room"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(free_disk(Path::new("no/such/folder")).is_none_or(|free| free > 0));
    }

    #[test]
    fn a_set_up_folder_is_checked_file_by_file() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(set_up(folder.path()), Ok(None));
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        std::fs::write(folder.path().join("lib/a.so"), "1234").unwrap();
        let stamp = |text: &str| std::fs::write(folder.path().join(".setup-stamp"), text).unwrap();
        stamp("libtorch 2.13.0 cpu linux-x86_64\n4 lib/a.so\nheaders 9000\n");
        assert_eq!(
            set_up(folder.path()),
            Ok(Some("libtorch 2.13.0 cpu linux-x86_64".into()))
        );
        for (text, part) in [
            ("x\n5 lib/a.so\n", "lib/a.so has 4 of 5 bytes"),
            ("x\n1 lib/b.so\n", "lib/b.so has 0 of 1 bytes"),
        ] {
            stamp(text);
            let said = set_up(folder.path()).unwrap_err();
            assert!(said.contains(part) && said.contains("./setup.sh"), "{said}");
        }
    }
}
