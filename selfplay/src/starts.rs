//! Where games start: the rules' own position, handicaps, position strings, files of them, mixtures of rule sets.

use rand::{Rng, RngExt};
use rules::import::GameText;
use rules::{Position, Rules};
use std::path::PathBuf;

/// One kind of start, `[[selfplay.starts]]`. At most one of `handicap`, `sfen` and `file`; none of them means the
/// rules' own start position.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StartParams {
    /// How often, relative to the others; above 0. The positions of a file share it evenly. Default 1.
    pub weight: f64,
    /// Rules of these games, as `western` or `western,fire_demon_ranging=rank`. Default: the run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// A handicap by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handicap: Option<String>,
    /// A position string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sfen: Option<String>,
    /// A text file: a position string a line, `startpos` for the start, with `moves M1 M2 ...` behind it where wanted.
    /// Empty lines and lines that begin with `#` do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl Default for StartParams {
    fn default() -> Self {
        StartParams {
            weight: 1.0,
            rules: None,
            handicap: None,
            sfen: None,
            file: None,
        }
    }
}

impl StartParams {
    /// Checks what can be checked without a game.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self) -> Result<(), String> {
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return Err(format!("weight = {}, must be above 0", self.weight));
        }
        let given = [
            self.handicap.is_some(),
            self.sfen.is_some(),
            self.file.is_some(),
        ];
        match given.into_iter().filter(|&x| x).count() {
            0 | 1 => Ok(()),
            _ => Err("give one of handicap, sfen and file".into()),
        }
    }
}

/// Start positions with their weights; at least one.
#[derive(Clone, Debug)]
pub struct Starts<P: Position> {
    positions: Vec<P>,
    /// Sums of the weights up to and including each position.
    sums: Vec<f64>,
}

impl<P: Position> Starts<P> {
    /// Every game starts here.
    pub fn one(position: P) -> Self {
        Starts {
            positions: vec![position],
            sums: vec![1.0],
        }
    }

    /// Reads the starts of a config; the start position of `rules` if there are none.
    ///
    /// # Errors
    /// Names the entry, and the file and line, that is wrong.
    pub fn resolve(params: &[StartParams], rules: &P::Rules) -> Result<Self, String>
    where
        P: GameText,
    {
        if params.is_empty() {
            return Ok(Starts::one(P::start(rules)));
        }
        let mut starts = Starts {
            positions: Vec::new(),
            sums: Vec::new(),
        };
        for (i, entry) in params.iter().enumerate() {
            let found = positions::<P>(entry, rules)
                .map_err(|e| format!("selfplay.starts: entry {}: {e}", i + 1))?;
            let each = entry.weight / found.len() as f64;
            for position in found {
                starts.sums.push(starts.sums.last().unwrap_or(&0.0) + each);
                starts.positions.push(position);
            }
        }
        Ok(starts)
    }

    /// All positions.
    pub fn positions(&self) -> &[P] {
        &self.positions
    }

    /// Draws one by weight. Draws nothing where there is one only.
    pub fn choose<R: Rng + ?Sized>(&self, rng: &mut R) -> &P {
        let [only] = self.positions.as_slice() else {
            let all = self.sums.last().expect("at least one");
            let x = rng.random::<f64>() * all;
            let i = self.sums.partition_point(|&sum| sum <= x);
            return &self.positions[i.min(self.positions.len() - 1)];
        };
        only
    }
}

fn positions<P: GameText>(entry: &StartParams, rules: &P::Rules) -> Result<Vec<P>, String> {
    entry.check()?;
    let own = match &entry.rules {
        Some(text) => Some(P::Rules::parse(text).map_err(|e| e.to_string())?),
        None => None,
    };
    let rules = own.as_ref().unwrap_or(rules);
    if let Some(name) = &entry.handicap {
        return Ok(vec![P::handicap(rules, name)?]);
    }
    if let Some(sfen) = &entry.sfen {
        return Ok(vec![line::<P>(sfen, rules)?]);
    }
    let Some(file) = &entry.file else {
        return Ok(vec![P::start(rules)]);
    };
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("{name}: {e}"))?;
    let found = text
        .lines()
        .enumerate()
        .map(|(i, text)| (i + 1, text.trim()))
        .filter(|(_, text)| !text.is_empty() && !text.starts_with('#'))
        .map(|(i, text)| line::<P>(text, rules).map_err(|e| format!("{name}:{i}: {e}")))
        .collect::<Result<Vec<P>, String>>()?;
    match found.is_empty() {
        true => Err(format!("{name}: has no position")),
        false => Ok(found),
    }
}

