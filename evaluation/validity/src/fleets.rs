//! Simulated fleets: several instances of one program, and how often a claim about their mean is decided
//! wrongly; and the same with two ways of throwing the calls of all instances
//! together.
//!
//! The left method takes a little less than the right one, exactly as much less as still counts as equal. So
//! `f < g` must not be decided, true or false, at any look. The kinds of fleets differ in how their instances differ and in what hits several
//! of them at the same time.

use crate::random::Random;
use serde::Serialize;
use spl_lang::{RunMode, parse_file};
use spl_model::Bucket;
use spl_verdict::{Claim, History, Instances, Rules, Truth, Turn};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::thread;

/// Accepted probability of a wrong decision.
pub const LEVEL: f64 = 0.05;
/// Mean time of a call, nanoseconds.
const MEAN_NS: f64 = 10_000.0;
/// Deviation of the logarithm of one call's time.
const CALL: f64 = 0.15;
/// Deviation of the logarithm of a window's times, which both methods share.
const WINDOW: f64 = 0.1;
/// Calls of a method in a window.
const CALLS: u64 = 5;
/// Factor of the bad host: of its ratio, or of all its times.
pub const BAD: f64 = 2.1;
/// Ratio of the methods where there is a difference to be found.
pub const CLEAR: f64 = 0.8;

/// A kind of fleet.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Fleet {
    /// Its name.
    pub name: &'static str,
    /// Deviation between instances of the ratio's logarithm.
    pub between: f64,
    /// Deviation and autocorrelation of a shock that hits the left method in all instances at the same time.
    pub shock: (f64, f64),
    /// Whether the last instance has another ratio.
    pub bad: bool,
    /// Whether all times of the last instance are longer.
    pub slow: bool,
    /// Whether speeds drift, and calls move from fast instances to slow ones, of each method at another time.
    pub drift: bool,
}

const PLAIN: Fleet =
    Fleet { name: "alike", between: 0.0, shock: (0.0, 0.0), bad: false, slow: false, drift: false };

/// The fleets.
pub const FLEETS: [Fleet; 6] = [
    PLAIN,
    Fleet { name: "independent", between: 0.05, ..PLAIN },
    Fleet { name: "shared shocks", between: 0.01, shock: (0.1, 0.5), ..PLAIN },
    Fleet { name: "one bad host", between: 0.01, bad: true, ..PLAIN },
    Fleet { name: "one slow host", between: 0.01, slow: true, ..PLAIN },
    Fleet { name: "drift", between: 0.02, drift: true, ..PLAIN },
];

/// Amount of simulation.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Plan {
    /// Fleets of each kind.
    pub fleets: u64,
    /// Instances of a fleet.
    pub instances: u64,
    /// Windows of each instance.
    pub windows: u64,
    /// Decides all.
    pub seed: u64,
}

/// Outcome of a kind of fleets.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The kind.
    pub fleet: Fleet,
    /// Part of the fleets in which the claim at its limit was decided wrongly, at any look.
    pub wrong: f64,
    /// The same where the windows of all instances count as those of one program.
    pub pot: f64,
    /// The same where the e-values of the instances are multiplied.
    pub product: f64,
    /// Part of the fleets in which a clear difference was found.
    pub found: f64,
    /// Windows of each instance until then: the median, with infinity for the others.
    pub windows: Option<u64>,
    /// Windows of one instance alone until it finds the same.
    pub windows_alone: Option<u64>,
    /// Part of the fleets in which the last instance, and no other one, is named.
    pub named: f64,
    /// Part of the fleets in which another instance is named.
    pub misnamed: f64,
}

/// The windows of a fleet, as they come.
struct Process {
    fleet: Fleet,
    random: Random,
    /// Logarithm of each instance's ratio, and of its speed.
    ratios: Vec<f64>,
    speeds: Vec<f64>,
    shock: f64,
}

