//! Player specs: one line of text names any player.

use crate::whole_number;
use mcts::{Algorithm, GumbelParams, SearchParams};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// What bounds the handcrafted engine's thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Iterations of deepening, 1 to 60.
    Depth(u32),
    /// Nodes, 1 to 10^12.
    Nodes(u64),
    /// Milliseconds a move, 1 to 10^9.
    MoveTime(u64),
}

/// Tree search of a network player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// Gumbel AlphaZero.
    Gumbel {
        /// [`GumbelParams::c_scale`], a whole number of at least 1: how much the values found weigh against the prior.
        c_scale: u32,
    },
    /// PUCT.
    Puct,
}

/// [`GumbelParams::c_scale`] of a player whose spec names none: more than in self-play, where the search is to improve a
/// policy step by step. In play 16 did better than 1, and at least as well as 4, with every network tried
/// (docs/experiments.md).
const C_SCALE: u32 = 16;
/// The highest that a spec may name.
const MAX_C_SCALE: u32 = 100;

impl Default for SearchKind {
    fn default() -> Self {
        SearchKind::Gumbel { c_scale: C_SCALE }
    }
}

impl SearchKind {
    /// The settings for play: without noise.
    pub fn params(self) -> SearchParams {
        let defaults = SearchParams::default();
        let (algorithm, gumbel) = match self {
            SearchKind::Puct => (Algorithm::Puct, defaults.gumbel),
            SearchKind::Gumbel { c_scale } => {
                let gumbel = GumbelParams {
                    c_scale: c_scale as f32,
                    ..defaults.gumbel
                };
                (Algorithm::Gumbel, gumbel)
            }
        };
        SearchParams {
            algorithm,
            gumbel,
            ..defaults
        }
        .without_noise()
    }
}

/// Which protocol an outside engine speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// CECP (XBoard) v2.
    Cecp,
    /// USI.
    Usi,
}

/// A player, as text: see `design/interfaces.md`, *Player specs*. `Display` writes the canonical text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerSpec {
    /// `random`
    Random,
    /// `greedy`
    Greedy,
    /// `engine:depth=4`, `engine:nodes=20000`, `engine:movetime=200`
    Engine(Limit),
    /// `net:DIR:visits=64[:search=gumbel|puct][:c_scale=16]`: a network folder, run by libtorch.
    Net {
        /// The folder.
        dir: PathBuf,
        /// Playouts a move.
        visits: u32,
        /// Tree search.
        search: SearchKind,
    },
    /// `onnx:FILE:visits=64[:search=gumbel|puct][:c_scale=16]`: an exported network.
    Onnx {
        /// The file.
        file: PathBuf,
        /// Playouts a move.
        visits: u32,
        /// Tree search.
        search: SearchKind,
    },
    /// `cecp:"command args"[:variant=tenjiku][:movetime=200]`, `usi:"command args"[:movetime=200]`
    Outside {
        /// Protocol.
        protocol: Protocol,
        /// Command line.
        command: String,
        /// Variant name sent over CECP.
        variant: Option<String>,
        /// Milliseconds a move.
        movetime_ms: u64,
    },
}

/// A text that names no player: what is wrong, and what is allowed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("player `{spec}`: {reason}")]
pub struct SpecError {
    /// The text.
    pub spec: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Playouts a move where a spec gives none.
const DEFAULT_VISITS: u32 = 64;
/// Deepest search that a spec asks for: no search that ends ever gets there.
const MOST_DEPTH: u32 = 60;
const MOST_NODES: u64 = 1_000_000_000_000;
const MOST_MOVETIME_MS: u64 = 1_000_000_000;
const MOST_VISITS: u32 = 1_000_000_000;
/// Milliseconds a move where an outside engine's spec gives none.
const DEFAULT_MOVETIME_MS: u64 = 200;

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse(text).map_err(|reason| SpecError {
            spec: text.to_string(),
            reason,
        })
    }
}

