//! Remembers evaluations, so that a position met again costs no network call.
//!
//! Positions come again by transposition, and from move to move where trees are not reused. The key holds all that
//! the network's input holds and no more can be told apart by it: board, hands and side to move
//! ([`Position::key`]), move number, repetitions, rules; and the legal moves, which the rules may make depend on
//! the path. So an answer from the cache is one that the network has given for the same input.

use crate::evaluator::{EvalError, Evaluations, LeafEvaluator};
use rules::{GameMove, Position};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What tells inputs apart, as two hashes of 64 bits: wrong once in 10^20 positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key(u64, u64);

/// Keys are hashes already: their second half is the hash.
#[derive(Clone, Copy, Default, Debug)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, half: u64) {
        self.0 = half;
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("keys are two u64")
    }
}

type KeyMap<T> = HashMap<Key, T, BuildHasherDefault<KeyHasher>>;

/// An answer of the network; its logits are `len` numbers from `start` of the generation's.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    len: usize,
    wdl: [f32; 3],
    moves_left: f32,
}

/// Some answers. Emptied as a whole, it keeps its memory: once grown, nothing is allocated.
#[derive(Clone, Default, Debug)]
struct Generation {
    entries: KeyMap<Entry>,
    logits: Vec<f32>,
}

impl Generation {
    fn insert(&mut self, key: Key, logits: &[f32], wdl: [f32; 3], moves_left: f32) {
        let entry = Entry {
            start: self.logits.len(),
            len: logits.len(),
            wdl,
            moves_left,
        };
        self.logits.extend_from_slice(logits);
        self.entries.insert(key, entry);
    }

    fn logits(&self, entry: &Entry) -> &[f32] {
        &self.logits[entry.start..entry.start + entry.len]
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.logits.clear();
    }
}

/// Where the answer of a pushed position comes from.
#[derive(Clone, Debug)]
enum Source {
    /// Known already.
    Known(Key),
    /// Position so many of the batch that goes to the network.
    Batch(usize),
}

/// What the cache did so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CacheStats {
    /// Positions asked for.
    pub lookups: u64,
    /// Answered from the cache.
    pub hits: u64,
    /// Pushed twice in one batch, and evaluated once.
    pub shared: u64,
}

/// A [`LeafEvaluator`] that asks another one for what it does not know.
///
/// Bounded: at most `capacity` answers, in two generations. When the younger is full it becomes the older, and the
/// older is dropped; an answer that is used moves to the younger. An answer takes about 60 bytes and 4 a legal
/// move. What is kept depends only on the sequence of pushes and flushes. Nothing is allocated once both generations
/// have been full.
pub struct CachedEvaluator<P: Position, E> {
    inner: E,
    capacity: usize,
    young: Generation,
    old: Generation,
    /// Rules met so far; their index is part of the key.
    rules: Vec<P::Rules>,
    sources: Vec<Source>,
    /// Keys of the positions that went to `inner`, with their place in its batch.
    batch: Vec<Key>,
    batch_index: KeyMap<usize>,
    /// Keys whose answer was found in the older generation.
    used: Vec<Key>,
    answers: Evaluations,
    stats: CacheStats,
}

impl<P: Position, E: LeafEvaluator<P>> CachedEvaluator<P, E> {
    /// Wraps an evaluator without pending positions. A capacity of 0 passes every position on, and costs nothing.
    pub fn new(inner: E, capacity: usize) -> Self {
        CachedEvaluator {
            inner,
            capacity,
            young: Generation::default(),
            old: Generation::default(),
            rules: Vec::new(),
            sources: Vec::new(),
            batch: Vec::new(),
            batch_index: KeyMap::default(),
            used: Vec::new(),
            answers: Evaluations::default(),
            stats: CacheStats::default(),
        }
    }

    /// The evaluator behind the cache.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Counters since the beginning.
    pub fn stats(&self) -> CacheStats {
        self.stats
    }

    /// Answers held.
    pub fn entries(&self) -> usize {
        self.young.entries.len() + self.old.entries.len()
    }

    /// Positions that the next flush will send to the evaluator behind the cache.
    pub fn batch_len(&self) -> usize {
        match self.capacity {
            0 => self.inner.pending(),
            _ => self.batch.len(),
        }
    }

    /// Forgets all answers, as a new network demands, and takes that network.
    pub fn replace(&mut self, inner: E) -> E {
        self.young.clear();
        self.old.clear();
        self.drop_pending();
        std::mem::replace(&mut self.inner, inner)
    }

