//! Programs with steady, bursting and silent methods, run against the scheduler, and the rules that must hold
//! for all of them.

use crate::bench::{apart, tasks};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use spl_lang::{RunMode, Tasks};
use spl_model::{Sample, Scale, Size};
use spl_scheduler::{Action, Budget, Decision, Event, MethodIx, Paired, Scheduler, Settings, Status};
use spl_verdict::{Evaluation, NotEvaluated};
use std::collections::{BTreeMap, BTreeSet};

/// Pattern of a method's calls.
#[derive(Clone, Copy, Debug)]
enum Calls {
    Never,
    /// One call every this number of nanoseconds.
    Steady(u64),
    /// This many calls, 100 ns apart, once every period.
    Burst {
        calls: u64,
        period_ns: u64,
    },
    /// One call every `period_ns`, but in every second phase only.
    Phases {
        period_ns: u64,
        phase_ns: u64,
    },
    /// One call every `period_ns` at first, then ever more often: twice as often at the end.
    Drifting {
        period_ns: u64,
    },
    /// Calls by `caller` only: each call lies within one of the caller's.
    Nested {
        caller: usize,
    },
}

#[derive(Clone, Debug)]
struct Program {
    methods: Vec<Calls>,
    comparisons: Vec<(usize, usize)>,
    settings: Settings,
    cycles: u64,
    cycle_ns: u64,
}

/// Result of a run.
struct Run {
    scheduler: Scheduler,
    decisions: Vec<Decision>,
    /// All samples, as the scheduler left them.
    samples: Vec<(MethodIx, Sample)>,
}

impl Run {
    /// Evaluations, in the order of the comparisons and their buckets. They are compared as text: a test
    /// statistic of constant times is NaN, which equals nothing.
    fn evaluations(&self) -> Vec<String> {
        evaluations(&self.decisions)
    }
}

fn evaluations(decisions: &[Decision]) -> Vec<String> {
    let evaluated = decisions.iter().filter_map(|decision| match &decision.action {
        Action::Evaluated(evaluation) => Some(evaluation),
        _ => None,
    });
    let mut found: Vec<_> = evaluated.collect();
    found.sort_by_key(|one| (one.comparison, one.bucket.clone()));
    // The reason for missing samples has other words in a replay.
    let text = |one: &Evaluation| match &one.verdict {
        Err(NotEvaluated::Lacking(_)) => format!("{} {} lacks samples", one.comparison, one.bucket),
        _ => format!("{one:?}"),
    };
    found.into_iter().map(|one| text(one)).collect()
}

impl Program {
    fn tasks(&self) -> Tasks {
        apart(self.methods.len(), &self.comparisons)
    }

    /// Calls of a method that end in a cycle, at most 200: ends and durations.
    fn calls(&self, method: usize, from_ns: u64, to_ns: u64) -> Vec<(u64, u64)> {
        let phase = method as u64 * 17;
        let length = |end: u64| 50 + end % 13;
        let steady = |period: u64| {
            let first = from_ns.saturating_sub(phase).div_ceil(period);
            (first..).map(move |k| k * period + phase).take_while(move |&end| end < to_ns).take(200)
        };
        let timed = |ends: &mut dyn Iterator<Item = u64>| ends.map(|end| (end, length(end))).collect();
        match self.methods[method] {
            Calls::Never => Vec::new(),
            Calls::Steady(period) => timed(&mut steady(period)),
            Calls::Burst { calls, period_ns } => {
                let first = from_ns.div_ceil(period_ns) * period_ns + phase;
                timed(&mut (0..calls.min(200)).map(|k| first + 100 * k).take_while(|&end| end < to_ns))
            }
            Calls::Phases { period_ns, phase_ns } => {
                timed(&mut steady(period_ns).filter(|end| (end / phase_ns) % 2 == 0))
            }
            Calls::Drifting { period_ns } => {
                let passed = from_ns * 1000 / (self.cycles * self.cycle_ns).max(1);
                timed(&mut steady((period_ns - period_ns * passed / 2000).max(50)))
            }
            Calls::Nested { caller } => {
                // Within the caller's call: it begins later and ends earlier.
                let outer = self.calls(caller, from_ns, to_ns);
                outer
                    .into_iter()
                    .map(|(end, length)| (end.saturating_sub(10), length.saturating_sub(20)))
                    .filter(|call| call.0 >= from_ns)
                    .collect()
            }
        }
    }

