//! Start and end, warm-up, limits, refused settings, explanations.

use crate::bench::{apart, calm, check_decisions, check_trace, event, samples, short, tasks};
use spl_lang::{RunMode, Tasks};
use spl_model::{ClaimIx, Outcome, SampleFlags};
use spl_scheduler::{Event, MethodIx, Scheduler, Settings, SettingsError, WarmUp};

#[test]
fn the_agents_limit_takes_the_place_of_a_higher_one() {
    let check = |agent_limit: Option<u64>, expected: u64, warns: bool| {
        let settings = Settings { agent_limit, mode: RunMode::Measurement, ..calm() };
        assert_eq!(settings.agent_limit_rules(), warns);
        let mut scheduler = Scheduler::new(settings, &apart(1, &[])).unwrap();
        scheduler.handle(Event::Start, 0);
        let batch = format!("A@1+1x{}", expected - 1);
        assert_eq!(short(&scheduler.handle(event(&batch), 0)), "");
        assert_eq!(scheduler.progress().next().unwrap().remaining, 1);
        assert_eq!(short(&scheduler.handle(event("A@99"), 0)), "!A done");
    };
    check(None, 5, false);
    check(Some(4), 4, true);
    check(Some(5), 5, false);
    check(Some(6), 5, false);
}

#[test]
fn discarded_samples_count_toward_nothing_but_the_law() {
    let settings = Settings {
        warm_up: Some(WarmUp { samples: 2, time_ns: 0 }),
        mode: RunMode::Measurement,
        max_samples: 3,
        weight: 0,
        ..calm()
    };
    let scheduler = check_trace(
        settings,
        &apart(2, &[]),
        &[
            (0, "start", "+A +B", 2, None),
            (1, "A@100+10x2", "", 2, Some(10)),
            (2, "A@120+10x2", "", 2, Some(10)),
            (3, "A@160", "!A", 1, Some(30)),
        ],
    );
    let first = scheduler.progress().next().unwrap();
    assert_eq!((first.samples, first.discarded, first.buckets), (3, 2, 1));
}

#[test]
fn calls_of_a_program_that_warms_up_count_from_the_start_on() {
    let mut scheduler = Scheduler::new(calm(), &apart(1, &[])).unwrap();
    scheduler.handle(Event::Prepare, 0);
    let seen = |scheduler: &Scheduler| {
        let only = scheduler.progress().next().unwrap();
        (only.discarded, only.samples)
    };
    scheduler.handle(event("A@1+1x2"), 2);
    assert_eq!(seen(&scheduler), (2, 0));
    scheduler.handle(Event::Start, 10);
    // One call began before the start and ended after it.
    scheduler.handle(event("A@15~8 A@20"), 20);
    assert_eq!(seen(&scheduler), (3, 1));
}

