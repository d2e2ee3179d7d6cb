//! Which players the page may ask for, and the idle ones.
//!
//! A spec can name files and commands, so a page may not send just any: networks and outside programs must be among
//! those that the person who started the server listed, or in its run directory. The others are bounded in what a
//! move may cost.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use engine::{Limit, Player, PlayerSpec};
use rules::Rules;
use serde::Serialize;

use crate::error::{Refusal, bad, refuse};
use crate::games::WebGame;

/// What one move or analysis may cost.
pub(crate) const MAX_MOVETIME_MS: u64 = 10_000;
pub(crate) const MAX_DEPTH: u32 = 4;
pub(crate) const MAX_NODES: u64 = 2_000_000;
pub(crate) const MAX_VISITS: u32 = 20_000;

/// Players kept between moves, all games together.
const MAX_IDLE: usize = 24;

/// The players that may be asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowed {
    listed: Vec<PlayerSpec>,
}

/// A player the page offers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Offer {
    spec: String,
    /// Whether it can be analysed with: a network that runs without libtorch.
    network: bool,
}

impl Allowed {
    /// With the players listed at the start.
    pub fn new(listed: Vec<PlayerSpec>) -> Allowed {
        Allowed { listed }
    }

    /// Everything to choose from: what needs no file, what was listed, and the networks exported in `run`, newest
    /// first.
    pub fn offers(&self, run: Option<&Path>) -> Vec<Offer> {
        let plain = [
            "engine:movetime=500",
            "engine:movetime=2000",
            "engine:depth=2",
            "greedy",
            "random",
        ];
        let exported = run.map(exports).unwrap_or_default();
        let specs = self.listed.iter().map(ToString::to_string);
        let of_run = exported
            .iter()
            .map(|file| format!("onnx:{}:visits=200", file.display()));
        let mut offers: Vec<Offer> = Vec::new();
        for spec in specs.chain(of_run).chain(plain.map(String::from)) {
            if offers.iter().all(|o| o.spec != spec) {
                let network = spec.starts_with("onnx:");
                offers.push(Offer { spec, network });
            }
        }
        offers
    }

    /// The player of this spec, if the page may have it.
    ///
    /// # Errors
    /// 400 for no player or one that may cost too much, 403 for a file or command that was not listed.
    pub fn parse(&self, text: &str, run: Option<&Path>) -> Result<PlayerSpec, Refusal> {
        if text.len() > 1000 {
            return Err(bad("player: too long a text"));
        }
        let spec: PlayerSpec = text
            .parse()
            .map_err(|e: engine::SpecError| bad(e.to_string()))?;
        let over = |what: &str, most: u64| {
            Err(bad(format!(
                "player `{text}`: {what} may be at most {most} here"
            )))
        };
        let unlisted = || {
            Err(refuse(
                403,
                format!(
                    "player `{text}` was not listed; start `tenjiku serve` with --player '{text}'"
                ),
            ))
        };
        match &spec {
            PlayerSpec::Random | PlayerSpec::Greedy => {}
            PlayerSpec::Engine(limit) => match *limit {
                Limit::Depth(n) if n > MAX_DEPTH => return over("depth", MAX_DEPTH.into()),
                Limit::Nodes(n) if n > MAX_NODES => return over("nodes", MAX_NODES),
                Limit::MoveTime(n) if n > MAX_MOVETIME_MS => {
                    return over("movetime", MAX_MOVETIME_MS);
                }
                _ => {}
            },
            PlayerSpec::Net { dir, visits, .. } => {
                let known =
                    |s: &PlayerSpec| matches!(s, PlayerSpec::Net { dir: d, .. } if d == dir);
                if !self.listed.iter().any(known) {
                    return unlisted();
                }
                if *visits > MAX_VISITS {
                    return over("visits", MAX_VISITS.into());
                }
            }
            PlayerSpec::Onnx { file, visits, .. } => {
                let known =
                    |s: &PlayerSpec| matches!(s, PlayerSpec::Onnx { file: f, .. } if f == file);
                let of_run = || run.is_some_and(|run| exports(run).contains(file));
                if !self.listed.iter().any(known) && !of_run() {
                    return unlisted();
                }
                if *visits > MAX_VISITS {
                    return over("visits", MAX_VISITS.into());
                }
            }
            other => {
                if !self.listed.contains(other) {
                    return unlisted();
                }
            }
        }
        Ok(spec)
    }
}

/// The exported networks of a run, newest first.
fn exports(run: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(run.join("export")) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "onnx"))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files
}

/// Players between two moves, so that an engine keeps its tables and a program stays up: the idle ones of all games,
/// the longest idle first.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Idle>>);

struct Idle {
    key: Key,
    /// The game it last played in.
    session: String,
    /// A `Box<dyn Player<P>>` of the game in the key.
    player: Box<dyn Any + Send>,
}

