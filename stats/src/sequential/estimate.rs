//! The ratio of two means from paired, autocorrelated samples.

use crate::summary::{Summary, count};

/// Fewest degrees of freedom; the quantiles of Student's distribution are already very wide there.
pub(super) const MIN_DF: f64 = 2.0;

/// Relative differences below this are rounding errors of sums.
const ROUNDING: f64 = 1e-12;

/// An estimate of the ratio of the means of x and y from pairs in the order of their arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioEstimate {
    /// Number of pairs.
    pub n: u64,
    /// Mean of x over mean of y.
    pub ratio: f64,
    /// Integrated autocorrelation time of the linearised differences, in pairs; at least 1.
    pub tau_int: f64,
    /// Number of independent pairs with the same information: `n / tau_int`.
    pub n_eff: f64,
    /// Variance of the logarithm of the ratio.
    pub variance: f64,
    /// Degrees of freedom of that variance.
    pub df: f64,
}

impl RatioEstimate {
    /// Estimates from sums (x, y) of each window, in the order of the windows. `None` with fewer than two
    /// windows, or if a mean is not positive or not finite.
    #[must_use]
    pub fn of_windows(sums: &[(f64, f64)]) -> Option<Self> {
        let n = count(sums.len() as u64);
        let (x, y) = sums.iter().fold((0.0, 0.0), |(x, y), sum| (x + sum.0, y + sum.1));
        let (mean_x, mean_y) = (x / n, y / n);
        // To first order the error of the ratio's logarithm is the mean of these; their sum is 0 by
        // construction.
        let differences: Vec<f64> = sums.iter().map(|(x, y)| x / mean_x - y / mean_y).collect();
        if mean_x > 0.0 && mean_y > 0.0 { Self::of_differences(x / y, &differences) } else { None }
    }

    /// Estimates from a ratio, and the contribution of each window to its logarithm, times the number of
    /// windows; their sum is 0. `None` with fewer than two windows, or if the ratio is not positive or not
    /// finite.
    #[must_use]
    pub fn of_differences(ratio: f64, differences: &[f64]) -> Option<Self> {
        if differences.len() < 2 || !ratio.is_normal() || ratio < 0.0 {
            return None;
        }
        let n = differences.len() as u64;
        let (squares, tau_int) = autocorrelation(differences);
        // Rounding errors of constants do not count as variance.
        let constant = squares < count(n) * ROUNDING * ROUNDING;
        let (squares, tau_int) = if constant { (0.0, 1.0) } else { (squares, tau_int) };
        Some(Self::new(n, ratio, squares, tau_int))
    }

    /// Estimates from the sum of the squared linearised differences, whose mean is 0, and their
    /// autocorrelation time.
    pub(super) fn new(n: u64, ratio: f64, squares: f64, tau_int: f64) -> Self {
        let pairs = count(n);
        let n_eff = pairs / tau_int;
        let variance = squares / (pairs - 1.0) * tau_int / pairs;
        Self { n, ratio, tau_int, n_eff, variance, df: (n_eff - 1.0).max(MIN_DF) }
    }
}

/// Sum of squares of values with mean 0, and their integrated autocorrelation time by the initial positive,
/// monotone sequence of pair sums (Geyer 1992).
pub(crate) fn autocorrelation(values: &[f64]) -> (f64, f64) {
    let squares = lagged_products(values, 0);
    if squares <= 0.0 {
        return (squares, 1.0);
    }
    let (mut sum, mut previous) = (0.0, f64::INFINITY);
    for lag in (0..).step_by(2).take_while(|lag| lag + 1 < values.len() / 2) {
        let even = if lag == 0 { squares } else { lagged_products(values, lag) };
        let pair = (even + lagged_products(values, lag + 1)) / squares;
        if pair <= 0.0 {
            break;
        }
        previous = pair.min(previous);
        sum += previous;
    }
    (squares, f64::max(1.0, 2.0 * sum - 1.0))
}

/// The integrated autocorrelation time of durations in the order of their arrival, at least 1: this number of
/// durations has the information of one independent duration about the mean. Computed as for the pairs of a
/// comparison; copies the durations (8 bytes each).
#[must_use]
pub fn autocorrelation_time(times: &[u64]) -> f64 {
    let Ok(summary) = Summary::of_integers(times.iter().copied()) else { return 1.0 };
    #[expect(clippy::cast_precision_loss, reason = "a call of 2⁵³ ns would take 104 days")]
    let centred: Vec<f64> = times.iter().map(|&time| time as f64 - summary.mean()).collect();
    autocorrelation(&centred).1
}

/// Sum of squares of values whose mean is 0, in their order, and their integrated autocorrelation time.
#[must_use]
pub fn autocorrelation_of(values: &[f64]) -> (f64, f64) {
    autocorrelation(values)
}

/// Σ vᵢ·vᵢ₊ₗₐ, in four independent sums that a processor adds at the same time.
fn lagged_products(values: &[f64], lag: usize) -> f64 {
    const LANES: usize = 4;
    let (early, late) = (values[..values.len() - lag].chunks_exact(LANES), values[lag..].chunks_exact(LANES));
    let rest: f64 = early.remainder().iter().zip(late.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (early, late) in early.zip(late) {
        for lane in 0..LANES {
            sums[lane] += early[lane] * late[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_an_estimate() {
        let estimate = RatioEstimate::new(101, 2.0, 50.0, 4.0);
        assert_eq!((estimate.n_eff, estimate.df), (25.25, 24.25));
        // 50/100 is the variance of one difference, 4/101 its share in a mean of pairs that repeat
        // themselves.
        assert!((estimate.variance - 0.5 * 4.0 / 101.0).abs() < 1e-15);
        assert_eq!(RatioEstimate::new(10, 2.0, 1.0, 9.0).df, 2.0);
    }

    #[test]
    fn repeated_times_tell_nothing_new() {
        let fresh: Vec<u64> = (0..400).map(|i| i * i * 7919 % 1009).collect();
        let repeated: Vec<u64> = fresh.iter().flat_map(|&time| [time; 8]).collect();
        let (one, eight) = (autocorrelation_time(&fresh), autocorrelation_time(&repeated));
        assert!(one < 2.0 && (eight / one / 8.0 - 1.0).abs() < 0.3, "{one} {eight}");
        assert_eq!((autocorrelation_time(&[]), autocorrelation_time(&[7; 50])), (1.0, 1.0));
    }
}
