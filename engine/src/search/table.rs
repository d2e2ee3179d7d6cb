//! Transposition table: what earlier visits to a position found. Shared by all threads without locks.
//!
//! A slot is two words, `key ^ data` and `data`: a slot that two threads wrote at once fits no key and counts as empty
//! (Hyatt and Mann, "A lock-less transposition table", 2002). Four slots share a cache line.
//!
//! ```text
//! data   63 .. 42   41 .. 36   35 .. 29   28 27   26         25 .. 0
//!        score      age        depth      bound   has move   move code
//! ```

use rules::GameMove;
use std::alloc::{Layout, alloc_zeroed};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// What a stored score says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact = 1,
    Lower = 2,
    Upper = 3,
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry<M> {
    pub mv: Option<M>,
    /// Mate scores count from this position, not from the root. Within 21 bits and a sign.
    pub score: i32,
    /// 0..128.
    pub depth: i32,
    pub bound: Bound,
}

const MOVE_BITS: u32 = 26;
const HAS_MOVE: u64 = 1 << MOVE_BITS;
const AGES: u8 = 1 << 6;

/// The bits of an entry. A move whose code is too large for them is not kept.
fn pack<M: GameMove>(entry: Entry<M>, age: u8) -> u64 {
    let mv = match entry.mv.map(GameMove::code) {
        Some(code) if code < 1 << MOVE_BITS => HAS_MOVE | u64::from(code),
        _ => 0,
    };
    mv | (entry.bound as u64) << 27
        | (entry.depth.clamp(0, 127) as u64) << 29
        | u64::from(age) << 36
        | ((entry.score as i64) << 42) as u64
}

fn unpack<M: GameMove>(data: u64) -> Option<Entry<M>> {
    let bound = match data >> 27 & 3 {
        1 => Bound::Exact,
        2 => Bound::Lower,
        3 => Bound::Upper,
        _ => return None,
    };
    let mv = (data & HAS_MOVE != 0).then_some((data & (HAS_MOVE - 1)) as u32);
    Some(Entry {
        mv: mv.and_then(M::from_code),
        score: (data as i64 >> 42) as i32,
        depth: depth_of(data),
        bound,
    })
}

fn depth_of(data: u64) -> i32 {
    (data >> 29 & 127) as i32
}

fn age_of(data: u64) -> u8 {
    (data >> 36) as u8 & (AGES - 1)
}

struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// Slots of a cluster.
const SLOTS: usize = 4;
/// Bytes of a cluster: a cache line.
const LINE: usize = 64;
const _: () = assert!(SLOTS * size_of::<Slot>() == LINE);

/// A fixed number of slots, found by the position's key.
pub(super) struct Table<M> {
    slots: Vec<Slot>,
    /// The first slot that begins a cache line: that of the first cluster.
    first: usize,
    /// Clusters, a power of two.
    count: usize,
    age: AtomicU8,
    moves: PhantomData<fn() -> M>,
}

impl<M: GameMove> Table<M> {
    /// A table of at most `mebibytes`, smaller where the system does not give so much. The system gives each page when
    /// it is first written to.
    pub fn new(mebibytes: usize) -> Self {
        let count = (mebibytes.max(1) << 20) / LINE;
        // Half of the power of two above is the largest power of two that fits.
        let count = (count + 1).next_power_of_two() / 2;
        let (mut slots, count) = reserve(count);
        ask_for_huge_pages(&mut slots);
        let address = slots.as_ptr().addr();
        Table {
            first: (address.next_multiple_of(LINE) - address) / size_of::<Slot>(),
            slots,
            count,
            age: AtomicU8::new(0),
            moves: PhantomData,
        }
    }

    /// Forgets everything. What is empty is not written to: its page may not have been given yet.
    pub fn clear(&self) {
        for slot in &self.slots {
            if slot.check.load(Relaxed) | slot.data.load(Relaxed) != 0 {
                slot.check.store(0, Relaxed);
                slot.data.store(0, Relaxed);
            }
        }
        self.age.store(0, Relaxed);
    }

    /// A new search begins: what is there now may be replaced first.
    pub fn grow_older(&self) {
        let age = (self.age.load(Relaxed) + 1) & (AGES - 1);
        self.age.store(age, Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &[Slot] {
        // The lower bits choose the cluster; the count is a power of two.
        let start = self.first + SLOTS * (key as usize & (self.count - 1));
        &self.slots[start..start + SLOTS]
    }

    /// Begins to load what [`get`](Self::get) will read, where the processor can be told to.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let cluster = self.cluster(key).as_ptr();
            // SAFETY: a prefetch reads nothing that the program sees, whatever the address, and this one is valid.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(cluster.cast()) };
        }
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        self.cluster(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == key)
                .then(|| unpack(data))
                .flatten()
        })
    }

    /// Remembers `entry` in place of what the position had, or of the oldest and shallowest of its cluster.
    pub fn put(&self, key: u64, mut entry: Entry<M>) {
        let age = self.age.load(Relaxed);
        let mut place = None;
        let mut worst = i32::MAX;
        for slot in self.cluster(key) {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key && data != 0 {
                let old = unpack::<M>(data);
                if entry.mv.is_none() {
                    entry.mv = old.and_then(|old| old.mv);
                }
                let keep = age_of(data) == age && entry.bound != Bound::Exact;
                if keep && depth_of(data) > entry.depth + 3 {
                    return;
                }
                place = Some(slot);
                break;
            }
            let years = i32::from(age.wrapping_sub(age_of(data)) & (AGES - 1));
            let worth = if data == 0 {
                -1000
            } else {
                depth_of(data) - 8 * years
            };
            if worth < worst {
                worst = worth;
                place = Some(slot);
            }
        }
        if let Some(slot) = place {
            let data = pack(entry, age);
            slot.check.store(key ^ data, Relaxed);
            slot.data.store(data, Relaxed);
        }
    }

    /// How full the first clusters are with entries of this search, in thousandths.
    pub fn permille(&self) -> usize {
        let age = self.age.load(Relaxed);
        let sample = &self.slots[self.first..][..SLOTS * self.count.min(250)];
        let used = sample
            .iter()
            .map(|slot| slot.data.load(Relaxed))
            .filter(|&data| data != 0 && age_of(data) == age)
            .count();
        used * 1000 / sample.len()
    }
}