    /// Runs the program: gates open and close with the decisions; then the program ends.
    fn run(&self, mut watch: impl FnMut(&Scheduler)) -> Run {
        self.run_gates(|scheduler, _| watch(scheduler))
    }

    fn run_gates(&self, mut watch: impl FnMut(&Scheduler, &Gates)) -> Run {
        let mut scheduler = Scheduler::new(self.settings.clone(), &self.tasks()).unwrap();
        let mut decisions = scheduler.handle(Event::Start, 0);
        let mut samples = Vec::new();
        let mut gates = Gates::default();
        gates.turn(&decisions);
        for cycle in 0..self.cycles {
            let (from, to) = (cycle * self.cycle_ns, (cycle + 1) * self.cycle_ns);
            let mut batch = Vec::new();
            for method in gates.open.keys().copied().collect::<Vec<_>>() {
                for (end, length) in self.calls(method.0, from, to) {
                    if gates.takes(method) {
                        let mut sample = Sample::new(end.saturating_sub(length), end).unwrap();
                        sample.size = Size::Value(end % 3);
                        batch.push((method, sample));
                    }
                }
            }
            gates.taken += batch.len() as u64;
            let step = scheduler.handle_samples(&mut batch, to);
            samples.extend(batch);
            gates.turn(&step);
            decisions.extend(step);
            watch(&scheduler, &gates);
        }
        decisions.extend(scheduler.handle(Event::Finish, self.cycles * self.cycle_ns));
        Run { scheduler, decisions, samples }
    }
}

/// The gates of a program: how many more samples each open one takes, and the calls to pass over before each.
#[derive(Debug, Default)]
struct Gates {
    open: BTreeMap<MethodIx, Gate>,
    /// Samples taken so far, and calls passed over.
    taken: u64,
    passed_over: u64,
}

#[derive(Debug)]
struct Gate {
    every: u32,
    skip: u32,
    left: u64,
}

impl Gates {
    fn turn(&mut self, decisions: &[Decision]) {
        for decision in decisions {
            match decision.action {
                Action::Open { method, every, quota } => {
                    let gate = Gate { every, skip: every - 1, left: quota.unwrap_or(u64::MAX) };
                    self.open.insert(method, gate);
                }
                Action::Close(method) => {
                    self.open.remove(&method);
                }
                _ => {}
            }
        }
    }

    /// Whether the next call of this method is taken.
    fn takes(&mut self, method: MethodIx) -> bool {
        let Some(gate) = self.open.get_mut(&method).filter(|gate| gate.left > 0) else { return false };
        if gate.skip > 0 {
            gate.skip -= 1;
            self.passed_over += 1;
            return false;
        }
        gate.skip = gate.every - 1;
        gate.left -= 1;
        true
    }

    fn are_open(&self, method: usize) -> bool {
        self.open.contains_key(&MethodIx(method))
    }
}

fn calls() -> impl Strategy<Value = Calls> {
    prop_oneof![
        Just(Calls::Never),
        (50_u64..5_000_000).prop_map(Calls::Steady),
        (1_u64..200, 1_000_000_u64..400_000_000)
            .prop_map(|(calls, period_ns)| Calls::Burst { calls, period_ns }),
        (50_u64..5_000_000, 1_000_000_u64..100_000_000)
            .prop_map(|(period_ns, phase_ns)| Calls::Phases { period_ns, phase_ns }),
        (100_u64..5_000_000).prop_map(|period_ns| Calls::Drifting { period_ns }),
    ]
}

/// Some of the methods are called by the one before them.
fn with_nesting(mut methods: Vec<Calls>, nested: &[bool]) -> Vec<Calls> {
    for index in 1..methods.len() {
        if nested[index] {
            methods[index] = Calls::Nested { caller: index - 1 };
        }
    }
    methods
}

