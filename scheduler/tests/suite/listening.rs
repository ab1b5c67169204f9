//! Methods that are not called give their places to waiting ones.

use crate::bench::{apart, calm, event, gates, probes, short, tasks, with_status};
use spl_lang::RunMode;
use spl_scheduler::{Action, Budget, Cause, Event, MethodIx, Scheduler, Settings, Status};

const MS: u64 = 1_000_000;

/// Two places, and a law that changes nothing.
fn settings() -> Settings {
    Settings {
        initial_optimal: 2,
        max_samples: 1000,
        mode: RunMode::Measurement,
        listening: Settings::LISTENING,
        ..calm()
    }
}

/// Drives a scheduler through events at these milliseconds.
fn check(settings: Settings, methods: usize, trace: &[(u64, &str, &str)]) -> Scheduler {
    let mut scheduler = Scheduler::new(settings, &apart(methods, &[])).unwrap();
    for &(now_ms, text, expected) in trace {
        let decisions = scheduler.handle(event(text), now_ms * MS);
        assert_eq!(short(&decisions), expected, "{now_ms} ms: {text}");
    }
    scheduler
}

#[test]
fn places_go_round_among_the_methods_that_are_called() {
    let trace = [
        (0, "start", "+A +B .C .D .E"),
        (1000, "tick", ""),
        // C is called. A was silent for a second, so its place is C's.
        (1100, "C@1100", "-C .A +C"),
        (1200, "D@1200", "-D .B +D"),
        // C and D were called and have had a place for less than 4 s.
        (1300, "E@1300", "-E"),
        (5000, "tick", ""),
        (5100, "tick", "-C +E"),
        (5150, "tick", ""),
        (5200, "tick", "-D +C"),
        // E was not called in its second.
        (6050, "tick", ""),
        (6100, "tick", ".E +D"),
        (6150, "tick", ""),
        (6200, "E@6200", "-E .C +E"),
    ];
    let scheduler = check(settings(), 5, &trace);
    assert_eq!(with_status(&scheduler, Status::Measured), "DE");
    assert_eq!(with_status(&scheduler, Status::Listening), "ABC");
}

#[test]
fn nobody_listens_while_there_are_places_for_all() {
    let trace = [(0, "start", "+A +B"), (9000, "tick", ""), (60_000, "tick", ""), (60_001, "B@60001", "")];
    check(settings(), 2, &trace);
    let nobody = Settings { listening: 0, ..settings() };
    check(nobody, 3, &[(0, "start", "+A +B"), (9000, "tick", ""), (9001, "B@9001", "")]);
}

#[test]
fn a_heard_method_takes_a_free_place_at_once() {
    // A listening method is not asked to take a place before it is called, so A's stays free.
    let trace = [(0, "start", "+A +B .C .D"), (100, "native A", "!A"), (200, "D@200", "+D")];
    let scheduler = check(settings(), 4, &trace);
    assert_eq!(with_status(&scheduler, Status::Listening), "C");
}

