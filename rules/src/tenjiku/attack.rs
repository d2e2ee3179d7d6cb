//! Which pieces capture on a square, asked from the square: what search wants to know of a few squares without
//! listing every move.
//!
//! It says the same as `generate` (the tests compare the two) but for promotion and the repetition rule, which
//! decide nothing about captures.

use super::Tenjiku;
use super::bitboard::Bitboard;
use super::board::Board;
use super::check::takes_last_royal;
use super::generate::{Sink, piece_moves};
use super::geometry::{CENTRE, DELTA, ON_BOARD, RAYS, STEP, WINDOWS, WITHIN_THREE, dilate, window};
use super::movement::{Movement, Special, Tables};
use super::moves::TenjikuMove;
use super::options::GeneralJumpCapture;
use super::piece::is_of;
use super::square::Square;
use crate::{Color, Position};

impl Tenjiku {
    /// The pieces of `color` that could capture a piece of the other side on `square`, by ending there, igui or a
    /// shot, if `color` had the move. Fire is not asked. An empty square counts as one with a piece of no rank.
    ///
    /// Pieces on `gone` count as taken off the board; a piece that stands on `square` counts whether or not it is
    /// in the set.
    pub fn attackers(&self, color: Color, square: Square, gone: &Bitboard) -> Bitboard {
        attackers(&self.board, &self.tables, color, square, gone)
    }

    /// A move of the side to move that takes the last royal of the other side, if there is one.
    pub fn winning_move(&self) -> Option<TenjikuMove> {
        if self.early_outcome().is_some() {
            return None;
        }
        winning_move(&self.board, &self.tables, self.turn)
    }
}

/// See [`Tenjiku::attackers`].
fn attackers(
    board: &Board,
    tables: &Tables,
    color: Color,
    square: Square,
    gone: &Bitboard,
) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    for d in 0..8 {
        found = found | riders(board, tables, color, square, gone, d);
    }
    // Pieces with more than rides, close enough for it.
    let close = board.close[color.index()] & WITHIN_THREE[square.index()] & !(found | *gone);
    each(close, |from| {
        let m = &tables.movements[board.at(from) as usize];
        if jumps_or_walks(board, m, from, square, gone) {
            found = found | Bitboard::of(from);
        }
    });
    let victim = tables.movements[board.at(square) as usize].rank;
    if victim < 4 || tables.rules.general_jump_capture == GeneralJumpCapture::RoyalsToo {
        let generals = board.generals[color.index()] & !(found | *gone);
        each(generals, |from| {
            if jumps(board, tables, from, square, gone, victim) {
                found = found | Bitboard::of(from);
            }
        });
    }
    found
}

/// Calls `look` with each square of the set. Quicker than the iterator here.
#[inline(always)]
fn each(set: Bitboard, mut look: impl FnMut(Square)) {
    for (word, mut bits) in set.0.into_iter().enumerate() {
        while bits != 0 {
            look(Square((word * 64) as u8 + bits.trailing_zeros() as u8));
            bits &= bits - 1;
        }
    }
}

/// The pieces on the ray from `square` in direction `d` that ride to it: the first one, and a tetrarch right behind it.
#[inline(always)]
fn riders(
    board: &Board,
    tables: &Tables,
    color: Color,
    square: Square,
    gone: &Bitboard,
    d: usize,
) -> Bitboard {
    let ray = RAYS[square.index()][d];
    let mut ahead = (u64::from(board.lines[ray.line as usize]) >> ray.shift) as u32;
    let at = |distance: u8| Square(square.0.wrapping_add(DELTA[d].wrapping_mul(distance)));
    let (from, distance) = loop {
        let distance = ahead.trailing_zeros() as u8 + 1;
        if distance > ray.edge {
            return Bitboard::EMPTY;
        }
        let from = at(distance);
        if !gone.has(from) {
            break (from, distance);
        }
        ahead &= ahead - 1;
    };
    let reaches = |from: Square, distance: u8| {
        let code = board.at(from);
        let m = &tables.movements[code as usize];
        (is_of(code, color) && m.limits[7 - d] >= distance).then_some(m.special)
    };
    let first = match reaches(from, distance) {
        Some(Special::Tetrarch) if distance == 1 => Bitboard::EMPTY,
        Some(_) => Bitboard::of(from),
        None => Bitboard::EMPTY,
    };
    // A tetrarch neither touches nor sees the first square of its way.
    let behind = at(distance + 1);
    let tetrarch = distance < ray.edge
        && reaches(behind, distance + 1) == Some(Special::Tetrarch)
        && !gone.has(behind);
    if tetrarch {
        first | Bitboard::of(behind)
    } else {
        first
    }
}

