//! The last times at which something disturbed the program. They are written where only a clock and atomics
//! may be used, as in the JVM's garbage-collection events, and read when samples are taken out of the rings.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

/// Number of intervals kept. A call that begins before the oldest one counts as overlapping, because earlier
/// intervals are forgotten.
const KEPT: usize = 64;
/// End of an interval that is still open.
const OPEN: u64 = u64::MAX;

/// Intervals of the JVM's monotonic clock, in nanoseconds. One thread at a time begins and ends them.
#[derive(Debug)]
pub struct Pauses {
    begun: AtomicU64,
    kept: [Interval; KEPT],
}

#[derive(Debug)]
struct Interval {
    start_ns: AtomicU64,
    /// 0 for an unused interval.
    end_ns: AtomicU64,
}

impl Default for Pauses {
    fn default() -> Self {
        let none = |_| Interval { start_ns: AtomicU64::new(0), end_ns: AtomicU64::new(0) };
        Self { begun: AtomicU64::new(0), kept: std::array::from_fn(none) }
    }
}

impl Pauses {
    /// Begins an interval.
    pub fn begin(&self, now_ns: u64) {
        let interval = &self.kept[self.begun.fetch_add(1, AcqRel) as usize % KEPT];
        interval.end_ns.store(0, Release);
        interval.start_ns.store(now_ns, Release);
        interval.end_ns.store(OPEN, Release);
    }

    /// Ends all open intervals. Without an open one it does nothing: the events may be switched on within a
    /// pause.
    pub fn end(&self, now_ns: u64) {
        for interval in &self.kept {
            // An interval that is not open stays as it is.
            let _ = interval.end_ns.compare_exchange(OPEN, now_ns, AcqRel, Acquire);
        }
    }

    /// A copy of the intervals known now.
    pub fn read(&self) -> Known {
        let mut intervals = Vec::new();
        for interval in &self.kept {
            let end_ns = interval.end_ns.load(Acquire);
            if end_ns != 0 {
                intervals.push((interval.start_ns.load(Acquire), end_ns));
            }
        }
        let last_ns = intervals.iter().map(|(_, end_ns)| *end_ns).max().unwrap_or(0);
        let has_forgotten = self.begun.load(Acquire) > KEPT as u64;
        let first_ns = intervals.iter().map(|(start_ns, _)| *start_ns).min().filter(|_| has_forgotten);
        Known { intervals, first_ns: first_ns.unwrap_or(0), last_ns }
    }
}

/// A copy of the intervals at one time.
#[derive(Debug)]
pub struct Known {
    intervals: Vec<(u64, u64)>,
    /// Start of the oldest kept interval if earlier ones are forgotten; else 0.
    first_ns: u64,
    /// End of the last interval.
    last_ns: u64,
}

impl Known {
    /// Whether an interval overlaps this time, or may have overlapped it.
    pub fn overlaps(&self, start_ns: u64, end_ns: u64) -> bool {
        // Nearly every call begins after the last interval.
        start_ns <= self.last_ns
            && (start_ns < self.first_ns
                || self.intervals.iter().any(|(start, end)| start_ns <= *end && *start <= end_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_an_interval_overlaps_it() {
        let pauses = Pauses::default();
        assert!(!pauses.read().overlaps(0, u64::MAX));
        pauses.end(5);
        assert!(!pauses.read().overlaps(0, u64::MAX), "an end without a beginning");
        pauses.begin(10);
        assert!(pauses.read().overlaps(5, 10) && pauses.read().overlaps(1000, 1001), "it goes on");
        assert!(!pauses.read().overlaps(5, 9));
        pauses.end(20);
        let known = pauses.read();
        for (start, end, expected) in
            [(1, 9, false), (1, 10, true), (12, 13, true), (20, 30, true), (21, 30, false), (1, 99, true)]
        {
            assert_eq!(known.overlaps(start, end), expected, "{start} to {end}");
        }
    }

    #[test]
    fn the_last_ones_are_kept() {
        let pauses = Pauses::default();
        for at in (1..=KEPT as u64 + 1).map(|n| n * 100) {
            pauses.begin(at);
            pauses.end(at + 10);
        }
        let known = pauses.read();
        assert!(known.overlaps(200, 200) && known.overlaps(1, 6600), "one of the kept pauses");
        assert!(!known.overlaps(211, 299) && !known.overlaps(6611, 7000), "none of them");
        assert!(known.overlaps(100, 110) && known.overlaps(150, 160), "before them nothing is known");
    }
}
