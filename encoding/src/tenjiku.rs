//! Plane table, globals and marks of tenjiku.

use crate::{Encoded, PolicySlot};
use rules::score::Material;
use rules::tenjiku::{Control, Kind, Piece, RuleSet, Square, Tenjiku, TenjikuMove};
use rules::{Color, Position, Snapshot};

/// Move number at which the progress global reaches 1.
const PROGRESS_PLIES: f32 = 1000.0;

/// Planes of one side in tenjiku: one a movement kind, and one for pieces that may still promote. Promoted and
/// unpromoted pieces that move alike share a plane and differ in the second one.
const TENJIKU_SIDE: usize = Kind::COUNT + 1;

/// First code of the layer of control.
const CONTROL_AT: usize = 1 + 2 * Tenjiku::PIECE_STATES;

/// What the layer of control says of a square, for its code: how many own pieces capture there (2 is two or more), how
/// many enemy pieces, and whether own and enemy fire reaches it.
fn control_code(own: usize, enemy: usize, own_fire: bool, enemy_fire: bool) -> usize {
    CONTROL_AT + ((own * 3 + enemy) * 2 + usize::from(own_fire)) * 2 + usize::from(enemy_fire)
}

/// First code of the layer of gains, after those of the layer of control.
const GAINS_AT: usize = CONTROL_AT + 3 * 3 * 2 * 2;

/// Pawns from which on a gain has the levels 1, 2 and so on. The last one is the game.
const LEVELS: [i32; 7] = [1, 4, 9, 18, 36, 72, i32::MAX / 100];

/// Levels of a gain, 0 among them.
const LEVEL_COUNT: usize = LEVELS.len() + 1;

/// The level of a gain in hundredths of a pawn, see [`Tenjiku::gains`].
fn level(gain: i32) -> usize {
    LEVELS.iter().filter(|&&least| gain >= 100 * least).count()
}

/// What the layer of gains says of a square, for its code: the level of what the side to move wins there, and of what the
/// enemy would.
fn gains_code(own: usize, enemy: usize) -> usize {
    GAINS_AT + own * LEVEL_COUNT + enemy
}

/// The levels that the code of a square in the layer of gains stands for.
fn levels_of(code: u8) -> (usize, usize) {
    let code = usize::from(code) - GAINS_AT;
    (code / LEVEL_COUNT, code % LEVEL_COUNT)
}

/// The global for the greatest level on the board: the least gain that has it, in hundreds of pawns; the game is 1.
fn greatest(level: usize) -> f32 {
    match level {
        0 => 0.0,
        level if level == LEVELS.len() => 1.0,
        level => LEVELS[level - 1] as f32 / 100.0,
    }
}

/// First marks of a move: levels of what it wins, of what it loses (but the game), of what the enemy would win on the square
/// that it leaves; then check, and that the enemy can take the last royal.
const WINS_AT: usize = 0;
const LOSES_AT: usize = WINS_AT + LEVELS.len();
const HANGS_AT: usize = LOSES_AT + LEVELS.len() - 1;
const CHECKS: usize = HANGS_AT + LEVELS.len();
const EXPOSES: usize = CHECKS + 1;

/// The most that counts as lost, in hundredths of a pawn: below the last level.
const LOSES_MOST: i32 = 100 * LEVELS[LEVELS.len() - 2];

/// Bits for the levels from 1 to `level`, the first one at `first`.
fn level_bits(level: usize, first: usize) -> u32 {
    ((1 << level) - 1) << first
}

/// The units of the balance of material, and their pawns: one in which a piece shows, one that most games stay within.
const BALANCES: [(&str, f32); 2] = [("hundreds", 100.0), ("four hundreds", 400.0)];

/// Own less enemy material, in pawns by the table of the rules' section 16.
fn balance(snapshot: &Snapshot) -> i32 {
    let pieces = snapshot
        .board
        .iter()
        .filter_map(|&code| Piece::from_code(code));
    let values = pieces.map(|piece| {
        let value = Tenjiku::piece_values()[piece.state()];
        if piece.color == snapshot.turn {
            value
        } else {
            -value
        }
    });
    values.sum()
}

/// Names of the planes that the layer of control sets.
const CONTROL: [&str; 6] = [
    "own piece captures here",
    "two own pieces capture here",
    "enemy piece captures here",
    "two enemy pieces capture here",
    "own fire reaches here",
    "enemy fire reaches here",
];

impl Encoded for Tenjiku {
    const ENCODING_VERSION: u32 = 4;
    const LAYERS: usize = 3;
    const LAYER_CODES: usize = GAINS_AT - CONTROL_AT + LEVEL_COUNT * LEVEL_COUNT;
    const PLANES: usize = 2 * TENJIKU_SIDE + CONTROL.len() + 2 * LEVELS.len();
    /// Progress, the greatest gains of both sides, material twice, then one flag for every value of an option beside its
    /// first.
    const GLOBALS: usize = 20;
    const MARKS: usize = EXPOSES + 1;

