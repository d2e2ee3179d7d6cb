//! Outside engines: our own program over both protocols, and others where they are installed.
//!
//! The others are Debian's `fairy-stockfish` (USI, plays), `hachu` (CECP, its packaged version dies at `variant
//! tenjiku`) and `gnushogi` (neither protocol: it never says `move`). Without them the tests say so and pass.

use engine::{EnginePlayer, Fault, GameSoFar, Limit, OutsidePlayer, Player, Protocol};
use rules::Position;
use rules::shogi::Shogi;
use rules::tenjiku::Tenjiku;
use std::path::PathBuf;
use std::time::Duration;

/// A new game with the start and no moves.
fn new_game<P: Position>() -> (P, GameSoFar<P>) {
    let position = P::start(&P::Rules::default());
    let game = GameSoFar {
        start: position.sfen(),
        moves: Vec::new(),
    };
    (position, game)
}

#[test]
fn our_engine_plays_from_outside() {
    for protocol in [Protocol::Usi, Protocol::Cecp] {
        let command = format!("'{}' --hash 1", env!("CARGO_BIN_EXE_tenjiku-engine"));
        let time = Duration::from_millis(30);
        let mut player = OutsidePlayer::new("own".into(), protocol, &command, None, time).unwrap();
        let (mut position, mut game) = new_game::<Tenjiku>();
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

/// The game and the rules are told to an engine that offers to hear of them, and the time of a CECP move is that of one move.
#[test]
fn an_engine_is_told_what_is_played() {
    let command = format!("'{}' --hash 1", env!("CARGO_BIN_EXE_tenjiku-engine"));
    let time = Duration::from_millis(1500);
    let player = |protocol, variant| {
        OutsidePlayer::new("own".into(), protocol, &command, variant, time).unwrap()
    };
    for (protocol, told) in [
        (
            Protocol::Usi,
            &[
                "> setoption name USI_Variant value tenjiku",
                "> setoption name Rules value western",
            ][..],
        ),
        (
            Protocol::Cecp,
            &[
                "> variant tenjiku",
                "> option Rules=western",
                "> level 1 0:02 0",
                "> time 150",
            ],
        ),
    ] {
        let mut player = player(protocol, None);
        let rules = rules::Rules::parse("western").unwrap();
        // A mate in one: it answers at once.
        let sfen = "7k8/16/16/16/16/16/16/16/16/16/16/16/7R8/16/16/8K7 b - 1";
        let position = Tenjiku::from_sfen(&rules, sfen).unwrap();
        let game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        Player::<Tenjiku>::new_game(&mut player, 1).unwrap();
        player.choose(&position, &game).unwrap();
        let lines = Player::<Tenjiku>::last_lines(&mut player).unwrap();
        for line in told {
            assert!(lines.contains(line), "no {line}: {lines}");
        }
    }
    let (position, game) = new_game::<Shogi>();
    let mut usi = player(Protocol::Usi, None);
    Player::<Shogi>::new_game(&mut usi, 1).unwrap();
    assert!(position.is_legal(usi.choose(&position, &game).unwrap().mv));
    let mut chess = player(Protocol::Cecp, Some("chess"));
    Player::<Shogi>::new_game(&mut chess, 1).unwrap();
    let fault = chess.choose(&position, &game).unwrap_err().to_string();
    assert!(
        fault.contains("does not play variant=chess, but tenjiku, shogi"),
        "{fault}"
    );
}

/// Positions with either side to move, for a CECP engine whose board is set to the mover's view: it takes the king that
/// stands open, and the moves after that are understood as well.
#[test]
fn a_cecp_engine_plays_from_set_positions() {
    let command = format!("'{}' --hash 1", env!("CARGO_BIN_EXE_tenjiku-engine"));
    let time = Duration::from_millis(50);
    // The same position for Black and for White. A rook looks down a file at a lone king; a pawn is in the far corner.
    for (sfen, taking) in [
        (
            "7k8/16/16/16/p15/16/16/16/16/16/16/16/7R8/16/16/[FD]7K7 b - 9",
            "9m9a",
        ),
        (
            "7k7[fd]/16/16/8r7/16/16/16/16/16/16/16/15P/16/16/16/8K7 w - 12",
            "8d8p",
        ),
    ] {
        let mut player =
            OutsidePlayer::new("own".into(), Protocol::Cecp, &command, None, time).unwrap();
        let position = Tenjiku::from_sfen(&Default::default(), sfen).unwrap();
        let mut game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        Player::<Tenjiku>::new_game(&mut player, 1).unwrap();
        let choice = player.choose(&position, &game).unwrap();
        assert_eq!(choice.mv.to_string(), taking, "{sfen}");
        // Another game from there in which both sides make other moves first.
        Player::<Tenjiku>::new_game(&mut player, 2).unwrap();
        let mut position = position;
        for _ in 0..2 {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let quiet = moves.into_iter().find(|&mv| {
                let mut after = position.clone();
                after.play(mv);
                after.early_outcome().is_none() && after.turn() != position.turn()
            });
            position.play(quiet.unwrap());
            game.moves.push(quiet.unwrap());
        }
        let choice = player.choose(&position, &game).unwrap();
        assert!(position.is_legal(choice.mv), "{}", choice.mv);
    }
    let mut player =
        OutsidePlayer::new("own".into(), Protocol::Cecp, &command, Some("shogi"), time).unwrap();
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b P 1";
    let position = Shogi::from_sfen(&Default::default(), sfen).unwrap();
    let game = GameSoFar {
        start: sfen.into(),
        moves: Vec::new(),
    };
    Player::<Shogi>::new_game(&mut player, 1).unwrap();
    let fault = player.choose(&position, &game).unwrap_err().to_string();
    assert!(fault.contains("pieces in hand"), "{fault}");
}

/// The program, from the search path or where Debian puts games; says where it is missing.
fn installed(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(program))
        .find(|file| file.is_file());
    if found.is_none() {
        eprintln!("{program} is not installed (apt-get install {program}): not tested with it");
    }
    found
}

#[test]
fn fairy_stockfish_plays_shogi_against_ours() {
    let Some(program) = installed("fairy-stockfish") else {
        return;
    };
    let command = format!("'{}'", program.display());
    let time = Duration::from_millis(50);
    let mut fairy =
        OutsidePlayer::new("fairy".into(), Protocol::Usi, &command, None, time).unwrap();
    let mut ours = EnginePlayer::<Shogi>::new(Limit::Nodes(500));
    let (mut position, mut game) = new_game::<Shogi>();
    Player::<Shogi>::new_game(&mut fairy, 1).unwrap();
    for ply in 0..30 {
        let choice = match ply % 2 {
            0 => fairy.choose(&position, &game).unwrap(),
            _ => ours.choose(&position, &game).unwrap(),
        };
        assert!(position.is_legal(choice.mv));
        position.play(choice.mv);
        game.moves.push(choice.mv);
        if position.outcome().is_some() {
            break;
        }
    }
}

#[test]
fn the_packaged_hachu_is_a_crash_and_no_result() {
    let Some(program) = installed("hachu") else {
        return;
    };
    let command = format!("'{}'", program.display());
    let time = Duration::from_millis(100);
    let mut hachu =
        OutsidePlayer::new("hachu".into(), Protocol::Cecp, &command, None, time).unwrap();
    let (position, game) = new_game::<Tenjiku>();
    // Twice: a new process for each game.
    for seed in 0..2 {
        Player::<Tenjiku>::new_game(&mut hachu, seed).unwrap();
        match hachu.choose(&position, &game) {
            Err(fault @ Fault::Crash { .. }) => {
                assert!(fault.to_string().contains("> variant tenjiku"), "{fault}");
            }
            Err(fault) => panic!("expected a crash: {fault}"),
            // Another build, which knows the game.
            Ok(choice) => assert!(position.is_legal(choice.mv)),
        }
    }
}

#[test]
fn a_program_of_another_protocol_is_a_fault() {
    let Some(program) = installed("gnushogi") else {
        return;
    };
    let command = format!("'{}'", program.display());
    let time = Duration::from_millis(50);
    let mut gnushogi =
        OutsidePlayer::new("gnushogi".into(), Protocol::Cecp, &command, None, time).unwrap();
    let (position, game) = new_game::<Shogi>();
    Player::<Shogi>::new_game(&mut gnushogi, 1).unwrap();
    let fault = gnushogi.choose(&position, &game).unwrap_err().to_string();
    assert!(fault.contains("variant shogi"), "{fault}");
}
