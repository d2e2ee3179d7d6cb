//! The batch that broke training, kept for whoever looks for the reason.

use std::path::Path;

use files::write_folder;

use crate::batch::Batch;

/// Writes the tensors of a batch and where its positions come from; of a batch in parts, each part.
pub(crate) fn save_batch(dir: &Path, batch: &[Batch]) -> std::io::Result<()> {
    let mut files = Vec::new();
    for (i, part) in batch.iter().enumerate() {
        let tensors = part
            .tensors()
            .into_iter()
            .map(|(name, t)| (name.to_string(), t.shallow_clone()));
        let tensors = network::Weights(tensors.collect())
            .to_safetensors()
            .map_err(std::io::Error::other)?;
        let number = if i == 0 {
            String::new()
        } else {
            format!("-{i}")
        };
        files.push((format!("batch{number}.safetensors"), tensors));
    }
    let origins: Vec<_> = batch.iter().flat_map(|part| &part.info.origins).collect();
    files.push(("rows.json".into(), serde_json::to_vec_pretty(&origins)?));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    write_folder(dir, &files)
}
