//! Detects methods whose calls bypass the probe. HotSpot replaces calls of some methods by intrinsics, which
//! contain no probe, but only in compiled callers. So early calls are seen even if later ones are not.

use std::time::Duration;

/// Shortest time over which calls are counted.
const PERIOD: Duration = Duration::from_millis(100);
/// Fewest calls in the busiest period; a method with fewer is called too rarely to detect a collapse.
const FEWEST: u64 = 100;
/// Calls have collapsed when their rate falls below 1/`COLLAPSED` of the busiest period's.
const COLLAPSED: u128 = 100;
/// Time that the collapse must last: a program may rest for a moment.
const QUIET: Duration = Duration::from_secs(1);

/// The calls of one method while its gate is open.
#[derive(Debug, Default)]
pub struct Bypass {
    calls: u64,
    passed: Duration,
    /// The busiest period: its calls and its length.
    most: (u64, Duration),
    quiet: Duration,
    told: bool,
}

impl Bypass {
    /// Counts `calls` seen with an open gate in the time `passed` since the last call of this method. True
    /// once, when the calls have collapsed.
    pub fn look(&mut self, calls: u64, passed: Duration) -> bool {
        self.calls += calls;
        self.passed += passed;
        if self.passed < PERIOD {
            return false;
        }
        let (calls, passed) = (std::mem::take(&mut self.calls), std::mem::take(&mut self.passed));
        let (most, in_time) = self.most;
        // The rates are compared without a division, because an empty period has no rate.
        let (now, then) = (u128::from(calls) * in_time.as_nanos(), u128::from(most) * passed.as_nanos());
        if most < FEWEST || now * COLLAPSED >= then {
            self.quiet = Duration::ZERO;
            if now >= then && calls > 0 {
                self.most = (calls, passed);
            }
            return false;
        }
        self.quiet += passed;
        self.quiet >= QUIET && !std::mem::replace(&mut self.told, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The indices of the periods of 100 ms in which a collapse is detected.
    fn noticed(calls: impl IntoIterator<Item = u64>) -> Vec<usize> {
        let mut bypass = Bypass::default();
        let periods = calls.into_iter().enumerate();
        periods.filter(|(_, calls)| bypass.look(*calls, PERIOD)).map(|(period, _)| period).collect()
    }

    #[test]
    fn a_collapse_is_noticed_once_and_after_a_while() {
        let then =
            |before: u64, after: u64| std::iter::repeat_n(before, 3).chain(std::iter::repeat_n(after, 30));
        assert_eq!(noticed(then(5000, 0)), [12]);
        assert_eq!(noticed(then(5000, 49)), [12]);
        assert_eq!(noticed(then(5000, 50)), [0; 0], "fewer, but not gone");
        assert_eq!(noticed(then(FEWEST - 1, 0)), [0; 0], "rare from the start");
        assert_eq!(noticed([5000, 0, 0, 0, 5000].repeat(10)), [0; 0], "rests");
    }

    #[test]
    fn rates_do_not_depend_on_the_time_between_two_looks() {
        let mut bypass = Bypass::default();
        assert!(!bypass.look(1000, PERIOD) && !bypass.look(500, PERIOD / 2));
        assert!(!bypass.look(1000, 10 * PERIOD), "a tenth of the rate");
        assert!((0..9).all(|_| !bypass.look(0, PERIOD)) && bypass.look(0, PERIOD));
    }
}