fn parse(text: &str) -> Result<PlayerSpec, String> {
    let (kind, rest) = text
        .split_once(':')
        .map_or((text, None), |(k, r)| (k, Some(r)));
    match (kind, rest) {
        ("random", None) => Ok(PlayerSpec::Random),
        ("greedy", None) => Ok(PlayerSpec::Greedy),
        ("random" | "greedy", Some(_)) => Err("takes no options".into()),
        ("engine", rest) => {
            let one = "needs one of depth=N, nodes=N, movetime=MS";
            let (key, value) = rest.and_then(|r| r.split_once('=')).ok_or(one)?;
            if value.contains(':') {
                return Err(format!("gives two limits; {one}"));
            }
            Ok(PlayerSpec::Engine(match key {
                "depth" => Limit::Depth(number(key, value, MOST_DEPTH)?),
                "nodes" => Limit::Nodes(number(key, value, MOST_NODES)?),
                "movetime" => Limit::MoveTime(number(key, value, MOST_MOVETIME_MS)?),
                _ => return Err(format!("unknown option `{key}`; {one}")),
            }))
        }
        ("net" | "onnx", Some(rest)) => {
            let (path, options) = split_options(rest)?;
            if path.is_empty() {
                return Err("names no network".into());
            }
            let (mut visits, mut puct, mut scale) = (DEFAULT_VISITS, false, None);
            for (key, value) in options {
                match key {
                    "visits" => visits = number(key, value, MOST_VISITS)?,
                    "search" => {
                        puct = match value {
                            "gumbel" => false,
                            "puct" => true,
                            _ => return Err(format!("search={value}, must be gumbel or puct")),
                        }
                    }
                    "c_scale" => scale = Some(number(key, value, MAX_C_SCALE)?),
                    _ => {
                        return Err(format!(
                            "unknown option `{key}`; there are visits, search and c_scale"
                        ));
                    }
                }
            }
            let search = match (puct, scale) {
                (true, Some(_)) => return Err("c_scale is for search=gumbel".into()),
                (true, None) => SearchKind::Puct,
                (false, c_scale) => SearchKind::Gumbel {
                    c_scale: c_scale.unwrap_or(C_SCALE),
                },
            };
            let path = PathBuf::from(path);
            Ok(match kind {
                "net" => PlayerSpec::Net {
                    dir: path,
                    visits,
                    search,
                },
                _ => PlayerSpec::Onnx {
                    file: path,
                    visits,
                    search,
                },
            })
        }
        ("cecp" | "usi", Some(rest)) => {
            let (command, options) = split_options(rest)?;
            let command = command.trim_matches('"').trim().to_string();
            if command.is_empty() {
                return Err("names no command".into());
            }
            let protocol = if kind == "cecp" {
                Protocol::Cecp
            } else {
                Protocol::Usi
            };
            let (mut variant, mut movetime_ms) = (None, DEFAULT_MOVETIME_MS);
            for (key, value) in options {
                match key {
                    "movetime" => movetime_ms = number(key, value, MOST_MOVETIME_MS)?,
                    "variant" if protocol == Protocol::Cecp => variant = Some(value.to_string()),
                    _ => return Err(format!("unknown option `{key}`")),
                }
            }
            Ok(PlayerSpec::Outside {
                protocol,
                command,
                variant,
                movetime_ms,
            })
        }
        ("net" | "onnx" | "cecp" | "usi", None) => Err(format!("write {kind}:WHAT")),
        _ => Err("unknown kind; there are random, greedy, engine, net, onnx, cecp, usi".into()),
    }
}

/// Keys with their values.
type Options<'a> = Vec<(&'a str, &'a str)>;

