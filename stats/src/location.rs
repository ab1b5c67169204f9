//! The location of a method's times: a mean or a quantile, compared with a bound or with another location.
//!
//! A quantile is judged without any assumption on the distribution: the number of values below a bound is
//! binomial. Two locations are compared through every bound that could lie between them. If the left location
//! is not below the right one, some bound θ has left ≥ θ ≥ right; for each θ the two one-sample tests are
//! combined by Fisher's method, and the largest p over all θ counts. Only two means have a test of their own,
//! Welch's.

use crate::binomial::BinomialTails;
use crate::student::student_upper;
use crate::summary::{MIN_SAMPLES, SampleError, Summary, count};
use crate::welch::{Welch, welch};

/// A location of one side's scaled times.
#[derive(Clone, Debug)]
pub enum Location<'a> {
    /// The arithmetic mean.
    Mean(Summary),
    /// A quantile.
    Quantile(Quantile<'a>),
}

/// A quantile of scaled times.
#[derive(Clone, Debug)]
pub struct Quantile<'a> {
    sorted: &'a [u64],
    factor: f64,
    share: f64,
    tails: BinomialTails,
}

/// The reason why a location does not exist.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LocationError {
    /// The times are not a sample set.
    #[error(transparent)]
    Samples(#[from] SampleError),
    /// The share of a quantile must lie strictly between 0 and 1.
    #[error("there is no quantile {0}: it must lie between 0 and 1")]
    Share(f64),
}

impl<'a> Location<'a> {
    /// The mean of times multiplied by `factor`.
    ///
    /// # Errors
    /// When there are fewer than two times, or the scaled ones leave the range of a double.
    pub fn mean(times: &[u64], factor: f64) -> Result<Self, LocationError> {
        Ok(Self::Mean(Summary::of_integers(times.iter().copied())?.scaled(factor)?))
    }

    /// The quantile of ascending times multiplied by `factor` > 0: the part `share` of them does not exceed
    /// it.
    ///
    /// # Errors
    /// When there are fewer than two times, `share` doesn't lie between 0 and 1, or the factor is not finite
    /// and positive.
    pub fn quantile(ascending: &'a [u64], factor: f64, share: f64) -> Result<Self, LocationError> {
        let n = ascending.len() as u64;
        if n < MIN_SAMPLES {
            return Err(SampleError::TooFew(n).into());
        }
        if !(factor > 0.0 && (scale(u64::MAX, factor)).is_finite()) {
            return Err(SampleError::OutOfRange.into());
        }
        let tails = BinomialTails::new(n, share).ok_or(LocationError::Share(share))?;
        Ok(Self::Quantile(Quantile { sorted: ascending, factor, share, tails }))
    }

    /// The estimate, in the unit of the scaled times.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        match self {
            Self::Mean(summary) => summary.mean(),
            Self::Quantile(quantile) => quantile.estimate(),
        }
    }

    /// p-value against "the location is at least `bound`": small when it is below.
    #[must_use]
    pub fn p_below(&self, bound: f64) -> f64 {
        match self {
            Self::Mean(summary) => mean_against(summary, bound, -1.0),
            Self::Quantile(quantile) => quantile.tails.upper(quantile.count(|value| value < bound)),
        }
    }

    /// p-value against "the location is at most `bound`": small when it is above.
    #[must_use]
    pub fn p_above(&self, bound: f64) -> f64 {
        match self {
            Self::Mean(summary) => mean_against(summary, bound, 1.0),
            Self::Quantile(quantile) => quantile.tails.lower(quantile.count(|value| value <= bound)),
        }
    }

    /// p-value against "this location is at least the other": small when it is below.
    #[must_use]
    pub fn p_less(&self, other: &Self) -> f64 {
        let at = |bound: f64| fisher(self.p_below(bound), other.p_above(bound));
        match (self, other) {
            (Self::Mean(left), Self::Mean(right)) => {
                let Welch { p_less, .. } = welch(left, right);
                p_less
            }
            // Between neighbouring values of a quantile its own p-value stays and the other one is monotone,
            // so the largest combined p-value lies on a value, or beyond all of them.
            (Self::Quantile(left), _) => left.bounds().map(at).fold(at(f64::INFINITY), f64::max),
            (_, Self::Quantile(right)) => right.bounds().map(at).fold(at(f64::NEG_INFINITY), f64::max),
        }
    }
}

impl Quantile<'_> {
    /// The smallest value that the part `share` of the values does not exceed.
    fn estimate(&self) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the number of values"
        )]
        let rank = (self.share * count(self.sorted.len() as u64)).ceil() as usize;
        let index = rank.clamp(1, self.sorted.len()) - 1;
        self.sorted.get(index).map_or(f64::NAN, |&time| scale(time, self.factor))
    }

    /// Number of values with a property that only the first values have.
    fn count(&self, condition: impl Fn(f64) -> bool) -> u64 {
        self.sorted.partition_point(|&time| condition(scale(time, self.factor))) as u64
    }

    /// Each value once, scaled.
    fn bounds(&self) -> impl Iterator<Item = f64> {
        self.sorted.chunk_by(|one, next| one == next).map(|equal| scale(equal[0], self.factor))
    }
}

/// One-sample t-test, for `sign` 1 of "above", for −1 of "below".
fn mean_against(summary: &Summary, bound: f64, sign: f64) -> f64 {
    let difference = sign * (summary.mean() - bound);
    let error = summary.squared_error().sqrt();
    if error == 0.0 {
        return if difference > 0.0 {
            0.0
        } else if difference < 0.0 {
            1.0
        } else {
            0.5
        };
    }
    student_upper(difference / error, count(summary.n() - 1))
}

