//! Size and speed of the records on random games with policies like those of a search:
//! `cargo run --release -p records --example figures -- [plies] [share of full searches]`

use std::time::Instant;

use rayon::prelude::*;
use records::{
    Dataset, ReplayWindow, Sampler, Shape, ShardLimits, ShardWriter, WindowParams, describe,
};
use rules::Position;
use samples::{provenance, random_game};

fn main() {
    let mut args = std::env::args().skip(1);
    let plies: usize = args
        .next()
        .map_or(50_000, |text| text.parse().expect("a number of plies"));
    let full: f64 = args
        .next()
        .map_or(0.25, |text| text.parse().expect("a share"));
    figures::<rules::tenjiku::Tenjiku>(plies, full, 400);
    figures::<rules::shogi::Shogi>(plies, full, 200);
}

fn figures<P: Position>(plies: usize, full: f64, max_plies: usize) {
    println!(
        "{} random games, {full} of the positions with policy",
        P::GAME
    );
    let mut games = Vec::new();
    let mut made = 0;
    while made < plies {
        let (game, rows) = random_game::<P>(games.len() as u32, max_plies, full);
        made += rows.len();
        games.push((game, rows));
    }
    let run = tempfile::tempdir().expect("a temporary folder");
    let begun = Instant::now();
    let mut writer =
        ShardWriter::<P>::new(run.path(), "0", provenance::<P>(0), ShardLimits::default())
            .expect("a writer");
    let mut written = Vec::new();
    for (game, rows) in &games {
        written.extend(writer.push(game, rows).expect("a good game"));
    }
    written.extend(writer.finish().expect("a pair"));
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "  write: {:.0} positions/s, with check, journal and compression",
        made as f64 / seconds
    );

    let bytes: u64 = written.iter().map(|w| w.bytes).sum();
    println!(
        "  {} games, {made} positions, {:.1} bytes a position, both files",
        games.len(),
        bytes as f64 / made as f64
    );
    let first = run
        .path()
        .join("positions")
        .join(format!("{}.parquet", written[0].stem));
    let report = describe(&first).expect("a good file");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    for column in &report.columns {
        let each = column.bytes as f64 / report.rows as f64;
        if each >= 0.05 {
            println!("    {:<16} {each:7.2}", column.name);
        }
    }
    println!("  policy: {:?} moves", report.policy_moves);

    let shape = Shape::of::<P>();
    let begun = Instant::now();
    let dataset = Dataset::open(run.path(), &shape).expect("a run");
    for shard in dataset.shards() {
        dataset.read(shard, |_, _| Ok(())).expect("good rows");
    }
    println!(
        "  read and verify files: {:.0} positions/s on one thread",
        made as f64 / begun.elapsed().as_secs_f64()
    );

    for memory_mib in [1_500, 0] {
        let params = WindowParams {
            policy_only: false,
            validation_share: 0.0,
            memory_mib,
            ..WindowParams::default()
        };
        let begun = Instant::now();
        let window = ReplayWindow::open(run.path(), &shape, params).expect("rows");
        println!(
            "  window, memory_mib = {memory_mib}: loaded at {:.0} positions/s; {:.1} bytes a position in memory, {:.1} on disk",
            made as f64 / begun.elapsed().as_secs_f64(),
            window.memory_bytes() as f64 / made as f64,
            window.disk_bytes() as f64 / made as f64,
        );
        let rows = Sampler::new(1).batch(window.train_rows(), 200_000);
        let begun = Instant::now();
        let sum: u64 = rows
            .iter()
            .map(|&row| u64::from(window.read(row).expect("a row").plies_left))
            .sum();
        let one = rows.len() as f64 / begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let again: u64 = rows
            .par_iter()
            .map(|&row| u64::from(window.read(row).expect("a row").plies_left))
            .sum();
        let all = rows.len() as f64 / begun.elapsed().as_secs_f64();
        assert_eq!(sum, again);
        println!(
            "    random rows decoded: {one:.0}/s on one thread, {all:.0}/s on {}",
            rayon::current_num_threads()
        );
    }
}
