//! Programs with steady, bursting and silent methods, run against the scheduler: what must hold whatever they do.

use crate::bench::apart;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use spl_lang::{RunMode, Tasks};
use spl_model::{Sample, Scale, Size};
use spl_scheduler::{Action, Decision, Event, MethodIx, Paired, Scheduler, Settings, Status};
use std::collections::BTreeSet;

/// How a method is called.
#[derive(Clone, Copy, Debug)]
enum Calls {
    Never,
    /// Every so many nanoseconds.
    Steady(u64),
    /// This many calls, 100 ns apart, once every period.
    Burst {
        calls: u64,
        period_ns: u64,
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

/// What came of a run.
struct Run {
    scheduler: Scheduler,
    decisions: Vec<Decision>,
    /// All samples, as the scheduler left them.
    samples: Vec<(MethodIx, Sample)>,
}

impl Run {
    /// What was evaluated, in the order of the comparisons and their buckets. As text: a test statistic of constant times
    /// is not a number, which equals nothing.
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
    found.into_iter().map(|one| format!("{one:?}")).collect()
}

impl Program {
    fn tasks(&self) -> Tasks {
        apart(self.methods.len(), &self.comparisons)
    }

    /// Calls of a method that end in a cycle, at most 200.
    fn ends(&self, method: usize, from_ns: u64, to_ns: u64) -> Vec<u64> {
        let phase = method as u64 * 17;
        match self.methods[method] {
            Calls::Never => Vec::new(),
            Calls::Steady(period) => {
                let first = from_ns.saturating_sub(phase).div_ceil(period);
                (first..first + 200).map(|k| k * period + phase).take_while(|&end| end < to_ns).collect()
            }
            Calls::Burst { calls, period_ns } => {
                let first = from_ns.div_ceil(period_ns) * period_ns + phase;
                (0..calls.min(200)).map(|k| first + 100 * k).take_while(|&end| end < to_ns).collect()
            }
        }
    }

    /// Runs the program: gates open and close with the decisions; then the program ends.
    fn run(&self, mut watch: impl FnMut(&Scheduler)) -> Run {
        self.run_gates(|scheduler, _| watch(scheduler))
    }

    fn run_gates(&self, mut watch: impl FnMut(&Scheduler, &BTreeSet<MethodIx>)) -> Run {
        let mut scheduler = Scheduler::new(self.settings.clone(), &self.tasks()).unwrap();
        let mut decisions = scheduler.handle(Event::Start, 0);
        let mut open = BTreeSet::new();
        turn_gates(&mut open, &decisions);
        let mut samples = Vec::new();
        for cycle in 0..self.cycles {
            let (from, to) = (cycle * self.cycle_ns, (cycle + 1) * self.cycle_ns);
            let mut batch = Vec::new();
            for &method in &open {
                let MethodIx(index) = method;
                for end in self.ends(index, from, to) {
                    let mut sample = Sample::new(end.saturating_sub(50 + end % 13), end).unwrap();
                    sample.size = Size::Value(end % 3);
                    batch.push((method, sample));
                }
            }
            let step = scheduler.handle_samples(&mut batch, to);
            samples.extend(batch);
            turn_gates(&mut open, &step);
            decisions.extend(step);
            watch(&scheduler, &open);
        }
        decisions.extend(scheduler.handle(Event::Finish, self.cycles * self.cycle_ns));
        Run { scheduler, decisions, samples }
    }
}

fn turn_gates(open: &mut BTreeSet<MethodIx>, decisions: &[Decision]) {
    for decision in decisions {
        match decision.action {
            Action::Measure(method) => {
                open.insert(method);
            }
            Action::Suspend(method) | Action::Rest(method) | Action::Finished(method) => {
                open.remove(&method);
            }
            _ => {}
        }
    }
}

fn calls() -> impl Strategy<Value = Calls> {
    prop_oneof![
        Just(Calls::Never),
        (50_u64..5_000_000).prop_map(Calls::Steady),
        (1_u64..200, 1_000_000_u64..400_000_000)
            .prop_map(|(calls, period_ns)| Calls::Burst { calls, period_ns }),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let settings = (1_usize..6, 0_u64..100_000, 100_000_u64..50_000_000, 0_u32..6, 2_u64..20, 1_u64..60);
    (1_usize..9).prop_flat_map(move |count| {
        (
            prop::collection::vec(calls(), count),
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

/// The same programs in each run of the tests.
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
        // As text: a test statistic of constant times is not a number, which equals nothing.
        prop_assert_eq!(format!("{:?}", one.decisions), format!("{:?}", other.decisions));
        prop_assert_eq!(one.scheduler, other.scheduler);
    }

    #[test]
    fn windows_keep_one_gate_a_group_open_and_lose_no_comparison(
        program in program(), min_turn_ns in 0_u64..40_000_000, overlap_bound_ns in 0_u64..20_000_000,
    ) {
        let paired = Some(Paired { min_turn_ns, overlap_bound_ns, owner_decides: false });
        let settings = Settings { paired, mode: RunMode::Comparison, ..program.settings.clone() };
        let program = Program { settings, ..program };
        let run = program.run_gates(|scheduler, open| {
            let now = scheduler.situation();
            assert!(open.len() <= now.measured, "{open:?} {now:?}");
            assert_eq!((now.measured, now.measured == 0), (now.optimal, now.unfinished == 0));
            for &(left, right) in &program.comparisons {
                assert!(left == right || !open.contains(&MethodIx(left)) || !open.contains(&MethodIx(right)));
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
        let windows = Paired { min_turn_ns, overlap_bound_ns: 5_000_000, owner_decides: false };
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
