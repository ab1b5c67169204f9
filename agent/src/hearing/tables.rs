//! The tables of counts. All have a fixed size: what finds no room is counted without its name.

use spl_wire::{EventCounts, OfClass, OfPlace, RUNNABLE};
use std::collections::HashMap;

/// Most places of waits.
const MOST_PLACES: usize = 1024;
/// Most monitors that threads wait for at once.
const MOST_MONITORS: usize = 4096;
/// Most classes of sampled objects.
const MOST_CLASSES: usize = 2048;

/// Number, method and location of a place.
type UnnamedPlace = (u32, usize, i64);

/// The tables.
#[derive(Debug, Default)]
pub struct Tables {
    counts: EventCounts,
    /// Threads that wait, and the sum of the differences of their clocks from 0.
    waiting: Waiting,
    places: Vec<Place>,
    place_of: HashMap<(usize, i64), usize>,
    /// Number of threads that wait for each monitor, by its identity.
    monitors: HashMap<i32, u32>,
    classes: Vec<Class>,
    class_of: HashMap<i32, usize>,
    bytes: Estimate,
    /// Places and classes whose names were asked for.
    named: (usize, usize),
    last_runnable: Option<usize>,
}

/// Waits that may be under way. No thread has a record of its own: each begin takes its time off the sum, and each end adds its.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    threads: u32,
    sum_ns: u64,
}

impl Waiting {
    fn begin(&mut self, now_ns: u64) {
        self.threads = self.threads.saturating_add(1);
        self.sum_ns = self.sum_ns.wrapping_sub(now_ns);
    }

    /// False for the end of a wait that began before the listening.
    fn end(&mut self, now_ns: u64) -> bool {
        let began = self.threads > 0;
        if began {
            self.threads -= 1;
            self.sum_ns = self.sum_ns.wrapping_add(now_ns);
        }
        began
    }

    /// Nanoseconds of all waits until now.
    fn until(self, now_ns: u64) -> u64 {
        self.sum_ns.wrapping_add(now_ns.wrapping_mul(self.threads.into()))
    }
}

#[derive(Debug)]
struct Place {
    method: usize,
    location: i64,
    waits: u64,
    waiting: Waiting,
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
    /// Empty tables with all their memory.
    pub fn new() -> Self {
        Self {
            places: Vec::with_capacity(MOST_PLACES),
            place_of: HashMap::with_capacity(MOST_PLACES),
            monitors: HashMap::with_capacity(MOST_MONITORS),
            classes: Vec::with_capacity(MOST_CLASSES),
            class_of: HashMap::with_capacity(MOST_CLASSES),
            ..Self::default()
        }
    }

    /// The counts so far.
    pub fn counts(&self) -> &EventCounts {
        &self.counts
    }

    /// A thread lives already.
    pub fn has_thread(&mut self) {
        self.counts.live = self.counts.live.saturating_add(1);
        self.counts.most_live = self.counts.most_live.max(self.counts.live);
    }

    /// A thread begins; it may be counted already, as one that lives.
    pub fn thread_begins(&mut self, is_known: bool) {
        if !is_known {
            self.counts.started += 1;
            self.has_thread();
        }
    }

    /// A counted thread ends.
    pub fn thread_ends(&mut self) {
        self.counts.live = self.counts.live.saturating_sub(1);
    }

    /// A thread begins to wait at a place, for a monitor.
    pub fn waits(&mut self, place: Option<(usize, i64)>, monitor: Option<i32>, now_ns: u64) {
        self.counts.waits += 1;
        self.waiting.begin(now_ns);
        if let Some(monitor) = monitor
            && (self.monitors.len() < MOST_MONITORS || self.monitors.contains_key(&monitor))
        {
            let threads = self.monitors.entry(monitor).or_default();
            *threads += 1;
            self.counts.most_waiting = self.counts.most_waiting.max(*threads);
        }
        match place.and_then(|place| self.place(place)) {
            Some(place) => {
                place.waits += 1;
                place.waiting.begin(now_ns);
                place.is_changed = true;
            }
            None => self.counts.placeless += 1,
        }
    }

    fn place(&mut self, (method, location): (usize, i64)) -> Option<&mut Place> {
        let number = match self.place_of.get(&(method, location)) {
            Some(number) => *number,
            None if self.places.len() < MOST_PLACES => {
                let number = self.places.len();
                let waiting = Waiting::default();
                self.places.push(Place { method, location, waits: 0, waiting, is_changed: true });
                self.place_of.insert((method, location), number);
                number
            }
            None => return None,
        };
        self.places.get_mut(number)
    }