/// What must agree for a player to be used again: game, spec, rules.
type Key = (&'static str, String, String);

fn key<P: WebGame>(spec: &PlayerSpec, start: &P) -> Key {
    (P::GAME, spec.to_string(), start.rules().name())
}

impl Pool {
    /// Takes a player for a game: the one that played in it before, or another idle one, or a new one.
    ///
    /// # Errors
    /// If the player cannot be made or does not start.
    pub fn take<P: WebGame>(
        &self,
        spec: &PlayerSpec,
        session: &str,
        start: &P,
    ) -> Result<Box<dyn Player<P>>, String> {
        let key = key(spec, start);
        let found = {
            let mut idle = self.0.lock().expect("no holder panics");
            let same_key = |i: &Idle| i.key == key;
            let at = idle
                .iter()
                .position(|i| same_key(i) && i.session == session)
                .or_else(|| idle.iter().position(same_key));
            at.map(|at| idle.remove(at))
        };
        let (mut player, known) = match found {
            Some(idle) => {
                let player = idle.player.downcast::<Box<dyn Player<P>>>();
                (
                    *player.expect("the key names the game"),
                    idle.session == session,
                )
            }
            None => {
                let player = evaluator::make_player(spec, start).map_err(|e| e.to_string())?;
                (player, false)
            }
        };
        if !known {
            player.new_game(rand::random()).map_err(|e| e.to_string())?;
        }
        Ok(player)
    }

    /// Puts a player back that has answered.
    pub fn give<P: WebGame>(
        &self,
        spec: &PlayerSpec,
        session: String,
        start: &P,
        player: Box<dyn Player<P>>,
    ) {
        let mut idle = self.0.lock().expect("no holder panics");
        if idle.len() >= MAX_IDLE {
            idle.remove(0);
        }
        idle.push(Idle {
            key: key(spec, start),
            session,
            player: Box::new(player),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(allowed: &Allowed, spec: &str) -> u16 {
        allowed.parse(spec, None).map_or_else(|r| r.status, |_| 200)
    }

    #[test]
    fn files_and_commands_must_be_listed() {
        let none = Allowed::default();
        let listed = [
            "onnx:n.onnx:visits=64",
            "net:dir:visits=64",
            "usi:\"prog -x\":movetime=100",
        ];
        let some = Allowed::new(listed.map(|s| s.parse().unwrap()).to_vec());
        for spec in listed {
            assert_eq!(status(&none, spec), 403, "{spec}");
            assert_eq!(status(&some, spec), 200, "{spec}");
        }
        // Other visits are fine, other files and commands are not.
        assert_eq!(status(&some, "onnx:n.onnx:visits=800"), 200);
        assert_eq!(status(&some, "onnx:../n.onnx:visits=64"), 403);
        assert_eq!(status(&some, "usi:\"rm -rf x\":movetime=100"), 403);
        assert_eq!(status(&some, "usi:\"prog -x\":movetime=200"), 403);
    }

    #[test]
    fn costs_are_bounded() {
        let allowed = Allowed::new(vec!["onnx:n.onnx".parse().unwrap()]);
        for (spec, expected) in [
            ("random", 200),
            ("engine:depth=4", 200),
            ("engine:depth=5", 400),
            ("engine:nodes=2000001", 400),
            ("engine:movetime=10001", 400),
            ("onnx:n.onnx:visits=20001", 400),
            ("engine:deep=3", 400),
            ("", 400),
        ] {
            assert_eq!(status(&allowed, spec), expected, "{spec}");
        }
    }

    #[test]
    fn a_run_offers_its_exports_newest_first() {
        let run = tempfile::tempdir().unwrap();
        std::fs::create_dir(run.path().join("export")).unwrap();
        for name in ["000001.onnx", "000002.onnx", "notes.txt"] {
            std::fs::write(run.path().join("export").join(name), "").unwrap();
        }
        let allowed = Allowed::default();
        let offers = allowed.offers(Some(run.path()));
        assert!(offers[0].network && offers[0].spec.contains("000002.onnx"));
        assert_eq!(offers.iter().filter(|o| o.network).count(), 2);
        assert!(allowed.parse(&offers[0].spec, Some(run.path())).is_ok());
        assert_eq!(status(&allowed, &offers[0].spec), 403);
    }
    #[test]
    fn a_player_is_used_again_in_its_own_game_only() {
        use rules::Position;
        use rules::shogi::Shogi;
        use rules::tenjiku::Tenjiku;

        let pool = Pool::default();
        let idle = || pool.0.lock().unwrap().len();
        let spec = "random".parse().unwrap();
        let tenjiku = Tenjiku::start(&Default::default());
        let shogi = Shogi::start(&Default::default());
        let player = pool.take(&spec, "a", &tenjiku).unwrap();
        pool.give(&spec, "a".into(), &tenjiku, player);
        // Another game's player of the same spec is a new one.
        let other = pool.take(&spec, "a", &shogi).unwrap();
        assert_eq!(idle(), 1);
        pool.give(&spec, "a".into(), &shogi, other);
        assert_eq!(idle(), 2);
        pool.take(&spec, "b", &tenjiku).unwrap();
        assert_eq!(idle(), 1);
        for _ in 0..2 * MAX_IDLE {
            let player = evaluator::make_player(&spec, &shogi).unwrap();
            pool.give(&spec, "c".into(), &shogi, player);
        }
        assert_eq!(idle(), MAX_IDLE);
    }
}
