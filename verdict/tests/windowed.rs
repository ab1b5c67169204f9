//! Claims decided by windows, with deterministic times: proved, refuted, and undecided ones with their
//! reasons.

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

/// Windows with this number of calls of each side; `times` give the duration from the number of the call.
fn history(windows: u64, calls: [u64; 2], times: [&dyn Fn(u64) -> u64; 2]) -> History {
    let mut history = History::new(2);
    for window in 1..=windows {
        for side in 0..2 {
            let first = window * calls[side];
            let durations: Vec<u64> = (first..first + calls[side]).map(times[side]).collect();
            let calls = BTreeMap::from([(Bucket::All, durations)]);
            history.add(
                side,
                Turn { window, began_ns: window * 200_000_000, calls, censored: false, ..Turn::default() },
            );
        }
    }
    history
}

/// Uniform from 90 to 110% of a mean, by a generator seeded with the call's number.
fn even(mean: u64, seed: u64) -> impl Fn(u64) -> u64 {
    move |call| {
        let mixed = (call ^ (seed << 40)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mean * 9 / 10 + (mixed >> 33) % (mean / 5)
    }
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

#[test]
fn a_comparison_and_an_assertion_of_the_same_text_say_the_same() {
    let (one, two) = (even(8_000, 1), even(10_000, 2));
    let history = history(60, [20, 20], [&one, &two]);
    for (text, expected) in [
        ("f < g", Truth::True),
        ("f <= g", Truth::True),
        ("f > g", Truth::False),
        ("f = g", Truth::False),
        ("f = g within 30%", Truth::True),
        ("f = (1, 0.8) g", Truth::True),
        ("median(f) < median(g)", Truth::True),
        ("median(f) < g", Truth::True),
        ("f <= 9 us", Truth::True),
        ("f <= 7 us", Truth::False),
    ] {
        let (line, of_line) = rule(text, &history);
        let (assertion, of_assertion) = rule(&format!("assert \"t\": {text}"), &history);
        assert_eq!((line, assertion), (expected, expected), "{text}: {}", why(&of_line));
        assert_eq!(of_line.evidence, of_assertion.evidence, "{text}");
    }
}

#[test]
fn fewer_windows_than_are_needed_decide_nothing_and_say_how_long_it_takes() {
    let (one, two) = (even(1_000, 1), even(10_000, 2));
    let (truth, ruling) = rule("f < g", &history(49, [20, 20], [&one, &two]));
    assert_eq!(truth, Truth::Undecided);
    assert!(why(&ruling).starts_with("50 windows"), "{}", why(&ruling));
    assert!(ruling.wait_s.is_some_and(|wait| (wait - 0.2).abs() < 0.01), "{:?}", ruling.wait_s);
}

#[test]
fn every_call_of_a_turn_weighs_alike() {
    // In a closed loop a slow turn has fewer calls: twice as slow, half as many. The mean of all calls is 8/3
    // of 4,000 ns.
    let is_slow = |window: u64| window * 7919 % 5 < 2;
    let mut history = History::new(2);
    for window in 1..=60 {
        let slow = is_slow(window);
        let (n, time) = if slow { (10, 16_000) } else { (20, 8_000) };
        for (side, n, time) in [(0, n, time), (1, 15, 10_666)] {
            let call = |at: u64| time + (window * 7 + at * 13) % 101;
            let calls = BTreeMap::from([(Bucket::All, (0..n).map(call).collect())]);
            history.add(side, Turn { window, began_ns: window, calls, censored: false, ..Turn::default() });
        }
    }
    let slow = (1..=60_u64).filter(|&window| is_slow(window)).count() as f64;
    let mean = 160_000.0 * 60.0 / (slow * 10.0 + (60.0 - slow) * 20.0);
    let look = claim("f < g").rule(&history, &RULES).look.expect("there are windows");
    assert!((look.ratio * 10_666.0 / mean - 1.0).abs() < 0.02, "{} of {mean}", look.ratio * 10_666.0);
}

#[test]
fn long_calls_of_one_side_count_in_full() {
    let (one, two) = (even(8_000, 1), even(10_000, 2));
    // One call in a hundred takes 40 times as long: the mean is 11,100 ns.
    let long = |call: u64| {
        if even(100, 5)(call).is_multiple_of(20) && call.is_multiple_of(5) { 320_000 } else { one(call) }
    };
    let (truth, _) = rule("f < g", &history(200, [20, 20], [&long, &two]));
    assert_ne!(truth, Truth::True);
    // The same long calls on both sides decide nothing.
    let as_long = |call: u64| {
        if even(100, 5)(call).is_multiple_of(20) && call.is_multiple_of(5) { 400_000 } else { two(call) }
    };
    let (truth, ruling) = rule("f < g", &history(200, [20, 20], [&long, &as_long]));
    assert_eq!(truth, Truth::True, "{}", why(&ruling));
}

/// Calls of three sizes in turn, a third each: 64, 1,000 and 10,000 elements, where the longest take twice the time.
fn of_three_sizes(times: [u64; 3], seed: u64) -> impl Fn(u64) -> u64 {
    let each = times.map(|time| even(time, seed));
    move |call| each[call as usize % 3](call)
}

#[test]
fn long_calls_that_are_not_rare_are_no_long_calls() {
    // The ratio of the means is 1.92, that of the medians 1.33.
    let short = of_three_sizes([1_200, 21_000, 410_000], 1);
    let long = of_three_sizes([1_490, 27_900, 808_000], 2);
    let history = history(200, [20, 20], [&long, &short]);
    let of = |text: &str| rule(text, &history);
    let (truth, ruling) = of("f <= 2.2 * g");
    assert_eq!(truth, Truth::True, "{}", why(&ruling));
    let look = claim("f <= g").rule(&history, &RULES).look.unwrap();
    assert!((look.ratio / 1.92 - 1.0).abs() < 0.05 && look.low > 1.7 && look.high < 2.2, "{look:?}");
    assert_eq!((look.clipped, look.tail_dependent), (0, false));
    for (text, expected) in [("f > 1.7 * g", Truth::True), ("f <= 1.5 * g", Truth::False)] {
        let (truth, ruling) = of(text);
        assert_eq!(truth, expected, "{text}: {}", why(&ruling));
    }
}

#[test]
fn a_share_just_over_the_limit_on_one_side_unclips_both() {
    // Long calls are 4 and 6 of a hundred; one kind alone unclipped would make the ratio 0.2 and not 0.71.
    let with = |share: u64, seed: u64| {
        let (short, long) = (even(1_000, seed), even(100_000, seed));
        move |call: u64| if call * 37 % 100 < share { long(call) } else { short(call) }
    };
    let (four, six) = (with(4, 1), with(6, 2));
    let look = claim("f <= g").rule(&history(400, [50, 50], [&four, &six]), &RULES).look.unwrap();
    assert!((look.ratio / (4.96 / 6.94) - 1.0).abs() < 0.05, "{look:?}");
    // Rare ones are clipped; the figure is the ratio with them, and its interval too.
    let (two, three) = (with(2, 1), with(3, 2));
    let look = claim("f <= g").rule(&history(400, [50, 50], [&two, &three]), &RULES).look.unwrap();
    assert!(look.clipped > 0 && (0.88..0.97).contains(&look.ratio) && look.high < 1.0, "{look:?}");
    let truth = 2.98 / 3.97;
    let [ratio, low, high] = look.so_far();
    assert!((ratio / truth - 1.0).abs() < 0.05 && low < truth / 1.05 && 1.05 * truth < high, "{look:?}");
    let judged = claim("f <= g");
    let ruling = judged.rule(&history(400, [50, 50], [&two, &three]), &RULES);
    let [same, low, high] = judged.figure(&ruling, Truth::True, &RULES).unwrap();
    assert!(same == ratio && low <= ratio / 1.05 && high == look.high, "{look:?}");
}

#[test]
fn calls_that_the_probes_time_hides_are_shorter_than_what_is_far_longer() {
    let history = |times: [&dyn Fn(u64) -> u64; 2]| {
        let mut history = history(60, [20, 20], times);
        history.probe_takes("", 43.0);
        history
    };
    let (hidden, long) = (|call| 40 + call % 5, even(2_000, 2));
    let both = history([&hidden, &long]);
    for (text, expected) in [
        ("f < 5 us", Truth::True),
        ("f > 1 us", Truth::False),
        ("f < g", Truth::True),
        ("f < 0.1 * g", Truth::True),
        ("f < 20 ns", Truth::Undecided),
        ("f > 1 ns", Truth::Undecided),
        ("f < 0.01 * g", Truth::Undecided),
    ] {
        let (truth, ruling) = rule(text, &both);
        assert_eq!(truth, expected, "{text}: {}", why(&ruling));
    }
    // A verdict has finite figures, on the left and on the right.
    for text in ["f < 0.1 * g", "g > 10 * f", "g <= f"] {
        let judged = claim(text);
        let ruling = judged.rule(&both, &RULES);
        let truth = ruling.evidence.truth(0.05);
        let verdict = judged.verdict(&ruling, truth, 0.01, &both, &RULES).expect("it is decided");
        let ratio = verdict.ratio.expect("two means have a ratio");
        let [low, value, high] = [ratio.low, ratio.value, ratio.high];
        assert!(0.0 < low && low <= value && value <= high && high.is_finite(), "{text}: {ratio:?}");
        assert!(high < 1.0 || low > 1.0, "{text}: {ratio:?}");
    }
    // Two of them are not compared.
    let (truth, ruling) = rule("f < 2 * g", &history([&hidden, &|call| 41 + call % 5]));
    assert_eq!(truth, Truth::Undecided);
    assert!(why(&ruling).contains("not longer than what the clock and the probe take"), "{}", why(&ruling));
}

#[test]
fn what_had_not_ended_proves_nothing_for_its_side() {
    let (one, two) = (even(8_000, 1), even(10_000, 2));
    let mut history = history(60, [20, 20], [&one, &two]);
    let calls = BTreeMap::from([(Bucket::All, vec![8_000])]);
    history.add(0, Turn { window: 61, began_ns: 1, calls: calls.clone(), censored: true, ..Turn::default() });
    history.add(1, Turn { window: 61, began_ns: 1, calls, censored: false, ..Turn::default() });
    let (truth, ruling) = rule("f < g", &history);
    assert_eq!(truth, Truth::Undecided);
    assert!(why(&ruling).contains("had not ended"), "{}", why(&ruling));
    // Long calls of the other side decide nothing.
    assert_eq!(rule("f > g", &history).0, Truth::Undecided);
    assert_eq!(rule("f > 6 us", &history).0, Truth::True);
}

#[test]
fn the_probes_own_time_is_taken_out() {
    let (one, two) = (|call| 1_038 + call % 5, |call| 3_038 + call % 7);
    let mut history = history(60, [20, 20], [&one, &two]);
    history.probe_takes("", 38.0);
    let look = claim("f < g").rule(&history, &RULES).look.expect("there are windows");
    assert!((look.ratio.recip() - 3.0).abs() < 0.01, "{}", look.ratio.recip());
}

#[test]
fn a_mean_asks_for_rare_calls_and_a_median_does_not() {
    let (one, two) = (even(8_000, 1), even(10_000, 2));
    let history = history(60, [20, 20], [&one, &two]);
    let rules = Rules { rare_calls: Some(1000.0), ..RULES };
    let ruling = claim("f < g").rule(&history, &rules);
    assert_eq!(ruling.evidence.truth(0.05), Truth::Undecided);
    assert!(why(&ruling).contains("4382 calls"), "{}", why(&ruling));
    let ruling = claim("median(f) < median(g)").rule(&history, &rules);
    assert_eq!(ruling.evidence.truth(0.05), Truth::True);
    // Rare long calls cannot bring a mean below a bound: 1,200 calls show that it is above.
    for (text, expected) in [
        ("f >= 6 us", Truth::True),
        ("f <= 6 us", Truth::False),
        ("f >= 7.7 us", Truth::True),
        ("f <= 10 us", Truth::Undecided),
        ("f >= 10 us", Truth::Undecided),
    ] {
        let ruling = claim(text).rule(&history, &rules);
        assert_eq!(ruling.evidence.truth(0.05), expected, "{text}: {}", why(&ruling));
    }
    // Rare calls that take no time might.
    let few = self::history(60, [1, 1], [&one, &two]);
    let ruling = claim("f >= 7.5 us").rule(&few, &rules);
    assert!(why(&ruling).contains("calls, so that rare short ones"), "{}", why(&ruling));
}

/// Times of a function on a machine that slows down steadily, to twice as long; 20 calls in each of 60
/// windows.
fn slowing(of: impl Fn(u64) -> u64) -> impl Fn(u64) -> u64 {
    move |call| of(call) * (600 + call) / 600
}

#[test]
fn medians_on_a_machine_that_slows_down_are_compared_within_windows() {
    let (one, two) = (slowing(even(8_000, 1)), slowing(even(10_000, 2)));
    let history = history(60, [20, 20], [&one, &two]);
    assert_eq!(rule("assert \"medians\": median(f) < median(g)", &history).0, Truth::True);
    assert_eq!(rule("assert \"medians\": median(f) > 0.9 * median(g)", &history).0, Truth::False);
    // A claim about a bound stays undecided while the machine keeps changing.
    assert_eq!(rule("assert \"medians\": median(f) < 13 us", &history).0, Truth::Undecided);
}

#[test]
fn a_warm_up_of_many_short_windows_is_a_phase_that_the_rest_contradicts() {
    // 80 windows in 4 s, of calls of 2.4 us, and 12 in the next 6 s, of 0.7 us.
    let of = |slow: u64| {
        let mut history = History::new(2);
        let (early, late) = (even(slow, 1), even(700, 2));
        for window in 1..=92_u64 {
            let (time, began_ms) = if window <= 80 {
                (&early as &dyn Fn(u64) -> u64, window * 50)
            } else {
                (&late as _, 4_000 + (window - 80) * 500)
            };
            let calls = BTreeMap::from([(Bucket::All, (window * 20..window * 20 + 20).map(time).collect())]);
            history.add(0, Turn { window, began_ns: began_ms * 1_000_000, calls, ..Turn::default() });
        }
        history
    };
    for text in ["assert \"median\": median(f) <= 1 us", "assert \"mean\": f <= 1 us"] {
        assert!(!claim(text).do_phases_agree(&of(2_400)), "{text}");
        assert!(claim(text).do_phases_agree(&of(800)), "{text}");
        assert!(claim(text).do_phases_agree(&History::new(2)), "{text}");
    }
    assert!(claim("median(f) < median(g)").do_phases_agree(&of(2_400)), "two methods meet the same phases");
}

#[test]
fn a_bound_waits_for_phases_of_the_program_and_two_methods_do_not() {
    // A window each 200 ms.
    let early = history(50, [20, 20], [&even(8_000, 1), &even(10_000, 2)]);
    let late = history(51, [20, 20], [&even(8_000, 1), &even(10_000, 2)]);
    for (text, is_ripe) in [
        ("assert \"bound\": median(f) < 1 ms", false),
        ("assert \"both\": f < g & f < 1 ms", false),
        ("assert \"methods\": median(f) < median(g)", true),
        ("f < g", true),
    ] {
        assert_eq!((claim(text).is_ripe(&early), claim(text).is_ripe(&late)), (is_ripe, true), "{text}");
    }
    assert!(!claim("assert \"no call\": f < 1 ms").is_ripe(&History::new(2)));
}

#[test]
fn where_only_windows_of_some_times_speak_for_it_medians_stay_undecided() {
    // The left method keeps its speed; the right one slows down with the machine.
    let (one, two) = (even(14_000, 1), slowing(even(10_000, 2)));
    let history = history(60, [20, 20], [&one, &two]);
    let (truth, ruling) = rule("assert \"medians\": median(f) < median(g)", &history);
    assert_eq!(truth, Truth::Undecided, "{ruling:?}");
}

/// Calls that the machine sometimes delays by 20 ms: the longer the call, the more often.
fn hit(of: impl Fn(u64) -> u64, one_in_ns: u64, seed: u64) -> impl Fn(u64) -> u64 {
    move |call| {
        let time = of(call);
        let drawn = even(1_000_000_000, seed)(call) % 1_000_000;
        if drawn < time * 1_000_000 / one_in_ns { time + 20_000_000 } else { time }
    }
}

#[test]
fn what_the_machine_adds_to_twice_as_long_calls_twice_as_often_makes_no_verdict() {
    // A processor that is given up every 4 ms for 20 ms: the means are six times as long, and still 1 : 2,
    // but for chance.
    for seed in 0..16 {
        let one = hit(even(100_000, 1), 4_000_000, 2 * seed + 3);
        let two = hit(even(50_000, 2), 4_000_000, 2 * seed + 4);
        let history = history(300, [40, 40], [&one, &two]);
        for text in ["f > (1, 2.1) g", "f = (1, 2) g", "f < (1, 1.9) g"] {
            let wrong = if text.contains('=') { Truth::False } else { Truth::True };
            let (truth, ruling) = rule(text, &history);
            assert_ne!(truth, wrong, "{seed}: {text}: {ruling:?}");
        }
        // Medians are not affected.
        assert_eq!(rule("assert \"medians\": median(f) > 1.8 * median(g)", &history).0, Truth::True);
    }
}
