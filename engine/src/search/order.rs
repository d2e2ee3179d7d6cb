//! Which moves are tried first: what was good elsewhere in the tree, and the stages in which a node's moves come.

use super::node::Frame;
use crate::Material;
use rules::score::{QUIET, Score};
use std::marker::PhantomData;

/// Most that a history counter holds.
const MOST: i32 = 16_000;

/// How often quiet moves refuted, by moved piece and end square, and what refuted the move before.
pub(super) struct History<P: Material> {
    counters: Vec<i16>,
    answers: Vec<Option<P::Move>>,
    game: PhantomData<fn() -> P>,
}

impl<P: Material> History<P> {
    const SQUARES: usize = P::FILES * P::RANKS;

    pub fn new() -> Self {
        let size = P::Score::PIECES * Self::SQUARES;
        History {
            counters: vec![0; size],
            answers: vec![None; size],
            game: PhantomData,
        }
    }

    /// The place of a move of `position` in the tables.
    #[inline]
    pub fn index(score: &P::Score, position: &P, mv: P::Move) -> usize {
        score.piece(position, mv) * Self::SQUARES + P::move_to(mv)
    }

    #[inline]
    pub fn get(&self, index: usize) -> i32 {
        i32::from(self.counters[index])
    }

    /// `amount` for or against a move, less the nearer the counter is to its limit.
    #[inline]
    pub fn add(&mut self, index: usize, amount: i32) {
        let counter = &mut self.counters[index];
        let old = i32::from(*counter);
        *counter = (old + amount - old * amount.abs() / MOST) as i16;
    }

    /// What refuted the move with this index last.
    #[inline]
    pub fn answer(&self, index: usize) -> Option<P::Move> {
        self.answers[index]
    }

    pub fn set_answer(&mut self, index: usize, mv: P::Move) {
        self.answers[index] = Some(mv);
    }

    /// What was learnt for the last move counts half for this one.
    pub fn fade(&mut self) {
        self.counters.iter_mut().for_each(|c| *c /= 2);
    }
}

/// What kind of move is tried, in the order in which they come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// The table's move.
    Table,
    /// Captures, burns and promotions are to be listed.
    List,
    /// Those that gain.
    Good,
    /// Quiet moves that refuted elsewhere.
    Killers,
    /// Quiet moves are to be listed.
    ListQuiet,
    /// Quiet moves by their history.
    Quiet,
    /// Captures, burns and promotions that lose.
    Bad,
    /// None is left.
    Done,
}

/// The lists of one node's moves.
pub(super) struct Picker<M> {
    pub stage: Stage,
    table_move: Option<M>,
    killers: [Option<M>; 3],
    next_killer: usize,
    /// Moves with what they gain.
    noisy: List<(i32, M)>,
    /// Ordered by what they gain.
    bad: List<M>,
    quiet: List<M>,
    moves: Vec<M>,
}

impl<M> Default for Picker<M> {
    fn default() -> Self {
        Picker {
            stage: Stage::Done,
            table_move: None,
            killers: [None, None, None],
            next_killer: 0,
            noisy: List::default(),
            bad: List::default(),
            quiet: List::default(),
            moves: Vec::new(),
        }
    }
}

