//! Long calls: their total time, the number of their independent bursts, and the possible time of unseen
//! ones.

use super::rules::Rules;
use spl_stats::normal_upper_quantile;
use spl_stats::sequential::autocorrelation_of;

/// Contribution of long calls to a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    /// The total contribution.
    pub(super) sum: f64,
    /// Number of independent windows with long calls that carry the same information.
    pub(super) bursts: f64,
    /// Number of independent windows with long calls.
    pub(super) seen: f64,
    /// Expected contribution of unseen windows worse than the worst one, as a multiple of it.
    reach: f64,
}

impl Tail {
    /// The tail of each window's contribution of long calls.
    pub(super) fn of(windows: &[f64]) -> Self {
        let sum: f64 = windows.iter().sum();
        let squares: f64 = windows.iter().map(|one| one * one).sum();
        if squares <= 0.0 {
            return Self { sum: 0.0, bursts: 0.0, seen: 0.0, reach: 1.0 };
        }
        let seen = windows.iter().filter(|&&one| one > 0.0).count() as f64;
        let share = seen / windows.len() as f64;
        let whether: Vec<f64> = windows.iter().map(|&one| f64::from(u8::from(one > 0.0)) - share).collect();
        let (_, tau) = autocorrelation_of(&whether);
        let seen = seen / tau;
        Self { sum, bursts: f64::min(seen, sum * sum / squares), seen, reach: reach(windows) }
    }

    /// Possible contribution of unseen calls: of bursts, and of windows worse than the worst one.
    pub(super) fn unseen(&self, worst: f64) -> f64 {
        (self.sum * self.unseen_bursts()).max(worst * self.reach)
    }

    /// Possible contribution of unseen bursts, as a multiple of the seen contribution: bursts count as
    /// independent events, and few of them give an uncertain mean. 0 where there are enough bursts.
    pub(super) fn unseen_bursts(&self) -> f64 {
        /// Error probability, which applies to every look again.
        const HARDLY: f64 = 0.005;
        if self.bursts == 0.0 || self.is_known() {
            return 0.0;
        }
        let each = 1.0 + 2.0 * self.bursts.sqrt().recip();
        each * most_events(self.bursts, HARDLY) / self.bursts - 1.0
    }

    /// Whether the total time of long calls is known.
    pub(super) fn is_known(&self) -> bool {
        self.bursts >= Rules::MIN_BURSTS
    }
}

/// Contribution of windows over the worst one, as a multiple of its value. A tail that falls as x^-a has the
/// factor 1/(1 - 1/a) there (Hill 1975, of the upper half of the windows with long calls, less its standard
/// error).
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

/// The greatest expectation that agrees with `seen` events, at this probability of more (Wilson and
/// Hilferty's approximation of the quantile of the gamma distribution, 1931).
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
        // One window with as much as all the others counts for half.
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
