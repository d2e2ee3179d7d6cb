//! `tenjiku replay`: plays one game of self-play again from its seed.

use crate::config;
use crate::game::{Game, GameName, GameTask, parse_rules, with_game};
use crate::run_config::RunConfig;
use crate::selfplay_stage::{ensure_exported, evaluators, player_maker};
use anyhow::{Context, Result, bail};
use engine::PlayerSpec;
use inference::Manifest;
use records::{
    Dataset, GameRecord, PositionRecord, Provenance, RunDir, Shape, ShardLimits, ShardWriter,
};
use selfplay::{BackendChoice, Finished, Job, Source, Starts};
use std::path::PathBuf;

/// Plays one game of self-play again from its seed and compares it with its row.
///
/// Config and network are those that the records name; both must still be in the run directory. The network sees one
/// position at a time, in self-play whole batches: if its library rounds differently then, games can differ though
/// nothing is wrong.
///
/// Exit code 1 if the game comes out differently.
///
/// Example: tenjiku replay --run runs/quickstart --game 000002-000017
#[derive(clap::Args)]
pub struct ReplayArgs {
    /// Run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Id of the game, as in the column `id` of `games`.
    #[arg(long, value_name = "ID")]
    game: String,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
}

/// A game as it was recorded.
struct Recorded {
    game: GameRecord,
    rows: Vec<PositionRecord>,
    provenance: Provenance,
}

struct Replay(ReplayArgs, RunDir);

impl GameTask for Replay {
    type Output = Result<()>;
    fn run<P: Game>(self) -> Result<()> {
        let Replay(args, dir) = self;
        let recorded = find::<P>(&dir, &args.game)?;
        let again = play_again::<P>(&dir, &recorded)?;
        let Some(again) = again else {
            bail!("{}: its start position is decided now", args.game);
        };
        let comparison = Comparison::of(&recorded, &stored::<P>(&recorded, again)?);
        match args.json {
            true => println!("{}", serde_json::to_string(&comparison)?),
            false => println!("{}: {}", args.game, comparison.in_words()),
        }
        match comparison.same_game {
            true => Ok(()),
            false => bail!("{}: the game comes out differently", args.game),
        }
    }
}

/// Looks for the game in the run.
fn find<P: Game>(dir: &RunDir, id: &str) -> Result<Recorded> {
    let dataset = Dataset::open(dir.root(), &Shape::of::<P>())?;
    for shard in dataset.shards() {
        let holds = dataset.games(shard)?.iter().any(|game| game.id == id);
        if !holds {
            continue;
        }
        let mut found = None;
        dataset.read(shard, |game, rows| {
            if game.id == id {
                found = Some(Recorded {
                    game,
                    rows,
                    provenance: shard.provenance.clone(),
                });
            }
            Ok(())
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
    }
    bail!(
        "{}: no game `{id}`; ids are <generation>-<index> with six digits each",
        dir.root().display()
    )
}

/// The resolved config whose hash the records name.
fn config_of(dir: &RunDir, hash: &str) -> Result<RunConfig> {
    let folder = dir.root().join("config");
    let ending = format!("-{hash}.toml");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.ends_with(&ending)) {
            return config::load(&path, &[]);
        }
    }
    bail!(
        "{}: the config {hash} that played this game is not there",
        folder.display()
    )
}