fn program() -> impl Strategy<Value = Program> {
    let settings = (1_usize..6, 0_u64..100_000, 100_000_u64..50_000_000, 0_u32..6, 2_u64..20, 1_u64..60);
    (1_usize..9).prop_flat_map(move |count| {
        (
            (prop::collection::vec(calls(), count), prop::collection::vec(prop::bool::weighted(0.2), count))
                .prop_map(|(methods, nested)| with_nesting(methods, &nested)),
            prop::collection::vec((0..count, 0..count), 0..6),
            settings.clone(),
            any::<bool>(),
            1_u64..60,
        )
            .prop_map(|(methods, comparisons, limits, measurement, cycles)| {
                let (initial_optimal, min_diff_ns, max_diff_ns, weight, min_samples, max_samples) = limits;
                let settings = Settings {
                    initial_optimal,
                    min_diff_ns,
                    max_diff_ns,
                    weight,
                    min_samples,
                    max_samples,
                    scale: Scale::Linear { base: 1 },
                    mode: if measurement { RunMode::Measurement } else { RunMode::Comparison },
                    ..Settings::thesis()
                };
                Program { methods, comparisons, settings, cycles, cycle_ns: 10_000_000 }
            })
    })
}

/// Settings of proptest with a fixed seed: each run of the tests has the same programs.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(20_150_731),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn as_many_as_is_optimal_and_never_none(program in program()) {
        program.run(|scheduler| {
            let now = scheduler.situation();
            assert_eq!(now.measured, now.optimal);
            assert!(now.optimal <= now.unfinished);
            assert_eq!(now.measured == 0, now.unfinished == 0);
            let measured = scheduler.progress().filter(|one| one.status == Status::Measured).count();
            let finished = scheduler.progress().filter(|one| one.status == Status::Finished).count();
            assert_eq!((measured, program.methods.len() - finished), (now.measured, now.unfinished));
            assert!(scheduler.progress().all(|one| one.samples <= program.settings.max_samples));
        });
    }

    #[test]
    fn every_comparison_ends_with_the_program(program in program()) {
        let run = program.run(|_| {});
        let mut ended = BTreeSet::new();
        let mut finished = Vec::new();
        for decision in &run.decisions {
            match &decision.action {
                Action::Evaluated(evaluation) => {
                    let again = !ended.insert(evaluation.comparison);
                    assert!(!again || evaluation.leftover, "evaluated twice: {evaluation:?}");
                }
                Action::Finished(method) => finished.push(*method),
                _ => {}
            }
        }
        let all = if program.settings.mode == RunMode::Comparison { program.comparisons.len() } else { 0 };
        prop_assert_eq!(ended, (0..all).collect());
        finished.sort_unstable();
        prop_assert_eq!(finished, (0..program.methods.len()).map(MethodIx).collect::<Vec<_>>());
        prop_assert_eq!(&run.decisions.last().unwrap().action, &Action::Done);
        prop_assert!(run.scheduler.is_done());
        prop_assert_eq!(run.decisions.iter().filter(|one| one.action == Action::Done).count(), 1);
    }

    #[test]
    fn the_same_input_gives_the_same_decisions(program in program()) {
        let (one, other) = (program.run(|_| {}), program.run(|_| {}));
        // Compared as text: a test statistic of constant times is NaN, which equals nothing.
        prop_assert_eq!(format!("{:?}", one.decisions), format!("{:?}", other.decisions));
        prop_assert_eq!(one.scheduler, other.scheduler);
    }

    #[test]
    fn windows_keep_one_gate_a_group_open_and_lose_no_comparison(
        program in program(), min_turn_ns in 0_u64..40_000_000, overlap_bound_ns in 0_u64..20_000_000,
    ) {
        let paired = Some(Paired { min_turn_ns, overlap_bound_ns, longest_wait_ns: 0, owner_decides: false });
        let settings = Settings { paired, mode: RunMode::Comparison, ..program.settings.clone() };
        let program = Program { settings, ..program };
        let run = program.run_gates(|scheduler, gates| {
            let now = scheduler.situation();
            assert!(gates.open.len() <= now.measured, "{gates:?} {now:?}");
            assert_eq!((now.measured, now.measured == 0), (now.optimal, now.unfinished == 0));
            for &(left, right) in &program.comparisons {
                assert!(left == right || !gates.are_open(left) || !gates.are_open(right), "{gates:?}");
            }
        });
        let mut ended = BTreeSet::new();
        for decision in &run.decisions {
            match &decision.action {
                Action::Evaluated(evaluation) => {
                    ended.insert(evaluation.comparison);
                    let counted = evaluation.verdict.is_ok();
                    assert!(!counted || evaluation.n_left == evaluation.n_right, "{evaluation:?}");
                }
                Action::Window(window) => assert_eq!(window.left_ns.len(), window.right_ns.len()),
                _ => {}
            }
        }
        prop_assert_eq!(ended, (0..program.comparisons.len()).collect());
        prop_assert!(run.scheduler.is_done());
    }

    #[test]
    fn recorded_samples_give_the_same_evaluations_again(
        program in program(), paired in any::<bool>(), min_turn_ns in 0_u64..40_000_000, part in 1_usize..500,
    ) {
        let windows = Paired { min_turn_ns, overlap_bound_ns: 5_000_000, longest_wait_ns: 0, owner_decides: false };
        let settings = Settings { paired: paired.then_some(windows), ..program.settings.clone() };
        let program = Program { settings, ..program };
        let run = program.run(|_| {});
        let mut again = Scheduler::new(program.settings.clone(), &program.tasks()).unwrap();
        let mut decisions = Vec::new();
        for part in run.samples.chunks(part) {
            decisions.extend(again.handle(Event::Resume { decided: Vec::new(), samples: part.to_vec() }, 0));
        }
        decisions.extend(again.handle(Event::Finish, 0));
        prop_assert_eq!(evaluations(&decisions), run.evaluations());
    }

    #[test]
    fn probes_never_cost_more_than_the_budget(
        program in program(), ceiling_ns_per_s in 1_u64..50_000_000, max_every in 1_u32..2000,
        window_ns in 0_u64..100_000_000, paired in any::<bool>(),
    ) {
        let (sample_cost_ps, skip_cost_ps) = (40_000, 1000);
        let budget = Budget {
            ceiling_ns_per_s, sample_cost_ps, agent_cost_ps: 0, agent_spare_ns_per_s: 0, skip_cost_ps, closed_cost_ps: 0, size_cost_ps: 0, window_ns, max_every
        };
        let windows = Paired { min_turn_ns: 15_000_000, overlap_bound_ns: 0, longest_wait_ns: 0, owner_decides: false };
        let settings = Settings {
            budget: Some(budget), paired: paired.then_some(windows), max_samples: 10_000, ..program.settings.clone()
        };
        let program = Program { settings, ..program };
        let mut cycles = 0;
        program.run_gates(|scheduler, gates| {
            cycles += 1;
            // The earnings of a tenth of a second are there at the start; one sample may always be saved up
            // for.
            let time_ns = u128::from(cycles * program.cycle_ns + 100_000_000);
            let earned_ps = u128::from(ceiling_ns_per_s) * time_ns / 1_000_000;
            let one_ps = u128::from(sample_cost_ps + u64::from(max_every) * skip_cost_ps);
            let spent_ps = u128::from(gates.taken * sample_cost_ps + gates.passed_over * skip_cost_ps);
            assert!(spent_ps <= earned_ps + one_ps, "{spent_ps} of {earned_ps} after {time_ns} ns");
            let now = scheduler.situation();
            assert_eq!((now.measured, now.measured == 0), (now.optimal, now.unfinished == 0));
        });
    }

    #[test]
    fn a_method_that_is_never_called_starves_nobody(
        silent in 1_usize..4, first in any::<bool>(), period in 1_000_u64..5_000_000, others in 1_usize..4,
    ) {
        let calling = vec![Calls::Steady(period); others];
        let never = vec![Calls::Never; silent];
        let methods = if first { [never, calling].concat() } else { [calling, never].concat() };
        let settings = Settings {
            initial_optimal: 1, min_diff_ns: 1, max_diff_ns: 20_000_000, max_samples: 20, mode: RunMode::Measurement,
            ..Settings::thesis()
        };
        let program = Program {
            methods, comparisons: Vec::new(), settings, cycles: 200, cycle_ns: 10_000_000,
        };
        let mut finished = 0;
        program.run(|scheduler| {
            finished = scheduler.progress().filter(|one| one.status == Status::Finished).count();
        });
        prop_assert_eq!(finished, others);
    }
}