/// The direction that leads so many rows down and columns right, if it is one of the eight.
#[inline]
fn direction(rows: i32, columns: i32) -> Option<usize> {
    if rows != 0 && columns != 0 && rows.abs() != columns.abs() || rows == 0 && columns == 0 {
        return None;
    }
    // Row by row through the 3x3 neighbourhood, without its middle.
    let index = 3 * (rows.signum() + 1) + columns.signum() + 1;
    Some((index - i32::from(index > 4)) as usize)
}

/// Whether the general on `from` jumps to capture on `square`: all between is of lower rank, and `victim`, the rank of
/// what it captures, is allowed. At least one piece is between, or it would ride.
#[inline]
fn jumps(
    board: &Board,
    tables: &Tables,
    from: Square,
    square: Square,
    gone: &Bitboard,
    victim: u8,
) -> bool {
    let rows = square.row() as i32 - from.row() as i32;
    let columns = square.column() as i32 - from.column() as i32;
    let Some(d) = direction(rows, columns) else {
        return false;
    };
    let m = &tables.movements[board.at(from) as usize];
    if m.limits[d] == 0 {
        return false;
    }
    let allowed = match tables.rules.general_jump_capture {
        GeneralJumpCapture::AnyButRoyal => victim < 4,
        GeneralJumpCapture::LowerOnly => victim < m.rank,
        GeneralJumpCapture::RoyalsToo => true,
    };
    if !allowed {
        return false;
    }
    let distance = rows.abs().max(columns.abs()) as u8;
    let ray = RAYS[from.index()][d];
    let mut ahead = (u64::from(board.lines[ray.line as usize]) >> ray.shift) as u32;
    loop {
        let next = ahead.trailing_zeros() as u8 + 1;
        if next >= distance {
            return true;
        }
        ahead &= ahead - 1;
        let between = Square(from.0.wrapping_add(DELTA[d].wrapping_mul(next)));
        let rank = tables.movements[board.at(between) as usize].rank;
        if rank >= m.rank && !gone.has(between) {
            return false;
        }
    }
}

/// Whether the piece on `from` captures on `to`, within three squares, by more than a ride.
#[inline]
fn jumps_or_walks(board: &Board, m: &Movement, from: Square, to: Square, gone: &Bitboard) -> bool {
    // From the piece to the target.
    let rows = to.row() as i32 - from.row() as i32;
    let columns = to.column() as i32 - from.column() as i32;
    let distance = rows.abs().max(columns.abs());
    let on_line = |dirs: u8| direction(rows, columns).is_some_and(|d| dirs >> d & 1 != 0);
    match m.special {
        Special::None => false,
        Special::Leaps => m.leaps[..usize::from(m.leap_count)]
            .iter()
            .any(|&(r, c)| (i32::from(r), i32::from(c)) == (rows, columns)),
        Special::Lion => distance <= 2,
        Special::LineLion => distance <= 2 && on_line(m.special_dirs),
        Special::DiagonalLion => distance == 2 && on_line(!0),
        Special::SecondSquare => distance == 2 && on_line(m.special_dirs),
        Special::Tetrarch => distance == 1,
        Special::Area | Special::General => {
            distance <= i32::from(m.steps) && walks(board, m.steps, from, to, gone)
        }
    }
}

