//! The tables of counts. All have a limited size: what finds no room is counted without its name.

use crate::jvm::Named;
use spl_wire::{EventCounts, EventPlace, OfClass, OfPlace, RUNNABLE};
use std::collections::{HashMap, HashSet};

/// Most places of waits.
const MOST_PLACES: usize = 1024;
/// Most versions of methods, with an offset each, at which threads wait.
const MOST_VERSIONS: usize = 16_384;
/// Most waits that are followed at once.
const MOST_WAITS: usize = 65_536;
/// Most classes of sampled objects.
const MOST_CLASSES: usize = 2048;

/// Method and offset of a frame.
type Frame = (usize, i64);

/// The tables.
#[derive(Debug, Default)]
pub struct Tables {
    counts: EventCounts,
    /// Ids of the threads of the program that live.
    threads: HashSet<u64>,
    /// Ids of threads that ended during the first listing of threads; `None` after it.
    ended: Option<HashSet<u64>>,
    places: Vec<Place>,
    place_named: HashMap<Named, usize>,
    /// Numbers of places; `None` where there was no room.
    place_of: HashMap<Frame, Option<usize>>,
    /// Waits that are under way, by the ids of the threads.
    waits: HashMap<u64, Wait>,
    /// Number of threads that wait for each monitor, by its identity.
    monitors: HashMap<i32, u32>,
    classes: Vec<Class>,
    class_of: HashMap<i32, usize>,
    bytes: Estimate,
    /// Places and classes whose names were asked for.
    named: (usize, usize),
    last_runnable: Option<usize>,
}

/// A wait that is under way.
#[derive(Clone, Copy, Debug)]
struct Wait {
    place: Option<usize>,
    monitor: Option<i32>,
    since_ns: u64,
}

#[derive(Debug)]
struct Place {
    name: Named,
    waits: u64,
    /// Nanoseconds of the waits that are over.
    waited_ns: u64,
    is_changed: bool,
}

#[derive(Debug)]
struct Class {
    name: String,
    samples: u64,
    estimate: Estimate,
    is_changed: bool,
}

/// The bytes of objects of which each was seen with a known probability (Horvitz and Thompson, 1952).
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    bytes: f64,
    variance: f64,
}

impl Estimate {
    /// Adds an object that was seen. One of `bytes` is seen with the probability that a sample falls into it.
    fn add(&mut self, bytes: u64, interval_bytes: u64) {
        let bytes = bytes as f64;
        let seen = -(-bytes / interval_bytes as f64).exp_m1();
        if seen > 0.0 {
            self.bytes += bytes / seen;
            self.variance += bytes * bytes * (1.0 - seen) / (seen * seen);
        }
    }
}

impl Tables {
    /// Empty tables. Threads that live already are taken in first.
    pub fn new() -> Self {
        Self { ended: Some(HashSet::new()), ..Self::default() }
    }

    /// The counts so far.
    pub fn counts(&self) -> &EventCounts {
        &self.counts
    }

    /// A thread lives already, or has begun meanwhile.
    pub fn has_thread(&mut self, id: u64) {
        if self.ended.as_ref().is_none_or(|ended| !ended.contains(&id)) && self.threads.insert(id) {
            self.counts.live = self.counts.live.saturating_add(1);
            self.counts.most_live = self.counts.most_live.max(self.counts.live);
        }
    }

    /// All threads that live already were taken in.
    pub fn has_all_threads(&mut self) {
        self.ended = None;
    }

    /// A thread begins; it may be known already, as one that lives.
    pub fn thread_begins(&mut self, id: u64) {
        if !self.threads.contains(&id) {
            self.counts.started += 1;
            self.has_thread(id);
        }
    }

    /// A thread ends.
    pub fn thread_ends(&mut self, id: u64) {
        if self.threads.remove(&id) {
            self.counts.live = self.counts.live.saturating_sub(1);
        }
        if let Some(ended) = &mut self.ended {
            ended.insert(id);
        }
    }

    /// Whether a frame has its place, or finds no room.
    pub fn knows_place(&self, frame: Frame) -> bool {
        self.place_of.contains_key(&frame) || self.place_of.len() == MOST_VERSIONS
    }

