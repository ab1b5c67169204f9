//! Events in any order, times and methods out of any range, every policy with every other: the scheduler
//! never panics and its figures stay true.

use crate::bench::apart;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use spl_lang::RunMode;
use spl_model::{ClaimIx, Outcome, Sample, SampleFlags, Scale, Size};
use spl_scheduler::{Action, Budget, Event, MethodIx, Paired, Scheduler, Settings, Status, WarmUp};

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..10_000, any::<u64>()]
}

fn method() -> impl Strategy<Value = MethodIx> {
    prop_oneof![9 => 0_usize..5, 1 => any::<usize>()].prop_map(MethodIx)
}

fn sample() -> impl Strategy<Value = (MethodIx, Sample)> {
    (method(), time(), time(), 0_u64..3, any::<bool>()).prop_map(|(method, one, other, size, warm)| {
        let mut sample = Sample::new(one.min(other), one.max(other)).unwrap();
        sample.size = Size::Value(size);
        sample.flags = if warm { SampleFlags::WARM_UP } else { SampleFlags::default() };
        (method, sample)
    })
}

/// An event, sensible or not.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => Just(Event::Prepare),
        2 => Just(Event::Start),
        3 => Just(Event::Tick),
        6 => Just(Event::Pulse),
        9 => prop::collection::vec(sample(), 0..30).prop_map(Event::Samples),
        1 => (prop::collection::vec(0_usize..4, 0..3), prop::collection::vec(sample(), 0..9))
            .prop_map(|(decided, samples)| Event::Resume { decided: decided.into_iter().map(ClaimIx).collect(), samples }),
        1 => (prop::option::of(method()), any::<u64>())
            .prop_map(|(method, count)| Event::Dropped { method, count }),
        1 => method().prop_map(Event::LimitReached),
        1 => (0_u64..30).prop_map(Event::AgentLimit),
        1 => method().prop_map(|method| Event::Unavailable { method, why: Outcome::Native }),
        1 => method().prop_map(|method| Event::GivenUp { method, why: Outcome::Native }),
        1 => method().prop_map(Event::DearChange),
        1 => any::<u64>().prop_map(|took_ns| Event::Changed { took_ns }),
        1 => any::<u64>().prop_map(|jvm_ns| Event::Clock { jvm_ns }),
        2 => (method(), prop::option::of(0_u64..9)).prop_map(|(method, closing)| Event::Drained { method, closing }),
        2 => any::<u64>().prop_map(|cpu_ns| Event::AgentUsed { cpu_ns }),
        1 => (0_usize..4).prop_map(|claim| Event::Decided(ClaimIx(claim))),
    ]
}

/// Settings of every policy with every other.
pub(crate) fn any_settings() -> impl Strategy<Value = Settings> {
    let law = (1_usize..7, 0_u64..100, 100_u64..5000, 0_u32..4, 2_u64..5, 1_u64..20);
    let budget = prop::option::of((time(), time(), time(), time(), any::<u32>()));
    let paired = prop::option::of((time(), time(), any::<bool>()));
    let warm_up = prop::option::of((0_u64..3, time()));
    let probes = (time(), prop::option::of(1_u32..9));
    (law, budget, paired, warm_up, probes, any::<bool>()).prop_map(
        |(law, budget, paired, warm_up, probes, compare)| Settings {
            initial_optimal: law.0,
            min_diff_ns: law.1,
            max_diff_ns: law.2,
            weight: law.3,
            min_samples: law.4,
            max_samples: law.5,
            scale: Scale::Linear { base: 1 },
            mode: if compare { RunMode::Comparison } else { RunMode::Measurement },
            warm_up: warm_up.map(|(samples, time_ns)| WarmUp { samples, time_ns }),
            restore_after_ns: probes.0,
            instrument_ahead: law.0 % 3,
            settle_ns: law.1,
            changes_per_minute: probes.1,
            budget: budget.map(|(ceiling_ns_per_s, sample_cost_ps, skip_cost_ps, window_ns, max_every)| {
                Budget {
                    ceiling_ns_per_s,
                    sample_cost_ps,
                    agent_cost_ps: sample_cost_ps / 2,
                    agent_spare_ns_per_s: window_ns,
                    skip_cost_ps,
                    closed_cost_ps: skip_cost_ps,
                    size_cost_ps: window_ns,
                    window_ns,
                    max_every,
                }
            }),
            paired: paired.map(|(min_turn_ns, overlap_bound_ns, owner_decides)| Paired {
                min_turn_ns,
                overlap_bound_ns,
                longest_wait_ns: overlap_bound_ns,
                owner_decides,
            }),
            ..Settings::thesis()
        },
    )
}

/// Checks the rules that hold after each event.
fn check_state(scheduler: &Scheduler, started: bool) {
    let now = scheduler.situation();
    assert!(now.measured <= now.optimal && now.optimal <= now.unfinished, "{now:?}");
    if started {
        assert_eq!((now.measured, now.measured == 0), (now.optimal, now.unfinished == 0));
    }
    for one in scheduler.progress() {
        assert!(one.status != Status::Finished || one.open_claims == 0 || now.unfinished > 0, "{one:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1_591), failure_persistence: None, cases: 128, ..ProptestConfig::default()
    })]

    #[test]
    fn any_events_in_any_order(
        settings in any_settings(),
        events in prop::collection::vec((any_event(), time()), 0..60),
        comparisons in prop::collection::vec((0_usize..5, 0_usize..5), 0..4),
    ) {
        let mut scheduler = Scheduler::new(settings, &apart(5, &comparisons)).unwrap();
        let mut started = false;
        let mut finished = Vec::new();
        for (event, now) in events.into_iter().chain([(Event::Finish, 0)]) {
            started |= matches!(event, Event::Start | Event::Prepare);
            for decision in scheduler.handle(event, now) {
                prop_assert!(!scheduler.explain(&decision).to_string().is_empty());
                if let Action::Finished(method) = decision.action {
                    finished.push(method);
                }
            }
            check_state(&scheduler, started);
        }
        prop_assert!(scheduler.is_done());
        finished.sort_unstable();
        prop_assert_eq!(finished, (0..5).map(MethodIx).collect::<Vec<_>>());
    }
}
