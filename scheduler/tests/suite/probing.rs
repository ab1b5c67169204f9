//! Changes of classes: as rare as the settings require.

use crate::bench::{apart, calm, event, gates, probes, short, tasks};
use spl_lang::{RunMode, Tasks};
use spl_scheduler::{Event, Scheduler, Settings, WarmUp};

/// A gap under 5 ns suspends, one over 1000 ns adds; two of three methods at first.
fn nervous() -> Settings {
    Settings {
        weight: 0,
        min_diff_ns: 5,
        max_diff_ns: 1000,
        initial_optimal: 2,
        max_samples: 100,
        mode: RunMode::Measurement,
        ..calm()
    }
}

/// Time, event, decisions, changes of classes.
fn check(settings: Settings, trace: &[(u64, &str, &str, &str)]) {
    check_of(&apart(3, &[]), settings, trace);
}

fn check_of(tasks: &Tasks, settings: Settings, trace: &[(u64, &str, &str, &str)]) {
    let mut scheduler = Scheduler::new(settings, tasks).unwrap();
    for (index, &(now, text, decided, changed)) in trace.iter().enumerate() {
        let decisions = scheduler.handle(event(text), now);
        let got = (short(&decisions), probes(&decisions));
        assert_eq!(got, (decided.to_owned(), changed.to_owned()), "line {index}: {now} {text}");
    }
}

#[test]
fn probes_follow_the_decisions_once_per_event() {
    check(
        Settings { max_samples: 5, ..nervous() },
        &[
            (0, "start", "+A +B", "in A B out"),
            (0, "A@10", "", ""),
            (0, "B@11", "-A", "in out A"),
            (0, "A@2000", "+A", "in A out"),
            // Suspended and measured again within one batch: no class changes.
            (0, "B@2001 A@4000", "-B +B", ""),
            (0, "A@6000 B@6500 A@7000", "+C !A", "in C out A"),
            (0, "finish", "!B !C done", "in out B C"),
        ],
    );
}

#[test]
fn probes_of_suspended_methods_stay_for_a_while() {
    check(
        Settings { restore_after_ns: 1000, ..nervous() },
        &[
            (0, "start", "+A +B", "in A B out"),
            (100, "A@10 B@11", "-A", ""),
            (600, "A@2000", "+A", ""),
            (700, "A@2001", "-A", ""),
            (1500, "A@2500", "", ""),
            (1699, "A@3000", "", ""),
            (1700, "A@3500", "", "in out A"),
            (1800, "A@5000", "+A", "in A out"),
            // A finished method's probes come out at once.
            (1900, "limit A", "!A +C", "in C out A"),
        ],
    );
    // Probes stay in when something else is decided meanwhile.
    check(
        Settings { restore_after_ns: 1000, initial_optimal: 3, ..nervous() },
        &[
            (0, "start", "+A +B +C", "in A B C out"),
            (100, "A@10 B@11 C@12", "-A -B", ""),
            // C's stay as long, counted from here: no other probes go in, with which they would come out.
            (700, "limit C", "!C +A", ""),
            (1099, "", "", ""),
            (1100, "", "", "in out B"),
        ],
    );
}

#[test]
fn probes_of_waiting_methods_go_in_ahead_and_those_of_finished_ones_stay() {
    let settings = Settings { restore_after_ns: 1000, instrument_ahead: 1, initial_optimal: 1, ..nervous() };
    check(
        settings,
        &[
            // B follows A in the file; C has to wait.
            (0, "start", "+A", "in A B out"),
            // B's probes are in, so no class changes, and A's stay.
            (100, "limit A", "!A +B", ""),
            // C's classes have to change, and A's and B's change with them.
            (200, "limit B", "!B +C", "in C out A B"),
            (300, "limit C", "!C done", "in out C"),
        ],
    );
    let settings = Settings { restore_after_ns: 1000, instrument_ahead: 2, initial_optimal: 1, ..nervous() };
    check(
        settings,
        &[
            (0, "start", "+A", "in A B C out"),
            (100, "limit A", "!A +B", ""),
            (1099, "B@10", "", ""),
            (1100, "B@20", "", "in out A"),
            (1200, "finish", "!B !C done", "in out B C"),
        ],
    );
}

#[test]
fn classes_whose_changes_are_dear_change_twice() {
    // A, B and C are of one class, D of another. Only A's probes go in at first: the price of a change is not
    // known yet.
    let tasks = tasks(&["P.a", "P.b", "P.c", "Q.d"], &[]);
    let settings = Settings { initial_optimal: 1, restore_after_ns: 1000, ..nervous() };
    check_of(
        &tasks,
        settings,
        &[
            (0, "start", "+A", "in A out"),
            (10, "dear A", "", ""),
            (11, "dear B", "", ""),
            (12, "dear C", "", ""),
            // Now C's go in with B's, and A's come out, because the class changes anyway.
            (100, "limit A", "!A +B", "in B C out A"),
            // Neither the time since a method finished, nor its wait, nor a change of another class matters.
            (200, "limit B", "!B +D", "in D out"),
            (99_000, "D@10", "", ""),
            (99_100, "limit D", "!D +C", ""),
            (99_200, "limit C", "!C done", "in out B C D"),
        ],
    );
}

