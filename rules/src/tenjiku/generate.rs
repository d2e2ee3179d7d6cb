//! Generation of all moves but for the repetition rule, by piece family (rules, sections 2 to 5 and 7).
//!
//! In tenjiku every move of the pieces is legal unless it repeats a position, so nothing is tried out here.
//! What a move does to the board is in `play`.

use super::bitboard::{self, Bitboard};
use super::board::Board;
use super::geometry::{
    CENTRE, DELTA, ON_BOARD, RAYS, STEP, WINDOWS, dilate, dir, in_line, near, spread, step, window,
    window_square,
};
use super::movement::{Movement, Special, Tables};
use super::moves::TenjikuMove;
use super::piece::{CODES, is_of, promoted};
use super::square::Square;
use crate::Color;

/// What generated moves are given to.
pub(crate) trait Sink {
    /// Whether it drops quiet moves to where nothing promotes or burns: they are not even made then.
    const NOISY_ONLY: bool = false;

    /// Takes one move.
    fn push(&mut self, mv: TenjikuMove);

    /// Those of the empty squares `ends`, a [`window`] around `from`, to which it takes quiet moves that do not promote.
    #[inline(always)]
    fn wanted(&self, _from: Square, ends: u64) -> u64 {
        ends
    }

    /// Takes `count` moves to empty squares from step `first` on along a line, none of which may promote.
    #[inline(always)]
    fn ride(&mut self, from: Square, delta: u8, first: u8, count: u8) {
        let mut to = from.0.wrapping_add(delta.wrapping_mul(first));
        for _ in 0..count {
            self.push(TenjikuMove::new(from, Square(to)));
            to = to.wrapping_add(delta);
        }
    }
}

impl Sink for Vec<TenjikuMove> {
    #[inline(always)]
    fn push(&mut self, mv: TenjikuMove) {
        Vec::push(self, mv);
    }
}

/// Counts moves.
pub(crate) struct Count(pub usize);

impl Sink for Count {
    #[inline(always)]
    fn push(&mut self, _: TenjikuMove) {
        self.0 += 1;
    }

    #[inline(always)]
    fn ride(&mut self, _: Square, _: u8, _: u8, count: u8) {
        self.0 += usize::from(count);
    }
}

/// Keeps the moves after which fewer enemies or more promoted pieces are on the board.
pub(crate) struct Tactical<'a> {
    pub board: &'a Board,
    pub color: Color,
    /// The enemies and the squares next to them.
    by_enemies: Bitboard,
    pub moves: &'a mut Vec<TenjikuMove>,
}

impl<'a> Tactical<'a> {
    pub fn new(board: &'a Board, color: Color, moves: &'a mut Vec<TenjikuMove>) -> Self {
        Tactical {
            board,
            color,
            by_enemies: spread(board.colors[color.opponent().index()]),
            moves,
        }
    }

    /// Whether `mv`, which captures nothing, is a demon's and ends next to an enemy.
    #[inline(always)]
    fn burns(&self, mv: TenjikuMove) -> bool {
        self.by_enemies.has(mv.to()) && self.board.demons[self.color.index()].has(mv.from())
    }
}

impl Sink for Tactical<'_> {
    const NOISY_ONLY: bool = true;

    #[inline(always)]
    fn push(&mut self, mv: TenjikuMove) {
        let captures = mv.via().is_some() || (mv.to() != mv.from() && self.board.at(mv.to()) != 0);
        if captures || mv.promotes() || self.burns(mv) {
            self.moves.push(mv);
        }
    }

    #[inline(always)]
    fn wanted(&self, from: Square, ends: u64) -> u64 {
        if self.board.demons[self.color.index()].has(from) {
            ends & window(&self.by_enemies, from)
        } else {
            0
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

/// Keeps those moves of [`Tactical`] that may gain more than `above`: by what they capture and by promotion, or by fire.
pub(crate) struct Gaining<'a> {
    pub tactical: Tactical<'a>,
    /// What a piece is worth, by code.
    pub worth: &'a [i32; CODES],
    /// At least 0.
    pub above: i32,
}

impl Gaining<'_> {
    /// The enemies whose capture alone is enough.
    fn victims(&self) -> Bitboard {
        let board = self.tactical.board;
        let mut victims = Bitboard::EMPTY;
        // Without a branch, which would be hard to foretell.
        bitboard::each(board.colors[self.tactical.color.opponent().index()], |at| {
            let enough = u64::from(self.worth(at) > self.above);
            victims.0[usize::from(at.0 >> 6)] |= enough << (at.0 & 63);
        });
        victims
    }

    #[inline(always)]
    fn worth(&self, square: Square) -> i32 {
        self.worth[self.tactical.board.at(square) as usize]
    }
}

