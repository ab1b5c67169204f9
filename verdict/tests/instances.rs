//! Claims over several instances of a program, with deterministic times.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test is about some of the values")]

use spl_lang::{RunMode, parse_file};
use spl_model::Bucket;
use spl_verdict::{Claim, History, NotEvaluated, Rules, Ruling, Truth, Turn};
use std::collections::BTreeMap;

const RULES: Rules = Rules { level: 0.05, equal_within: 0.05, rare_calls: None };

fn claim(text: &str) -> Claim {
    let text = format!("let f = p/A.f()V\nlet g = p/A.g()V\n{text}\n");
    let parsed = parse_file(&text, RunMode::Comparison).expect("it is a task file");
    let program = parsed.check(&text, &mut |_| Vec::new()).expect("all methods are named exactly");
    let comparison = program.tasks.comparisons.first().map(Claim::from);
    comparison.unwrap_or_else(|| Claim::from(&program.assertions[0]))
}

/// Uniform from 90 to 110% of a mean.
fn even(mean: f64, seed: u64) -> u64 {
    let mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mean * (0.9 + 0.2 * (mixed >> 40) as f64 / (1_u64 << 24) as f64)) as u64
}

/// This number of windows of each instance, whose mean times of both methods are given, in turns.
fn history(instances: &[[f64; 2]], windows: u64) -> History {
    let mut history = History::new(2);
    let ids: Vec<usize> = (0..instances.len()).map(|at| history.instance(&format!("i{at}"))).collect();
    for round in 0..windows {
        for (&instance, means) in ids.iter().zip(instances) {
            let window = 1 + round * instances.len() as u64 + instance as u64;
            for (method, mean) in means.iter().enumerate() {
                let time = |call: u64| even(*mean, window * 1000 + call * 10 + method as u64);
                let calls = BTreeMap::from([(Bucket::All, (0..6).map(time).collect())]);
                history.add(method, Turn { instance, window, began_ns: window, calls, ..Turn::default() });
            }
        }
    }
    history
}

fn rule(text: &str, history: &History) -> (Truth, Ruling) {
    let ruling = claim(text).rule(history, &RULES);
    (ruling.evidence.truth(0.05), ruling)
}

fn why(ruling: &Ruling) -> String {
    match ruling.open() {
        NotEvaluated::Open { why, .. } => why,
        other => other.to_string(),
    }
}

const ALIKE: [f64; 2] = [8_000.0, 10_000.0];
const SIX: [[f64; 2]; 6] = [ALIKE; 6];

#[test]
fn six_instances_decide_with_a_sixth_of_the_windows_of_each() {
    assert_eq!(rule("f < g", &history(&SIX, 12)).0, Truth::True);
    assert_eq!(rule("f > g", &history(&SIX, 12)).0, Truth::False);
    let (truth, ruling) = rule("f < g", &history(&SIX[..1], 12));
    assert_eq!((truth, why(&ruling).contains("50 windows")), (Truth::Undecided, true), "{}", why(&ruling));
    assert_eq!(ruling.instances, None);
}

#[test]
fn instances_that_disagree_are_no_proof_however_long_they_are_measured() {
    let mut six = SIX;
    six[1] = [12_000.0, 10_000.0];
    six[4] = [12_500.0, 10_000.0];
    let (truth, ruling) = rule("f < g", &history(&six, 400));
    assert_eq!(truth, Truth::Undecided);
    assert!(why(&ruling).contains("the 6 instances differ from each other"), "{}", why(&ruling));
    let found = ruling.instances.expect("there are several");
    assert!(found.spread() > 0.15, "{found:?}");
    let (truth, ruling) = rule("f > g", &history(&six, 400));
    assert_eq!(truth, Truth::Undecided);
    assert!(why(&ruling).contains("the 6 instances differ from each other"), "{}", why(&ruling));
    // Thrown into one pot they would be one.
    let mut pot = History::new(2);
    for window in 1..=2400_u64 {
        for (method, mean) in six[(window % 6) as usize].iter().enumerate() {
            let calls = (0..6).map(|call| even(*mean, window * 1000 + call * 10 + method as u64)).collect();
            let calls = BTreeMap::from([(Bucket::All, calls)]);
            pot.add(method, Turn { window, began_ns: window, calls, ..Turn::default() });
        }
    }
    assert_eq!(rule("f < g", &pot).0, Truth::True);
}

