//! The rules core against the slow referee, on random games.
//!
//! `SHOGI_PLAYOUTS` sets the number of games per way of playing.

mod shogi_oracle;

use std::sync::Mutex;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use rules::shogi::{RuleSet, Shogi, ShogiMove};
use rules::{Color, EndReason, Outcome, Position};

use shogi_oracle::{Game, Status};

/// Places to start from: the usual start, few pieces (repetition, bare kings), many in hand (drops, mating
/// pawns), kings far up the board (declaration).
const STARTS: [&str; 8] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
    "4k4/9/9/9/9/9/9/9/4K4 w 2G2S9Pr2b2g2s9p 1",
    "8k/9/9/9/9/9/9/9/K8 b R 1",
    "8k/R8/9/9/9/9/9/9/K8 b r 1",
    "K1+P+P+P4/3RB4/+P+P+P+P+P4/9/9/9/4+p+p+p+p+p/4br3/4+p+p+p1k b 4G4S 1",
    "K+P+P+P5/4RB3/+P+P+P+P+P4/9/9/9/9/8r/8k b BG3S2N8P2gs2nl 1",
];

/// A way to choose moves.
#[derive(Clone, Copy)]
enum Style {
    /// Any move.
    Any,
    /// A check where there is one, mostly: mates, pins, perpetual check.
    Checks,
    /// Back to where the game was, mostly: repetition.
    Back,
    /// Black checks, in places where the game was if it can, White goes back: perpetual check.
    Pursuit,
}

fn choose(
    style: Style,
    position: &mut Shogi,
    moves: &[ShogiMove],
    rng: &mut impl Rng,
) -> ShogiMove {
    let black = position.turn() == Color::Black;
    let any = *moves.choose(rng).expect("a legal move");
    if rng.random_ratio(1, 12) {
        return any;
    }
    let mut wish = |wanted: &dyn Fn(&Shogi) -> bool, otherwise: ShogiMove| {
        let fit = |mv: &&ShogiMove| {
            position.play(**mv);
            let fits = wanted(position);
            position.undo();
            fits
        };
        let fitting: Vec<&ShogiMove> = moves.iter().filter(fit).collect();
        fitting.choose(rng).map_or(otherwise, |mv| **mv)
    };
    let checks = |after: &Shogi| after.in_check();
    let repeats = |after: &Shogi| after.snapshot().repetitions > 0;
    match style {
        Style::Any => any,
        Style::Checks => wish(&checks, any),
        Style::Back => wish(&repeats, any),
        Style::Pursuit if black => {
            let check = wish(&checks, any);
            wish(&|after| checks(after) && repeats(after), check)
        }
        Style::Pursuit => wish(&repeats, any),
    }
}

fn expected(status: Status) -> Option<Outcome> {
    let winner = |black_wins| {
        Some(if black_wins {
            Color::Black
        } else {
            Color::White
        })
    };
    match status {
        Status::Open => None,
        Status::NoMoves { black_wins } => Some(Outcome {
            winner: winner(black_wins),
            reason: EndReason::NoMoves,
        }),
        Status::Repetition => Some(Outcome {
            winner: None,
            reason: EndReason::Repetition,
        }),
        Status::PerpetualCheck { black_wins } => Some(Outcome {
            winner: winner(black_wins),
            reason: EndReason::PerpetualCheck,
        }),
    }
}

/// What the games showed, so that the test proves that it saw the rare rules.
#[derive(Default, Debug)]
struct Seen {
    positions: usize,
    mating_drops: usize,
    declarations: usize,
    no_moves: usize,
    repetition: usize,
    perpetual_check: usize,
}

/// Compares everything that can be seen of a position.
fn compare(position: &Shogi, game: &Game, seen: &mut Seen) {
    let sfen = position.sfen();
    let now = game.now();
    assert_eq!(sfen.rsplit_once(' ').expect("fields").0, now.write());
    let black = now.black_to_move;
    assert_eq!(position.in_check(), now.in_check(black), "check in {sfen}");
    assert_eq!(
        position.snapshot().repetitions as usize,
        game.repetitions(),
        "repetitions of {sfen}"
    );
    let (legal, mating_drops) = now.moves();
    let status = game.status(!legal.is_empty());
    assert_eq!(position.outcome(), expected(status), "outcome of {sfen}");
    let over_early = game.repetition() != Status::Open;
    assert_eq!(
        position.early_outcome().is_some(),
        over_early,
        "early outcome of {sfen}"
    );
    assert_eq!(
        position.can_declare(),
        now.may_declare() && !over_early,
        "declaration in {sfen}"
    );

    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    assert_eq!(
        position.legal_count(),
        moves.len(),
        "number of moves of {sfen}"
    );
    let mut texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.sort();
    let legal = if over_early { Vec::new() } else { legal };
    assert_eq!(texts, legal, "moves of {sfen}");
    for mv in &mating_drops {
        assert!(position.parse_move(mv).is_err(), "{mv} mates in {sfen}");
    }

    seen.positions += 1;
    seen.mating_drops += mating_drops.len();
    seen.declarations += usize::from(position.can_declare());
}

fn playout(start: &str, style: Style, seed: u64) -> Seen {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut seen = Seen::default();
    let mut position = Shogi::from_sfen(&RuleSet::default(), start).expect("a valid start");
    let mut game = Game::new(start);
    let mut moves = Vec::new();
    let last = rng.random_range(0..150);
    for ply in 0..=last {
        position.legal_moves(&mut moves);
        // Comparing is slow: now and then on the way, always at the end.
        if moves.is_empty() || ply == last || rng.random_ratio(1, 16) {
            compare(&position, &game, &mut seen);
        }
        if moves.is_empty() {
            break;
        }
        let mv = choose(style, &mut position, &moves, &mut rng);
        position.play(mv);
        game.play(&mv.to_string());
        assert_eq!(
            position.early_outcome(),
            expected(game.repetition()),
            "after {mv}"
        );
    }
    match position.outcome().map(|outcome| outcome.reason) {
        Some(EndReason::NoMoves) => seen.no_moves += 1,
        Some(EndReason::Repetition) => seen.repetition += 1,
        Some(EndReason::PerpetualCheck) => seen.perpetual_check += 1,
        _ => {}
    }
    seen
}

#[test]
fn agrees_with_the_slow_referee_on_random_games() {
    let games: u64 =
        std::env::var("SHOGI_PLAYOUTS").map_or(1_000, |text| text.parse().expect("a number"));
    let total = Mutex::new(Seen::default());
    let styles = [Style::Any, Style::Checks, Style::Back, Style::Pursuit];
    (0..4 * games).into_par_iter().for_each(|i| {
        let start = STARTS[(i / 4) as usize % STARTS.len()];
        let seen = playout(start, styles[i as usize % 4], i);
        let mut total = total.lock().expect("no test thread failed");
        total.positions += seen.positions;
        total.mating_drops += seen.mating_drops;
        total.declarations += seen.declarations;
        total.no_moves += seen.no_moves;
        total.repetition += seen.repetition;
        total.perpetual_check += seen.perpetual_check;
    });
    let total = total.into_inner().expect("no test thread failed");
    println!("{total:?}");
    let rare = [
        total.mating_drops,
        total.declarations,
        total.no_moves,
        total.repetition,
        total.perpetual_check,
    ];
    assert!(
        games < 1_000 || rare.iter().all(|&count| count > 0),
        "not everything was seen: {total:?}"
    );
}
