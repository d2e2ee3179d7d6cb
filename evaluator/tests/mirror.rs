//! The exported network plays the moves of the original: `onnx:` against `net:`, equal playouts, whatever the seed.

use encoding::Encoded;
use engine::{GameSoFar, Material, Player, PlayerSpec};
use evaluator::make_player;
use inference::{Architecture, Precision, Trunk, export_network, fresh};
use network::tch::Device;
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use std::path::Path;

/// Plies compared; `MIRROR_PLIES` sets another number.
fn plies() -> usize {
    std::env::var("MIRROR_PLIES").map_or(20, |n| n.parse().unwrap())
}

fn write<P: Encoded>(dir: &Path, trunk: Trunk) {
    let architecture = Architecture {
        channels: 12,
        blocks: 2,
        trunk,
        policy_dim: 8,
        value_channels: 8,
    };
    let weights = fresh::arbitrary_weights(&architecture, &encoding::spec::<P>(), 21);
    fresh::write_loose_network::<P>(dir, &architecture, &weights).unwrap();
}

fn mirrors<P: Encoded + Material>(trunk: Trunk) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("network");
    let file = dir.path().join("net.onnx");
    network::set_threads(1);
    write::<P>(&folder, trunk);
    let mut original = network::open_evaluator::<P>(&folder, Device::Cpu).unwrap();
    export_network::<P>(&folder, &mut original, None, Precision::F32, &file).unwrap();
    let start = P::start(&P::Rules::default());
    for search in ["gumbel", "puct"] {
        let player = |kind: &str, path: &Path| -> Box<dyn Player<P>> {
            let spec = format!("{kind}:{}:visits=32:search={search}", path.display());
            make_player(&spec.parse::<PlayerSpec>().unwrap(), &start).unwrap()
        };
        let mut original = player("net", &folder);
        let mut exported = player("onnx", &file);
        original.new_game(1).unwrap();
        exported.new_game(1).unwrap();
        let mut position = start.clone();
        let mut game = GameSoFar {
            start: start.sfen(),
            moves: Vec::new(),
        };
        for ply in 0..plies() {
            if position.outcome().is_some() {
                break;
            }
            let theirs = original.choose(&position, &game).unwrap();
            let ours = exported.choose(&position, &game).unwrap();
            assert_eq!(
                ours.mv.to_string(),
                theirs.mv.to_string(),
                "{search}, ply {ply}: {}",
                position.sfen()
            );
            assert_eq!(ours.nodes, theirs.nodes);
            position.play(ours.mv);
            game.moves.push(ours.mv);
        }
    }
}

#[test]
fn tenjiku_move_for_move() {
    mirrors::<Tenjiku>(Trunk::Gpool);
}

#[test]
fn shogi_move_for_move() {
    mirrors::<Shogi>(Trunk::Se);
}
