//! Assertions of the full language: when they are judged, and in which buckets.

use crate::bench::{calm, samples};
use spl_lang::{Program, RunMode, parse_file};
use spl_model::{Bucket, Outcome};
use spl_scheduler::{Action, Event, MethodIx, Paired, Scheduler, Settings};
use spl_verdict::{Asserted, Basis, NotEvaluated, Standing};

/// A program over the methods `A`, `B` and `C`; `x` is the first, and so on, if the lines name them in this
/// order.
pub(crate) fn program(lines: &str) -> Program {
    let text = format!("let x = p/A.m()V\nlet y = p/B.m()V\nlet z = p/C.m()V\n{lines}\n");
    parse_file(&text, RunMode::Comparison).unwrap().check(&text, &mut |_| Vec::new()).unwrap()
}

/// Assertions that are judged after each of these events: samples, or `finish`, or `native` and a letter.
fn asserted(settings: &Settings, lines: &str, events: &[&str]) -> Vec<Vec<Asserted>> {
    let mut scheduler = Scheduler::of_program(settings.clone(), &program(lines)).unwrap();
    scheduler.handle(Event::Start, 0);
    let mut judged = Vec::new();
    for (now, event) in (1..).zip(events) {
        let event = match event.split_once(' ') {
            None if *event == "finish" => Event::Finish,
            Some(("native", letter)) => {
                Event::Unavailable { method: crate::bench::method(letter), why: Outcome::Native }
            }
            _ => Event::Samples(samples(event)),
        };
        let decisions = scheduler.handle(event, now);
        judged.push(decisions.into_iter().filter_map(|decision| match decision.action {
            Action::Asserted(asserted) => Some(*asserted),
            _ => None,
        }));
    }
    judged.into_iter().map(Iterator::collect).collect()
}

fn range(low: u64) -> Bucket {
    Bucket::Range { low, high: Some(low + 100) }
}

#[test]
fn a_formula_is_judged_when_its_methods_are_finished() {
    let settings = Settings { max_samples: 6, ..calm() };
    let got = asserted(
        &settings,
        "assert \"t\": x < y",
        &["A@1+1x3:0 B@10+1x3:0", "A@20+1x3:100", "B@30+1x2:100", "B@40+1x1:200"],
    );
    assert_eq!(got.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 0, 1]);
    let one = &got[3][0];
    // Three samples a side fill a bucket; the one from 100 has two samples, of the second method only.
    assert_eq!(one.parts.iter().map(|part| part.bucket.clone()).collect::<Vec<_>>(), [range(0)]);
    assert!(!one.leftover && one.basis.is_none());
}

#[test]
fn without_a_full_bucket_smaller_ones_are_left_over() {
    let got = asserted(&calm(), "assert \"t\": x < y", &["A@1+1x2:0 B@10+1x3:0 A@20:100 B@30:100", "finish"]);
    let one = &got[1][0];
    assert_eq!(one.parts.iter().map(|part| part.bucket.clone()).collect::<Vec<_>>(), [range(0)]);
    assert!(one.leftover);
    let nothing = asserted(&calm(), "assert \"t\": x < y", &["A@1+1x2:0 B@10+1x3:100", "finish"]);
    assert_eq!(nothing[1][0].gaps, [NotEvaluated::NoCommonBucket]);
    assert_eq!(nothing[1][0].standing(), Standing::Undecided);
}

#[test]
fn a_comparison_on_a_line_is_judged_by_the_first_full_bucket() {
    let events = ["A@1+1x3:0 B@10+1x3:100", "B@20 B@21:0~5 B@22:0~5", "finish"];
    let got = asserted(&calm(), "median(x) <= 1 s\nmedian(x) <= 2 * median(y)", &events);
    // The bound needs one method only; the first sample of the other has no size.
    assert_eq!(got.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(got[0][0].basis, Some(Basis::NotRefuted));
    assert!(!got[0][0].leftover && got[2][0].leftover);
}

#[test]
fn a_method_ends_with_its_last_claim() {
    let settings = calm();
    let mut scheduler = Scheduler::of_program(settings, &program("median(x) <= 1 s\nx <= y")).unwrap();
    scheduler.handle(Event::Start, 0);
    let finished = |decisions: Vec<spl_scheduler::Decision>| {
        let ends = decisions.into_iter().filter_map(|one| match one.action {
            Action::Finished(MethodIx(method)) => Some(method),
            _ => None,
        });
        ends.collect::<Vec<_>>()
    };
    assert_eq!(finished(scheduler.handle(Event::Samples(samples("A@1+1x3")), 1)), Vec::<usize>::new());
    assert_eq!(finished(scheduler.handle(Event::Samples(samples("B@10+1x3")), 2)), [0, 1]);
}

#[test]
fn what_cannot_be_measured_leaves_the_rest_of_a_formula() {
    let settings = Settings { max_samples: 3, ..calm() };
    let lines = "assert \"t\": x < 1 s | y < x";
    let got = asserted(&settings, lines, &["native B", "A@1~9 A@20~10 A@40~11"]);
    assert!(got[0].is_empty());
    assert_eq!(got[1][0].standing(), Standing::Holds);
    assert_eq!(got[1][0].gaps, [NotEvaluated::NotMeasured("p/B.m()V: it is native".to_owned())]);
    // A line with one comparison is given up at once.
    let alone = asserted(&settings, "median(x) < median(y)", &["native B"]);
    assert_eq!(alone[0][0].standing(), Standing::Undecided);
}

#[test]
fn windows_serve_assertions_too() {
    let paired = Paired { min_turn_ns: 10, overlap_bound_ns: 0, longest_wait_ns: 0, owner_decides: false };
    let settings = Settings { paired: Some(paired), max_samples: 6, ..calm() };
    let lines = "assert \"t\": x < y\nmedian(z) <= 1 s";
    let mut scheduler = Scheduler::of_program(settings, &program(lines)).unwrap();
    scheduler.handle(Event::Start, 0);
    let mut judged = Vec::new();
    let names = ["A", "B", "C"];
    for now in (1..400).step_by(3) {
        // The methods with an open gate are called.
        let open: Vec<&str> = scheduler
            .progress()
            .filter(|one| one.status == spl_scheduler::Status::Measured)
            .map(|one| names[one.method.0])
            .collect();
        let calls: Vec<String> = open.iter().map(|name| format!("{name}@{}~1", now + 1)).collect();
        let events = [Event::Samples(samples(&calls.join(" "))), Event::Pulse];
        for event in events {
            judged.extend(scheduler.handle(event, now + 2).into_iter().filter_map(|one| match one.action {
                Action::Asserted(asserted) => Some((asserted.assertion, asserted.parts.len())),
                _ => None,
            }));
        }
    }
    judged.sort_unstable();
    assert_eq!(judged, [(0, 1), (1, 1)]);
    assert!(scheduler.is_done());
}
