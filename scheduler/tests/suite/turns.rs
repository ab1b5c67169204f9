//! Turns where the owner decides by windows: their length, their calls, and their order among groups.

use crate::bench::{apart, calm, event, gates, method, short};
use spl_lang::Tasks;
use spl_model::{ClaimIx, Sample};
use spl_scheduler::{Action, Budget, Cause, Decision, Event, MethodIx, Paired, Scheduler, Settings, WarmUp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const MS: u64 = 1_000_000;

fn settings() -> Settings {
    let windows = Paired {
        min_turn_ns: 100 * MS,
        overlap_bound_ns: 10 * MS,
        longest_wait_ns: 60_000 * MS,
        owner_decides: true,
    };
    Settings { paired: Some(windows), max_samples: 100_000, initial_optimal: 1, ..calm() }
}

/// Groups of two methods.
fn pairs(groups: usize) -> Tasks {
    let pairs: Vec<(usize, usize)> = (0..groups).map(|pair| (2 * pair, 2 * pair + 1)).collect();
    apart(2 * groups, &pairs)
}

/// Windows of each group of two methods in this time, when all are called all the time.
fn windows_of(groups: usize, until_ns: u64) -> Vec<u64> {
    let calls = |_, from, until| closed_loop(MS, MS, 2, from, until);
    let mut program = Program::new(settings(), &pairs(groups), calls);
    program.run(until_ns);
    (0..groups).map(|group| program.windows.get(&MethodIx(2 * group)).copied().unwrap_or(0)).collect()
}

#[test]
fn every_group_has_its_share_of_a_minute() {
    for groups in [3, 8, 12] {
        let windows = windows_of(groups, 60_000 * MS);
        let [least, most] = [windows.iter().min(), windows.iter().max()].map(|one| *one.unwrap());
        assert!(least >= 50 && most <= 2 * least, "{groups} groups: {windows:?}");
    }
    // One after the other, the last ones would have had no turn in this time.
    assert!(windows_of(13, 9_000 * MS).iter().all(|&windows| windows > 0));
}

#[test]
fn a_group_that_gives_its_place_keeps_its_probes() {
    let calls = |_, from, until| closed_loop(MS, MS, 2, from, until);
    let settings = Settings { restore_after_ns: MS, ..settings() };
    let mut program = Program::new(settings, &pairs(9), calls);
    program.run(30_000 * MS);
    assert!(program.suspended > 10, "{}", program.suspended);
    assert_eq!(program.restored, 0);
}

#[test]
fn turns_of_all_groups_end_on_one_beat() {
    let mut scheduler = Scheduler::new(settings(), &apart(4, &[(0, 1), (2, 3)])).unwrap();
    scheduler.handle(Event::Start, 3 * MS);
    let now = scheduler.wake_ns().unwrap();
    assert_eq!(now, 100 * MS, "half of the shortest turn is the beat, and this one the nearest");
    assert_eq!(short(&scheduler.handle(Event::Pulse, now)), "_A _C");
    assert_eq!(short(&scheduler.handle(event("drained A"), 101 * MS)), "+B");
    assert_eq!(short(&scheduler.handle(event("drained C"), 104 * MS)), "+D");
    assert_eq!(short(&scheduler.handle(Event::Pulse, 200 * MS)), "_B _D");
    assert_eq!(short(&scheduler.handle(event("drained B"), 201 * MS)), "+B");
    assert_eq!(short(&scheduler.handle(event("drained D"), 206 * MS)), "+D");
    assert_eq!(short(&scheduler.handle(Event::Pulse, 300 * MS)), "_B");
    assert_eq!(short(&scheduler.handle(Event::Pulse, 310 * MS)), "+A _D");
}

#[test]
fn what_is_called_often_has_the_shortest_turns_at_once() {
    let calls = |_, from, until| closed_loop(MS / 100, MS / 100, 2, from, until);
    let mut program = Program::new(settings(), &pairs(1), calls);
    program.run(3000 * MS);
    // A window is known when the next one is complete: two turns of each method.
    let (first, others) = program.turns_ns.split_at(4);
    assert!(first.iter().all(|&turn| turn == 100 * MS), "{first:?}");
    let (early, late) = others.split_at(2 * 79);
    assert!(early.iter().all(|&turn| turn == 10 * MS), "{early:?}");
    assert!(late.len() > 10 && late.iter().all(|&turn| turn == 20 * MS), "{late:?}");
}

#[test]
fn a_program_that_warms_up_runs_with_its_probes_and_gives_no_call() {
    let calls = |_, from, until| closed_loop(MS / 10, MS / 10, 2, from, until);
    // No call counts in the first 1.5 s of the measurement, and no group is silent for it.
    let warm_up = Some(WarmUp { samples: 0, time_ns: 7500 * MS });
    let mut program = Program::new(Settings { warm_up, ..settings() }, &pairs(9), calls);
    let prepared = program.scheduler.handle(Event::Prepare, 0);
    assert!(
        prepared.iter().any(|one| matches!(one.action, Action::Open { .. })),
        "gates are open from the beginning"
    );
    // Longer than a share of the time: no group gives its place before anything is measured.
    program.go_on(prepared, 0, 6000 * MS);
    assert_eq!(program.suspended, 0);
    let counted = |program: &Program<_>| program.scheduler.progress().map(|one| one.samples).sum::<u64>();
    let discarded = |program: &Program<_>| program.scheduler.progress().map(|one| one.discarded).sum::<u64>();
    assert_eq!(counted(&program), 0);
    let (unused, turns) = (discarded(&program), program.turns_ns.len());
    assert!(unused > 1000, "{unused}");
    assert!(program.quotas.iter().all(|&quota| quota == 40) && program.every.iter().all(|&every| every == 1));
    let started = program.scheduler.handle(Event::Start, 6000 * MS);
    assert!(started.iter().all(|one| !matches!(one.action, Action::Retransform { .. })), "{started:?}");
    program.go_on(started, 6000 * MS, 7400 * MS);
    assert_eq!((counted(&program), program.gave_place.len()), (0, 0), "no group is silent");
    program.go_on(Vec::new(), 7400 * MS, 8400 * MS);
    assert!(counted(&program) > 1000 && program.windows[&MethodIx(0)] >= 20);
    let later = &program.turns_ns[turns + 18..];
    assert!(
        later.iter().all(|&turn| turn == 10 * MS),
        "the turns have been short since it warmed up: {later:?}"
    );
    program.go_on(Vec::new(), 8400 * MS, 12_000 * MS);
    assert!(program.suspended > 0, "now the ninth group has its share");
}

#[test]
fn turns_that_seldom_meet_the_calls_of_all_methods_are_not_the_shortest() {
    // 20 calls in the first 5 of 35 ms.
    let bursts = |_: MethodIx, from: u64, until: u64| -> Vec<(u64, u64)> {
        let calls = (0..until / MS + 1)
            .filter(|ms| ms % 35 < 5)
            .flat_map(|ms| (0..4).map(move |at| ms * MS + at * MS / 4));
        calls.filter(|&at| at >= from && at < until).map(|at| (at, at + 1000)).collect()
    };
    let mut program = Program::new(settings(), &pairs(1), bursts);
    program.run(4000 * MS);
    let shortest = program.turns_ns.iter().filter(|&&turn| turn < 20 * MS).count();
    assert!(shortest < program.turns_ns.len() / 4, "{shortest} of {}", program.turns_ns.len());
}

#[test]
fn turns_take_more_calls_until_a_claim_may_be_decided() {
    let calls = |_, from, until| closed_loop(MS / 1000, MS / 1000, 2, from, until);
    let mut program = Program::new(settings(), &pairs(1), calls);
    program.run(3000 * MS);
    // Both methods go over to the smaller number in one window, once the 80th is closed.
    let (first, later) = program.quotas.split_at(2 * 81);
    assert!(first.iter().all(|&quota| quota == 200), "{first:?}");
    assert!(later.len() > 10 && later.iter().all(|&quota| quota == 100), "{later:?}");
}

#[test]
fn a_method_that_finishes_in_its_own_turn_holds_up_no_window() {
    let mut in_its_turn = 0;
    // At any moment of a window of three turns.
    for now in (1000..1400).step_by(20).map(|ms| ms * MS) {
        let calls = |_, from, until| closed_loop(MS, MS, 2, from, until);
        let mut program = Program::new(settings(), &apart(3, &[(0, 1), (0, 2)]), calls);
        program.run(now);
        in_its_turn += usize::from(program.open.contains_key(&method("C")));
        let before = program.windows[&method("A")];
        let decisions = program.scheduler.handle(Event::Decided(ClaimIx(1)), now);
        program.go_on(decisions, now, now + 2000 * MS);
        let windows = program.windows[&method("A")] - before;
        assert!(windows > 5, "{windows} windows in 2 s after a decision at {now} ns");
    }
    assert!(in_its_turn > 2, "{in_its_turn}");
}

/// A program whose methods have calls of their own: `calls` gives those of a method that begin within the
/// bounds of a turn.
struct Program<F: Fn(MethodIx, u64, u64) -> Vec<(u64, u64)>> {
    scheduler: Scheduler,
    calls: F,
    open: BTreeMap<MethodIx, (u64, u32, u64)>,
    taken: BTreeMap<MethodIx, Vec<u64>>,
    turns_ns: Vec<u64>,
    every: Vec<u32>,
    quotas: Vec<u64>,
    windows: BTreeMap<MethodIx, u64>,
    suspended: usize,
    /// Methods that were suspended because nobody called them.
    gave_place: BTreeSet<MethodIx>,
    restored: usize,
}

impl<F: Fn(MethodIx, u64, u64) -> Vec<(u64, u64)>> Program<F> {
    fn new(settings: Settings, tasks: &Tasks, calls: F) -> Self {
        let scheduler = Scheduler::new(settings, tasks).unwrap();
        Self {
            scheduler,
            calls,
            open: BTreeMap::new(),
            taken: BTreeMap::new(),
            turns_ns: Vec::new(),
            every: Vec::new(),
            quotas: Vec::new(),
            windows: BTreeMap::new(),
            suspended: 0,
            gave_place: BTreeSet::new(),
            restored: 0,
        }
    }

    /// Until this time; the samples of a turn come when it is over.
    fn run(&mut self, until_ns: u64) {
        let decisions = self.scheduler.handle(Event::Start, 0);
        self.go_on(decisions, 0, until_ns);
    }

    fn go_on(&mut self, decisions: Vec<Decision>, mut now: u64, until_ns: u64) {
        let mut decisions = VecDeque::from(decisions);
        loop {
            while let Some(decision) = decisions.pop_front() {
                match decision.action {
                    Action::Open { method, every, quota } => {
                        self.open.insert(method, (now, every, quota.unwrap_or(u64::MAX)));
                        self.every.push(every);
                        self.quotas.extend(quota);
                    }
                    Action::Close(method) => decisions.extend(self.close(method, now)),
                    Action::Turns(turns) => *self.windows.entry(turns.turns[0].method).or_default() += 1,
                    Action::Suspend(method) => {
                        self.suspended += 1;
                        if decision.cause == Cause::NotCalled {
                            self.gave_place.insert(method);
                        }
                    }
                    Action::Retransform { restore, .. } => self.restored += restore.len(),
                    _ => {}
                }
            }
            let Some(next) = self.scheduler.wake_ns().filter(|&next| next < until_ns) else { return };
            now = next;
            decisions.extend(self.scheduler.handle(Event::Pulse, now));
        }
    }

    fn close(&mut self, method: MethodIx, now: u64) -> Vec<Decision> {
        let (from, every, quota) = self.open.remove(&method).unwrap();
        self.turns_ns.push(now - from);
        let mut random = now;
        let taken = |_: &(u64, u64)| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33).is_multiple_of(u64::from(every))
        };
        let calls = (self.calls)(method, from, now).into_iter().filter(taken);
        let calls: Vec<(u64, u64)> = calls.take(quota as usize).collect();
        self.taken.entry(method).or_default().extend(calls.iter().map(|(start, end)| end - start));
        let sample = |(start, end)| (method, Sample::new(start, end).unwrap());
        let samples = calls.into_iter().map(sample).collect();
        let mut decisions = self.scheduler.handle(Event::Samples(samples), now);
        decisions.extend(self.scheduler.handle(Event::Drained { method, closing: None }, now));
        decisions
    }

    fn mean_ms(&self, letter: &str) -> f64 {
        let times = &self.taken[&method(letter)];
        times.iter().sum::<u64>() as f64 / times.len() as f64 / MS as f64
    }
}

