//! Properties that must hold in every position, on random games and random boards under random rules.

mod tenjiku_board;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::tenjiku::{Kind, Piece, RuleSet, Square, Tenjiku, TenjikuMove};
use rules::{Color, GameMove, Position, Rules, Snapshot};

type Rng = Xoshiro256PlusPlus;

const GAMES: u64 = if cfg!(debug_assertions) { 5 } else { 60 };
const BOARDS: u64 = if cfg!(debug_assertions) { 20 } else { 400 };

/// A preset or any mixture of options.
fn random_rules(rng: &mut Rng) -> RuleSet {
    let mut rules = RuleSet::PRESETS[rng.random_range(0..3)].1;
    if rng.random_bool(0.5) {
        for option in rules.options() {
            let value = option.allowed[rng.random_range(0..option.allowed.len())];
            rules.set(option.name, value).unwrap();
        }
    }
    rules
}

/// A board with some of everything, most of it in one corner region so that pieces meet.
fn random_board(rng: &mut Rng, rules: &RuleSet) -> Tenjiku {
    let mut board = vec![0; 256];
    for _ in 0..rng.random_range(2..60) {
        let width = rng.random_range(3..=16);
        let square = rng.random_range(0..16) * 16 + rng.random_range(0..width);
        let base = Kind::from_index(rng.random_range(0..Kind::BASES)).unwrap();
        let color = if rng.random_bool(0.5) {
            Color::Black
        } else {
            Color::White
        };
        let promoted = base.promotes_to().is_some() && rng.random_bool(0.4);
        board[square] = Piece {
            color,
            base,
            promoted,
        }
        .code();
    }
    for color in [Color::Black, Color::White] {
        board[rng.random_range(0..256)] = Piece::new(color, Kind::King).code();
    }
    let turn = if rng.random_bool(0.5) {
        Color::Black
    } else {
        Color::White
    };
    let snapshot = Snapshot {
        board,
        hands: Vec::new(),
        turn,
        move_number: 7,
        repetitions: 0,
    };
    Tenjiku::from_snapshot(rules, &snapshot).unwrap()
}

fn legal(game: &Tenjiku) -> Vec<TenjikuMove> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves
}

/// Everything that `undo` must bring back.
fn state(game: &Tenjiku) -> (String, u64, usize, Vec<TenjikuMove>, Snapshot) {
    (
        game.sfen(),
        game.key(),
        game.plies(),
        legal(game),
        game.snapshot(),
    )
}

/// Checks one position with all its moves.
fn check(game: &mut Tenjiku) {
    let before = state(game);
    let moves = before.3.clone();
    assert_eq!(game.legal_count(), moves.len(), "{game:?}");
    assert_eq!(game.outcome().is_some(), moves.is_empty(), "{game:?}");
    let reread = Tenjiku::from_sfen(game.rules(), &game.sfen()).unwrap();
    assert_eq!((reread.key(), reread.sfen()), (game.key(), game.sfen()));

    let mut codes: Vec<u32> = moves.iter().map(|mv| mv.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(
        codes.len(),
        moves.len(),
        "a move is listed twice in {game:?}"
    );
    let us = game.turn();
    let mut tactical = Vec::new();
    game.tactical_moves(&mut tactical);
    let is_tactical = |mv: &TenjikuMove| {
        let effects = game.effects(*mv);
        let changes = mv.promotes() || !effects.enemies_lost().is_empty();
        // A demon that clashes is among them, though it burns nothing.
        let demon = game.demons(us).has(mv.from());
        changes || demon && touches_enemy(game, us, *mv)
    };
    let expected: Vec<_> = moves.iter().copied().filter(is_tactical).collect();
    assert_eq!(tactical, expected, "{game:?}");
    for &mv in &moves {
        assert_eq!(TenjikuMove::from_code(mv.code()), Some(mv));
        assert_eq!(game.parse_move(&mv.to_string()), Ok(mv), "{game:?}");
        assert!(game.is_legal(mv));
        let effects = game.effects(mv);
        let enemies = game.pieces(us.opponent());
        let own = game.pieces(us).len();
        let wins = game.wins_at_once(mv);

        game.play(mv);
        let outcome = game.early_outcome();
        assert_eq!(
            wins,
            outcome.is_some_and(|outcome| outcome.winner == Some(us)),
            "{mv} in {before:?}"
        );
        assert_eq!(
            game.pieces(us.opponent()),
            enemies & !effects.enemies_lost(),
            "{mv} in {before:?}"
        );
        assert_eq!(
            game.pieces(us).len(),
            own - u32::from(effects.mover_burned),
            "{mv} in {before:?}"
        );
        let fresh = Tenjiku::from_snapshot(game.rules(), &game.snapshot()).unwrap();
        assert_eq!(fresh.key(), game.key(), "the hash depends on the path");
        game.undo();
    }
    assert_eq!(state(game), before);

    // The mirrored position has the mirrored moves. It has no history, so compare with a copy without.
    let mut mirrored = legal(&game.mirror());
    mirrored.sort_unstable();
    let mut expected: Vec<_> = legal(&reread)
        .into_iter()
        .map(Tenjiku::mirror_move)
        .collect();
    expected.sort_unstable();
    assert_eq!(mirrored, expected, "{game:?}");
    assert_eq!(game.mirror().mirror().sfen(), game.sfen());

    // Turned by 180 degrees with colours swapped, likewise.
    let turned = turned(game);
    let mut found = legal(&turned);
    found.sort_unstable();
    let mut expected: Vec<_> = legal(&reread).into_iter().map(turned_move).collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "{game:?}");
    assert_eq!(turned.in_check(), game.in_check());

    assert_eq!(game.in_check(), check_by_trying(game), "{game:?}");
}

