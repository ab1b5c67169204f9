//! Welch's t-test for two means with unequal variances (Welch 1947).

use crate::student::student_upper;
use crate::summary::{Summary, count};

/// Result of Welch's test of the difference of two means, left − right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// (x̄ − ȳ) / √(vx/nx + vy/ny). If both variances are 0, it is infinite, or NaN for equal means.
    pub t: f64,
    /// Welch-Satterthwaite degrees of freedom; NaN if both variances are 0.
    pub df: f64,
    /// P(T ≤ t): small if the left mean is smaller.
    pub p_less: f64,
    /// P(T ≥ t): small if the left mean is greater.
    pub p_greater: f64,
    /// P(|T| ≥ |t|): small if the means differ.
    pub p_two: f64,
}

/// Welch's test of two sample sets.
///
/// The p-values are exact to a relative error of 10⁻¹² for given means and variances, down to the smallest
/// normal double; below that they go to 0. If both variances are 0 the means are compared exactly: `p_two` is
/// 1 or 0.
#[must_use]
pub fn welch(left: &Summary, right: &Summary) -> Welch {
    welch_effective((left, count(left.n())), (right, count(right.n())))
}

/// Welch's test of two sample sets with these effective numbers of independent values, at least 2 each.
/// Dependent values have less information than their number.
#[must_use]
pub fn welch_effective((left, left_n): (&Summary, f64), (right, right_n): (&Summary, f64)) -> Welch {
    let difference = left.mean_minus(right);
    let (left_n, right_n) = (left_n.max(2.0), right_n.max(2.0));
    let (left_error, right_error) = (left.variance() / left_n, right.variance() / right_n);
    let squared_error = left_error + right_error;
    if squared_error == 0.0 {
        return constant(left.mean(), right.mean());
    }
    let t = difference / squared_error.sqrt();
    let df = satterthwaite(&[(left_error, left_n - 1.0), (right_error, right_n - 1.0)]);
    Welch::of_t(t, df)
}

impl Welch {
    /// Welch's test of a difference of means with a given squared error and degrees of freedom, for example
    /// of differences within pairs.
    #[must_use]
    pub fn of_difference(difference: f64, squared_error: f64, df: f64) -> Self {
        if squared_error == 0.0 {
            return constant(difference, 0.0);
        }
        Self::of_t(difference / squared_error.sqrt(), df)
    }

    fn of_t(t: f64, df: f64) -> Self {
        let (p_less, p_greater) = (student_upper(-t, df), student_upper(t, df));
        Self { t, df, p_less, p_greater, p_two: 2.0 * p_less.min(p_greater) }
    }
}

/// Degrees of freedom of a sum of independent variance estimates, each given with its own (Satterthwaite
/// 1946). The code squares shares of the total, because squares of the estimates could overflow.
pub(crate) fn satterthwaite(parts: &[(f64, f64)]) -> f64 {
    let total: f64 = parts.iter().map(|(variance, _)| variance).sum();
    parts.iter().map(|(variance, df)| (variance / total).powi(2) / df).sum::<f64>().recip()
}

/// The test of two constant sides: the scaled constants, each rounded once, are equal or not.
fn constant(left: f64, right: f64) -> Welch {
    let (t, p_less, p_greater) = match left.partial_cmp(&right) {
        Some(std::cmp::Ordering::Less) => (f64::NEG_INFINITY, 0.0, 1.0),
        Some(std::cmp::Ordering::Greater) => (f64::INFINITY, 1.0, 0.0),
        _ => (f64::NAN, 0.5, 0.5),
    };
    Welch { t, df: f64::NAN, p_less, p_greater, p_two: 2.0 * f64::min(p_less, p_greater) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side(values: &[u32]) -> Summary {
        Summary::of(values.iter().map(|&v| f64::from(v))).unwrap()
    }

    #[test]
    fn a_far_offset_changes_nothing() {
        let at = |offset: u64| {
            let side = |step: u64| Summary::of_integers((0..100).map(|i| offset + i * step % 11)).unwrap();
            welch(&side(3), &side(1))
        };
        let (near, far) = (at(0), at(1_700_000_000_000_000_000));
        assert!((near.p_two / far.p_two - 1.0).abs() < 1e-12, "{near:?} {far:?}");
    }

    fn values() -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::vec(0_u32..1000, 2..40)
    }

    proptest! {
        #[test]
        fn swapped_sides_mirror(left in values(), right in values()) {
            let (one, two) = (welch(&side(&left), &side(&right)), welch(&side(&right), &side(&left)));
            prop_assert_eq!((one.p_less, one.p_greater, one.p_two), (two.p_greater, two.p_less, two.p_two));
            prop_assert!(one.t == -two.t || one.t.is_nan() && two.t.is_nan());
        }

        #[test]
        fn a_power_of_two_changes_no_bit(left in values(), right in values(), exponent in -60_i32..60) {
            let factor = 2_f64.powi(exponent);
            let (left, right) = (side(&left), side(&right));
            let scaled = welch(&left.scaled(factor).unwrap(), &right.scaled(factor).unwrap());
            prop_assert_eq!(scaled.p_two.to_bits(), welch(&left, &right).p_two.to_bits());
        }

        #[test]
        fn probabilities_agree_with_each_other(left in values(), right in values()) {
            let Welch { p_less, p_greater, p_two, .. } = welch(&side(&left), &side(&right));
            prop_assert!((p_less + p_greater - 1.0).abs() < 1e-15);
            prop_assert!((0.0..=1.0).contains(&p_two));
        }
    }
}
