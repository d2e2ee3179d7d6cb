//! The run's metrics on disk: Parquet tables for notebooks, event files for TensorBoard.
//!
//! ```text
//! metrics/train-0004000.parquet         a row a report, of the call that began at step 4000
//! metrics/validation-0004000.parquet    a row a validation
//! metrics/calibration-0004000.parquet   a row a validation and bin of the predicted score
//! tb/events.out.tfevents.*              the same scalars for TensorBoard
//! ```
//!
//! Parquet files are written again as a whole with each checkpoint, so that after a crash they end where training goes
//! on. All columns but `step` are f64; their meaning is that of the fields of [`Report`] and [`Validation`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt64Array};
use parquet::arrow::ArrowWriter;

use crate::TrainError;
use crate::progress::Report;
use crate::tensorboard::EventWriter;
use crate::validate::Validation;

/// Collects and writes the metrics of one call of the trainer.
pub struct Metrics {
    folder: PathBuf,
    first_step: u64,
    train: Table,
    validation: Table,
    calibration: Table,
    events: EventWriter,
}

impl Metrics {
    /// Starts the metrics of a call that begins at `first_step`.
    ///
    /// # Errors
    /// The event file cannot be made.
    pub fn create(run: &Path, first_step: u64) -> Result<Metrics, TrainError> {
        let tb = run.join("tb");
        Ok(Metrics {
            folder: run.join("metrics"),
            first_step,
            train: Table::default(),
            validation: Table::default(),
            calibration: Table::default(),
            events: EventWriter::create(&tb, first_step).map_err(TrainError::io(tb))?,
        })
    }

    /// Adds a report.
    ///
    /// # Errors
    /// The event file cannot be written.
    pub fn report(&mut self, report: &Report) -> Result<(), TrainError> {
        let values = [
            ("loss", report.loss),
            ("policy", report.policy),
            ("policy_kl", report.policy_kl),
            ("policy_accuracy", report.policy_accuracy),
            ("wdl", report.wdl),
            ("moves_left", report.moves_left),
            ("future", report.future),
            ("short_term", report.short_term),
            ("soft_policy", report.soft_policy),
            ("learning_rate", report.learning_rate),
            ("gradient_norm", report.gradient_norm),
            ("data_age", report.data_age),
            ("skipped", report.skipped as f64),
            ("positions_per_second", report.positions_per_second),
            ("wait_share", report.wait_share),
        ];
        self.train.push(report.step, &values);
        self.scalars("train", report.step, &values)
    }

    /// Adds a validation.
    ///
    /// # Errors
    /// The event file cannot be written.
    pub fn validated(&mut self, step: u64, validation: &Validation) -> Result<(), TrainError> {
        let values = [
            ("positions", validation.positions as f64),
            ("policy", validation.policy),
            ("policy_kl", validation.policy_kl),
            ("policy_accuracy", validation.policy_accuracy),
            ("wdl", validation.wdl),
            ("moves_left", validation.moves_left),
        ];
        self.validation.push(step, &values);
        self.scalars("validation", step, &values)?;
        for (i, bin) in validation.calibration.iter().enumerate() {
            let values = [
                ("bin", i as f64),
                ("positions", bin.positions as f64),
                ("predicted", bin.predicted),
                ("observed", bin.observed),
            ];
            self.calibration.push(step, &values);
            // An empty bin has no means to draw.
            if bin.positions > 0 {
                self.scalars(&format!("calibration/{i}"), step, &values[1..])?;
            }
        }
        Ok(())
    }

    fn scalars(
        &mut self,
        group: &str,
        step: u64,
        values: &[(&str, f64)],
    ) -> Result<(), TrainError> {
        let tags: Vec<String> = values
            .iter()
            .map(|(name, _)| format!("{group}/{name}"))
            .collect();
        let tagged: Vec<(&str, f64)> = tags
            .iter()
            .zip(values)
            .map(|(tag, (_, v))| (tag.as_str(), *v))
            .collect();
        self.events
            .scalars(step, &tagged)
            .map_err(TrainError::io(&self.folder))
    }

    /// Writes the Parquet files.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn flush(&self) -> Result<(), TrainError> {
        let tables = [
            ("train", &self.train),
            ("validation", &self.validation),
            ("calibration", &self.calibration),
        ];
        for (name, table) in tables
            .into_iter()
            .filter(|(_, table)| !table.steps.is_empty())
        {
            let path = self
                .folder
                .join(format!("{name}-{:07}.parquet", self.first_step));
            let bytes = table
                .parquet()
                .map_err(io::Error::other)
                .map_err(TrainError::io(&path))?;
            files::write_atomic(&path, &bytes).map_err(TrainError::io(&path))?;
        }
        Ok(())
    }
}

/// Rows of named numbers; every row has the same names.
#[derive(Default)]
struct Table {
    steps: Vec<u64>,
    columns: Vec<(String, Vec<f64>)>,
}

impl Table {
    fn push(&mut self, step: u64, values: &[(&str, f64)]) {
        if self.columns.is_empty() {
            self.columns = values
                .iter()
                .map(|(name, _)| (name.to_string(), Vec::new()))
                .collect();
        }
        self.steps.push(step);
        for ((_, column), (_, value)) in self.columns.iter_mut().zip(values) {
            column.push(*value);
        }
    }

    fn parquet(&self) -> parquet::errors::Result<Vec<u8>> {
        let steps: ArrayRef = Arc::new(UInt64Array::from(self.steps.clone()));
        let columns = self.columns.iter().map(|(name, values)| {
            let column: ArrayRef = Arc::new(Float64Array::from(values.clone()));
            (name.as_str(), column)
        });
        let batch = RecordBatch::try_from_iter(std::iter::once(("step", steps)).chain(columns))?;
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
        writer.write(&batch)?;
        writer.into_inner()
    }
}