/// Moves with order numbers. The numbers are apart, so that the search for the highest is one over plain integers.
struct List<T> {
    orders: Vec<i32>,
    items: Vec<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List {
            orders: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T> List<T> {
    fn clear(&mut self) {
        self.orders.clear();
        self.items.clear();
    }

    #[inline]
    fn push(&mut self, order: i32, item: T) {
        self.orders.push(order);
        self.items.push(item);
    }

    /// Takes out the first of those with the highest order number.
    #[inline]
    fn pick(&mut self) -> Option<(i32, T)> {
        let most = self.orders.iter().fold(i32::MIN, |most, &o| most.max(o));
        let best = self.orders.iter().position(|&order| order == most)?;
        self.orders.swap_remove(best);
        Some((most, self.items.swap_remove(best)))
    }
}

/// A move and what it gains at once; `gain` is [`QUIET`] for quiet ones.
pub(super) type Picked<M> = (M, i32, Stage);

impl<M: rules::GameMove> Picker<M> {
    /// Begins a node.
    pub fn begin(&mut self, table_move: Option<M>, killers: [Option<M>; 3]) {
        self.stage = Stage::Table;
        self.table_move = table_move;
        self.killers = killers;
        self.next_killer = 0;
        self.noisy.clear();
        self.bad.clear();
        self.quiet.clear();
    }

    /// No more quiet moves.
    pub fn skip_quiet(&mut self) {
        if self.stage < Stage::Bad {
            self.stage = Stage::Bad;
        }
    }

    /// The next move to try. Those that gain at most `spare` may be left out, quiet ones too if it is not below 0; where it
    /// is not [`QUIET`], losing ones as well.
    pub fn next<P: Material<Move = M>>(
        &mut self,
        position: &P,
        score: &P::Score,
        history: &History<P>,
        spare: i32,
    ) -> Option<Picked<M>> {
        let is_spared = |gain: i32| gain != QUIET && gain <= spare;
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::List;
                    self.table_move = self.table_move.filter(|&mv| position.is_legal(mv));
                    if let Some(mv) = self.table_move {
                        return Some((mv, score.gain(position, mv), Stage::Table));
                    }
                }
                Stage::List => {
                    score.noisy_moves(position, &mut self.moves);
                    for &mv in &self.moves {
                        let gain = score.gain(position, mv);
                        let order = 8 * gain.min(1 << 24) - score.mover(position, mv);
                        self.noisy.push(order, (gain, mv));
                    }
                    self.stage = Stage::Good;
                }
                Stage::Good => match self.noisy.pick() {
                    None => self.stage = Stage::Killers,
                    Some((_, (_, mv))) if Some(mv) == self.table_move => {}
                    Some((_, (gain, _))) if is_spared(gain) => {
                        if self.noisy.items.iter().all(|&(gain, _)| is_spared(gain)) {
                            self.noisy.clear();
                        }
                    }
                    Some((_, (gain, mv))) => {
                        let holds = score.least_exchange(position, mv, gain) >= 0
                            || score.exchange(position, mv, gain) >= 0;
                        if holds {
                            return Some((mv, gain, Stage::Good));
                        }
                        self.bad.push(gain, mv);
                    }
                },
                Stage::Killers => {
                    let Some(&killer) = self.killers.get(self.next_killer) else {
                        self.stage = Stage::ListQuiet;
                        continue;
                    };
                    let i = self.next_killer;
                    self.next_killer += 1;
                    let fresh = killer != self.table_move && !self.killers[..i].contains(&killer);
                    let usable = killer.filter(|&mv| {
                        fresh && position.is_legal(mv) && score.gain(position, mv) == QUIET
                    });
                    self.killers[i] = usable;
                    if let Some(mv) = usable {
                        return Some((mv, QUIET, Stage::Killers));
                    }
                }
                Stage::ListQuiet if spare >= 0 => self.stage = Stage::Done,
                Stage::ListQuiet => {
                    score.quiet_moves(position, &mut self.moves);
                    for &mv in &self.moves {
                        if Some(mv) != self.table_move && !self.killers.contains(&Some(mv)) {
                            let order = history.get(History::<P>::index(score, position, mv));
                            self.quiet.push(order, mv);
                        }
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.quiet.pick() {
                    None => self.stage = Stage::Bad,
                    Some((_, mv)) => {
                        let gain = score.gain(position, mv);
                        if gain == QUIET {
                            return Some((mv, QUIET, Stage::Quiet));
                        }
                        // It walks into fire.
                        self.bad.push(gain, mv);
                    }
                },
                Stage::Bad if spare != QUIET => self.stage = Stage::Done,
                Stage::Bad => match self.bad.pick() {
                    None => self.stage = Stage::Done,
                    Some((gain, mv)) => return Some((mv, gain, Stage::Bad)),
                },
                Stage::Done => return None,
            }
        }
    }

    /// Lists the moves of quiescence that may gain more than `lacking` centipawns, those of a royal capture included.
    pub fn list_noisy<P: Material<Move = M>>(
        &mut self,
        position: &P,
        score: &P::Score,
        lacking: i32,
    ) {
        score.gaining_moves(position, lacking, &mut self.moves);
        self.noisy.clear();
        for &mv in &self.moves {
            let gain = score.gain(position, mv);
            if gain > 0 && gain > lacking {
                let order = 8 * gain.min(1 << 24) - score.mover(position, mv);
                self.noisy.push(order, (gain, mv));
            }
        }
    }

    /// The next of them.
    #[inline]
    pub fn next_noisy(&mut self) -> Option<(i32, M)> {
        self.noisy.pick().map(|(_, noisy)| noisy)
    }
}

/// Learns from a quiet move that refuted: the killers of the ply, the counters, the answer to the move before.
pub(super) fn refuted<P: Material>(
    history: &mut History<P>,
    frame: &mut Frame<P::Move>,
    before: Option<usize>,
    mv: P::Move,
    index: usize,
    depth: i32,
) {
    if frame.killers[0] != Some(mv) {
        frame.killers = [Some(mv), frame.killers[0]];
    }
    let amount = (depth * depth * 16).min(1600);
    history.add(index, amount);
    for &other in &frame.tried {
        history.add(other, -amount);
    }
    if let Some(before) = before {
        history.set_answer(before, mv);
    }
}
