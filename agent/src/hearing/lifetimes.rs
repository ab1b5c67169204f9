//! Lifetimes of sampled objects, in collections.
//!
//! An object has a tag, from which follows when it was allocated. The JVM tells the tags of objects that are gone: JDK 11 within the collection
//! that found it, where nothing but atomics may be touched, later JDKs behind it, in a thread of the JVM that may be late. So an object was found
//! by the last collection, or by an earlier one, up to the last one behind which the JVM has told tags.

use spl_wire::LIFETIMES;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Most objects that are followed at once: the JVM keeps some 50 bytes for each.
const MOST: u64 = 1 << 16;
/// Collections whose objects are told apart; a power of two above [`LIFETIMES`].
const COLLECTIONS: usize = 64;
/// Bits of a tag for the number of the listening, and for the intervals that an object stands for.
const LISTENING_BITS: u32 = 15;
const WEIGHT_BITS: u32 = 16;

/// The lifetimes so far.
#[derive(Debug)]
pub struct Lifetimes {
    /// Number of the listening. Tags of an earlier one may come late.
    listening: AtomicU64,
    /// Collections so far, and the last one before these behind which the JVM told tags.
    collections: AtomicU64,
    clear: AtomicU64,
    /// Collections behind which the JVM has told tags.
    told: AtomicU64,
    /// Objects that are there.
    there: AtomicU64,
    followed: AtomicU64,
    unfollowed: AtomicU64,
    /// Objects that are gone, by the longest lifetime that each may have had, and by the least within it: one word for both, so that a reader sees
    /// neither without the other.
    gone: [AtomicU64; LIFETIMES * LIFETIMES],
    /// By the collection before an object's allocation: all objects, and the objects that are gone.
    allocated_after: [AtomicU64; COLLECTIONS],
    gone_after: [AtomicU64; COLLECTIONS],
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self {
            listening: AtomicU64::default(),
            collections: AtomicU64::default(),
            clear: AtomicU64::default(),
            told: AtomicU64::default(),
            there: AtomicU64::default(),
            followed: AtomicU64::default(),
            unfollowed: AtomicU64::default(),
            gone: [const { AtomicU64::new(0) }; LIFETIMES * LIFETIMES],
            allocated_after: [const { AtomicU64::new(0) }; COLLECTIONS],
            gone_after: [const { AtomicU64::new(0) }; COLLECTIONS],
        }
    }
}

impl Lifetimes {
    /// Begins again with nothing.
    pub fn begin(&self) {
        self.listening.fetch_add(1, Relaxed);
        let single =
            [&self.collections, &self.clear, &self.told, &self.there, &self.followed, &self.unfollowed];
        let tables = self.gone.iter().chain(&self.allocated_after).chain(&self.gone_after);
        single.into_iter().chain(tables).for_each(|counter| counter.store(0, Relaxed));
    }

    /// A collection finds objects that are gone: its begin where the JVM tells them within it, else its end.
    pub fn collection(&self) {
        self.collections.fetch_add(1, Relaxed);
    }

    /// The tag for a new object that stands for `intervals` between samples, if there is room to follow one more.
    pub fn tag(&self, intervals: u64) -> Option<i64> {
        let weight = intervals.clamp(1, (1 << WEIGHT_BITS) - 1);
        if self.there.load(Relaxed) >= MOST {
            self.unfollowed.fetch_add(weight, Relaxed);
            return None;
        }
        let (tag, collections) = (self.own(), self.collections.load(Relaxed) & u64::from(u32::MAX));
        Some((tag << (WEIGHT_BITS + 32) | weight << 32 | collections) as i64)
    }

    /// An object has this tag now.
    pub fn follow(&self, tag: i64) {
        let (_, weight, born) = parts(tag);
        self.there.fetch_add(1, Relaxed);
        self.followed.fetch_add(weight, Relaxed);
        add(&self.allocated_after, born, weight);
    }

