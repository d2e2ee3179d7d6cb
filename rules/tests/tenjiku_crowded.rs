//! The position with the most legal moves that we could construct: lions in rows among pawns, found by simulated
//! annealing over the number of moves. Move lists, counts and row formats must hold this many.

mod oracle;

use rules::Position;
use rules::tenjiku::{RuleSet, Tenjiku};

const CROWDED: &str = "[LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN]/pppppppppppppppp/\
    pppppppppppppppp/[LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN]/\
    ppppppppkppppppp/pppppppppppppppp/\
    [LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN]/\
    [GG]pppppppppppppp[GG]/[GG]pppppppppppppp[GG]/\
    [LN][LN][LN][LN][LN][LN][LH][LH][LH][LH][LH][LN][LN][LN][LN][LH]/[GG]ppppppppppppppp/\
    [GG]ppppppppppppppp/[LH][LN][LN][LN][LN][LN][LN][LN][LN][LN][LN][LH][LN][LH][LN][LN]/\
    [GG]pppppppppppppp[GG]/[GG][RG]ppppppppppppp[GG]/\
    K[GG][GG][LH][LH][LN][LH][LN][LH][LN][LN][LN][LH][LN][GG][BG] b - 1";

/// Counted by the slow reference as well.
const MOVES: usize = 5_669;

#[test]
fn the_largest_known_number_of_moves() {
    let game = Tenjiku::from_sfen(&RuleSet::HISTORICAL, CROWDED).unwrap();
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    assert_eq!(moves.len(), MOVES);
    assert_eq!(game.legal_count(), MOVES);
    let mut texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.sort();
    let reference = oracle::Game::new("historical", CROWDED).unwrap();
    let mut expected = reference.legal_strings();
    expected.sort();
    assert_eq!(texts, expected);
}
