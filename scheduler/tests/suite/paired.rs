//! Windows: whose gate is open when, which calls are compared, and when that is enough.
//!
//! A turn lasts 1000 ns, the next gate opens 100 ns later at the latest; both clocks are one.

use crate::bench::{apart, calm, event, gates, probes, samples, short, with_status};
use spl_lang::{RunMode, Tasks};
use spl_model::ClaimIx;
use spl_scheduler::{Action, Event, Paired, Scheduler, Settings, Status};

fn paired() -> Settings {
    let windows =
        Paired { min_turn_ns: 1000, overlap_bound_ns: 100, longest_wait_ns: 0, owner_decides: false };
    Settings { paired: Some(windows), max_samples: 100, ..calm() }
}

fn check(settings: Settings, tasks: &Tasks, trace: &[(u64, &str, &str)]) -> Scheduler {
    let mut scheduler = Scheduler::new(settings, tasks).unwrap();
    for (index, &(now, text, expected)) in trace.iter().enumerate() {
        assert_eq!(short(&scheduler.handle(event(text), now)), expected, "line {index}: {now} {text}");
    }
    scheduler
}

#[test]
fn gates_turn_and_calls_of_a_window_are_compared() {
    check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (999, "pulse", ""),
            (1000, "pulse", "_A"),
            (1099, "pulse", ""),
            (1100, "pulse", "+B"),
            (2100, "pulse", "_B"),
            // The second window has the reverse order.
            (2200, "A@110+100x3 B@1210+100x2", "+B"),
            (3200, "pulse", "_B"),
            (3300, "pulse", "+A"),
            (4300, "pulse", "_A"),
            // The second window is complete: the first is closed.
            (4400, "pulse", "w1:0-2+1!0 +A"),
            // One call of B still ran when A's gate opened at 3300.
            (4500, "B@2250+10x3 B@3400~300 A@3410", ""),
            (5400, "pulse", "_A"),
            (5500, "pulse", "+B"),
            (6500, "pulse", "_B"),
            (6600, "pulse", "w2:0-1+3!1 =0-3/3 !A !B done"),
        ],
    );
}

#[test]
fn pairs_are_made_in_the_order_of_starts_within_a_bucket() {
    let mut scheduler = Scheduler::new(paired(), &apart(2, &[(0, 1)])).unwrap();
    let mut windows = Vec::new();
    let script = [
        (0, "start"),
        (1000, "pulse"),
        (1100, "pulse"),
        // A's calls start at 100, 300, 350 and 500; that at 350 has another size.
        (2000, "A@600:5~100 A@400:5~100 A@500:5~400 A@360:700"),
        (2001, "B@1302:8~12 B@1300:6~11 B@1900:300~13"),
        (2100, "pulse"),
        (2200, "pulse"),
        (3200, "pulse"),
        (3300, "pulse"),
        (4300, "pulse"),
        (4400, "pulse"),
    ];
    for (now, text) in script {
        for decision in scheduler.handle(event(text), now) {
            if let Action::Window(window) = decision.action {
                windows.push(window);
            }
        }
    }
    assert_eq!(windows.len(), 1);
    assert_eq!((&windows[0].left_ns[..], &windows[0].right_ns[..]), (&[400, 100][..], &[11, 12][..]));
    assert_eq!((windows[0].bucket.to_string().as_str(), windows[0].surplus), ("[0, 100)", 1));
    // Calls without a partner count toward nothing.
    let counts: Vec<_> = scheduler.progress().map(|one| (one.samples, one.surplus)).collect();
    assert_eq!(counts, [(2, 2), (2, 1)]);
}

#[test]
fn outstanding_calls_that_end_let_the_next_gate_open_early() {
    check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            // Said too early: calls may still start.
            (500, "drained A", ""),
            (1000, "pulse", "_A"),
            (1010, "drained B", ""),
            (1020, "drained A", "+B"),
        ],
    );
}

