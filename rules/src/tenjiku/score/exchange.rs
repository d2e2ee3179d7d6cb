//! Exchanges on one square in tenjiku, with fire: who takes, who burns, who had better stop.
//!
//! The pieces take in the order of their values. A piece that ends next to an enemy demon takes and is gone; a demon
//! that takes burns what is beside it. Promotion of those who take back is not counted, and a lion's second victim
//! is not.
//!
//! What networks see rests on it as well ([`Tenjiku::gains`]): another answer is another version of the encoding.

use super::{Terms, code_after, material, may_burn};
use crate::Position;
use crate::tenjiku::bitboard::each;
use crate::tenjiku::geometry::NEIGHBOURS;
use crate::tenjiku::{Bitboard, Square, Tenjiku, TenjikuMove};

/// Captures of one exchange that are looked at.
const LONGEST: usize = 16;

/// Centipawns that `mv`, which gains `gain` at once, wins after the exchange on its end square. Unless `EXACT` it ends as soon
/// as the loss seems plain, with some part of it.
pub(super) fn exchange<const EXACT: bool>(
    terms: &Terms,
    position: &Tenjiku,
    mv: TenjikuMove,
    gain: i32,
) -> i32 {
    let (from, to) = (mv.from(), mv.to());
    let mut gone = Bitboard::EMPTY;
    gone.insert(from);
    gone.insert(to);
    if let Some(via) = mv.via() {
        gone.insert(via);
    }
    if may_burn(position, mv) {
        let (burned, mover_burned) = position.fire(mv);
        if mover_burned {
            return gain;
        }
        gone = gone | burned;
    }
    let mut standing = terms.material[code_after(position, mv) as usize];
    let mut side = position.turn().opponent();
    // won[k]: what the k-th capture wins for its side, if nothing follows.
    let mut won = [0; LONGEST];
    let mut count = 0;
    // Where a piece other than a royal takes back, one that is cheap enough makes the loss plain (below).
    let no_royal = !EXACT && (position.royals(side) & NEIGHBOURS[to.index()]).is_empty();
    let mut left = 0;
    let mut attackers = position.attackers_until(side, to, &gone, |code| {
        left = gain - standing + terms.material[code as usize];
        no_royal && left < 0
    });
    if no_royal && left < 0 {
        return left;
    }
    while count < LONGEST {
        let Some((attacker, value)) = cheapest(terms, position, attackers & !gone) else {
            break;
        };
        let royal = position.royals(side).has(attacker);
        if royal && !position.attackers(side.opponent(), to, &gone).is_empty() {
            break;
        }
        let beside = NEIGHBOURS[to.index()];
        let burns = !(position.demons(side.opponent()) & beside & !gone).is_empty();
        won[count] = standing;
        gone.insert(attacker);
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
        if !EXACT && count == 1 && gain - won[0] + value < 0 {
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

#[cfg(test)]
mod tests {
    use super::super::{TenjikuScore, WEIGHTS};
    use super::*;
    use crate::score::{Material, QUIET, Score, WINS};
    use crate::tenjiku::Piece;
    use crate::tenjiku::attack::tests::{RULES, playouts};

    /// The exchange with all attackers looked for each time. As there, it ends where the first piece that takes back is worth
    /// less than what is lost by then, unless `exact`: what burns later could make up for it.
    fn played_out(position: &Tenjiku, mv: TenjikuMove, gain: i32, exact: bool) -> i32 {
        let worth = |piece: Option<Piece>| piece.map_or(0, |piece| WEIGHTS[piece.state()]);
        let (to, effects) = (mv.to(), position.effects(mv));
        let mover = position.piece_at(mv.from());
        let mut standing = worth(mover.map(|piece| Piece {
            promoted: piece.promoted || mv.promotes(),
            ..piece
        }));
        let mut gone = effects.enemies_lost() | Bitboard::of(mv.from());
        let mut side = position.turn().opponent();
        let mut won = Vec::new();
        while won.len() < LONGEST && !effects.mover_burned {
            let attackers = position.attackers(side, to, &gone) & !gone;
            let cheapest = attackers
                .squares()
                .min_by_key(|&square| worth(position.piece_at(square)));
            let Some(attacker) = cheapest else { break };
            let guarded = !position.attackers(side.opponent(), to, &gone).is_empty();
            if position.royals(side).has(attacker) && guarded {
                break;
            }
            let beside = NEIGHBOURS[to.index()] & !gone;
            let value = worth(position.piece_at(attacker));
            gone.insert(attacker);
            if !(position.demons(side.opponent()) & beside).is_empty() {
                won.push(standing - value);
                break;
            }
            let mut burned = Bitboard::EMPTY;
            if position.demons(side).has(attacker) {
                burned = position.pieces(side.opponent()) & beside;
            }
            let fire: i32 = burned.squares().map(|s| worth(position.piece_at(s))).sum();
            won.push(standing + fire);
            gone = gone | burned;
            if !exact && won.len() == 1 && gain - won[0] + value < 0 {
                break;
            }
            (standing, side) = (value, side.opponent());
        }
        gain - won
            .into_iter()
            .rev()
            .fold(0, |best: i32, won| (won - best).max(0))
    }

    #[test]
    fn exchanges_are_what_they_are_played_out_but_for_the_size_of_a_loss() {
        let (mut losses, mut others) = (0, 0);
        for rules in RULES {
            playouts(rules, 2, |position, chance| {
                if chance % 7 != 0 {
                    return;
                }
                let score = <Tenjiku as Material>::Score::new(position);
                let mut moves = Vec::new();
                position.tactical_moves(&mut moves);
                for mv in moves {
                    let gain = TenjikuScore::gain(&score, position, mv);
                    if gain == WINS {
                        continue;
                    }
                    let at_once = if gain == QUIET { 0 } else { gain };
                    let found = score.exchange(position, mv, gain);
                    let played = played_out(position, mv, at_once, false);
                    assert_eq!(found.max(-1), played.max(-1), "{mv} in {position:?}");
                    let whole = exchange::<true>(Terms::get(), position, mv, at_once);
                    let exact = played_out(position, mv, at_once, true);
                    assert_eq!(whole, exact, "{mv} in {position:?}");
                    losses += u32::from(exact < 0);
                    others += u32::from(exact >= 0);
                }
            });
        }
        assert!(losses > 100 && others > 100, "{losses} {others}");
    }
}
