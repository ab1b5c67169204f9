//! Traces worked out by hand for the rules that the thesis's configurations do not touch. With those of
//! `golden` no rule of the law can be changed unnoticed: `evaluation/mutation/scheduler.py` tries.
//!
//! Each line has the owner's time, the event, the decisions, then the optimal number and the difference after
//! it.

use crate::bench::{apart, calm, check_trace, event, probes, short, tasks};
use spl_lang::RunMode;
use spl_scheduler::{Scheduler, Settings};

/// Every sample speaks for itself (weight 0); gaps from 10 to 1000 ns are right.
fn quick() -> Settings {
    Settings {
        weight: 0,
        min_diff_ns: 10,
        max_diff_ns: 1000,
        initial_optimal: 2,
        max_samples: 100,
        mode: RunMode::Measurement,
        ..calm()
    }
}

/// 3.2.4: the limits themselves are right, gaps are those between the ends in their order, and silence is
/// counted from the start.
#[test]
fn gaps_and_limits() {
    check_trace(
        Settings { max_diff_ns: 20, initial_optimal: 1, ..quick() },
        &apart(3, &[]),
        &[
            (900, "A@10", "", 1, None),
            (1000, "start", "+A", 1, None),
            (1020, "tick", "", 1, None),
            // 110 - 10 is not a gap: the first was taken in before the start.
            (1021, "A@110", "", 1, None),
            (1022, "A@130", "", 1, Some(20)),
            // Behind the last end: no time passed. The optimal number is at its lowest.
            (1023, "A@120", "", 1, Some(0)),
            // 145 - 130, not 145 - 120.
            (1024, "A@145", "", 1, Some(15)),
            // By their ends: 160 - 145, 175 - 160. The call that ends last began first.
            (1025, "A@175~100 A@160", "", 1, Some(15)),
        ],
    );
}

/// 3.2.3: a sample is recorded and finishes its method before methods are suspended, so a finished method is
/// not suspended.
#[test]
fn recorded_before_suspended() {
    check_trace(
        Settings { max_samples: 3, ..quick() },
        &apart(3, &[]),
        &[
            (0, "start", "+A +B", 2, None),
            (1, "B@100 A@200 A@300", "", 2, Some(100)),
            // 5 is too short; A has its third sample, and B alone is measured.
            (2, "A@305", "!A", 1, Some(5)),
        ],
    );
}

/// 1.5.3: among equals the method that is measured for longer since its last start.
#[test]
fn longest_measured_this_time() {
    check_trace(
        quick(),
        &apart(3, &[]),
        &[
            (0, "start", "+A +B", 2, None),
            // The last gap is 5, A's own; B's is 105.
            (1, "B@100 A@110 B@205 A@220 A@225", "-A", 1, Some(5)),
            // 1775 is too long. A waits again, as C does, and is before it in the file.
            (2, "B@2000", "+A", 2, Some(1775)),
            // 990, then 10 and 20 in turn, then 1. The gaps of A and B are 30; B is measured for longer.
            (3, "A@2990 B@3000 A@3020 B@3030 A@3050 B@3060 A@3080 C@3081", "-B", 1, Some(1)),
        ],
    );
}

/// 1.5.3: a method's last two ends are the latest ones, independent of the order of arrival.
#[test]
fn ends_out_of_order() {
    check_trace(
        quick(),
        &apart(2, &[]),
        &[
            (0, "start", "+A +B", 2, None),
            (1, "A@100 B@150 B@250 A@300", "", 2, Some(50)),
            // No time passed, too short. A's latest ends are 250 and 300, B's 150 and 250.
            (2, "A@250", "-A", 1, Some(0)),
        ],
    );
}

/// 3.2.5: a class is the less urgent the more of its methods were started, including finished ones.
#[test]
fn finished_methods_were_started() {
    check_trace(
        Settings { initial_optimal: 1, max_samples: 1, mode: RunMode::Measurement, ..calm() },
        &tasks(&["P.a", "P.b", "P.c", "Q.d", "Q.e"], &[]),
        &[
            (0, "start", "+A", 1, None),
            // P: two wait, one was started. Q: two wait.
            (1, "A@1", "!A +D", 1, None),
            // Q: one waits, one was started.
            (2, "D@2", "!D +B", 1, Some(1)),
        ],
    );
}