#[test]
fn a_turn_lasts_twenty_medians_of_the_slower_side() {
    // In the first window the median of B is 90 ns, so turns last 1800 from then on.
    let scheduler = check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (1000, "pulse", "_A"),
            (1100, "pulse", "+B"),
            (2100, "A@110+100x3 B@1300~90 B@1400~90 B@1500~300 B@1600~80", "_B"),
            (2200, "pulse", "+B"),
            (3200, "pulse", "_B"),
            (3300, "pulse", "+A"),
            (4300, "pulse", "_A"),
            (4400, "pulse", "w1:0-3+1!0 =0-3/3 !A !B done"),
        ],
    );
    assert_eq!(scheduler.wake_ns(), None);
    let mut scheduler =
        Scheduler::new(Settings { min_samples: 9, ..paired() }, &apart(2, &[(0, 1)])).unwrap();
    let mut wakes = Vec::new();
    for (now, text) in
        [(0, "start"), (1000, "pulse"), (1100, "pulse"), (1600, "B@1300~90 B@1400~90 B@1500~300")]
    {
        scheduler.handle(event(text), now);
        wakes.push(scheduler.wake_ns());
    }
    // Until the first window is closed, turns have the shortest length.
    assert_eq!(wakes, [Some(1000), Some(1100), Some(2100), Some(2100)]);
    for _ in 0..6 {
        let now = scheduler.wake_ns().unwrap();
        scheduler.handle(Event::Pulse, now);
    }
    assert_eq!(scheduler.wake_ns(), Some(4400 + 1800));
    assert_eq!(short(&scheduler.handle(Event::Pulse, 4400 + 1799)), "");
    assert_eq!(short(&scheduler.handle(Event::Pulse, 4400 + 1800)), "_A");
}

#[test]
fn calls_are_told_apart_by_the_jvms_clock() {
    let mut scheduler =
        Scheduler::new(Settings { min_samples: 2, ..paired() }, &apart(2, &[(0, 1)])).unwrap();
    let mut last = String::new();
    scheduler.handle(Event::Clock { jvm_ns: 1_000_000 }, 0);
    for (now, text) in [
        (0, "start"),
        (1000, "pulse"),
        (1100, "pulse"),
        (2100, "pulse"),
        // Calls of the first window: A's turn began at 1000000, B's at 1001100.
        (2200, "A@1000100 A@1000200 B@1001200"),
        (3200, "pulse"),
        // A call of the second window: B's turn began at 1002200.
        (3300, "B@1002300"),
        (4300, "pulse"),
        (4400, "pulse"),
    ] {
        last = short(&scheduler.handle(event(text), now));
    }
    assert_eq!(last, "w1:0-1+1!0 +A");
    // Too late for its window.
    scheduler.handle(event("A@1000300"), 4500);
    assert_eq!(scheduler.progress().map(|one| one.surplus).collect::<Vec<_>>(), [2, 0]);
}

#[test]
fn a_long_call_belongs_to_the_turn_in_which_it_began() {
    check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (1000, "pulse", "_A"),
            (1100, "pulse", "+B"),
            (2100, "pulse", "_B"),
            (2200, "B@1200", "+B"),
            (3200, "pulse", "_B"),
            (3300, "pulse", "+A"),
            // The call began at 900, in A's first turn, and ended in its second.
            (3400, "A@3350~2450", ""),
            (4300, "pulse", "_A"),
            (4400, "pulse", "w1:0-1+0!1 +A"),
        ],
    );
}

#[test]
fn methods_that_are_compared_share_their_windows_and_the_law_counts_groups() {
    let mut scheduler =
        Scheduler::new(Settings { initial_optimal: 1, ..paired() }, &apart(5, &[(0, 2), (2, 4), (1, 3)]))
            .unwrap();
    let decisions = scheduler.handle(Event::Start, 0);
    assert_eq!((short(&decisions), probes(&decisions)), ("+A".to_owned(), "in A C E out".to_owned()));
    let now = scheduler.situation();
    assert_eq!((now.measured, now.optimal, now.unfinished), (1, 1, 2));
    assert_eq!(with_status(&scheduler, Status::Resting), "CE");
    assert_eq!(with_status(&scheduler, Status::Waiting), "BD");
    let mut turns = Vec::new();
    for _ in 0..12 {
        let now = scheduler.wake_ns().unwrap();
        turns.extend(Some(short(&scheduler.handle(Event::Pulse, now))).filter(|text| text.starts_with('+')));
    }
    assert_eq!(turns, ["+C", "+E", "+E", "+C", "+A", "+A"]);
}