    /// Gives a frame its place, which frames of other versions of the method may have already.
    pub fn learn_place(&mut self, frame: Frame, name: Named) {
        if self.knows_place(frame) {
            return;
        }
        let number = match self.place_named.get(&name) {
            Some(number) => Some(*number),
            None if self.places.len() < MOST_PLACES => {
                let number = self.places.len();
                self.places.push(Place { name: name.clone(), waits: 0, waited_ns: 0, is_changed: true });
                self.place_named.insert(name, number);
                Some(number)
            }
            None => None,
        };
        self.place_of.insert(frame, number);
    }

    /// A thread begins to wait in a frame, for a monitor.
    pub fn waits(&mut self, thread: Option<u64>, frame: Option<Frame>, monitor: Option<i32>, now_ns: u64) {
        self.counts.waits += 1;
        let number = frame.and_then(|frame| self.place_of.get(&frame).copied().flatten());
        match number.and_then(|number| self.places.get_mut(number)) {
            Some(place) => {
                place.waits += 1;
                place.is_changed = true;
            }
            None => self.counts.placeless += 1,
        }
        let Some(thread) = thread.filter(|_| self.waits.len() < MOST_WAITS) else {
            self.counts.unfollowed += 1;
            return;
        };
        // A thread waits for one monitor at a time.
        self.has_waited(thread, now_ns);
        self.waits.insert(thread, Wait { place: number, monitor, since_ns: now_ns });
        if let Some(monitor) = monitor {
            let threads = self.monitors.entry(monitor).or_default();
            *threads += 1;
            self.counts.most_waiting = self.counts.most_waiting.max(*threads);
        }
    }

    /// A thread has waited. Nothing is known of a wait that began before the listening, or that was not followed.
    pub fn has_waited(&mut self, thread: u64, now_ns: u64) {
        let Some(wait) = self.waits.remove(&thread) else { return };
        let waited_ns = now_ns.saturating_sub(wait.since_ns);
        self.counts.waited_ns = self.counts.waited_ns.saturating_add(waited_ns);
        if let Some(place) = wait.place.and_then(|number| self.places.get_mut(number)) {
            place.waited_ns = place.waited_ns.saturating_add(waited_ns);
            place.is_changed = true;
        }
        if let Some(monitor) = wait.monitor
            && let Some(threads) = self.monitors.get_mut(&monitor)
        {
            *threads = threads.saturating_sub(1);
            if *threads == 0 {
                self.monitors.remove(&monitor);
            }
        }
    }

    /// Whether a class has its name, or finds no room.
    pub fn knows_class(&self, identity: i32) -> bool {
        self.class_of.contains_key(&identity) || self.classes.len() == MOST_CLASSES
    }

    /// A sampled object of a class.
    pub fn allocates(&mut self, identity: i32, name: String, bytes: u64, interval_bytes: u64) {
        self.counts.samples += 1;
        self.bytes.add(bytes, interval_bytes);
        let number = match self.class_of.get(&identity) {
            Some(number) => *number,
            None if self.classes.len() < MOST_CLASSES => {
                let (number, estimate) = (self.classes.len(), Estimate::default());
                self.classes.push(Class { name, samples: 0, estimate, is_changed: true });
                self.class_of.insert(identity, number);
                number
            }
            None => {
                self.counts.classless += 1;
                return;
            }
        };
        if let Some(class) = self.classes.get_mut(number) {
            class.samples += 1;
            class.estimate.add(bytes, interval_bytes);
            class.is_changed = true;
        }
    }

    /// A look at the used memory.
    pub fn memory_is(&mut self, used_bytes: u64) {
        self.counts.memory_looks += 1;
        self.counts.used_bytes += u128::from(used_bytes);
        self.counts.most_used_bytes = self.counts.most_used_bytes.max(used_bytes);
    }