impl Process {
    fn new(fleet: Fleet, instances: u64, ratio: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let n = instances as f64;
        let offset = if fleet.bad { -BAD.ln() / n } else { 0.0 };
        let mut ratios: Vec<f64> =
            (0..instances).map(|_| ratio.ln() + offset + fleet.between * random.normal()).collect();
        let mut speeds: Vec<f64> = (0..instances).map(|_| 0.05 * random.normal()).collect();
        if fleet.drift {
            // Half of the instances run on older machines.
            speeds.iter_mut().step_by(2).for_each(|speed| *speed += 0.7);
        }
        if let (true, Some(last)) = (fleet.bad, ratios.last_mut()) {
            *last += BAD.ln();
        }
        if let (true, Some(last)) = (fleet.slow, speeds.last_mut()) {
            *last += BAD.ln();
        }
        Self { fleet, random, ratios, speeds, shock: 0.0 }
    }

    /// The next window of every instance, at this moment of the whole time, from 0 to 1: times of both methods.
    fn next(&mut self, moment: f64) -> Vec<[Vec<u64>; 2]> {
        let (deviation, again) = self.fleet.shock;
        self.shock = again * self.shock + deviation * (1.0 - again * again).sqrt() * self.random.normal();
        (0..self.ratios.len()).map(|instance| self.window(instance, moment)).collect()
    }

    fn window(&mut self, instance: usize, moment: f64) -> [Vec<u64>; 2] {
        let drift = if self.fleet.drift { 0.5 * moment } else { 0.0 };
        let level = self.speeds[instance] + drift + WINDOW * self.random.normal();
        let is_old = instance.is_multiple_of(2);
        [0, 1].map(|side| {
            let own = if side == 0 { self.ratios[instance] + self.shock } else { 0.0 };
            // More and more calls of the left method go to the new machines, and of the right one to the old.
            let grows = is_old != (side == 0);
            let calls = match (self.fleet.drift, grows) {
                (false, _) => CALLS,
                (true, true) => CALLS + (moment * 15.0) as u64,
                (true, false) => CALLS,
            };
            let time = |random: &mut Random| (MEAN_NS * (level + own + CALL * random.normal()).exp()) as u64;
            (0..calls).map(|_| time(&mut self.random)).collect()
        })
    }
}

/// How one fleet ended.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    wrong: bool,
    pot: bool,
    product: bool,
    found: Option<u64>,
    found_alone: Option<u64>,
    named: bool,
    misnamed: bool,
}

/// Simulates fleets of a kind, on all processors.
///
/// # Panics
/// When the claim of the simulation cannot be read, which would be a mistake in this file.
#[must_use]
pub fn simulate(fleet: Fleet, plan: &Plan) -> Outcome {
    let workers = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let ended: Vec<Ended> = thread::scope(|scope| {
        let work = |worker: u64| {
            let numbers = (worker..plan.fleets).step_by(workers as usize);
            numbers.map(|number| one(fleet, plan, plan.seed ^ (number << 20))).collect::<Vec<_>>()
        };
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        running.into_iter().flat_map(|worker| worker.join().expect("a simulation does not panic")).collect()
    });
    let part =
        |is: &dyn Fn(&Ended) -> bool| ended.iter().filter(|one| is(one)).count() as f64 / ended.len() as f64;
    let median = |of: &dyn Fn(&Ended) -> Option<u64>| {
        let mut all: Vec<u64> = ended.iter().map(|one| of(one).unwrap_or(u64::MAX)).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().filter(|&windows| windows < u64::MAX)
    };
    Outcome {
        fleet,
        wrong: part(&|one| one.wrong),
        pot: part(&|one| one.pot),
        product: part(&|one| one.product),
        found: part(&|one| one.found.is_some()),
        windows: median(&|one| one.found),
        windows_alone: median(&|one| one.found_alone),
        named: part(&|one| one.named),
        misnamed: part(&|one| one.misnamed),
    }
}

fn one(fleet: Fleet, plan: &Plan, seed: u64) -> Ended {
    let limit = 1.0 - Rules::RESOLUTION;
    let mut ended = at_limit(Process::new(fleet, plan.instances, limit, seed), plan);
    let clear = Process::new(fleet, plan.instances, CLEAR, seed.rotate_left(7));
    (ended.found, ended.found_alone) = clear_difference(clear, plan);
    ended
}

