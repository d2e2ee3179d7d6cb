//! Where the games of an event are kept: in memory, and in a folder that survives a kill at any moment.
//!
//! ```text
//! event.json       what is played; the folder goes on with nothing else
//! openings.txt     the openings, one a round
//! games/*.parquet  every finished game (docs/records.md); index = 2 * pair + game
//! games.txt        the same games in human notation
//! faults.jsonl     one line a fault
//! faults/*.txt     all that is known of a fault, with the last protocol lines
//! ```
//! A game counts from the moment it is in the records' journal. A kill loses the games in flight; a pair of which one
//! game is there is completed by playing the other, from the same opening and with its own seed.

use super::{Entrant, EventError, Ledger, Plan};
use crate::conduct::PlayedGame;
use crate::fault::FaultRecord;
use crate::openings::{opening_line, write_openings};
use crate::schedule::Pairing;
use crate::stats::SprtParams;
use records::{
    Dataset, GameRecord, Kind, Provenance, Shape, ShardLimits, ShardWriter, clean_leftovers,
    write_atomic,
};
use rules::import::{GameText, ImportedGame, write_game};
use rules::{Color, Outcome, Position, Rules};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Version of `event.json`.
const VERSION: u32 = 1;

/// What makes an event itself: as `event.json` has it.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
struct Identity {
    version: u32,
    game: String,
    rules: String,
    players: Vec<Entrant>,
    encounters: Vec<(usize, usize)>,
    seed: u64,
    max_plies: usize,
    sprt: Option<SprtParams>,
}

/// What was played, and where it is kept.
pub struct Store<P: GameText> {
    ledger: Ledger,
    disk: Option<Disk<P>>,
}

struct Disk<P: GameText> {
    folder: PathBuf,
    writer: ShardWriter<P>,
    texts: File,
    faults: File,
    fault_files: u32,
    _claim: File,
}

impl<P: GameText> Store<P> {
    /// A store that forgets.
    pub fn memory() -> Self {
        Store {
            ledger: Ledger::default(),
            disk: None,
        }
    }

    /// The store in `folder`, which is made if it is not there. What an earlier run of the same event left is read. The
    /// plan may have more rounds than before, and other `concurrency`, `time_margin_ms`, `on_fault`.
    ///
    /// # Errors
    /// [`EventError`] if the folder holds another event, is in use, or cannot be read or written.
    pub fn open(folder: &Path, plan: &Plan<P>) -> Result<Self, EventError> {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
        let claim = claim(folder)?;
        check_identity(folder, plan)?;
        clean_leftovers(folder)?;
        let mut ledger = Ledger::default();
        for (number, game) in read_games::<P>(folder, plan)? {
            ledger.add_game(plan, number / 2, (number % 2) as usize, game);
        }
        let path = folder.join("faults.jsonl");
        let known = read_faults(&path, plan)?;
        let fault_files = known.len() as u32;
        known
            .into_iter()
            .for_each(|fault| ledger.add_fault(plan, fault));
        // Texts follow the records: written anew, then continued.
        let texts_path = folder.join("games.txt");
        let texts: String = ledger
            .games()
            .map(|(number, game)| game_text::<P>(&plan.title, number, game))
            .collect();
        write_atomic(&texts_path, texts.as_bytes()).map_err(io_error(&texts_path))?;
        let append = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.map_err(io_error(path))
        };
        let provenance = Provenance {
            game: P::GAME.to_string(),
            rules: plan.openings[0].start.rules().name(),
            config_hash: String::new(),
            network_hash: String::new(),
            run_seed: plan.play.seed,
            code_version: env!("CARGO_PKG_VERSION").to_string(),
            generation: 0,
            kind: Kind::Match,
        };
        Ok(Store {
            ledger,
            disk: Some(Disk {
                writer: ShardWriter::new(folder, "match", provenance, ShardLimits::default())?,
                texts: append(&texts_path)?,
                faults: append(&path)?,
                fault_files,
                folder: folder.to_path_buf(),
                _claim: claim,
            }),
        })
    }

    /// What was played so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Keeps a finished game.
    ///
    /// # Errors
    /// [`EventError`] if it cannot be written; then it does not count.
    pub fn keep_game(
        &mut self,
        plan: &Plan<P>,
        pairing: &Pairing,
        game: usize,
        played: &PlayedGame<P>,
    ) -> Result<(), EventError> {
        let [black, white] = pairing.colours(game);
        let moves: Vec<String> = played.moves.iter().map(ToString::to_string).collect();
        let record = GameRecord {
            id: format!("{:06}-{game}", pairing.number),
            generation: 0,
            index: (2 * pairing.number + game as u64) as u32,
            rules: played.last.rules().name(),
            start_sfen: played.start.clone(),
            moves: moves.join(" "),
            winner: played.outcome.winner,
            reason: played.outcome.reason,
            final_sfen: played.last.sfen(),
            seed: plan.seed(pairing.number, game),
            black: plan.players[black].name.clone(),
            white: plan.players[white].name.clone(),
            network: None,
            play_on: false,
            resign_side: None,
            resign_ply: None,
            start_unix_ms: played.begun_unix_ms,
            duration_ms: played.duration.as_millis() as u64,
        };
        if let Some(disk) = &mut self.disk {
            disk.writer.push(&record, &[])?;
            let text = game_text::<P>(&plan.title, u64::from(record.index), &record);
            let path = disk.folder.join("games.txt");
            disk.texts
                .write_all(text.as_bytes())
                .map_err(io_error(&path))?;
        }
        self.ledger.add_game(plan, pairing.number, game, record);
        Ok(())
    }

    /// Keeps a fault with all that is known of it.
    ///
    /// # Errors
    /// [`EventError`] if it cannot be written.
    pub fn keep_fault(
        &mut self,
        plan: &Plan<P>,
        mut fault: FaultRecord,
        detail: &str,
    ) -> Result<(), EventError> {
        if let Some(disk) = &mut self.disk {
            if !detail.is_empty() {
                let name = format!(
                    "faults/{:03}-pair{:06}-{}-{}.txt",
                    disk.fault_files,
                    fault.pair,
                    fault.game,
                    fault.cause.name()
                );
                let path = disk.folder.join(&name);
                write_atomic(&path, format!("{detail}\n").as_bytes()).map_err(io_error(&path))?;
                fault.file = Some(name);
            }
            disk.fault_files += 1;
            let path = disk.folder.join("faults.jsonl");
            let line = serde_json::to_string(&fault).expect("a plain struct becomes JSON");
            disk.faults
                .write_all(format!("{line}\n").as_bytes())
                .and_then(|()| disk.faults.sync_data())
                .map_err(io_error(&path))?;
        }
        self.ledger.add_fault(plan, fault);
        Ok(())
    }

    /// Makes what is pending a Parquet file.
    ///
    /// # Errors
    /// [`EventError`] if it cannot be written; the games stay in the journal.
    pub fn flush(&mut self) -> Result<(), EventError> {
        if let Some(disk) = &mut self.disk {
            disk.writer.flush()?;
            let path = disk.folder.join("games.txt");
            disk.texts.sync_all().map_err(io_error(&path))?;
        }
        Ok(())
    }
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> EventError {
    let path = path.to_path_buf();
    move |error| EventError::Io {
        path: path.clone(),
        error,
    }
}

