//! The five signs against reference verdicts, for every vector whose times can be written as whole numbers.

use serde::Deserialize;
use spl_verdict::evaluate;
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
    alpha: f64,
    verdicts: HashMap<String, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    holds: bool,
    p: f64,
    basis: String,
}

/// The values as whole numbers and the unit in which they are: 12.5 is 125 tenths. Six decimals are the most.
fn whole(values: &[f64]) -> Option<(Vec<u64>, f64)> {
    (0..=6).find_map(|decimals| {
        let unit = 10_f64.powi(decimals);
        let near = |value: f64| {
            value >= 0.0 && (value * unit - (value * unit).round()).abs() <= 1e-7 && value * unit < 1e15
        };
        let whole = || values.iter().map(|value| (value * unit).round() as u64).collect();
        values.iter().all(|&value| near(value)).then(|| (whole(), unit.recip()))
    })
}

#[test]
fn reference_verdicts_are_met() {
    let vectors = include_str!("../../stats/tests/data/welch_vectors.json");
    let vectors: Vectors = serde_json::from_str(vectors).unwrap();
    let mut judged = 0;
    for case in &vectors.cases {
        let (Some(left), Some(right)) = (&case.left, &case.right) else { continue };
        let (Some((left, left_unit)), Some((right, right_unit))) = (whole(left), whole(right)) else {
            continue;
        };
        // Values near 0 would be rounded to zeros; they are not times in any unit.
        if left.iter().chain(&right).all(|&time| time == 0) {
            continue;
        }
        for (sign, expected) in &case.verdicts {
            let (kl, kr) = (case.kl * left_unit, case.kr * right_unit);
            let got = evaluate(sign.parse().unwrap(), kl, kr, &left, &right, case.alpha).unwrap();
            let name = &case.name;
            assert_eq!(
                (got.holds, got.basis.to_string()),
                (expected.holds, expected.basis.clone()),
                "{name} {sign}"
            );
            let close = (got.p_value - expected.p).abs() <= 1e-9 * expected.p;
            assert!(close, "{name} {sign}: p is {:e}, not {:e}", got.p_value, expected.p);
        }
        judged += 1;
    }
    assert_eq!(judged, 25);
}
