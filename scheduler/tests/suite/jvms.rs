//! Several JVMs that feed one measurement: samples are common, gates and probes belong to each JVM.

use crate::bench::{apart, calm, event, gates, probes, short};
use crate::hostile::{any_event, any_settings};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use spl_lang::{RunMode, Tasks};
use spl_scheduler::{Action, Decision, Event, JvmIx, MethodIx, Paired, Scheduler, Settings, Turns};
use std::collections::{BTreeMap, BTreeSet};

/// Decisions about one JVM.
fn of(jvm: usize, decisions: &[Decision]) -> Vec<Decision> {
    decisions.iter().filter(|decision| decision.jvm == JvmIx(jvm)).cloned().collect()
}

fn in_jvm(scheduler: &mut Scheduler, jvm: usize, text: &str, now_ns: u64) -> Vec<Decision> {
    scheduler.handle_in(JvmIx(jvm), event(text), now_ns)
}

#[test]
fn samples_of_all_jvms_fill_one_bucket_and_end_the_measurement_in_all() {
    let mut scheduler = Scheduler::new(calm(), &apart(2, &[(0, 1)])).unwrap();
    for jvm in [0, 1] {
        let started = in_jvm(&mut scheduler, jvm, "start", 0);
        assert_eq!(gates(&of(jvm, &started)), "A:1/all B:1/all", "JVM {jvm}");
        assert_eq!(started.len(), of(jvm, &started).len(), "JVM {jvm} starts by itself");
    }
    // The clocks of the two are years apart.
    assert_eq!(short(&in_jvm(&mut scheduler, 0, "A@100+10x2 B@100+10x1", 1)), "");
    assert_eq!(short(&in_jvm(&mut scheduler, 1, "A@90000000000000000+10x1 B@90000000000000000+10x1", 2)), "");
    let last = in_jvm(&mut scheduler, 1, "B@90000000000000100", 3);
    assert_eq!(short(&last), "=0-3/3 !A !B done");
    for jvm in [0, 1] {
        assert_eq!(
            (gates(&of(jvm, &last)).as_str(), probes(&of(jvm, &last)).as_str()),
            ("-A -B", "in out A B")
        );
    }
    let progress = scheduler.progress().map(|one| one.samples).collect::<Vec<_>>();
    assert_eq!(progress, [3, 3]);
}

#[test]
fn a_method_that_one_jvm_lacks_is_measured_in_the_others() {
    let mut scheduler = Scheduler::new(calm(), &apart(2, &[(0, 1)])).unwrap();
    in_jvm(&mut scheduler, 0, "start", 0);
    in_jvm(&mut scheduler, 1, "start", 0);
    let lacks = in_jvm(&mut scheduler, 0, "native A", 1);
    assert_eq!((short(&lacks).as_str(), gates(&lacks).as_str()), ("", "-A"));
    assert_eq!(of(1, &lacks), []);
    let gone = in_jvm(&mut scheduler, 1, "gone A", 2);
    assert_eq!(short(&gone), "!A ?0-0/0 !B done");
    assert_eq!((gates(&of(0, &gone)).as_str(), gates(&of(1, &gone)).as_str()), ("-B", "-A -B"));
}

#[test]
fn a_jvm_that_leaves_takes_its_gates_with_it_and_one_that_comes_late_measures_what_is_open() {
    let mut scheduler = Scheduler::new(calm(), &apart(3, &[(0, 1)])).unwrap();
    in_jvm(&mut scheduler, 0, "start", 0);
    in_jvm(&mut scheduler, 1, "start", 0);
    assert_eq!(short(&in_jvm(&mut scheduler, 0, "A@100+10x3 B@100+10x2", 1)), "");
    assert_eq!(short(&scheduler.handle_in(JvmIx(0), Event::Left, 2)), "");
    assert_eq!(short(&in_jvm(&mut scheduler, 1, "B@5", 3)), "=0-3/3 !A !B");
    let late = in_jvm(&mut scheduler, 2, "start", 4);
    assert_eq!((gates(&late).as_str(), probes(&late).as_str()), ("C:1/all", "in C out"));
    assert_eq!(short(&scheduler.handle(event("finish"), 5)), "!C done");
}