    /// The object with this tag is gone; `is_late` says that the JVM tells it behind the collection. Nothing but atomics may be touched.
    pub fn is_gone(&self, tag: i64, is_late: bool) {
        let (listening, weight, born) = parts(tag);
        if listening != self.own() {
            return;
        }
        let collections = self.collections.load(Relaxed);
        let told = self.told.swap(collections, Relaxed);
        if told != collections {
            self.clear.store(told, Relaxed);
        }
        // A collection found the object, also where the JVM did not tell that there was one.
        let most = collections.saturating_sub(born).max(1);
        // The JVM may still have been telling what the collection before found.
        let clear = if is_late { self.clear.load(Relaxed) } else { collections };
        let least = clear.saturating_sub(born).clamp(1, most);
        let [most, least] = [most, least]
            .map(|lifetime| usize::try_from(lifetime - 1).unwrap_or(LIFETIMES).min(LIFETIMES - 1));
        self.gone[most * LIFETIMES + least].fetch_add(weight, Relaxed);
        add(&self.gone_after, born, weight);
        let _ = self.there.fetch_update(Relaxed, Relaxed, |there| there.checked_sub(1));
    }

    /// The lifetimes so far, as a message.
    pub fn so_far(&self) -> spl_wire::Lifetimes {
        let (mut gone, mut gone_at_least) = (vec![0; LIFETIMES], vec![0; LIFETIMES]);
        for (at, counter) in self.gone.iter().enumerate() {
            let weight = counter.load(Relaxed);
            gone[at / LIFETIMES] += weight;
            gone_at_least[at % LIFETIMES] += weight;
        }
        let all = self.followed.load(Relaxed).saturating_sub(gone.iter().sum());
        let collections = self.collections.load(Relaxed);
        let mut there: Vec<u64> = Vec::new();
        for age in 0..LIFETIMES as u64 {
            let of = |table| collections.checked_sub(age).map_or(0, |born| sum_of(table, born));
            let left = all.saturating_sub(there.iter().sum());
            there.push(of(&self.allocated_after).saturating_sub(of(&self.gone_after)).min(left));
        }
        there.push(all.saturating_sub(there.iter().sum()));
        spl_wire::Lifetimes { gone, gone_at_least, there, unfollowed: self.unfollowed.load(Relaxed) }
    }

    /// The number of the listening as a tag has it, never 0.
    fn own(&self) -> u64 {
        self.listening.load(Relaxed) % ((1 << LISTENING_BITS) - 1) + 1
    }
}

/// The number of the listening, the intervals, and the collections before the allocation.
fn parts(tag: i64) -> (u64, u64, u64) {
    let tag = tag as u64;
    (tag >> (WEIGHT_BITS + 32), tag >> 32 & ((1 << WEIGHT_BITS) - 1), tag & u64::from(u32::MAX))
}

/// Adds to the word of a collection, which has the collection's number and a sum. The word of a much earlier one makes room.
fn add(table: &[AtomicU64; COLLECTIONS], collection: u64, weight: u64) {
    let number = (collection + 1) & u64::from(u32::MAX);
    let _ = table[collection as usize % COLLECTIONS].fetch_update(Relaxed, Relaxed, |word| {
        let (of, sum) = (word >> 32, word & u64::from(u32::MAX));
        match of.cmp(&number) {
            std::cmp::Ordering::Equal => Some(of << 32 | (sum + weight).min(u64::from(u32::MAX))),
            std::cmp::Ordering::Less => Some(number << 32 | weight),
            std::cmp::Ordering::Greater => None,
        }
    });
}

