//! Plane table and globals of standard shogi.

use crate::Encoded;
use rules::shogi::{RuleSet, Shogi};
use rules::{Color, Position, Snapshot};

/// Move number at which the progress global reaches 1.
const PROGRESS_PLIES: f32 = 512.0;

/// Names of the 16 piece states; two of them no piece has, they keep the arithmetic.
const STATES: [&str; Shogi::PIECE_STATES] = [
    "P",
    "L",
    "N",
    "S",
    "G",
    "B",
    "R",
    "K",
    "+P",
    "+L",
    "+N",
    "+S",
    "+G (none)",
    "+B",
    "+R",
    "+K (none)",
];

/// Most pieces of a kind that a hand can hold: P L N S G B R.
const HAND_MOST: [u8; Shogi::HAND_KINDS] = [18, 4, 4, 4, 4, 2, 2];

/// Index of the first global of the hands.
const HANDS_AT: usize = 4;

impl Encoded for Shogi {
    const ENCODING_VERSION: u32 = 1;
    /// One plane a piece state and side: promoted pieces that move as gold differ in what they give when captured.
    const PLANES: usize = 2 * Shogi::PIECE_STATES;
    /// Progress, colour, occurrences before, the option, then own and enemy hand.
    const GLOBALS: usize = HANDS_AT + 2 * Shogi::HAND_KINDS;

    fn plane_table() -> Vec<f32> {
        let codes = 1 + 2 * Shogi::PIECE_STATES;
        let mut table = vec![0.0; codes * Self::PLANES];
        for code in 1..codes {
            table[code * Self::PLANES + code - 1] = 1.0;
        }
        table
    }

    fn plane_names() -> Vec<String> {
        ["own", "enemy"]
            .iter()
            .flat_map(|side| STATES.iter().map(move |s| format!("{side} {s}")))
            .collect()
    }

    fn write_globals(rules: &RuleSet, snapshot: &Snapshot, _layers: &[u8], out: &mut [f32]) {
        assert_eq!(out.len(), Self::GLOBALS, "globals of shogi");
        out[0] = (snapshot.move_number as f32 / PROGRESS_PLIES).min(1.0);
        // The declaration asks Black for one point more.
        out[1] = f32::from(u8::from(snapshot.turn == Color::Black));
        out[2] = f32::from(snapshot.repetitions.min(3)) / 3.0;
        out[3] = f32::from(u8::from(rules.declaration));
        let (black, white) = snapshot.hands.split_at(Shogi::HAND_KINDS);
        let hands = match snapshot.turn {
            Color::Black => [black, white],
            Color::White => [white, black],
        };
        for (side, hand) in hands.iter().enumerate() {
            for (kind, (&count, &most)) in hand.iter().zip(&HAND_MOST).enumerate() {
                out[HANDS_AT + side * Shogi::HAND_KINDS + kind] =
                    f32::from(count) / f32::from(most);
            }
        }
    }

    fn global_names() -> Vec<String> {
        let hands = ["own", "enemy"].iter().flat_map(|side| {
            STATES
                .iter()
                .zip(HAND_MOST)
                .map(move |(kind, most)| format!("{kind} in {side} hand / {most}"))
        });
        [
            format!("move number / {PROGRESS_PLIES}, at most 1"),
            "1 if Black is to move".into(),
            "occurrences of the position before / 3".into(),
            "1 if a side may win by declaration".into(),
        ]
        .into_iter()
        .chain(hands)
        .collect()
    }
}
