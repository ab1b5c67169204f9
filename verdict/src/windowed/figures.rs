//! Figures shown with a verdict on two means: of the same calls with the same weights.

use super::mean::Means;
use super::side::{Side, Times};
use crate::types;
use spl_stats::sequential::RatioEstimate;
use spl_stats::{Welch, normal_upper};

/// Figures of the ratio of the means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Number of windows in which both sides were called.
    pub windows: u64,
    /// Pairs of calls.
    pub pairs: u64,
    /// Number of independent windows with the same information.
    pub n_effective: f64,
    /// Ratio of the means of the clipped times.
    pub ratio: f64,
    /// Lower end of its interval, which holds at every look.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Ratio of the means of the unclipped times: the one that is shown.
    pub raw_ratio: f64,
    /// Its own interval.
    pub raw: (f64, f64),
    /// Calls that were clipped, of both sides.
    pub clipped: u64,
    /// Whether long calls, which are clipped, matter more on one side than on the other.
    pub tail_dependent: bool,
    /// Number of comparisons of parts of the measurement with other parts, and number of differing ones.
    pub self_check: (u64, u64),
    /// The smallest and the largest ratio of a workload size, where they differ by more than chance explains.
    pub sizes_differ: Option<(f64, f64)>,
}

impl Look {
    /// The ratio of the means and the ends of its interval, as far as the calls tell: of clipped and of unclipped
    /// times, because rare long calls may belong to the methods or to the machine.
    #[must_use]
    pub fn so_far(&self) -> [f64; 3] {
        self.around(self.raw)
    }

    /// The ratio of the means with the interval of a verdict on a claim with these limits: one that says the same. The
    /// clipped times have decided, or else the unclipped ones.
    pub(super) fn decided(&self, limits: (f64, f64), is_within: bool) -> [f64; 3] {
        let agrees = |[_, low, high]: &[f64; 3]| {
            if is_within {
                limits.0 <= *low && *high <= limits.1
            } else {
                limits.1 < *low || *high < limits.0
            }
        };
        let clipped = self.around((self.raw_ratio, self.raw_ratio));
        let raw = [self.raw_ratio, self.raw.0, self.raw.1];
        match clipped {
            [ratio, low, high] if agrees(&clipped) && !is_within => {
                // The end away from the limit says how far the ratio may be.
                if limits.1 < low {
                    [ratio, low, high.max(self.raw.1)]
                } else {
                    [ratio, low.min(self.raw.0), high]
                }
            }
            _ if agrees(&clipped) || !agrees(&raw) => clipped,
            _ => raw,
        }
    }

    fn around(&self, (low, high): (f64, f64)) -> [f64; 3] {
        [self.raw_ratio, self.low.min(low), self.high.max(high)]
    }
}

/// Probability with which equal ratios of sizes are called different.
const LIMIT: f64 = 0.01;
/// Fewest windows with calls of both sides for a ratio of a size.
const FEWEST: usize = 20;

impl Means {
    /// Figures of the ratio; `None` before there are two windows.
    pub(super) fn look(&self, level: f64) -> Option<Look> {
        let high = self.estimates(&self.left, &self.right);
        let low = self.estimates(&self.right, &self.left);
        let central = high.first().or(low.first())?;
        let ratio = |times| self.mean(&self.left, times) / self.mean(&self.right, times);
        let (ratio, raw_ratio) = (ratio(Times::Clipped), ratio(Times::Whole));
        // Where the probe's time hides a side, its ratio is known in one direction only, and in the other one as far as the
        // side takes a nanosecond.
        let end = |estimates: &[RatioEstimate], least: f64| {
            let ends = estimates.iter().map(|one| one.interval(level, super::Rules::SCALE).1);
            ends.fold(if estimates.is_empty() { least } else { 0.0 }, f64::max)
        };
        let low = end(&low, ratio.min(raw_ratio).recip()).recip();
        let high = end(&high, ratio.max(raw_ratio));
        Some(Look {
            windows: self.windows as u64,
            pairs: self.left.n.min(self.right.n),
            n_effective: central.n_eff,
            ratio,
            low,
            high,
            raw_ratio,
            raw: self.raw_interval(level).unwrap_or((raw_ratio, raw_ratio)),
            clipped: self.left.cut + self.right.cut,
            tail_dependent: !(low..=high).contains(&raw_ratio),
            self_check: self.self_check(),
            sizes_differ: self.sizes_differ(),
        })
    }

    /// Interval of the ratio of the means of the unclipped times, with the calls that chance may have kept away.
    fn raw_interval(&self, level: f64) -> Option<(f64, f64)> {
        let end = |short: &Side, long: &Side| {
            let (x, of_short) = self.shares(short, Times::Whole, self.unseen_of(short) - self.probe_ns);
            let (y, of_long) = self.shares(long, Times::Whole, -self.probe_ns);
            let differences: Vec<f64> = of_short.iter().zip(&of_long).map(|(x, y)| x - y).collect();
            let estimate =
                RatioEstimate::of_differences(x / y, &differences).filter(|_| x > 0.0 && y > 0.0)?;
            Some(estimate.interval(level, super::Rules::SCALE).1)
        };
        Some((end(&self.right, &self.left)?.recip(), end(&self.left, &self.right)?))
    }

