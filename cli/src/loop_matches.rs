//! The matches of `tenjiku loop`, kept in `matches/<generation>-<opponent>/` of the run.

use crate::event_config::EventConfig;
use crate::event_stage::{Event, Participant};
use crate::game::Game;
use crate::ratings_stage::rate;
use crate::stages::Run;
use anyhow::{Context, Result};
use evaluator::{
    AnchorChoice, Format, Plan, PlayParams, RatingsFile, Report, encounters, random_openings,
};
use std::sync::atomic::AtomicBool;

impl<P: Game> Run<P> {
    /// Plays the match of a generation against an opponent of the config, or what is missing of it. `None` if it was
    /// stopped.
    pub fn evaluate(
        &self,
        generation: u32,
        opponent: &str,
        stop: &AtomicBool,
    ) -> Result<Option<Report>> {
        let params = &self.config.evaluation;
        let network = |g: u32| Participant::generation::<P>(&self.dir, g, params.visits);
        let second = match opponent.strip_prefix("generation:") {
            Some(number) => {
                let number = number.parse();
                network(number.with_context(|| format!("opponent `{opponent}`"))?)?
            }
            None => Participant::of(opponent.parse()?)?,
        };
        let players = [network(generation)?, second];
        let (specs, entrants) = players.into_iter().map(|p| (p.spec, p.entrant)).unzip();
        let plan = Plan {
            title: format!("generation {generation} against {opponent}"),
            players: entrants,
            encounters: encounters(Format::RoundRobin, 2, 0),
            openings: random_openings(
                &self.start,
                params.opening_plies,
                self.config.seed,
                params.games.div_ceil(2),
            ),
            play: PlayParams {
                max_plies: params.max_plies,
                concurrency: params.concurrency,
                seed: self.config.seed,
                ..PlayParams::default()
            },
            sprt: None,
        };
        plan.check().map_err(anyhow::Error::msg)?;
        let event = Event {
            plan,
            specs,
            anchor: AnchorChoice::default(),
            boards: EventConfig::default().boards,
        };
        let folder = format!("{generation:06}-{}", file_name(opponent));
        let out = self.dir.root().join("matches").join(folder);
        let (report, _) = event.play(Some(&out), stop)?;
        Ok(report.complete.then_some(report))
    }

    /// Rates all generations as the config says. `None` if it was stopped.
    pub fn rate(&self, stop: &AtomicBool) -> Result<Option<RatingsFile>> {
        rate(
            &self.dir,
            &self.start,
            &self.config.ratings,
            self.config.seed,
            stop,
        )
    }
}

/// A text as part of a file name.
fn file_name(text: &str) -> String {
    text.chars()
        .map(|c| match c.is_ascii_alphanumeric() || "-=.".contains(c) {
            true => c,
            false => '_',
        })
        .collect()
}
