//! The engine against forced wins that the rules alone have proven.

use engine::{AlphaBeta, Limits};
use rules::Position;
use rules::tenjiku::Tenjiku;

/// Made by `examples/forced_wins.rs`, which searches exhaustively and does not ask the engine.
const LIST: &str = include_str!("data/forced_wins.txt");

/// Depth of the search (`TENJIKU_WIN_DEPTH` overrules it): that of the longest win, and what reductions may take from it. A found win ends it sooner.
const DEPTH: u32 = 8;

#[test]
fn every_forced_royal_capture_is_found() {
    let depth = std::env::var("TENJIKU_WIN_DEPTH").map_or(DEPTH, |d| d.parse().unwrap());
    let mut search = AlphaBeta::<Tenjiku>::new(16);
    let mut count = [0; 2];
    let mut nodes = 0;
    let mut missed = Vec::new();
    for line in LIST.lines().filter(|line| !line.starts_with('#')) {
        let (plies, sfen) = line.split_once('\t').expect("plies, tab, position");
        let plies: i32 = plies.parse().unwrap();
        count[usize::from(plies == 5)] += 1;
        let position = Tenjiku::from_sfen(&Default::default(), sfen).unwrap();
        search.clear();
        let thought = search
            .think(&position, &Limits::depth(depth), &mut |_| {})
            .unwrap();
        nodes += thought.nodes;
        // A longer win than the shortest is a win as well.
        if thought.mate_in().unwrap_or(0) <= 0 {
            missed.push(format!(
                "no win ({}) where one in {plies} plies is proven: {sfen}",
                thought.score
            ));
        }
        assert!(position.is_legal(thought.best));
    }
    println!("depth {depth}: {nodes} nodes, {} missed", missed.len());
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(count[0] + count[1] >= 40 && count[1] >= 15, "{count:?}");
}
