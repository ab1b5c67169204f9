//! Doubts that keep a claim of windows undecided, and their limits: rare bursts, sizes, ties of the clock,
//! load on both sides.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test is about some of the values")]

use spl_lang::{RunMode, parse_file};
use spl_model::{Bucket, Scale, Size};
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

fn rule(text: &str, history: &History) -> (Truth, String) {
    let ruling = claim(text).rule(history, &RULES);
    (ruling.evidence.truth(0.05), why(&ruling))
}

fn why(ruling: &Ruling) -> String {
    match ruling.open() {
        NotEvaluated::Open { why, .. } => why,
        other => other.to_string(),
    }
}

/// Windows with this number of calls of each side; `time` gives the duration of a call from its side, its
/// window and its number in it.
fn history(windows: u64, calls: u64, time: impl Fn(usize, u64, u64) -> u64) -> History {
    let mut history = History::new(2);
    for window in 1..=windows {
        for side in 0..2 {
            let durations = (0..calls).map(|call| time(side, window, call)).collect();
            let calls = BTreeMap::from([(Bucket::All, durations)]);
            history.add(side, Turn { window, began_ns: window, calls, ..Turn::default() });
        }
    }
    history
}

/// Windows of calls with sizes, in buckets from one power of two to the next.
fn sized(windows: u64, calls: u64, call: impl Fn(usize, u64, u64) -> (u64, u64)) -> History {
    let scale = Scale::logarithmic(2).expect("it is a scale");
    let mut history = History::new(2);
    for window in 1..=windows {
        for side in 0..2 {
            let mut turn = Turn { window, began_ns: window, ..Turn::default() };
            for (size, time) in (0..calls).map(|number| call(side, window, number)) {
                let bucket = scale.bucket(&Size::Value(size));
                turn.calls.entry(bucket.clone()).or_default().push(time);
                turn.sizes.entry(bucket).or_default().push(size);
            }
            history.add(side, turn);
        }
    }
    history
}

/// A number from 0 to 99, by a generator seeded with these numbers.
fn percent(side: usize, window: u64, call: u64) -> u64 {
    let mixed = (call ^ (window << 20) ^ ((side as u64 + 1) << 50)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed >> 33) % 100
}

/// From 95 to 105% of a mean.
fn about(mean: u64, side: usize, window: u64, call: u64) -> u64 {
    mean * (950 + percent(side, window, call)) / 1000
}

#[test]
fn a_mean_that_few_bursts_make_is_undecided_and_says_how_many_they_are() {
    // Bursts of 5 calls 100 times as long, four of them in 10,000 calls: 20% of the mean.
    let bursty = |bursts: u64| {
        history(100, 100, move |side, window, call| {
            let in_burst = side == 0 && window % (100 / bursts) == 7 % (100 / bursts) && call < 5;
            about(if in_burst { 800_000 } else { 8_000 }, side, window, call)
        })
    };
    let (truth, why) = rule("f < 13 us", &bursty(4));
    assert_eq!(truth, Truth::Undecided);
    assert!(why.contains("4 bursts of them were seen, and 20 are needed"), "{why}");
    // The bound is so far away that the few bursts need not be counted.
    assert_eq!(rule("f < 100 us", &bursty(4)).0, Truth::True);
    assert_eq!(rule("f < 7 us", &bursty(4)).0, Truth::False);
    // Twenty-five bursts of one call each, a fifth of the length, are enough.
    let many = history(100, 100, |side, window, call| {
        about(if side == 0 && window % 4 == 1 && call == 0 { 800_000 } else { 8_000 }, side, window, call)
    });
    assert_eq!(rule("f < 13 us", &many).0, Truth::True, "{}", rule("f < 13 us", &many).1);
}

#[test]
fn long_calls_of_the_long_side_alone_do_not_make_it_longer() {
    // Typical calls of f take longer; in some windows the machine delayed calls of g.
    let hit = |every: u64| {
        history(120, 40, move |side, window, call| {
            let is_hit = side == 1 && window % every == 3 && call < 20;
            let mean = if side == 0 { 10_500 } else { 10_000 };
            about(if is_hit { mean * 9 } else { mean }, side, window, call)
        })
    };
    let (truth, why) = rule("f < g", &hit(20));
    assert_eq!(truth, Truth::Undecided, "{why}");
    assert_eq!(rule("f < g", &hit(4)).0, Truth::True, "{}", rule("f < g", &hit(4)).1);
}

