//! Handicap starts: White (uwate) lacks pieces and moves first.

use crate::Position;
use crate::shogi::{RuleSet, Shogi};

/// Name, Japanese name (as after `手合割：`), White's two far ranks, meaning. Left and right are White's.
///
/// # Source
/// The list of the KIF format.
#[rustfmt::skip]
const STARTS: [(&str, &str, &str, &str); 16] = [
    ("even", "平手", "lnsgkgsnl/1r5b1", "no handicap"),
    ("lance", "香落ち", "lnsgkgsn1/1r5b1", "without the left lance"),
    ("right_lance", "右香落ち", "1nsgkgsnl/1r5b1", "without the right lance"),
    ("bishop", "角落ち", "lnsgkgsnl/1r7", "without the bishop"),
    ("rook", "飛車落ち", "lnsgkgsnl/7b1", "without the rook"),
    ("rook_lance", "飛香落ち", "lnsgkgsn1/7b1", "without the rook and the left lance"),
    ("2", "二枚落ち", "lnsgkgsnl/9", "without rook and bishop"),
    ("3", "三枚落ち", "lnsgkgsn1/9", "without rook, bishop and the left lance"),
    ("4", "四枚落ち", "1nsgkgsn1/9", "without rook, bishop and lances"),
    ("5", "五枚落ち", "2sgkgsn1/9", "without rook, bishop, lances and the right knight"),
    ("left_5", "左五枚落ち", "1nsgkgs2/9", "without rook, bishop, lances and the left knight"),
    ("6", "六枚落ち", "2sgkgs2/9", "without rook, bishop, lances and knights"),
    ("left_7", "左七枚落ち", "2sgkg3/9", "without rook, bishop, lances, knights and the left silver"),
    ("right_7", "右七枚落ち", "3gkgs2/9", "without rook, bishop, lances, knights and the right silver"),
    ("8", "八枚落ち", "3gkg3/9", "without rook, bishop, lances, knights and silvers"),
    ("10", "十枚落ち", "4k4/9", "nothing but king and pawns"),
];

/// The start of a handicap, by either name.
///
/// # Errors
/// What names there are.
pub(super) fn start(rules: &RuleSet, name: &str) -> Result<Shogi, String> {
    let Some((_, japanese, ranks, _)) = STARTS
        .iter()
        .find(|(english, japanese, ..)| *english == name || *japanese == name)
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

/// The handicaps by their English names, with what they mean.
pub(super) fn suggested() -> Vec<(&'static str, &'static str)> {
    STARTS[1..]
        .iter()
        .map(|(name, .., meaning)| (*name, *meaning))
        .collect()
}
