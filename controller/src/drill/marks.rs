//! Counts of a drill at some instants, kept as differences: what each interval between two of them counted.

use super::counters::{Arcs, Snapshot};
use crate::every::Every;
use spl_model::Pattern;
use spl_model::arena::Arc;
use std::collections::BTreeMap;
use std::time::Instant;

/// Most intervals of a JVM. Beyond it neighbours are joined, two by two.
const MOST_INTERVALS: usize = 10_000;
/// Most differences that are kept, of some 16 bytes each. Beyond it neighbours are joined as well.
const MOST_DIFFERENCES: usize = 1 << 24;

/// The counts of an interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Milliseconds from the beginning of the drill to that of the interval.
    pub from_ms: u64,
    /// Milliseconds from the beginning of the drill to its end.
    pub to_ms: u64,
    /// Whether the drill ended it, and not the trigger.
    pub is_last: bool,
    /// Differences of counters that are not 0, by their numbers.
    pub values: BTreeMap<u32, u64>,
    /// For each counter the number of threads in which it was 0 before.
    pub threads: BTreeMap<u32, u32>,
    /// Calls of each arc.
    pub arcs: BTreeMap<Arc, u64>,
    /// Calls without an arc.
    pub lost: u64,
}

/// The intervals of a JVM.
#[derive(Debug)]
pub struct Series {
    /// The trigger, as it was asked for.
    pub every: String,
    /// Intervals as the trigger made them that one of these stands for, but perhaps for the last.
    pub joined: u32,
    /// The intervals, in their order.
    pub intervals: Vec<Interval>,
}

/// A series that grows.
#[derive(Debug)]
pub struct Marks {
    every: Every,
    text: String,
    began: Instant,
    /// When the next instant or look is due.
    next: Instant,
    last: Snapshot,
    /// Calls of the trigger's methods at the last instant.
    calls: u64,
    joined: u32,
    intervals: Vec<Interval>,
    differences: usize,
    most: (usize, usize),
}

impl Marks {
    /// A series that begins now.
    pub fn new(every: Every, now: Instant) -> Self {
        Self {
            text: every.text(),
            next: now + every.pause(),
            every,
            began: now,
            last: Snapshot::default(),
            calls: 0,
            joined: 1,
            intervals: Vec::new(),
            differences: 0,
            most: (MOST_INTERVALS, MOST_DIFFERENCES),
        }
    }

    /// When the next instant or look is due.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// The methods whose calls end an interval, if calls do.
    pub fn pattern(&self) -> Option<&Pattern> {
        match &self.every {
            Every::Time(_) => None,
            Every::Calls(_, pattern, _) => Some(pattern),
        }
    }

    /// Whether an interval ends now, after this number of calls of the trigger's methods. The next instant or look is then another one.
    pub fn is_due(&mut self, calls: u64, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        // Missed instants are passed over: an interval then is longer.
        let pause = self.every.pause();
        let passed = now.duration_since(self.began).as_nanos() / pause.as_nanos().max(1);
        let next = u32::try_from(passed + 1).ok().and_then(|passed| pause.checked_mul(passed));
        self.next = next.map_or(now + pause, |next| self.began + next);
        match &self.every {
            Every::Time(_) => true,
            Every::Calls(wanted, ..) => calls.wrapping_sub(self.calls) >= *wanted,
        }
    }

    /// Takes the counts of an instant in. The calls of the trigger's methods are those of these counters at the
    /// same instant: a later look at them finds no call that the interval has already.
    pub fn add(&mut self, now: Snapshot, counters: &[u32], at: Instant) {
        self.calls = now.sum(counters);
        let interval = self.until(now, at, false);
        self.differences += interval.len();
        self.intervals.push(interval);
        if self.intervals.len() > self.most.0 || self.differences > self.most.1 {
            self.join();
        }
    }

    /// The whole series, with the counts of the end.
    pub fn finish(mut self, end: Snapshot, at: Instant) -> Series {
        let last = self.until(end, at, true);
        self.intervals.push(last);
        Series { every: self.text, joined: self.joined, intervals: self.intervals }
    }

    /// The counts since the last instant.
    fn until(&mut self, now: Snapshot, at: Instant, is_last: bool) -> Interval {
        let from_ms = self.intervals.last().map_or(0, |last| last.to_ms);
        let to_ms = u64::try_from(at.duration_since(self.began).as_millis()).unwrap_or(u64::MAX);
        let before = std::mem::replace(&mut self.last, now);
        let Snapshot { values, threads, arcs: Arcs { counts, lost } } = &self.last;
        let more = |now: &[u64], before: &[u64]| {
            let before = before.iter().copied().chain(std::iter::repeat(0));
            let differences =
                (0..).zip(now).zip(before).map(|((at, now), before)| (at, now.wrapping_sub(before)));
            differences.filter(|(_, more)| *more > 0).collect()
        };
        let old = before.threads.iter().copied().chain(std::iter::repeat(0));
        let new_threads = (0..).zip(threads).zip(old).map(|((at, now), old)| (at, now.saturating_sub(old)));
        let arcs = counts
            .iter()
            .map(|(arc, now)| (*arc, now.wrapping_sub(before.arcs.counts.get(arc).copied().unwrap_or(0))));
        Interval {
            from_ms,
            to_ms: to_ms.max(from_ms),
            is_last,
            values: more(values, &before.values),
            threads: new_threads.filter(|(_, more)| *more > 0).collect(),
            arcs: arcs.filter(|(_, more)| *more > 0).collect(),
            lost: lost.wrapping_sub(before.arcs.lost),
        }
    }

