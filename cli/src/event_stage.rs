//! Playing an event from its settings: players, openings, live table, report files. Used by `match`, `tournament`,
//! `gate`, `ratings` and the matches of `tenjiku loop`.

use crate::event_config::EventConfig;
use crate::event_table::Live;
use crate::failure::usage;
use crate::game::{Game, parse_rules, set_up};
use crate::stages::export_network;
use anyhow::{Context, Result};
use engine::{Fault, PlayerSpec};
use evaluator::{
    AnchorChoice, Entrant, Format, Ledger, Opening, Plan, Report, Store, encounters, entrant, html,
    make_player, one_line, random_openings, read_openings, report, run, text,
};
use records::{RunDir, write_atomic};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A player with the name it has in the event.
pub struct Participant {
    pub spec: PlayerSpec,
    pub entrant: Entrant,
}

impl Participant {
    /// A player called by its spec.
    pub fn of(spec: PlayerSpec) -> Result<Participant> {
        let entrant = entrant(&spec)?;
        Ok(Participant { spec, entrant })
    }

    /// A generation of a run, played from its exported file, which is made if it is not there. It is called
    /// `generation:N:visits=V`, wherever the run lies.
    pub fn generation<P: Game>(dir: &RunDir, generation: u32, visits: u32) -> Result<Participant> {
        let file = exported::<P>(dir, generation)?;
        let spec: PlayerSpec = format!("onnx:{}:visits={visits}", file.display()).parse()?;
        let mut one = Participant::of(spec)?;
        one.entrant.name = generation_name(generation, visits);
        Ok(one)
    }
}

/// What a generation is called in events.
pub fn generation_name(generation: u32, visits: u32) -> String {
    format!("generation:{generation}:visits={visits}")
}

/// The generation that a name of an event means.
pub fn generation_of(name: &str) -> Option<u32> {
    name.strip_prefix("generation:")?
        .split(':')
        .next()?
        .parse()
        .ok()
}

/// The exported file of a generation, made from its network folder if it is not there.
pub fn exported<P: Game>(dir: &RunDir, generation: u32) -> Result<PathBuf> {
    let path = dir.export(generation);
    if !path.exists() {
        let report = export_network::<P>(
            &dir.network(generation),
            &path,
            None,
            inference::Precision::F32,
        )?;
        eprintln!(
            "generation {generation}: exported to {}; differs from libtorch by at most {:.1e} (policy), {:.1e} (value)",
            path.display(),
            report.policy,
            report.wdl
        );
    }
    Ok(path)
}

/// The generations of a run that have a network, every `every`th and the newest.
pub fn generations(dir: &RunDir, every: u32) -> Result<Vec<u32>> {
    let Some(newest) = dir.latest_generation()? else {
        return Ok(Vec::new());
    };
    Ok((0..=newest)
        .filter(|g| g % every == 0 || *g == newest)
        .filter(|&g| dir.network(g).join("network.toml").is_file())
        .collect())
}

/// An event with its players.
pub struct Event<P: Game> {
    pub plan: Plan<P>,
    pub specs: Vec<PlayerSpec>,
    pub anchor: AnchorChoice,
    /// Games on the HTML page.
    pub boards: usize,
}

impl<P: Game> Event<P> {
    /// The event that the settings describe. `moves` lead from `config.sfen` to where random openings begin.
    pub fn of(title: &str, config: &EventConfig, moves: &str) -> Result<Event<P>> {
        let rules = parse_rules::<P>("rules", config.rules.as_deref())?;
        let start: P = set_up(&rules, "sfen", config.sfen.as_deref(), moves)?;
        let mut participants = Vec::new();
        if let Some(run) = &config.run {
            let dir = RunDir::open(run)?;
            for generation in generations(&dir, config.every)? {
                participants.push(Participant::generation::<P>(
                    &dir,
                    generation,
                    config.visits,
                )?);
            }
        }
        let challengers = match config.format {
            Format::Generations => participants.len(),
            _ => config.challengers,
        };
        for player in &config.players {
            let spec = player.parse().map_err(|e| usage(format!("{e}")))?;
            participants.push(Participant::of(spec)?);
        }
        let meet = encounters(config.format, participants.len(), challengers);
        if meet.is_empty() {
            return Err(usage(format!(
                "players: {} players and {challengers} challengers, nobody meets anybody; name more players",
                participants.len()
            )));
        }
        let openings = openings(config, &start, config.games.div_ceil(2))?;
        let anchor = anchor(config, &participants)?;
        let (specs, players) = participants
            .into_iter()
            .map(|p| (p.spec, p.entrant))
            .unzip();
        let plan = Plan {
            title: title.to_string(),
            players,
            encounters: meet,
            openings,
            play: config.play.clone(),
            sprt: config.sprt,
        };
        plan.check().map_err(anyhow::Error::msg)?;
        Ok(Event {
            plan,
            specs,
            anchor,
            boards: config.boards,
        })
    }

