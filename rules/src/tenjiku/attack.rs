//! Which pieces capture on a square, asked from the square: what search wants to know of a few squares without
//! listing every move.
//!
//! It says the same as `generate` (the tests compare the two) but for promotion and the repetition rule, which
//! decide nothing about captures.

use super::Tenjiku;
use super::bitboard::{Bitboard, each};
use super::board::Board;
use super::check::takes_last_royal;
use super::generate::{Sink, piece_moves};
use super::geometry::{
    CENTRE, DELTA, IN_SIGHT, NEIGHBOURS, ON_BOARD, RAYS, STEP, WINDOWS, WITHIN_THREE, dilate,
    passing, window, window_square,
};
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
        self.attackers_until(color, square, gone, |_| false)
    }

    /// [`attackers`](Self::attackers), but no more are looked for once one is found whose code is `enough`.
    #[inline]
    pub(super) fn attackers_until(
        &self,
        color: Color,
        square: Square,
        gone: &Bitboard,
        enough: impl FnMut(u8) -> bool,
    ) -> Bitboard {
        attackers(&self.board, &self.tables, color, square, gone, enough)
    }

    /// A move of the side to move that takes the last royal of the other side, if there is one.
    pub fn winning_move(&self) -> Option<TenjikuMove> {
        if self.early_outcome().is_some() {
            return None;
        }
        winning_move(&self.board, &self.tables, self.turn, false)
    }

    /// [`winning_move`](Self::winning_move) where the side to move could not have won before the other side's last
    /// move either, had it been its turn: then most last moves spare a look round for attackers.
    pub fn winning_move_since(&self) -> Option<TenjikuMove> {
        if self.early_outcome().is_some() {
            return None;
        }
        let spared = self.is_out_of_sight(self.turn.opponent());
        winning_move(&self.board, &self.tables, self.turn, spared)
    }

    /// [`Position::in_check`] where the other side could not have won by its last move.
    pub fn in_check_since(&self) -> bool {
        let spared = self.is_out_of_sight(self.turn);
        self.early_outcome().is_none()
            && can_win(&self.board, &self.tables, self.turn.opponent(), spared)
    }

    /// Whether the last move changed nothing that decides whether the lone royal of `color` can be captured. `false`
    /// where that is not plain to see. Fire is not asked.
    fn is_out_of_sight(&self, color: Color) -> bool {
        let royal = self.board.royals[color.index()].single();
        let (Some(royal), Some(last)) = (royal, self.history.last()) else {
            return false;
        };
        let royals = [last.moved, last.via_code, last.to_code]
            .map(|code| usize::from(Board::is_royal(code)));
        let burns = last.burned > 0 || last.mover_burned;
        if last.mv.is_pass() && !burns {
            return true;
        }
        if royals != [0; 3] || burns {
            return false;
        }
        // What leaves a square may open a line or a way; what comes to one may attack, if it is the enemy's, or jump
        // less high than what was there. Nothing else helps the enemy.
        let mut changed = Bitboard::of(last.mv.from());
        if let Some(via) = last.mv.via() {
            changed = changed | Bitboard::of(via);
        }
        if color == self.turn || last.to_code != 0 {
            changed = changed | Bitboard::of(last.mv.to());
        }
        let sight = &IN_SIGHT[royal.index()];
        (changed & (*sight | Bitboard::of(royal))).is_empty()
    }
}

/// See [`Tenjiku::attackers_until`].
fn attackers(
    board: &Board,
    tables: &Tables,
    color: Color,
    square: Square,
    gone: &Bitboard,
    mut enough: impl FnMut(u8) -> bool,
) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    if board.tetrarchs[color.index()].is_empty() {
        // From its home side first: most of those that take back stand there.
        let home = if color == Color::White { 0 } else { 7 };
        for d in 0..8 {
            let d = d ^ home;
            if let Some((from, code)) = rider(board, tables, color, square, gone, d) {
                found.insert(from);
                if enough(code) {
                    return found;
                }
            }
        }
    } else {
        for d in 0..8 {
            found = found | riders(board, tables, color, square, gone, d);
        }
    }
    // Pieces with more than rides, close enough for it.
    let close = board.close[color.index()] & WITHIN_THREE[square.index()] & !(found | *gone);
    for from in close.squares() {
        let code = board.at(from);
        if strikes(board, tables, code, from, square, gone) {
            found.insert(from);
            if enough(code) {
                return found;
            }
        }
    }
    let victim = tables.ranks[board.at(square) as usize];
    if victim < 4 || tables.rules.general_jump_capture == GeneralJumpCapture::RoyalsToo {
        let generals = board.generals[color.index()] & IN_SIGHT[square.index()] & !(found | *gone);
        for from in generals.squares() {
            if jumps(board, tables, from, square, gone, victim) {
                found.insert(from);
                if enough(board.at(from)) {
                    return found;
                }
            }
        }
    }
    found
}