/// Splits `what:key=value:key=value` from the right, so that `what` may hold colons, or quotes around them. No key may
/// come twice.
fn split_options(text: &str) -> Result<(&str, Options<'_>), String> {
    let mut rest = text;
    let mut options = Options::new();
    while let Some((head, tail)) = rest.rsplit_once(':') {
        let Some((key, value)) = tail.split_once('=') else {
            break;
        };
        let word = |s: &str| {
            !s.is_empty()
                && s.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        if !word(key) || !word(value) {
            break;
        }
        if options.iter().any(|&(other, _)| other == key) {
            return Err(format!("gives {key} twice"));
        }
        options.push((key, value));
        rest = head;
    }
    options.reverse();
    Ok((rest, options))
}

/// A whole number from 1 to `most`.
fn number<T>(key: &str, value: &str, most: T) -> Result<T, String>
where
    T: FromStr + PartialOrd + fmt::Display + From<u8>,
{
    whole_number(value, T::from(1)..=most).map_err(|e| format!("{key}={value}, {e}"))
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let network = |f: &mut fmt::Formatter<'_>,
                       kind: &str,
                       path: &PathBuf,
                       visits: u32,
                       search: SearchKind| {
            write!(f, "{kind}:{}:visits={visits}", path.display())?;
            match search {
                SearchKind::Gumbel { c_scale: C_SCALE } => Ok(()),
                SearchKind::Gumbel { c_scale } => write!(f, ":c_scale={c_scale}"),
                SearchKind::Puct => f.write_str(":search=puct"),
            }
        };
        match self {
            PlayerSpec::Random => f.write_str("random"),
            PlayerSpec::Greedy => f.write_str("greedy"),
            PlayerSpec::Engine(Limit::Depth(n)) => write!(f, "engine:depth={n}"),
            PlayerSpec::Engine(Limit::Nodes(n)) => write!(f, "engine:nodes={n}"),
            PlayerSpec::Engine(Limit::MoveTime(ms)) => write!(f, "engine:movetime={ms}"),
            PlayerSpec::Net {
                dir,
                visits,
                search,
            } => network(f, "net", dir, *visits, *search),
            PlayerSpec::Onnx {
                file,
                visits,
                search,
            } => network(f, "onnx", file, *visits, *search),
            PlayerSpec::Outside {
                protocol,
                command,
                variant,
                movetime_ms,
            } => {
                let kind = if *protocol == Protocol::Cecp {
                    "cecp"
                } else {
                    "usi"
                };
                write!(f, "{kind}:\"{command}\"")?;
                if let Some(variant) = variant {
                    write!(f, ":variant={variant}")?;
                }
                write!(f, ":movetime={movetime_ms}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_back() {
        let cases = [
            ("random", "random"),
            ("greedy", "greedy"),
            ("engine:depth=4", "engine:depth=4"),
            ("engine:nodes=20000", "engine:nodes=20000"),
            ("engine:movetime=200", "engine:movetime=200"),
            (
                "net:runs/a/networks/000012",
                "net:runs/a/networks/000012:visits=64",
            ),
            ("net:x:visits=9:search=puct", "net:x:visits=9:search=puct"),
            (
                "onnx:C:/n.onnx:visits=8:search=gumbel",
                "onnx:C:/n.onnx:visits=8",
            ),
            (
                "onnx:n.onnx:visits=8:c_scale=4",
                "onnx:n.onnx:visits=8:c_scale=4",
            ),
            ("onnx:n.onnx:c_scale=16", "onnx:n.onnx:visits=64"),
            (
                "cecp:\"hachu -x a:b=c d\":variant=tenjiku:movetime=50",
                "cecp:\"hachu -x a:b=c d\":variant=tenjiku:movetime=50",
            ),
            ("usi:fairy", "usi:\"fairy\":movetime=200"),
        ];
        for (text, canonical) in cases {
            let spec: PlayerSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(canonical.parse::<PlayerSpec>().unwrap(), spec);
        }
    }

    #[test]
    fn bad_specs_say_what_is_allowed() {
        for (text, part) in [
            ("", "unknown kind"),
            ("rnd", "there are random, greedy"),
            ("random:x=1", "no options"),
            ("engine", "needs one of"),
            (
                "engine:depth=0",
                "depth=0, must be a whole number from 1 to 60",
            ),
            ("engine:depth=x", "from 1 to 60"),
            ("engine:depth=61", "from 1 to 60"),
            ("engine:depth=999999999999", "from 1 to 60"),
            ("engine:nodes=1e3", "from 1 to 1000000000000"),
            (
                "engine:nodes=99999999999999999999",
                "from 1 to 1000000000000",
            ),
            ("engine:movetime=nan", "from 1 to 1000000000"),
            (
                "engine:movetime=18446744073709551615",
                "from 1 to 1000000000",
            ),
            ("engine:depth=1:nodes=5", "two limits"),
            ("engine:depth=1:depth=1", "two limits"),
            ("engine:deep=1", "unknown option `deep`"),
            ("net:", "no network"),
            ("net", "write net:WHAT"),
            ("net:a:visits=0", "from 1 to 1000000000"),
            ("net:a:visits=4294967296", "from 1 to 1000000000"),
            ("net:a:visits=4:visits=5", "gives visits twice"),
            (
                "onnx:a:search=puct:visits=4:search=puct",
                "gives search twice",
            ),
            ("net:a:search=best", "gumbel or puct"),
            ("net:a:c_scale=0", "from 1 to 100"),
            ("net:a:c_scale=101", "from 1 to 100"),
            ("net:a:search=puct:c_scale=2", "for search=gumbel"),
            ("onnx:a:vists=3", "unknown option `vists`"),
            ("cecp:\"\"", "no command"),
            ("usi:a:variant=shogi", "unknown option `variant`"),
            ("usi:a:movetime=1:movetime=1", "gives movetime twice"),
            (
                "usi:a:movetime=18446744073709551615",
                "from 1 to 1000000000",
            ),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains(&format!("`{text}`")),
                "{error}"
            );
        }
    }
}