#[test]
fn a_group_is_suspended_and_measured_again_as_a_whole() {
    let settings = Settings { weight: 0, min_diff_ns: 5, max_diff_ns: 1000, ..paired() };
    check(
        settings,
        &apart(4, &[(0, 1), (2, 3)]),
        &[
            (0, "start", "+A +C"),
            (100, "A@50 C@60 A@70 A@71", "-A -B"),
            // A call on its way is held for its window.
            (200, "A@80", ""),
            // The group's next window is its second.
            (1500, "C@1200", "+B _C"),
            (1600, "pulse", "+D"),
        ],
    );
}

#[test]
fn a_side_that_is_never_called_does_not_keep_others_measured() {
    // B is silent: one call of A counts in each window, and the maximum of 2 ends it. B alone makes no pairs.
    let mut scheduler =
        Scheduler::new(Settings { max_samples: 2, ..paired() }, &apart(2, &[(0, 1)])).unwrap();
    scheduler.handle(Event::Start, 0);
    let mut seen = Vec::new();
    for _ in 0..50 {
        let Some(now) = scheduler.wake_ns() else { break };
        let mut decisions = scheduler.handle(Event::Pulse, now);
        if with_status(&scheduler, Status::Measured) == "A" {
            let calls = samples(&format!("A@{}+10x9", now + 50));
            decisions.extend(scheduler.handle(Event::Samples(calls), now + 200));
        }
        seen.extend(Some(short(&decisions)).filter(|text| !text.starts_with(['+', '_'])));
    }
    assert_eq!(seen, ["!A ?0-2/0 !B done"]);
}

#[test]
fn the_end_closes_all_windows() {
    check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (1000, "pulse", "_A"),
            (1100, "pulse", "+B"),
            (1200, "A@110+100x3 B@1110+10x2", ""),
            (1300, "finish", "w1:0-2+1!0 !A ~0-2/2 !B done"),
        ],
    );
    check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[(0, "start", "+A"), (9, "A@11 A@12", ""), (99, "finish", "!A ?0-1/0 !B done")],
    );
}

#[test]
fn the_agents_limit_compares_what_is_held() {
    check(
        paired(),
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (1000, "pulse", "_A"),
            (1100, "pulse", "+B"),
            (1200, "A@110+100x3 B@1110+10x2", ""),
            (1300, "limit A", "w1:0-2+1!0 !A ~0-2/2 !B done"),
        ],
    );
}

#[test]
fn a_method_that_cannot_be_measured_ends_its_turn() {
    check(
        paired(),
        &apart(3, &[(0, 1), (1, 2)]),
        &[
            (0, "start", "+A"),
            (10, "native A", "!A ?0-0/0 +B"),
            (1010, "pulse", "_B"),
            (1110, "native B", "!B ?1-0/0 !C done"),
        ],
    );
}

#[test]
fn a_window_waits_for_the_calls_that_began_in_it() {
    let windows = Paired {
        owner_decides: true,
        min_turn_ns: 1000,
        overlap_bound_ns: 0,
        longest_wait_ns: 9_000_000_000,
    };
    let settings = Settings { paired: Some(windows), ..paired() };
    let begin = [
        (0, "start", "+A"),
        (1000, "pulse", "_A +B"),
        (1500, "drained A", ""),
        (2000, "A@110 B@1110", "_B +B"),
        (3000, "pulse", "_B +A"),
        // One of B's calls of the first window still runs.
        (4000, "pulse", "_A +A"),
        (5000, "pulse", "_A +B"),
    ];
    let scheduler = check(settings.clone(), &apart(2, &[(0, 1)]), &begin);
    let mut waiting = scheduler.clone();
    // The call ends after 3 windows, and is a call of the first.
    for (now, text, expected) in
        [(5500, "B@5400~4000", ""), (5600, "drained B", ""), (6000, "pulse", "_B t1:1+2 +B")]
    {
        assert_eq!(short(&waiting.handle(event(text), now)), expected, "{now} {text}");
    }
    // The call does not end: after the longest wait the window is closed, and says so.
    let mut cut = scheduler;
    cut.handle(event("pulse"), 6000);
    cut.handle(event("pulse"), 7000);
    assert_eq!(short(&cut.handle(event("pulse"), 9_000_010_000)), "_A t1:1+1* t2:0*+0* t3:0*+0* +B");
    // When the call ends after all, it completes its window; the windows after it wait for nothing.
    assert_eq!(short(&cut.handle(event("B@9000010100~9000008900"), 9_000_010_100)), "");
    assert_eq!(short(&cut.handle(event("drained B"), 9_000_010_200)), "t1:1 t2:0 t3:0");
    assert_eq!(short(&cut.handle(event("drained B"), 9_000_010_300)), "");
}