#[test]
fn warm_up_lasts_a_time_after_the_first_call() {
    let warm_up = Some(WarmUp { samples: 0, time_ns: 100 });
    let mut scheduler = Scheduler::new(Settings { warm_up, ..calm() }, &apart(1, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    // The calls start at 10, 109 and 110.
    scheduler.handle(event("A@20 A@119 A@120"), 1);
    let only = scheduler.progress().next().unwrap();
    assert_eq!((only.discarded, only.samples), (2, 1));
}

#[test]
fn flagged_samples_are_discarded_only_where_warm_up_is() {
    let count = |warm_up: Option<WarmUp>| {
        let mut scheduler = Scheduler::new(Settings { warm_up, ..calm() }, &apart(1, &[])).unwrap();
        scheduler.handle(Event::Start, 0);
        let mut batch = samples("A@1 A@2");
        batch[1].1.flags = SampleFlags::WARM_UP;
        scheduler.handle(Event::Samples(batch), 1);
        scheduler.progress().next().unwrap().samples
    };
    assert_eq!(count(None), 2);
    assert_eq!(count(Some(WarmUp { samples: 0, time_ns: 0 })), 1);
}

#[test]
fn nothing_is_measured_before_the_start_or_after_the_end() {
    let mut scheduler = check_decisions(
        calm(),
        &apart(2, &[(0, 1)]),
        &[("tick", ""), ("A@1", ""), ("start", "+A +B"), ("start", ""), ("finish", "!A !B ?0-1/0 done")],
    );
    assert!(scheduler.is_done());
    for text in ["finish", "start", "tick", "A@9", "limit A", "native B"] {
        assert_eq!(scheduler.handle(event(text), 9), [], "{text}");
    }
    check_decisions(calm(), &Tasks::default(), &[("tick", ""), ("start", "done")]);
    check_decisions(calm(), &apart(1, &[]), &[("native A", "!A done"), ("start", "")]);
}

#[test]
fn unknown_methods_and_clocks_that_go_back_do_no_harm() {
    let settings = Settings { initial_optimal: 1, max_diff_ns: 100, ..calm() };
    let mut scheduler = Scheduler::new(settings, &apart(2, &[])).unwrap();
    scheduler.handle(Event::Start, 1000);
    let stranger = MethodIx(usize::MAX);
    assert_eq!(scheduler.handle(Event::LimitReached(stranger), 1000), []);
    assert_eq!(scheduler.handle(Event::Unavailable { method: stranger, why: Outcome::Native }, 1000), []);
    assert_eq!(scheduler.handle(Event::Dropped { method: Some(stranger), count: 1 }, 1000), []);
    assert_eq!(short(&scheduler.handle(Event::Tick, 1101)), "+B");
    assert_eq!(scheduler.handle(Event::Tick, 5), []);
    assert_eq!(scheduler.situation().now_ns, 1101);
}

#[test]
fn settings_that_cannot_be_obeyed_are_refused() {
    let check = |settings: Settings, expected: SettingsError| {
        assert_eq!(Scheduler::new(settings, &apart(1, &[])).err(), Some(expected));
    };
    let thesis = Settings::thesis;
    check(
        Settings { min_diff_ns: 2, max_diff_ns: 1, ..thesis() },
        SettingsError::Bounds { min_ns: 2, max_ns: 1 },
    );
    check(Settings { initial_optimal: 0, ..thesis() }, SettingsError::NoMethod);
    check(Settings { max_samples: 0, ..thesis() }, SettingsError::NoSample);
    check(Settings { agent_limit: Some(0), ..thesis() }, SettingsError::NoSample);
    check(Settings { changes_per_minute: Some(0), ..thesis() }, SettingsError::NoChange);
    check(Settings { min_samples: 1, ..thesis() }, SettingsError::TooFewForTest(1));
    check(Settings { limit_p: 1.0, ..thesis() }, SettingsError::LimitP(1.0));
    assert!(Scheduler::new(Settings { limit_p: f64::NAN, ..thesis() }, &apart(1, &[])).is_err());
    assert!(Scheduler::new(Settings { min_diff_ns: 5, max_diff_ns: 5, ..thesis() }, &apart(1, &[])).is_ok());
    let stranger = Scheduler::new(thesis(), &apart(1, &[(0, 7)]));
    assert_eq!(stranger.err(), Some(SettingsError::UnknownMethod { claim: 0 }));
}

#[test]
fn every_decision_explains_itself() {
    let settings = Settings { weight: 0, min_diff_ns: 5, max_diff_ns: 1000, initial_optimal: 1, ..calm() };
    let mut scheduler = Scheduler::new(settings, &tasks(&["P.a", "Q.b"], &[(0, 1)])).unwrap();
    let mut check = |text: &str, now: u64, expected: &[&str]| {
        let decisions = scheduler.handle(event(text), now);
        let got: Vec<String> = decisions.iter().map(|one| scheduler.explain(one).to_string()).collect();
        assert_eq!(got, expected, "{text}");
    };
    check(
        "start",
        0,
        &[
            "measure p/P.a()V: fewer methods are measured than is optimal (1 of 2 unfinished methods \
             measured, 1 optimal)",
            "put probes into p/P.a()V: the decisions before this one ask for it (1 of 2 unfinished methods \
             measured, 1 optimal)",
            "open the gate of p/P.a()V to one call in 1: the decisions before this one ask for it (1 of 2 \
             unfinished methods measured, 1 optimal)",
        ],
    );
    check(
        "tick",
        1001,
        &[
            "measure p/Q.b()V: no sample came for 1001 ns, more than 1000 ns (2 of 2 unfinished methods \
             measured, 2 optimal)",
            "put probes into p/Q.b()V: the decisions before this one ask for it (2 of 2 unfinished methods \
             measured, 2 optimal)",
            "open the gate of p/Q.b()V to one call in 1: the decisions before this one ask for it (2 of 2 \
             unfinished methods measured, 2 optimal)",
        ],
    );
    check(
        "A@10 B@12",
        1002,
        &[
            "suspend p/P.a()V: measurements end 2 ns apart, less than 5 ns (1 of 2 unfinished methods \
             measured, 1 optimal, difference 2 ns)",
            "close the gate of p/P.a()V: the decisions before this one ask for it (1 of 2 unfinished \
             methods measured, 1 optimal, difference 2 ns)",
            "take probes out of p/P.a()V: the decisions before this one ask for it (1 of 2 unfinished \
             methods measured, 1 optimal, difference 2 ns)",
        ],
    );
}

#[test]
fn an_empty_batch_is_a_cycle_without_data() {
    let settings = Settings { initial_optimal: 1, max_diff_ns: 100, ..calm() };
    let mut scheduler = Scheduler::new(settings, &apart(2, &[])).unwrap();
    scheduler.handle(Event::Start, 0);
    assert_eq!(short(&scheduler.handle(Event::Samples(Vec::new()), 101)), "+B");
}

#[test]
fn late_samples_still_drive_the_law() {
    let settings =
        Settings { initial_optimal: 1, max_samples: 1, mode: RunMode::Measurement, weight: 0, ..calm() };
    check_trace(
        settings,
        &apart(2, &[]),
        &[(0, "start", "+A", 1, None), (1, "A@10", "!A +B", 1, None), (2, "A@30", "", 1, Some(20))],
    );
}

#[test]
fn the_agents_limit_may_be_known_late() {
    let settings = Settings { mode: RunMode::Measurement, initial_optimal: 2, ..calm() };
    let mut scheduler = check_decisions(settings, &apart(3, &[]), &[("start", "+A +B"), ("A@1+1x3 B@5", "")]);
    assert_eq!(short(&scheduler.handle(Event::AgentLimit(3), 0)), "!A +C");
    assert_eq!(short(&scheduler.handle(event("B@10 B@11 C@12"), 0)), "!B");
    // A higher one than the controller's changes nothing; a limit of zero would prevent any measurement.
    assert_eq!(short(&scheduler.handle(Event::AgentLimit(9), 0)), "");
    assert_eq!(short(&scheduler.handle(event("C@20 C@21 C@22 C@23"), 0)), "!C done");
}

#[test]
fn an_interrupted_run_is_taken_up() {
    // The run before decided comparison 0, which finished B; A has 3 samples of 5, C 2 of the 3 that fill a
    // bucket.
    let mut scheduler = Scheduler::new(calm(), &apart(3, &[(0, 1), (0, 2)])).unwrap();
    let before = samples("A@900+1x3 B@910+1x3 C@920+1x2");
    let resume = Event::Resume { decided: vec![ClaimIx(0), ClaimIx(99)], samples: before };
    assert_eq!(short(&scheduler.handle(resume.clone(), 0)), "!B");
    assert_eq!(scheduler.progress().map(|one| one.samples).collect::<Vec<_>>(), [3, 0, 2]);
    assert_eq!(scheduler.situation().difference_ns, None);
    assert_eq!(short(&scheduler.handle(Event::Start, 0)), "+A +C");
    // Once measurement has started, nothing is taken up any more.
    assert_eq!(scheduler.handle(resume, 0), []);
    assert_eq!(short(&scheduler.handle(event("C@10"), 0)), "=1-3/3 !A !C done");
}

#[test]
fn what_an_interrupted_run_left_ready_is_decided_at_once() {
    let resumed = |text: &str| {
        let mut scheduler = Scheduler::new(calm(), &apart(2, &[(0, 1)])).unwrap();
        short(&scheduler.handle(Event::Resume { decided: vec![], samples: samples(text) }, 0))
    };
    assert_eq!(resumed("A@1+1x3 B@10+1x3"), "=0-3/3 !A !B done");
    assert_eq!(resumed("A@1+1x5:5 B@10+1x2:5 B@12+1x3:500"), "!A !B ~0[0, 100)5/2 done");
}
