//! Welch's test and Student's distribution against reference values computed with 30 and more digits.

#![expect(clippy::unwrap_used, reason = "the data files are part of the test")]

use serde::Deserialize;
use spl_stats::{Summary, Welch, student_upper, welch};
use std::collections::HashMap;

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kl: f64,
    kr: f64,
    left: Option<Vec<f64>>,
    right: Option<Vec<f64>>,
    generate: Option<Generate>,
    #[serde(default)]
    rtol: HashMap<String, f64>,
    expected_decimal30: HashMap<String, String>,
    degenerate: bool,
}

#[derive(Deserialize)]
struct Generate {
    left: Lcg,
    right: Lcg,
}

/// A linear congruential generator: value = base + step·(state >> shift).
#[derive(Deserialize)]
struct Lcg {
    seed: u64,
    n: usize,
    shift: u32,
    base: f64,
    step: f64,
}

impl Lcg {
    fn values(&self) -> Vec<f64> {
        let mut state = self.seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.base + self.step * (state >> self.shift) as f64
        };
        (0..self.n).map(|_| next()).collect()
    }
}

impl Case {
    fn sides(&self) -> (Summary, Summary) {
        let side = |values: &Option<Vec<f64>>, generate: Option<&Lcg>, factor| {
            let values = values.clone().or_else(|| generate.map(Lcg::values)).unwrap();
            Summary::of(values).unwrap().scaled(factor).unwrap()
        };
        let generate = self.generate.as_ref();
        (
            side(&self.left, generate.map(|g| &g.left), self.kl),
            side(&self.right, generate.map(|g| &g.right), self.kr),
        )
    }

    fn expected(&self, quantity: &str) -> f64 {
        self.expected_decimal30[quantity].parse().unwrap()
    }

    fn check(&self, quantity: &str, tolerance: &str, got: f64) {
        let (expected, tolerance) =
            (self.expected(quantity), self.rtol.get(tolerance).copied().unwrap_or(0.0));
        let both_nan = expected.is_nan() && got.is_nan();
        let close = got == expected || (got - expected).abs() <= tolerance * expected.abs();
        assert!(both_nan || close, "{}: {quantity} is {got:e}, not {expected:e}", self.name);
    }
}

#[test]
fn every_vector_is_met() {
    let vectors: Vectors = serde_json::from_str(include_str!("data/welch_vectors.json")).unwrap();
    assert_eq!(vectors.cases.len(), 32);
    for case in &vectors.cases {
        let (left, right) = case.sides();
        case.check("mean1", "mean", left.mean());
        case.check("mean2", "mean", right.mean());
        case.check("var1", "var", left.variance());
        case.check("var2", "var", right.variance());
        let Welch { t, df, p_less, p_greater, p_two } = welch(&left, &right);
        assert_eq!(df.is_nan(), case.degenerate, "{}", case.name);
        case.check("t", "t", t);
        case.check("df", "df", df);
        case.check("p_less", "p", p_less);
        case.check("p_greater", "p", p_greater);
        case.check("p_two", "p", p_two);
    }
}

#[derive(Deserialize)]
struct Tails {
    cases: Vec<Tail>,
}

#[derive(Deserialize)]
struct Tail {
    t: f64,
    df: f64,
    upper: String,
}

#[test]
fn student_tails_are_exact_from_centre_to_underflow() {
    let tails: Tails = serde_json::from_str(include_str!("data/student_upper.json")).unwrap();
    let mut worst = (0.0, 0.0, 0.0);
    for Tail { t, df, upper } in &tails.cases {
        let expected: f64 = upper.parse().unwrap();
        let error = ((student_upper(*t, *df) - expected) / expected).abs();
        worst = if error > worst.0 { (error, *t, *df) } else { worst };
        let lower = student_upper(-*t, *df);
        assert!((lower + expected - 1.0).abs() < 1e-15, "t {t}, df {df}: the other tail is {lower}");
    }
    assert!(worst.0 < 4e-13, "relative error {:e} at t {}, df {}", worst.0, worst.1, worst.2);
}