fn sum_of(table: &[AtomicU64; COLLECTIONS], collection: u64) -> u64 {
    let word = table[collection as usize % COLLECTIONS].load(Relaxed);
    if word >> 32 == collection + 1 { word & u64::from(u32::MAX) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocate(lifetimes: &Lifetimes, intervals: u64) -> i64 {
        let tag = lifetimes.tag(intervals).unwrap();
        lifetimes.follow(tag);
        tag
    }

    #[test]
    fn a_lifetime_is_the_number_of_collections_that_began_in_it() {
        let lifetimes = Lifetimes::default();
        lifetimes.begin();
        let first = allocate(&lifetimes, 1);
        lifetimes.collection();
        let (second, large) = (allocate(&lifetimes, 0), allocate(&lifetimes, 40));
        lifetimes.is_gone(first, true);
        lifetimes.collection();
        lifetimes.collection();
        lifetimes.is_gone(large, true);
        let so_far = lifetimes.so_far();
        assert_eq!((so_far.gone[0], so_far.gone[1]), (1, 40));
        assert_eq!((so_far.there[2], so_far.there.iter().sum::<u64>()), (1, 1), "{so_far:?}");
        (0..100).for_each(|_| lifetimes.collection());
        assert_eq!(lifetimes.so_far().there[LIFETIMES], 1, "older than all that are told apart");
        lifetimes.is_gone(second, true);
        let so_far = lifetimes.so_far();
        assert_eq!((so_far.gone[LIFETIMES - 1], so_far.there.iter().sum::<u64>()), (1, 0));
    }

    #[test]
    fn an_object_that_is_told_late_was_perhaps_found_before() {
        let lifetimes = Lifetimes::default();
        lifetimes.begin();
        let [old, other] = [(); 2].map(|()| allocate(&lifetimes, 1));
        lifetimes.collection();
        let young = allocate(&lifetimes, 1);
        // The JVM tells no tag behind the first two collections.
        lifetimes.collection();
        lifetimes.collection();
        [old, young].into_iter().for_each(|tag| lifetimes.is_gone(tag, true));
        let found =
            |so_far: spl_wire::Lifetimes| [so_far.gone, so_far.gone_at_least].map(|of| of[..3].to_vec());
        assert_eq!(found(lifetimes.so_far()), [[0, 1, 1], [2, 0, 0]]);
        lifetimes.collection();
        lifetimes.is_gone(other, true);
        assert_eq!(lifetimes.so_far().gone[3], 1);
        assert_eq!(lifetimes.so_far().gone_at_least[2], 1, "the collection before has told of others");
    }

    #[test]
    fn what_is_told_meanwhile_is_seen_in_both_tables_or_in_none() {
        let lifetimes = Lifetimes::default();
        lifetimes.begin();
        std::thread::scope(|scope| {
            let telling = scope.spawn(|| {
                for _ in 0..20_000 {
                    let tag = allocate(&lifetimes, 3);
                    lifetimes.collection();
                    lifetimes.is_gone(tag, true);
                }
            });
            while !telling.is_finished() {
                let so_far = lifetimes.so_far();
                assert_eq!(so_far.gone.iter().sum::<u64>(), so_far.gone_at_least.iter().sum::<u64>());
            }
        });
        assert_eq!(lifetimes.so_far().gone.iter().sum::<u64>(), 60_000);
    }

    #[test]
    fn the_tags_of_an_earlier_listening_do_not_count() {
        let lifetimes = Lifetimes::default();
        lifetimes.begin();
        let old = allocate(&lifetimes, 1);
        lifetimes.begin();
        lifetimes.is_gone(old, true);
        assert_eq!(lifetimes.so_far().gone.iter().sum::<u64>(), 0);
    }

    #[test]
    fn not_more_are_followed_than_there_is_room_for() {
        let lifetimes = Lifetimes::default();
        lifetimes.begin();
        let first = allocate(&lifetimes, 1);
        for _ in 1..MOST {
            allocate(&lifetimes, 1);
        }
        assert_eq!((lifetimes.tag(7), lifetimes.so_far().unfollowed), (None, 7));
        lifetimes.is_gone(first, true);
        assert!(lifetimes.tag(1).is_some());
    }
}