/// `SFEN [moves M1 M2 ...]`. The moves are played and then forgotten: a game's record begins with its first position,
/// so its rules must not depend on what came before.
fn line<P: Position>(text: &str, rules: &P::Rules) -> Result<P, String> {
    let (sfen, moves) = match text.split_once(" moves") {
        Some((sfen, moves)) => (sfen, moves),
        None => (text, ""),
    };
    let sfen = sfen.trim();
    let sfen = sfen.strip_prefix("sfen ").unwrap_or(sfen);
    let mut position = match sfen {
        "startpos" => P::start(rules),
        _ => P::from_sfen(rules, sfen).map_err(|e| e.to_string())?,
    };
    for (i, text) in moves.split_whitespace().enumerate() {
        let mv = position
            .parse_move(text)
            .map_err(|e| format!("move {}: {e}", i + 1))?;
        position.play(mv);
    }
    P::from_sfen(rules, &position.sfen()).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rules::shogi::Shogi;
    use rules::tenjiku::{RuleSet, Tenjiku};

    #[test]
    fn starts_are_drawn_by_weight() {
        let entry = |weight, rules: &str| StartParams {
            weight,
            rules: Some(rules.into()),
            ..StartParams::default()
        };
        let params = [entry(3.0, "historical"), entry(1.0, "western")];
        let starts = Starts::<Tenjiku>::resolve(&params, &RuleSet::default()).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let western = (0..4000)
            .filter(|_| starts.choose(&mut rng).rules().name() == "western")
            .count();
        // Binomial with mean 1000 and deviation 27.
        assert!((880..1120).contains(&western), "{western}");
    }

    #[test]
    fn files_hold_positions_with_moves_and_comments() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("openings.txt");
        std::fs::write(
            &file,
            "# two openings\n\nstartpos moves 7g7f 3c3d\n4k4/9/9/9/9/9/9/9/4K4 b G 1\n",
        )
        .unwrap();
        let params = [StartParams {
            file: Some(file.clone()),
            ..StartParams::default()
        }];
        let starts = Starts::<Shogi>::resolve(&params, &Default::default()).unwrap();
        let sfens: Vec<String> = starts.positions().iter().map(Position::sfen).collect();
        assert_eq!(
            sfens,
            [
                "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
                "4k4/9/9/9/9/9/9/9/4K4 b G 1"
            ]
        );
        assert_eq!(starts.positions()[0].plies(), 0, "no history");
        std::fs::write(&file, "startpos\nstartpos moves 7g7e\n").unwrap();
        let error = Starts::<Shogi>::resolve(&params, &Default::default()).unwrap_err();
        assert!(error.contains("openings.txt:2: move 1: `7g7e`"), "{error}");
    }

    #[test]
    fn bad_entries_are_named() {
        let resolve = |entry: StartParams| {
            Starts::<Tenjiku>::resolve(&[StartParams::default(), entry], &RuleSet::default())
                .unwrap_err()
        };
        let handicap = resolve(StartParams {
            handicap: Some("two queens".into()),
            ..StartParams::default()
        });
        assert!(
            handicap.contains("entry 2") && handicap.contains("two queens"),
            "{handicap}"
        );
        let both = resolve(StartParams {
            handicap: Some("fd".into()),
            sfen: Some("x".into()),
            ..StartParams::default()
        });
        assert!(both.contains("one of handicap, sfen and file"));
        let missing = resolve(StartParams {
            file: Some("no/such/file".into()),
            ..StartParams::default()
        });
        assert!(missing.contains("no/such/file"));
    }
}
