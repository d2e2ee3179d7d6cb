//! Exchanges on one square in tenjiku, with fire: who takes, who burns, who had better stop.
//!
//! The pieces take in the order of their values. A piece that ends next to an enemy demon takes and is gone; a demon
//! that takes burns what is beside it. Promotion of those who take back is not counted, and a lion's second victim
//! is not.

use super::{Terms, code_after, material, may_burn};
use crate::Position;
use crate::tenjiku::bitboard::each;
use crate::tenjiku::{Bitboard, Square, Tenjiku, TenjikuMove};

/// Captures of one exchange that are looked at.
const LONGEST: usize = 16;

/// Centipawns that `mv`, which gains `gain` at once, wins after the exchange on its end square.
pub(super) fn exchange(terms: &Terms, position: &Tenjiku, mv: TenjikuMove, gain: i32) -> i32 {
    let (from, to) = (mv.from(), mv.to());
    let mut gone = Bitboard::of(from) | Bitboard::of(to);
    if let Some(via) = mv.via() {
        gone = gone | Bitboard::of(via);
    }
    if may_burn(terms, position, mv) {
        let effects = position.effects(mv);
        if effects.mover_burned {
            return gain;
        }
        gone = gone | effects.burned;
    }
    let mut standing = terms.material[code_after(position, mv) as usize];
    let mut side = position.turn().opponent();
    // won[k]: what the k-th capture wins for its side, if nothing follows.
    let mut won = [0; LONGEST];
    let mut count = 0;
    // Where a piece other than a royal takes back, one that is cheap enough makes the loss plain (below).
    let plain_loss = |code: u8| gain - standing + terms.material[code as usize] < 0;
    let no_royal = (position.royals(side) & terms.beside[to.index()]).is_empty();
    let mut attackers =
        position.attackers_until(side, to, &gone, |code| no_royal && plain_loss(code));
    while count < LONGEST {
        let Some((attacker, value)) = cheapest(terms, position, attackers & !gone) else {
            break;
        };
        let royal = position.royals(side).has(attacker);
        if royal && !position.attackers(side.opponent(), to, &gone).is_empty() {
            break;
        }
        let beside = terms.beside[to.index()];
        let burns = !(position.demons(side.opponent()) & beside & !gone).is_empty();
        won[count] = standing;
        gone = gone | Bitboard::of(attacker);
        if burns {
            won[count] -= value;
            count += 1;
            break;
        }
        if position.demons(side).has(attacker) {
            let burned = position.pieces(side.opponent()) & beside & !gone;
            each(burned, |square| {
                won[count] += material(terms, position, square);
            });
            gone = gone | burned;
        }
        count += 1;
        standing = value;
        side = side.opponent();
        if count == 1 && gain - won[0] + value < 0 {
            // Even to take the recapturing piece for nothing would not make up for the loss.
            return gain - won[0] + value;
        }
        attackers = position.attackers(side, to, &gone);
    }
    // From the end: each side takes only if that is better than to stop.
    let mut best = 0;
    for &w in won[..count].iter().rev() {
        best = (w - best).max(0);
    }
    gain - best
}

/// The attacker of the least value.
#[inline]
fn cheapest(terms: &Terms, position: &Tenjiku, attackers: Bitboard) -> Option<(Square, i32)> {
    let mut least = None;
    let mut price = i32::MAX;
    each(attackers, |square| {
        let value = material(terms, position, square);
        if value < price {
            (least, price) = (Some(square), value);
        }
    });
    least.map(|square| (square, price))
}