impl Sink for Gaining<'_> {
    const NOISY_ONLY: bool = true;

    #[inline(always)]
    fn push(&mut self, mv: TenjikuMove) {
        let mut gain = 0;
        if mv.to() != mv.from() {
            gain += self.worth(mv.to());
        }
        if let Some(via) = mv.via() {
            gain += self.worth(via);
        }
        if mv.promotes() {
            let code = self.tactical.board.at(mv.from());
            if self.tactical.board.buffaloes[self.tactical.color.index()].has(mv.from()) {
                // A demon from now on.
                gain = i32::MAX;
            } else {
                gain += self.worth[promoted(code) as usize] - self.worth[code as usize];
            }
        }
        if gain > self.above || self.tactical.burns(mv) {
            self.tactical.moves.push(mv);
        }
    }

    #[inline(always)]
    fn wanted(&self, from: Square, ends: u64) -> u64 {
        self.tactical.wanted(from, ends)
    }

    #[inline(always)]
    fn ride(&mut self, from: Square, delta: u8, first: u8, count: u8) {
        self.tactical.ride(from, delta, first, count);
    }
}

/// Looks for one move.
pub(crate) struct Find {
    pub wanted: TenjikuMove,
    pub found: bool,
}

impl Sink for Find {
    #[inline(always)]
    fn push(&mut self, mv: TenjikuMove) {
        self.found |= mv == self.wanted;
    }
}

/// Generates what `Tactical` keeps of [`all_moves`], in the same order.
pub(crate) fn tactical_moves(tables: &Tables, tactical: &mut Tactical<'_>) {
    let (board, color) = (tactical.board, tactical.color);
    let victims = board.colors[color.opponent().index()];
    noisy_moves(board, tables, color, victims, Bitboard::EMPTY, tactical);
}

/// Generates what `Gaining` keeps of [`all_moves`], in the same order.
pub(crate) fn gaining_moves(tables: &Tables, gaining: &mut Gaining<'_>) {
    let (board, color) = (gaining.tactical.board, gaining.tactical.color);
    let victims = gaining.victims();
    // A lion may take two that are enough only together, of which one is next to it.
    let lions = board.close[color.index()] & gaining.tactical.by_enemies;
    noisy_moves(board, tables, color, victims, lions, gaining);
}

/// Generates what `sink` keeps of [`all_moves`], in the same order, where that is captures of `victims`, promotions, burns
/// and moves of the pieces on `others`. Most pieces have no such move, and one set of squares tells which those are for all
/// of them at once.
#[inline(always)]
fn noisy_moves<S: Sink>(
    board: &Board,
    tables: &Tables,
    color: Color,
    victims: Bitboard,
    others: Bitboard,
    sink: &mut S,
) {
    let own = board.colors[color.index()];
    let empty = !(own | board.colors[color.opponent().index()]);
    let zone = ZONE[color.index()];
    // Where something is captured, or a piece from outside the zone may promote.
    let targets = victims | !own & zone;
    let near = [spread(targets), spread(spread(targets))];
    // Demons burn; generals and tetrarchs go over pieces; who is in the zone may promote by leaving it.
    let others = others
        | board.demons[color.index()]
        | board.generals[color.index()]
        | board.tetrarchs[color.index()]
        | zone;
    let candidates = own & (near[1] | in_line(targets, empty) | others);
    bitboard::each(candidates, |from| {
        let reach = tables.movements[board.at(from) as usize].reach;
        if reach > 2 || (near[usize::from(reach == 2)] | zone).has(from) {
            piece_moves(board, tables, color, from, sink);
        }
    });
}

