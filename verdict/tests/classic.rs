//! Results of a comparison of two sets of times, as the operator reads them.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use proptest::prelude::*;
use spl_lang::Sign;
use spl_model::Bucket;
use spl_verdict::{Basis, Evaluation, NotEvaluated, Standing, Verdict, Welch, evaluate};

const LIMIT: f64 = 0.05;

fn judged(sign: Sign, left: &[u64], right: &[u64], limit: f64) -> Verdict {
    evaluate(sign, 1.0, 1.0, left, right, limit).unwrap()
}

/// The reported p-value of the test.
type Reported = fn(&Welch) -> f64;

const LESS: Reported = |welch| welch.p_less;
const GREATER: Reported = |welch| welch.p_greater;
const TWO: Reported = |welch| welch.p_two;

fn check(left: &[u64], right: &[u64], rows: [(&str, Basis, Reported); 5]) {
    for (sign, basis, reported) in rows {
        let verdict = judged(sign.parse().unwrap(), left, right, LIMIT);
        assert_eq!(verdict.basis, basis, "{left:?} {sign} {right:?}");
        assert_eq!(verdict.holds, basis.holds(), "{left:?} {sign} {right:?}");
        assert_eq!(verdict.p_value, reported(&verdict.welch), "{left:?} {sign} {right:?}");
    }
}

#[test]
fn every_cell_of_the_sign_table() {
    use Basis::{NotProved, NotRefuted, Proved, Refuted};
    let (low, high) = ([10, 11, 12, 13], [20, 21, 22, 23]);
    // Left clearly smaller.
    let smaller = [
        ("<", Proved, LESS),
        ("<=", Proved, LESS),
        ("=", Refuted, TWO),
        (">=", Refuted, TWO),
        (">", NotProved, GREATER),
    ];
    check(&low, &high, smaller);
    check(&[3; 9], &[7; 9], smaller);
    // Left clearly greater.
    let greater = [
        ("<", NotProved, LESS),
        ("<=", Refuted, TWO),
        ("=", Refuted, TWO),
        (">=", Proved, GREATER),
        (">", Proved, GREATER),
    ];
    check(&high, &low, greater);
    check(&[7; 9], &[3; 9], greater);
    // Undecidable, with the left mean smaller, equal or greater.
    let open = [
        ("<", NotProved, LESS),
        ("<=", NotRefuted, TWO),
        ("=", NotRefuted, TWO),
        (">=", NotRefuted, TWO),
        (">", NotProved, GREATER),
    ];
    check(&[10, 20, 30], &[11, 21, 31], open);
    check(&[10, 20, 30], &[10, 20, 30], open);
    check(&[11, 21, 31], &[10, 20, 30], open);
    check(&[7; 9], &[7; 9], open);
}

/// Between the one-sided and the two-sided limit: p2/2 < limit ≤ p2.
#[test]
fn one_sided_proof_needs_half_the_two_sided_limit() {
    let (left, right) = ([10, 20, 30, 40], [30, 40, 50, 60]);
    let p_two = judged(Sign::Equal, &left, &right, LIMIT).welch.p_two;
    let check =
        |sign, limit, basis| assert_eq!(judged(sign, &left, &right, limit).basis, basis, "{sign} {limit}");
    check(Sign::Less, p_two * 0.75, Basis::Proved);
    check(Sign::LessOrEqual, p_two * 0.75, Basis::Proved);
    check(Sign::Equal, p_two * 0.75, Basis::NotRefuted);
    check(Sign::GreaterOrEqual, p_two * 0.75, Basis::NotRefuted);
    check(Sign::Greater, p_two * 0.75, Basis::NotProved);
    check(Sign::Less, p_two * 0.5, Basis::NotProved);
    check(Sign::Equal, p_two, Basis::NotRefuted);
    // A limit over a half proves nothing on the wrong side.
    check(Sign::Greater, 1.0, Basis::NotProved);
    check(Sign::GreaterOrEqual, 1.0, Basis::Refuted);
}

#[test]
fn constants_multiply_before_the_comparison() {
    let verdict = evaluate(Sign::Equal, 2.0, 1.0, &[35, 35, 35], &[70, 70], LIMIT).unwrap();
    assert_eq!((verdict.basis, verdict.p_value), (Basis::NotRefuted, 1.0));
    let verdict = evaluate(Sign::LessOrEqual, 1.0, 2.0, &[10, 12, 14, 30], &[6, 7, 8], LIMIT).unwrap();
    assert_eq!((verdict.left.mean_ns, verdict.left.median_ns, verdict.left.n), (16.5, 13.0, 4));
    assert_eq!((verdict.right.mean_ns, verdict.right.median_ns, verdict.right.sd_ns), (14.0, 14.0, 2.0));
    let ratio = verdict.ratio.unwrap();
    assert_eq!(ratio.value, 16.5 / 14.0);
    assert!(ratio.low < ratio.value && ratio.value < ratio.high);
}

