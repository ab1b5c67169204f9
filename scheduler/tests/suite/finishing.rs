//! When methods finish, and what becomes of their comparisons.

use crate::bench::{apart, calm, check_decisions, evaluations, event, method, short, tasks};
use spl_lang::RunMode;
use spl_model::{Bucket, Outcome};
use spl_scheduler::{Action, Cause, Event, Scheduler, Settings};
use spl_verdict::NotEvaluated;

#[test]
fn a_comparison_is_decided_by_the_first_pair_of_equal_full_buckets() {
    let list = apart(2, &[(0, 1)]);
    // Base 100: sizes 1 and 99 share a bucket, 100 does not. A has four samples when B's third comes.
    let settings = Settings { max_samples: 20, ..calm() };
    check_decisions(
        settings.clone(),
        &list,
        &[
            ("start", "+A +B"),
            ("A@1:1 A@2:99 A@3:50 A@4:7 A@5:100 A@6:100", ""),
            ("B@7:100 B@8:100 B@9:100", ""),
            ("B@10:3 B@11:3", ""),
            ("B@12:3", "=0[0, 100)4/3 !A !B done"),
        ],
    );
    // One evaluation per comparison: the other bucket is not judged, though it would be full with the next
    // sample.
    check_decisions(
        settings,
        &list,
        &[
            ("start", "+A +B"),
            ("A@1+1x3:0 A@10+1x3:100 B@20+1x2:0 B@30+1x3:100", "=0[100, 200)3/3 !A !B done"),
            ("B@40:0", ""),
        ],
    );
}

#[test]
fn a_comparison_leaves_both_its_methods() {
    // B is in both comparisons: it goes on for the second; A is done with the first.
    check_decisions(
        calm(),
        &apart(3, &[(0, 1), (1, 2)]),
        &[("start", "+A +B +C"), ("A@1+1x3 B@10+1x3", "=0-3/3 !A"), ("C@20+1x3", "=1-3/3 !B !C done")],
    );
    // A sample of A finishes B and C at once.
    check_decisions(
        calm(),
        &apart(3, &[(0, 1), (0, 2)]),
        &[("start", "+A +B +C"), ("B@1+1x3 C@10+1x3", ""), ("A@20+1x3", "=0-3/3 !B =1-3/3 !A !C done")],
    );
    // A method compared with itself.
    check_decisions(calm(), &apart(1, &[(0, 0)]), &[("start", "+A"), ("A@1+1x3", "=0-3/3 !A done")]);
}

#[test]
fn a_sample_that_fills_a_bucket_and_reaches_the_maximum_fills_first() {
    let settings = Settings { max_samples: 3, ..calm() };
    check_decisions(
        settings,
        &apart(2, &[(0, 1)]),
        &[("start", "+A +B"), ("A@1+1x3", "!A"), ("B@10+1x3", "=0-3/3 !B done")],
    );
}

#[test]
fn later_arrivals_change_no_verdict() {
    let mut scheduler = check_decisions(
        calm(),
        &apart(2, &[(0, 1)]),
        &[("start", "+A +B"), ("A@1+1x5", "!A"), ("A@6+1x7", ""), ("B@20+1x2", "")],
    );
    let decided = evaluations(&mut scheduler, "B@22 B@23");
    assert_eq!((decided[0].n_left, decided[0].n_right), (5, 3));
    let late: Vec<u64> = scheduler.progress().map(|one| one.late).collect();
    assert_eq!(late, [7, 1]);
}

#[test]
fn leftover_buckets_need_two_samples_a_side() {
    let check = |text: &str, expected: &str| {
        check_decisions(
            Settings { min_samples: 4, max_samples: 10, ..calm() },
            &apart(2, &[(0, 1)]),
            &[("start", "+A +B"), (text, ""), ("finish", expected)],
        );
    };
    check("A@1+1x3 B@10+1x2", "!A !B ~0-3/2 done");
    check("A@1+1x3 B@10", "!A !B ?0-3/1 done");
    check("A@1+1x3", "!A !B ?0-3/0 done");
    check("A@1+1x2:5 B@10+1x2:5 A@20+1x2:500 B@30+1x3:500", "!A !B ~0[0, 100)2/2 ~0[500, 600)2/3 done");
    // One common bucket is too small and left out; a comparison that has none says why.
    check("A@1+1x2:5 B@10+1x2:5 A@20+1x2:500 B@30:500", "!A !B ~0[0, 100)2/2 done");
    check("A@1+1x2:5 B@10:5 A@20+1x3:500 B@30:500", "!A !B ?0[500, 600)3/1 done");
    check("A@1+1x2:5 B@10+1x3:500", "!A !B ?0-2/3 done");
}

#[test]
fn what_is_not_evaluated_says_why() {
    let check = |text: &str, expected: NotEvaluated| {
        let mut scheduler = check_decisions(
            Settings { min_samples: 4, max_samples: 10, ..calm() },
            &apart(2, &[(0, 1)]),
            &[("start", "+A +B"), (text, "")],
        );
        let last = evaluations(&mut scheduler, "finish");
        assert_eq!(last.len(), 1);
        assert_eq!(last[0].verdict, Err(expected), "{text}");
        assert!(last[0].leftover);
    };
    let lacking = |text: &str| NotEvaluated::Lacking(text.to_owned());
    check(
        "A@1",
        lacking(
            "p/A.m()V: 1 call was measured; p/B.m()V: never called: no call began and ended in the 0 µs in which it was \
             measured",
        ),
    );
    check("A@1+1x3:7 B@9:8", lacking("p/B.m()V: 1 call was measured"));
    check("A@1+1x3:7 B@9:8 B@10+1x2:200", NotEvaluated::TooFewSamples { left: 3, right: 1 });
    check("A@1+1x2:5 B@10+1x2:500", NotEvaluated::NoCommonBucket);
}