#[test]
fn five_bursts_of_many_calls_are_no_part_of_what_a_method_does() {
    // In 5 of 90 windows all calls of f take a hundred times as long: more than one call in twenty.
    let bursts = history(90, 20, |side, window, call| {
        about(if side == 0 && window % 18 == 7 { 1_000_000 } else { 10_000 }, side, window, call)
    });
    let (truth, why) = rule("f > g", &bursts);
    assert_eq!(truth, Truth::Undecided, "{why}");
    assert_ne!(rule("f <= g", &bursts).0, Truth::False);
}

#[test]
fn rare_long_calls_of_one_side_alone_are_its_own() {
    // One call in a thousand of f takes a hundred times as long: the means are 1.10 apart.
    let of = |windows: u64, of_g: u64| {
        history(windows, 100, move |side, window, call| {
            let is_long = match side {
                0 => call == 7 && window % 10 == 3,
                _ => call == 8 && of_g > 0 && window % of_g == 3,
            };
            about(if is_long { 1_000_000 } else { 10_000 }, side, window, call)
        })
    };
    let (truth, why) = rule("f <= 1.03 * g", &of(1000, 0));
    assert_eq!(truth, Truth::False, "{why}");
    assert_eq!(rule("f > 1.03 * g", &of(1000, 0)).0, Truth::True);
    let judged = claim("f <= 1.03 * g");
    let ruling = judged.rule(&of(1000, 0), &RULES);
    let [ratio, low, high] = judged.figure(&ruling, Truth::False, &RULES).unwrap();
    assert!(1.0 < low && low < ratio && ratio < high && ruling.look.unwrap().low < 1.0, "{ruling:?}");
    assert_eq!(rule("f > 10.3 us", &of(1000, 0)).0, Truth::True);
    assert_eq!(rule("f <= 1.3 * g", &of(1000, 0)).0, Truth::True);
    // Ten of them may have come by chance.
    assert_eq!(rule("f <= 1.03 * g", &of(100, 0)).0, Truth::Undecided);
    // Calls that are rather long on both sides do not matter.
    let wide = history(1000, 100, |side, window, call| {
        let is_long = side == 0 && call == 7 && window % 10 == 3;
        let mean = if percent(side + 7, window, call) < 4 { 50_000 } else { 10_000 };
        about(if is_long { 1_000_000 } else { mean }, side, window, call)
    });
    let (truth, why) = rule("f <= 1.03 * g", &wide);
    assert_eq!(truth, Truth::False, "{why}");
    // Where g has half as many, they may be the machine's.
    let (truth, why) = rule("f <= 1.03 * g", &of(1000, 20));
    assert_eq!(truth, Truth::Undecided, "{why}");
    assert_eq!(rule("f > 1.12 * g", &of(1000, 0)).0, Truth::Undecided);
}

#[test]
fn sizes_within_a_bucket_do_not_part_methods_that_are_alike() {
    // A call takes 10 ns for each unit of its size. Left has more of the large ones of a bucket.
    let of = |side: usize, window: u64, call: u64| {
        let large = percent(side, window, call + 1000) < if side == 0 { 80 } else { 20 };
        let size = if large { 1000 } else { 600 };
        (size, about(size * 10, side, window, call))
    };
    let alike = sized(100, 40, of);
    assert_eq!(rule("f <= g", &alike).0, Truth::Undecided);
    assert_eq!(rule("f = g", &alike).0, Truth::True, "{}", rule("f = g", &alike).1);
    assert_eq!(rule("median(f) <= median(g)", &alike).0, Truth::Undecided);
    // Without common sizes their difference is a doubt: 1.5 times the size may take 1.5 times as long.
    let apart = |times: u64| {
        sized(100, 40, move |side, window, call| {
            let size = if side == 0 { 900 } else { 600 };
            (size, about(6_000 * if side == 0 { times } else { 10 } / 10, side, window, call))
        })
    };
    assert_eq!(rule("f <= g", &apart(14)).0, Truth::Undecided);
    assert_eq!(rule("f <= g", &apart(17)).0, Truth::False);
}

