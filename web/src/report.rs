//! `tenjiku report`: a run as one HTML file that needs no server and no network.
//!
//! The file holds the bundle of the page's own board and charts, and as JSON the same answers that the server gives.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use serde::Serialize;

use crate::assets;
use crate::games::{Catalogue, GameTask, WebGame, catalogue, with_game};
use crate::run::{Overview, Replay, Run};

/// Generations that games are shown of, spread over the run.
const GENERATIONS: usize = 12;
/// Games shown of each.
const GAMES_EACH: usize = 2;

#[derive(Serialize)]
struct Data {
    catalogue: Catalogue,
    run: Overview,
    games: Vec<Replay>,
}

struct MakeCatalogue;

impl GameTask for MakeCatalogue {
    type Output = Catalogue;
    fn run<P: WebGame>(self) -> Catalogue {
        catalogue::<P>()
    }
}

/// The report on the run in `root` as the text of an HTML file.
///
/// # Errors
/// If it is no run directory. What is missing in it is left out of the report, what is broken is named there.
pub fn report(root: &Path) -> Result<String> {
    let run = Run::open(root)?;
    let refused = |refusal: crate::error::Refusal| anyhow!(refusal.reason);
    let games = run.samples(GENERATIONS, GAMES_EACH).map_err(refused)?;
    let data = Data {
        catalogue: with_game(run.game(), MakeCatalogue).map_err(refused)?,
        run: run.overview(),
        games,
    };
    // No `<` in it: it cannot end the element it stands in.
    let json = serde_json::to_string(&data)
        .context("report data")?
        .replace('<', "\\u003c");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
         style-src 'unsafe-inline'; img-src data:\">\n\
         <title>Tenjiku Zero report</title>\n<style>\n{}\n</style>\n</head>\n<body class=\"report\">\n\
         <noscript>This report draws its curves and boards with JavaScript.</noscript>\n\
         <main id=\"report\"></main>\n\
         <script type=\"application/json\" id=\"data\">{json}</script>\n<script>\n{}\n</script>\n</body>\n</html>\n",
        assets::CSS,
        assets::REPORT_JS,
    ))
}
