//! The overhead ceiling: rates of calls in, thinner sampling and closed gates out.
//!
//! A call that is taken costs 40 ns, one that is passed over 1 ns; rates are found over windows of a
//! millisecond.

use crate::bench::{apart, calm, event, gates, method, short};
use spl_lang::RunMode;
use spl_scheduler::{Action, Budget, Decision, Event, Scheduler, Settings};

fn settings(ceiling_ns_per_s: u64) -> Settings {
    let budget = Budget {
        ceiling_ns_per_s,
        sample_cost_ps: 40_000,
        agent_cost_ps: 0,
        agent_spare_ns_per_s: 0,
        skip_cost_ps: 1000,
        closed_cost_ps: 1000,
        size_cost_ps: 0,
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

/// As [`check`], with the gates: `A:8/100` opens that of A to one call in 8 until 100 are taken, `-A` closes
/// it.
fn check_gates(settings: Settings, methods: usize, trace: &[(u64, &str, &str)]) {
    let mut scheduler = Scheduler::new(settings, &apart(methods, &[])).unwrap();
    for &(now_us, text, expected) in trace {
        let decisions = scheduler.handle(event(text), now_us * 1000);
        assert_eq!(gates(&decisions), expected, "{now_us} µs: {text}");
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
            // Each sample stands for eight calls, so the rate is the same.
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
fn a_gate_takes_what_is_saved_up_and_then_what_is_earned() {
    // 10 ms a second save up 1 ms, which is 25,000 samples of 40 ns; they are shared by the gates that wait.
    check_gates(
        settings(10_000_000),
        2,
        &[
            (0, "start", "A:1/12500 B:1/12500"),
            // A's gate has closed by itself. In 100 µs 25 samples were earned.
            (100, "A@1+10000x12500", "A:1/25"),
            // B's 12,500 were never taken, so they are paid back when B ends.
            (100, "limit B", "-B"),
            (200, "A@200000001+10000x25", "A:1/12525"),
        ],
    );
}

#[test]
fn a_gate_takes_no_more_than_is_needed() {
    let few = Settings { max_samples: 100, ..settings(10_000_000) };
    check_gates(
        few,
        1,
        &[(0, "start", "A:1/100"), (1, "A@1+1000x60", ""), (2, "A@70001+1000x39", ""), (3, "A@200000", "-A")],
    );
}

#[test]
fn sizes_are_paid_for() {
    // Each unit of size costs 1 ns: the first sample shows that one of A's costs 1,040 ns, and 1 ms pays for
    // some of them.
    let mut sized = settings(10_000_000);
    sized.budget = sized.budget.map(|budget| Budget { size_cost_ps: 1000, ..budget });
    check_gates(
        sized,
        1,
        &[
            (0, "start", "A:1/1"),
            (1, "A@10:1000", "A:1/960"),
            (100_001, "A@10000+200000x960:1000", "A:1/961"),
        ],
    );
}

/// As [`settings`] with 10 ms a second; of the 40 ns of a sample 10 are the agent's.
fn with_agent() -> Scheduler {
    let mut settings = settings(10_000_000);
    settings.budget =
        settings.budget.map(|budget| Budget { sample_cost_ps: 30_000, agent_cost_ps: 10_000, ..budget });
    Scheduler::new(settings, &apart(1, &[])).unwrap()
}

#[test]
fn what_the_agents_thread_used_is_settled_with_what_was_paid_for_it() {
    // 25,000 samples pay for 250 µs of the agent's thread; 25 more are earned in 100 µs.
    let check = |cpu_ns: u64, trace: &[(u64, &str, &str)]| {
        let mut scheduler = with_agent();
        assert_eq!(gates(&scheduler.handle(Event::Start, 0)), "A:1/25000");
        assert_eq!(gates(&scheduler.handle(event("A@1+10000x25000"), 100_000)), "A:1/25");
        assert_eq!(gates(&scheduler.handle(Event::AgentUsed { cpu_ns }, 100_000)), "");
        for &(now_us, text, expected) in trace {
            assert_eq!(
                gates(&scheduler.handle(event(text), now_us * 1000)),
                expected,
                "{cpu_ns} ns, {now_us} µs"
            );
        }
    };
    check(250_000, &[(200, "A@300000001+10000x25", "A:1/25")]);
    // Unused CPU time buys samples.
    check(150_000, &[(200, "A@300000001+10000x25", "A:1/2525")]);
    // A millisecond too much is earned in 100 ms.
    check(
        1_250_000,
        &[(200, "A@300000001+10000x25", ""), (100_000, "tick", ""), (100_200, "tick", "A:1/25")],
    );
}

#[test]
fn looking_for_samples_that_do_not_come_is_paid_for() {
    let mut scheduler = with_agent();
    scheduler.handle(Event::Start, 0);
    scheduler.handle(Event::AgentUsed { cpu_ns: 2_000_000 }, 0);
    // The gate is open; when it has taken its 25,000 the account is 2 ms in debt, less 1 ms earned in 100.
    assert_eq!(gates(&scheduler.handle(event("A@1+10000x25000"), 100_000_000)), "");
    scheduler.handle(Event::AgentUsed { cpu_ns: 250_000 }, 100_000_000);
    assert_eq!(gates(&scheduler.handle(Event::Tick, 199_000_000)), "");
    assert_eq!(gates(&scheduler.handle(Event::Tick, 201_000_000)), "A:1/250");
}

#[test]
fn what_the_agents_thread_uses_of_an_idle_processor_is_nobodys() {
    // 5 ms a second are spare, and a second of them is saved up; the ceiling earns 1 ms in 100.
    let mut settings = settings(10_000_000);
    settings.budget = settings.budget.map(|budget| Budget { agent_spare_ns_per_s: 5_000_000, ..budget });
    let mut scheduler = Scheduler::new(settings, &apart(1, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    scheduler.handle(Event::Tick, 2_000_000_000);
    scheduler.handle(Event::AgentUsed { cpu_ns: 5_000_000 }, 2_000_000_000);
    assert_eq!(gates(&scheduler.handle(event("A@1+10000x25000"), 2_000_000_000)), "A:1/25000");
    scheduler.handle(Event::AgentUsed { cpu_ns: 1_000_000 }, 2_000_000_000);
    assert_eq!(gates(&scheduler.handle(event("A@300000001+10000x25000"), 2_000_000_000)), "");
    // That was owed wholly: nothing was spare any more.
    assert_eq!(gates(&scheduler.handle(Event::Tick, 2_100_000_000)), "");
    assert_eq!(gates(&scheduler.handle(Event::Tick, 2_100_100_000)), "A:1/25");
}

#[test]
fn who_costs_more_than_the_budget_behind_a_closed_gate_is_named_once() {
    // A closed gate costs 1 ns a call; the ceiling is 1 ms a second. Each opening takes what it may.
    let named = |calls_per_s: u64, openings: u64| {
        let mut scheduler = Scheduler::new(settings(1_000_000), &apart(1, &[])).unwrap();
        let mut decisions = scheduler.handle(Event::Start, 0);
        let mut named = Vec::new();
        for second in 1..=openings {
            let opened = |decision: &Decision| match decision.action {
                Action::Open { every, quota, .. } => Some((u64::from(every), quota.unwrap())),
                _ => None,
            };
            let (every, quota) = decisions.iter().find_map(opened).expect("the gate opens");
            let apart_ns = every * 1_000_000_000 / calls_per_s;
            decisions =
                scheduler.handle(event(&format!("A@1+{apart_ns}x{quota}")), second * 1_000_000_000 - 1);
            decisions.extend(scheduler.handle(Event::Tick, second * 1_000_000_000));
            named.extend(decisions.iter().filter_map(|decision| match decision.action {
                Action::ClosedGateCosts { cost_ns_per_s, .. } => Some(cost_ns_per_s),
                _ => None,
            }));
        }
        named
    };
    assert_eq!(named(900_000, 20), []);
    let found = named(2_000_000, 20);
    assert!(matches!(found[..], [1_900_000..=2_100_000]), "{found:?}");
    assert_eq!(named(2_000_000, 7), [], "a moment's rate says nothing");
}

/// CPU time that the samples of one method cost in the third second, nanoseconds; each opening takes what it may.
fn third_second(calls_per_s: u64, max_samples: u64, ceiling_ns_per_s: u64) -> u64 {
    let limits = Settings { max_samples, ..settings(ceiling_ns_per_s) };
    let budget = limits.budget.map(|budget| Budget { max_every: 32, ..budget });
    let mut scheduler = Scheduler::new(Settings { budget, ..limits }, &apart(1, &[])).unwrap();
    let (mut decisions, mut cost_ns) = (scheduler.handle(Event::Start, 0), 0);
    for step in 1..=60 {
        let now_ns = step * 50_000_000;
        let opened = decisions.iter().find_map(|decision| match decision.action {
            Action::Open { every, quota, .. } => Some((u64::from(every), quota.unwrap())),
            _ => None,
        });
        let Some((every, quota)) = opened else {
            decisions = scheduler.handle(Event::Tick, now_ns);
            continue;
        };
        let apart_ns = every * 1_000_000_000 / calls_per_s;
        let begin_ns = now_ns - 50_000_000 + 1;
        assert!(quota * apart_ns < 50_000_000, "{quota} calls in a step");
        decisions = scheduler.handle(event(&format!("A@{begin_ns}+{apart_ns}x{quota}")), now_ns);
        cost_ns += if step > 40 { quota * (40 + every - 1) } else { 0 };
    }
    cost_ns
}

#[test]
fn samples_may_cost_as_much_as_closed_gates_do_where_the_end_comes_sooner() {
    const MS: u64 = 1_000_000;
    let near = |cost_ns: u64, expected_ns: u64| cost_ns.abs_diff(expected_ns) * 10 <= expected_ns;
    let is = |calls_per_s, max_samples, expected_ns| {
        let found = third_second(calls_per_s, max_samples, MS);
        assert!(near(found, expected_ns), "{calls_per_s} calls/s, {max_samples} samples: {found} ns");
    };
    // A closed gate costs 1 ns a call: 5 ms a second with 5,000,000 calls. Samples that cost 35 ms are complete in time.
    is(5_000_000, 500_000, 5 * MS);
    // Less than the ceiling.
    is(500_000, 500_000, MS);
    // At most ten times the ceiling.
    is(20_000_000, 500_000, 10 * MS);
    // Samples that take longer than ten seconds, or have no end.
    is(5_000_000, 1_000_000, MS);
    is(5_000_000, 1 << 40, MS);
}

#[test]
fn a_budget_that_comes_late_holds_at_once() {
    let Settings { budget, .. } = settings(10_000_000);
    let mut scheduler = Scheduler::new(Settings { budget: None, ..settings(1) }, &apart(1, &[])).unwrap();
    assert_eq!(gates(&scheduler.handle(Event::Start, 0)), "A:1/all");
    assert_eq!(gates(&scheduler.handle(Event::Budget(budget.unwrap()), 0)), "A:1/25000");
}

#[test]
fn without_money_every_gate_stays_closed() {
    // 40 ns a second: one sample is saved up, and earned again in a second.
    check_gates(
        settings(40),
        2,
        &[
            (0, "start", "A:1/1"),
            (10, "A@10", ""),
            (500_000, "tick", ""),
            // A was served, so it is B's turn.
            (1_000_010, "tick", "B:1/1"),
            (1_000_020, "B@1000", ""),
            (2_000_030, "tick", "A:1/1"),
        ],
    );
}

#[test]
fn silence_with_closed_gates_says_nothing() {
    let law = Settings { max_diff_ns: 1_000_000, initial_optimal: 1, ..settings(40) };
    check(
        law,
        2,
        &[
            (0, "start", "+A"),
            (10, "A@10", ""),
            (900_000, "tick", ""),
            (1_000_010, "tick", ""),
            (1_001_011, "tick", "+B A/1024"),
        ],
    );
}

#[test]
fn what_no_sampling_makes_cheap_enough_is_measured_now_and_then() {
    // Passing a million calls over costs 1 ms a second, more than the ceiling: a sample costs 40 + 1023 ns
    // then.
    check(settings(100_000), 1, &[(0, "start", "+A"), (1000, "A@1+1000x250", "A/1024")]);
    // 10 µs are saved up, 250 samples; in 100 ms 9 of the dearer ones are earned.
    check_gates(
        settings(100_000),
        1,
        &[
            (0, "start", "A:1/250"),
            (1000, "A@1+1000x250", ""),
            (101_000, "tick", "A:1024/9"),
            (101_100, "A@300000+1024000x9", ""),
        ],
    );
}

#[test]
fn rates_are_found_however_soon_a_gate_closes() {
    // 250 samples in 249 µs, reported after 100 ms only: the rate is still a million calls a second.
    check(settings(100_000), 1, &[(0, "start", "+A"), (100_000, "A@1+1000x250", "A/1024")]);
}

#[test]
fn calls_beyond_the_quota_are_paid_for_later() {
    // Two threads take 250 each before anybody looks, 5,000 a second: 10 µs are owed, which takes 100 ms. One
    // in four of these costs 43 ns with the three that are passed over.
    check_gates(
        settings(100_000),
        1,
        &[
            (0, "start", "A:1/250"),
            (1000, "A@1+200000x500", ""),
            (90_000, "tick", ""),
            (110_000, "tick", "A:4/23"),
        ],
    );
}

#[test]
fn gates_are_opened_again_when_samples_were_lost() {
    let mut scheduler = Scheduler::new(settings(10_000_000), &apart(1, &[])).unwrap();
    assert_eq!(gates(&scheduler.handle(Event::Start, 0)), "A:1/25000");
    assert_eq!(gates(&scheduler.handle(Event::Dropped { method: None, count: 100 }, 0)), "A:1/24900");
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
    // 300,000 calls a second fit when one in two is taken, a million when one in eight is. Of unknown losses
    // nearly all are those of the busy method.
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