fn claim() -> Claim {
    let text = "p/A.f()V < p/A.g()V\n";
    let parsed = parse_file(text, RunMode::Comparison).expect("it is a task file");
    let program = parsed.check(text, &mut |_| Vec::new()).expect("all methods are named exactly");
    Claim::from(program.tasks.comparisons.first().expect("there is one comparison"))
}

fn rules() -> Rules {
    // Rare long calls are another question.
    Rules { level: LEVEL, equal_within: LEVEL, rare_calls: None }
}

/// Whether "f < g" is called true or false, and the p-values of both.
fn decides(claim: &Claim, history: &History) -> (Truth, [f64; 2]) {
    let evidence = claim.rule(history, &rules()).evidence;
    (evidence.truth(LEVEL), [evidence.p_true, evidence.p_false])
}

/// Adds the windows of a moment; `instance` gives the instance that an instance's windows count for.
fn add(
    history: &mut History,
    slice: u64,
    windows: &[[Vec<u64>; 2]],
    instance: impl Fn(usize) -> Option<usize>,
) {
    for (at, window) in windows.iter().enumerate() {
        let Some(instance) = instance(at) else { continue };
        for (side, times) in window.iter().enumerate() {
            let calls = BTreeMap::from([(Bucket::All, times.clone())]);
            let number = slice * windows.len() as u64 + at as u64;
            history.add(side, Turn { instance, window: number, began_ns: number, calls, ..Turn::default() });
        }
    }
}

/// A look after each share of a twentieth more windows, as a run does.
fn is_look(slice: u64, next: &mut u64) -> bool {
    let due = slice + 1 >= *next;
    if due {
        *next = slice + 1 + ((slice + 1) / 20).max(1);
    }
    due
}

fn at_limit(mut process: Process, plan: &Plan) -> Ended {
    let claim = claim();
    let instances = plan.instances as usize;
    let mut all = History::new(2);
    for at in 0..instances {
        all.instance(&format!("i{at}"));
    }
    let (mut pot, mut each) = (History::new(2), vec![History::new(2); instances]);
    let (mut ended, mut next) = (Ended::default(), 8);
    for slice in 0..plan.windows {
        let windows = process.next(slice as f64 / plan.windows as f64);
        add(&mut all, slice, &windows, Some);
        add(&mut pot, slice, &windows, |_| Some(0));
        for (one, history) in each.iter_mut().enumerate() {
            add(history, slice, &windows, |at| (at == one).then_some(0));
        }
        if !is_look(slice, &mut next) {
            continue;
        }
        let is_decided = |history: &History| decides(&claim, history).0 != Truth::Undecided;
        ended.wrong = ended.wrong || is_decided(&all);
        ended.pot = ended.pot || is_decided(&pot);
        if !ended.product {
            let p_values = || each.iter().map(|history| decides(&claim, history).1);
            let product = |truth: usize| p_values().map(|p| p[truth]).product::<f64>();
            ended.product = (0..2).any(|truth| product(truth) < LEVEL);
        }
    }
    let last = claim.rule(&all, &rules()).instances;
    let odd = |at: usize, found: &Instances| {
        found.each.get(at).is_some_and(|one| one.odd_ratio.is_some() || one.odd_speed.is_some())
    };
    if let Some(found) = last {
        ended.misnamed = (0..instances - 1).any(|at| odd(at, &found));
        ended.named = odd(instances - 1, &found) && !ended.misnamed;
    }
    ended
}

/// Windows of each instance until the difference is found: by all together, and by the first one alone.
fn clear_difference(mut process: Process, plan: &Plan) -> (Option<u64>, Option<u64>) {
    let claim = claim();
    let (mut all, mut alone) = (History::new(2), History::new(2));
    let (mut found, mut found_alone, mut next) = (None, None, 8);
    for slice in 0..plan.windows {
        let windows = process.next(slice as f64 / plan.windows as f64);
        add(&mut all, slice, &windows, Some);
        add(&mut alone, slice, &windows, |at| (at == 0).then_some(0));
        if is_look(slice, &mut next) {
            let is_found = |history: &History| decides(&claim, history).0 == Truth::True;
            let after = |history: &History| is_found(history).then_some(slice + 1);
            found = found.or_else(|| after(&all));
            found_alone = found_alone.or_else(|| after(&alone));
        }
    }
    (found, found_alone)
}
