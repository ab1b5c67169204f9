//! The sequential mode from the operator's view: windows go in, a decision comes out.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use proptest::prelude::*;
use spl_lang::Sign;
use spl_verdict::{Basis, NotEvaluated, SequentialComparison, SettingsError, Truth};

const ALPHA: f64 = 0.05;
const WINDOW: usize = 15;

/// Times around `scale` ns, spread over ±50%, reproducible.
fn times(seed: u64, scale: u64, n: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        scale / 2 + (state >> 40) % scale
    };
    (0..n).map(|_| next()).collect()
}

struct Ran {
    comparison: SequentialComparison,
    truth: Truth,
    left: Vec<u64>,
    right: Vec<u64>,
}

fn run(sign: Sign, margin: Option<f64>, scales: (u64, u64), factor: f64, n: usize) -> Ran {
    let mut comparison = SequentialComparison::new(sign, factor, 1.0, ALPHA, margin).unwrap();
    let (left, right) = (times(1, scales.0, n), times(2, scales.1, n));
    let mut truth = Truth::Undecided;
    for (x, y) in left.chunks(WINDOW).zip(right.chunks(WINDOW)) {
        truth = comparison.close_window(x, y);
    }
    Ran { comparison, truth, left, right }
}

#[test]
fn signs_against_what_is_true() {
    use Truth::{False, True, Undecided};
    let check = |scales, expected: [Truth; 5]| {
        let got = Sign::ALL.map(|sign| run(sign, None, scales, 1.0, 600).truth);
        assert_eq!(got, expected, "{scales:?}");
    };
    check((1000, 1500), [True, True, False, False, False]);
    check((1500, 1000), [False, False, False, True, True]);
    check((1000, 1000), [Undecided; 5]);
}

#[test]
fn equality_within_a_margin_can_be_proved() {
    let check = |scales, margin, expected| {
        assert_eq!(run(Sign::Equal, Some(margin), scales, 1.0, 3000).truth, expected, "{scales:?}");
    };
    check((1000, 1000), 0.1, Truth::True);
    check((1000, 1030), 0.1, Truth::True);
    check((1000, 1500), 0.1, Truth::False);
    check((1500, 1000), 0.1, Truth::False);
    check((1000, 1100), 0.1, Truth::Undecided);
}

/// Left is 3% longer, so the upper end of the margin is nearer and its evidence weaker: the report has that
/// evidence.
#[test]
fn proved_equality_reports_the_weaker_end() {
    let Ran { comparison, left, right, .. } = run(Sign::Equal, Some(0.1), (1030, 1000), 1.0, 3000);
    let verdict = comparison.verdict(&left, &right).unwrap();
    assert_eq!(verdict.basis, Basis::Proved);
    let lower_end = (-comparison.look().unwrap().evidence.ln_e_above).exp();
    assert!(verdict.p_value > lower_end && verdict.p_value <= ALPHA, "{verdict:?}");
}

#[test]
fn a_decision_becomes_a_verdict() {
    let Ran { comparison, left, right, .. } = run(Sign::LessOrEqual, None, (1000, 1000), 1.5, 600);
    let verdict = comparison.verdict(&left, &right).unwrap();
    assert_eq!((verdict.basis, verdict.holds), (Basis::Refuted, false));
    assert!(verdict.p_value <= ALPHA && verdict.p_value > verdict.welch.p_two, "{verdict:?}");
    let ratio = verdict.ratio.unwrap();
    assert!(1.0 < ratio.low && ratio.low < ratio.value && ratio.value < ratio.high, "{ratio:?}");
    assert_eq!((ratio.confidence, verdict.left.factor, verdict.left.n), (0.9, 1.5, 600));
}

/// `=` can err in two directions, which share alpha: no decision has weaker evidence, with one pair at a
/// time.
#[test]
fn two_directions_share_the_error() {
    for (margin, right) in [(None, 1120), (None, 880), (Some(0.1), 1280), (Some(0.1), 780)] {
        for seed in 10..14 {
            let mut comparison = SequentialComparison::new(Sign::Equal, 1.0, 1.0, ALPHA, margin).unwrap();
            let (x, y) = (times(seed, 1000, 1500), times(seed + 100, right, 1500));
            let pairs =
                x.iter().zip(&y).find(|&(&x, &y)| comparison.close_window(&[x], &[y]) == Truth::False);
            assert!(pairs.is_some(), "margin {margin:?}, right {right}, seed {seed}");
            let verdict = comparison.verdict(&x, &y).unwrap();
            assert!(verdict.p_value <= ALPHA, "margin {margin:?}, right {right}: {}", verdict.p_value);
            assert_eq!(verdict.ratio.unwrap().confidence, 1.0 - ALPHA);
            if right > 1000 {
                let evidence = comparison.look().unwrap().evidence;
                assert_eq!(verdict.p_value, 2.0 * (-evidence.ln_e_below).exp());
            }
        }
    }
}

#[test]
fn no_decision_is_no_verdict() {
    let Ran { comparison, left, right, .. } = run(Sign::Less, None, (1000, 1000), 1.0, 300);
    assert_eq!(comparison.verdict(&left, &right), Err(NotEvaluated::Undecided { windows: 20 }));
    let look = comparison.look().unwrap();
    assert!(look.low < 1.0 && 1.0 < look.high && !look.tail_dependent);
}

#[test]
fn swapped_sides_and_sign_decide_alike() {
    for sign in Sign::ALL {
        let decide = |sign, left: u64, right: u64| {
            let mut comparison = SequentialComparison::new(sign, 1.0, 1.0, ALPHA, Some(0.1)).unwrap();
            let sides = (times(left, 1000 * left, 400), times(right, 1000 * right, 400));
            for (x, y) in sides.0.chunks(WINDOW).zip(sides.1.chunks(WINDOW)) {
                comparison.close_window(x, y);
            }
            (comparison.truth(), comparison.verdict(&sides.0, &sides.1).map(|verdict| verdict.basis))
        };
        assert_eq!(decide(sign, 3, 4), decide(sign.mirrored(), 4, 3), "{sign}");
    }
}

#[test]
fn impossible_settings_are_refused() {
    let check = |alpha, margin, expected| {
        let got = SequentialComparison::new(Sign::Equal, 1.0, 1.0, alpha, margin);
        assert_eq!(got.err(), Some(expected));
    };
    check(0.0, None, SettingsError::Alpha(0.0));
    check(0.05, Some(f64::INFINITY), SettingsError::Bound(0.0));
}

proptest! {
    #[test]
    fn never_a_panic_and_never_nonsense(
        windows in proptest::collection::vec(
            (proptest::collection::vec(any::<u64>(), 0..6), proptest::collection::vec(any::<u64>(), 0..6)), 0..40,
        ),
        one in any::<f64>(), two in any::<f64>(), sign in proptest::sample::select(Sign::ALL.to_vec()),
    ) {
        for factors in [(one, two), (1.0, 1.0)] {
            let mut comparison = SequentialComparison::new(sign, factors.0, factors.1, ALPHA, Some(0.1)).unwrap();
            for (left, right) in &windows {
                comparison.close_window(left, right);
            }
            if let Some(look) = comparison.look() {
                prop_assert!(look.low <= look.estimate.ratio && look.estimate.ratio <= look.high, "{:?}", look);
            }
        }
    }
}