#[test]
fn the_slow_and_the_odd_instance_are_named() {
    let mut six = SIX;
    six[3] = [16_800.0, 21_000.0];
    let (truth, ruling) = rule("f < g", &history(&six, 20));
    assert_eq!(truth, Truth::True, "its ratio is that of the others");
    let odd = ruling.instances.expect("there are several").oddities();
    assert_eq!(odd.len(), 1, "{odd:?}");
    assert!(odd[0].starts_with("i3 is slower than the other instances: its calls take 2.1 times"), "{odd:?}");
    six[3] = [16_000.0, 10_000.0];
    let odd = rule("f < g", &history(&six, 20)).1.instances.expect("there are several").oddities();
    assert!(
        odd.iter().any(|one| one.starts_with("i3 differs from the other instances: its ratio is 1.60")),
        "{odd:?}"
    );
}

#[test]
fn the_ratio_of_an_instance_has_no_factors_of_the_claim() {
    let found = rule("f <= 2 * g", &history(&SIX, 20)).1.instances.expect("there are several");
    for one in &found.each {
        assert!((one.ratio - 0.8).abs() < 0.02 && one.low < 0.8 && one.high > 0.8, "{one:?}");
        let [left_ns, right_ns] = one.means_ns;
        assert!((left_ns - 8_000.0).abs() < 200.0 && (right_ns - 10_000.0).abs() < 200.0, "{one:?}");
    }
    let found =
        rule("assert \"bound\": 2 * f <= 20 us", &history(&SIX, 20)).1.instances.expect("there are several");
    assert!(found.each.iter().all(|one| (one.ratio - 0.8).abs() < 0.02), "{found:?}");
}

#[test]
fn an_instance_has_the_figures_that_it_would_have_alone() {
    // Some calls of one side take 30 times as long, and the probe takes a part of each, in each instance another one.
    let of = |instances: &[usize]| {
        let mut history = History::new(2);
        instances.iter().for_each(|&at| history.probe_takes(&format!("i{at}"), 300.0 + 300.0 * at as f64));
        for window in 1..=60_u64 {
            for &at in instances {
                let instance = history.instance(&format!("i{at}"));
                for (method, mean) in [(0, 8_000.0), (1, 10_000.0)] {
                    let long = |call: u64| if method == 1 && call == 3 && window % 4 == 0 { 30 } else { 1 };
                    let time = |call: u64| {
                        long(call) * even(mean, window * 997 + call * 10 + method as u64 + 7 * at as u64)
                    };
                    let calls = BTreeMap::from([(Bucket::All, (0..6).map(time).collect())]);
                    let window = window * 3 + at as u64;
                    history
                        .add(method, Turn { instance, window, began_ns: window, calls, ..Turn::default() });
                }
            }
        }
        history
    };
    let found = rule("f < g", &of(&[0, 1, 2])).1.instances.expect("there are several");
    for (at, one) in found.each.iter().enumerate() {
        let alone = rule("f < g", &of(&[at])).1.look.expect("it was called");
        assert_eq!([one.ratio, one.low, one.high], alone.so_far(), "{at}");
    }
}

#[test]
fn an_instance_with_many_calls_counts_once() {
    // The fast machine has more windows, and calls the left method more often.
    let mut history = history(&[[9_000.0, 9_000.0], [27_000.0, 27_000.0]], 60);
    for window in 1000..1400_u64 {
        let calls = |n: u64| {
            BTreeMap::from([(Bucket::All, (0..n).map(|call| even(9_000.0, window * 91 + call)).collect())])
        };
        for (method, n) in [(0, 30), (1, 3)] {
            let turn = Turn { instance: 0, window, began_ns: window, calls: calls(n), ..Turn::default() };
            history.add(method, turn);
        }
    }
    let look = rule("f < g", &history).1.look.expect("both were called");
    assert!((look.ratio - 1.0).abs() < 0.02, "{}", look.ratio);
}

