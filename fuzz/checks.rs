//! What must hold for any input, one function a fuzz target. The quick replay of `corpus/` in the test
//! `rules/tests/fuzz_corpus.rs` calls the same functions.
//!
//! Beyond "no panic": what was read is written and read back the same.

use rules::batch::Query;
use rules::import::{GameText, decode, import, write_game};
use rules::shogi::Shogi;
use rules::tenjiku::{Tenjiku, handicap};
use rules::{GameMove, Position, Rules};

/// Position strings of both games.
pub fn sfen(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        position_string::<Tenjiku>(text);
        position_string::<Shogi>(text);
    }
}

fn position_string<P: Position>(text: &str) {
    let rules = P::Rules::default();
    let Ok(mut pos) = P::from_sfen(&rules, text) else {
        return;
    };
    let sfen = pos.sfen();
    let again = P::from_sfen(&rules, &sfen).expect("what was written can be read");
    assert_eq!(again.sfen(), sfen);
    assert_eq!(again.snapshot(), pos.snapshot());
    assert_eq!(again.key(), pos.key());
    let from_snapshot = P::from_snapshot(&rules, &pos.snapshot()).expect("a snapshot can be read");
    assert_eq!(from_snapshot.sfen(), sfen);
    // A few moves and back.
    let mut moves = Vec::new();
    for ply in 0..4 {
        pos.legal_moves(&mut moves);
        assert_eq!(moves.len(), pos.legal_count());
        pos.in_check();
        pos.outcome();
        pos.declaration();
        let Some(&mv) = moves.get(ply * 7 % moves.len().max(1)) else {
            break;
        };
        assert_eq!(pos.parse_move(&mv.to_string()), Ok(mv));
        assert_eq!(P::mirror_move(P::mirror_move(mv)), mv);
        pos.play(mv);
    }
    while pos.plies() > 0 {
        pos.undo();
    }
    assert_eq!(pos.sfen(), sfen);
}

/// Move strings and human notation, one a line, and codes of moves, from the initial positions.
pub fn moves(data: &[u8]) {
    // Codes of moves are read from files: any number may come.
    for code in data.chunks_exact(4) {
        let code = u32::from_le_bytes(code.try_into().expect("four bytes"));
        move_code::<Tenjiku>(code);
        move_code::<Shogi>(code);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        move_strings::<Tenjiku>(text);
        move_strings::<Shogi>(text);
    }
}

fn move_code<P: Position>(code: u32) {
    if let Some(mv) = P::Move::from_code(code) {
        assert_eq!(mv.code(), code);
        P::start(&P::Rules::default()).is_legal(mv);
    }
}

fn move_strings<P: GameText>(text: &str) {
    let mut pos = P::start(&P::Rules::default());
    for line in text.lines().take(200) {
        let human = pos.read_move(line).ok().map(|reading| reading.mv);
        let Some(mv) = pos.parse_move(line).ok().or(human) else {
            continue;
        };
        assert!(pos.is_legal(mv));
        assert_eq!(pos.parse_move(&mv.to_string()), Ok(mv));
        assert_eq!(P::Move::from_code(mv.code()), Some(mv));
        let written = pos.write_move(mv);
        let again = pos
            .read_move(&written)
            .expect("what was written can be read");
        assert_eq!((again.mv, again.remarks.len()), (mv, 0), "{written}");
        pos.play(mv);
    }
}

/// Lines for `tenjiku moves --batch`.
pub fn batch(data: &[u8]) {
    for line in data.split(|&byte| byte == b'\n').take(20) {
        let Ok(query) = Query::read(line) else {
            continue;
        };
        match query.game.as_deref() {
            None | Some(Tenjiku::GAME) => question::<Tenjiku>(&query),
            Some(Shogi::GAME) => question::<Shogi>(&query),
            Some(_) => {}
        }
    }
}

fn question<P: Position>(query: &Query) {
    match query.answer::<P>() {
        Err(error) => assert!(!error.is_empty()),
        Ok(answer) => {
            assert!(answer.legal.is_sorted());
            let without_history = Query {
                sfen: answer.sfen.clone(),
                moves: Vec::new(),
                ..query.clone()
            };
            let again = without_history
                .answer::<P>()
                .expect("an answer's position is one");
            assert_eq!(again.sfen, answer.sfen);
            // Without the past, repetition neither forbids moves nor ends the game.
            assert!(answer.legal.iter().all(|mv| again.legal.contains(mv)));
            assert_eq!(answer.legal.is_empty(), answer.status != "*");
        }
    }
}

/// Game records as for `tenjiku import`, read as tenjiku.
pub fn game_text(data: &[u8]) {
    record::<Tenjiku>(data);
}

/// Game records as for `tenjiku import --game shogi`: KIF, CSA and what all games have in common.
pub fn shogi_text(data: &[u8]) {
    record::<Shogi>(data);
}

fn record<P: GameText>(data: &[u8]) {
    let Ok(text) = decode(data) else { return };
    for game in import::<P>(&text, &P::Rules::default()) {
        match game {
            Ok(game) => {
                let written = write_game(&game);
                let again = import::<P>(&written, &P::Rules::default());
                let again = again.first().expect("a game");
                let again = again
                    .as_ref()
                    .unwrap_or_else(|error| panic!("{error}\n{written}"));
                assert_eq!(again.moves, game.moves, "{written}");
                assert_eq!(again.start_sfen, game.start_sfen, "{written}");
                assert_eq!(again.rules, game.rules, "{written}");
            }
            Err(error) => {
                assert!(error.line <= text.lines().count().max(1));
                assert_eq!(error.ply, error.good.moves.len() + 1);
                let _ = error.to_string();
            }
        }
    }
}

/// Rules texts and handicap names: a rule set has one name.
pub fn rules_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    named_rules::<Tenjiku>(text);
    named_rules::<Shogi>(text);
    let _ = handicap::handicap(&Default::default(), text);
}

fn named_rules<P: Position>(text: &str) {
    if let Ok(rules) = P::Rules::parse(text) {
        assert_eq!(P::Rules::parse(&rules.name()), Ok(rules));
    }
}