/// One call after the other: every `period`-th takes `long_ns`, the others `short_ns`.
fn closed_loop(short_ns: u64, long_ns: u64, period: u64, from: u64, until: u64) -> Vec<(u64, u64)> {
    let round_ns = short_ns * (period - 1) + long_ns;
    let mut began = Vec::new();
    for round in from / round_ns..=until / round_ns {
        for index in 0..period {
            let start = round * round_ns + index * short_ns;
            let end = start + if index == period - 1 { long_ns } else { short_ns };
            began.extend(Some((start, end)).filter(|_| start >= from && start < until));
        }
    }
    began
}

#[test]
fn the_calls_that_are_taken_are_spread_over_the_turn() {
    // Every 2,000th call takes 200 times as long as all before it: the gate opens while one runs, mostly, and
    // the first 100 calls after it are short. The mean is 21 us.
    let calls = |_, from, until| closed_loop(MS / 1000, 40 * MS, 2000, from, until);
    let mut program = Program::new(settings(), &apart(2, &[(0, 1)]), calls);
    program.run(120_000 * MS);
    let mean_us = program.mean_ms("A") * 1000.0;
    assert!((12.0..32.0).contains(&mean_us), "{mean_us}");
    assert!(program.every.iter().all(|&every| every <= Paired::MOST_EVERY));
}

