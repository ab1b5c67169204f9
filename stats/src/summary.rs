//! Mean and variance of one sample set, in one pass and without cancellation.

use crate::double::Double;

/// Fewest values of a sample set: a variance needs two.
pub const MIN_SAMPLES: u64 = 2;

/// Size, mean and variance of a set of at least two finite values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    n: u64,
    mean: Double,
    variance: f64,
}

/// The reason why numbers are not a sample set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// A variance needs at least two values.
    #[error("{0} samples are too few, at least {min} are needed", min = MIN_SAMPLES)]
    TooFew(u64),
    /// A value is not a number, or a value or the variance is outside the range of a double.
    #[error("a value or the variance is not a number or outside the range of a double")]
    OutOfRange,
}

impl Summary {
    /// The summary of some numbers.
    ///
    /// The values are taken relative to the first one, so a common offset costs no digit. The sums have twice
    /// a double's precision, so a large number of values costs none either. Nothing is allocated.
    ///
    /// # Errors
    /// When there are fewer than two values, a value is infinite or NaN, or the variance is too large or too
    /// small for a double.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Result<Self, SampleError> {
        Self::accumulate(values.into_iter().map(Double::from))
    }

    /// The summary of integers, exact even beyond 2⁵³, where doubles have gaps.
    ///
    /// # Errors
    /// When there are fewer than two values.
    pub fn of_integers(values: impl IntoIterator<Item = u64>) -> Result<Self, SampleError> {
        Self::accumulate(values.into_iter().map(Double::from))
    }

    fn accumulate(mut values: impl Iterator<Item = Double>) -> Result<Self, SampleError> {
        let first = values.next().ok_or(SampleError::TooFew(0))?;
        let (mut n, mut sum, mut squares, mut spread) = (1_u64, Double::default(), Double::default(), false);
        for value in values {
            let difference = value - first;
            sum = sum + difference;
            squares = squares + difference * difference;
            spread |= difference != Double::default();
            n += 1;
        }
        if n < MIN_SAMPLES {
            return Err(SampleError::TooFew(n));
        }
        let count = count(n);
        let offset = sum.divided(count);
        let variance = (squares - sum * offset).divided(count - 1.0).to_f64();
        Self::checked(n, first + offset, variance, spread)
    }

    /// An underflowed variance would turn different values into equal ones. So it must be a normal number
    /// unless the values are equal.
    fn checked(n: u64, mean: Double, variance: f64, spread: bool) -> Result<Self, SampleError> {
        let sound = if spread { variance.is_normal() } else { variance == 0.0 };
        if sound && mean.is_finite() {
            Ok(Self { n, mean, variance: variance.max(0.0) })
        } else {
            Err(SampleError::OutOfRange)
        }
    }

    /// The summary of the same values, each multiplied by `factor`.
    ///
    /// # Errors
    /// When the factor is not finite, or mean or variance leave the range of a double.
    pub fn scaled(&self, factor: f64) -> Result<Self, SampleError> {
        if !factor.is_finite() {
            return Err(SampleError::OutOfRange);
        }
        let spread = self.variance > 0.0 && factor != 0.0;
        Self::checked(self.n, self.mean * factor.into(), self.variance * factor * factor, spread)
    }

    /// Number of values, at least 2.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Arithmetic mean, in the unit of the values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean.to_f64()
    }

    /// Unbiased variance (divisor n − 1), in the squared unit of the values. It is 0 only when all values are
    /// equal.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// Standard deviation: the root of the unbiased variance, in the unit of the values.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// Squared standard error of the mean.
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        self.variance / count(self.n)
    }

    /// This mean minus the other one, without the cancellation caused by large offsets.
    #[must_use]
    pub fn mean_minus(&self, other: &Self) -> f64 {
        (self.mean - other.mean).to_f64()
    }
}

/// A number of values as a double; exact for every number that fits in memory.
#[expect(clippy::cast_precision_loss, reason = "no sample set has 2⁵³ values")]
pub(crate) fn count(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sets_that_do_not_exist() {
        let check = |values: &[f64], error| assert_eq!(Summary::of(values.iter().copied()), Err(error));
        check(&[], SampleError::TooFew(0));
        check(&[1.0], SampleError::TooFew(1));
        check(&[1.0, f64::NAN], SampleError::OutOfRange);
        check(&[f64::NAN, f64::NAN], SampleError::OutOfRange);
        check(&[1.0, f64::INFINITY], SampleError::OutOfRange);
        check(&[f64::INFINITY, f64::INFINITY], SampleError::OutOfRange);
        check(&[1e200, -1e200], SampleError::OutOfRange);
        check(&[1e-200, 2e-200], SampleError::OutOfRange);
    }

    #[test]
    fn timestamps_keep_their_last_nanosecond() {
        let base = 1_000_000_000_000_000_000_u64;
        let left = Summary::of_integers((0..1000).map(|i| base + i % 3)).unwrap();
        let right = Summary::of_integers((0..1000).map(|i| base + 1 + i % 3)).unwrap();
        let low = Summary::of_integers((0..1000).map(|i| i % 3)).unwrap();
        assert_eq!(left.variance(), low.variance());
        assert_eq!(right.mean_minus(&left), 1.0);
    }

    #[test]
    fn an_outlier_first_costs_nothing() {
        let values = std::iter::once(1e18).chain((0..999).map(|i| f64::from(i % 7)));
        let reversed = (0..999).rev().map(|i| f64::from(i % 7)).chain(std::iter::once(1e18));
        let (a, b) = (Summary::of(values).unwrap(), Summary::of(reversed).unwrap());
        assert_eq!((a.mean(), a.variance()), (b.mean(), b.variance()));
    }

    #[test]
    fn equal_values_have_no_variance_at_any_scale() {
        let equal = Summary::of([0.1; 1000]).unwrap();
        assert_eq!((equal.mean(), equal.variance()), (0.1, 0.0));
        assert_eq!(equal.scaled(1e-300).unwrap().variance(), 0.0);
        let spread = Summary::of([1.0, 2.0]).unwrap();
        assert_eq!(spread.scaled(1e-200), Err(SampleError::OutOfRange));
        assert_eq!(spread.scaled(f64::NAN), Err(SampleError::OutOfRange));
        assert_eq!(spread.scaled(0.0).unwrap().variance(), 0.0);
    }

    proptest! {
        #[test]
        fn integers_agree_with_exact_arithmetic(values in proptest::collection::vec(0_u64..1 << 40, 2..50), offset in 0_u64..1 << 62) {
            let n = values.len() as i128;
            let sum: i128 = values.iter().map(|&v| i128::from(v)).sum();
            let squares: i128 = values.iter().map(|&v| i128::from(v).pow(2)).sum();
            let variance = (n * squares - sum * sum) as f64 / (n * (n - 1)) as f64;
            let got = Summary::of_integers(values.iter().map(|v| v + offset)).unwrap();
            prop_assert!((got.variance() - variance).abs() <= variance * 1e-15);
        }
    }
}