/// Locks the folder until the file is dropped or the process ends, however it ends.
fn claim(folder: &Path) -> Result<File, EventError> {
    let path = folder.join(".event.lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(io_error(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(EventError::Busy(folder.to_path_buf())),
        Err(fs::TryLockError::Error(error)) => Err(EventError::Io { path, error }),
    }
}

/// Compares the event with the folder's, and writes down what is new.
fn check_identity<P: Position>(folder: &Path, plan: &Plan<P>) -> Result<(), EventError> {
    let wanted = Identity {
        version: VERSION,
        game: P::GAME.to_string(),
        rules: plan.openings[0].start.rules().name(),
        players: plan.players.clone(),
        encounters: plan.encounters.clone(),
        seed: plan.play.seed,
        max_plies: plan.play.max_plies,
        sprt: plan.sprt,
    };
    let path = folder.join("event.json");
    let openings_path = folder.join("openings.txt");
    let lines: Vec<String> = plan.openings.iter().map(opening_line).collect();
    if let Some(text) = read_if_there(&path)? {
        let found: Identity = serde_json::from_str(&text).map_err(|e| EventError::Bad {
            path: path.clone(),
            reason: format!("not an event of this version: {e}; use another folder"),
        })?;
        compare(folder, &found, &wanted)?;
        let text = read_if_there(&openings_path)?.unwrap_or_default();
        let old = text.lines().filter(|l| !l.starts_with('#'));
        let old: Vec<&str> = old
            .map(|l| l.split('#').next().unwrap_or(l).trim())
            .collect();
        let differs = |found: String, wanted: String| EventError::Mismatch {
            folder: folder.to_path_buf(),
            what: "set of openings",
            found,
            wanted,
        };
        if old.len() > lines.len() {
            return Err(differs(
                format!("{} rounds", old.len()),
                lines.len().to_string(),
            ));
        }
        if let Some((a, b)) = old.iter().zip(&lines).find(|(a, b)| *a != b) {
            return Err(differs(format!("`{a}`"), format!("`{b}`")));
        }
        if old.len() == lines.len() {
            return Ok(());
        }
    }
    // Openings first: the event file says that they are whole.
    let noted: Vec<_> = plan
        .openings
        .iter()
        .map(|o| (o.clone(), String::new()))
        .collect();
    let text = write_openings(plan.openings[0].start.rules(), &[], &noted);
    write_atomic(&openings_path, text.as_bytes()).map_err(io_error(&openings_path))?;
    let text = serde_json::to_string_pretty(&wanted).expect("a plain struct becomes JSON");
    write_atomic(&path, text.as_bytes()).map_err(io_error(&path))
}