    /// A thread has waited.
    pub fn has_waited(&mut self, place: Option<(usize, i64)>, monitor: Option<i32>, now_ns: u64) {
        if !self.waiting.end(now_ns) {
            return;
        }
        if let Some(monitor) = monitor
            && let Some(threads) = self.monitors.get_mut(&monitor)
        {
            *threads -= 1;
            if *threads == 0 {
                self.monitors.remove(&monitor);
            }
        }
        let number = place.and_then(|place| self.place_of.get(&place));
        if let Some(place) = number.and_then(|number| self.places.get_mut(*number)) {
            place.is_changed |= place.waiting.end(now_ns);
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
    pub fn unnamed(&mut self) -> (Vec<UnnamedPlace>, Vec<(u32, String)>) {
        let (places, classes) = self.named;
        self.named = (self.places.len(), self.classes.len());
        let of_place = |(number, place): (u32, &Place)| (number, place.method, place.location);
        let of_class = |(number, class): (u32, &Class)| (number, class.name.clone());
        (
            (0..).zip(&self.places).skip(places).map(of_place).collect(),
            (0..).zip(&self.classes).skip(classes).map(of_class).collect(),
        )
    }

    /// Counts of places and classes that have changed, have a name, and were not told since; and those of the JVM.
    pub fn changed(&mut self, now_ns: u64) -> (Vec<OfPlace>, Vec<OfClass>, EventCounts) {
        let (named_places, named_classes) = self.named;
        let mut places = Vec::new();
        for (number, place) in (0..).zip(self.places.iter_mut().take(named_places)) {
            // A thread that waits goes on adding time.
            if std::mem::take(&mut place.is_changed) || place.waiting.threads > 0 {
                let waited_ns = place.waiting.until(now_ns);
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
            waited_ns: self.waiting.until(now_ns),
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

    const PLACE: Option<(usize, i64)> = Some((0x1000, 7));

    #[test]
    fn waits_are_counted_by_place_and_by_monitor() {
        let mut tables = Tables::new();
        tables.has_waited(PLACE, Some(1), 50);
        tables.waits(PLACE, Some(1), 100);
        tables.waits(PLACE, Some(1), 110);
        tables.waits(Some((0x2000, 0)), Some(2), 120);
        tables.has_waited(PLACE, Some(1), 200);
        tables.waits(PLACE, Some(1), 210);
        assert_eq!(tables.unnamed().0, [(0, 0x1000, 7), (1, 0x2000, 0)]);
        let (places, _, counts) = tables.changed(300);
        // 200 - 100, 300 - 110, 300 - 210; and 300 - 120.
        let expected = [
            OfPlace { number: 0, waits: 3, waited_ns: 100 + 190 + 90 },
            OfPlace { number: 1, waits: 1, waited_ns: 180 },
        ];
        assert_eq!(places, expected);
        assert_eq!((counts.waits, counts.most_waiting, counts.waited_ns), (4, 2, 560));
        for place in [PLACE, PLACE, Some((0x2000, 0))] {
            tables.has_waited(place, Some(if place == PLACE { 1 } else { 2 }), 300);
        }
        assert_eq!(tables.changed(999).2.waited_ns, 560, "nobody waits any more");
        assert!(tables.monitors.is_empty());
        assert_eq!(tables.changed(9999).0, [], "nothing is new");
    }

    #[test]
    fn a_full_table_counts_what_has_no_place() {
        let mut tables = Tables::new();
        for place in 0..MOST_PLACES + 5 {
            tables.waits(Some((place, 0)), i32::try_from(place).ok(), 1);
        }
        let (_, _, counts) = tables.changed(1);
        assert_eq!((counts.placeless, counts.waits), (5, MOST_PLACES as u64 + 5));
        for class in 0..MOST_CLASSES as i32 + 7 {
            tables.allocates(class, String::new(), 16, 100);
        }
        assert_eq!(tables.counts.classless, 7);
        assert!(tables.knows_class(-1), "its name is not asked for in vain");
    }

    #[test]
    fn threads_are_counted_once() {
        let mut tables = Tables::new();
        tables.has_thread();
        tables.thread_begins(true);
        tables.thread_begins(false);
        tables.thread_ends();
        tables.thread_begins(false);
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
