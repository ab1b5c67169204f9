//! Which method is measured next and which is suspended.

use crate::bench::{apart, calm, check_decisions, check_trace, tasks, with_status};
use spl_lang::RunMode;
use spl_model::Sample;
use spl_scheduler::{Event, MethodIx, Scheduler, Settings, Status};

#[test]
fn a_class_goes_first_by_what_waits_less_what_was_started() {
    let check = |names: &[&str], optimal: usize, expected: &str| {
        let settings = Settings { initial_optimal: optimal, ..calm() };
        check_decisions(settings, &tasks(names, &[]), &[("start", expected)]);
    };
    // Q 2, then P 1 before Q 1 - 1.
    check(&["P.a", "Q.b", "Q.c"], 3, "+B +A +C");
    // Q 4, then Q 3 - 1, then P 1 before Q 2 - 2.
    check(&["P.a", "Q.b", "Q.c", "Q.d", "Q.e"], 3, "+B +C +A");
    // P 2, then Q 1 and R 1 in the file's order, then P 1 - 1.
    check(&["Q.a", "P.b", "P.c", "R.d"], 4, "+B +A +D +C");
}

#[test]
fn finished_methods_still_count_as_started() {
    // P 3 gives A. When A is finished, P is at 2 - 1, so Q 2 gives D; then Q is at 1 - 1 and P still at 1.
    let settings = Settings { initial_optimal: 1, max_samples: 1, mode: RunMode::Measurement, ..calm() };
    let list = tasks(&["P.a", "P.b", "P.c", "Q.d", "Q.e"], &[]);
    check_decisions(settings, &list, &[("start", "+A"), ("A@1", "!A +D"), ("D@2", "!D +B")]);
}

#[test]
fn within_a_class_the_most_compared_method_goes_first_then_the_nearest_to_its_end() {
    let check = |comparisons: &[(usize, usize)], expected: &str| {
        let settings = Settings { initial_optimal: 1, ..calm() };
        let list = tasks(&["P.a", "P.b", "P.c"], comparisons);
        check_decisions(settings, &list, &[("start", expected)]);
    };
    check(&[(0, 1), (2, 1)], "+B");
    check(&[(0, 2), (2, 1)], "+C");
    check(&[(0, 1)], "+A");
    check(&[(0, 0), (1, 2), (1, 2)], "+B");

    // A is measured; C got two samples on their way and B one: C has the fewest remaining.
    let settings = Settings { initial_optimal: 1, ..calm() };
    let list = tasks(&["P.a", "P.b", "P.c"], &[]);
    check_decisions(
        Settings { mode: RunMode::Measurement, ..settings },
        &list,
        &[("start", "+A"), ("B@1 C@2 C@3", ""), ("limit A", "!A +C"), ("limit C", "!C +B")],
    );
}

#[test]
fn only_open_comparisons_make_a_method_urgent() {
    let settings = Settings { initial_optimal: 1, min_samples: 2, max_samples: 100, ..calm() };
    let list = tasks(&["P.a", "P.b", "P.c"], &[(0, 1), (0, 1), (0, 2), (1, 2)]);
    // A and B are in three, C in two. When both pairs of A and B are decided, B has one left and C still two.
    check_decisions(
        settings,
        &list,
        &[("start", "+A"), ("B@1 B@2", ""), ("A@3 A@4", "=0-2/2 =1-2/2"), ("limit A", "!A +C")],
    );
}

#[test]
fn the_most_frequent_method_is_suspended() {
    // Samples, one of which makes the difference short; the first suspension among the measured A, B, C.
    let check = |before: &str, expected: &str| {
        let settings = Settings { weight: 0, min_diff_ns: 5, max_diff_ns: 1_000_000, ..calm() };
        let settings = Settings { mode: RunMode::Measurement, max_samples: 100, ..settings };
        check_decisions(settings, &apart(3, &[]), &[("start", "+A +B +C"), (before, expected)]);
    };
    check("A@100 B@200 C@300 A@400 B@410 C@420 C@421", "-C");
    check("A@100 B@200 C@300 A@400 B@410 C@490 C@493", "-C");
    // Shortest last gap: B's 190, though A ends last.
    check("B@100 C@200 A@300 B@290 C@400 A@600 A@1000 A@1001", "-A");
    check("A@100 B@200 A@400 B@410 C@411", "-B");
    // One without two ends goes only if no other has two.
    check("A@100 B@200 A@300 C@301", "-A");
    check("B@100 C@101", "-A");
    // Equal gaps: the longest-measured, here the first.
    check("C@100 B@110 A@120 C@200 B@210 A@220 A@220", "-A");
}

#[test]
fn the_longest_measured_is_the_one_started_longest_ago_this_time() {
    // A is suspended and measured again, so that B is measured for longer; both gaps are 100.
    let settings = Settings { weight: 0, min_diff_ns: 5, max_diff_ns: 1000, initial_optimal: 2, ..calm() };
    check_decisions(
        Settings { mode: RunMode::Measurement, max_samples: 100, ..settings },
        &apart(3, &[]),
        &[
            ("start", "+A +B"),
            ("A@100 B@110 A@200 B@210 A@211", "-A"),
            ("B@2000 C@2010", "+A"),
            ("A@3000 B@3010 A@3020 B@3030 C@3031", "-B"),
        ],
    );
}

#[test]
fn ends_are_ordered_by_time_within_a_batch() {
    let settings = Settings { initial_optimal: 1, weight: 1, ..calm() };
    // 100, 150, 200: (50+50)/2, independent of the order of arrival.
    for text in ["A@100 A@150 A@200", "A@200 A@100 A@150", "A@150 A@200 A@100"] {
        check_trace(
            settings.clone(),
            &apart(1, &[]),
            &[(0, "start", "+A", 1, None), (1, text, "", 1, Some(50))],
        );
    }

    // By their ends, not their starts: 100, 110, 200 give (10+90)/2.
    let call = |start, end| (MethodIx(0), Sample::new(start, end).unwrap());
    let mut scheduler = Scheduler::new(settings, &apart(1, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    scheduler.handle(Event::Samples(vec![call(0, 200), call(90, 100), call(95, 110)]), 1);
    assert_eq!(scheduler.situation().difference_ns, Some(50));
}

#[test]
fn suspended_methods_finish_by_samples_on_their_way() {
    let settings = Settings { weight: 0, min_diff_ns: 5, max_diff_ns: 1000, initial_optimal: 2, ..calm() };
    let scheduler = check_decisions(
        Settings { mode: RunMode::Measurement, max_samples: 4, ..settings },
        &apart(3, &[]),
        &[("start", "+A +B"), ("B@1 A@10 A@11", "-A"), ("A@20", ""), ("A@30", "!A")],
    );
    assert_eq!(with_status(&scheduler, Status::Measured), "B");
    assert_eq!(with_status(&scheduler, Status::Waiting), "C");
}