#[test]
fn a_listening_method_is_opened_for_a_few_calls_only() {
    let budget = Budget {
        ceiling_ns_per_s: 10_000_000,
        sample_cost_ps: 40_000,
        agent_cost_ps: 0,
        agent_spare_ns_per_s: 0,
        skip_cost_ps: 1000,
        closed_cost_ps: 1000,
        size_cost_ps: 0,
        window_ns: MS,
        max_every: 1024,
    };
    // The account holds 1 ms, which is 25,000 samples; a third of it is for A, half of the rest for B.
    for (budget, expected) in [(Some(budget), "A:1/8333 B:1/8333 C:1/10"), (None, "A:1/all B:1/all C:1/10")] {
        let settings = Settings { budget, max_samples: 1_000_000, ..settings() };
        let mut scheduler = Scheduler::new(settings, &apart(3, &[])).unwrap();
        assert_eq!(gates(&scheduler.handle(Event::Start, 0)), expected);
    }
    // A loses its place and listens: its gate opens again for fewer calls.
    let mut scheduler = Scheduler::new(settings(), &apart(3, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    assert_eq!(gates(&scheduler.handle(event("C@1100"), 1100 * MS)), "A:1/10");
    // When C's ten calls are taken, its gate opens as that of any measured method.
    assert_eq!(gates(&scheduler.handle(event("C@1200+1x9"), 1200 * MS)), "C:1/all");
}

#[test]
fn a_class_changes_once_for_all_its_methods() {
    // The first batch would end within the second class, which is taken as a whole.
    let names: Vec<String> = (0..100)
        .map(|index| {
            format!(
                "{}.m{index}",
                if index < 40 {
                    "P"
                } else if index < 80 {
                    "Q"
                } else {
                    "R"
                }
            )
        })
        .collect();
    let tasks = tasks(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    let mut scheduler = Scheduler::new(settings(), &tasks).unwrap();
    let mut changes = Vec::new();
    for cycle in 0..30 {
        let text = if cycle == 0 { Event::Start } else { Event::Tick };
        for decision in scheduler.handle(text, cycle * 100 * MS) {
            if let Action::Retransform { instrument, .. } = decision.action {
                changes.push((cycle, instrument.len(), instrument.last().copied()));
            }
        }
    }
    assert_eq!(changes, [(0, 80, Some(MethodIx(79))), (10, 20, Some(MethodIx(99)))]);
}

#[test]
fn suspended_methods_keep_their_probes_while_others_have_the_places() {
    let mut scheduler =
        Scheduler::new(Settings { restore_after_ns: 1, ..settings() }, &apart(3, &[])).unwrap();
    assert_eq!(probes(&scheduler.handle(Event::Start, 0)), "in A B C out");
    let mut changed = String::new();
    for second in 1..60 {
        let text = format!("A@{second}000 B@{second}000 C@{second}000");
        changed.push_str(&probes(&scheduler.handle(event(&text), second * 1000 * MS)));
    }
    assert_eq!(changed, "");
}

#[test]
fn the_reason_names_the_missing_calls() {
    let mut scheduler = Scheduler::new(settings(), &apart(3, &[])).unwrap();
    let first = scheduler.handle(Event::Start, 0);
    let cause = |action: &Action, all: &[spl_scheduler::Decision]| {
        all.iter().find(|one| one.action == *action).map(|one| one.cause.clone())
    };
    assert_eq!(cause(&Action::Listen(MethodIx(2)), &first), Some(Cause::NoPlace));
    let later = scheduler.handle(event("C@1100"), 1100 * MS);
    assert_eq!(cause(&Action::Listen(MethodIx(0)), &later), Some(Cause::NotCalled));
    scheduler.handle(Event::Finish, 5000 * MS);
    // A's gate was open all the time, first as a measured method's and then as a listening one's.
    let lack = scheduler.lack(MethodIx(0)).unwrap().to_string();
    assert!(lack.contains("never called") && lack.contains("5.0 s"), "{lack}");
}

#[test]
fn probes_of_a_busy_method_do_not_stay_behind_its_closed_gate() {
    // Ten million calls a second cost as much as the ceiling behind a closed gate.
    let budget = Budget {
        ceiling_ns_per_s: 10_000_000,
        sample_cost_ps: 40_000,
        agent_cost_ps: 0,
        agent_spare_ns_per_s: 0,
        skip_cost_ps: 1000,
        closed_cost_ps: 1000,
        size_cost_ps: 0,
        window_ns: MS,
        max_every: 1024,
    };
    let settings = Settings {
        initial_optimal: 1,
        budget: Some(budget),
        max_samples: 1_000_000,
        restore_after_ns: 1,
        ..settings()
    };
    let mut scheduler = Scheduler::new(settings, &apart(2, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("A@1000+100x25000"), 100 * MS);
    scheduler.handle(event("A@3700000000+1000x50"), 3800 * MS);
    assert_eq!(short(&scheduler.handle(event("B@3900000000"), 3900 * MS)), "-B");
    assert_eq!(short(&scheduler.handle(event("B@4100000000"), 4200 * MS)), "-A +B");
    assert_eq!(probes(&scheduler.handle(Event::Tick, 4300 * MS)), "in out A");
}
