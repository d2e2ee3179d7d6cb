//! What XBoard needs to be told of tenjiku: letters for the pieces, and its piece table.
//!
//! XBoard has 66 pieces a side, which are just our 36 types and 30 promoted ones. Source: `engine-intf.html` of XBoard
//! 4.9, command `setup` and option `pieceToCharTable`.

use super::Kind;
use crate::score::XboardSetup;

/// XBoard's letters of the types that have no letter of their own in our position strings.
const DRESSED: [(&str, &str); 24] = [
    ("FL", "F'"),
    ("RC", "R'"),
    ("CS", "C'"),
    ("BT", "T'"),
    ("KR", "K'"),
    ("PH", "P'"),
    ("LN", "L'"),
    ("SM", "M'"),
    ("VM", "V'"),
    ("SS", "S'"),
    ("VS", "V!"),
    ("DH", "H'"),
    ("DK", "D'"),
    ("HF", "H!"),
    ("SE", "E'"),
    ("BG", "B'"),
    ("RG", "R!"),
    ("VG", "G!"),
    ("GG", "G'"),
    ("FE", "E!"),
    ("LH", "L!"),
    ("WB", "W'"),
    ("FD", "F!"),
    ("DE", "D!"),
];

/// XBoard's letter of a type, upper case.
fn letter(kind: Kind) -> String {
    let abbr = kind.abbr().to_ascii_uppercase();
    DRESSED
        .iter()
        .find(|(ours, _)| *ours == abbr)
        .map_or(abbr, |(_, dressed)| (*dressed).to_string())
}

/// The piece table of the `setup` command: pawn to queen as XBoard has them, the others in our order, each promoted
/// piece as `^` and its unpromoted letter, the king last; then the same in lower case.
fn piece_table() -> String {
    use Kind::*;
    let first = [Pawn, Knight, Bishop, Rook, Queen];
    let others = Kind::bases().filter(|k| !first.contains(k) && *k != King);
    let bases: Vec<Kind> = first.into_iter().chain(others).collect();
    let plain = bases.iter().map(|&kind| letter(kind));
    let promoted = bases
        .iter()
        .filter(|kind| kind.promotes_to().is_some())
        .map(|&kind| format!("^{}", letter(kind)));
    let side: String = plain.chain(promoted).collect::<String>() + &letter(King);
    format!("{side}{}", side.to_ascii_lowercase())
}

/// What `setup` says of tenjiku.
pub(super) fn setup() -> XboardSetup {
    XboardSetup {
        letters: &DRESSED,
        pieces: piece_table(),
        size: "16x16+0_chu",
    }
}
