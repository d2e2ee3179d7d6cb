//! The page's files, built from `ui/src` by `ui/build.sh` and embedded here.

use crate::http::Response;

pub(crate) const INDEX: &str = include_str!("../ui/dist/index.html");
pub(crate) const APP_JS: &str = include_str!("../ui/dist/app.js");
pub(crate) const REPORT_JS: &str = include_str!("../ui/dist/report.js");
pub(crate) const CSS: &str = include_str!("../ui/dist/app.css");
pub(crate) const ICON: &str = include_str!("../ui/dist/icon.svg");

/// The asset at this path of the site.
pub(crate) fn asset(path: &str) -> Option<Response> {
    let (kind, text) = match path {
        "/" | "/index.html" => ("text/html; charset=utf-8", INDEX),
        "/app.js" => ("text/javascript; charset=utf-8", APP_JS),
        "/app.css" => ("text/css; charset=utf-8", CSS),
        "/icon.svg" | "/favicon.ico" => ("image/svg+xml", ICON),
        _ => return None,
    };
    Some(Response {
        status: 200,
        kind,
        body: text.as_bytes().into(),
        extra: "",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};
    use std::path::Path;

    /// The bundle is made by hand (`ui/build.sh`); this tells a source that was changed without it.
    #[test]
    fn the_bundle_is_of_these_sources() {
        let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
        let listed = std::fs::read_to_string(ui.join("dist/SOURCES.sha256")).unwrap();
        let mut names = Vec::new();
        for line in listed.lines() {
            let (hash, name) = line.split_once("  ").unwrap();
            let bytes = std::fs::read(ui.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
            let found: String = Sha256::digest(&bytes)
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            assert_eq!(found, hash, "{name} was changed; run web/ui/build.sh");
            names.push(name.to_string());
        }
        for entry in std::fs::read_dir(ui.join("src")).unwrap() {
            let name = format!("src/{}", entry.unwrap().file_name().to_string_lossy());
            assert!(
                names.contains(&name),
                "{name} is not built in; run web/ui/build.sh"
            );
        }
    }

    #[test]
    fn the_report_bundle_can_stand_in_a_page() {
        assert!(!REPORT_JS.to_ascii_lowercase().contains("</script"));
        assert!(!CSS.to_ascii_lowercase().contains("</style"));
        for text in [INDEX, APP_JS, REPORT_JS, CSS] {
            assert!(
                !text.contains("https://"),
                "the page fetches nothing from elsewhere"
            );
        }
    }
}