/// The first piece of those not `gone` on the ray from `square` in direction `d`, with its distance.
#[inline(always)]
fn first_ahead(board: &Board, square: Square, gone: &Bitboard, d: usize) -> Option<(Square, u8)> {
    let ray = RAYS[square.index()][d];
    let mut ahead = board.ahead(ray);
    loop {
        let distance = ahead.trailing_zeros() as u8 + 1;
        if distance > ray.edge {
            return None;
        }
        let from = ahead_of(square, d, distance);
        if !gone.has(from) {
            return Some((from, distance));
        }
        ahead &= ahead - 1;
    }
}

/// The square so many steps away, which must be on the board.
#[inline(always)]
fn ahead_of(square: Square, d: usize, distance: u8) -> Square {
    Square(square.0.wrapping_add(DELTA[d].wrapping_mul(distance)))
}

/// The code of the piece on `from` if it is one of `color` whose rides go `distance` squares against direction `d`.
#[inline(always)]
fn rides(
    board: &Board,
    tables: &Tables,
    color: Color,
    from: Square,
    d: usize,
    distance: u8,
) -> Option<u8> {
    let code = board.at(from);
    let far = tables.movements[code as usize].limits[7 - d] >= distance;
    (is_of(code, color) && far).then_some(code)
}

/// The piece on the ray from `square` in direction `d` that rides to it, and its code; `color` has no tetrarchs.
#[inline(always)]
fn rider(
    board: &Board,
    tables: &Tables,
    color: Color,
    square: Square,
    gone: &Bitboard,
    d: usize,
) -> Option<(Square, u8)> {
    let (from, distance) = first_ahead(board, square, gone, d)?;
    Some((from, rides(board, tables, color, from, d, distance)?))
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
    let Some((from, distance)) = first_ahead(board, square, gone, d) else {
        return Bitboard::EMPTY;
    };
    let reaches = |from: Square, distance: u8| {
        let code = rides(board, tables, color, from, d, distance)?;
        Some(tables.movements[code as usize].special)
    };
    let first = match reaches(from, distance) {
        Some(Special::Tetrarch) if distance == 1 => Bitboard::EMPTY,
        Some(_) => Bitboard::of(from),
        None => Bitboard::EMPTY,
    };
    // A tetrarch neither touches nor sees the first square of its way.
    let behind = ahead_of(square, d, distance + 1);
    let tetrarch = distance < RAYS[square.index()][d].edge
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
    let mut tall = board.tall_ahead(ray);
    loop {
        let next = tall.trailing_zeros() as u8 + 1;
        if next >= distance {
            return true;
        }
        tall &= tall - 1;
        let between = Square(from.0.wrapping_add(DELTA[d].wrapping_mul(next)));
        let rank = tables.ranks[board.at(between) as usize];
        if rank >= m.rank && !gone.has(between) {
            return false;
        }
    }
}

/// Whether the piece with this code on `from` captures on `to`, within three squares, by more than a ride.
#[inline]
fn strikes(
    board: &Board,
    tables: &Tables,
    code: u8,
    from: Square,
    to: Square,
    gone: &Bitboard,
) -> bool {
    let m = &tables.movements[code as usize];
    tables.strikes[code as usize] & window_bit(from, to) != 0
        && (m.steps == 0 || walks(board, m.steps, from, to, gone))
}

/// The bit of `to`, within three squares, in a [`window`] around `from`.
#[inline]
fn window_bit(from: Square, to: Square) -> u64 {
    let (rows, columns) = offset(from, to);
    1 << (CENTRE.trailing_zeros() as i32 + 8 * rows + columns)
}