#[test]
fn all_calls_count_of_a_method_that_is_asserted() {
    let lines = "x < y\nassert \"t\": mean(x) < 1 s";
    let settings = Settings { min_samples: 2, ..paired() };
    let mut scheduler = Scheduler::of_program(settings, &crate::asserting::program(lines)).unwrap();
    for (now, text) in [(0, "start"), (1000, "pulse"), (1100, "pulse")] {
        scheduler.handle(event(text), now);
    }
    // The comparison is decided by the first window; the assertion goes on with every call, not the first of
    // each turn.
    scheduler.handle(event("A@110+100x5 B@1110+100x5"), 2000);
    let mut taken = Vec::new();
    for _ in 0..30 {
        let Some(now) = scheduler.wake_ns() else { break };
        if with_status(&scheduler, Status::Measured) == "A" {
            scheduler.handle(Event::Samples(samples(&format!("A@{now}+1x9"))), now);
        }
        scheduler.handle(Event::Pulse, now);
        taken.extend(scheduler.progress().next().map(|one| one.samples));
    }
    assert!(taken.last().is_some_and(|&last| last >= 100), "{taken:?}");
    assert_eq!(scheduler.progress().next().map(|one| one.surplus), Some(0));
}

#[test]
fn the_owner_may_decide() {
    let windows = Paired { owner_decides: true, min_turn_ns: 1000, overlap_bound_ns: 0, longest_wait_ns: 0 };
    let settings = Settings { paired: Some(windows), min_samples: 2, ..paired() };
    let mut scheduler = check(
        settings,
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (1000, "pulse", "_A +B"),
            (2000, "A@110+100x3 B@1110+10x3", "_B +B"),
            (3000, "pulse", "_B +A"),
            // Full buckets decide nothing.
            (4000, "pulse", "_A t1:3*+3* +A"),
        ],
    );
    assert_eq!(short(&scheduler.handle(Event::Decided(ClaimIx(9)), 4001)), "");
    assert_eq!(short(&scheduler.handle(Event::Decided(ClaimIx(0)), 4001)), "!A !B done");
    assert_eq!(short(&scheduler.handle(Event::Decided(ClaimIx(0)), 4002)), "");
}

#[test]
fn a_rare_method_does_not_make_the_turns_of_others_long() {
    let windows = Paired { owner_decides: true, min_turn_ns: 1000, overlap_bound_ns: 0, longest_wait_ns: 0 };
    let settings = Settings { paired: Some(windows), min_samples: 100, ..paired() };
    check(
        settings,
        &apart(2, &[(0, 1)]),
        &[
            (0, "start", "+A"),
            (1000, "pulse", "_A +B"),
            (2000, "A@110+1x8 B@1110+1x1", "_B +B"),
            (3000, "pulse", "_B +A"),
            (4000, "pulse", "_A t1:8*+1* +A"),
            (4400, "pulse", ""),
            (4500, "pulse", "_A +B"),
            (5400, "pulse", ""),
            (5500, "pulse", "_B t2:0*+0* +B"),
        ],
    );
}

#[test]
fn a_gate_takes_its_share_of_a_turn_and_no_more() {
    let mut scheduler =
        Scheduler::new(Settings { max_samples: 1000, ..paired() }, &apart(2, &[(0, 1)])).unwrap();
    for (now, text, expected) in [
        (0, "start", "A:1/10"),
        (100, "A@10+1x20", ""),
        (1000, "pulse", "-A"),
        (1010, "drained A", "B:1/10"),
        (2010, "pulse", "-B"),
        // The next window begins with B.
        (2020, "drained B", "B:1/10"),
    ] {
        assert_eq!(gates(&scheduler.handle(event(text), now)), expected, "{now} {text}");
    }
}

