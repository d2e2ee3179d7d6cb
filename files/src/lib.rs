//! Files and folders that are whole or not there: under a final name stands nothing new or all of it, also after a power
//! cut. The bytes go to a temporary name beside the final one, `.NAME.<process id>.tmp`, are flushed to disk and
//! renamed, and the folder is flushed too.
//!
//! The only place that does this, for every crate that writes artefacts; it depends on nothing. Record files, which are
//! written in pieces, use [`sync_folder`] alone. Who cleans up after a killed process: `records::clean_leftovers`.

use std::fs::{self, File};
use std::io::{Error, Result, Write};
use std::path::{Path, PathBuf};

/// The temporary name of `path` in this process.
///
/// # Errors
/// If `path` has no last part.
pub fn temporary_name(path: &Path) -> Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| Error::other("the path has no name"))?;
    let name = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
    Ok(path.with_file_name(name))
}

/// The folder in which `path` stands; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Flushes the list of names in the folder of `path` to disk, so that a rename survives a power cut. Only Unix can open
/// folders for that; elsewhere the rename has to do.
///
/// # Errors
/// The file system's.
pub fn sync_folder(path: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()
    } else {
        Ok(())
    }
}

/// A complete file that has not got its name yet; removed if it never gets it.
pub struct PartFile {
    part: PathBuf,
    path: PathBuf,
}

impl PartFile {
    /// Writes and flushes `bytes` under the temporary name of `path`; makes the folder if it is missing.
    ///
    /// # Errors
    /// The file system's; nothing stays.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<PartFile> {
        let part = PartFile {
            part: temporary_name(path)?,
            path: path.to_path_buf(),
        };
        fs::create_dir_all(folder_of(path))?;
        write_synced(&part.part, bytes)?;
        Ok(part)
    }

    /// The temporary name.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the file its name, in place of one that is there.
    ///
    /// # Errors
    /// The file system's; the temporary file is removed.
    pub fn commit(self) -> Result<()> {
        fs::rename(&self.part, &self.path)?;
        sync_folder(&self.path)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // Gone already where the file got its name.
        let _ = fs::remove_file(&self.part);
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes `bytes` to `path`, whole or not at all; makes missing folders.
///
/// # Errors
/// The file system's; what stood under `path` stays, and nothing else.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    PartFile::write(path, bytes)?.commit()
}

/// Writes a folder with these files, whole or not at all; makes missing folders above it. `folder` must not exist.
///
/// # Errors
/// The file system's, and if there is something under that name; nothing stays.
pub fn write_folder(folder: &Path, files: &[(&str, &[u8])]) -> Result<()> {
    let temporary = temporary_name(folder)?;
    fs::create_dir_all(folder_of(folder))?;
    let write = || {
        if temporary.exists() {
            fs::remove_dir_all(&temporary)?;
        }
        fs::create_dir(&temporary)?;
        for (name, bytes) in files {
            write_synced(&temporary.join(name), bytes)?;
        }
        sync_folder(&temporary.join("any"))?;
        if folder.exists() {
            return Err(Error::new(
                std::io::ErrorKind::AlreadyExists,
                "the folder is there already",
            ));
        }
        fs::rename(&temporary, folder)?;
        sync_folder(folder)
    };
    write().inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_dir_all(&temporary);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_folders_are_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c.txt");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(path.parent().unwrap()), ["c.txt"]);
    }

    #[test]
    fn what_is_not_committed_vanishes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.txt");
        let part = PartFile::write(&path, b"x").unwrap();
        let expected = format!(".c.txt.{}.tmp", std::process::id());
        assert_eq!(names(dir.path()), [expected]);
        drop(part);
        assert_eq!(names(dir.path()), [] as [&str; 0]);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("taken");
        fs::create_dir(&target).unwrap();
        assert!(write_atomic(&target, b"x").is_err());
        assert!(write_folder(&target, &[("a", b"x")]).is_err());
        assert!(write_atomic(Path::new("/"), b"x").is_err());
        assert_eq!(names(dir.path()), ["taken"]);
        assert_eq!(names(&target), [] as [&str; 0]);
    }

    #[test]
    fn a_folder_comes_with_all_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("networks/000001");
        // An earlier attempt of a process with this number.
        let before = temporary_name(&folder).unwrap();
        fs::create_dir_all(&before).unwrap();
        fs::write(before.join("old"), "x").unwrap();
        write_folder(&folder, &[("a", b"1"), ("b", b"2")]).unwrap();
        assert_eq!(names(&folder), ["a", "b"]);
        assert_eq!(fs::read(folder.join("b")).unwrap(), b"2");
        assert_eq!(names(folder.parent().unwrap()), ["000001"]);
    }
}
