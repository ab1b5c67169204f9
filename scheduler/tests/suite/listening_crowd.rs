//! A crowd of methods, as a pattern of a whole package gives: few are called, and all of those get samples.

use spl_lang::{MeasuredMethod, RunMode, Tasks};
use spl_model::Sample;
use spl_scheduler::{Action, Budget, Event, MethodIx, Scheduler, Settings, WarmUp};
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;
const METHODS: usize = 658;
const OF_A_CLASS: usize = 11;

/// The defaults of a run in measurement mode, and 1% of one processor.
fn settings(listening: usize) -> Settings {
    let budget = Budget {
        ceiling_ns_per_s: 10_000_000,
        sample_cost_ps: 60_000,
        agent_cost_ps: 100_000,
        agent_spare_ns_per_s: 0,
        skip_cost_ps: 3000,
        closed_cost_ps: 1000,
        size_cost_ps: 0,
        window_ns: 100 * MS,
        max_every: 1 << 20,
    };
    Settings {
        mode: RunMode::Measurement,
        max_samples: 10_000,
        warm_up: Some(WarmUp { samples: 5, time_ns: 100 * MS }),
        restore_after_ns: 10_000 * MS,
        instrument_ahead: 8,
        settle_ns: 500 * MS,
        changes_per_minute: Some(60),
        budget: Some(budget),
        listening,
        ..Settings::thesis()
    }
}

/// Every 17th method is called, each at a pace of its own: from 1000 times a second to once in two seconds.
fn period_ns(method: usize) -> Option<u64> {
    const PERIODS_MS: [u64; 8] = [1, 3, 10, 30, 100, 250, 700, 2000];
    (method % 17 == 5).then(|| PERIODS_MS[method / 17 % PERIODS_MS.len()] * MS)
}

/// Samples of each method after this time, in cycles of 100 ms.
fn simulate(listening: usize, seconds: u64) -> Vec<u64> {
    let methods = (0..METHODS).map(|index| MeasuredMethod {
        method: format!("p/C{}.m{index}()V", index / OF_A_CLASS).parse().unwrap(),
        processor: None,
        line: index + 1,
    });
    let tasks = Tasks { methods: methods.collect(), ..Tasks::default() };
    let mut scheduler = Scheduler::new(settings(listening), &tasks).unwrap();
    // Open gates with what is left of their quotas.
    let mut open: BTreeMap<usize, u64> = BTreeMap::new();
    let mut event = Event::Start;
    for cycle in 0..seconds * 10 {
        let now_ns = cycle * 100 * MS;
        for decision in scheduler.handle(event, now_ns) {
            match decision.action {
                Action::Open { method, quota, .. } => _ = open.insert(method.0, quota.unwrap_or(u64::MAX)),
                Action::Close(method) => _ = open.remove(&method.0),
                _ => {}
            }
        }
        let mut calls = Vec::new();
        for (&method, left) in &mut open {
            let Some(period_ns) = period_ns(method) else { continue };
            let first = now_ns.next_multiple_of(period_ns);
            for start in (first..now_ns + 100 * MS).step_by(period_ns as usize) {
                if *left > 0 {
                    *left -= 1;
                    calls.push((MethodIx(method), Sample::new(start, start + 1000).unwrap()));
                }
            }
        }
        event = if calls.is_empty() { Event::Tick } else { Event::Samples(calls) };
    }
    scheduler.progress().map(|method| method.samples + method.discarded).collect()
}

#[test]
fn all_that_are_called_are_measured_among_658() {
    let samples = simulate(Settings::LISTENING, 60);
    let mut called = 0;
    for (method, &samples) in samples.iter().enumerate() {
        let Some(period_ns) = period_ns(method) else {
            assert_eq!(samples, 0, "method {method}");
            continue;
        };
        called += 1;
        // Three places for 38 methods: each has its share of 4 s once in the minute, or is called in every
        // second of it.
        let least = (1_000 * MS / period_ns).clamp(1, 50);
        assert!(samples >= least, "method {method}: {samples} samples, one call in {period_ns} ns");
    }
    assert_eq!(called, 39);
}

#[test]
fn without_listening_most_of_them_are_not() {
    let samples = simulate(0, 60);
    let missed = (0..METHODS).filter(|&method| period_ns(method).is_some() && samples[method] == 0).count();
    assert!(missed > 19, "{missed}");
}