#[test]
fn measurement_mode_has_no_windows() {
    let settings = Settings { mode: RunMode::Measurement, max_samples: 5, ..paired() };
    check(settings, &apart(2, &[]), &[(0, "start", "+A +B"), (5000, "A@1+1x5", "!A")]);
}

#[test]
fn of_an_interrupted_run_calls_are_taken_up_with_their_windows() {
    let mut scheduler = Scheduler::new(paired(), &apart(3, &[(0, 1), (1, 2)])).unwrap();
    let resumed = |text: &str, window: Option<u64>| {
        let mut samples = samples(text);
        samples.iter_mut().for_each(|(_, sample)| sample.window = window);
        Event::Resume { decided: vec![ClaimIx(0)], samples }
    };
    assert_eq!(short(&scheduler.handle(resumed("B@1+1x9 C@1+1x9", None), 0)), "!A");
    assert_eq!(short(&scheduler.handle(resumed("B@1+1x2 C@1+1x1", Some(4)), 0)), "");
    assert_eq!(short(&scheduler.handle(resumed("C@9+1x1", Some(5)), 0)), "");
    // A window is closed when the one after the next begins; calls that are later still are left out.
    assert_eq!(short(&scheduler.handle(resumed("B@20+1x1", Some(6)), 0)), "w4:1-1+1!0");
    assert_eq!(short(&scheduler.handle(resumed("B@20+1x1 C@20+1x1", Some(4)), 0)), "");
    assert_eq!(short(&scheduler.handle(resumed("C@30+1x1", Some(6)), 0)), "", "window 4 is compared once");
    assert_eq!(scheduler.progress().map(|one| one.samples).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(short(&scheduler.handle(Event::Start, 0)), "+C");
    let mut called = samples("C@500");
    scheduler.handle_samples(&mut called, 600);
    assert_eq!(called[0].1.window, Some(7), "numbers go on");
}

#[test]
fn a_window_waits_for_its_own_calls_while_others_come_and_go() {
    let windows = Paired {
        owner_decides: true,
        min_turn_ns: 1000,
        overlap_bound_ns: 0,
        longest_wait_ns: 60_000_000_000,
    };
    let settings = Settings { paired: Some(windows), max_samples: 10_000, ..paired() };
    let mut scheduler = Scheduler::new(settings, &apart(2, &[(0, 1)])).unwrap();
    let (mut closings, mut told) = ([0; 2], Vec::new());
    let mut decisions = scheduler.handle(Event::Start, 0);
    for _ in 0..40 {
        let mut drained = Vec::new();
        for decision in &decisions {
            match &decision.action {
                Action::Close(method) => {
                    closings[method.0] += 1;
                    drained.push((*method, closings[method.0]));
                }
                Action::Turns(turns) => told.push((turns.number, turns.turns[0].calls.len())),
                _ => {}
            }
        }
        let now = scheduler.wake_ns().unwrap();
        for (method, closing) in drained {
            // The call of A's first turn runs on; of all later ones it is known at once that none does.
            if (method.0, closing) != (0, 1) {
                scheduler.handle(Event::Drained { method, closing: Some(closing) }, now - 500);
            }
        }
        decisions = scheduler.handle(Event::Pulse, now);
    }
    assert_eq!(told, []);
    let now = scheduler.wake_ns().unwrap();
    scheduler.handle(event(&format!("A@{}~{}", now - 10, now - 10 - 500)), now - 5);
    scheduler.handle(Event::Drained { method: crate::bench::method("A"), closing: Some(1) }, now - 5);
    for _ in 0..4 {
        let now = scheduler.wake_ns().unwrap();
        for decision in scheduler.handle(Event::Pulse, now) {
            if let Action::Turns(turns) = &decision.action {
                told.push((turns.number, turns.turns[0].calls.len()));
            }
        }
    }
    assert_eq!(told.first(), Some(&(1, 1)), "the long call is one of the first window");
    assert!(told.len() > 10, "{told:?}");
}