    fn plane_table() -> Vec<f32> {
        let mut table = vec![0.0; (CONTROL_AT + Self::LAYER_CODES) * Self::PLANES];
        for code in 1..CONTROL_AT {
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
        for (own, enemy) in (0..3).flat_map(|own| (0..3).map(move |enemy| (own, enemy))) {
            for (mine, theirs) in [(false, false), (false, true), (true, false), (true, true)] {
                let code = control_code(own, enemy, mine, theirs);
                let row = &mut table[code * Self::PLANES + 2 * TENJIKU_SIDE..][..CONTROL.len()];
                let set = [own >= 1, own >= 2, enemy >= 1, enemy >= 2, mine, theirs];
                for (plane, set) in row.iter_mut().zip(set) {
                    *plane = f32::from(u8::from(set));
                }
            }
        }
        for (own, enemy) in (0..LEVEL_COUNT).flat_map(|o| (0..LEVEL_COUNT).map(move |e| (o, e))) {
            let code = gains_code(own, enemy);
            let row = &mut table[code * Self::PLANES..][..Self::PLANES];
            let (mine, theirs) = row[2 * TENJIKU_SIDE + CONTROL.len()..].split_at_mut(LEVELS.len());
            mine[..own].fill(1.0);
            theirs[..enemy].fill(1.0);
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
            .chain(CONTROL.map(String::from))
            .chain(["own", "enemy"].iter().flat_map(|side| {
                LEVELS.map(|pawns| match pawns {
                    1..100 => format!("{side} gain of {pawns} here"),
                    _ => format!("{side} side wins the game here"),
                })
            }))
            .collect()
    }

    fn write_layers(rules: &RuleSet, snapshot: &Snapshot, out: &mut [u8]) {
        let position = Tenjiku::of_known_pieces(rules, snapshot);
        let sides = [snapshot.turn, snapshot.turn.opponent()];
        let [own, enemy] = sides.map(|color| position.control(color));
        let [won, lost] = sides.map(|color| position.gains(color));
        let count = |side: &Control, square| {
            usize::from(side.once.has(square)) + usize::from(side.twice.has(square))
        };
        let (control, gains) = out.split_at_mut(256);
        for square in (0..=255).map(Square) {
            let seen = match snapshot.turn {
                Color::Black => square.index(),
                Color::White => 255 - square.index(),
            };
            let (own_fire, enemy_fire) = (own.fire.has(square), enemy.fire.has(square));
            let code = control_code(
                count(&own, square),
                count(&enemy, square),
                own_fire,
                enemy_fire,
            );
            control[seen] = code as u8;
            let at = square.index();
            gains[seen] = gains_code(level(won[at]), level(lost[at])) as u8;
        }
    }

    fn write_globals(rules: &RuleSet, snapshot: &Snapshot, layers: &[u8], out: &mut [f32]) {
        assert_eq!(out.len(), Self::GLOBALS, "globals of tenjiku");
        out[0] = (snapshot.move_number as f32 / PROGRESS_PLIES).min(1.0);
        let levels = layers[256..].iter().map(|&code| levels_of(code));
        let (own, enemy) = levels.fold((0, 0), |most, level| {
            (level.0.max(most.0), level.1.max(most.1))
        });
        (out[1], out[2]) = (greatest(own), greatest(enemy));
        let balance = balance(snapshot) as f32;
        for (out, (_, pawns)) in out[3..5].iter_mut().zip(BALANCES) {
            *out = (balance / pawns).clamp(-1.0, 1.0);
        }
        let mut flags = out[5..].iter_mut();
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
            .chain(["own", "enemy"].map(|side| format!("greatest {side} gain, hundreds of pawns")))
            .chain(BALANCES.map(|(unit, _)| format!("own less enemy material, {unit} of pawns")))
            .chain(flags)
            .collect()
    }

    fn write_marks(
        rules: &RuleSet,
        snapshot: &Snapshot,
        squares: &[u8],
        moves: &[TenjikuMove],
        slots: &mut [PolicySlot],
    ) {
        let mut position = Tenjiku::of_known_pieces(rules, snapshot);
        let gains = &squares[512..];
        let in_check = position.in_check();
        let can_win = position.winning_move().is_some();
        for (&mv, slot) in moves.iter().zip(slots) {
            let won = position.exchange(mv);
            let (_, hangs) = levels_of(gains[slot.query as usize % 256]);
            slot.marks = level_bits(level(won), WINS_AT)
                | level_bits(level(won.saturating_neg().min(LOSES_MOST)), LOSES_AT)
                | level_bits(hangs, HANGS_AT);
            position.play(mv);
            // Most moves change nothing for the royals: then the look round is spared, if there was no threat before.
            let checks = match can_win {
                true => position.in_check(),
                false => position.in_check_since(),
            };
            let exposes = match in_check {
                true => position.winning_move(),
                false => position.winning_move_since(),
            };
            slot.marks |= u32::from(checks) << CHECKS | u32::from(exposes.is_some()) << EXPOSES;
            position.undo();
        }
    }

    fn mark_names() -> Vec<String> {
        let pawns = |what: &str, levels: &[i32]| -> Vec<String> {
            let name = |&pawns: &i32| match pawns {
                1..100 => format!("{what} {pawns}"),
                _ => format!("{what} the game"),
            };
            levels.iter().map(name).collect()
        };
        let mut names = pawns("wins", &LEVELS);
        names.extend(pawns("loses", &LEVELS[..LEVELS.len() - 1]));
        names.extend(pawns("leaves a square where the enemy wins", &LEVELS));
        names.extend(["gives check", "lets the enemy take the last royal"].map(String::from));
        names
    }
}
