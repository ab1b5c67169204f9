//! Notices when the calls of a method are seen no more: HotSpot replaces calls of some methods by intrinsics, which know no
//! probe, but only in compiled callers. What is seen of such a method at first says nothing of later calls.

use std::time::Duration;

/// Calls are counted over at least so long.
const PERIOD: Duration = Duration::from_millis(100);
/// A method that was called less often than so in every period is called too rarely for anything to be noticed.
const FEWEST: u64 = 100;
/// Calls have collapsed when fewer than one in so many is left.
const COLLAPSED: u128 = 100;
/// And have stayed so for so long: a program may rest for a moment.
const QUIET: Duration = Duration::from_secs(1);

/// The calls of one method while its gate is open.
#[derive(Debug, Default)]
pub struct Bypass {
    calls: u64,
    passed: Duration,
    /// The busiest period: calls, and how long it was.
    most: (u64, Duration),
    quiet: Duration,
    told: bool,
}

impl Bypass {
    /// So many calls were seen in the time that has passed since this was called last, with the gate open. True once, when
    /// they have collapsed.
    pub fn look(&mut self, calls: u64, passed: Duration) -> bool {
        self.calls += calls;
        self.passed += passed;
        if self.passed < PERIOD {
            return false;
        }
        let (calls, passed) = (std::mem::take(&mut self.calls), std::mem::take(&mut self.passed));
        let (most, in_time) = self.most;
        // Rates, compared without a division: an empty period has none.
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

    /// In which of these periods of 100 ms a collapse is noticed.
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
    fn rates_count_whatever_the_time_between_two_looks() {
        let mut bypass = Bypass::default();
        assert!(!bypass.look(1000, PERIOD) && !bypass.look(500, PERIOD / 2));
        assert!(!bypass.look(1000, 10 * PERIOD), "a tenth of the rate");
        assert!((0..9).all(|_| !bypass.look(0, PERIOD)) && bypass.look(0, PERIOD));
    }
}
