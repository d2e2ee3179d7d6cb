//! Finished games on their way into a pair of files: a log next to the `games` files, so that a killed writer
//! loses only the games that were still being played.
//!
//! ```text
//! games/.<stem>.journal    frame, frame, ...      the first is the header, each other one a game
//! frame                    length u32 | first 8 bytes of sha256(payload) | payload
//! payload of a game        length u32 | game as JSON | rows as `pack` writes them
//! ```
//! All little-endian. Whoever writes a journal holds its lock; a journal without a lock holder is left over, and
//! [`publish`] makes a pair of files of it. A frame cut off at the end was being written: it is dropped. After
//! each frame the operating system has the game (it survives the process); the disk has it within
//! [`SYNC_EVERY`] of games coming in.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::error::{RecordsError, RowError};
use crate::file::SealedWriter;
use crate::pack::{pack, unpack};
use crate::provenance::Provenance;
use crate::record::{GameRecord, PositionRecord};
use crate::schema::{GAMES, POSITIONS, Shape, arrow_schema};
use crate::table::{GameRow, PositionBuilder, games_batch};
use crate::writer::Written;

const SUFFIX: &str = ".journal";
const VERSION: u32 = 1;
const SYNC_EVERY: Duration = Duration::from_secs(5);

/// Longest payload that is believed when reading; a game of 100,000 plies takes far less.
const MAX_PAYLOAD: u32 = 1 << 30;

/// Rows a row group; the last game may exceed it, for a row group holds whole games.
const GROUP_ROWS: usize = 16_384;

#[derive(serde::Serialize, serde::Deserialize)]
struct Header {
    version: u32,
    provenance: Provenance,
    shape: Shape,
}

/// The path of a stem's journal.
pub(crate) fn path_of(run: &Path, stem: &str) -> PathBuf {
    run.join("games").join(format!(".{stem}{SUFFIX}"))
}

/// The stem, if this is the name of a journal.
pub(crate) fn stem_of(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(SUFFIX)
}

/// A journal open for writing, and locked.
pub(crate) struct Journal {
    path: PathBuf,
    stem: String,
    file: File,
    length: u64,
    synced: Instant,
    provenance: Provenance,
    shape: Shape,
}

impl Journal {
    /// Begins the journal of `stem`; `None` if there is one already.
    pub(crate) fn create(
        run: &Path,
        stem: String,
        provenance: &Provenance,
        shape: &Shape,
    ) -> Result<Option<Journal>, RecordsError> {
        let path = path_of(run, &stem);
        let file = match OpenOptions::new()
            .read(true)
            .append(true)
            .create_new(true)
            .open(&path)
        {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return Ok(None),
            other => other.map_err(RecordsError::io(&path))?,
        };
        // Someone who cleans up may hold the lock for a moment; then the name is spent.
        if file.try_lock().is_err() {
            return Ok(None);
        }
        let header = Header {
            version: VERSION,
            provenance: provenance.clone(),
            shape: shape.clone(),
        };
        let mut journal = Journal {
            path,
            stem,
            file,
            length: 0,
            synced: Instant::now(),
            provenance: provenance.clone(),
            shape: shape.clone(),
        };
        let written = journal.append(&json(&header));
        if let Err(error) = written {
            // The game is refused anyway; an empty journal would be cleaned up later.
            let _ = fs::remove_file(&journal.path);
            return Err(error);
        }
        Ok(Some(journal))
    }

    /// Adds a game. On an error the journal is as before.
    pub(crate) fn push(
        &mut self,
        game: &GameRecord,
        rows: &[PositionRecord],
    ) -> Result<(), RecordsError> {
        let mut payload = Vec::new();
        let text = json(game);
        payload.extend_from_slice(&(text.len() as u32).to_le_bytes());
        payload.extend_from_slice(&text);
        pack(rows, &mut payload, &mut Vec::new())
            .map_err(|problem| RowError::new(&game.id, None, problem))?;
        self.append(&payload)?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.file
                .sync_data()
                .map_err(RecordsError::io(&self.path))?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn append(&mut self, payload: &[u8]) -> Result<(), RecordsError> {
        let mut frame = Vec::with_capacity(payload.len() + 12);
        frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        frame.extend_from_slice(&checksum(payload));
        frame.extend_from_slice(payload);
        if let Err(error) = self.file.write_all(&frame) {
            // If this fails too, the half frame at the end is dropped by whoever reads the journal, with all
            // that would follow; so the error must reach the caller in any case.
            let _ = self.file.set_len(self.length);
            return Err(RecordsError::io(&self.path)(error));
        }
        self.length += frame.len() as u64;
        Ok(())
    }

    /// Makes a pair of files of all its games, and removes the journal. On an error it stays as it is.
    pub(crate) fn publish(&mut self, run: &Path) -> Result<Option<Written>, RecordsError> {
        self.file
            .seek(SeekFrom::Start(0))
            .map_err(RecordsError::io(&self.path))?;
        let mut games = Frames {
            file: BufReader::new(&self.file),
            path: &self.path,
            dropped: false,
        };
        games.next_payload()?; // the header, known
        let written = publish(run, &self.stem, &self.provenance, &self.shape, &mut games)?;
        fs::remove_file(&self.path).map_err(RecordsError::io(&self.path))?;
        Ok(written)
    }
}

/// A journal that was found.
pub(crate) enum Found {
    /// Its writer is at work.
    Live,
    /// Its pair was complete; it has been removed.
    Done,
    /// Its games are now in a pair of files (`None`: there was no complete game), and it has been removed.
    /// `cut` tells whether a last, incomplete game was dropped.
    Published { written: Option<Written>, cut: bool },
}

/// Settles the journal of `stem` left in `run`.
pub(crate) fn recover(run: &Path, stem: &str) -> Result<Found, RecordsError> {
    let path = path_of(run, stem);
    let file = match File::open(&path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Found::Done),
        other => other.map_err(RecordsError::io(&path))?,
    };
    if file.try_lock().is_err() {
        return Ok(Found::Live);
    }
    let remove = || match fs::remove_file(&path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other.map_err(RecordsError::io(&path)),
    };
    if run.join("games").join(format!("{stem}.parquet")).exists() {
        return remove().map(|()| Found::Done);
    }
    let mut frames = Frames {
        file: BufReader::new(&file),
        path: &path,
        dropped: false,
    };
    let Some(header) = frames.next_payload()? else {
        return remove().map(|()| Found::Published {
            written: None,
            cut: frames.dropped,
        });
    };
    let header: Header = serde_json::from_slice(&header).map_err(|e| {
        RecordsError::bad(&path, format!("its header is none of ours: {e}; remove it"))
    })?;
    if header.version != VERSION {
        let reason = format!(
            "journal version {}, this program reads {VERSION}; finish it with the program that wrote it, or remove it",
            header.version
        );
        return Err(RecordsError::bad(&path, reason));
    }
    let written = publish(run, stem, &header.provenance, &header.shape, &mut frames)?;
    let cut = frames.dropped;
    remove().map(|()| Found::Published { written, cut })
}