#[test]
fn figures_beside_a_verdict_are_of_the_same_strata() {
    // Left is three times as quick for each size, and is called with large ones.
    let of = |side: usize, window: u64, call: u64| {
        let large = percent(side, window, call + 1000) < if side == 0 { 90 } else { 10 };
        let size = if large { 60_000 } else { 2_000 };
        (size, about(if side == 0 { size } else { 3 * size }, side, window, call))
    };
    let history = sized(100, 40, of);
    let claim = claim("f < g");
    let ruling = claim.rule(&history, &RULES);
    let truth = ruling.evidence.truth(0.05);
    assert_eq!(truth, Truth::True, "{}", why(&ruling));
    let verdict = claim.verdict(&ruling, truth, 0.01, &history, &RULES).expect("it is decided");
    assert!(verdict.welch.p_less < 0.01, "{:?}", verdict.welch);
    let ratio = verdict.left.mean_ns / verdict.right.mean_ns;
    assert!((ratio * 3.0 - 1.0).abs() < 0.02, "{ratio}");
    assert_eq!(ruling.look.expect("there are windows").sizes_differ, None);
}

#[test]
fn ratios_that_differ_between_sizes_are_named() {
    let of = |side: usize, window: u64, call: u64| {
        let size = if call.is_multiple_of(2) { 100 } else { 1000 };
        let slower = if side == 0 && size == 100 { 2 } else { 1 };
        (size, about(size * slower * 10, side, window, call))
    };
    let look = claim("f < g").rule(&sized(100, 40, of), &RULES).look.expect("there are windows");
    let (smallest, largest) = look.sizes_differ.expect("one size takes twice as long");
    assert!((smallest - 1.0).abs() < 0.02 && (largest - 2.0).abs() < 0.04, "{smallest} {largest}");
}

#[test]
fn only_ties_are_doubted_by_a_step_of_the_clock() {
    // A clock of 100 ns shows 250 ns as 200 or 300, each as often.
    let stepped = |left: u64, right: u64| {
        history(100, 40, move |side, window, call| {
            let time = if side == 0 { left } else { right };
            time / 100 * 100 + if percent(side, window, call) < time % 100 { 100 } else { 0 }
        })
    };
    assert_eq!(rule("f < g", &stepped(250, 300)).0, Truth::Undecided);
    assert_eq!(rule("f < g", &stepped(250, 340)).0, Truth::True, "{}", rule("f < g", &stepped(250, 340)).1);
    // Times that all show 200 may be anything from 150 to 250, and the clock may always be read at the same
    // phase.
    assert_eq!(rule("f < g", &stepped(200, 240)).0, Truth::Undecided);
    assert_eq!(rule("f < g", &stepped(200, 270)).0, Truth::True, "{}", rule("f < g", &stepped(200, 270)).1);
}

#[test]
fn load_that_both_sides_share_does_not_hide_a_difference_of_medians() {
    // The load changes slowly between 1 and 2; at each moment g takes 13% longer.
    let shared = |times: u64| {
        history(360, 20, move |side, window, call| {
            let phase = (window as f64 / 25.0 * std::f64::consts::TAU).sin();
            let mean = (15_000.0 + 5_000.0 * phase) as u64;
            about(mean * if side == 0 { 100 } else { times } / 100, side, window, call)
        })
    };
    let (truth, why) = rule("median(f) < median(g)", &shared(113));
    assert_eq!(truth, Truth::True, "{why}");
    assert_eq!(rule("median(f) < median(g)", &shared(100)).0, Truth::Undecided);
    // Comparison with a bound does not cancel the load, unless the bound is far away.
    assert_eq!(rule("median(f) < 17 us", &shared(113)).0, Truth::Undecided);
    let (truth, why) = rule("median(f) < 30 us", &shared(113));
    assert_eq!(truth, Truth::True, "{why}");
}

#[test]
fn a_percentile_under_a_bound_that_every_call_exceeds_needs_no_clusters() {
    // The longest calls come in two clusters.
    let time = |_, window: u64, call: u64| if window % 150 < 5 { 5_000 + 10 * (window + call) } else { 200 };
    let history = history(300, 20, time);
    for (text, expected) in [
        ("p99(f) <= 50 ns", Truth::False),
        ("p99(f) >= 50 ns", Truth::True),
        ("p99(f) <= 7 us", Truth::Undecided),
    ] {
        let (truth, why) = rule(&format!("assert \"p\": {text}"), &history);
        assert_eq!(truth, expected, "{text}: {why}");
    }
}

