//! Transposition table: what earlier visits to a position found. One entry a slot, replaced by age and depth.

use rules::GameMove;

/// What a stored score says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    Lower,
    Upper,
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<M> {
    pub mv: Option<M>,
    /// Mate scores count from this position, not from the root.
    pub score: i32,
    pub depth: i16,
    pub bound: Bound,
}

#[derive(Clone, Copy)]
struct Slot<M> {
    key: u64,
    age: u8,
    entry: Option<Entry<M>>,
}

/// A fixed number of slots, found by the position's key.
pub(super) struct Table<M> {
    slots: Vec<Slot<M>>,
    age: u8,
}

impl<M: GameMove> Table<M> {
    /// A table of at most `mebibytes`.
    pub fn new(mebibytes: usize) -> Self {
        let count = (mebibytes.max(1) << 20) / size_of::<Slot<M>>();
        // Half of the power of two above is the largest power of two that fits.
        let count = (count + 1).next_power_of_two() / 2;
        Table {
            slots: vec![
                Slot {
                    key: 0,
                    age: 0,
                    entry: None
                };
                count
            ],
            age: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let empty = Slot {
            key: 0,
            age: 0,
            entry: None,
        };
        self.slots.fill(empty);
        self.age = 0;
    }

    /// A new search begins: what is there now may be replaced first.
    pub fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        let slot = &self.slots[self.slot(key)];
        if slot.key == key { slot.entry } else { None }
    }

    pub fn put(&mut self, key: u64, mut entry: Entry<M>) {
        let i = self.slot(key);
        let slot = &mut self.slots[i];
        if let Some(old) = slot.entry {
            let same = slot.key == key;
            if same && entry.mv.is_none() {
                entry.mv = old.mv;
            }
            let keep = slot.age == self.age && entry.bound != Bound::Exact;
            if keep && old.depth > entry.depth + if same { 3 } else { 0 } {
                return;
            }
        }
        *slot = Slot {
            key,
            age: self.age,
            entry: Some(entry),
        };
    }

    /// How full the first slots are, in thousandths.
    pub fn permille(&self) -> usize {
        let sample = &self.slots[..self.slots.len().min(1000)];
        let used = sample
            .iter()
            .filter(|s| s.entry.is_some() && s.age == self.age)
            .count();
        used * 1000 / sample.len()
    }
}