    /// A look at the states of threads.
    pub fn runnable_are(&mut self, threads: usize) {
        self.counts.runnable[threads.min(RUNNABLE - 1)] += 1;
        self.counts.most_runnable = self.counts.most_runnable.max(u32::try_from(threads).unwrap_or(u32::MAX));
        let told_apart = threads.min(RUNNABLE - 1);
        if self.last_runnable.replace(told_apart) != Some(told_apart) {
            self.counts.runs += 1;
        }
    }

    /// Places and classes whose names were not asked for so far.
    pub fn unnamed(&mut self) -> (Vec<EventPlace>, Vec<(u32, String)>) {
        let (places, classes) = self.named;
        self.named = (self.places.len(), self.classes.len());
        let of_place = |(number, Place { name, .. }): (u32, &Place)| {
            let Named { class, method, descriptor, lock } = name.clone();
            EventPlace { number, class, method, descriptor, lock }
        };
        let of_class = |(number, class): (u32, &Class)| (number, class.name.clone());
        (
            (0..).zip(&self.places).skip(places).map(of_place).collect(),
            (0..).zip(&self.classes).skip(classes).map(of_class).collect(),
        )
    }

    /// Counts of places and classes that have changed, have a name, and were not told since; and those of the JVM.
    pub fn changed(&mut self, now_ns: u64) -> (Vec<OfPlace>, Vec<OfClass>, EventCounts) {
        let (named_places, named_classes) = self.named;
        // A thread that waits goes on adding time.
        let mut under_way = vec![0; self.places.len()];
        let mut all_under_way: u64 = 0;
        for wait in self.waits.values() {
            let waited_ns = now_ns.saturating_sub(wait.since_ns);
            all_under_way = all_under_way.saturating_add(waited_ns);
            if let Some(of_place) = wait.place.and_then(|number| under_way.get_mut(number)) {
                *of_place += waited_ns;
            }
        }
        let mut places = Vec::new();
        for (number, place) in (0..).zip(self.places.iter_mut().take(named_places)) {
            let more_ns = under_way.get(number as usize).copied().unwrap_or(0);
            if std::mem::take(&mut place.is_changed) || more_ns > 0 {
                let waited_ns = place.waited_ns.saturating_add(more_ns);
                places.push(OfPlace { number, waits: place.waits, waited_ns });
            }
        }
        let mut classes = Vec::new();
        for (number, class) in (0..).zip(self.classes.iter_mut().take(named_classes)) {
            if std::mem::take(&mut class.is_changed) {
                let Estimate { bytes, variance } = class.estimate;
                classes.push(OfClass {
                    number,
                    samples: class.samples,
                    bytes: bytes as u64,
                    variance: variance as u128,
                });
            }
        }
        let counts = EventCounts {
            at_ns: now_ns,
            waited_ns: self.counts.waited_ns.saturating_add(all_under_way),
            bytes: self.bytes.bytes as u64,
            variance: self.bytes.variance as u128,
            ..self.counts
        };
        (places, classes, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(method: &str, lock: u32) -> Named {
        Named { method: method.to_owned(), lock, ..Named::default() }
    }

    #[test]
    fn waits_are_counted_by_place_and_by_monitor() {
        let mut tables = Tables::new();
        // Two versions of a method are one place.
        let [old, new, other] = [(0x1000, 7), (0x3000, 12), (0x2000, 0)];
        tables.learn_place(old, named("f", 1));
        tables.learn_place(new, named("f", 1));
        tables.learn_place(other, named("g", 0));
        // The end of a wait that began before.
        tables.has_waited(9, 50);
        tables.waits(Some(1), Some(old), Some(1), 100);
        tables.waits(Some(2), Some(new), Some(1), 110);
        tables.waits(Some(3), Some(other), Some(2), 120);
        tables.has_waited(9, 150);
        tables.has_waited(1, 200);
        tables.waits(Some(1), Some(old), Some(1), 210);
        let names: Vec<_> = tables.unnamed().0.into_iter().map(|place| (place.method, place.lock)).collect();
        assert_eq!(names, [("f".to_owned(), 1), ("g".to_owned(), 0)]);
        let (places, _, counts) = tables.changed(300);
        // 200 - 100, 300 - 110, 300 - 210; and 300 - 120.
        let expected = [
            OfPlace { number: 0, waits: 3, waited_ns: 100 + 190 + 90 },
            OfPlace { number: 1, waits: 1, waited_ns: 180 },
        ];
        assert_eq!(places, expected);
        assert_eq!((counts.waits, counts.most_waiting, counts.waited_ns), (4, 2, 560));
        [1, 2, 3].into_iter().for_each(|thread| tables.has_waited(thread, 300));
        assert_eq!(tables.changed(999).2.waited_ns, 560, "nobody waits any more");
        assert!(tables.monitors.is_empty() && tables.waits.is_empty());
        assert_eq!(tables.changed(9999).0, [], "nothing is new");
    }

    #[test]
    fn a_full_table_counts_what_has_no_place() {
        let mut tables = Tables::new();
        for place in 0..MOST_PLACES + 5 {
            tables.learn_place((place, 0), named(&place.to_string(), 0));
            tables.waits(Some(place as u64), Some((place, 0)), i32::try_from(place).ok(), 1);
        }
        let (_, _, counts) = tables.changed(1);
        assert_eq!((counts.placeless, counts.waits, counts.unfollowed), (5, MOST_PLACES as u64 + 5, 0));
        for version in 0..MOST_VERSIONS {
            tables.learn_place((version, 1), named("f", 0));
        }
        assert!(tables.place_of.len() == MOST_VERSIONS && tables.knows_place((0, 99)));
        for class in 0..MOST_CLASSES as i32 + 7 {
            tables.allocates(class, String::new(), 16, 100);
        }
        assert_eq!(tables.counts.classless, 7);
        assert!(tables.knows_class(-1), "its name is not asked for in vain");
    }

    #[test]
    fn waits_that_are_not_followed_are_counted() {
        let mut tables = Tables::new();
        (0..MOST_WAITS as u64 + 3).for_each(|thread| tables.waits(Some(thread), None, Some(1), 10));
        tables.waits(None, None, Some(1), 10);
        assert_eq!((tables.counts.unfollowed, tables.counts.most_waiting as usize), (4, MOST_WAITS));
        (0..MOST_WAITS as u64 + 3).for_each(|thread| tables.has_waited(thread, 20));
        assert!(tables.monitors.is_empty() && tables.counts.waited_ns == 10 * MOST_WAITS as u64);
    }

    #[test]
    fn threads_are_counted_once() {
        let mut tables = Tables::new();
        tables.has_thread(1);
        tables.thread_begins(1);
        tables.thread_begins(2);
        tables.has_thread(2);
        // A thread that ended during the listing.
        tables.thread_ends(3);
        tables.has_thread(3);
        tables.has_all_threads();
        tables.thread_ends(2);
        tables.thread_begins(4);
        tables.thread_ends(9);
        let counts = tables.counts();
        assert_eq!((counts.started, counts.live, counts.most_live), (2, 2, 2));
    }

    #[test]
    fn looks_are_counted_by_the_number_of_threads() {
        let mut tables = Tables::new();
        [1, 1, 3, 9, 0].into_iter().for_each(|threads| tables.runnable_are(threads));
        let counts = tables.counts();
        assert_eq!((counts.runnable, counts.runs, counts.most_runnable), ([1, 2, 0, 2], 3, 9));
        [10, 40].into_iter().for_each(|bytes| tables.memory_is(bytes));
        let counts = tables.counts();
        assert_eq!((counts.memory_looks, counts.used_bytes, counts.most_used_bytes), (2, 50, 40));
    }

    #[test]
    fn each_seen_object_stands_for_those_that_were_not() {
        let mut estimate = Estimate::default();
        // One of some bytes stands for nearly an interval, and one of many intervals for itself.
        estimate.add(16, 512 << 10);
        assert!((estimate.bytes - f64::from(512 << 10)).abs() < 16.0, "{estimate:?}");
        let small = estimate;
        estimate.add(64 << 20, 512 << 10);
        assert!((estimate.bytes - small.bytes - f64::from(64 << 20)).abs() < 1.0, "{estimate:?}");
        assert!((estimate.variance - small.variance).abs() < 1.0, "{estimate:?}");
    }
}