/// Generates all moves of `color`, square by square in ascending order.
pub(crate) fn all_moves<S: Sink>(board: &Board, tables: &Tables, color: Color, sink: &mut S) {
    for (word, mut bits) in board.colors[color.index()].0.into_iter().enumerate() {
        while bits != 0 {
            let from = Square((word * 64) as u8 + bits.trailing_zeros() as u8);
            bits &= bits - 1;
            piece_moves(board, tables, color, from, sink);
        }
    }
}

/// Generates the moves of the piece of `color` on `from`.
#[inline(always)]
pub(crate) fn piece_moves<S: Sink>(
    board: &Board,
    tables: &Tables,
    color: Color,
    from: Square,
    sink: &mut S,
) {
    let m = &tables.movements[board.at(from) as usize];
    let own = &board.colors[color.index()];
    let enemy = &board.colors[color.opponent().index()];
    let from_zone = in_zone(color, from);
    let friends = near(own, from);
    let mut generator = Generator {
        board,
        tables,
        color,
        own,
        enemy,
        from,
        from_zone,
        m,
        friends,
        sink,
    };
    match m.special {
        Special::None => generator.rides(),
        Special::Leaps => {
            generator.rides();
            generator.leaps();
        }
        Special::LineLion => {
            generator.rides();
            generator.line_lion();
        }
        Special::Lion => generator.lion(),
        Special::DiagonalLion => {
            generator.rides();
            generator.second_squares(!0);
            generator.diagonal_lion();
        }
        Special::SecondSquare => {
            generator.rides();
            generator.second_squares(m.special_dirs);
        }
        Special::Area => {
            generator.area();
            generator.far_rides(m.steps);
        }
        Special::Tetrarch => {
            generator.far_rides_from_second();
            generator.shots();
        }
        Special::General => generator.general(),
    }
}

/// The promotion zones by colour.
const ZONE: [Bitboard; 2] = [
    Bitboard([!0, 0xffff, 0, 0]),
    Bitboard([0, 0, 0xffff << 48, !0]),
];

/// Whether a square is in the promotion zone of `color`, its five farthest ranks.
#[inline(always)]
pub(crate) const fn in_zone(color: Color, square: Square) -> bool {
    match color {
        Color::Black => square.0 < 5 * 16,
        Color::White => square.0 >= 11 * 16,
    }
}

/// The directions in `bits`.
#[inline(always)]
fn each(mut bits: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let d = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(d)
    })
}

/// One piece that is asked for its moves.
struct Generator<'a, S> {
    board: &'a Board,
    tables: &'a Tables,
    color: Color,
    own: &'a Bitboard,
    enemy: &'a Bitboard,
    from: Square,
    from_zone: bool,
    m: &'a Movement,
    /// The directions in which a friend is next to it.
    friends: u8,
    sink: &'a mut S,
}

