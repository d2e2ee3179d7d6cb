//! Our own program as an outside engine, over both protocols.

use engine::{GameSoFar, OutsidePlayer, Player, Protocol};
use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku};
use std::time::Duration;

#[test]
fn our_engine_plays_from_outside() {
    for protocol in [Protocol::Usi, Protocol::Cecp] {
        let command = format!("'{}' --hash 1", env!("CARGO_BIN_EXE_tenjiku-engine"));
        let time = Duration::from_millis(30);
        let mut player = OutsidePlayer::new("own".into(), protocol, &command, None, time).unwrap();
        let mut position = Tenjiku::start(&RuleSet::HISTORICAL);
        let mut game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        for seed in 0..2 {
            Player::<Tenjiku>::new_game(&mut player, seed).unwrap();
            for _ in 0..4 {
                let choice = player.choose(&position, &game).unwrap();
                assert!(position.is_legal(choice.mv));
                position.play(choice.mv);
                game.moves.push(choice.mv);
            }
        }
    }
}