proptest! {
    // Each is five minutes long.
    #![proptest_config(ProptestConfig { cases: 8, ..fixed() })]

    #[test]
    fn classes_change_no_oftener_than_is_allowed(
        program in program(), cap in 1_u32..10, restore_after_ns in 0_u64..1_000_000_000, instrument_ahead in 0_usize..4,
    ) {
        // A law that adds and suspends as fast as it can, over five minutes.
        let settings = Settings {
            min_diff_ns: 1_000_000, max_diff_ns: 1_000_001, weight: 0, initial_optimal: 2, max_samples: 1_000_000,
            changes_per_minute: Some(cap), restore_after_ns, instrument_ahead, mode: RunMode::Measurement,
            ..program.settings.clone()
        };
        let program = Program { settings, cycles: 300, cycle_ns: 1_000_000_000, ..program };
        let run = program.run(|_| {});
        let changes: Vec<u64> = run.decisions.iter()
            .filter(|decision| matches!(decision.action, Action::Retransform { .. }))
            .map(|decision| decision.situation.now_ns)
            .collect();
        // The last change restores the JVM and is never delayed.
        let counted = &changes[..changes.len() - 1];
        for (index, &from) in counted.iter().enumerate() {
            let within = counted[index..].iter().take_while(|&&at| at - from < 60_000_000_000).count();
            prop_assert!(within <= cap as usize, "{within} changes in a minute: {changes:?}");
        }
    }
}