/// Empty slots for `count` clusters, or for the half, the quarter and so on, as the system gives it; and for how many.
/// There are some more, because clusters begin with a cache line: memory that has to is not had zeroed without writing to
/// it.
fn reserve(mut count: usize) -> (Vec<Slot>, usize) {
    loop {
        let length = SLOTS * (count + 1);
        if let Ok(layout) = Layout::array::<Slot>(length) {
            // SAFETY: the layout is not empty.
            let memory = unsafe { alloc_zeroed(layout) };
            if !memory.is_null() {
                // SAFETY: the global allocator gave it for just these slots, and a slot of zero bytes is an empty one.
                let slots = unsafe { Vec::from_raw_parts(memory.cast(), length, length) };
                return (slots, count);
            }
        }
        assert!(count > 1, "there is no memory for a single cluster");
        count /= 2;
    }
}

/// Asks the system for large pages, before the memory is touched: a look into the table is nearly always one into another
/// page, and small ones have to be looked up anew each time.
fn ask_for_huge_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const HUGE: usize = 2 << 20;
        let start = memory.as_mut_ptr().cast::<libc::c_void>();
        let skipped = start.addr().next_multiple_of(HUGE) - start.addr();
        let length = size_of_val(memory).saturating_sub(skipped) / HUGE * HUGE;
        if length > 0 {
            // SAFETY: the range is inside `memory`, and the advice changes nothing that the program sees. Where the system
            // does not take it, the pages are small ones.
            unsafe { libc::madvise(start.byte_add(skipped), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::tenjiku::{Square, TenjikuMove};

    fn entry(depth: i32, score: i32) -> Entry<TenjikuMove> {
        let mv = TenjikuMove::capturing_via(Square(255), Square(254), Square(253)).promoting();
        Entry {
            mv: Some(mv),
            score,
            depth,
            bound: Bound::Lower,
        }
    }

    #[test]
    fn entries_survive_packing() {
        for score in [-1_000_000, -1, 0, 1, 999_999] {
            for depth in [0, 1, 127] {
                let entry = entry(depth, score);
                assert_eq!(unpack(pack(entry, 63)), Some(entry));
                assert_eq!(age_of(pack(entry, 63)), 63);
                let none = Entry { mv: None, ..entry };
                assert_eq!(unpack(pack(none, 0)), Some(none));
            }
        }
    }

    /// A pebibyte is not there; what is reserved is not touched here.
    #[test]
    fn a_table_is_smaller_where_memory_lacks() {
        let (slots, count) = reserve(1 << 44);
        // Otherwise the compiler leaves out the memory that nobody uses.
        let slots = std::hint::black_box(slots);
        assert!((1..1 << 44).contains(&count) && count.is_power_of_two());
        assert!(slots.len() >= SLOTS * count);
    }

    #[test]
    fn clusters_are_cache_lines_inside_the_memory() {
        let table = Table::<TenjikuMove>::new(1);
        assert_eq!(table.count, (1 << 20) / LINE);
        for key in [0, 1, table.count as u64 - 1, u64::MAX] {
            let cluster = table.cluster(key);
            assert_eq!(cluster.as_ptr().addr() % LINE, 0);
            assert_eq!(cluster.len(), SLOTS);
        }
    }

    /// Far more memory than the process has after it: a new table, one search's entries and `clear` take few pages.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_taken_when_it_is_used() {
        let resident = || {
            let text = std::fs::read_to_string("/proc/self/statm").unwrap();
            let pages: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
            pages * 4096
        };
        let before = resident();
        let table = Table::<TenjikuMove>::new(1024);
        for n in 0..10u64 {
            table.put(n << 30 | n << 12, entry(3, 0));
        }
        table.clear();
        assert_eq!(table.get(5 << 30 | 5 << 12), None);
        let taken = resident().saturating_sub(before);
        assert!(taken < 256 << 20, "{taken} of {}", table.count * LINE);
    }

    #[test]
    fn the_shallowest_of_a_full_cluster_gives_way() {
        let table = Table::<TenjikuMove>::new(1);
        // Keys that differ in the upper bits share a cluster.
        let key = |n: u64| n << 40 | 5;
        for n in 1..=4 {
            table.put(key(n), entry(10 + n as i32, 0));
        }
        table.put(key(5), entry(1, 7));
        assert_eq!(table.get(key(1)), None);
        assert_eq!(table.get(key(5)), Some(entry(1, 7)));
        assert!((2..=4).all(|n| table.get(key(n)).is_some()));
        // An older deep entry gives way before a shallow one of now.
        for _ in 0..2 {
            table.grow_older();
        }
        table.put(key(5), entry(1, 8));
        table.put(key(6), entry(1, 9));
        assert_eq!(table.get(key(2)), None);
        assert_eq!(table.get(key(5)), Some(entry(1, 8)));
    }
}
