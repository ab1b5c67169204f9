//! Which buckets both sides filled, and what is said of it.

use crate::bench::{apart, calm, event};
use spl_model::{Sample, Scale, Size};
use spl_scheduler::{Event, Filling, MethodIx, Paired, Scheduler, Settings};

fn filling(settings: Settings, events: &[&str]) -> Filling {
    let mut scheduler = Scheduler::new(settings, &apart(2, &[(0, 1)])).unwrap();
    for (now, text) in (0..).zip(events) {
        scheduler.handle(event(text), now * 1000);
    }
    scheduler.filling(0).unwrap()
}

fn said(filling: &Filling) -> String {
    filling.shortfall().map_or_else(String::new, |shortfall| shortfall.to_string())
}

#[test]
fn what_is_missing_is_said_with_its_remedy() {
    let check = |scale: Scale, text: &str, expected: &str| {
        let settings = Settings { scale, max_samples: 100, ..calm() };
        assert_eq!(said(&filling(settings, &["start", text])), expected, "{text}");
    };
    let linear = Scale::linear(100).unwrap();
    check(linear, "", "neither side has samples");
    check(linear, "A@1:7", "right has no samples");
    check(linear, "B@1:7", "left has no samples");
    // 10000 is the first base with both in one bucket.
    check(
        linear,
        "A@1+1x9:1040 B@1+1x9:16",
        "left fills [1000, 1100), right only [0, 100): try a logarithmic scale, of base 10000",
    );
    // Base 2 cuts the left bucket at 256, base 3 at 243; by base 5 both lie in [125, 625).
    check(
        linear,
        "A@1:200 B@1:300",
        "left fills [200, 300), right only [300, 400): try a logarithmic scale, of base 5",
    );
    check(
        Scale::logarithmic(10).unwrap(),
        "A@1:9 B@1:11",
        "left fills [1, 10), right only [10, 100): try a logarithmic scale, of base 100",
    );
    check(
        linear,
        "A@1:0 B@1:100000000000",
        "left fills [0, 100), right only [100000000000, 100000000100): their workloads are too different to be compared",
    );
    // The fullest three of five, in order.
    check(
        linear,
        "A@1:10 A@2+1x3:410 A@5+1x2:210 A@8+1x2:310 A@10:110 B@1:50000",
        "left fills [200, 300) [300, 400) [400, 500) and 2 more, right only [50000, 50100): try a logarithmic scale, of \
         base 100000",
    );
    check(linear, "A@1+1x2:5 B@1:5", "sizes [0, 100) have 2 and 1 of 3 samples");
    // Enough samples, but nowhere enough in one bucket.
    check(
        linear,
        "A@1:1010 A@2:1110 A@3:1210 B@1:1010 B@2:1110 B@3:1210",
        "sizes [1200, 1300) have 1 and 1 of 3 samples, others are in 2 more buckets: try a logarithmic scale, of base 3",
    );
    check(linear, "A@1+1x3:5 B@1+1x3:5", "");
}

#[test]
fn labels_of_size_processors_meet_or_do_not() {
    let label = |text: &str| Size::Label(text.to_owned());
    let check = |left: Size, right: Size, expected: &str| {
        let mut scheduler = Scheduler::new(calm(), &apart(2, &[(0, 1)])).unwrap();
        scheduler.handle(Event::Start, 0);
        let mut samples = Vec::new();
        for (method, size) in [left, right].into_iter().enumerate() {
            let mut sample = Sample::new(1, 2).unwrap();
            sample.size = size;
            samples.push((MethodIx(method), sample));
        }
        scheduler.handle(Event::Samples(samples), 0);
        assert_eq!(said(&scheduler.filling(0).unwrap()), expected);
    };
    let equal = "let the size processors give equal workloads equal buckets";
    check(label("few"), label("many"), &format!("left fills label:few, right only label:many: {equal}"));
    let both = "name a size processor for both methods or for none";
    check(label("few"), Size::Value(5), &format!("left fills label:few, right only [0, 100): {both}"));
    check(label("few"), label("few"), "sizes label:few have 1 and 1 of 3 samples");
}

#[test]
fn filled_buckets_outlive_the_decision() {
    let events = ["start", "A@1+1x3:5 A@4:105", "B@5+1x3:5 B@20:105"];
    let filling = filling(calm(), &events);
    assert!(!filling.open);
    let counts = filling.buckets.iter().map(|one| (one.bucket.to_string(), one.left, one.right, one.pairs));
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [("[0, 100)".to_owned(), 3, 3, None), ("[100, 200)".to_owned(), 1, 0, None)]
    );
}

#[test]
fn with_windows_pairs_count() {
    let windows =
        Paired { min_turn_ns: 1000, overlap_bound_ns: 100, longest_wait_ns: 0, owner_decides: false };
    let settings = Settings { paired: Some(windows), max_samples: 100, ..calm() };
    let mut scheduler = Scheduler::new(settings, &apart(2, &[(0, 1)])).unwrap();
    for (now, text) in [
        (0, "start"),
        (1000, "pulse"),
        (1100, "pulse"),
        (2100, "A@110+100x3:5 B@1210+100x2:5 B@1500:105"),
        (2200, "pulse"),
        (3200, "pulse"),
        (3300, "pulse"),
        (4300, "pulse"),
        (4400, "pulse"),
    ] {
        scheduler.handle(event(text), now);
    }
    let filling = scheduler.filling(0).unwrap();
    assert_eq!(filling.buckets[0].pairs, Some(2));
    assert_eq!(said(&filling), "sizes [0, 100) have 2 of 3 pairs");
    assert_eq!(scheduler.filling(1), None);
}