#[test]
fn bounds_that_are_clear_of_all_windows_need_no_independent_calls() {
    // Times grow from 10 to 20 us; 6% of calls, in clusters, take four times as long.
    let time = |side, window: u64, call| {
        let mean = 10_000 + 50 * window;
        about(if window % 50 < 3 { 4 * mean } else { mean }, side, window, call)
    };
    let history = history(200, 20, time);
    for (text, expected) in [
        ("median(f) <= 400 us", Truth::True),
        ("median(f) <= 25 us", Truth::Undecided),
        ("median(f) >= 4 us", Truth::True),
        ("median(f) <= 4 us", Truth::False),
        ("p95(f) <= 1 ms", Truth::True),
        ("p95(f) <= 100 us", Truth::Undecided),
    ] {
        let (truth, why) = rule(&format!("assert \"p\": {text}"), &history);
        assert_eq!(truth, expected, "{text}: {why}");
    }
}

#[test]
fn calls_that_come_in_clusters_are_no_percentile() {
    // 1% of calls are long: of 60 in a row, in two windows of a hundred.
    let clustered = history(100, 100, |side, window, call| {
        about(if window % 50 == 20 && call < 50 { 90_000 } else { 8_000 }, side, window, call)
    });
    let (truth, why) = rule("p99(f) < 150 us", &clustered);
    assert_eq!(truth, Truth::Undecided);
    assert!(why.contains("p99"), "{why}");
    let spread = history(100, 100, |side, window, call| {
        about(if percent(side, window, call + 7) < 1 { 90_000 } else { 8_000 }, side, window, call)
    });
    assert_eq!(rule("p99(f) < 150 us", &spread).0, Truth::True);
}

#[test]
fn few_bursts_of_long_calls_are_no_share_of_a_percentile() {
    // Of every 1000 calls 7 take some 1.2 times as long; 4 more come in bursts of which chance kept most
    // away.
    let of = |bursts: u64| {
        history(100, 100, move |side, window, call| {
            let usual = 8_000 + percent(side, window, call);
            match (window, call) {
                (window, 0..4) if window % 25 == 1 && window / 25 < bursts => 900_000,
                (window, 50) if window % 10 < 7 => 10_000,
                _ => usual,
            }
        })
    };
    assert_eq!(rule("p99(f) < 9 us", &of(0)).0, Truth::True, "{}", rule("p99(f) < 9 us", &of(0)).1);
    assert_eq!(rule("p99(f) < 9 us", &of(1)).0, Truth::Undecided);
}

#[test]
fn a_window_that_had_not_ended_is_completed_by_its_late_call() {
    let mut history = history(60, 20, |side, window, call| {
        about(if side == 0 { 8_000 } else { 10_000 }, side, window, call)
    });
    let late = |times: &[u64], censored| Turn {
        window: 61,
        calls: BTreeMap::from([(Bucket::All, times.to_vec())]),
        censored,
        ..Turn::default()
    };
    history.add(0, late(&[8_000], true));
    history.add(1, late(&[10_000], false));
    let (truth, why) = rule("f < g", &history);
    assert_eq!(truth, Truth::Undecided);
    assert!(why.contains("had not ended"), "{why}");
    // A single call that is longer than any bound does not change the median.
    assert_eq!(rule("median(f) < median(g)", &history).0, Truth::True);
    history.add(0, late(&[9_000], false));
    assert_eq!(rule("f < g", &history).0, Truth::True);
}

#[test]
fn what_lies_within_two_percent_of_its_limit_is_neither_true_nor_false() {
    let sides = |left: u64| {
        history(400, 50, move |side, window, call| {
            (if side == 0 { left } else { 100_000 }) + (window * 31 + call * 17) % 97
        })
    };
    for text in
        ["f < g", "f <= g", "f > g", "assert \"x\": median(f) <= median(g)", "assert \"x\": f <= 100 us"]
    {
        let (truth, why) = rule(text, &sides(98_800));
        assert_eq!(truth, Truth::Undecided, "{text}");
        assert!(why.contains("within 2% of the limit"), "{text}: {why}");
    }
    let half = sides(97_000);
    assert_eq!(rule("f < g", &half).0, Truth::True);
    assert_eq!(rule("f > g", &half).0, Truth::False);
    assert_eq!(rule("assert \"x\": median(f) <= median(g)", &half).0, Truth::True);
    assert_eq!(rule("f = g", &sides(98_800)).0, Truth::True);
}