fn play_again<P: Game>(dir: &RunDir, recorded: &Recorded) -> Result<Option<Finished>> {
    let game = &recorded.game;
    let config = config_of(dir, &recorded.provenance.config_hash)?;
    let params = &config.selfplay;
    let rules = parse_rules::<P>("rules", config.rules.as_deref())?;
    let starts = Starts::<P>::resolve(&params.starts, &rules).map_err(crate::failure::usage)?;
    let hash = game.network.clone().unwrap_or_default();
    let job = Job {
        run: dir.root(),
        starts: &starts,
        params,
        search: &config.search,
        run_seed: recorded.provenance.run_seed,
        generation: game.generation,
        network_hash: &hash,
        player: &game.black,
        config_hash: &recorded.provenance.config_hash,
        newer: None,
    };
    if game.network.is_none() {
        let spec: PlayerSpec = game.black.parse()?;
        let make = player_maker(&spec, &P::start(&rules))?;
        return Ok(selfplay::replay(&job, &Source::Player(&make), game.index)?);
    }
    let folder = dir.network(game.generation);
    let manifest = Manifest::read(&folder)?;
    if manifest.hash != hash {
        bail!(
            "{}: is another network now than the one that played {}",
            folder.display(),
            game.id
        );
    }
    let choice = match params.backend {
        BackendChoice::Auto if game.black.starts_with("net:") => BackendChoice::Torch,
        BackendChoice::Auto if inference::library().is_ok() => BackendChoice::Onnx,
        BackendChoice::Auto => BackendChoice::Tract,
        fixed => fixed,
    };
    let exported = match choice {
        BackendChoice::Torch => dir.export(game.generation),
        _ => ensure_exported::<P>(&folder, dir.export(game.generation))?,
    };
    let evaluators = evaluators::<P>(choice, folder, exported, params)?;
    let source = Source::Network(&*evaluators);
    Ok(selfplay::replay(&job, &source, game.index)?)
}

/// The new game as it looks after being written and read: with values rounded as records round them.
fn stored<P: Game>(recorded: &Recorded, again: Finished) -> Result<Finished> {
    let scratch = tempfile::tempdir().context("a temporary folder")?;
    let provenance = recorded.provenance.clone();
    let limits = ShardLimits::default();
    let mut writer = ShardWriter::<P>::new(scratch.path(), "replay", provenance, limits)?;
    writer.push(&again.game, &again.rows)?;
    writer.finish()?;
    let dataset = Dataset::open(scratch.path(), &Shape::of::<P>())?;
    let mut found = None;
    for shard in dataset.shards() {
        dataset.read(shard, |game, rows| {
            found = Some(Finished { game, rows });
            Ok(())
        })?;
    }
    found.context("the game that was just written")
}

#[derive(serde::Serialize)]
struct Comparison {
    /// Whether the rows in `games` are equal, but for timings.
    same_game: bool,
    /// The first ply at which another move was played; `null` if none was.
    first_difference: Option<usize>,
    /// Plies as recorded and again.
    plies: [usize; 2],
    /// Rows in `positions` that differ, up to the first other move.
    different_rows: usize,
}

impl Comparison {
    fn of(recorded: &Recorded, again: &Finished) -> Comparison {
        let (old, new) = (&recorded.game, &again.game);
        let moves = |game: &GameRecord| -> Vec<String> {
            game.moves.split(' ').map(ToString::to_string).collect()
        };
        let (a, b) = (moves(old), moves(new));
        let common = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
        let first_difference = (common < a.len() || common < b.len()).then_some(common);
        let different_rows = recorded
            .rows
            .iter()
            .zip(&again.rows)
            .take(common)
            .filter(|(x, y)| x != y)
            .count();
        Comparison {
            same_game: old.same_play(new),
            first_difference,
            plies: [a.len(), b.len()],
            different_rows,
        }
    }

    fn in_words(&self) -> String {
        let rows = match self.different_rows {
            0 => "all rows are equal".to_string(),
            n => format!("{n} rows differ (the network's rounding in batches of another size)"),
        };
        match (self.same_game, self.first_difference) {
            (true, _) => format!("the same game again, {} plies; {rows}", self.plies[0]),
            (false, Some(ply)) => format!(
                "another move at ply {ply}; {} plies recorded, {} now",
                self.plies[0], self.plies[1]
            ),
            (false, None) => format!("the same {} moves, but another game row", self.plies[0]),
        }
    }
}

/// Runs the command.
pub fn run(args: ReplayArgs) -> Result<()> {
    let dir = RunDir::open(&args.run)?;
    let Ok(game) = dir.info().game.parse::<GameName>() else {
        bail!(
            "{}: the run's game `{}` is unknown",
            args.run.display(),
            dir.info().game
        );
    };
    with_game(game, Replay(args, dir))
}