/// Seconds of processor time that this thread has had: the first number in the kernel's `schedstat`.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    let first = text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    first.expect("it begins with a number") as f64 / 1e9
}

/// Seconds of processor time of a run in windows with this number of comparisons, which all share one method.
fn shared_by(comparisons: usize) -> f64 {
    let names: Vec<String> = (0..=comparisons).map(|index| format!("C{index}.m")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let pairs: Vec<(usize, usize)> = (1..=comparisons).map(|other| (0, other)).collect();
    let paired =
        Some(Paired { min_turn_ns: 1000, overlap_bound_ns: 0, longest_wait_ns: 0, owner_decides: false });
    let settings = Settings { paired, min_samples: 2, max_samples: 100, ..Settings::thesis() };
    let mut scheduler = Scheduler::new(settings, &tasks(&names, &pairs)).unwrap();
    let began = cpu_seconds();
    let mut gates = Gates::default();
    let mut decisions = scheduler.handle(Event::Start, 0);
    // Three windows: two to fill the buckets, one more until the second is closed.
    for _ in 0..3 * (comparisons + 1) + 2 {
        gates.turn(&decisions);
        let Some(now) = scheduler.wake_ns() else { break };
        let call = |&method: &MethodIx| (method, Sample::new(now - 500, now - 400).unwrap());
        decisions = scheduler.handle(Event::Samples(gates.open.keys().map(call).collect()), now);
    }
    assert!(scheduler.is_done(), "every comparison ends");
    cpu_seconds() - began
}

#[test]
fn comparisons_that_share_a_method_take_time_in_proportion() {
    let (few, many) = (shared_by(1000), shared_by(10_000));
    // Ten times as many; twice that for what does not fit the caches.
    assert!(many < few.max(0.02) * 20.0, "1,000 take {few:.3} s, 10,000 take {many:.3} s");
}