/// Whether an enemy stands next to the end square of `mv` before the move.
fn touches_enemy(game: &Tenjiku, us: Color, mv: TenjikuMove) -> bool {
    let (row, column) = (mv.to().row(), mv.to().column());
    let near = |square: Square| {
        square != mv.to()
            && square.row().abs_diff(row) <= 1
            && square.column().abs_diff(column) <= 1
    };
    game.pieces(us.opponent()).squares().any(near)
}

fn turned(game: &Tenjiku) -> Tenjiku {
    let mut snapshot = game.snapshot();
    snapshot.board.reverse();
    for code in &mut snapshot.board {
        if let Some(piece) = Piece::from_code(*code) {
            *code = Piece {
                color: piece.color.opponent(),
                ..piece
            }
            .code();
        }
    }
    snapshot.turn = snapshot.turn.opponent();
    Tenjiku::from_snapshot(game.rules(), &snapshot).unwrap()
}

fn turned_move(mv: TenjikuMove) -> TenjikuMove {
    let (from, to) = (mv.from().turned(), mv.to().turned());
    let turned = match mv.via() {
        Some(via) => TenjikuMove::capturing_via(from, via.turned(), to),
        None => TenjikuMove::new(from, to),
    };
    if mv.promotes() {
        turned.promoting()
    } else {
        turned
    }
}

/// The definition of check in section 9: the other side moves, and this side has no royal left.
fn check_by_trying(game: &Tenjiku) -> bool {
    if game.early_outcome().is_some() {
        return false;
    }
    let us = game.turn();
    let mut snapshot = game.snapshot();
    snapshot.turn = us.opponent();
    let mut other = Tenjiku::from_snapshot(game.rules(), &snapshot).unwrap();
    legal(&other).into_iter().any(|mv| {
        other.play(mv);
        let lost = other.royals(us).is_empty();
        other.undo();
        lost
    })
}

#[test]
fn hold_on_random_boards() {
    let mut rng = Rng::seed_from_u64(1);
    for _ in 0..BOARDS {
        let rules = random_rules(&mut rng);
        let mut game = random_board(&mut rng, &rules);
        check(&mut game);
        for _ in 0..4 {
            let moves = legal(&game);
            if moves.is_empty() {
                break;
            }
            game.play(moves[rng.random_range(0..moves.len())]);
            check(&mut game);
        }
    }
}

#[test]
fn hold_in_random_games() {
    let mut rng = Rng::seed_from_u64(2);
    for number in 0..GAMES {
        let rules = random_rules(&mut rng);
        let mut game = Tenjiku::start(&rules);
        let mut keys = vec![game.key()];
        while game.plies() < 400 {
            if game.plies() as u64 % 40 == number % 40 {
                check(&mut game);
            }
            let moves = legal(&game);
            if moves.is_empty() {
                assert!(game.outcome().is_some());
                break;
            }
            game.play(moves[rng.random_range(0..moves.len())]);
            keys.push(game.key());
        }
        while game.plies() > 0 {
            assert_eq!(keys.pop(), Some(game.key()));
            game.undo();
        }
        assert_eq!(game.sfen(), Tenjiku::start(&rules).sfen());
    }
}