#[test]
fn what_is_called_seldom_is_taken_whole() {
    let calls = |_, from, until| closed_loop(10 * MS, 10 * MS, 2, from, until);
    let mut program = Program::new(settings(), &apart(2, &[(0, 1)]), calls);
    program.run(20_000 * MS);
    assert!(program.every.iter().all(|&every| every == 1));
    // Some ten calls in 100 ms, so half of that is enough, and five medians are no more.
    let newest = program.turns_ns.last().unwrap() / MS;
    assert!((50..=60).contains(&newest), "{newest}");
}

#[test]
fn bursts_do_not_make_turns_longer() {
    // B is called in 100 of 1,100 ms, every 2 ms; A every 8 ms.
    let calls = |of, from, until| match of {
        MethodIx(0) => closed_loop(8 * MS, 8 * MS, 2, from, until),
        _ => closed_loop(2 * MS, 1000 * MS, 50, from, until),
    };
    let mut program = Program::new(settings(), &apart(2, &[(0, 1)]), calls);
    program.run(60_000 * MS);
    let short = program.turns_ns.iter().filter(|&&turn| turn <= 60 * MS).count();
    let all = program.turns_ns.len();
    assert!(short * 10 >= all * 8, "{short} of {all}");
    assert!(program.turns_ns.iter().all(|&turn| turn <= 200 * MS), "one long call makes no long turn");
}

