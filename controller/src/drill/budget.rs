//! The share of a program's time that counting may take. Methods that count most often stop when it is exceeded.

use std::collections::HashMap;
use std::ops::Range;

/// Time of one count, in nanoseconds: what H2 took longer for each count when all of it counted (decision 28).
const NS_PER_COUNT: f64 = 1.0;

/// The counts of a JVM's methods at the last look.
#[derive(Debug, Default)]
pub struct Budget {
    /// By the number of a method's first counter.
    seen: HashMap<u64, u64>,
    cpu_ns: u64,
}

impl Budget {
    /// The methods that have to stop, so that the rest takes at most this `share` of the time that the program ran since the
    /// last look. `cpu_ns` is the processor time of the program so far; `values` are those of all counters, of which each method has
    /// the numbers in its range.
    pub fn over<K: Copy>(
        &mut self,
        share: f64,
        cpu_ns: u64,
        methods: impl Iterator<Item = (K, Range<u64>)>,
        values: &[u64],
    ) -> Vec<K> {
        let ran_ns = cpu_ns.saturating_sub(std::mem::replace(&mut self.cpu_ns, cpu_ns)) as f64;
        let mut since: Vec<(u64, K)> = Vec::new();
        for (key, numbers) in methods {
            let counts = counts(&numbers, values);
            let before = self.seen.insert(numbers.start, counts).unwrap_or(0);
            since.push((counts.saturating_sub(before), key));
        }
        since.sort_by_key(|(counts, _)| std::cmp::Reverse(*counts));
        let all: f64 = since.iter().map(|(counts, _)| *counts as f64).sum();
        let mut over_ns = all * NS_PER_COUNT - ran_ns * share;
        let mut stop = Vec::new();
        for (counts, key) in since {
            if over_ns <= 0.0 || counts == 0 {
                break;
            }
            over_ns -= counts as f64 * NS_PER_COUNT;
            stop.push(key);
        }
        stop
    }
}

/// The sum of the counters with these numbers.
pub fn counts(numbers: &Range<u64>, values: &[u64]) -> u64 {
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(values.len());
    let counts = values.get(place(numbers.start)..place(numbers.end)).unwrap_or_default();
    counts.iter().fold(0, |sum: u64, count| sum.wrapping_add(*count))
}

/// Processor time of a process so far, of all its threads, in nanoseconds.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    /// Places of `utime` and `stime` behind the command's name (proc_pid_stat(5)).
    const TIMES: [usize; 2] = [11, 12];
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = TIMES.iter().map(|place| fields.get(*place)?.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_that_count_most_stop_first() {
        let methods = || (0..).zip([0..2, 2..3, 3..4]);
        let mut budget = Budget::default();
        let mut over = |ms: u64, values: [u64; 4]| budget.over(0.1, ms * 1_000_000, methods(), &values);
        // A tenth of 100 ms is 10 ms: ten million counts.
        assert_eq!(over(100, [1_000_000, 1_000_000, 7_000_000, 500_000]), [0; 0]);
        // In the next 100 ms 21 million more: without the first method 6 million are left.
        assert_eq!(over(200, [9_000_000, 8_000_000, 12_000_000, 1_500_000]), [0]);
        assert_eq!(over(300, [9_000_000, 8_000_000, 62_000_000, 31_500_000]), [1, 2]);
        // A program that did not run has nothing to give.
        assert_eq!(over(300, [9_000_000, 8_000_000, 62_000_000, 31_500_001]), [2]);
        assert_eq!(over(300, [9_000_000, 8_000_000, 62_000_000, 31_500_001]), [0; 0]);
    }
}