/// 3.2.5: within a class the most open comparisons, then the fewest remaining measurements, then the file.
#[test]
fn within_a_class() {
    let settings = Settings { initial_optimal: 1, min_samples: 2, max_samples: 100, ..calm() };
    check_trace(
        settings,
        &tasks(&["P.a", "P.b", "P.c"], &[(0, 1), (0, 1), (0, 2), (1, 2)]),
        &[
            // A and B are in three, C in two.
            (0, "start", "+A", 1, None),
            (1, "B@1 B@2", "", 1, Some(1)),
            (2, "A@3 A@4", "=0-2/2 =1-2/2", 1, Some(1)),
            // B has two samples and one open comparison, C none and two.
            (3, "limit A", "!A +C", 1, Some(1)),
        ],
    );
    check_trace(
        Settings { initial_optimal: 1, mode: RunMode::Measurement, ..calm() },
        &tasks(&["P.a", "P.b", "P.c", "P.d"], &[]),
        &[
            (0, "start", "+A", 1, None),
            (1, "B@1 C@2 C@3", "", 1, Some(1)),
            // Of at most five C lacks three, B four, D five.
            (2, "limit A", "!A +C", 1, Some(1)),
            (3, "limit C", "!C +B", 1, Some(1)),
        ],
    );
}

/// 3.2.7: causes of a method's end, and its effects.
#[test]
fn ends_of_methods() {
    let settings = Settings { min_samples: 2, max_samples: 3, ..calm() };
    let two = apart(2, &[(0, 1)]);
    // Late samples drive the law and change no verdict.
    check_trace(
        settings.clone(),
        &two,
        &[
            (0, "start", "+A +B", 2, None),
            (1, "A@10 A@20 A@30", "!A", 1, Some(10)),
            // (10·3+80)/4, (27·3+11)/4, (23·3+15)/4.
            (2, "A@110", "", 1, Some(27)),
            (3, "B@121 B@136", "=0-3/2 !B done", 0, Some(21)),
        ],
    );
    // The sample that fills the bucket and reaches the maximum fills first.
    check_trace(
        Settings { max_samples: 2, ..settings.clone() },
        &two,
        &[(0, "start", "+A +B", 2, None), (1, "A@1 A@2 B@3 B@4", "!A =0-2/2 !B done", 0, Some(1))],
    );
    // Full buckets of different sizes decide nothing.
    check_trace(
        Settings { max_samples: 9, ..settings.clone() },
        &two,
        &[
            (0, "start", "+A +B", 2, None),
            (1, "A@1:5 A@2:5 B@3:500 B@4:500", "", 2, Some(1)),
            (2, "B@5:5 B@6:5", "=0[0, 100)2/2 !A !B done", 0, Some(1)),
        ],
    );
    // In measurement mode the maximum alone ends a method.
    check_trace(
        Settings { mode: RunMode::Measurement, ..settings.clone() },
        &two,
        &[
            (0, "start", "+A +B", 2, None),
            (1, "A@1 A@2 B@3 B@4", "", 2, Some(1)),
            (2, "A@5 B@6", "!A !B done", 0, Some(1)),
        ],
    );
    // The agent's limit is the smaller; what it gives up ends too, and so does what cannot be measured.
    check_trace(
        Settings { agent_limit: Some(1), ..settings.clone() },
        &apart(3, &[]),
        &[
            (0, "start", "+A +B +C", 3, None),
            (1, "A@1", "!A", 2, None),
            (2, "limit B", "!B", 1, None),
            (3, "native C", "!C done", 0, None),
        ],
    );
    check_trace(
        settings,
        &two,
        &[(0, "start", "+A +B", 2, None), (1, "native A", "!A ?0-0/0 !B done", 0, None)],
    );
}

/// 3.2.7: when both methods have finished, each common bucket with at least two samples a side is judged.
#[test]
fn what_is_left() {
    let settings = Settings { min_samples: 3, max_samples: 5, ..calm() };
    check_trace(
        settings,
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A +B", 2, None),
            (1, "A@1:5 A@2:5 A@3:500 A@4:500 A@5:900", "!A", 1, Some(1)),
            (2, "B@6:5 B@7:5 B@8:500 B@9:500 B@10:900", "!B ~0[0, 100)2/2 ~0[500, 600)2/2 done", 0, Some(1)),
        ],
    );
}

/// 3.2.3: classes follow the decisions of a cycle at its end, a suspended method's at once.
#[test]
fn classes_of_a_cycle() {
    let mut scheduler = Scheduler::new(quick(), &apart(3, &[])).unwrap();
    let mut check = |text: &str, decided: &str, changed: &str| {
        let decisions = scheduler.handle(event(text), 0);
        assert_eq!(
            (short(&decisions), probes(&decisions)),
            (decided.to_owned(), changed.to_owned()),
            "{text}"
        );
    };
    check("start", "+A +B", "in A B out");
    // A's gap is 105, B's 5.
    check("A@100 A@205 B@220 B@225", "-B", "in out B");
    check("A@2000", "+B", "in B out");
    // Too short; then, within the same cycle, too long: B's probes stay where they are.
    check("B@2100 B@2105 A@4000", "-B +B", "");
}