#[test]
fn a_turn_may_be_saved_up_for() {
    // A sample costs 200 ns, and 100 of them are earned in a second: in a tenth of it only ten.
    let budget = Budget {
        ceiling_ns_per_s: 20_000,
        sample_cost_ps: 50_000,
        agent_cost_ps: 150_000,
        agent_spare_ns_per_s: 0,
        skip_cost_ps: 2000,
        closed_cost_ps: 0,
        size_cost_ps: 0,
        window_ns: MS,
        max_every: 100,
    };
    let of_policy = |owner_decides| {
        let paired = settings().paired.map(|windows| Paired { owner_decides, ..windows });
        let settings = Settings { paired, budget: Some(budget), ..settings() };
        let mut scheduler = Scheduler::new(settings, &apart(2, &[(0, 1)])).unwrap();
        scheduler.handle(Event::Tick, 0);
        let decisions = scheduler.handle(Event::Start, 10_000 * MS);
        gates(&decisions)
    };
    assert_eq!([of_policy(true), of_policy(false)], ["A:1/200", "A:1/10"]);
}

#[test]
fn the_maximum_is_known_by_its_setting() {
    let calls = |_, from, until| closed_loop(MS, MS, 2, from, until);
    let mut program = Program::new(Settings { max_samples: 20, ..settings() }, &pairs(1), calls);
    assert_eq!(program.scheduler.reached_maximum(method("A")), None);
    program.scheduler.handle(Event::AgentLimit(10), 0);
    program.run(5000 * MS);
    assert_eq!(program.scheduler.reached_maximum(method("A")), Some(("spl.client.measurements", 10)));
}

#[test]
fn groups_that_are_not_called_give_their_places_to_others() {
    // Thirteen groups for eight places. Only Y and Z are called; with equal shares they would have eight
    // thirteenths of the time.
    let comparisons: Vec<(usize, usize)> = (0..13).map(|group| (2 * group, 2 * group + 1)).collect();
    let calls = |of: MethodIx, from, until| {
        if of.0 < 24 { Vec::new() } else { closed_loop(10 * MS, 10 * MS, 2, from, until) }
    };
    let mut program = Program::new(settings(), &apart(26, &comparisons), calls);
    program.run(120_000 * MS);
    let windows = |letter: &str| program.windows.get(&method(letter)).copied().unwrap_or(0);
    let (called, silent) = (windows("Y"), windows("A"));
    assert!(called > silent * 2, "{called} and {silent} windows");
    // Silent groups get turns again and again.
    assert!(silent > 100, "{silent}");
    // Before their share of the time was over, and only they.
    assert_eq!(program.gave_place, (0..24).map(MethodIx).collect());
}