fn compare(folder: &Path, found: &Identity, wanted: &Identity) -> Result<(), EventError> {
    let names = |i: &Identity| {
        let of = |p: &Entrant| match &p.fingerprint {
            Some(hash) => format!("{} ({})", p.name, &hash[..hash.len().min(12)]),
            None => p.name.clone(),
        };
        i.players.iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let fields: [(&'static str, String, String); 7] = [
        ("game", found.game.clone(), wanted.game.clone()),
        ("rules", found.rules.clone(), wanted.rules.clone()),
        ("list of players", names(found), names(wanted)),
        (
            "list of encounters",
            format!("{:?}", found.encounters),
            format!("{:?}", wanted.encounters),
        ),
        ("seed", found.seed.to_string(), wanted.seed.to_string()),
        (
            "max_plies",
            found.max_plies.to_string(),
            wanted.max_plies.to_string(),
        ),
        (
            "sprt",
            format!("{:?}", found.sprt),
            format!("{:?}", wanted.sprt),
        ),
    ];
    match fields
        .into_iter()
        .find(|(_, found, wanted)| found != wanted)
    {
        None => Ok(()),
        Some((what, found, wanted)) => Err(EventError::Mismatch {
            folder: folder.to_path_buf(),
            what,
            found,
            wanted,
        }),
    }
}

fn read_if_there(path: &Path) -> Result<Option<String>, EventError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(io_error(path)(e)),
    }
}

/// The games in the folder, by number.
fn read_games<P: Position>(
    folder: &Path,
    plan: &Plan<P>,
) -> Result<Vec<(u64, GameRecord)>, EventError> {
    let dataset = Dataset::open(folder, &Shape::of::<P>())?;
    if let Some(refused) = dataset.refused().first() {
        return Err(EventError::Bad {
            path: refused.file.clone(),
            reason: format!(
                "{}; move it away, its games will be played again",
                refused.reason
            ),
        });
    }
    let mut games = Vec::new();
    for shard in dataset.shards() {
        for game in dataset.games(shard)? {
            let number = u64::from(game.index);
            let fits = number < 2 * plan.pairs() && {
                let [black, white] = plan.pairing(number / 2).colours((number % 2) as usize);
                game.black == plan.players[black].name && game.white == plan.players[white].name
            };
            if !fits {
                return Err(EventError::Bad {
                    path: folder.join("games").join(format!("{}.parquet", shard.stem)),
                    reason: format!(
                        "game {} is not in the schedule; move the file away",
                        game.id
                    ),
                });
            }
            games.push((number, game));
        }
    }
    Ok(games)
}

/// The faults in the file. A last line cut off by a kill is taken out of the file.
fn read_faults<P: Position>(path: &Path, plan: &Plan<P>) -> Result<Vec<FaultRecord>, EventError> {
    let Some(text) = read_if_there(path)? else {
        return Ok(Vec::new());
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        write_atomic(path, &text.as_bytes()[..whole]).map_err(io_error(path))?;
    }
    text[..whole]
        .lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str::<FaultRecord>(line)
                .map_err(|e| e.to_string())
                .and_then(
                    |f| match f.pair < plan.pairs() && f.player < plan.players.len() {
                        true => Ok(f),
                        false => Err("no such pair or player in the schedule".to_string()),
                    },
                )
                .map_err(|e| EventError::Bad {
                    path: path.to_path_buf(),
                    reason: format!("line {}: {e}; remove the line", i + 1),
                })
        })
        .collect()
}

/// A game in human notation with its tags; `tenjiku import` reads it back.
pub fn game_text<P: GameText>(event: &str, number: u64, game: &GameRecord) -> String {
    let Ok(rules) = P::Rules::parse(&game.rules) else {
        return String::new();
    };
    let Ok(mut position) = P::from_sfen(&rules, &game.start_sfen) else {
        return String::new();
    };
    let mut moves = Vec::new();
    for text in game.moves.split_ascii_whitespace() {
        let Ok(mv) = position.parse_move(text) else {
            break;
        };
        position.play(mv);
        moves.push(mv);
    }
    let result = match game.winner {
        Some(Color::Black) => "1-0",
        Some(Color::White) => "0-1",
        None => "1/2-1/2",
    };
    let tags = [
        ("Event", event.to_string()),
        ("Round", format!("{}.{}", number / 2 + 1, number % 2 + 1)),
        ("Black", game.black.clone()),
        ("White", game.white.clone()),
        ("Result", result.to_string()),
        ("Termination", game.reason.name().to_string()),
        ("Plies", game.plies().to_string()),
    ];
    let text = write_game(&ImportedGame::<P> {
        line: 1,
        tags: tags.map(|(k, v)| (k.to_string(), v)).to_vec(),
        rules,
        start_sfen: game.start_sfen.clone(),
        moves,
        result: Some(result.to_string()),
        outcome: Some(Outcome {
            winner: game.winner,
            reason: game.reason,
        }),
        comments: Vec::new(),
        remarks: Vec::new(),
    });
    text + "\n"
}
