//! Where packed positions are kept: in memory up to a limit, beyond it in temporary files.
//!
//! The files have no name, so nothing is left behind however the process ends. A file takes blobs until it is
//! [`SEGMENT_BYTES`] long; its space is free again when the last of its blobs is dropped.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::RecordsError;

const SEGMENT_BYTES: u64 = 64 << 20;

/// The memory budget and the file that is being filled.
pub(super) struct Store {
    folder: PathBuf,
    memory_limit: u64,
    memory_used: Arc<AtomicU64>,
    segment: Mutex<Option<(Arc<File>, u64)>>,
    full: AtomicBool,
}

/// Some bytes in the store. Dropping it frees them.
pub(super) enum Blob {
    Memory {
        bytes: Box<[u8]>,
        used: Arc<AtomicU64>,
    },
    Disk {
        file: Arc<File>,
        offset: u64,
        length: usize,
        folder: PathBuf,
    },
}

impl Store {
    /// A store that keeps up to `memory_limit` bytes in memory and makes its files in `folder`.
    pub(super) fn new(folder: &Path, memory_limit: u64) -> Store {
        Store {
            folder: folder.to_path_buf(),
            memory_limit,
            memory_used: Arc::default(),
            segment: Mutex::new(None),
            full: AtomicBool::new(false),
        }
    }

    /// Whether a temporary file could not be written.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Keeps `bytes`.
    pub(super) fn keep(&self, bytes: Vec<u8>) -> Result<Blob, RecordsError> {
        let length = bytes.len() as u64;
        let reserve = |used: u64| Some(used + length).filter(|&sum| sum <= self.memory_limit);
        if self
            .memory_used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve)
            .is_ok()
        {
            return Ok(Blob::Memory {
                bytes: bytes.into_boxed_slice(),
                used: self.memory_used.clone(),
            });
        }
        self.spill(&bytes).map_err(|error| {
            self.full.store(true, Ordering::Relaxed);
            RecordsError::io(&self.folder)(error)
        })
    }

    fn spill(&self, bytes: &[u8]) -> std::io::Result<Blob> {
        let mut segment = self
            .segment
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let (file, offset) = match segment.take() {
            Some((file, end)) if end < SEGMENT_BYTES => (file, end),
            _ => (Arc::new(tempfile::tempfile_in(&self.folder)?), 0),
        };
        let mut writer = &*file;
        writer.seek(SeekFrom::Start(offset))?;
        writer.write_all(bytes)?;
        *segment = Some((file.clone(), offset + bytes.len() as u64));
        Ok(Blob::Disk {
            file,
            offset,
            length: bytes.len(),
            folder: self.folder.clone(),
        })
    }
}

impl Blob {
    /// Calls `read` with a part of the bytes.
    pub(super) fn with<T>(
        &self,
        range: Range<usize>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, RecordsError> {
        match self {
            Blob::Memory { bytes, .. } => Ok(read(&bytes[range])),
            Blob::Disk {
                file,
                offset,
                folder,
                ..
            } => {
                let mut buffer = vec![0; range.len()];
                read_at(file, &mut buffer, offset + range.start as u64)
                    .map_err(RecordsError::io(folder))?;
                Ok(read(&buffer))
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Blob::Memory { bytes, .. } => bytes.len(),
            Blob::Disk { .. } => 0,
        }
    }

    pub(super) fn disk_bytes(&self) -> usize {
        match self {
            Blob::Memory { .. } => 0,
            Blob::Disk { length, .. } => *length,
        }
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        if let Blob::Memory { bytes, used } = self {
            used.fetch_sub(bytes.len() as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
        }
    }
    Ok(())
}
