//! Files that are whole or not there: written under a temporary name, synced, renamed.

use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// A complete file that has not got its name yet; removed if it never gets it.
pub struct PartFile {
    part: PathBuf,
    path: PathBuf,
}

impl PartFile {
    /// Writes and syncs `bytes` under a temporary name beside `path`.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<PartFile> {
        let name = path
            .file_name()
            .ok_or_else(|| Error::new(ErrorKind::InvalidInput, "not a file name"))?;
        let mut part = name.to_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let part = PartFile {
            part: path.with_file_name(part),
            path: path.to_path_buf(),
        };
        let mut file = File::create(&part.part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(part)
    }

    /// The temporary name.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the file its name.
    pub fn commit(self) -> Result<()> {
        std::fs::rename(&self.part, &self.path)?;
        let folder = self
            .path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        // The new name must survive a crash too. Only on Unix can folders be opened for that.
        if cfg!(unix) {
            File::open(folder)?.sync_all()
        } else {
            Ok(())
        }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // Gone already where the file got its name.
        let _ = std::fs::remove_file(&self.part);
    }
}

/// Writes `bytes` to `path`, whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    PartFile::write(path, bytes)?.commit()
}