/// The squares of a [`window`] around a piece on which it may capture by more than a ride: walks may be blocked.
pub(super) fn strikes_of(m: &Movement) -> u64 {
    let mut window = 0;
    for (rows, columns) in (-3_i32..=3).flat_map(|r| (-3_i32..=3).map(move |c| (r, c))) {
        let distance = rows.abs().max(columns.abs());
        let on_line = |dirs: u8| direction(rows, columns).is_some_and(|d| dirs >> d & 1 != 0);
        let reached = match m.special {
            Special::None => false,
            Special::Leaps => m.leaps[..usize::from(m.leap_count)]
                .iter()
                .any(|&(r, c)| (i32::from(r), i32::from(c)) == (rows, columns)),
            Special::Lion => distance <= 2,
            Special::LineLion => distance <= 2 && on_line(m.special_dirs),
            Special::DiagonalLion => distance == 2 && on_line(!0),
            Special::SecondSquare => distance == 2 && on_line(m.special_dirs),
            Special::Tetrarch => distance == 1,
            Special::Area | Special::General => distance <= i32::from(m.steps),
        };
        if reached && distance > 0 {
            window |= 1 << (CENTRE.trailing_zeros() as i32 + 8 * rows + columns);
        }
    }
    window
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
/// those pieces are asked for their moves. Two royals at once are rare: then every piece is asked. `spared` is whether
/// it is known that no piece captures on the square of a lone royal.
pub(super) fn winning_move(
    board: &Board,
    tables: &Tables,
    color: Color,
    spared: bool,
) -> Option<TenjikuMove> {
    let Some(royal) = board.royals[color.opponent().index()].single() else {
        return winner(board, tables, color, board.colors[color.index()]);
    };
    if !spared {
        // What every taker but a tetrarch, and those that may have to promote, can do is not looked for among its moves.
        let plain = |code: u8| {
            let m = &tables.movements[code as usize];
            m.special != Special::Tetrarch && m.dead_ranks == 0
        };
        let takers = attackers(board, tables, color, royal, &Bitboard::EMPTY, plain);
        if let Some(from) = takers.squares().find(|&from| plain(board.at(from))) {
            return Some(TenjikuMove::new(from, royal));
        }
        if !takers.is_empty() {
            return winner(board, tables, color, takers);
        }
    }
    burning_move(board, tables, color, royal)
}

/// Whether [`winning_move`] has an answer.
pub(super) fn can_win(board: &Board, tables: &Tables, color: Color, spared: bool) -> bool {
    let Some(royal) = board.royals[color.opponent().index()].single() else {
        return winner(board, tables, color, board.colors[color.index()]).is_some();
    };
    let any = |_| true;
    !spared && !attackers(board, tables, color, royal, &Bitboard::EMPTY, any).is_empty()
        || burning_move(board, tables, color, royal).is_some()
}

/// The first move of one of `candidates` that takes the last royal.
fn winner(
    board: &Board,
    tables: &Tables,
    color: Color,
    candidates: Bitboard,
) -> Option<TenjikuMove> {
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

/// A move of `color` that burns the other side's lone `royal`, which no piece can capture.
fn burning_move(
    board: &Board,
    tables: &Tables,
    color: Color,
    royal: Square,
) -> Option<TenjikuMove> {
    let mut found = None;
    each(board.demons[color.index()], |from| {
        let m = &tables.movements[board.at(from) as usize];
        let (rows, columns) = offset(from, royal);
        let mut burn = |to: Square| {
            let mv = TenjikuMove::new(from, to);
            let free = !board.colors[color.index()].has(to);
            if free && found.is_none() && takes_last_royal(board, tables, color, mv) {
                found = Some(mv);
            }
        };
        if rows.abs().max(columns.abs()) <= i32::from(m.steps) + 1 {
            let mut ends = walks_beside(board, m.steps, from, royal);
            while ends != 0 {
                burn(window_square(from, ends.trailing_zeros()));
                ends &= ends - 1;
            }
        }
        rides_beside(board, m, from, rows, columns, &mut burn);
    });
    if found.is_some() || board.buffaloes[color.index()].is_empty() {
        return found;
    }
    // Buffaloes burn when they promote: where they may is the generator's business.
    let mut candidates = Bitboard::EMPTY;
    each(board.buffaloes[color.index()], |from| {
        let m = &tables.movements[board.at(from) as usize];
        let (rows, columns) = offset(from, royal);
        rides_beside(board, m, from, rows, columns, &mut |_| {
            candidates.insert(from);
        });
    });
    if candidates.is_empty() {
        return None;
    }
    winner(board, tables, color, candidates)
}

/// Rows down and columns right from one square to another.
#[inline]
fn offset(from: Square, to: Square) -> (i32, i32) {
    (
        to.row() as i32 - from.row() as i32,
        to.column() as i32 - from.column() as i32,
    )
}

/// Where area moves of so many steps end next to `royal`, own pieces included, as a [`window`] around `from`.
fn walks_beside(board: &Board, steps: u8, from: Square, royal: Square) -> u64 {
    area_ends(board, steps, from) & window(&NEIGHBOURS[royal.index()], from)
}

/// Where area moves of so many steps end, on whatever stands there, as a [`window`] around `from`.
pub(super) fn area_ends(board: &Board, steps: u8, from: Square) -> u64 {
    let pieces = board.colors[0] | board.colors[1];
    let empty = WINDOWS[from.index()] & !window(&pieces, from);
    let mut reached = CENTRE;
    let mut ends = 0;
    for _ in 0..steps {
        ends |= dilate(reached);
        reached = dilate(reached) & empty;
    }
    ends & WINDOWS[from.index()] & !CENTRE
}

/// Calls `look` with the squares next to the one `rows` down and `columns` right of `from` to which rides lead, over
/// empty squares but for the last.
#[inline]
fn rides_beside(
    board: &Board,
    m: &Movement,
    from: Square,
    rows: i32,
    columns: i32,
    look: &mut impl FnMut(Square),
) {
    let mut dirs = m.dirs & ON_BOARD[from.index()] & passing(rows, columns);
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
        let ahead = board.ahead(ray);
        let reach = (ahead.trailing_zeros() as i32 + 1).min(i32::from(ray.edge));
        for k in first..=last.min(reach) {
            look(Square(from.0.wrapping_add(DELTA[d].wrapping_mul(k as u8))));
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::RuleSet;
    use super::super::generate::all_moves;
    use super::*;
    use crate::Rules;

    /// A small generator of random numbers (SplitMix64), so that the tests depend on nothing.
    pub(in super::super) fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Calls `look` with the positions of random games under `rules`.
    pub(in super::super) fn playouts(rules: &str, games: u64, mut look: impl FnMut(&Tenjiku, u64)) {
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

    pub(in super::super) const RULES: [&str; 4] = [
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

    /// Where none is enough they are all found; where one is, one that is.
    #[test]
    fn attackers_are_looked_for_until_one_is_enough() {
        let mut cut_short = 0;
        for rules in RULES {
            playouts(rules, 3, |position, mut chance| {
                if chance % 7 != 0 {
                    return;
                }
                let all = position.pieces(Color::Black) | position.pieces(Color::White);
                let least = random(&mut chance) % 72;
                let enough = |code: u8| (u64::from(code) - 1) % 72 >= least;
                for (color, target) in [Color::Black, Color::White]
                    .into_iter()
                    .flat_map(|color| all.squares().map(move |square| (color, square)))
                {
                    let gone = Bitboard::EMPTY;
                    let whole = position.attackers(color, target, &gone);
                    let found = position.attackers_until(color, target, &gone, enough);
                    let is_enough = |square| enough(position.code_at(square));
                    assert_eq!(found & !whole, Bitboard::EMPTY);
                    assert_eq!(
                        found.squares().any(is_enough),
                        whole.squares().any(is_enough),
                        "{color:?} on {target} in {position:?}"
                    );
                    assert!(found == whole || found.squares().any(is_enough));
                    cut_short += u32::from(found != whole);
                }
            });
        }
        assert!(cut_short > 1000, "{cut_short}");
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

    /// What is spared after a move that changed nothing in the royal's sight is nothing: the answers are those of a look
    /// at the whole board.
    #[test]
    fn what_was_known_before_the_last_move_leads_to_the_same_answers() {
        let (mut wins, mut checks, mut spared) = (0, 0, 0);
        for rules in RULES {
            let mut before: Option<Tenjiku> = None;
            playouts(rules, 12, |position, _| {
                let last = before.replace(position.clone());
                let Some(last) = last.filter(|last| last.plies() + 1 == position.plies()) else {
                    return;
                };
                if !last.in_check() {
                    let found = position.winning_move_since().is_some();
                    assert_eq!(found, position.winning_move().is_some(), "{position:?}");
                    wins += u32::from(found);
                }
                if last.winning_move().is_none() {
                    let found = position.in_check_since();
                    assert_eq!(found, position.in_check(), "{position:?}");
                    checks += u32::from(found);
                }
                spared += u32::from(position.is_out_of_sight(position.turn()));
            });
        }
        let seen = (wins, checks, spared);
        assert!(wins > 0 && checks > 0 && spared > 1000, "{seen:?}");
    }
}
