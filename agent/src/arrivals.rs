//! Classes of measured names that became ready, and the time when they are changed.
//!
//! A program may create classes of a measured name as long as it runs, and each change of classes stops it
//! for a moment. So waiting classes are changed together, and changes take only a share of the time.

use std::time::{Duration, Instant};

/// Changing new classes takes at most 1/`SHARE` of the time.
const SHARE: u32 = 20;
/// Nanoseconds of that share that may be saved up: many classes come when a program starts.
const SAVED_NS: i64 = 100_000_000;
/// Most nanoseconds of debt after a long change: the next change waits at most [`SHARE`] times this.
const DEBT_NS: i64 = 1_000_000_000;
/// Limits of the number of classes changed in one call: the program stops for the whole call.
const MOST_TOGETHER: usize = 256;
const LEAST_TOGETHER: usize = 8;
/// A call that took longer than this is followed by one with half as many classes.
const LONG_CHANGE: Duration = Duration::from_millis(20);

/// Classes that became ready and are not changed yet.
#[derive(Debug)]
pub struct Arrivals<T> {
    waiting: Vec<T>,
    /// Nanoseconds that changes may take; negative after a long change.
    account_ns: i64,
    counted: Instant,
    /// Most classes of the next call.
    together: usize,
}

impl<T> Arrivals<T> {
    /// A queue without classes.
    pub fn new(now: Instant) -> Self {
        Self { waiting: Vec::new(), account_ns: SAVED_NS, counted: now, together: MOST_TOGETHER }
    }

    /// Adds classes that became ready.
    pub fn add(&mut self, classes: Vec<T>) {
        self.waiting.extend(classes);
    }

    /// Time until the first waiting class should be changed; `None` without waiting classes.
    pub fn due(&mut self, now: Instant) -> Option<Duration> {
        let passed = now.saturating_duration_since(std::mem::replace(&mut self.counted, now));
        self.account_ns = self.account_ns.saturating_add(nanoseconds(passed / SHARE)).min(SAVED_NS);
        let missing = Duration::from_nanos(self.account_ns.min(0).unsigned_abs());
        (!self.waiting.is_empty()).then(|| missing.saturating_mul(SHARE))
    }

    /// Whether the waiting classes fill one call.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= self.together
    }

    /// Takes the classes for one call, in order of arrival.
    pub fn take(&mut self) -> Vec<T> {
        let rest = self.waiting.split_off(self.waiting.len().min(self.together));
        std::mem::replace(&mut self.waiting, rest)
    }

    /// Charges the time of a change.
    pub fn took(&mut self, took: Duration) {
        self.account_ns = self.account_ns.saturating_sub(nanoseconds(took)).max(-DEBT_NS);
        let next = if took > LONG_CHANGE { self.together / 2 } else { self.together * 2 };
        self.together = next.clamp(LEAST_TOGETHER, MOST_TOGETHER);
    }

    /// Drops all waiting classes and returns their number.
    pub fn clear(&mut self) -> usize {
        std::mem::take(&mut self.waiting).len()
    }
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn what_comes_at_a_programs_start_is_changed_at_once_and_what_goes_on_coming_takes_a_share() {
        let mut now = Instant::now();
        let mut arrivals = Arrivals::new(now);
        assert_eq!(arrivals.due(now), None);
        // One class comes each millisecond, and each change takes four, for any number of classes.
        let (begun, mut spent, mut together) = (now, Duration::ZERO, Vec::new());
        for class in 0..2000 {
            now += MS;
            arrivals.add(vec![class]);
            while arrivals.due(now) == Some(Duration::ZERO) {
                together.push(arrivals.take().len());
                arrivals.took(4 * MS);
                spent += 4 * MS;
            }
        }
        assert!(together.iter().take(25).all(|number| *number == 1), "{together:?}");
        let wait = arrivals.due(now);
        assert!(wait.is_none_or(|wait| wait <= 80 * MS), "{wait:?}");
        assert!(spent <= 100 * MS + (now - begun) / SHARE + 4 * MS, "{spent:?}");
        assert_eq!(together.iter().sum::<usize>() + arrivals.take().len(), 2000);
    }

    #[test]
    fn a_long_change_makes_the_next_one_smaller_and_is_paid_for_in_bounded_time() {
        let now = Instant::now();
        let mut arrivals = Arrivals::new(now);
        arrivals.add((0..1000).collect());
        let mut sizes = Vec::new();
        for took in [30, 30, 30, 30, 30, 30, 3, 3, 3_600_000] {
            sizes.push(arrivals.take().len());
            arrivals.took(took * MS);
        }
        assert_eq!(sizes, [256, 128, 64, 32, 16, 8, 8, 16, 32]);
        assert_eq!(arrivals.due(now), Some(20 * 1000 * MS));
        assert_eq!((arrivals.clear(), arrivals.due(now)), (1000 - sizes.iter().sum::<usize>(), None));
    }

    #[test]
    fn one_call_changes_a_batch_at_most() {
        let mut arrivals = Arrivals::new(Instant::now());
        arrivals.add((0..MOST_TOGETHER + 1).collect());
        assert!(arrivals.is_full());
        assert_eq!(arrivals.take(), (0..MOST_TOGETHER).collect::<Vec<_>>());
        assert!(!arrivals.is_full());
        assert_eq!((arrivals.take(), arrivals.take()), (vec![MOST_TOGETHER], vec![]));
    }
}