#[test]
fn windows_of_several_jvms_have_numbers_of_their_own_and_pairs_of_one_jvm_each() {
    let windows =
        Paired { min_turn_ns: 1000, overlap_bound_ns: 100, longest_wait_ns: 0, owner_decides: true };
    let settings = Settings { paired: Some(windows), max_samples: 1000, ..calm() };
    let mut scheduler = Scheduler::new(settings, &apart(2, &[(0, 1)])).unwrap();
    let mut turns: Vec<(usize, Turns)> = Vec::new();
    let mut open: [BTreeSet<MethodIx>; 2] = Default::default();
    let mut keep = |decisions: Vec<Decision>| {
        for decision in decisions {
            let jvm = decision.jvm.0;
            match decision.action {
                Action::Turns(of) => turns.push((jvm, *of)),
                Action::Measure(method) => {
                    open[jvm].insert(method);
                }
                Action::Rest(method) => {
                    open[jvm].remove(&method);
                }
                _ => {}
            }
        }
        open.each_ref().map(|of| of.iter().copied().collect::<Vec<_>>())
    };
    // The second JVM's clock is 500 µs ahead, and its calls take ten times as long.
    const AHEAD: [u64; 2] = [0, 500_000];
    for jvm in [0, 1] {
        keep(scheduler.handle_in(JvmIx(jvm), Event::Clock { jvm_ns: AHEAD[jvm] }, 0));
        keep(scheduler.handle_in(JvmIx(jvm), Event::Start, 0));
    }
    for now in (100..60_000).step_by(100) {
        let measured = keep(scheduler.handle(Event::Pulse, now));
        for jvm in [0, 1] {
            let call = |method: &MethodIx| {
                let end = now + AHEAD[jvm] + 90;
                let letter = ["A", "B"][method.0];
                format!("{letter}@{end}~{}", [8, 80][jvm])
            };
            let text = measured[jvm].iter().map(call).collect::<Vec<_>>().join(" ");
            if !text.is_empty() {
                keep(in_jvm(&mut scheduler, jvm, &text, now + 99));
            }
        }
    }
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    for (jvm, of) in &turns {
        assert_eq!(*numbers.entry(of.number).or_insert(*jvm), *jvm, "window {} is of two JVMs", of.number);
        let took = of.turns.iter().flat_map(|turn| &turn.calls).map(|(_, ns)| *ns).collect::<BTreeSet<_>>();
        assert_eq!(took, BTreeSet::from([[8, 80][*jvm]]), "window {} mixes JVMs", of.number);
    }
    let windows = [0, 1].map(|jvm| numbers.values().filter(|&&one| one == jvm).count());
    assert!(windows.iter().all(|&count| count >= 10), "{windows:?}");
}

#[test]
fn one_jvm_is_the_same_with_a_number_and_without() {
    let tasks: Tasks = apart(3, &[(0, 1)]);
    let [mut plain, mut numbered] = [(); 2].map(|()| Scheduler::new(calm(), &tasks).unwrap());
    for (now, text) in [(0, "start"), (1, "A@100+10x3"), (2, "native C"), (3, "B@9+1x3"), (4, "finish")] {
        let plain = plain.handle(event(text), now);
        assert_eq!(plain, numbered.handle_in(JvmIx(0), event(text), now));
    }
    assert_eq!(plain, numbered);
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1_592), failure_persistence: None, cases: 128, ..ProptestConfig::default()
    })]

    /// After any events in any JVM, every method finishes once, and no gate stays open and no class
    /// instrumented.
    #[test]
    fn nothing_stays_in_any_jvm(
        settings in any_settings(),
        events in prop::collection::vec((prop_oneof![15 => any_event(), 1 => Just(Event::Left)], 0_usize..3, 0_u64..100_000), 0..80),
        comparisons in prop::collection::vec((0_usize..5, 0_usize..5), 0..4),
    ) {
        prop_assume!(settings.mode == RunMode::Measurement || settings.min_samples >= 2);
        let mut scheduler = Scheduler::new(settings, &apart(5, &comparisons)).unwrap();
        let mut finished = Vec::new();
        let mut gates: BTreeSet<(JvmIx, MethodIx)> = BTreeSet::new();
        let mut inside: BTreeSet<(JvmIx, MethodIx)> = BTreeSet::new();
        let mut known = BTreeSet::from([JvmIx(0)]);
        for (event, jvm, now) in events.into_iter().chain([(Event::Finish, 9, 0)]) {
            let jvm = JvmIx(jvm);
            let left = event == Event::Left;
            let decisions = if jvm == JvmIx(9) {
                scheduler.handle(event, now)
            } else {
                known.insert(jvm);
                scheduler.handle_in(jvm, event, now)
            };
            for decision in decisions {
                let of = decision.jvm;
                match decision.action {
                    Action::Finished(method) => finished.push(method),
                    Action::Open { method, quota: None, .. } => {
                        gates.insert((of, method));
                    }
                    // A gate with a quota closes by itself.
                    Action::Open { method, .. } | Action::Close(method) => {
                        gates.remove(&(of, method));
                    }
                    Action::Retransform { instrument, restore } => {
                        inside.extend(instrument.into_iter().map(|method| (of, method)));
                        for method in restore {
                            inside.remove(&(of, method));
                        }
                    }
                    _ => {}
                }
            }
            // The last JVM stays unchanged; the state of any other JVM is gone with it.
            if left && known.len() > 1 {
                known.remove(&jvm);
                gates.retain(|(one, _)| *one != jvm);
                inside.retain(|(one, _)| *one != jvm);
            }
        }
        prop_assert!(scheduler.is_done());
        finished.sort_unstable();
        prop_assert_eq!(finished, (0..5).map(MethodIx).collect::<Vec<_>>());
        prop_assert_eq!((gates, inside), Default::default());
    }
}
