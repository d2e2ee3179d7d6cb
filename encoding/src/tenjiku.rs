//! Plane table and globals of tenjiku.

use crate::Encoded;
use rules::Snapshot;
use rules::tenjiku::{Kind, Piece, RuleSet, Tenjiku};

/// Move number at which the progress global reaches 1.
const PROGRESS_PLIES: f32 = 1000.0;

/// Planes of one side in tenjiku: one a movement kind, and one for pieces that may still promote. Promoted and
/// unpromoted pieces that move alike share a plane and differ in the second one.
const TENJIKU_SIDE: usize = Kind::COUNT + 1;

impl Encoded for Tenjiku {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 2 * TENJIKU_SIDE;
    /// Progress, then one flag for every value of an option beside its first.
    const GLOBALS: usize = 16;

    fn plane_table() -> Vec<f32> {
        let codes = 1 + 2 * <Tenjiku as rules::Position>::PIECE_STATES;
        let mut table = vec![0.0; codes * Self::PLANES];
        for code in 1..codes {
            // Seen by Black, own pieces are Black's.
            let Some(piece) = Piece::from_code(code as u8) else {
                continue;
            };
            let side = piece.color.index() * TENJIKU_SIDE;
            let row = &mut table[code * Self::PLANES..][..Self::PLANES];
            row[side + piece.kind().index()] = 1.0;
            if piece.can_promote() {
                row[side + Kind::COUNT] = 1.0;
            }
        }
        table
    }

    fn plane_names() -> Vec<String> {
        ["own", "enemy"]
            .iter()
            .flat_map(|side| {
                Kind::ALL
                    .iter()
                    .map(move |kind| format!("{side} {}", kind.english()))
                    .chain([format!("{side} may promote")])
            })
            .collect()
    }

    fn write_globals(rules: &RuleSet, snapshot: &Snapshot, out: &mut [f32]) {
        assert_eq!(out.len(), Self::GLOBALS, "globals of tenjiku");
        out[0] = (snapshot.move_number as f32 / PROGRESS_PLIES).min(1.0);
        let mut flags = out[1..].iter_mut();
        for option in rules.options() {
            for value in &option.allowed[1..] {
                *flags.next().expect("a global for each option value") =
                    f32::from(u8::from(*value == option.value));
            }
        }
        assert!(flags.next().is_none(), "an option value for each global");
    }

    fn global_names() -> Vec<String> {
        let options = RuleSet::default().options();
        let flags = options.iter().flat_map(|o| {
            o.allowed[1..]
                .iter()
                .map(move |v| format!("{}={v}", o.name))
        });
        std::iter::once(format!("move number / {PROGRESS_PLIES}, at most 1"))
            .chain(flags)
            .collect()
    }
}
