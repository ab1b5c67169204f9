//! Many tests at once: the results that stay when the error is bounded for all of them together.

use crate::summary::count;

/// Holm's adjusted p-values (Holm 1979), in the order given. All tests with a value of at most α may be
/// rejected together. The probability that any rejection is wrong is then at most α, for any dependence. NaN
/// counts as 1.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let total = p_values.len();
    let mut adjusted = vec![0.0; total];
    let mut largest = 0.0_f64;
    for (rank, index) in ascending(p_values).into_iter().enumerate() {
        largest = largest.max(probability(p_values[index]) * count((total - rank) as u64)).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p-values (1995), in the order given. All tests with a value of at most α
/// may be rejected together. The expected part of wrong rejections is then at most α, if the tests are
/// independent or positively dependent. NaN counts as 1.
///
/// With reciprocals of e-values this is the e-BH procedure (Wang and Ramdas 2022), whose bound holds for any
/// dependence.
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let total = p_values.len();
    let mut adjusted = vec![0.0; total];
    let mut smallest = 1.0_f64;
    for (rank, index) in ascending(p_values).into_iter().enumerate().rev() {
        let scale = count(total as u64) / count(rank as u64 + 1);
        smallest = smallest.min(probability(p_values[index]) * scale);
        adjusted[index] = smallest;
    }
    adjusted
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &two| probability(p_values[one]).total_cmp(&probability(p_values[two])));
    order
}

fn probability(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(got: &[f64], expected: &[f64]) {
        let close = got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-12);
        assert!(close && got.len() == expected.len(), "{got:?}, not {expected:?}");
    }

    #[test]
    fn adjusted_p_values() {
        let p_values = [0.01, 0.04, 0.03, 0.005, f64::NAN];
        check(&holm(&p_values), &[0.04, 0.09, 0.09, 0.025, 1.0]);
        check(&benjamini_hochberg(&p_values), &[0.025, 0.05, 0.05, 0.025, 1.0]);
        check(&holm(&[]), &[]);
        check(&benjamini_hochberg(&[0.5]), &[0.5]);
    }

    #[test]
    fn reciprocals_of_e_values_are_rejected_from_the_largest_e() {
        let check = |e_values: &[f64], expected: &[bool]| {
            let p_values: Vec<f64> = e_values.iter().map(|e| e.recip()).collect();
            let rejected: Vec<bool> = benjamini_hochberg(&p_values).iter().map(|p| *p <= 0.05).collect();
            assert_eq!(rejected, expected, "{e_values:?}");
        };
        check(&[20.1], &[true]);
        check(&[19.9], &[false]);
        // One result alone needs 60, two need 30 each, three need 20 each.
        check(&[50.0, 1.0, 2.0], &[false, false, false]);
        check(&[31.0, 1.0, 35.0], &[true, false, true]);
        check(&[21.0, 25.0, 29.0], &[true, true, true]);
        check(&[61.0, f64::NAN, 0.0], &[true, false, false]);
    }

    proptest! {
        #[test]
        fn adjusting_keeps_order_and_only_raises(p_values in proptest::collection::vec(0.0..1.0_f64, 0..20)) {
            let (holm, bh) = (holm(&p_values), benjamini_hochberg(&p_values));
            for one in 0..p_values.len() {
                prop_assert!(p_values[one] <= bh[one] && bh[one] <= holm[one] * (1.0 + 1e-12) && holm[one] <= 1.0);
                for two in 0..p_values.len() {
                    prop_assert!(p_values[one] > p_values[two] || (holm[one] <= holm[two] && bh[one] <= bh[two]));
                }
            }
        }
    }
}