/// Whether an area move of so many steps leads from `from` onto a piece on `to`.
#[inline(never)]
fn walks(board: &Board, steps: u8, from: Square, to: Square, gone: &Bitboard) -> bool {
    let pieces = (board.colors[0] | board.colors[1]) & !*gone;
    let empty = WINDOWS[from.index()] & !window(&pieces, from) | CENTRE;
    let rows = to.row() as i32 - from.row() as i32;
    let columns = to.column() as i32 - from.column() as i32;
    let target = 1 << (CENTRE.trailing_zeros() as i32 + 8 * rows + columns);
    let mut reached = CENTRE;
    for _ in 0..steps {
        let ends = dilate(reached);
        if ends & target != 0 {
            return true;
        }
        reached = ends & empty;
    }
    false
}

/// Keeps one move that takes the last royal.
struct Winner<'a> {
    board: &'a Board,
    tables: &'a Tables,
    color: Color,
    found: Option<TenjikuMove>,
}

impl Sink for Winner<'_> {
    #[inline(always)]
    fn push(&mut self, mv: TenjikuMove) {
        if self.found.is_none() && takes_last_royal(self.board, self.tables, self.color, mv) {
            self.found = Some(mv);
        }
    }

    #[inline(always)]
    fn ride(&mut self, from: Square, delta: u8, first: u8, count: u8) {
        if self.board.demons[self.color.index()].has(from) {
            for k in first..first + count {
                let to = Square(from.0.wrapping_add(delta.wrapping_mul(k)));
                self.push(TenjikuMove::new(from, to));
            }
        }
    }
}

/// A move of `color` that takes the last royal of the other side, which has one.
///
/// A lone royal is taken by a piece that captures on its square or burned by one that is, or becomes, a demon; only
/// those pieces are asked for their moves. Two royals at once are rare: then every piece is asked.
pub(super) fn winning_move(board: &Board, tables: &Tables, color: Color) -> Option<TenjikuMove> {
    let royals = board.royals[color.opponent().index()];
    let candidates = match royals.len() {
        1 => {
            let royal = royals.squares().next()?;
            let fire = burners(board, tables, color, royal);
            attackers(board, tables, color, royal, &Bitboard::EMPTY) | fire
        }
        _ => board.colors[color.index()],
    };
    if candidates.is_empty() {
        return None;
    }
    let mut winner = Winner {
        board,
        tables,
        color,
        found: None,
    };
    for from in candidates.squares() {
        piece_moves(board, tables, color, from, &mut winner);
        if winner.found.is_some() {
            break;
        }
    }
    winner.found
}

/// The demons of `color`, and the buffaloes that may promote to one, that perhaps end a move next to `royal`.
fn burners(board: &Board, tables: &Tables, color: Color, royal: Square) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    let burners = board.demons[color.index()] | board.buffaloes[color.index()];
    if burners.is_empty() {
        return found;
    }
    for from in burners.squares() {
        let m = &tables.movements[board.at(from) as usize];
        let rows = royal.row() as i32 - from.row() as i32;
        let columns = royal.column() as i32 - from.column() as i32;
        let near = rows.abs().max(columns.abs()) <= i32::from(m.steps) + 1;
        if near || rides_beside(board, m, from, rows, columns) {
            found = found | Bitboard::of(from);
        }
    }
    found
}