    /// Plays what is missing, with a live table, and writes the reports into `out`.
    pub fn play(&self, out: Option<&Path>, stop: &AtomicBool) -> Result<(Report, Ledger)> {
        let plan = &self.plan;
        let mut store = match out {
            Some(folder) => Store::open(folder, plan)?,
            None => Store::memory(),
        };
        if !store.ledger().is_complete(plan) {
            network::set_threads(1);
            let start = &plan.openings[0].start;
            // A spec that cannot be played is an error of the input, told before any game.
            for spec in &self.specs {
                make_player::<P>(spec, start)?;
            }
            let factory = |i: usize| {
                make_player::<P>(&self.specs[i], start).map_err(|e| Fault::Failure {
                    player: plan.players[i].name.clone(),
                    detail: e.reason,
                })
            };
            let games = 2 * plan.pairs();
            let live = Live::new(&plan.title, games, store.ledger().games_played());
            let played = run(plan, &factory, &mut store, stop, &|ledger| {
                live.show(plan, ledger)
            });
            let report = report(plan, store.ledger(), &self.anchor);
            let summary = match plan.players.len() {
                2 => one_line(&report),
                n => format!("{n} players, {} games", report.games),
            };
            live.finish(&summary);
            for fault in store.ledger().faults() {
                let place = format!("game {}.{}", fault.pair + 1, fault.game + 1);
                eprintln!(
                    "warning: {place}, {}: {} ({:?}, {:?})",
                    fault.name, fault.what, fault.cause, fault.handling
                );
            }
            if let Err(error) = played {
                self.write(out, &report, store.ledger())?;
                return Err(error.into());
            }
        }
        let report = report(plan, store.ledger(), &self.anchor);
        self.write(out, &report, store.ledger())?;
        Ok((report, store.ledger().clone()))
    }

    fn write(&self, out: Option<&Path>, report: &Report, ledger: &Ledger) -> Result<()> {
        let Some(folder) = out else { return Ok(()) };
        let json = serde_json::to_string_pretty(report)? + "\n";
        let page = html::<P>(report, &self.plan, ledger, self.boards);
        for (name, content) in [
            ("report.json", json),
            ("report.txt", text(report)),
            ("report.html", page),
        ] {
            let path = folder.join(name);
            write_atomic(&path, content.as_bytes())
                .with_context(|| format!("{}", path.display()))?;
        }
        Ok(())
    }
}

/// One opening a pair, from the file or at random.
fn openings<P: Game>(config: &EventConfig, start: &P, pairs: usize) -> Result<Vec<Opening<P>>> {
    let Some(path) = &config.openings else {
        let (plies, seed) = (config.opening_plies, config.play.seed);
        return Ok(random_openings(start, plies, seed, pairs));
    };
    let name = path.display();
    let file = std::fs::read_to_string(path).with_context(|| format!("{name}"))?;
    let mut list =
        read_openings::<P>(&file, start.rules()).map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
    if list.len() < pairs {
        return Err(usage(format!(
            "{name}: {} openings for {pairs} pairs, and none may stand twice; make more with `tenjiku openings`, or play {} games",
            list.len(),
            2 * list.len()
        )));
    }
    list.truncate(pairs);
    Ok(list)
}

fn anchor(config: &EventConfig, participants: &[Participant]) -> Result<AnchorChoice> {
    let elo = config.anchor_elo;
    let Some(wanted) = &config.anchor else {
        return Ok(AnchorChoice { player: None, elo });
    };
    // Both the text as given and its canonical form name a player.
    let canonical = wanted.parse::<PlayerSpec>().map(|s| s.to_string());
    let found = participants
        .iter()
        .map(|p| &p.entrant.name)
        .find(|name| *name == wanted || canonical.as_ref().is_ok_and(|c| c == *name));
    match found {
        Some(name) => Ok(AnchorChoice {
            player: Some(name.clone()),
            elo,
        }),
        None => Err(usage(format!(
            "anchor = {wanted:?}, must be one of the players"
        ))),
    }
}
