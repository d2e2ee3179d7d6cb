//! Sections 4, 5 and 7 of the rules: where the pieces can go, repetition left aside.

use std::collections::BTreeSet;

use super::board::{Board, Square};
use super::options::{JumpCapture, Options};
use super::pieces::{Kind, Piece, lines, promotes_to, rank};

/// A move: from, the square captured on the way if any, the end square, promotion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    pub from: Square,
    pub via: Option<Square>,
    pub to: Square,
    pub promote: bool,
}

impl Move {
    /// Section 11.
    pub fn text(self) -> String {
        let via = self.via.map_or(String::new(), Square::text);
        let plus = if self.promote { "+" } else { "" };
        format!("{}{via}{}{plus}", self.from.text(), self.to.text())
    }
}

const DIAGONALS: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
const STRAIGHTS: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];

/// The five kinds of direction of [`lines`] for Black: forward is towards row 0.
const DIRECTIONS: [&[(i32, i32)]; 5] = [
    &[(0, -1)],
    &[(-1, -1), (1, -1)],
    &[(-1, 0), (1, 0)],
    &[(-1, 1), (1, 1)],
    &[(0, 1)],
];

/// Every move of one side, with and without promotion, as if there were no repetition rule.
pub fn all_moves(board: &Board, white: bool, options: &Options) -> Vec<Move> {
    let mut list = Vec::new();
    for from in Square::all() {
        if let Some(piece) = board.at(from).filter(|p| p.white == white) {
            let mut walker = Walker {
                board,
                options,
                piece,
                from,
                paths: BTreeSet::new(),
            };
            walker.collect();
            for &(via, to) in &walker.paths {
                let captures = via.is_some() || (to != from && board.at(to).is_some());
                let (plain, promoting) = promotion(options, piece, from, to, captures);
                for (allowed, promote) in [(plain, false), (promoting, true)] {
                    if allowed {
                        list.push(Move {
                            from,
                            via,
                            to,
                            promote,
                        });
                    }
                }
            }
        }
    }
    list
}

/// Section 7: whether the move may be made without and with promotion.
fn promotion(
    options: &Options,
    piece: Piece,
    from: Square,
    to: Square,
    captures: bool,
) -> (bool, bool) {
    if piece.promoted || promotes_to(piece.base).is_none() {
        return (true, false);
    }
    let (starts_inside, ends_inside) = (from.in_zone(piece.white), to.in_zone(piece.white));
    let ordinary = if options.promote_on_any_zone_move {
        starts_inside || ends_inside
    } else {
        // Entry, or a capture that starts or ends inside: the wording of section 7.
        #[expect(clippy::nonminimal_bool, reason = "follows the wording of the rules")]
        let allowed =
            (!starts_inside && ends_inside) || (captures && (starts_inside || ends_inside));
        allowed
    };
    // 0 for the last rank, 1 for the one before.
    let ranks_left = if piece.white { 15 - to.row } else { to.row };
    let dead = match piece.base {
        Kind::P | Kind::L | Kind::I => ranks_left == 0,
        Kind::N => ranks_left <= 1,
        _ => false,
    };
    if options.forced_promotion && dead {
        return (false, true);
    }
    let second_chance = options.second_chance_promotion
        && matches!(piece.base, Kind::N | Kind::I)
        && dead
        && starts_inside
        && !captures;
    (true, ordinary || second_chance)
}

struct Walker<'a> {
    board: &'a Board,
    options: &'a Options,
    piece: Piece,
    from: Square,
    /// (square captured on the way, end square); the start square as the end is a pass, igui or shot.
    paths: BTreeSet<(Option<Square>, Square)>,
}