/// Of all positions one move away from those of random games, equal ones have equal keys and others have others.
#[test]
fn keys_tell_positions_apart() {
    let mut rng = Rng::seed_from_u64(4);
    let mut texts = std::collections::HashMap::new();
    let mut seen = 0;
    for _ in 0..GAMES / 5 {
        let mut game = Tenjiku::start(&random_rules(&mut rng));
        while game.plies() < 200 {
            let moves = legal(&game);
            for &mv in moves.iter().step_by(7) {
                game.play(mv);
                let sfen = game.sfen();
                let position = sfen.rsplit_once(' ').unwrap().0.to_string();
                let known = texts.entry(game.key()).or_insert_with(|| position.clone());
                assert_eq!(*known, position, "the same key");
                seen += 1;
                game.undo();
            }
            let Some(&mv) = moves.get(rng.random_range(0..moves.len().max(1))) else {
                break;
            };
            game.play(mv);
        }
    }
    let mut positions: Vec<&String> = texts.values().collect();
    positions.sort_unstable();
    positions.dedup();
    assert_eq!(positions.len(), texts.len(), "one position with two keys");
    assert!(texts.len() > seen / 2, "too little variety");
}

/// The whole game counts for repetition: few pieces, long games, every earlier position kept.
#[test]
fn no_position_recurs() {
    let mut rng = Rng::seed_from_u64(3);
    let games = if cfg!(debug_assertions) { 10 } else { 200 };
    let mut refused = 0;
    for _ in 0..games {
        let text = "16/16/16/16/16/13k2/13[ln]2/16/16/16/16/16/10[LN]5/2K13/16/16 b - 1";
        let mut game = Tenjiku::from_sfen(&RuleSet::HISTORICAL, text).unwrap();
        let free = RuleSet::parse("historical,repetition=none").unwrap();
        // Positions with the side to move; the last move strings are not in them.
        let position = |game: &Tenjiku| {
            let sfen = game.sfen();
            let fields: Vec<_> = sfen.split(' ').collect();
            (fields[0].to_string(), fields[1].to_string())
        };
        let mut seen = std::collections::HashSet::from([position(&game)]);
        while game.plies() < 300 && game.early_outcome().is_none() {
            let mut unrestricted = Tenjiku::from_sfen(&free, &game.sfen()).unwrap();
            let mut expected = legal(&unrestricted);
            let all = expected.len();
            expected.retain(|&mv| {
                unrestricted.play(mv);
                let new = !seen.contains(&position(&unrestricted));
                unrestricted.undo();
                new
            });
            refused += all - expected.len();
            let moves = legal(&game);
            assert_eq!(moves, expected, "{game:?}");
            assert_eq!(game.legal_count(), moves.len());
            // Passes and steps back are what repetition is about: prefer moves that end near their start.
            let short: Vec<_> = moves
                .iter()
                .copied()
                .filter(|mv| mv.via().is_none() && mv.from().row().abs_diff(mv.to().row()) <= 1)
                .collect();
            let choice = if short.is_empty() || rng.random_bool(0.1) {
                &moves
            } else {
                &short
            };
            if choice.is_empty() {
                break;
            }
            game.play(choice[rng.random_range(0..choice.len())]);
            seen.insert(position(&game));
        }
    }
    assert!(refused > games * 20, "only {refused} repetitions were met");
}

#[test]
fn squares_of_a_move_are_told_in_numbers() {
    let mv = TenjikuMove::capturing_via(Square(120), Square(104), Square(87)).promoting();
    assert_eq!((Tenjiku::move_from(mv), Tenjiku::move_to(mv)), (120, 87));
    assert_eq!(Tenjiku::move_via(mv), Some(104));
    assert!(Tenjiku::move_promotes(mv) && !Tenjiku::move_promotes(mv.declining()));
    assert_eq!(Tenjiku::mirror_move(mv).to_string(), "9h9g8f+");
}
