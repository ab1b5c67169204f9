//! The ratio of two means with its confidence interval.

use crate::student::student_upper_quantile;
use crate::summary::{Summary, count};
use crate::welch::satterthwaite;

/// Coverage of the intervals in results: 95%.
pub const CONFIDENCE: f64 = 0.95;

/// A ratio of two means with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Left mean over right mean.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Coverage of the interval: 0.95 is 95%.
    pub confidence: f64,
}

/// The ratio left / right of two independent means with an interval of the given coverage.
///
/// The interval is exact to first order (delta method) on the logarithm of the ratio, with Student's quantile
/// at Satterthwaite's degrees of freedom. Unlike Fieller's set it is always one finite interval of positive
/// numbers, and swapping the sides gives the reciprocal interval. `None` unless both means are positive and 0
/// < `confidence` < 1.
#[must_use]
pub fn ratio_of_means(left: &Summary, right: &Summary, confidence: f64) -> Option<Ratio> {
    let value = left.mean() / right.mean();
    let usable = left.mean() > 0.0 && right.mean() > 0.0 && confidence > 0.0 && confidence < 1.0;
    if !usable || !value.is_normal() {
        return None;
    }
    let relative = |side: &Summary| side.squared_error() / side.mean() / side.mean();
    let parts = [(relative(left), count(left.n() - 1)), (relative(right), count(right.n() - 1))];
    let error = (parts[0].0 + parts[1].0).sqrt();
    if error == 0.0 {
        return Some(Ratio { value, low: value, high: value, confidence });
    }
    let quantile = student_upper_quantile((1.0 - confidence) / 2.0, satterthwaite(&parts));
    let width = (quantile * error).exp();
    Some(Ratio { value, low: value / width, high: value * width, confidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_ratios() {
        let check = |left: &[f64], right: &[f64], expected: Option<(f64, f64, f64)>| {
            let side = |values: &[f64]| Summary::of(values.iter().copied()).unwrap();
            let got = ratio_of_means(&side(left), &side(right), CONFIDENCE);
            match (got, expected) {
                (Some(got), Some((value, low, high))) => {
                    assert!((got.value - value).abs() < 1e-9, "{got:?}");
                    assert!((got.low - low).abs() < 1e-9 && (got.high - high).abs() < 1e-9, "{got:?}");
                }
                (got, expected) => assert_eq!(got.is_none(), expected.is_none(), "{got:?}"),
            }
        };
        check(&[6.0, 6.0], &[3.0, 3.0, 3.0], Some((2.0, 2.0, 2.0)));
        // Variance 1 of three values with mean 3: squared relative error 1/27. Student's quantile at 2 is
        // 4.3027.
        let width = (4.302_652_729_749_464 * (1.0 / 27.0_f64).sqrt()).exp();
        check(&[2.0, 3.0, 4.0], &[3.0, 3.0, 3.0], Some((1.0, 1.0 / width, width)));
        check(&[0.0, 0.0], &[3.0, 3.0], None);
        check(&[3.0, 3.0], &[0.0, 0.0], None);
    }
}
