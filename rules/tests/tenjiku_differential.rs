//! The fast tenjiku core against the slow reference, on random games and random set-up positions.
//!
//! Compared in every position: position string, status, check, the legal move strings, and the position and
//! winner after each legal move. A difference is shrunk and printed as arguments of `tenjiku moves`.
//!
//! - `TENJIKU_DIFF_POSITIONS`: how many positions to compare (default: a few thousand).
//! - `TENJIKU_DIFF_SEED`: another number gives other positions (default 1).

mod differential;
mod oracle;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use rules::Position;
use rules::tenjiku::Tenjiku;

use differential::case::{Case, compare, set_up};
use differential::shrink::shrink;
use differential::tally::Tally;
use oracle::{Game, random};

/// Positions between two looks at the total.
const CHUNK: u64 = 100;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn random_positions_agree() {
    let positions = number(
        "TENJIKU_DIFF_POSITIONS",
        if cfg!(debug_assertions) { 400 } else { 4000 },
    );
    let seed = number("TENJIKU_DIFF_SEED", 1);
    let tally = (0..positions.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| run_chunk(seed << 32 | chunk))
        .try_reduce(Tally::default, |a, b| Ok(a.merge(b)))
        .unwrap_or_else(|difference| panic!("{difference}"));
    println!("{tally}");
    assert!(tally.get("positions") >= positions);
}

/// Compares at least [`CHUNK`] positions; what they are depends on the seed alone.
fn run_chunk(seed: u64) -> Result<Tally, String> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut tally = Tally::default();
    while tally.get("positions") < CHUNK {
        let rules = random::rules(&mut rng);
        let (sfen, plies) = match rng.random_range(0..10) {
            0 => (start_sfen(&rules), rng.random_range(0..150)),
            1..=3 => (random::sfen(&mut rng), rng.random_range(1..40)),
            _ => (random::sfen(&mut rng), 0),
        };
        let mut case = Case {
            rules,
            sfen,
            moves: Vec::new(),
        };
        if !run_game(&mut rng, &mut case, plies, &mut tally) {
            let (small, message) = shrink(case.clone());
            return Err(format!("{message}\n  {small}\n  found as {case}"));
        }
    }
    Ok(tally)
}

fn start_sfen(rules: &str) -> String {
    Tenjiku::start(&rules::Rules::parse(rules).expect("random rules are rules")).sfen()
}

/// Compares all positions of a random game; `case` then holds its moves. `false` ends it: they differ.
fn run_game(
    rng: &mut Xoshiro256PlusPlus,
    case: &mut Case,
    plies: usize,
    tally: &mut Tally,
) -> bool {
    let mut game = Game::new(&case.rules, &case.sfen).expect("the reference reads what it wrote");
    let Ok(mut fast) = set_up(&case.rules, &case.sfen) else {
        return false;
    };
    let mut agree = true;
    random::play_out(rng, &mut game, plies, |game, legal, played| {
        if let Some(mv) = played {
            case.moves.push(mv.text());
            match fast.parse_move(&mv.text()) {
                Ok(mv) => fast.play(mv),
                Err(_) => agree = false,
            }
        }
        agree = agree && compare(game, legal, &mut fast).is_ok();
        tally.see(game, legal, fast.in_check(), played);
        agree
    });
    agree
}

/// Strings that are no positions: neither side may take them.
#[test]
fn bad_position_strings_are_refused() {
    let good = random::sfen(&mut Xoshiro256PlusPlus::seed_from_u64(7));
    assert!(set_up("historical", &good).is_ok());
    let empty = ["16"; 16].join("/");
    let with = |rank: &str| format!("{} b - 1", empty.replacen("16", rank, 1));
    let bad = [
        String::new(),
        "b - 1".to_string(),
        format!("{empty} b -"),
        format!("{empty} b - 0"),
        format!("{empty} b - -1"),
        format!("{empty} b - x"),
        format!("{empty} b P 1"),
        format!("{empty} x - 1"),
        format!("{empty} B - 1"),
        format!("{empty}  b - 1"),
        format!("{empty} b - 1 1"),
        format!("{empty}/16 b - 1"),
        format!("{} b - 1", ["16"; 15].join("/")),
        with("15"),
        with("17"),
        with("016"),
        with("0K15"),
        with("88"),
        with("[K]15"),
        with("[p]15"),
        with("[Fd]15"),
        with("[FD15"),
        with("FD]15"),
        with("[]16"),
        with("[XX]15"),
        with("X15"),
        with("É15"),
        with("[é]15"),
        with("+K15"),
        with("+[FD]15"),
        with("++P15"),
        with("+15"),
        with("15+"),
        with("+16"),
        with("KKKKKKKKKKKKKKKKK"),
        with("16K"),
    ];
    for sfen in &bad {
        assert!(
            set_up("historical", sfen).is_err(),
            "fast core takes `{sfen}`"
        );
        assert!(
            Game::new("historical", sfen).is_err(),
            "reference takes `{sfen}`"
        );
    }
}