    fn drop_pending(&mut self) {
        self.sources.clear();
        self.batch.clear();
        self.batch_index.clear();
    }

    fn key(&mut self, position: &P, moves: &[P::Move]) -> Key {
        let rules = match self
            .rules
            .iter()
            .position(|rules| rules == position.rules())
        {
            Some(index) => index,
            None => {
                self.rules.push(position.rules().clone());
                self.rules.len() - 1
            }
        };
        let mut hash = mix(rules as u64, u64::from(position.move_number()));
        hash = mix(hash, u64::from(position.repetitions()));
        for mv in moves {
            hash = mix(hash, u64::from(mv.code()));
        }
        Key(position.key(), hash)
    }

    /// Makes room in the younger generation for one more.
    fn make_room(&mut self) {
        if self.young.entries.len() >= (self.capacity / 2).max(1) {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
    }

    /// Puts an answer that is in use into the younger generation, if it is still there.
    fn refresh(&mut self, key: Key) {
        let Some(entry) = self.old.entries.remove(&key) else {
            return;
        };
        if self.young.entries.len() >= (self.capacity / 2).max(1) {
            // The younger one becomes the older; this answer is the first of the new younger one.
            std::mem::swap(&mut self.young, &mut self.old);
            let range = entry.start..entry.start + entry.len;
            self.young.entries.clear();
            self.young.logits.copy_within(range, 0);
            self.young.logits.truncate(entry.len);
            self.young.entries.insert(key, Entry { start: 0, ..entry });
        } else {
            let logits = self.old.logits(&entry);
            self.young.insert(key, logits, entry.wdl, entry.moves_left);
        }
    }
}

impl<P: Position, E: LeafEvaluator<P>> LeafEvaluator<P> for CachedEvaluator<P, E> {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        if self.capacity == 0 {
            return self.inner.push(position, moves);
        }
        let key = self.key(position, moves);
        self.stats.lookups += 1;
        let known = self.young.entries.contains_key(&key) || self.old.entries.contains_key(&key);
        let source = if known {
            self.stats.hits += 1;
            Source::Known(key)
        } else if let Some(&index) = self.batch_index.get(&key) {
            self.stats.shared += 1;
            Source::Batch(index)
        } else {
            self.inner.push(position, moves);
            self.batch_index.insert(key, self.batch.len());
            self.batch.push(key);
            Source::Batch(self.batch.len() - 1)
        };
        self.sources.push(source);
    }

    fn pending(&self) -> usize {
        match self.capacity {
            0 => self.inner.pending(),
            _ => self.sources.len(),
        }
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
        if self.capacity == 0 {
            return self.inner.flush(out);
        }
        out.clear();
        let mut answers = std::mem::take(&mut self.answers);
        let result = match self.batch.is_empty() {
            true => {
                answers.clear();
                Ok(())
            }
            false => self.inner.flush(&mut answers),
        };
        if result.is_ok() {
            self.used.clear();
            for source in &self.sources {
                let (logits, wdl, moves_left) = match source {
                    Source::Batch(i) => {
                        (answers.logits(*i), answers.wdl[*i], answers.moves_left[*i])
                    }
                    Source::Known(key) => {
                        let (generation, entry) = match self.young.entries.get(key) {
                            Some(entry) => (&self.young, entry),
                            None => {
                                self.used.push(*key);
                                let entry = self.old.entries.get(key);
                                let entry =
                                    entry.expect("nothing is dropped between push and flush");
                                (&self.old, entry)
                            }
                        };
                        (generation.logits(entry), entry.wdl, entry.moves_left)
                    }
                };
                out.logits.extend_from_slice(logits);
                out.offsets.push(out.logits.len());
                out.wdl.push(wdl);
                out.moves_left.push(moves_left);
            }
            for i in 0..self.used.len() {
                self.refresh(self.used[i]);
            }
            for i in 0..self.batch.len() {
                self.make_room();
                let (wdl, moves_left) = (answers.wdl[i], answers.moves_left[i]);
                self.young
                    .insert(self.batch[i], answers.logits(i), wdl, moves_left);
            }
        }
        self.answers = answers;
        self.drop_pending();
        result
    }
}

/// Mixes a number into a hash: the finaliser of splitmix64.
fn mix(hash: u64, value: u64) -> u64 {
    let x = hash.wrapping_add(value).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
