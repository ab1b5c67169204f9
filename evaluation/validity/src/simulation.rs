//! Many comparisons of simulated calls: how often methods that are equal are called different, and how often a slowdown is
//! found.

use crate::latencies::{Case, Kind};
use crate::random::Random;
use serde::Serialize;
use spl_lang::Sign;
use spl_stats::{Summary, welch};
use spl_verdict::{SequentialComparison, Truth};
use std::num::NonZero;
use std::thread;

/// Accepted probability of a wrong decision, that of `limit-p-value`.
pub const ALPHA: f64 = 0.05;
/// Factor of the right method's time where there is a difference to be found.
pub const SLOWDOWN: f64 = 1.2;

/// With smaller windows than this only the sequential mode looks after each.
const PEEKING_WINDOW: u64 = 10;

/// Amount of simulation.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Plan {
    /// Comparisons of each case.
    pub repetitions: u64,
    /// Pairs of calls in a comparison.
    pub pairs: u64,
    /// Pairs in a window, after each of which is looked.
    pub window: u64,
    /// Decides all.
    pub seed: u64,
}

/// The part of the comparisons that ended so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rates {
    /// In the sequential mode, at any look up to the last.
    pub sequential: f64,
    /// In the sequential mode when the pairs are compared in the wrong direction.
    pub sequential_wrong: f64,
    /// By Welch's test, once, at the end.
    pub once: f64,
    /// By Welch's test when it is looked at after each window, of ten pairs at least, until it is under the limit.
    pub peeking: f64,
    /// By Welch's test, once, when all calls of the left method come before those of the right one.
    pub unpaired: f64,
}

/// Outcome of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Of equal methods, those called different.
    pub equal: Rates,
    /// Of methods that differ by [`SLOWDOWN`], those called different.
    pub slower: Rates,
    /// Pairs after which the slowdown was found in the sequential mode: the median, infinite ones included.
    pub pairs_until_found: Option<u64>,
}

/// One comparison.
#[derive(Clone, Copy, Debug)]
struct Ended {
    /// Verdict of the sequential mode on "left is shorter", and the number of pairs before it.
    sequential: (Truth, u64),
    once: bool,
    peeking: bool,
    unpaired: bool,
}

/// Simulates a case.
#[must_use]
pub fn simulate(case: &Case, plan: &Plan) -> Outcome {
    let equal = repeat(case, plan, 1.0);
    let slower = repeat(case, plan, SLOWDOWN);
    let found = |ended: &Ended| if ended.sequential.0 == Truth::True { ended.sequential.1 } else { u64::MAX };
    let mut until: Vec<u64> = slower.iter().map(found).collect();
    until.sort_unstable();
    let median = until.get(until.len() / 2).copied().filter(|&pairs| pairs < u64::MAX);
    Outcome {
        name: case.name,
        kind: case.kind,
        equal: rates(&equal, |truth| truth != Truth::Undecided),
        slower: rates(&slower, |truth| truth == Truth::True),
        pairs_until_found: median,
    }
}

fn rates(all: &[Ended], sequential: impl Fn(Truth) -> bool) -> Rates {
    let part =
        |is: &dyn Fn(&Ended) -> bool| all.iter().filter(|one| is(one)).count() as f64 / all.len() as f64;
    Rates {
        sequential: part(&|one| sequential(one.sequential.0)),
        sequential_wrong: part(&|one| one.sequential.0 == Truth::False),
        once: part(&|one| one.once),
        peeking: part(&|one| one.peeking),
        unpaired: part(&|one| one.unpaired),
    }
}

/// All comparisons of a case, on all processors.
fn repeat(case: &Case, plan: &Plan, ratio: f64) -> Vec<Ended> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    thread::scope(|scope| {
        let work = |worker: u64| {
            let numbers = (worker..plan.repetitions).step_by(workers as usize);
            numbers.map(|number| compare(case, plan, ratio, number)).collect::<Vec<_>>()
        };
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let ended = running.into_iter().map(|worker| worker.join().expect("a comparison does not panic"));
        ended.flatten().collect()
    })
}

fn compare(case: &Case, plan: &Plan, ratio: f64, number: u64) -> Ended {
    let mut seeds = Random::new(plan.seed ^ (number << 20));
    let (mut left, mut right) = (case.calls(seeds.bits()), case.calls(seeds.bits()));
    let mut late = case.calls(seeds.bits());
    let machine = SequentialComparison::new(Sign::Less, 1.0, 1.0, ALPHA, None);
    let mut machine = machine.expect("the probability is one");
    let scaled = |time: u64| (time as f64 * ratio).round() as u64;
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    let mut ended = Ended { sequential: (Truth::Undecided, 0), once: false, peeking: false, unpaired: false };
    while (lefts.len() as u64) < plan.pairs {
        let begin = lefts.len();
        for pair in begin as u64..(begin as u64 + plan.window).min(plan.pairs) {
            let moment = pair as f64 / plan.pairs as f64;
            lefts.push(left.next(moment));
            rights.push(scaled(right.next(moment)));
        }
        if ended.sequential.0 == Truth::Undecided {
            let truth = machine.close_window(&lefts[begin..], &rights[begin..]);
            ended.sequential = (truth, lefts.len() as u64);
        }
        // A t-test is dear, and once it was under the limit nothing more can come of it.
        let peeks = plan.window >= PEEKING_WINDOW && !ended.peeking;
        ended.peeking |= peeks && differ(&lefts, &rights);
    }
    ended.once = differ(&lefts, &rights);
    ended.peeking |= ended.once;
    // The left method's calls, then those of the right one, in the same time.
    let moment = |call: u64, first: f64| first + call as f64 / plan.pairs as f64 / 2.0;
    let mut early = case.calls(seeds.bits());
    let before: Vec<u64> = (0..plan.pairs).map(|call| early.next(moment(call, 0.0))).collect();
    let after: Vec<u64> = (0..plan.pairs).map(|call| scaled(late.next(moment(call, 0.5)))).collect();
    ended.unpaired = differ(&before, &after);
    ended
}

fn differ(left: &[u64], right: &[u64]) -> bool {
    let summary = |times: &[u64]| Summary::of_integers(times.iter().copied());
    match (summary(left), summary(right)) {
        (Ok(left), Ok(right)) => welch(&left, &right).p_two < ALPHA,
        _ => false,
    }
}