#[test]
fn gates_wait_for_their_probes_and_follow_every_decision() {
    let mut scheduler = Scheduler::new(
        Settings { changes_per_minute: Some(1), restore_after_ns: 1000, ..nervous() },
        &apart(3, &[]),
    )
    .unwrap();
    for (now, text, expected) in [
        (0, "start", "A:1/all B:1/all"),
        (100, "A@10 B@11", "-A"),
        (200, "A@2000", "A:1/all"),
        // C is measured, but its class may not change yet.
        (300, "A@4000", ""),
        (60_000_000_000, "A@4100", "C:1/all"),
        (60_000_000_100, "limit A", "-A"),
        (60_000_000_200, "finish", "-B -C"),
    ] {
        assert_eq!(gates(&scheduler.handle(event(text), now)), expected, "{now} {text}");
    }
}

#[test]
fn gates_wait_until_a_changed_class_has_settled() {
    let settings = Settings { settle_ns: 500, restore_after_ns: 1000, ..nervous() };
    let mut scheduler = Scheduler::new(settings, &apart(3, &[])).unwrap();
    for (now, text, expected) in [
        (0, "start", ""),
        (499, "tick", ""),
        (500, "tick", "A:1/all B:1/all"),
        (600, "A@10 B@11", "-A"),
        // No class changed.
        (700, "A@2000", "A:1/all"),
        (800, "limit A", "-A"),
        (1299, "tick", ""),
        (1300, "tick", "C:1/all"),
    ] {
        assert_eq!(gates(&scheduler.handle(event(text), now)), expected, "{now} {text}");
    }
}

#[test]
fn changes_that_wait_for_the_cap_merge() {
    check(
        Settings { changes_per_minute: Some(1), ..nervous() },
        &[
            (0, "start", "+A +B", "in A B out"),
            (100, "A@10 B@11", "-A", ""),
            (200, "A@2000", "+A", ""),
            (300, "A@4000", "+C", ""),
            (59_999_999_999, "A@4100", "", ""),
            // A was out and is in again: C is all that is left.
            (60_000_000_000, "A@4200", "", "in C out"),
            (119_999_999_999, "limit A", "!A", ""),
            (120_000_000_000, "limit B", "!B", "in out A B"),
        ],
    );
}

#[test]
fn changes_have_a_cap_per_minute() {
    let second = 1_000_000_000;
    check(
        Settings { changes_per_minute: Some(2), max_diff_ns: u64::MAX, ..nervous() },
        &[
            (second, "start", "+A +B", "in A B out"),
            (2 * second, "limit A", "!A +C", "in C out A"),
            (3 * second, "A@10 B@11", "-B", ""),
            (61 * second - 1, "tick", "", ""),
            (61 * second, "tick", "", "in out B"),
            (61 * second + 1, "limit C", "!C +B", ""),
            // The end waits for nothing: the JVM is left as it was found.
            (61 * second + 2, "finish", "!B done", "in out C"),
        ],
    );
}

#[test]
fn a_long_pause_delays_the_next_change_under_all_settings() {
    let second = 1_000_000_000;
    check(
        Settings { changes_per_minute: None, max_diff_ns: u64::MAX, ..nervous() },
        &[
            (0, "start", "+A +B", "in A B out"),
            (second, "took 900", "", ""),
            // A pause that it did not ask for, as of a new class.
            (second, "took 90000", "", ""),
            (2 * second, "limit A", "!A +C", "in C out A"),
            // Two parts: 4 s and 4 s after 1 s that was saved up, of which 900 ms are spent and a twentieth of 2 s
            // came in.
            (3 * second, "took 4000", "", ""),
            (3 * second, "took 4000", "", ""),
            (3 * second, "A@10 B@11", "-B", ""),
            (157 * second, "tick", "", ""),
            (158 * second, "tick", "", "in out B"),
            (158 * second, "took 4000", "", ""),
            (159 * second, "limit C", "!C +B", ""),
            (160 * second, "finish", "!B done", "in out C"),
        ],
    );
}

#[test]
fn only_a_changed_class_warms_up_again() {
    let discarded = |restore_after_ns: u64| {
        let warm_up = Some(WarmUp { samples: 2, time_ns: 0 });
        let settings = Settings { restore_after_ns, warm_up, ..nervous() };
        let mut scheduler = Scheduler::new(settings, &apart(3, &[])).unwrap();
        for (now, text) in
            [(0, "start"), (1, "A@10 A@20 A@30 B@31"), (2, "B@2000"), (3, "A@2100 A@2200 B@2300")]
        {
            scheduler.handle(event(text), now);
        }
        scheduler.progress().take(2).map(|one| one.discarded).collect::<Vec<_>>()
    };
    // The gate alone was closed and opened: still warm. With the probes out and in again: two more are
    // discarded, but none of B, whose class stayed as it was.
    assert_eq!(discarded(1_000_000), [2, 2]);
    assert_eq!(discarded(0), [4, 2]);
}

#[test]
fn the_display_knows_where_probes_are() {
    let mut scheduler =
        Scheduler::new(Settings { restore_after_ns: 1000, ..nervous() }, &apart(3, &[])).unwrap();
    let inside = |scheduler: &Scheduler| scheduler.progress().map(|one| one.probes_in).collect::<Vec<_>>();
    assert_eq!(inside(&scheduler), [false, false, false]);
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("A@10 B@11"), 1);
    assert_eq!(inside(&scheduler), [true, true, false]);
}