#[test]
fn an_evaluation_counts_by_its_basis() {
    let check = |sign: &str, left: &[u64], right: &[u64], expected| {
        for leftover in [false, true] {
            let evaluation = Evaluation {
                comparison: 0,
                bucket: Bucket::All,
                verdict: evaluate(sign.parse().unwrap(), 1.0, 1.0, left, right, LIMIT),
                leftover,
                n_left: left.len() as u64,
                n_right: right.len() as u64,
                drops: 0,
                so_far: None,
            };
            assert_eq!(evaluation.standing(), expected, "{left:?} {sign} {right:?}");
            assert_eq!(evaluation.n_smaller(), left.len().min(right.len()) as u64);
        }
    };
    check("<", &[10, 11, 12], &[20, 21, 22], Standing::Holds);
    check("=", &[10, 11, 12], &[10, 11, 13], Standing::Holds);
    check("<", &[10, 11, 12], &[10, 11, 13], Standing::Fails);
    check("=", &[10, 11, 12], &[20, 21, 22], Standing::Fails);
    check("=", &[10, 11, 12], &[20], Standing::Undecided);
}

#[test]
fn what_cannot_be_judged_says_why() {
    let check = |left: &[u64], right: &[u64], factor, limit, expected| {
        assert_eq!(evaluate(Sign::Less, factor, 1.0, left, right, limit), Err(expected));
    };
    check(&[1], &[1, 2], 1.0, LIMIT, NotEvaluated::TooFewSamples { left: 1, right: 2 });
    check(&[1, 2], &[], 1.0, LIMIT, NotEvaluated::TooFewSamples { left: 2, right: 0 });
    check(&[1, 2], &[1, 2], 1.0, 1.5, NotEvaluated::BadLimit);
    check(&[1, 2], &[1, 2], 1.0, f64::NAN, NotEvaluated::BadLimit);
    check(&[1, 2], &[1, 2], f64::NAN, LIMIT, NotEvaluated::OutOfRange);
    check(&[1, 2], &[1, 2], 1e308, LIMIT, NotEvaluated::OutOfRange);
    check(&[1, 2], &[1, 2], 1e-200, LIMIT, NotEvaluated::OutOfRange);
}

fn times() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(0_u64..10_000, 2..30)
}

fn sign() -> impl Strategy<Value = Sign> {
    proptest::sample::select(Sign::ALL.to_vec())
}

fn close(one: f64, two: f64) -> bool {
    one == two || (one - two).abs() <= 1e-9 * one.abs().max(two.abs())
}

proptest! {
    #[test]
    fn swapped_sides_and_sign_say_the_same(sign in sign(), left in times(), right in times()) {
        let (one, two) = (judged(sign, &left, &right, LIMIT), judged(sign.mirrored(), &right, &left, LIMIT));
        prop_assert_eq!((one.basis, one.p_value), (two.basis, two.p_value));
        if let (Some(one), Some(two)) = (one.ratio, two.ratio) {
            prop_assert!(close(one.value, 1.0 / two.value) && close(one.low, 1.0 / two.high));
        }
    }

    #[test]
    fn a_common_factor_changes_nothing(left in times(), right in times(), factor in 0.001..1000.0_f64, exponent in -9_i32..9) {
        let scaled = |factor| evaluate(Sign::Equal, factor, factor, &left, &right, LIMIT).unwrap();
        let plain = scaled(1.0);
        prop_assert_eq!(scaled(2_f64.powi(exponent)).p_value, plain.p_value);
        // With equal means t is rounding noise, and the p-value is 1 up to that.
        let by_factor = scaled(factor).p_value;
        prop_assert!(close(by_factor, plain.p_value) || (by_factor - plain.p_value).abs() < 1e-12);
    }

    /// t = (x̄ − k·ȳ)/√(a + k²·b) falls as k rises, for any times; so does p where the degrees of freedom
    /// stay the same.
    #[test]
    fn a_greater_right_constant_makes_less_likelier(left in times(), right in times(), factor in 0.5..2.0_f64) {
        let at = |right: &[u64], factor| evaluate(Sign::Less, 1.0, factor, &left, right, LIMIT).unwrap();
        let (small, large) = (at(&right, factor).welch.t, at(&right, factor * 1.25).welch.t);
        prop_assert!(large <= small || close(large, small) || large.is_nan() || small.is_nan());
        let constant = [right[0]; 5];
        let (small, large) = (at(&constant, factor), at(&constant, factor * 1.25));
        prop_assert!(large.p_value <= small.p_value + 1e-12 && (large.holds || !small.holds));
    }

    #[test]
    fn never_a_panic_and_never_nonsense(
        sign in sign(), left in proptest::collection::vec(any::<u64>(), 0..5),
        right in proptest::collection::vec(any::<u64>(), 0..5),
        one in any::<f64>(), two in any::<f64>(), limit in any::<f64>(),
    ) {
        if let Ok(verdict) = evaluate(sign, one, two, &left, &right, limit) {
            prop_assert!((0.0..=1.0).contains(&verdict.p_value));
            prop_assert_eq!(verdict.holds, verdict.basis.holds());
        }
    }
}