    /// Welch's test of the unclipped times, with the weights of the verdict and the windows as observations.
    /// The error of the difference is that of the differences within windows, so that influences on both
    /// sides cancel out. `None` with a bound.
    pub(super) fn welch(&self) -> Option<Welch> {
        let side = |side| self.shares(side, Times::Whole, -self.probe_ns);
        let ((left_ns, left), (right_ns, right)) = (side(&self.left), side(&self.right));
        let differences: Vec<f64> =
            left.iter().zip(&right).map(|(left, right)| left * left_ns - right * right_ns).collect();
        let error = RatioEstimate::of_differences(1.0, &differences).filter(|_| !self.right.bound)?;
        Some(Welch::of_difference(left_ns - right_ns, error.variance, error.df))
    }

    /// Figures of a side, with the verdict's weights of its strata.
    pub(super) fn figures(&self, side: &Side) -> Option<types::Side> {
        let mut weighed: Vec<(f64, f64)> = Vec::new();
        for (times, weight) in side.times.iter().zip(&self.weights) {
            let each = weight / times.len() as f64;
            weighed.extend(times.iter().map(|&time| (time as f64 * side.factor, each)));
        }
        weighed.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mean_ns: f64 = weighed.iter().map(|(time, weight)| time * weight).sum();
        let squares: f64 = weighed.iter().map(|(time, weight)| weight * (time - mean_ns).powi(2)).sum();
        let n = side.n as f64;
        let sd_ns = (squares * n / (n - 1.0)).sqrt();
        Some(types::Side { factor: side.factor, n: side.n, mean_ns, median_ns: middle(&weighed)?, sd_ns })
    }

    /// The lowest and the highest ratio of the workload sizes, if chance would seldom make them as different
    /// (Cochran 1954). Sizes with few calls are left out.
    fn sizes_differ(&self) -> Option<(f64, f64)> {
        let of_stratum = |at: usize| {
            let cell = |cells: &Vec<(usize, super::side::Cell)>| {
                cells.iter().find(|(index, _)| *index == at).map(|(_, cell)| *cell)
            };
            let time = |cell: super::side::Cell| cell.sum(Times::Clipped) - cell.n * self.probe_ns;
            let windows = self.left.windows.iter().zip(&self.right.windows);
            let both: Vec<[f64; 4]> = windows
                .filter_map(|(left, right)| {
                    let (left, right) = (cell(left)?, cell(right)?);
                    Some([time(left), left.n, time(right), right.n])
                })
                .collect();
            if both.len() < FEWEST {
                return None;
            }
            let sum = |index: usize| both.iter().map(|one| one[index]).sum::<f64>();
            let (left, right) = (sum(0) / sum(1), sum(2) / sum(3));
            let count = both.len() as f64;
            let share = |one: &[f64; 4]| {
                let left_share = (one[0] / left - one[1]) * count / sum(1);
                left_share - (one[2] / right - one[3]) * count / sum(3)
            };
            let shares: Vec<f64> = both.iter().map(share).collect();
            let factors = self.left.factor / self.right.factor;
            RatioEstimate::of_differences(factors * left / right, &shares).filter(|one| one.variance > 0.0)
        };
        let ratios: Vec<RatioEstimate> = (0..self.weights.len()).filter_map(of_stratum).collect();
        if ratios.len() < 2 {
            return None;
        }
        let precision: f64 = ratios.iter().map(|one| one.variance.recip()).sum();
        let mean = ratios.iter().map(|one| one.ratio.ln() / one.variance).sum::<f64>() / precision;
        let chi_square: f64 = ratios.iter().map(|one| (one.ratio.ln() - mean).powi(2) / one.variance).sum();
        let df = (ratios.len() - 1) as f64;
        // The cube root of chi-square is normal (Wilson and Hilferty 1931).
        let spread = 2.0 / (9.0 * df);
        let z = ((chi_square / df).cbrt() - (1.0 - spread)) / spread.sqrt();
        let ends = ratios.iter().map(|one| (one.ratio, one.ratio));
        let ends = ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        ends.filter(|_| normal_upper(z) < LIMIT)
    }
}

/// The median of ascending values whose weights add up to 1: the mean of two values where each side of it has
/// half the weight.
fn middle(ascending: &[(f64, f64)]) -> Option<f64> {
    const ROUNDING: f64 = 1e-9;
    let mut below = 0.0;
    for (at, (value, weight)) in ascending.iter().enumerate() {
        below += weight;
        if below > 0.5 + ROUNDING {
            return Some(*value);
        }
        if below > 0.5 - ROUNDING {
            return Some(ascending.get(at + 1).map_or(*value, |next| f64::midpoint(*value, next.0)));
        }
    }
    ascending.last().map(|last| last.0)
}
