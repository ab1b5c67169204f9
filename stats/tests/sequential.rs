//! The sequential mode compared with reference looks, and in an operator's use: window by window.

#![expect(clippy::unwrap_used, reason = "helpers of tests; the data file is part of the test")]

use serde::Deserialize;
use spl_stats::sequential::{Decision, Look, Sequential, Settings, SettingsError};

#[derive(Deserialize)]
struct Case {
    name: String,
    x: Vec<f64>,
    y: Vec<f64>,
    bound: f64,
    tau: f64,
    alpha: f64,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    n: u64,
    ratio: f64,
    ci: [f64; 2],
    tau_int: f64,
    n_eff: f64,
    #[serde(rename = "V")]
    variance: f64,
    df: f64,
    log_e_violated: f64,
    log_e_holds: f64,
    z: f64,
    verdict_le: String,
}

/// Feeds all pairs in windows of `size` pairs; returns the last look and the first decided one.
fn run(settings: Settings, x: &[f64], y: &[f64], size: usize) -> (Look, Option<Look>) {
    let mut sequential = Sequential::new(settings);
    let looks: Vec<Look> =
        x.chunks(size).zip(y.chunks(size)).filter_map(|(x, y)| sequential.close_window(x, y)).collect();
    let decided = looks.iter().find(|look| look.decision != Decision::Undecided).copied();
    (*looks.last().unwrap(), decided)
}

#[test]
fn reference_looks_are_met() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("data/sequential_vectors.json")).unwrap();
    assert_eq!(cases.len(), 6);
    for Case { name, x, y, bound, tau, alpha, expected } in cases {
        // One look at the end, like the reference: a single window may decide.
        let settings = Settings { min_windows: 1, ..Settings::new(bound, alpha).unwrap() };
        assert_eq!(settings.tau, tau);
        let (look, _) = run(settings, &x, &y, x.len());
        let check = |what: &str, got: f64, expected: f64| {
            assert!((got / expected - 1.0).abs() < 1e-10, "{name}: {what} is {got}, not {expected}");
        };
        check("ratio", look.estimate.ratio, expected.ratio);
        check("lower end", look.low, expected.ci[0]);
        check("upper end", look.high, expected.ci[1]);
        check("autocorrelation time", look.estimate.tau_int, expected.tau_int);
        check("effective n", look.estimate.n_eff, expected.n_eff);
        check("variance", look.estimate.variance, expected.variance);
        check("df", look.estimate.df, expected.df);
        check("e above", look.evidence.ln_e_above, expected.log_e_violated);
        check("e below", look.evidence.ln_e_below, expected.log_e_holds);
        check("z", look.evidence.z, expected.z);
        let decision = match expected.verdict_le.as_str() {
            "violated" => Decision::Above,
            "holds" => Decision::Below,
            _ => Decision::Undecided,
        };
        assert_eq!((look.estimate.n, look.decision), (expected.n, decision), "{name}");
    }
}

/// Uniform on [0, 1), reproducible.
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn times(&mut self, n: usize, scale: f64) -> Vec<f64> {
        (0..n).map(|_| scale * (0.5 + self.next())).collect()
    }
}

#[test]
fn nothing_is_decided_before_enough_windows_and_pairs() {
    let mut random = Uniform(1);
    let (x, y) = (random.times(400, 1000.0), random.times(400, 2000.0));
    let settings = Settings::new(1.0, 0.05).unwrap();
    // With ten pairs a window, 20 windows come after 50 effective pairs. With one pair a window they come
    // before.
    for size in [10, 1] {
        let mut sequential = Sequential::new(settings);
        for (x, y) in x.chunks(size).zip(y.chunks(size)) {
            let Some(look) = sequential.close_window(x, y) else { continue };
            let enough = look.windows >= 20 && look.estimate.n_eff >= 50.0;
            assert_eq!(look.decision != Decision::Undecided, enough, "{look:?}");
            if enough {
                break;
            }
        }
    }
    let (_, decided) = run(settings, &x, &y, 10);
    assert_eq!(decided.map(|look| (look.windows, look.decision)), Some((20, Decision::Below)));
}