/// Fisher's combination of two independent p-values.
fn fisher(one: f64, two: f64) -> f64 {
    let product = one * two;
    if product > 0.0 { product * (1.0 - product.ln()) } else { product }
}

#[expect(clippy::cast_precision_loss, reason = "a call of 2⁵³ ns would take 104 days")]
fn scale(time: u64, factor: f64) -> f64 {
    time as f64 * factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ramp(low: u64, n: u64) -> Vec<u64> {
        (low..low + n).collect()
    }

    #[test]
    fn quantiles_against_a_bound() {
        // Of ten values 0..9, seven lie below 7: P(B(10, ½) ≥ 7) = 176/1024, and P(B ≤ 8) = 1013/1024 for
        // p_above.
        let times = ramp(0, 10);
        let median = Location::quantile(&times, 1.0, 0.5).unwrap();
        assert_eq!(median.estimate(), 4.0);
        assert!((median.p_below(7.0) - 176.0 / 1024.0).abs() < 1e-15);
        assert!((median.p_above(7.0) - 1013.0 / 1024.0).abs() < 1e-15);
        assert_eq!((median.p_below(0.0), median.p_above(9.0)), (1.0, 1.0));
        // The 99th percentile of 298 values can't be shown to be below anything; of 299 it can, at 5%.
        let p_max = |n| Location::quantile(&ramp(0, n), 1.0, 0.99).unwrap().p_below(1e9);
        assert!(p_max(298) > 0.05 && p_max(299) < 0.05);
    }

    #[test]
    fn means_against_a_bound() {
        let check = |times: &[u64], factor, bound, expected: f64| {
            let p = Location::mean(times, factor).unwrap().p_below(bound);
            assert!((p - expected).abs() < 1e-12, "{times:?} < {bound}: {p}");
        };
        // t = −1/√(1/3) at 2 degrees of freedom: ½ − 1/2·t/√(2+t²) = ½ − ½·√(3/5).
        check(&[1, 2, 3], 1.0, 3.0, 0.5 - 0.5 * (3.0_f64 / 5.0).sqrt());
        check(&[1, 2, 3], 2.0, 6.0, 0.5 - 0.5 * (3.0_f64 / 5.0).sqrt());
        check(&[5, 5], 1.0, 6.0, 0.0);
        check(&[5, 5], 1.0, 5.0, 0.5);
        check(&[5, 5], 1.0, 4.0, 1.0);
    }

    #[test]
    fn locations_are_compared_across_kinds() {
        let (low, high) = (ramp(100, 300), ramp(900, 300));
        for kind in [0.25, 0.5, 0.9] {
            let one = Location::quantile(&low, 1.0, kind).unwrap();
            let two = Location::quantile(&high, 1.0, 0.5).unwrap();
            let mean = Location::mean(&high, 1.0).unwrap();
            for other in [two, mean] {
                assert!(one.p_less(&other) < 1e-6 && other.p_less(&one) > 0.99, "{kind}");
            }
            let scaled = Location::quantile(&high, 0.05, 0.5).unwrap();
            assert!(scaled.p_less(&one) < 1e-6, "{kind}");
        }
    }

    /// Four values above a constant mean: their median may still be below the mean with P(B(4, ½) ≤ 0) =
    /// 1/16.
    #[test]
    fn few_values_prove_little_of_a_quantile() {
        let (constant, few) = ([1, 1], ramp(900, 4));
        let (mean, median) =
            (Location::mean(&constant, 1.0).unwrap(), Location::quantile(&few, 1.0, 0.5).unwrap());
        let expected = (1.0 + 16_f64.ln()) / 16.0;
        assert!((mean.p_less(&median) - expected).abs() < 1e-12);
        let low = Location::quantile(&few, 0.001, 0.5).unwrap();
        assert!((low.p_less(&mean) - expected).abs() < 1e-12);
    }

    #[test]
    fn locations_that_do_not_exist() {
        let check = |times: &[u64], factor, share| Location::quantile(times, factor, share).unwrap_err();
        assert_eq!(check(&[1], 1.0, 0.5), LocationError::Samples(SampleError::TooFew(1)));
        assert_eq!(check(&[1, 2], 1.0, 1.0), LocationError::Share(1.0));
        assert!(matches!(check(&[1, 2], 1.0, f64::NAN), LocationError::Share(_)));
        assert_eq!(check(&[1, 2], -1.0, 0.5), LocationError::Samples(SampleError::OutOfRange));
    }

    proptest! {
        /// The search over values must not miss a larger p-value between or beyond them.
        #[test]
        fn no_bound_is_worse_than_the_answer(
            mut left in proptest::collection::vec(0_u64..60, 2..25),
            mut right in proptest::collection::vec(0_u64..60, 2..25),
            share in 0.1..0.9_f64, of_means in 0..3_u8,
        ) {
            left.sort_unstable();
            right.sort_unstable();
            let location = |times, mean| {
                if mean { Location::mean(times, 1.0) } else { Location::quantile(times, 1.0, share) }.unwrap()
            };
            let (one, two) = (location(&left, of_means == 1), location(&right, of_means == 2));
            let p = one.p_less(&two);
            prop_assert!((0.0..=1.0).contains(&p));
            for half in -3..130 {
                let bound = f64::from(half) / 2.0;
                prop_assert!(fisher(one.p_below(bound), two.p_above(bound)) <= p * (1.0 + 1e-12));
            }
        }
    }
}
