//! Time between measurement ends, and the number of methods that should therefore be measured (thesis 3.2.4).

use crate::{Cause, Paired, Settings};

/// The smoothed time between measurement ends of all methods, and the optimal number of measured methods.
///
/// Arithmetic is that of integer nanoseconds, rounding down.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Law {
    last_end_ns: Option<u64>,
    difference_ns: Option<u64>,
    optimal: usize,
    /// The optimal number never falls: turns, their quotas and the budget bound the measured methods.
    only_more: bool,
}

/// Move of the optimal number of methods by one, and its cause.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shift {
    Fewer(Cause),
    More(Cause),
}

impl Law {
    pub(crate) fn new(initial: usize, unfinished: usize) -> Self {
        let mut law = Self { last_end_ns: None, difference_ns: None, optimal: initial, only_more: false };
        law.clamp(unfinished);
        law
    }

    /// The law for groups whose claims are decided by windows. With few calls a turn, measurements that end
    /// close together cost little. Groups that only took turns with one another would each get too few
    /// windows.
    pub(crate) fn of_windows(initial: usize, unfinished: usize) -> Self {
        Self { only_more: true, ..Self::new(initial.max(Paired::GROUPS), unfinished) }
    }

    /// Methods that should be measured at once.
    pub(crate) fn optimal(&self) -> usize {
        self.optimal
    }

    /// Smoothed time between measurement ends; `None` until there were two.
    pub(crate) fn difference_ns(&self) -> Option<u64> {
        self.difference_ns
    }

    /// Takes one measurement end into the difference and moves the optimal number when the difference is out
    /// of its limits.
    pub(crate) fn ended(&mut self, end_ns: u64, settings: &Settings, unfinished: usize) -> Option<Shift> {
        if let Some(last) = self.last_end_ns {
            // An end may arrive behind a later one, from another thread's buffer. It lies in time already
            // counted: it adds an end but no time, so that the gaps still sum up to the time that passed.
            let newest = end_ns.saturating_sub(last);
            self.difference_ns = Some(match self.difference_ns {
                None => newest,
                Some(old) => weighted(old, newest, settings.weight),
            });
        }
        self.last_end_ns = self.last_end_ns.max(Some(end_ns));
        let difference_ns = self.difference_ns?;
        let shift = if difference_ns < settings.min_diff_ns {
            if self.only_more {
                return None;
            }
            Shift::Fewer(Cause::TooShort { difference_ns, limit_ns: settings.min_diff_ns })
        } else if difference_ns > settings.max_diff_ns {
            Shift::More(Cause::TooLong { difference_ns, limit_ns: settings.max_diff_ns })
        } else {
            return None;
        };
        self.step(&shift, unfinished);
        Some(shift)
    }

    /// Moves the optimal number when nothing arrived for too long.
    pub(crate) fn silent(&mut self, silent_ns: u64, settings: &Settings, unfinished: usize) -> Option<Shift> {
        if silent_ns <= settings.max_diff_ns {
            return None;
        }
        let shift = Shift::More(Cause::Silence { silent_ns, limit_ns: settings.max_diff_ns });
        self.step(&shift, unfinished);
        Some(shift)
    }

    /// Keeps the optimal number within 1 and the number of unfinished methods; 0 when there is none.
    pub(crate) fn clamp(&mut self, unfinished: usize) {
        self.optimal = self.optimal.max(1).min(unfinished);
    }

    fn step(&mut self, shift: &Shift, unfinished: usize) {
        self.optimal = match shift {
            Shift::Fewer(_) => self.optimal.saturating_sub(1),
            Shift::More(_) => self.optimal.saturating_add(1),
        };
        self.clamp(unfinished);
    }
}

/// `(old * weight + new) / (weight + 1)`
fn weighted(old: u64, newest: u64, weight: u32) -> u64 {
    let weight = u128::from(weight);
    let mean = (u128::from(old) * weight + u128::from(newest)) / (weight + 1);
    u64::try_from(mean).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_a_weighted_mean_of_successive_ends() {
        // weight, ends and the difference after each end, by hand.
        let check = |weight: u32, steps: &[(u64, Option<u64>)]| {
            let settings = Settings { weight, min_diff_ns: 0, max_diff_ns: u64::MAX, ..Settings::thesis() };
            let mut law = Law::new(1, 1);
            for &(end, expected) in steps {
                assert_eq!(law.ended(end, &settings, 1), None);
                assert_eq!(law.difference_ns(), expected, "weight {weight}, end {end}");
            }
        };
        // Unset until the second end, then the gap itself; (100·3+200)/4 = 125, (125·3+40)/4 = 103.75.
        check(3, &[(1000, None), (1100, Some(100)), (1300, Some(125)), (1340, Some(103))]);
        check(0, &[(1000, None), (1100, Some(100)), (1300, Some(200)), (1340, Some(40))]);
        // An end behind the last one adds no time; the next gap counts from the latest end: (75·3+30)/4 =
        // 63.75.
        check(3, &[(1000, None), (1100, Some(100)), (1050, Some(75)), (1130, Some(63))]);
        check(
            u32::MAX,
            &[(0, None), (u64::MAX, Some(u64::MAX)), (u64::MAX, Some(18_446_744_069_414_584_319))],
        );
    }

    #[test]
    fn the_optimal_number_moves_by_one_outside_the_limits_only() {
        // weight 0: the difference is the newest gap. Limits 10 and 20 are themselves inside.
        let check = |start: usize, unfinished: usize, gap: u64, expected: usize| {
            let settings = Settings { weight: 0, min_diff_ns: 10, max_diff_ns: 20, ..Settings::thesis() };
            let mut law = Law::new(start, unfinished);
            law.ended(5, &settings, unfinished);
            assert_eq!(law.optimal(), start, "one end gives no difference");
            let shift = law.ended(5 + gap, &settings, unfinished);
            assert_eq!(law.optimal(), expected, "gap {gap}");
            let outside = !(10..=20).contains(&gap);
            assert_eq!(shift.is_some(), outside, "gap {gap}");
        };
        check(3, 5, 9, 2);
        check(3, 5, 10, 3);
        check(3, 5, 20, 3);
        check(3, 5, 21, 4);
        check(1, 5, 0, 1);
        check(5, 5, 99, 5);
    }

    #[test]
    fn silence_is_longer_than_the_limit() {
        let settings = Settings { max_diff_ns: 20, min_diff_ns: 1, ..Settings::thesis() };
        let mut law = Law::new(1, 3);
        assert_eq!(law.silent(20, &settings, 3), None);
        assert!(law.silent(21, &settings, 3).is_some());
        assert!(law.silent(22, &settings, 3).is_some());
        assert!(law.silent(23, &settings, 3).is_some());
        assert_eq!(law.optimal(), 3);
        law.clamp(0);
        assert_eq!(law.optimal(), 0);
    }
}
