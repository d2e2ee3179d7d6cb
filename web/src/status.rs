//! The state of a run as JSON, for the command line.

use crate::run::Run;
use std::path::Path;

/// A run that is looked at again and again; what has not changed is not read twice.
pub struct RunStatus(Run);

impl RunStatus {
    /// Opens a run.
    ///
    /// # Errors
    /// If it is no run directory, or of a game that this program does not know.
    pub fn open(root: &Path) -> anyhow::Result<RunStatus> {
        Run::open(root).map(RunStatus)
    }

    /// The state now: the object of `GET /api/run`, described in `docs/web.md`, without the points of its curves but the
    /// last ones, under `training` and `validation`.
    ///
    /// # Errors
    /// Never in practice: the state is plain values.
    pub fn now(&self) -> anyhow::Result<serde_json::Value> {
        let overview = self.0.overview();
        let curves = overview.curves();
        let (training, validation) = (curves.train.last(), curves.validation.last());
        let mut value = serde_json::to_value(overview)?;
        if let Some(object) = value.as_object_mut() {
            object.remove("curves");
            object.insert("training".into(), serde_json::to_value(training)?);
            object.insert("validation".into(), serde_json::to_value(validation)?);
        }
        Ok(value)
    }
}
