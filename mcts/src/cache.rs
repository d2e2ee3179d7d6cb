//! Remembers evaluations, so that a position met again costs no network call.
//!
//! Positions come again by transposition, and from move to move where trees are not reused. The key holds all that
//! the network's input holds and no more can be told apart by it: board, hands and side to move
//! ([`Position::key`]), move number, repetitions, rules; and the legal moves, which the rules may make depend on
//! the path. So an answer from the cache is one that the network has given for the same input.

use crate::evaluator::{EvalError, Evaluations, LeafEvaluator};
use rules::{GameMove, Position};
use std::collections::HashMap;

/// What tells inputs apart, as two hashes of 64 bits: wrong once in 10^20 positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key(u64, u64);

/// An answer of the network.
#[derive(Clone, Debug)]
struct Entry {
    logits: Box<[f32]>,
    wdl: [f32; 3],
    moves_left: f32,
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
/// older is dropped; an answer that is used moves to the younger. An answer takes about 80 bytes and 4 a legal
/// move. What is kept depends only on the sequence of pushes and flushes.
pub struct CachedEvaluator<P: Position, E> {
    inner: E,
    capacity: usize,
    young: HashMap<Key, Entry>,
    old: HashMap<Key, Entry>,
    /// Rules met so far; their index is part of the key.
    rules: Vec<P::Rules>,
    sources: Vec<Source>,
    /// Keys of the positions that went to `inner`, with their place in its batch.
    batch: Vec<Key>,
    batch_index: HashMap<Key, usize>,
    answers: Evaluations,
    stats: CacheStats,
}

impl<P: Position, E: LeafEvaluator<P>> CachedEvaluator<P, E> {
    /// Wraps an evaluator without pending positions. A capacity below 2 remembers next to nothing.
    pub fn new(inner: E, capacity: usize) -> Self {
        CachedEvaluator {
            inner,
            capacity,
            young: HashMap::new(),
            old: HashMap::new(),
            rules: Vec::new(),
            sources: Vec::new(),
            batch: Vec::new(),
            batch_index: HashMap::new(),
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
        self.young.len() + self.old.len()
    }

    /// Positions that the next flush will send to the evaluator behind the cache.
    pub fn batch_len(&self) -> usize {
        self.batch.len()
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
        let repetitions = position.snapshot().repetitions;
        let mut hash = mix(rules as u64, u64::from(position.move_number()));
        hash = mix(hash, u64::from(repetitions));
        for mv in moves {
            hash = mix(hash, u64::from(mv.code()));
        }
        Key(position.key(), hash)
    }

    /// Puts an answer into the younger generation.
    fn insert(&mut self, key: Key, entry: Entry) {
        if self.young.len() >= (self.capacity / 2).max(1) {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(key, entry);
    }
}

impl<P: Position, E: LeafEvaluator<P>> LeafEvaluator<P> for CachedEvaluator<P, E> {
    fn push(&mut self, position: &P, moves: &[P::Move]) {
        let key = self.key(position, moves);
        self.stats.lookups += 1;
        let known = self.young.contains_key(&key) || self.old.contains_key(&key);
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
        self.sources.len()
    }

    fn flush(&mut self, out: &mut Evaluations) -> Result<(), EvalError> {
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
            let mut used = Vec::new();
            for source in &self.sources {
                let (logits, wdl, moves_left) = match source {
                    Source::Batch(i) => {
                        (answers.logits(*i), answers.wdl[*i], answers.moves_left[*i])
                    }
                    Source::Known(key) => {
                        if self.old.contains_key(key) {
                            used.push(*key);
                        }
                        let entry = self.young.get(key).or_else(|| self.old.get(key));
                        let entry = entry.expect("nothing is dropped between push and flush");
                        (&*entry.logits, entry.wdl, entry.moves_left)
                    }
                };
                out.logits.extend_from_slice(logits);
                out.offsets.push(out.logits.len());
                out.wdl.push(wdl);
                out.moves_left.push(moves_left);
            }
            for key in used {
                if let Some(entry) = self.old.remove(&key) {
                    self.insert(key, entry);
                }
            }
            for i in 0..self.batch.len() {
                let entry = Entry {
                    logits: answers.logits(i).into(),
                    wdl: answers.wdl[i],
                    moves_left: answers.moves_left[i],
                };
                self.insert(self.batch[i], entry);
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