#[test]
fn the_first_look_comes_with_the_fiftieth_pair() {
    let mut sequential = Sequential::new(Settings::new(1.0, 0.05).unwrap());
    let first = (1..).find(|_| sequential.close_window(&[10.0], &[11.0]).is_some());
    assert_eq!(first, Some(50));
}

#[test]
fn a_decision_stays() {
    let mut random = Uniform(2);
    let mut sequential = Sequential::new(Settings::new(1.0, 0.05).unwrap());
    for _ in 0..40 {
        sequential.close_window(&random.times(5, 1500.0), &random.times(5, 1000.0));
    }
    assert_eq!(sequential.decision(), Decision::Above);
    // Pure noise reduces the evidence again, but does not change the decision.
    let noise = [1.0, 1e4, 1.0, 1e4, 1.0, 1e4];
    let look = (0..100).filter_map(|_| sequential.close_window(&noise[..5], &noise[1..])).last().unwrap();
    assert!(look.evidence.ln_e_above < 1.0 && look.estimate.n_eff > 50.0, "{look:?}");
    assert_eq!(look.decision, Decision::Above);
}

#[test]
fn sides_swap() {
    let mut random = Uniform(3);
    let (x, y) = (random.times(300, 1000.0), random.times(300, 1100.0));
    let settings = Settings::new(1.0, 0.05).unwrap();
    let ((one, _), (two, _)) = (run(settings, &x, &y, 5), run(settings, &y, &x, 5));
    assert!((one.evidence.ln_e_above / two.evidence.ln_e_below - 1.0).abs() < 1e-9);
    assert!((one.low * two.high - 1.0).abs() < 1e-9);
    assert_eq!((one.decision, two.decision), (Decision::Below, Decision::Above));
}

#[test]
fn rare_long_calls_are_said_to_matter() {
    let mut random = Uniform(4);
    let (mut x, y) = (random.times(1000, 1000.0), random.times(1000, 1000.0));
    let settings = Settings::new(1.0, 0.05).unwrap();
    assert!(!run(settings, &x, &y, 10).0.tail_dependent);
    for spike in x.iter_mut().skip(100).step_by(100) {
        *spike = 1e6;
    }
    let (look, _) = run(settings, &x, &y, 10);
    assert!(look.tail_dependent && look.clipped == 9, "{look:?}");
    assert!(look.raw_ratio > 5.0 && look.estimate.ratio < 1.2, "{look:?}");
}

#[test]
fn surplus_samples_are_counted_and_unused() {
    let mut sequential = Sequential::new(Settings::new(1.0, 0.05).unwrap());
    for _ in 0..60 {
        sequential.close_window(&[10.0, 11.0, 12.0], &[10.0]);
    }
    let look = sequential.close_window(&[], &[5.0]).unwrap();
    assert_eq!((look.estimate.n, look.windows, sequential.unpaired()), (60, 60, 121));
    assert_eq!(look.decision, Decision::Undecided);
}

/// Looking after every window must not raise the rate of wrong decisions over alpha: the purpose of the mode.
#[test]
fn equal_methods_are_seldom_told_apart_however_often_one_looks() {
    const RUNS: u64 = 100;
    let settings = Settings::new(1.0, 0.05).unwrap();
    let wrong = (0..RUNS).filter(|&seed| {
        let mut random = Uniform(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed + 1));
        let (x, y) = (random.times(400, 1000.0), random.times(400, 1000.0));
        run(settings, &x, &y, 10).1.is_some()
    });
    // Each direction may err with 5%; 10 of 100 is their sum.
    let wrong = wrong.count();
    assert!(wrong <= 10, "{wrong} of {RUNS}");
}

#[test]
fn impossible_settings_are_refused() {
    assert_eq!(Settings::new(0.0, 0.05), Err(SettingsError::Bound(0.0)));
    assert_eq!(Settings::new(f64::INFINITY, 0.05), Err(SettingsError::Bound(f64::INFINITY)));
    assert_eq!(Settings::new(1.0, 1.0), Err(SettingsError::Alpha(1.0)));
    assert!(Settings::new(f64::NAN, 0.05).is_err() || Settings::new(1.0, f64::NAN).is_err());
}
