//! Makes the list of forced wins that `tests/forced_wins.rs` asks the engine to find: positions of play-outs in which the
//! side to move takes the last royal within 3 or 5 plies whatever the other side does.
//!
//! Play-outs mix random and greedy moves. The proof is a search with the rules alone: moves of the winner until one
//! works, every reply of the loser. The engine has no say in it. Of the winner's moves before the last, those that give no
//! check are left out: that may miss a win, where the loser has but bad moves, and proves none that is not there.
//!
//! Usage: `cargo run --release -p engine --example forced_wins -- [FIRST SEED] [COUNT OF EACH LENGTH]`
//! prints lines of `plies<TAB>position string`.

use engine::{GameSoFar, GreedyPlayer, Player, RandomPlayer};
use rules::Position;
use rules::tenjiku::Tenjiku;

/// Whether the side to move takes the last royal within `plies` plies (odd) against every defence.
fn forces_win(position: &mut Tenjiku, plies: u32) -> bool {
    if position.winning_move().is_some() {
        return true;
    }
    if plies < 3 {
        return false;
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.into_iter().any(|mv| {
        position.play(mv);
        let lost = (plies > 3 || position.in_check()) && loses(position, plies - 1);
        position.undo();
        lost
    })
}

/// Whether the side to move loses its last royal within `plies` plies (even), whatever it does.
fn loses(position: &mut Tenjiku, plies: u32) -> bool {
    if position.early_outcome().is_some() {
        return false;
    }
    let mut replies = Vec::new();
    position.legal_moves(&mut replies);
    replies.into_iter().all(|reply| {
        position.play(reply);
        let lost = position.early_outcome().is_none() && forces_win(position, plies - 1);
        position.undo();
        lost
    })
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let first = arguments.next().and_then(Result::ok).unwrap_or(1);
    let count = arguments.next().and_then(Result::ok).unwrap_or(20) as usize;
    let (mut random, mut greedy) = (RandomPlayer::new(), GreedyPlayer::new());
    let mut found = [0; 2];
    for seed in first.. {
        if found.iter().all(|&f| f >= count) {
            return;
        }
        let mut position = Tenjiku::start(&Default::default());
        let game = GameSoFar {
            start: position.sfen(),
            moves: Vec::new(),
        };
        Player::<Tenjiku>::new_game(&mut random, seed).expect("it has no way to fail");
        Player::<Tenjiku>::new_game(&mut greedy, seed).expect("it has no way to fail");
        // Mostly greedy games end soon, mostly random ones with few pieces.
        let one_in = 2 + seed % 5;
        let mut chance = seed;
        while position.outcome().is_none() && position.plies() < 600 {
            chance = chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let choice = if (chance >> 33).is_multiple_of(one_in) {
                greedy.choose(&position, &game)
            } else {
                random.choose(&position, &game)
            };
            position.play(choice.expect("there is a legal move").mv);
        }
        // Back from the end, one position of each length a game.
        let mut wanted = [true; 2];
        for _ in 0..14.min(position.plies()) {
            position.undo();
            for (i, plies) in [3, 5].into_iter().enumerate() {
                if !wanted[i] || found[i] >= count {
                    continue;
                }
                // Without the game's past, as the list gives it.
                let sfen = position.sfen();
                let mut fresh =
                    Tenjiku::from_sfen(&Default::default(), &sfen).expect("just written");
                if !forces_win(&mut fresh, plies - 2) && forces_win(&mut fresh, plies) {
                    println!("{plies}\t{sfen}");
                    wanted[i] = false;
                    found[i] += 1;
                }
            }
        }
    }
}
