//! Where the rows of a file come from: the key-value metadata of every file.

use parquet::file::metadata::KeyValue;

use crate::schema::SCHEMA_VERSION;

/// What produced a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `tenjiku selfplay`.
    Selfplay,
    /// `tenjiku import`.
    Import,
    /// `tenjiku match` and `tenjiku tournament`.
    Match,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Selfplay, Kind::Import, Kind::Match];

    /// The name in the metadata.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Selfplay => "selfplay",
            Kind::Import => "import",
            Kind::Match => "match",
        }
    }
}

/// Where the rows of a file come from.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Provenance {
    /// `tenjiku` or `shogi`.
    pub game: String,
    /// Canonical name of the run's rules; a row's own `rules` column counts.
    pub rules: String,
    /// Hash of the resolved config.
    pub config_hash: String,
    /// Hash of the network that played, empty without one.
    pub network_hash: String,
    /// Seed of the run.
    pub run_seed: u64,
    /// Version of the code that wrote the file.
    pub code_version: String,
    /// Generation of the network, 0 without one.
    pub generation: u32,
    /// What wrote the file.
    pub kind: Kind,
}

const PREFIX: &str = "tenjiku.";

impl Provenance {
    /// The entries of a file of `dataset` (`games` or `positions`), in a fixed order.
    pub(crate) fn entries(&self, dataset: &str) -> Vec<(String, String)> {
        [
            ("schema_version", SCHEMA_VERSION.to_string()),
            ("dataset", dataset.to_string()),
            ("game", self.game.clone()),
            ("rules", self.rules.clone()),
            ("config_hash", self.config_hash.clone()),
            ("network_hash", self.network_hash.clone()),
            ("run_seed", self.run_seed.to_string()),
            ("code_version", self.code_version.clone()),
            ("generation", self.generation.to_string()),
            ("kind", self.kind.name().to_string()),
        ]
        .into_iter()
        .map(|(key, value)| (format!("{PREFIX}{key}"), value))
        .collect()
    }

    /// Reads the entries of a file that must be of `dataset`.
    pub(crate) fn read(
        metadata: &[KeyValue],
        dataset: Option<&str>,
    ) -> Result<(Provenance, String), String> {
        let get = |key: &str| {
            let key = format!("{PREFIX}{key}");
            let entry = metadata
                .iter()
                .find(|kv| kv.key == key)
                .and_then(|kv| kv.value.clone());
            entry.ok_or(format!("no `{key}` in its metadata"))
        };
        let number = |key: &str| {
            let text = get(key)?;
            text.parse::<u64>()
                .map_err(|_| format!("`{PREFIX}{key}` is `{text}`, must be a number"))
        };
        let version = get("schema_version").map_err(|_| {
            "a foreign Parquet file: no `tenjiku.schema_version` in its metadata".to_string()
        })?;
        if version != SCHEMA_VERSION.to_string() {
            return Err(format!(
                "schema version {version}, this program reads version {SCHEMA_VERSION}; \
                 use the program version that wrote it"
            ));
        }
        let found = get("dataset")?;
        if let Some(expected) = dataset
            && found != expected
        {
            return Err(format!(
                "holds `{found}`, expected `{expected}`; move it to its folder"
            ));
        }
        let kind = get("kind")?;
        let provenance = Provenance {
            game: get("game")?,
            rules: get("rules")?,
            config_hash: get("config_hash")?,
            network_hash: get("network_hash")?,
            run_seed: number("run_seed")?,
            code_version: get("code_version")?,
            generation: u32::try_from(number("generation")?)
                .map_err(|e| format!("`generation`: {e}"))?,
            kind: Kind::ALL
                .into_iter()
                .find(|k| k.name() == kind)
                .ok_or(format!(
                    "`{PREFIX}kind` is `{kind}`, which this program does not know"
                ))?,
        };
        Ok((provenance, found))
    }
}
