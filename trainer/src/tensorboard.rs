//! TensorBoard event files: scalars by step, written record by record.
//!
//! A file is a sequence of records `length u64 | crc of length u32 | bytes | crc of bytes u32`, little-endian, with
//! masked CRC-32C; the bytes are a protobuf message `Event { double wall_time = 1; int64 step = 2;
//! string file_version = 3; Summary summary = 5; SessionLog session_log = 7 }` and `Summary { repeated Value value = 1 }`,
//! `Value { string tag = 1; float simple_value = 2 }`, `SessionLog { status = 1 }`. Source: the .proto files and
//! `record_writer.cc` of TensorFlow.

use std::fs::{File, create_dir_all};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes one event file.
pub struct EventWriter {
    file: File,
}

impl EventWriter {
    /// Starts a new file in `dir`. Viewers forget what earlier files say about steps from `step` on: training was set
    /// back to there.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(dir: &Path, step: u64) -> io::Result<EventWriter> {
        create_dir_all(dir)?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let name = format!(
            "events.out.tfevents.{}.{}.train",
            now.as_secs(),
            std::process::id()
        );
        let mut writer = EventWriter {
            file: File::options()
                .append(true)
                .create(true)
                .open(dir.join(name))?,
        };
        let mut event = Message::event(0);
        event.bytes(3, b"brain.Event:2");
        writer.record(&event.0)?;
        let mut start = Message::default();
        start.varint(1, 1); // SessionLog.START
        let mut event = Message::event(step);
        event.bytes(7, &start.0);
        writer.record(&event.0)?;
        Ok(writer)
    }

    /// Writes the values of a step, at once to the operating system.
    ///
    /// # Errors
    /// The file system's.
    pub fn scalars(&mut self, step: u64, values: &[(&str, f64)]) -> io::Result<()> {
        let mut summary = Message::default();
        for (tag, value) in values {
            let mut message = Message::default();
            message.bytes(1, tag.as_bytes());
            message.float(2, *value as f32);
            summary.bytes(1, &message.0);
        }
        let mut event = Message::event(step);
        event.bytes(5, &summary.0);
        self.record(&event.0)
    }

    fn record(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = (bytes.len() as u64).to_le_bytes();
        let mut record = Vec::with_capacity(bytes.len() + 16);
        record.extend(length);
        record.extend(masked_crc(&length).to_le_bytes());
        record.extend(bytes);
        record.extend(masked_crc(bytes).to_le_bytes());
        self.file.write_all(&record)
    }
}

/// A protobuf message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// An `Event` of now.
    fn event(step: u64) -> Message {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut event = Message::default();
        event.key(1, 1);
        event.0.extend(now.as_secs_f64().to_le_bytes());
        event.varint(2, step);
        event
    }

    fn key(&mut self, field: u32, wire: u32) {
        self.raw_varint(u64::from(field << 3 | wire));
    }

    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn varint(&mut self, field: u32, value: u64) {
        self.key(field, 0);
        self.raw_varint(value);
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, 2);
        self.raw_varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn float(&mut self, field: u32, value: f32) {
        self.key(field, 5);
        self.0.extend(value.to_le_bytes());
    }
}

/// CRC-32C (Castagnoli), bit by bit: event files are small.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// The rotated and shifted CRC of the record format.
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xA282_EAD8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_has_its_check_values() {
        // RFC 3720, appendix B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8A91_36AA);
        assert_eq!(crc32c(&[0xFF; 32]), 0x62A8_AB43);
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    }

    #[test]
    fn records_hold_the_scalars() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = EventWriter::create(dir.path(), 7).unwrap();
        writer.scalars(300, &[("loss/total", 0.5)]).unwrap();
        let path = std::fs::read_dir(dir.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let mut rest = &std::fs::read(path).unwrap()[..];
        let mut records = Vec::new();
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            records.push(rest[12..12 + length].to_vec());
            rest = &rest[16 + length..];
        }
        assert_eq!(records.len(), 3);
        // Event: 9 bytes of wall time, then the fields, by hand.
        assert_eq!(
            records[0][9..],
            [&[0x10, 0, 0x1A, 13], &b"brain.Event:2"[..]].concat()
        );
        assert_eq!(records[1][9..], [0x10, 7, 0x3A, 2, 0x08, 1]);
        let value = [&[0x0A, 10], &b"loss/total"[..], &[0x15, 0, 0, 0, 0x3F]].concat();
        assert_eq!(
            records[2][9..],
            [&[0x10, 0xAC, 0x02, 0x2A, 19, 0x0A, 17], &value[..]].concat()
        );
    }
}
