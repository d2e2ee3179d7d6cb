//! Handicap starts: White (uwate) lacks pieces and moves first.

use crate::Position;
use crate::shogi::{RuleSet, Shogi};

/// Name, Japanese name (as after `手合割：`), White's two far ranks.
///
/// # Source
/// The list of the KIF format.
const STARTS: [(&str, &str, &str); 16] = [
    ("even", "平手", "lnsgkgsnl/1r5b1"),
    ("lance", "香落ち", "lnsgkgsn1/1r5b1"),
    ("right_lance", "右香落ち", "1nsgkgsnl/1r5b1"),
    ("bishop", "角落ち", "lnsgkgsnl/1r7"),
    ("rook", "飛車落ち", "lnsgkgsnl/7b1"),
    ("rook_lance", "飛香落ち", "lnsgkgsn1/7b1"),
    ("2", "二枚落ち", "lnsgkgsnl/9"),
    ("3", "三枚落ち", "lnsgkgsn1/9"),
    ("4", "四枚落ち", "1nsgkgsn1/9"),
    ("5", "五枚落ち", "2sgkgsn1/9"),
    ("left_5", "左五枚落ち", "1nsgkgs2/9"),
    ("6", "六枚落ち", "2sgkgs2/9"),
    ("left_7", "左七枚落ち", "2sgkg3/9"),
    ("right_7", "右七枚落ち", "3gkgs2/9"),
    ("8", "八枚落ち", "3gkg3/9"),
    ("10", "十枚落ち", "4k4/9"),
];

/// The start of a handicap, by either name.
///
/// # Errors
/// What names there are.
pub(super) fn start(rules: &RuleSet, name: &str) -> Result<Shogi, String> {
    let Some((_, japanese, ranks)) = STARTS
        .iter()
        .find(|(english, japanese, _)| *english == name || *japanese == name)
    else {
        let names: Vec<&str> = STARTS.iter().map(|(english, ..)| *english).collect();
        return Err(format!(
            "unknown handicap `{name}`; known are {}",
            names.join(", ")
        ));
    };
    let turn = if *japanese == "平手" { 'b' } else { 'w' };
    let sfen = format!("{ranks}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {turn} - 1");
    Shogi::from_sfen(rules, &sfen).map_err(|error| error.to_string())
}
