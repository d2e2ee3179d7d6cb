//! Random games of any game as records, and files of them.

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::{
    GameRecord, Kind, Policy, PositionRecord, Provenance, SearchKind, ShardLimits, ShardWriter, Wdl,
};
use rules::{Color, EndReason, GameMove, Position, Rules};

/// A random game of at most `max_plies`, with policies on `full_share` of the plies. The policies look like
/// those of a search: most of the weight on few moves, a long tail.
pub fn random_game<P: Position>(
    index: u32,
    max_plies: usize,
    full_share: f64,
) -> (GameRecord, Vec<PositionRecord>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(index));
    let rules = P::Rules::default();
    let mut position = P::start(&rules);
    let start_sfen = position.sfen();
    let (mut moves, mut texts, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut outcome = None;
    while texts.len() < max_plies {
        outcome = position.outcome();
        if outcome.is_some() {
            break;
        }
        position.legal_moves(&mut moves);
        let full = rng.random_bool(full_share);
        let played = moves[rng.random_range(0..moves.len())];
        rows.push(PositionRecord {
            snapshot: position.snapshot(),
            in_check: position.in_check(),
            legal_moves: moves.len() as u32,
            search: if full {
                SearchKind::Full
            } else {
                SearchKind::Fast
            },
            visits: if full { 200 } else { 32 },
            policy: full.then(|| random_policy(&moves, &mut rng)),
            played: played.code(),
            root: Some(random_wdl(&mut rng)),
            net: full.then(|| random_wdl(&mut rng)),
        });
        texts.push(played.to_string());
        position.play(played);
    }
    outcome = outcome.or_else(|| position.outcome());
    let game = GameRecord {
        id: GameRecord::self_play_id(3, index),
        generation: 3,
        index,
        rules: rules.name(),
        start_sfen,
        moves: texts.join(" "),
        winner: outcome.and_then(|o| o.winner),
        reason: outcome.map_or(EndReason::PlyCap, |o| o.reason),
        final_sfen: position.sfen(),
        seed: u64::MAX - u64::from(index),
        black: "net:networks/000003:visits=64".into(),
        white: "engine:depth=4".into(),
        network: index.is_multiple_of(2).then(|| "ab12".into()),
        play_on: index.is_multiple_of(3),
        resign_side: index.is_multiple_of(3).then_some(Color::White),
        resign_ply: index.is_multiple_of(3).then_some(1),
        start_unix_ms: 1_700_000_000_000,
        duration_ms: u64::from(index) * 10,
    };
    (game, rows)
}

/// Softmax of logits with standard deviation 2.5, of which 16 were searched and moved by their values.
fn random_policy<M: GameMove>(moves: &[M], rng: &mut Xoshiro256PlusPlus) -> Policy {
    // Box and Muller's normal numbers.
    let mut normal = || {
        (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt()
            * (std::f64::consts::TAU * rng.random::<f64>()).cos()
    };
    let mut logits: Vec<f64> = moves.iter().map(|_| 2.5 * normal()).collect();
    let mut best: Vec<usize> = (0..logits.len()).collect();
    best.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    best.iter()
        .take(16)
        .for_each(|&i| logits[i] += 1.0 + normal());
    let raw: Vec<f64> = logits.iter().map(|l| l.exp()).collect();
    let total: f64 = raw.iter().sum();
    Policy {
        moves: moves.iter().map(|mv| mv.code()).collect(),
        weights: raw.iter().map(|w| (w / total) as f32).collect(),
    }
}

fn random_wdl(rng: &mut Xoshiro256PlusPlus) -> Wdl {
    let win: f32 = rng.random();
    Wdl {
        win,
        draw: 0.0,
        loss: 1.0 - win,
    }
}

/// Where the files of these games say that they come from.
pub fn provenance<P: Position>(generation: u32) -> Provenance {
    Provenance {
        game: P::GAME.into(),
        rules: P::Rules::default().name(),
        config_hash: "c0ffee".into(),
        network_hash: "ab12".into(),
        run_seed: 42,
        code_version: "0.1.0".into(),
        generation,
        kind: Kind::Selfplay,
    }
}

/// Writes games `indices` as one pair of files and returns them.
pub fn write_games<P: Position>(
    run: &Path,
    worker: &str,
    indices: std::ops::Range<u32>,
    max_plies: usize,
) -> Vec<(GameRecord, Vec<PositionRecord>)> {
    let games: Vec<_> = indices
        .map(|i| random_game::<P>(i, max_plies, 0.25))
        .collect();
    let mut writer = writer::<P>(run, worker);
    for (game, rows) in &games {
        writer.push(game, rows).unwrap();
    }
    writer.finish().unwrap();
    games
}

/// A writer of files like those of generation 3.
pub fn writer<P: Position>(run: &Path, worker: &str) -> ShardWriter<P> {
    ShardWriter::new(run, worker, provenance::<P>(3), ShardLimits::default()).unwrap()
}