    /// Joins neighbours; from now on the intervals are twice as long.
    fn join(&mut self) {
        let mut joined: Vec<Interval> = Vec::new();
        let mut all = std::mem::take(&mut self.intervals).into_iter();
        while let Some(mut one) = all.next() {
            if let Some(next) = all.next() {
                one.join(next);
            }
            joined.push(one);
        }
        self.differences = joined.iter().map(Interval::len).sum();
        self.intervals = joined;
        self.joined = self.joined.saturating_mul(2);
        self.every.twice();
    }
}

impl Interval {
    /// Number of its differences.
    fn len(&self) -> usize {
        self.values.len() + self.threads.len() + self.arcs.len()
    }

    /// Adds the interval that follows.
    fn join(&mut self, next: Self) {
        (self.to_ms, self.is_last) = (next.to_ms, next.is_last);
        add(&mut self.values, next.values, u64::wrapping_add);
        add(&mut self.threads, next.threads, u32::wrapping_add);
        add(&mut self.arcs, next.arcs, u64::wrapping_add);
        self.lost = self.lost.wrapping_add(next.lost);
    }
}

fn add<K: Ord, V: Copy + Default + PartialEq>(
    to: &mut BTreeMap<K, V>,
    from: BTreeMap<K, V>,
    sum: fn(V, V) -> V,
) {
    for (key, more) in from {
        let value = to.entry(key).or_default();
        *value = sum(*value, more);
    }
    to.retain(|_, value| *value != V::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::every::LEAST;
    use proptest::prelude::*;

    #[test]
    fn calls_end_an_interval_at_a_look() {
        let began = Instant::now();
        let mut marks = Marks::new(Every::parse("10:a.B#c").unwrap(), began);
        assert!(!marks.is_due(50, began), "the first look is later");
        assert!(!marks.is_due(9, began + LEAST));
        assert!(marks.is_due(12, began + 2 * LEAST));
        // Five more calls came between the look and the snapshot.
        let snapshot = Snapshot { values: vec![9, 15, 2], ..Snapshot::default() };
        marks.add(snapshot, &[1, 2, 8], began + 2 * LEAST);
        assert!(!marks.is_due(26, began + 3 * LEAST) && marks.is_due(27, began + 4 * LEAST));
    }

    #[test]
    fn times_that_were_missed_make_one_interval() {
        let began = Instant::now();
        let mut marks = Marks::new(Every::Time(LEAST), began);
        assert!(marks.is_due(0, began + LEAST * 7 / 2));
        assert_eq!(marks.next(), began + LEAST * 4);
    }

    proptest! {
        #[test]
        fn the_intervals_make_the_whole(
            // Counts of each counter, and of each arc, between two instants; limits of intervals and differences.
            counts in proptest::collection::vec(proptest::collection::vec(0_u64..5, 0..6), 1..40),
            most in 2_usize..9,
            most_differences in 10_usize..60,
        ) {
            let began = Instant::now();
            let mut marks = Marks::new(Every::Time(LEAST), began);
            marks.most = (most, most_differences);
            let arc = |at: usize| Arc::of(1 + at as u64);
            let (mut all, mut at) = (Snapshot::default(), began);
            let mut instants = counts.len();
            for more in counts {
                let length = all.values.len().max(more.len());
                all.values.resize(length, 0);
                all.threads.resize(length, 0);
                for (place, more) in more.into_iter().enumerate() {
                    all.threads[place] += u32::from(all.values[place] == 0 && more > 0);
                    all.values[place] += more;
                    *all.arcs.counts.entry(arc(place)).or_default() += more;
                    all.arcs.lost += more;
                }
                at += LEAST;
                instants -= 1;
                if instants > 0 {
                    marks.add(all.clone(), &[], at);
                }
            }
            let series = marks.finish(all.clone(), at);
            prop_assert!(series.intervals.len() <= most + 2, "{}", series.intervals.len());
            let mut sum = Interval::default();
            let mut end = 0;
            for one in &series.intervals {
                prop_assert_eq!(one.from_ms, end, "no time is missing");
                end = one.to_ms;
                sum.join(one.clone());
            }
            prop_assert_eq!(u128::from(end), at.duration_since(began).as_millis());
            prop_assert!(sum.is_last);
            let value = |place: u32| sum.values.get(&place).copied().unwrap_or(0);
            let threads = |place: u32| sum.threads.get(&place).copied().unwrap_or(0);
            for (place, (value_of_all, threads_of_all)) in (0..).zip(all.values.iter().zip(&all.threads)) {
                prop_assert_eq!((value(place), threads(place)), (*value_of_all, *threads_of_all));
                let calls = sum.arcs.get(&arc(place as usize)).copied().unwrap_or(0);
                prop_assert_eq!(calls, all.arcs.counts.get(&arc(place as usize)).copied().unwrap_or(0));
            }
            prop_assert_eq!(sum.lost, all.arcs.lost);
        }
    }
}