impl<S: Sink> Generator<'_, S> {
    // Output.

    /// Adds `mv` with and without promotion, as section 7 allows.
    #[inline(always)]
    fn add(&mut self, mv: TenjikuMove, captures: bool) {
        if self.m.promotes && (self.from_zone || in_zone(self.color, mv.to())) {
            self.add_in_zone(mv, captures);
        } else {
            self.sink.push(mv);
        }
    }

    /// [`add`](Self::add) for a move that starts or ends in the zone, of a piece that may promote some day.
    #[inline(never)]
    fn add_in_zone(&mut self, mv: TenjikuMove, captures: bool) {
        // It is in the zone at one end: where it does not start there, it enters.
        let allowed = !self.from_zone | captures | self.tables.promotes_on_any_zone_move;
        let ranks_ahead = match self.color {
            Color::Black => mv.to().row(),
            Color::White => 15 - mv.to().row(),
        };
        if ranks_ahead < usize::from(self.m.dead_ranks) {
            self.add_on_dead_rank(mv, captures, allowed);
            return;
        }
        self.sink.push(mv);
        if allowed {
            self.sink.push(mv.promoting());
        }
    }

    /// [`add_in_zone`](Self::add_in_zone) for a move after which the piece, unpromoted, could never move again.
    /// `allowed` is whether it may promote anyway.
    #[inline(never)]
    fn add_on_dead_rank(&mut self, mv: TenjikuMove, captures: bool, allowed: bool) {
        let rules = &self.tables.rules;
        let forced = rules.forced_promotion;
        let second_chance =
            rules.second_chance_promotion && self.m.second_chance && self.from_zone && !captures;
        if !forced {
            self.sink.push(mv);
        }
        if allowed || forced || second_chance {
            self.sink.push(mv.promoting());
        }
    }

    #[inline(always)]
    fn quiet(&mut self, to: Square) {
        if S::NOISY_ONLY
            && !self.m.promotes
            && !self.board.demons[self.color.index()].has(self.from)
        {
            return;
        }
        self.add(TenjikuMove::new(self.from, to), false);
    }

    #[inline(always)]
    fn capture(&mut self, to: Square) {
        self.add(TenjikuMove::new(self.from, to), true);
    }

    #[inline(always)]
    fn capture_via(&mut self, via: Square, to: Square) {
        self.add(TenjikuMove::capturing_via(self.from, via, to), true);
    }

    /// A move to `to`, if it is empty or the enemy's.
    #[inline(always)]
    fn target(&mut self, to: Square) {
        let code = self.board.at(to);
        if code == 0 {
            self.quiet(to);
        } else if is_of(code, self.color.opponent()) {
            self.capture(to);
        }
    }

    /// Moves to the empty squares `first..first + count` steps away.
    #[inline(always)]
    fn quiet_line(&mut self, d: usize, first: u8, count: u8) {
        let delta = DELTA[d];
        let last = self.square(d, first + count - 1);
        if self.m.promotes && (self.from_zone || in_zone(self.color, last)) {
            for k in first..first + count {
                self.quiet(self.square(d, k));
            }
        } else {
            self.sink.ride(self.from, delta, first, count);
        }
    }

    /// The square `k` steps away, which must be on the board.
    #[inline(always)]
    fn square(&self, d: usize, k: u8) -> Square {
        Square(self.from.0.wrapping_add(DELTA[d].wrapping_mul(k)))
    }

    // Rides and leaps.

    /// Steps, limited rides and rides.
    #[inline(always)]
    fn rides(&mut self) {
        for d in each(self.m.dirs & ON_BOARD[self.from.index()] & !self.friends) {
            let limit = self.m.limits[d];
            if limit == 1 {
                self.target(self.square(d, 1));
            } else {
                self.ride(d, limit, 0);
            }
        }
    }

    /// A ride in one direction up to `limit` squares, of which the first `skip` are not wanted.
    #[inline(always)]
    fn ride(&mut self, d: usize, limit: u8, skip: u8) {
        let ray = RAYS[self.from.index()][d];
        let reach = limit.min(ray.edge);
        let ahead = self.board.ahead(ray);
        let empty = reach.min(ahead.trailing_zeros() as u8);
        if empty > skip {
            self.quiet_line(d, skip + 1, empty - skip);
        }
        if empty < reach && empty >= skip {
            let enemies = self.board.ahead_of(self.color.opponent(), ray);
            if enemies >> empty & 1 != 0 {
                self.capture(self.square(d, empty + 1));
            }
        }
    }

    /// All rides, from square `skip + 1` on: the nearer ones are moves of another kind too.
    #[inline]
    fn far_rides(&mut self, skip: u8) {
        for d in each(self.m.dirs & ON_BOARD[self.from.index()] & !self.friends) {
            self.ride(d, self.m.limits[d], skip);
        }
    }

    #[inline]
    fn leaps(&mut self) {
        for i in 0..usize::from(self.m.leap_count) {
            let (rows, columns) = self.m.leaps[i];
            if let Some(to) = step(self.from, i32::from(rows), i32::from(columns)) {
                self.target(to);
            }
        }
    }

    /// Jumps to the second square, where a ride does not lead there anyway.
    #[inline]
    fn second_squares(&mut self, dirs: u8) {
        for d in each(dirs & ON_BOARD[self.from.index()]) {
            let blocked = self.board.at(self.square(d, 1)) != 0;
            if blocked && RAYS[self.from.index()][d].edge >= 2 {
                self.target(self.square(d, 2));
            }
        }
    }

    // The lion's family.

    /// The directions in which an enemy is next to `square`.
    #[inline(always)]
    fn enemies(&self) -> u8 {
        near(self.enemy, self.from)
    }

    /// Whether a neighbour in `dirs` is empty, so that the piece can step there and back.
    #[inline(always)]
    fn can_pass(&self, dirs: u8) -> bool {
        dirs & ON_BOARD[self.from.index()] & !self.friends & !self.enemies() != 0
    }

    #[inline(always)]
    fn pass(&mut self) {
        self.quiet(self.from);
    }

    /// Lion: the 5x5 area directly, captures on the first step, pass; rides of a lion hawk beyond.
    #[inline(never)]
    fn lion(&mut self) {
        const AREA: u64 = 0x3e3e_3e3e_3e00 & !CENTRE;
        let own = window(self.own, self.from);
        let enemy = window(self.enemy, self.from);
        let board = WINDOWS[self.from.index()];
        let quiet = self.wanted(AREA & board & !own & !enemy, 2);
        self.targets(quiet, AREA & enemy);
        self.first_step_captures(!0, !0);
        if self.can_pass(!0) {
            self.pass();
        }
        self.far_rides(2);
    }

    /// Those of the empty squares `ends` of a window, up to `steps` king steps away, that the sink takes quiet moves to.
    #[inline(always)]
    fn wanted(&self, ends: u64, steps: u8) -> u64 {
        let ahead = match self.color {
            Color::Black => self.from.0.saturating_sub(16 * steps),
            Color::White => self.from.0.saturating_add(16 * steps),
        };
        if self.m.promotes && (self.from_zone || in_zone(self.color, Square(ahead))) {
            ends
        } else {
            self.sink.wanted(self.from, ends)
        }
    }

    /// Moves to the empty and to the enemy squares of a window.
    #[inline(always)]
    fn targets(&mut self, mut empty: u64, mut enemy: u64) {
        while empty != 0 {
            self.quiet(window_square(self.from, empty.trailing_zeros()));
            empty &= empty - 1;
        }
        while enemy != 0 {
            self.capture(window_square(self.from, enemy.trailing_zeros()));
            enemy &= enemy - 1;
        }
    }

    /// For each enemy next to the piece in `first`: captures it and goes on in each direction of `second` that
    /// leads to no friend, or back.
    #[inline]
    fn first_step_captures(&mut self, first: u8, second: u8) {
        for d in each(first & self.enemies()) {
            let via = self.square(d, 1);
            let back = 1 << (7 - d);
            for e in each(second & ON_BOARD[via.index()] & (!near(self.own, via) | back)) {
                let to = Square(via.0.wrapping_add(DELTA[e]));
                self.capture_via(via, to);
            }
        }
    }

    /// Falcon and eagle: on each line of `special_dirs` one or two steps with a capture on each, or a jump.
    #[inline(never)]
    fn line_lion(&mut self) {
        for d in each(self.m.special_dirs & ON_BOARD[self.from.index()]) {
            let first = self.square(d, 1);
            self.target(first);
            if RAYS[self.from.index()][d].edge >= 2 {
                self.target(self.square(d, 2));
            }
            self.first_step_captures(1 << d, 1 << d | 1 << (7 - d));
        }
        if self.can_pass(self.m.special_dirs) {
            self.pass();
        }
    }

    /// Free eagle: two diagonal steps of which the first captures, or a pass. The direct moves are rides and
    /// jumps as well.
    #[inline(never)]
    fn diagonal_lion(&mut self) {
        self.first_step_captures(dir::DIAGONAL, dir::DIAGONAL);
        if self.can_pass(dir::DIAGONAL) {
            self.pass();
        }
    }

    // Area moves.

    /// Walks of up to `steps` king steps over empty squares; the last one may capture. With two or more steps
    /// also a pass.
    #[inline(never)]
    fn area(&mut self) -> u64 {
        let board = WINDOWS[self.from.index()];
        let enemy = window(self.enemy, self.from);
        let empty = board & !enemy & !window(self.own, self.from) | CENTRE;
        let mut reached = CENTRE;
        let mut ends = 0;
        for _ in 0..self.m.steps {
            ends |= dilate(reached);
            reached = dilate(reached) & empty;
        }
        let (quiet, captures) = (reached & !CENTRE, ends & enemy);
        self.targets(self.wanted(quiet, self.m.steps), captures);
        if quiet != 0 && self.m.steps >= 2 {
            self.pass();
        }
        quiet | captures
    }

    // The tetrarch.

    /// Rides that neither touch nor see the first square.
    #[inline(never)]
    fn far_rides_from_second(&mut self) {
        for d in each(self.m.dirs & ON_BOARD[self.from.index()]) {
            let ray = RAYS[self.from.index()][d];
            let reach = self.m.limits[d].min(ray.edge);
            if reach < 2 {
                continue;
            }
            let ahead = self.board.ahead(ray) & !1;
            let empty = reach.min(ahead.trailing_zeros() as u8);
            if empty > 1 {
                self.quiet_line(d, 2, empty - 1);
            }
            if empty < reach {
                let to = self.square(d, empty + 1);
                if is_of(self.board.at(to), self.color.opponent()) {
                    self.capture(to);
                }
            }
        }
    }

    fn shots(&mut self) {
        for d in each(self.enemies()) {
            self.capture_via(self.square(d, 1), self.from);
        }
    }

    // Range-jumping generals.

    #[inline(never)]
    fn general(&mut self) {
        let walked = if self.m.steps > 0 { self.area() } else { 0 };
        for d in each(self.m.dirs & ON_BOARD[self.from.index()]) {
            if self.friends >> d & 1 == 0 {
                self.ride(d, self.m.limits[d], self.m.steps);
            }
            self.jumps(d, walked);
        }
    }

    /// Moves beyond the first piece on a line, as long as all pieces jumped over are of lower rank. `walked` is
    /// the window of the squares that the area move reaches as well.
    #[inline(always)]
    fn jumps(&mut self, d: usize, walked: u64) {
        let ray = RAYS[self.from.index()][d];
        let ahead = self.board.ahead(ray);
        let first = ahead.trailing_zeros() as u8 + 1;
        if first >= ray.edge {
            return;
        }
        let captures = self.board.ahead_of(self.color.opponent(), ray);
        let quiet = match self.m.jumps_to_empty {
            true => !ahead,
            false => 0,
        };
        // The squares beyond the first piece, up to one that is not jumped over.
        let mut ends = (captures | quiet) & ((1 << ray.edge) - 1) & !((1 << first) - 1);
        if ends == 0 {
            return;
        }
        ends &= (1 << self.first_obstacle(d).min(ray.edge)) - 1;
        while ends != 0 {
            let k = ends.trailing_zeros() as u8 + 1;
            ends &= ends - 1;
            let to = self.square(d, k);
            let code = self.board.at(to);
            let allowed = self.tables.ranks[code as usize] < self.m.captures_below;
            if is_walked(walked, d, k) || !allowed {
                continue;
            }
            if code == 0 {
                self.quiet(to);
            } else {
                self.capture(to);
            }
        }
    }

    /// How far away the first piece is in direction `d` that the general does not jump over; beyond the edge if there is none.
    #[inline(always)]
    fn first_obstacle(&self, d: usize) -> u8 {
        let ray = RAYS[self.from.index()][d];
        let mut tall = self.board.tall_ahead(ray);
        loop {
            let distance = tall.trailing_zeros() as u8 + 1;
            if distance >= ray.edge {
                return distance;
            }
            let code = self.board.at(self.square(d, distance));
            if self.tables.ranks[code as usize] >= self.m.rank {
                return distance;
            }
            tall &= tall - 1;
        }
    }
}

/// Whether the square `k` steps away in direction `d` is in the window `walked`.
#[inline(always)]
fn is_walked(walked: u64, d: usize, k: u8) -> bool {
    let offset = (STEP[d].0 * 8 + STEP[d].1) * i32::from(k);
    k <= 3 && walked >> (CENTRE.trailing_zeros() as i32 + offset) & 1 != 0
}