#[test]
fn a_method_that_is_given_up_ends_with_what_it_has() {
    let settings = || Settings { min_samples: 4, max_samples: 10, ..calm() };
    let tasks = apart(2, &[(0, 1)]);
    // Nothing to judge by: why, and at once.
    for few in ["", "A@1"] {
        let trace = [("start", "+A +B"), (few, "")];
        let mut scheduler = check_decisions(settings(), &tasks, &trace);
        let last = evaluations(&mut scheduler, "gone A");
        let Err(NotEvaluated::NotMeasured(why)) = &last[0].verdict else { panic!("{last:?}") };
        assert!(why.starts_with("p/A.m()V: probes removed by another agent"), "{why}");
    }
    // Two are enough for a judgement when the other side ends.
    let trace = [("start", "+A +B"), ("A@1+1x2 B@3+1x2", ""), ("gone A", "!A"), ("finish", "!B ~0-2/2 done")];
    check_decisions(settings(), &tasks, &trace);
}

#[test]
fn the_maximum_of_both_methods_leads_to_leftover_evaluation() {
    // Sizes in several buckets: no bucket is full at the maximum of 5.
    check_decisions(
        calm(),
        &apart(2, &[(0, 1)]),
        &[
            ("start", "+A +B"),
            ("A@1+1x2:0 A@3+1x2:100 A@5:200", "!A"),
            ("B@10+1x2:0 B@12+1x2:100", ""),
            ("B@14:300", "!B ~0[0, 100)2/2 ~0[100, 200)2/2 done"),
        ],
    );
}

#[test]
fn measurement_mode_ends_by_the_maximum_only() {
    let settings = Settings { mode: RunMode::Measurement, ..calm() };
    check_decisions(
        settings,
        &apart(2, &[(0, 1)]),
        &[("start", "+A +B"), ("A@1+1x4 B@10+1x5", "!B"), ("A@20", "!A done")],
    );
}

#[test]
fn a_method_that_the_agent_gives_up_finishes_with_what_it_has() {
    check_decisions(
        calm(),
        &apart(2, &[(0, 1)]),
        &[
            ("start", "+A +B"),
            ("A@1+1x2 B@10+1x2", ""),
            ("limit A", "!A"),
            ("limit A", ""),
            ("limit B", "!B ~0-2/2 done"),
        ],
    );
}

#[test]
fn a_method_that_cannot_be_measured_takes_its_comparisons_along() {
    // B is compared with A only: nothing is left to learn from it. C is compared with D too.
    let mut scheduler = Scheduler::new(
        Settings { initial_optimal: 1, ..calm() },
        &tasks(&["P.a", "Q.b", "R.c", "S.d"], &[(0, 1), (2, 0), (2, 3)]),
    )
    .unwrap();
    assert_eq!(short(&scheduler.handle(Event::Start, 0)), "+A");
    let why = Outcome::NoSuchMethod { nearest: vec!["p/P.b()V".into()] };
    let decisions = scheduler.handle(Event::Unavailable { method: method("A"), why: why.clone() }, 0);
    assert_eq!(short(&decisions), "!A ?0-0/0 !B ?1-0/0 +C");
    assert_eq!(decisions[0].cause, Cause::Unavailable(why.clone()));
    let Action::Evaluated(evaluation) = &decisions[1].action else { panic!("{decisions:?}") };
    let text = evaluation.verdict.clone().unwrap_err().to_string();
    assert_eq!(text, "not measured: p/P.a()V: its class has no such method; nearest: p/P.b()V");
    assert!(!evaluation.leftover && evaluation.bucket == Bucket::All);
    assert_eq!(short(&scheduler.handle(Event::Unavailable { method: method("A"), why }, 0)), "");
    assert_eq!(short(&scheduler.handle(event("native D"), 0)), "!D ?2-0/0 !C done");
}

#[test]
fn lost_samples_are_told_with_the_evaluation() {
    let mut scheduler = Scheduler::new(
        Settings { initial_optimal: 1, min_samples: 2, ..calm() },
        &tasks(&["P.a", "P.b", "Q.c"], &[(0, 1), (0, 2)]),
    )
    .unwrap();
    let drop = |scheduler: &mut Scheduler, method: Option<&str>, count: u64| {
        let lost = Event::Dropped { method: method.map(crate::bench::method), count };
        assert_eq!(scheduler.handle(lost, 0), []);
    };
    drop(&mut scheduler, None, 1000);
    scheduler.handle(Event::Start, 0);
    // Only A is measured. Losses of unknown methods count from when a side was measured first.
    drop(&mut scheduler, None, 4);
    drop(&mut scheduler, Some("A"), 20);
    drop(&mut scheduler, Some("C"), 300);
    let decided = evaluations(&mut scheduler, "A@1+1x2 B@3+1x2 C@6+1x2");
    assert_eq!(decided.iter().map(|one| one.drops).collect::<Vec<_>>(), [24, 324]);
}
