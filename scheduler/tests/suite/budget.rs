//! The overhead ceiling: rates of calls in, thinner sampling and fewer methods out.
//!
//! A call that is taken costs 40 ns, one that is passed over 1 ns; rates are found over windows of a millisecond.

use crate::bench::{apart, calm, event, method, short};
use spl_lang::RunMode;
use spl_scheduler::{Budget, Event, Scheduler, Settings};

fn settings(ceiling_ns_per_s: u64) -> Settings {
    let budget = Budget {
        ceiling_ns_per_s,
        sample_cost_ps: 40_000,
        skip_cost_ps: 1000,
        window_ns: 1_000_000,
        max_every: 1024,
    };
    Settings { budget: Some(budget), mode: RunMode::Measurement, max_samples: 1_000_000, ..calm() }
}

fn check(settings: Settings, methods: usize, trace: &[(u64, &str, &str)]) {
    let mut scheduler = Scheduler::new(settings, &apart(methods, &[])).unwrap();
    for &(now_us, text, expected) in trace {
        let decisions = scheduler.handle(event(text), now_us * 1000);
        assert_eq!(short(&decisions), expected, "{now_us} µs: {text}");
    }
}

#[test]
fn a_busy_method_is_sampled_thinly() {
    // A million calls a second: every one 40 ms of CPU time a second, 1 in 2 20.5, in 4 10.75, in 8 5.875.
    check(
        settings(10_000_000),
        1,
        &[
            (0, "start", "+A"),
            (999, "A@1+1x999", ""),
            (1000, "A@1000", "A/8"),
            // Each sample stands for eight calls: the rate is the same.
            (2000, "A@1008+8x125", ""),
            // 96,000 calls a second cost 3.84 ms when all are taken.
            (3000, "A@3000+80x12", "A/1"),
        ],
    );
}

#[test]
fn what_a_rare_method_leaves_is_the_busy_ones() {
    // A: 1000 calls a second cost 0.04 ms. B gets the other 9.96 ms, not only half of the ceiling.
    check(settings(10_000_000), 2, &[(0, "start", "+A +B"), (1000, "A@1 B@1+1x1000", "B/8")]);
    // Of two busy ones the first gets at most 5 ms, and fits into 3.44; so 6.56 are left for the second.
    check(settings(10_000_000), 2, &[(0, "start", "+A +B"), (1000, "A@1+1x1000 B@1+1x1000", "A/16 B/8")]);
}

#[test]
fn when_thin_sampling_is_not_enough_fewer_are_measured() {
    // Passing a million calls over costs 1 ms, more than A's and B's shares of 0.75 ms; both last gaps are 1 ns.
    check(
        settings(1_500_000),
        2,
        &[
            (0, "start", "+A +B"),
            (1000, "A@1+1x1000 B@1+1x1000", "A/1024 B/1024 -A"),
            // Alone, B fits into 1.5 ms when one call in 128 is taken.
            (1500, "tick", "B/128"),
            // Still over half the ceiling: A waits.
            (2000, "B@1128+128x8", ""),
            // B falls silent: there is room for A again, which is known to be busy.
            (3000, "tick", "B/1 +A"),
            (3001, "tick", "A/128"),
        ],
    );
}

#[test]
fn one_method_stays_measured_whatever_it_costs() {
    check(settings(1), 1, &[(0, "start", "+A"), (1000, "A@1+1x1000", "A/1024"), (9000, "A@2000+1x1000", "")]);
}

#[test]
fn lost_samples_were_calls_too() {
    let every = |lost: Option<&str>| {
        let mut scheduler = Scheduler::new(settings(10_000_000), &apart(2, &[])).unwrap();
        scheduler.handle(Event::Start, 0);
        scheduler.handle(event("A@1+1x300 B@1"), 500_000);
        scheduler.handle(Event::Dropped { method: lost.map(method), count: 700 }, 600_000);
        scheduler.handle(Event::Tick, 1_000_000);
        scheduler.progress().map(|one| one.every).collect::<Vec<_>>()
    };
    // 300,000 calls a second fit when one in two is taken, a million when one in eight is. Of unknown losses nearly
    // all are those of the busy method.
    assert_eq!(every(Some("A")), [8, 1]);
    assert_eq!(every(None), [8, 1]);
    assert_eq!(every(Some("B")), [4, 8]);
}

#[test]
fn a_rate_is_known_after_a_window_of_open_gates_only() {
    // A is suspended after half a window; it comes back and completes it: 500 calls in 1 ms.
    let budgeted =
        Settings { weight: 0, min_diff_ns: 2, max_diff_ns: 1000, initial_optimal: 2, ..settings(10_000_000) };
    check(
        budgeted,
        2,
        &[
            (0, "start", "+A +B"),
            (500, "A@10+5x499 A@2501", "-A"),
            (900, "B@4000", "+A"),
            (1300, "A@4010", ""),
            (1400, "A@4020", "A/4"),
        ],
    );
}

#[test]
fn the_cost_is_part_of_the_reason() {
    let mut scheduler = Scheduler::new(settings(10_000_000), &apart(1, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    let decisions = scheduler.handle(event("A@1+1x1000"), 1_000_000);
    assert_eq!(
        scheduler.explain(&decisions[0]).to_string(),
        "take one call in 8 of p/A.m()V: it is called 1000000 times a second, probes cost 5875000 ns of CPU time a \
         second, the ceiling is 10000000 (1 of 1 unfinished methods measured, 1 optimal, difference 1 ns)"
    );
}