impl Walker<'_> {
    fn collect(&mut self) {
        let kind = self.piece.kind();
        for (directions, limit) in DIRECTIONS.into_iter().zip(lines(kind)) {
            for &direction in directions {
                self.ride(direction, 1, limit);
            }
        }
        match kind {
            Kind::N => self.leap(&[(-1, -2), (1, -2)]),
            Kind::Kr => self.leap(&[(0, -2), (0, 2), (-2, 0), (2, 0)]),
            Kind::Ph => self.leap(&[(-2, -2), (2, -2), (-2, 2), (2, 2)]),
            Kind::Ln => self.lion(),
            Kind::LH if self.options.two_step_lion_hawk => self.area(2),
            Kind::LH => self.lion(),
            Kind::HF => self.line_lion((0, -1)),
            Kind::SE => {
                self.line_lion((-1, -1));
                self.line_lion((1, -1));
            }
            Kind::FE => {
                self.leap(&[(0, -2), (0, 2), (-2, 0), (2, 0)]);
                if !self.options.orthogonal_free_eagle {
                    self.leap(&[(-2, -2), (2, -2), (-2, 2), (2, 2)]);
                    self.diagonal_lion();
                }
            }
            Kind::BG => self.jump_along(&DIAGONALS),
            Kind::RG => self.jump_along(&STRAIGHTS),
            Kind::GG => {
                self.jump_along(&DIAGONALS);
                self.jump_along(&STRAIGHTS);
            }
            Kind::VG => {
                self.jump_along(&DIAGONALS);
                match self.options.vice_general_steps {
                    1 => self.from.neighbours().for_each(|to| self.land(None, to)),
                    steps => self.area(steps),
                }
            }
            Kind::FD => {
                let along = if self.options.demon_ranges_along_file {
                    [(0, -1), (0, 1)]
                } else {
                    [(-1, 0), (1, 0)]
                };
                along
                    .into_iter()
                    .for_each(|direction| self.ride(direction, 1, 99));
                self.area(3);
            }
            Kind::HT => self.tetrarch(),
            _ => {}
        }
    }

    /// The square this far away, forward being `-` for both sides.
    fn square(&self, base: Square, (columns, rows): (i32, i32)) -> Option<Square> {
        if self.piece.white {
            base.offset(-columns, -rows)
        } else {
            base.offset(columns, rows)
        }
    }

    fn friend(&self, square: Square) -> bool {
        self.board
            .at(square)
            .is_some_and(|p| p.white == self.piece.white)
    }

    fn enemy(&self, square: Square) -> bool {
        self.board
            .at(square)
            .is_some_and(|p| p.white != self.piece.white)
    }

    /// Whether nobody stands there; the square that the mover left counts as empty.
    fn empty(&self, square: Square) -> bool {
        square == self.from || self.board.at(square).is_none()
    }

    /// Ends the move on a square unless a friend stands there.
    fn land(&mut self, via: Option<Square>, to: Square) {
        if !self.friend(to) {
            self.paths.insert((via, to));
        }
    }

    fn pass(&mut self) {
        self.paths.insert((None, self.from));
    }

    /// Rides from the `first` to the `last` square of a line, stopped by the first piece met from `first` on.
    fn ride(&mut self, (columns, rows): (i32, i32), first: usize, last: usize) {
        for distance in first..=last {
            let distance = distance as i32;
            let Some(to) = self.square(self.from, (columns * distance, rows * distance)) else {
                return;
            };
            self.land(None, to);
            if self.board.at(to).is_some() {
                return;
            }
        }
    }

    fn leap(&mut self, offsets: &[(i32, i32)]) {
        for &offset in offsets {
            if let Some(to) = self.square(self.from, offset) {
                self.land(None, to);
            }
        }
    }

    /// A walk of one to `steps` king steps over empty squares; the last step may capture.
    fn area(&mut self, steps: usize) {
        let mut here = BTreeSet::from([self.from]);
        for _ in 0..steps {
            let mut next = BTreeSet::new();
            for square in here {
                for to in square.neighbours() {
                    if self.empty(to) {
                        next.insert(to);
                        self.paths.insert((None, to));
                    } else {
                        self.land(None, to);
                    }
                }
            }
            here = next;
        }
    }

    /// Steps onto `mid`, which must be one of the first squares of a lion-type move, and on to `second` squares.
    fn lion_steps(&mut self, mid: Square, second: &[Square]) {
        if self.friend(mid) {
            return;
        }
        self.land(None, mid);
        let via = self.enemy(mid).then_some(mid);
        for &to in second {
            if to == self.from {
                self.paths.insert((via, to));
            } else {
                self.land(via, to);
            }
        }
    }

    /// Two king steps that may each capture, or a jump to the outer ring.
    fn lion(&mut self) {
        for rows in -2..=2 {
            for columns in -2..=2 {
                if i32::max(i32::abs(columns), i32::abs(rows)) == 2 {
                    self.leap(&[(columns, rows)]);
                }
            }
        }
        for mid in self.from.neighbours() {
            let second: Vec<Square> = mid.neighbours().collect();
            self.lion_steps(mid, &second);
        }
    }

    /// Two steps on one line, on or back, or a jump to its second square.
    fn line_lion(&mut self, (columns, rows): (i32, i32)) {
        let second = self.square(self.from, (2 * columns, 2 * rows));
        if let Some(to) = second {
            self.land(None, to);
        }
        if let Some(mid) = self.square(self.from, (columns, rows)) {
            let mut ends = vec![self.from];
            ends.extend(second);
            self.lion_steps(mid, &ends);
        }
    }

    /// Two diagonal steps in any of the four diagonals.
    fn diagonal_lion(&mut self) {
        for (columns, rows) in DIAGONALS {
            if let Some(mid) = self.from.offset(columns, rows) {
                let ends: Vec<Square> = DIAGONALS
                    .iter()
                    .filter_map(|&(c, r)| mid.offset(c, r))
                    .collect();
                self.lion_steps(mid, &ends);
            }
        }
    }

    /// Section 5, number 2: over pieces of lower rank. Number 1, riding, is in [`lines`].
    fn jump_along(&mut self, directions: &[(i32, i32)]) {
        let own = rank(self.piece.kind());
        for &(columns, rows) in directions {
            let mut jumped = false;
            let mut at = self.from;
            while let Some(to) = at.offset(columns, rows) {
                at = to;
                let Some(met) = self.board.at(to) else {
                    if jumped && self.options.jump_without_capture {
                        self.land(None, to);
                    }
                    continue;
                };
                let may_capture = match self.options.jump_capture {
                    JumpCapture::AnyButRoyal => !met.is_royal(),
                    JumpCapture::LowerOnly => rank(met.kind()) < own,
                    JumpCapture::RoyalsToo => true,
                };
                if jumped && may_capture {
                    self.land(None, to);
                }
                if rank(met.kind()) >= own {
                    break;
                }
                jumped = true;
            }
        }
    }

    /// Rides that begin on the second square, and a shot at one neighbour.
    fn tetrarch(&mut self) {
        for direction in DIAGONALS {
            self.ride(direction, 2, 99);
        }
        for direction in [(-1, 0), (1, 0)] {
            self.ride(direction, 2, 3);
        }
        if !self.options.western_tetrarch {
            for direction in [(0, -1), (0, 1)] {
                self.ride(direction, 2, 99);
            }
        }
        for victim in self.from.neighbours() {
            if self.enemy(victim) {
                self.paths.insert((Some(victim), self.from));
            }
        }
    }
}
