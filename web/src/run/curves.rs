//! The training curves: `metrics/train-*.parquet` and `metrics/validation-*.parquet`.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Serialize;

use super::files;

/// Most points of a curve; longer ones are averaged.
const MAX_POINTS: usize = 800;

/// One set of curves over steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Table {
    pub step: Vec<f64>,
    /// By column name; `null` where a file lacks the column or the value is not finite.
    pub columns: BTreeMap<String, Vec<Option<f64>>>,
}

/// All curves of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Curves {
    pub train: Table,
    pub validation: Table,
    /// Files that could not be read.
    pub problems: Vec<String>,
}

/// Changes whenever a metrics file does.
pub(crate) fn stamp(run: &Path) -> String {
    let mut stamp = String::new();
    for file in files(&run.join("metrics"), ".parquet") {
        if let Ok(data) = file.metadata() {
            let modified = data.modified().ok();
            stamp += &format!("{}:{}:{modified:?};", file.display(), data.len());
        }
    }
    stamp
}

/// Reads the curves of a run; empty where there are none.
pub(crate) fn read_curves(run: &Path) -> Curves {
    let mut curves = Curves::default();
    for (prefix, is_train) in [("train-", true), ("validation-", false)] {
        let mut table = Table::default();
        for file in files(&run.join("metrics"), ".parquet") {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with(prefix) {
                continue;
            }
            match read(&file) {
                Ok(part) => table.append(&part),
                Err(why) => curves.problems.push(format!("{}: {why}", file.display())),
            }
        }
        let table = table.thinned(MAX_POINTS);
        match is_train {
            true => curves.train = table,
            false => curves.validation = table,
        }
    }
    curves
}

fn read(file: &Path) -> Result<Table, String> {
    let text = |e: &dyn std::fmt::Display| e.to_string();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).map_err(|e| text(&e))?)
        .and_then(|builder| builder.build())
        .map_err(|e| text(&e))?;
    let mut table = Table::default();
    for batch in reader {
        table.append(&table_of(&batch.map_err(|e| text(&e))?)?);
    }
    Ok(table)
}

fn table_of(batch: &RecordBatch) -> Result<Table, String> {
    let mut table = Table::default();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if field.name() == "step" {
            let steps = column
                .as_primitive_opt::<UInt64Type>()
                .ok_or("column `step` is no u64")?;
            table.step = steps.values().iter().map(|&s| s as f64).collect();
        } else if let Some(values) = column.as_primitive_opt::<Float64Type>() {
            let list = (0..values.len())
                .map(|i| (!values.is_null(i)).then(|| values.value(i)))
                .map(|v| v.filter(|v| v.is_finite()));
            table.columns.insert(field.name().clone(), list.collect());
        }
    }
    match table.step.len() == batch.num_rows() {
        true => Ok(table),
        false => Err("no column `step`".to_string()),
    }
}

impl Table {
    /// Adds rows. Where they begin before the end, what they repeat is replaced: training went back to a checkpoint.
    fn append(&mut self, rows: &Table) {
        if let Some(first) = rows.step.first() {
            let keep = self.step.partition_point(|step| step < first);
            self.step.truncate(keep);
            self.columns.values_mut().for_each(|c| c.truncate(keep));
        }
        let before = self.step.len();
        self.step.extend(&rows.step);
        for (name, values) in &rows.columns {
            let column = self
                .columns
                .entry(name.clone())
                .or_insert_with(|| vec![None; before]);
            column.extend(values);
        }
        for column in self.columns.values_mut() {
            column.resize(self.step.len(), None);
        }
    }

    /// At most `most` rows: means of neighbours.
    fn thinned(self, most: usize) -> Table {
        let rows = self.step.len();
        if rows <= most {
            return self;
        }
        let width = rows.div_ceil(most);
        let mean = |values: &[Option<f64>]| {
            let there: Vec<f64> = values.iter().flatten().copied().collect();
            (!there.is_empty()).then(|| there.iter().sum::<f64>() / there.len() as f64)
        };
        Table {
            step: self.step.chunks(width).map(|c| c[c.len() - 1]).collect(),
            columns: self
                .columns
                .into_iter()
                .map(|(name, column)| (name, column.chunks(width).map(mean).collect()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(steps: &[f64], values: &[f64]) -> Table {
        Table {
            step: steps.to_vec(),
            columns: BTreeMap::from([("loss".into(), values.iter().map(|v| Some(*v)).collect())]),
        }
    }

    #[test]
    fn a_repeated_stretch_is_replaced() {
        let mut all = table(&[50., 100., 150.], &[3., 2., 9.]);
        all.append(&table(&[150., 200.], &[1.5, 1.]));
        assert_eq!(all, table(&[50., 100., 150., 200.], &[3., 2., 1.5, 1.]));
    }

    #[test]
    fn long_curves_are_averaged() {
        let long = table(&[1., 2., 3., 4., 5.], &[1., 3., 5., 7., 9.]);
        assert_eq!(long.thinned(3), table(&[2., 4., 5.], &[2., 6., 9.]));
    }

    #[test]
    fn a_broken_file_is_a_problem_and_a_missing_folder_is_none() {
        let run = tempfile::tempdir().unwrap();
        assert!(read_curves(run.path()).problems.is_empty());
        std::fs::create_dir(run.path().join("metrics")).unwrap();
        std::fs::write(run.path().join("metrics/train-0000000.parquet"), "no").unwrap();
        assert_eq!(read_curves(run.path()).problems.len(), 1);
    }
}