#[test]
fn instances_can_be_asked_for_one_by_one() {
    let mut six = SIX;
    let all = history(&six, 80);
    assert_eq!(rule("assert \"all\": for all instances: f < g", &all).0, Truth::True);
    assert_eq!(rule("assert \"some\": for some instance: f > g", &all).0, Truth::False);
    six[5] = [15_000.0, 10_000.0];
    let one_is_bad = history(&six, 80);
    let (truth, ruling) = rule("assert \"all\": for all instances: f < g", &one_is_bad);
    assert_eq!(truth, Truth::False);
    let names: Vec<_> = ruling.parts.iter().filter_map(|part| part.instance.as_deref()).collect();
    assert_eq!(names, ["i0", "i1", "i2", "i3", "i4", "i5"]);
    let against =
        ruling.parts.iter().filter(|part| part.judged.as_ref().is_ok_and(|one| one.evidence.p_false < 0.05));
    assert_eq!(against.filter_map(|part| part.instance.as_deref()).collect::<Vec<_>>(), ["i5"]);
    assert_eq!(rule("assert \"some\": for some instance: f > g", &one_is_bad).0, Truth::True);
    // The one that a claim about each of them fails in, also where the formula is the contrary of its comparison.
    let named = |text: &str| {
        let (truth, ruling) = rule(text, &one_is_bad);
        assert_eq!(truth, Truth::False, "{text}");
        ruling.instance
    };
    assert_eq!(named("assert \"a\": for all instances: f < g").as_deref(), Some("i5"));
    assert_eq!(named("assert \"a\": for all instances: !(f > g)").as_deref(), Some("i5"));
    assert_eq!(named("assert \"a\": !(for some instance: f > g)").as_deref(), Some("i5"));
    assert_eq!(named("assert \"a\": for all instances: (f < 1 us | f < g)").as_deref(), Some("i5"));
    assert_eq!(named("assert \"a\": for some instance: f < 1 us"), None);
    assert_ne!(named("assert \"a\": !(for some instance: f < g)").as_deref(), Some("i5"));
    // With few windows nothing is known of each, and without any there is no instance.
    let few = rule("assert \"all\": for all instances: f < g", &history(&six, 12));
    assert_eq!((few.0, why(&few.1).contains("50 windows")), (Truth::Undecided, true), "{}", why(&few.1));
    assert_eq!(rule("assert \"all\": for all instances: f < g", &History::new(2)).0, Truth::Undecided);
}

#[test]
fn medians_are_decided_when_every_instance_decides_alike() {
    let mut six = SIX;
    assert_eq!(rule("assert \"m\": median(f) < median(g)", &history(&six, 120)).0, Truth::True);
    six[2] = [10_000.0, 8_000.0];
    assert_eq!(rule("assert \"m\": median(f) < median(g)", &history(&six, 120)).0, Truth::Undecided);
}

#[test]
fn bounds_hold_for_the_mean_of_instances() {
    assert_eq!(rule("assert \"b\": f < 9 us", &history(&SIX, 12)).0, Truth::True);
    let mut six = SIX;
    six[0] = [40_000.0, 50_000.0];
    assert_eq!(rule("assert \"b\": f < 9 us", &history(&six, 100)).0, Truth::Undecided);
}

#[test]
fn a_verdict_over_instances_has_figures() {
    let history = history(&SIX, 12);
    let claim = claim("p/A.f()V < p/A.g()V");
    let ruling = claim.rule(&history, &RULES);
    let verdict = claim.verdict(&ruling, Truth::True, 0.01, &history, &RULES).expect("it is decided");
    assert_eq!((verdict.left.n, verdict.right.n), (432, 432));
    let ratio = verdict.ratio.expect("means are positive");
    assert!(ratio.low < 0.8 && 0.8 < ratio.high && (ratio.value - 0.8).abs() < 0.02, "{ratio:?}");
    assert!((verdict.left.mean_ns - 8_000.0).abs() < 100.0, "{:?}", verdict.left);
    // The instances are the observations.
    assert_eq!(verdict.welch.df, 5.0);
}
