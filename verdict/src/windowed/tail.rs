//! Long calls: how much they take, in how many independent bursts they came, and how much more there may be of them.

use super::rules::Rules;
use spl_stats::normal_upper_quantile;
use spl_stats::sequential::autocorrelation_of;

/// What long calls add to a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    /// How much in all.
    pub(super) sum: f64,
    /// Independent windows with long calls that would tell as much of it.
    pub(super) bursts: f64,
    /// How many times the worst window is to be expected of the windows beyond it that did not come.
    reach: f64,
}

impl Tail {
    /// Of what the long calls of each window add.
    pub(super) fn of(windows: &[f64]) -> Self {
        let sum: f64 = windows.iter().sum();
        let squares: f64 = windows.iter().map(|one| one * one).sum();
        if squares <= 0.0 {
            return Self { sum: 0.0, bursts: 0.0, reach: 1.0 };
        }
        let seen = windows.iter().filter(|&&one| one > 0.0).count() as f64;
        let share = seen / windows.len() as f64;
        let whether: Vec<f64> = windows.iter().map(|&one| f64::from(u8::from(one > 0.0)) - share).collect();
        let (_, tau) = autocorrelation_of(&whether);
        Self { sum, bursts: f64::min(seen / tau, sum * sum / squares), reach: reach(windows) }
    }

    /// How much more may be to come than was seen: of bursts, and of windows worse than the worst one.
    pub(super) fn unseen(&self, worst: f64) -> f64 {
        (self.sum * self.unseen_bursts()).max(worst * self.reach)
    }

    /// How many times as much as was seen may not have come by chance, of bursts as of events that nothing connects and of a mean that few
    /// of them tell; 0 where there are enough.
    pub(super) fn unseen_bursts(&self) -> f64 {
        /// Every look has this probability anew.
        const HARDLY: f64 = 0.005;
        if self.bursts == 0.0 || self.is_known() {
            return 0.0;
        }
        let each = 1.0 + 2.0 * self.bursts.sqrt().recip();
        each * most_events(self.bursts, HARDLY) / self.bursts - 1.0
    }

    /// Whether how much long calls take is known.
    pub(super) fn is_known(&self) -> bool {
        self.bursts >= Rules::MIN_BURSTS
    }
}

/// For windows over the worst one, times its value: a tail that falls as x^-a has 1/(1 - 1/a) of it there (Hill 1975, of the upper
/// half of the windows with long calls, less its standard error).
fn reach(windows: &[f64]) -> f64 {
    const MOST: f64 = 10.0;
    const FEWEST: usize = 4;
    let mut positive: Vec<f64> = windows.iter().copied().filter(|&one| one > 0.0).collect();
    positive.sort_by(f64::total_cmp);
    let upper = &positive[positive.len() / 2..];
    if upper.len() <= FEWEST {
        return 1.0;
    }
    let (threshold, over) = (upper[0], &upper[1..]);
    let count = over.len() as f64;
    let mean = over.iter().map(|one| (one / threshold).ln()).sum::<f64>() / count;
    let exponent = (1.0 - count.sqrt().recip()) / mean;
    if exponent > 1.0 { (1.0 - exponent.recip()).recip().min(MOST) } else { MOST }
}

/// So many events are to be expected at most where `seen` came, with this probability of more (Wilson and Hilferty's approximation
/// of the quantile of the gamma distribution, 1931).
fn most_events(seen: f64, level: f64) -> f64 {
    let shape = seen + 1.0;
    let z = normal_upper_quantile(level);
    shape * (1.0 - (9.0 * shape).recip() + z / (3.0 * shape.sqrt())).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_events_of_seen_ones() {
        // Garwood's exact limits: no event, 3 and 10, at 5%.
        for (seen, exact) in [(0.0, 2.996), (3.0, 7.754), (10.0, 16.962)] {
            let most = most_events(seen, 0.05);
            assert!((most / exact - 1.0).abs() < 0.01, "{seen}: {most}");
        }
    }

    #[test]
    fn neighbouring_windows_are_one_burst() {
        let alone: Vec<f64> = (0..200).map(|at| f64::from(u8::from(at * 7919 % 200 < 30))).collect();
        let bursts = Tail::of(&alone).bursts;
        assert!((20.0..=30.0).contains(&bursts), "{bursts}");
        let together: Vec<f64> = (0..200).map(|at| f64::from(u8::from(at % 67 < 10))).collect();
        let bursts = Tail::of(&together).bursts;
        assert!(bursts < 8.0, "{bursts}");
        // One that takes as much as all the others counts for half.
        let mut uneven = vec![1.0; 20];
        uneven.push(20.0);
        assert!(Tail::of(&uneven).bursts < 4.0);
        assert_eq!(Tail::of(&[0.0; 9]).bursts, 0.0);
    }

    #[test]
    fn a_heavy_tail_reaches_farther_than_its_worst_window() {
        let quantile = |exponent: f64| -> Vec<f64> {
            (0..200).map(|at| (1.0 - (f64::from(at) + 0.5) / 200.0).powf(-exponent.recip())).collect()
        };
        let [heavy, light] = [1.5, 8.0].map(|exponent| reach(&quantile(exponent)));
        assert!(heavy > 3.0 && light < 1.4, "{heavy} {light}");
    }
}