fn publish(
    run: &Path,
    stem: &str,
    provenance: &Provenance,
    shape: &Shape,
    games: &mut Frames<'_>,
) -> Result<Option<Written>, RecordsError> {
    let [games_path, positions_path] =
        ["games", "positions"].map(|folder| run.join(folder).join(format!("{stem}.parquet")));
    let mut rows = 0;
    let mut list = Vec::new();
    let mut builder = PositionBuilder::new(shape);
    let mut positions: Option<SealedWriter> = None;
    let write = |batch: &arrow_array::RecordBatch, positions: &mut Option<SealedWriter>| {
        if positions.is_none() {
            let schema = arrow_schema(&POSITIONS, shape);
            *positions = Some(SealedWriter::create(
                &positions_path,
                "positions",
                schema,
                provenance,
            )?);
        }
        positions.as_mut().expect("made").row_group(batch)
    };
    while let Some((game, game_rows)) = games.next_game(shape)? {
        for (ply, row) in game_rows.iter().enumerate() {
            builder
                .push(&game, ply as u32, game_rows.len() as u32, row)
                .map_err(|problem| RowError::new(&game.id, None, problem))?;
        }
        list.push(GameRow {
            record: game,
            positions: game_rows.len() as u32,
            first_row: rows as u32,
        });
        rows += game_rows.len();
        if builder.rows() >= GROUP_ROWS {
            write(&builder.finish(), &mut positions)?;
        }
    }
    if list.is_empty() {
        return Ok(None);
    }
    if builder.rows() > 0 {
        write(&builder.finish(), &mut positions)?;
    }
    let mut bytes = positions.map_or(Ok(0), SealedWriter::finish)?;
    let mut file = SealedWriter::create(
        &games_path,
        "games",
        arrow_schema(&GAMES, shape),
        provenance,
    )?;
    file.row_group(&games_batch(&list))?;
    bytes += file.finish()?;
    Ok(Some(Written {
        stem: stem.to_string(),
        games: list.len(),
        positions: rows,
        bytes,
    }))
}

struct Frames<'a> {
    file: BufReader<&'a File>,
    path: &'a Path,
    /// Whether an incomplete frame ended the journal.
    dropped: bool,
}

impl Frames<'_> {
    fn next_payload(&mut self) -> Result<Option<Vec<u8>>, RecordsError> {
        let mut head = [0; 12];
        let found = read_up_to(&mut self.file, &mut head).map_err(RecordsError::io(self.path))?;
        let length = u32::from_le_bytes(head[..4].try_into().expect("4 bytes"));
        if found < head.len() || length > MAX_PAYLOAD {
            self.dropped = found > 0;
            return Ok(None);
        }
        let mut payload = Vec::new();
        let read = (&mut self.file)
            .take(u64::from(length))
            .read_to_end(&mut payload);
        read.map_err(RecordsError::io(self.path))?;
        if payload.len() < length as usize || checksum(&payload) != head[4..] {
            self.dropped = true;
            return Ok(None);
        }
        Ok(Some(payload))
    }

    fn next_game(
        &mut self,
        shape: &Shape,
    ) -> Result<Option<(GameRecord, Vec<PositionRecord>)>, RecordsError> {
        let Some(payload) = self.next_payload()? else {
            return Ok(None);
        };
        let bad = || RecordsError::bad(self.path, "a game in it cannot be decoded; remove it");
        let (length, rest) = payload.split_first_chunk::<4>().ok_or_else(bad)?;
        let (text, packed) = rest
            .split_at_checked(u32::from_le_bytes(*length) as usize)
            .ok_or_else(bad)?;
        let game: GameRecord = serde_json::from_slice(text).map_err(|_| bad())?;
        let rows = unpack(packed, game.plies() as usize, shape).ok_or_else(bad)?;
        Ok(Some((game, rows)))
    }
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut found = 0;
    while found < buffer.len() {
        match file.read(&mut buffer[found..]) {
            Ok(0) => break,
            Ok(n) => found += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(found)
}

fn checksum(payload: &[u8]) -> [u8; 8] {
    Sha256::digest(payload)[..8]
        .try_into()
        .expect("8 of 32 bytes")
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain structs become JSON")
}
