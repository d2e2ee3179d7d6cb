//! One sealed Parquet file: written to a temporary name, renamed when complete, checked when read.
//!
//! ```text
//! PAR1 | row groups ............................. | footer with key-value metadata | length | PAR1
//!      <------- hashed, `tenjiku.data_bytes` ---->
//! ```
//! The seal `tenjiku.sha256` covers the bytes before the footer, where the footer says that the columns stand,
//! and our metadata; the schema is compared with the expected one. The `parquet` crate writes no page checksums.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use files::sync_folder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, CompressionCodec, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use sha2::{Digest, Sha256};

use crate::error::RecordsError;
use crate::provenance::Provenance;
use crate::report::ColumnReport;
use crate::schema::{Shape, arrow_schema, columns_of};

/// Suffix of unfinished files.
pub(crate) const TMP_SUFFIX: &str = ".tmp";

const DATA_BYTES: &str = "tenjiku.data_bytes";
const SHA256: &str = "tenjiku.sha256";

/// A sink that hashes what passes.
struct HashingFile {
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl Write for HashingFile {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(buf)?;
        self.hash.update(&buf[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// A file being written; dropped before [`finish`](Self::finish) it vanishes.
pub(crate) struct SealedWriter {
    path: PathBuf,
    tmp: PathBuf,
    entries: Vec<(String, String)>,
    writer: Option<ArrowWriter<HashingFile>>,
}

impl SealedWriter {
    /// Begins the file that will be visible as `path`.
    pub(crate) fn create(
        path: &Path,
        dataset: &str,
        schema: Arc<Schema>,
        provenance: &Provenance,
    ) -> Result<SealedWriter, RecordsError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let tmp = path.with_file_name(format!(".{name}{TMP_SUFFIX}"));
        let file = File::create(&tmp).map_err(RecordsError::io(&tmp))?;
        let sink = HashingFile {
            file,
            hash: Sha256::new(),
            bytes: 0,
        };
        let writer =
            ArrowWriter::try_new(sink, schema, Some(properties())).map_err(write_error(&tmp))?;
        Ok(SealedWriter {
            path: path.to_path_buf(),
            tmp,
            entries: provenance.entries(dataset),
            writer: Some(writer),
        })
    }

    /// Writes a batch as a row group of its own.
    pub(crate) fn row_group(&mut self, batch: &RecordBatch) -> Result<(), RecordsError> {
        let writer = self.writer.as_mut().expect("not finished");
        writer
            .write(batch)
            .and_then(|()| writer.flush())
            .map_err(write_error(&self.tmp))
    }

    /// Seals the file and makes it visible and durable. Returns its size in bytes.
    pub(crate) fn finish(mut self) -> Result<u64, RecordsError> {
        let mut writer = self.writer.take().expect("finished once");
        writer.sync().map_err(RecordsError::io(&self.tmp))?;
        let mut hash = writer.inner().hash.clone();
        let bytes = writer.inner().bytes;
        hash_layout(&mut hash, writer.flushed_row_groups());
        for (key, value) in &self.entries {
            hash_entry(&mut hash, key, value);
            writer.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        writer.append_key_value_metadata(KeyValue::new(DATA_BYTES.into(), bytes.to_string()));
        writer.append_key_value_metadata(KeyValue::new(SHA256.into(), hex(hash)));
        let sink = writer.into_inner().map_err(write_error(&self.tmp))?;
        sink.file.sync_all().map_err(RecordsError::io(&self.tmp))?;
        fs::rename(&self.tmp, &self.path).map_err(RecordsError::io(&self.path))?;
        sync_folder(&self.path).map_err(RecordsError::io(&self.path))?;
        Ok(sink.bytes)
    }
}

impl Drop for SealedWriter {
    fn drop(&mut self) {
        // After `finish` the name is gone and this does nothing; an error here has no one to go to.
        let _ = fs::remove_file(&self.tmp);
    }
}

/// What the file system says to a write comes wrapped in an error of the `parquet` crate.
fn write_error(path: &Path) -> impl FnOnce(ParquetError) -> RecordsError + '_ {
    move |error| match error {
        ParquetError::External(cause) if cause.is::<std::io::Error>() => {
            let cause = cause.downcast().expect("just looked");
            RecordsError::io(path)(*cause)
        }
        other => RecordsError::bad(path, other.to_string()),
    }
}

/// Where the columns stand, so that a damaged footer cannot send the decoder astray.
fn hash_layout(hash: &mut Sha256, groups: &[RowGroupMetaData]) {
    for group in groups {
        hash.update(format!("rows {}\n", group.num_rows()));
        for c in group.columns() {
            let offsets = (
                c.dictionary_page_offset().unwrap_or(-1),
                c.data_page_offset(),
            );
            let sizes = (c.compressed_size(), c.uncompressed_size(), c.num_values());
            let codec = codec_name(c.compression_codec());
            hash.update(format!(
                "{} {offsets:?} {sizes:?} {codec}\n",
                c.column_path()
            ));
        }
    }
}

/// The codec as schema version 1 writes it into the seal, whatever the `parquet` crate prints today.
fn codec_name(codec: CompressionCodec) -> String {
    match codec {
        CompressionCodec::ZSTD => "ZSTD(ZstdLevel(1))".into(),
        other => format!("{other:?}"),
    }
}

fn hash_entry(hash: &mut Sha256, key: &str, value: &str) {
    hash.update(format!("{key}={value}\n"));
}

fn hex(hash: Sha256) -> String {
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn properties() -> WriterProperties {
    let level = ZstdLevel::try_new(5).expect("zstd has a level 5");
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("tenjiku records ", env!("CARGO_PKG_VERSION")).to_string())
        // Consecutive boards are nearly alike: long pages let zstd see it.
        .set_data_page_size_limit(8 << 20)
        .set_data_page_row_count_limit(1 << 20)
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true);
    // Columns in which values seldom repeat have no use for a dictionary. The first bytes of weights and values are
    // alike, so they are set apart from the last ones: a policy takes an eighth less than in plain order. The codes
    // of policies are smaller in plain order.
    for (column, encoding) in [
        ("ply", Encoding::DELTA_BINARY_PACKED),
        ("move_number", Encoding::DELTA_BINARY_PACKED),
        ("plies_left", Encoding::DELTA_BINARY_PACKED),
        ("legal_moves", Encoding::BYTE_STREAM_SPLIT),
        ("board", Encoding::PLAIN),
        ("hands", Encoding::PLAIN),
        ("root_win_stm", Encoding::BYTE_STREAM_SPLIT),
        ("root_draw_stm", Encoding::BYTE_STREAM_SPLIT),
        ("net_win_stm", Encoding::BYTE_STREAM_SPLIT),
        ("net_draw_stm", Encoding::BYTE_STREAM_SPLIT),
        ("policy_moves.list.element", Encoding::PLAIN),
        ("policy_weights.list.element", Encoding::BYTE_STREAM_SPLIT),
        ("played", Encoding::BYTE_STREAM_SPLIT),
        ("moves", Encoding::PLAIN),
        ("seed", Encoding::PLAIN),
    ] {
        let path = ColumnPath::new(column.split('.').map(String::from).collect());
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    builder.build()
}

/// A file whose footer has been read and found to be ours.
pub(crate) struct Footer {
    /// Where the rows come from.
    pub provenance: Provenance,
    /// `games` or `positions`.
    pub dataset: String,
    /// Number of rows.
    pub rows: u64,
    /// The geometry that the column types imply; `codes` is unknown (256).
    pub shape: Shape,
    metadata: ArrowReaderMetadata,
}

impl Footer {
    /// Reads and checks the footer only.
    pub(crate) fn peek(path: &Path, dataset: Option<&str>) -> Result<Footer, RecordsError> {
        Footer::check(path, load_footer(path)?, dataset)
    }

    /// Names, types and compressed sizes of the columns.
    pub(crate) fn columns(&self) -> Vec<ColumnReport> {
        columns(&self.metadata)
    }

    fn check(
        path: &Path,
        metadata: ArrowReaderMetadata,
        dataset: Option<&str>,
    ) -> Result<Footer, RecordsError> {
        let bad = |reason: String| RecordsError::bad(path, reason);
        let file = metadata.metadata().file_metadata();
        let entries = file.key_value_metadata().cloned().unwrap_or_default();
        let (provenance, dataset) = Provenance::read(&entries, dataset).map_err(bad)?;
        let columns =
            columns_of(&dataset).ok_or_else(|| bad(format!("unknown data set `{dataset}`")))?;

        let found = metadata.schema();
        let width = |name: &str| match found.field_with_name(name).map(|f| f.data_type().clone()) {
            Ok(arrow_schema::DataType::FixedSizeBinary(n)) => n as usize,
            _ => 0,
        };
        let shape = Shape {
            game: provenance.game.clone(),
            squares: width("board"),
            hands: width("hands"),
            codes: 256,
        };
        let expected = arrow_schema(columns, &shape);
        for (i, want) in expected.fields().iter().enumerate() {
            let Some(have) = found.fields().get(i) else {
                return Err(bad(format!("column `{}` is missing", want.name())));
            };
            if have.name() != want.name()
                || have.data_type() != want.data_type()
                || have.is_nullable() != want.is_nullable()
            {
                return Err(bad(format!(
                    "column {i} is `{}` of {}{}, must be `{}` of {}{}",
                    have.name(),
                    have.data_type(),
                    if have.is_nullable() { " or null" } else { "" },
                    want.name(),
                    want.data_type(),
                    if want.is_nullable() { " or null" } else { "" },
                )));
            }
        }
        if found.fields().len() > expected.fields().len() {
            return Err(bad(format!(
                "{} columns, must be {}",
                found.fields().len(),
                expected.fields().len()
            )));
        }
        let groups: i64 = metadata
            .metadata()
            .row_groups()
            .iter()
            .map(|g| g.num_rows())
            .sum();
        let rows = file.num_rows();
        if rows != groups || rows < 0 {
            return Err(bad(format!(
                "the footer says {rows} rows, its row groups {groups}"
            )));
        }
        Ok(Footer {
            provenance,
            dataset,
            rows: rows as u64,
            shape,
            metadata,
        })
    }
}

fn load_footer(path: &Path) -> Result<ArrowReaderMetadata, RecordsError> {
    let file = File::open(path).map_err(RecordsError::io(path))?;
    check_size(path, file.metadata().map_err(RecordsError::io(path))?.len())?;
    ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
        .map_err(|e| RecordsError::bad(path, not_parquet(&e)))
}

/// Number of rows and the columns of any Parquet file.
pub(crate) fn table_columns(path: &Path) -> Result<(u64, Vec<ColumnReport>), RecordsError> {
    let footer = load_footer(path)?;
    let rows = footer.metadata().file_metadata().num_rows().max(0) as u64;
    Ok((rows, columns(&footer)))
}

fn columns(footer: &ArrowReaderMetadata) -> Vec<ColumnReport> {
    let bytes = |name: &str| {
        let groups = footer.metadata().row_groups().iter();
        let own = groups.flat_map(|group| group.columns()).filter(|c| {
            let root = c.column_path().parts().first();
            root.is_some_and(|part| part == name)
        });
        own.map(|c| c.compressed_size().max(0) as u64).sum()
    };
    let fields = footer.schema().fields().iter();
    fields
        .map(|f| ColumnReport {
            name: f.name().clone(),
            kind: f.data_type().to_string(),
            bytes: bytes(f.name()),
        })
        .collect()
}

/// A file read into memory whose seal is unbroken.
pub(crate) struct Loaded {
    /// Its footer.
    pub footer: Footer,
    bytes: bytes::Bytes,
}

impl Loaded {
    /// Reads the whole file and checks footer and seal.
    pub(crate) fn open(path: &Path, dataset: Option<&str>) -> Result<Loaded, RecordsError> {
        let bytes = bytes::Bytes::from(fs::read(path).map_err(RecordsError::io(path))?);
        check_size(path, bytes.len() as u64)?;
        let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new())
            .map_err(|e| RecordsError::bad(path, not_parquet(&e)))?;
        let footer = Footer::check(path, metadata, dataset)?;
        let entries = footer
            .metadata
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .cloned()
            .unwrap_or_default();
        let get = |key: &str| {
            entries
                .iter()
                .find(|kv| kv.key == key)
                .and_then(|kv| kv.value.as_deref())
        };
        let sealed = get(DATA_BYTES)
            .and_then(|text| text.parse::<usize>().ok())
            .filter(|&n| n <= bytes.len());
        let sealed = sealed.ok_or_else(|| {
            RecordsError::bad(path, format!("no usable `{DATA_BYTES}` in its metadata"))
        })?;
        let mut hash = Sha256::new();
        hash.update(&bytes[..sealed]);
        hash_layout(&mut hash, footer.metadata.metadata().row_groups());
        for (key, value) in footer.provenance.entries(&footer.dataset) {
            hash_entry(&mut hash, &key, &value);
        }
        if get(SHA256) != Some(hex(hash).as_str()) {
            return Err(RecordsError::bad(
                path,
                "its content does not match its checksum: bytes were damaged or changed",
            ));
        }
        Ok(Loaded { footer, bytes })
    }

    /// Its rows, in batches of at most `rows`.
    pub(crate) fn batches(
        &self,
        path: &Path,
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, RecordsError>>, RecordsError> {
        let path = path.to_path_buf();
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
            self.bytes.clone(),
            self.footer.metadata.clone(),
        )
        .with_batch_size(rows)
        .build()
        .map_err(|e| RecordsError::bad(&path, e.to_string()))?;
        Ok(reader.map(move |batch| batch.map_err(|e| RecordsError::bad(&path, e.to_string()))))
    }
}

fn check_size(path: &Path, bytes: u64) -> Result<(), RecordsError> {
    match bytes {
        0 => Err(RecordsError::bad(path, "is empty")),
        1..12 => Err(RecordsError::bad(
            path,
            format!("has {bytes} bytes, too few for a Parquet file"),
        )),
        _ => Ok(()),
    }
}

fn not_parquet(error: &ParquetError) -> String {
    format!("no readable Parquet file, perhaps truncated: {error}")
}