/// Whether a ride from `from` passes next to the square `rows` down and `columns` right of it, over empty squares
/// but for the last.
#[inline]
fn rides_beside(board: &Board, m: &Movement, from: Square, rows: i32, columns: i32) -> bool {
    let mut dirs = m.dirs & ON_BOARD[from.index()];
    while dirs != 0 {
        let d = dirs.trailing_zeros() as usize;
        dirs &= dirs - 1;
        // The steps k with |rows - k r| <= 1 and |columns - k c| <= 1.
        let (mut first, mut last) = (1, i32::from(m.limits[d]));
        for (offset, step) in [(rows, STEP[d].0), (columns, STEP[d].1)] {
            if step == 0 {
                if offset.abs() > 1 {
                    last = 0;
                }
            } else {
                first = first.max(offset * step - 1);
                last = last.min(offset * step + 1);
            }
        }
        if first > last {
            continue;
        }
        let ray = RAYS[from.index()][d];
        let ahead = (u64::from(board.lines[ray.line as usize]) >> ray.shift) as u32;
        let empty = ahead.trailing_zeros() as i32;
        if first <= (empty + 1).min(i32::from(ray.edge)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::RuleSet;
    use super::super::generate::all_moves;
    use super::*;
    use crate::Rules;

    /// A small generator of random numbers (SplitMix64), so that the tests depend on nothing.
    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Calls `look` with the positions of random games under `rules`.
    fn playouts(rules: &str, games: u64, mut look: impl FnMut(&Tenjiku, u64)) {
        let rules = RuleSet::parse(rules).unwrap();
        for game in 0..games {
            let mut seed = game;
            let mut position = Tenjiku::start(&rules);
            let mut moves = Vec::new();
            for _ in 0..500 {
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                look(&position, random(&mut seed));
                let mv = moves[random(&mut seed) as usize % moves.len()];
                position.play(mv);
            }
        }
    }

    const RULES: [&str; 4] = [
        "historical",
        "western",
        "tsa",
        "historical,general_jump_capture=royals_too,vice_general_steps=1",
    ];

    #[test]
    fn attackers_are_the_pieces_with_a_capture_among_their_moves() {
        for rules in RULES {
            playouts(rules, 5, |position, chance| {
                if chance % 5 != 0 {
                    return;
                }
                for color in [Color::Black, Color::White] {
                    let mut moves = Vec::new();
                    all_moves(&position.board, &position.tables, color, &mut moves);
                    let mut expected = vec![Bitboard::EMPTY; 256];
                    for mv in moves {
                        let ends = (mv.to() != mv.from()).then_some(mv.to());
                        for square in [mv.via(), ends].into_iter().flatten() {
                            expected[square.index()] =
                                expected[square.index()] | Bitboard::of(mv.from());
                        }
                    }
                    for square in position.pieces(color.opponent()).squares() {
                        assert_eq!(
                            position.attackers(color, square, &Bitboard::EMPTY),
                            expected_at(position, color, square, &expected),
                            "{color:?} on {square} in {position:?}"
                        );
                    }
                }
            });
        }
    }

    /// Second victims of lion moves are captured on the end square, from beyond the reach of a direct capture
    /// only where the first victim opens the way: those are not counted as attackers.
    fn expected_at(
        position: &Tenjiku,
        color: Color,
        square: Square,
        expected: &[Bitboard],
    ) -> Bitboard {
        let mut moves = Vec::new();
        expected[square.index()]
            .squares()
            .filter(|&from| {
                moves.clear();
                piece_moves(&position.board, &position.tables, color, from, &mut moves);
                moves
                    .iter()
                    .any(|mv| mv.via() == Some(square) || mv.via().is_none() && mv.to() == square)
            })
            .collect()
    }

    #[test]
    fn pieces_that_are_gone_neither_capture_nor_stand_in_the_way() {
        for rules in RULES {
            playouts(rules, 3, |position, mut chance| {
                if chance % 11 != 0 {
                    return;
                }
                // Take every piece away in turn: as if the position had been set up without it.
                let all = position.pieces(Color::Black) | position.pieces(Color::White);
                let pieces: Vec<Square> = all.squares().collect();
                let away = pieces[random(&mut chance) as usize % pieces.len()];
                let target = pieces[random(&mut chance) as usize % pieces.len()];
                if away == target {
                    return;
                }
                let mut without = position.clone();
                without.board.take(away);
                for color in [Color::Black, Color::White] {
                    assert_eq!(
                        position.attackers(color, target, &Bitboard::of(away)),
                        without.attackers(color, target, &Bitboard::EMPTY),
                        "{color:?} on {target} without {away} in {position:?}"
                    );
                }
            });
        }
    }

    #[test]
    fn a_winning_move_is_found_exactly_where_there_is_one() {
        let mut wins = 0;
        for rules in RULES {
            playouts(rules, 12, |position, _| {
                let mut moves = Vec::new();
                all_moves(&position.board, &position.tables, position.turn, &mut moves);
                let any = moves.iter().any(|&mv| position.wins_at_once(mv));
                let found = position.winning_move();
                assert_eq!(found.is_some(), any, "{found:?} in {position:?}");
                if let Some(mv) = found {
                    wins += 1;
                    assert!(position.wins_at_once(mv) && moves.contains(&mv), "{mv}");
                }
            });
        }
        assert!(wins > 50, "{wins}");
    }
}
