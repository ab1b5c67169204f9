//! Rates at which `spl` decides wrongly, and decides at all, over many recorded runs of each process.

use crate::claims::{Claim, Scenario, tasks};
use crate::interval::{interval, is_too_many};
use crate::judged::{Case, Decision, Judge};
use crate::processes::Process;
use crate::random::Random;
use crate::recording::{Recording, method};
use serde::Serialize;
use std::num::NonZero;
use std::thread;

/// The level of `spl` by default.
pub const LIMIT: f64 = 0.05;

/// Amount of judging.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Runs of each process.
    pub runs: u64,
    /// Windows in a run.
    pub windows: usize,
    /// Settings, as in `splserver.ini`.
    pub settings: String,
    /// Parts of a run after which it is judged too, as who ends it there would see it.
    pub parts: Vec<f64>,
    /// Decides all.
    pub seed: u64,
}

/// A claim in all runs.
#[derive(Clone, Debug, Serialize)]
pub struct Tally {
    /// The claim.
    pub claim: Claim,
    /// Runs.
    pub runs: u64,
    /// Runs in which it was called what it is not, at one of the looks.
    pub wrong: u64,
    /// Runs in which it was decided at the last look.
    pub decided: u64,
    /// The interval of the probability of a wrong decision.
    pub wrong_interval: [f64; 2],
    /// The interval of the probability of a decision.
    pub decided_interval: [f64; 2],
}

/// A process in a scenario.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The process.
    pub process: &'static str,
    /// The scenario.
    pub scenario: Scenario,
    /// The claims.
    pub claims: Vec<Tally>,
    /// Runs in which a line and an assertion of the same text had different verdicts.
    pub contradictions: u64,
}

impl Tally {
    fn new(claim: Claim) -> Self {
        Self { claim, runs: 0, wrong: 0, decided: 0, wrong_interval: [0.0; 2], decided_interval: [0.0; 2] }
    }

    /// Whether it was wrong more often than its level allows.
    #[must_use]
    pub fn is_too_often_wrong(&self) -> bool {
        is_too_many(self.wrong, self.runs, self.claim.level)
    }

    fn close(&mut self) {
        self.wrong_interval = interval(self.wrong, self.runs);
        self.decided_interval = interval(self.decided, self.runs);
    }
}

/// Outcome of one run: for each claim whether it was ever decided wrongly, and its last verdict.
struct Run {
    wrong: Vec<bool>,
    last: Vec<Decision>,
}

/// Judges runs of a process, on all processors.
///
/// # Errors
/// When `spl eval` fails; text.
pub fn outcome(judge: &Judge, process: &Process, scenario: Scenario, plan: &Plan) -> Result<Outcome, String> {
    let claims = scenario.claims(process, LIMIT);
    let runs = on_all_processors(plan.runs, |case, number| {
        let mut random = Random::new(plan.seed ^ (number << 24));
        let recording = Recording::of(process, scenario.ratio(), plan.windows, 0, &mut random);
        judged(case, judge, &recording, &claims, plan)
    })?;
    let mut tallies: Vec<Tally> = claims.iter().cloned().map(Tally::new).collect();
    let mut contradictions = 0;
    for run in &runs {
        for (index, tally) in tallies.iter_mut().enumerate() {
            tally.runs += 1;
            tally.wrong += u64::from(run.wrong[index]);
            tally.decided += u64::from(run.last[index] != Decision::Undecided);
        }
        contradictions += u64::from(contradicts(&claims, &run.last));
    }
    tallies.iter_mut().for_each(Tally::close);
    Ok(Outcome { process: process.name, scenario, claims: tallies, contradictions })
}

/// Whether an assertion says otherwise than the line of the same text.
fn contradicts(claims: &[Claim], last: &[Decision]) -> bool {
    claims.iter().enumerate().any(|(at, claim)| {
        let twin =
            |other: &Claim| other.name == format!("assert {}", claim.name) && other.truth == claim.truth;
        claims.iter().position(twin).is_some_and(|other| last[other] != last[at])
    })
}

fn judged(
    case: &Case,
    judge: &Judge,
    recording: &Recording,
    claims: &[Claim],
    plan: &Plan,
) -> Result<Run, String> {
    case.set(&tasks(claims), &plan.settings)?;
    let mut run = Run { wrong: vec![false; claims.len()], last: vec![Decision::Undecided; claims.len()] };
    for &part in plan.parts.iter().chain(&[1.0]) {
        let windows = (part * plan.windows as f64) as usize;
        recording
            .up_to(windows)
            .write(&case.measurements(), 0)
            .map_err(|e| format!("cannot write samples: {e}"))?;
        let decisions = case.judge(judge)?;
        for (index, claim) in claims.iter().enumerate() {
            let decision = decisions.get(&claim.key).copied();
            let decision = decision.ok_or_else(|| format!("spl eval says nothing of {}", claim.key))?;
            let wrong = if claim.truth { Decision::Fails } else { Decision::Holds };
            run.wrong[index] |= decision == wrong;
            run.last[index] = decision;
        }
    }
    Ok(run)
}

fn on_all_processors<T: Send>(
    runs: u64,
    work: impl Fn(&Case, u64) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    thread::scope(|scope| {
        let work = &work;
        let numbers = move |worker: u64| (worker..runs).step_by(workers as usize);
        let all = move |worker| {
            let case = Case::new()?;
            numbers(worker).map(|number| work(&case, number)).collect::<Result<Vec<_>, _>>()
        };
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || all(worker))).collect();
        let mut ended = Vec::new();
        for worker in running {
            ended.extend(worker.join().expect("a run does not panic")?);
        }
        Ok(ended)
    })
}

/// Many comparisons in one task file, and how often any of them is decided wrongly.
#[derive(Clone, Debug, Serialize)]
pub struct Family {
    /// Pairs of equal methods, and of those where the right one takes [`crate::claims::CLEAR`] times as long.
    pub members: [usize; 2],
    /// Runs.
    pub runs: u64,
    /// Runs in which any claim was decided wrongly.
    pub wrong: u64,
    /// Its interval.
    pub wrong_interval: [f64; 2],
    /// The part of the decided claims that was decided wrongly, on average over the runs, and its standard error.
    pub share: [f64; 2],
    /// The part of the true differences that was found.
    pub found: f64,
}

/// Judges families of claims of one sign about pairs of methods of their own.
///
/// # Errors
/// When `spl eval` fails; text.
pub fn family(
    judge: &Judge,
    process: &Process,
    sign: &str,
    members: [usize; 2],
    plan: &Plan,
) -> Result<Family, String> {
    let pairs = members[0] + members[1];
    let text = |pair: usize| format!("{} {sign} {}", method(0, pair), method(1, pair));
    let lines: String = (0..pairs).map(|pair| format!("{}\n", text(pair))).collect();
    let runs = on_all_processors(plan.runs, |case, number| {
        let mut random = Random::new(plan.seed ^ (number << 24));
        case.set(&lines, &plan.settings)?;
        for pair in 0..pairs {
            let ratio = if pair < members[0] { Scenario::Limit } else { Scenario::Clear }.ratio();
            let recording = Recording::of(process, ratio, plan.windows, pair, &mut random);
            recording.write(&case.measurements(), pair).map_err(|e| format!("cannot write samples: {e}"))?;
        }
        let decisions = case.judge(judge)?;
        let of = |pair: usize| decisions.get(&text(pair)).copied().unwrap_or(Decision::Undecided);
        let is_wrong = |pair: usize| match (sign, pair < members[0]) {
            ("<", true) | ("=", false) => of(pair) == Decision::Holds,
            _ => of(pair) == Decision::Fails,
        };
        let is_decided = |pair: &usize| of(*pair) != Decision::Undecided;
        let is_found = |pair: &usize| is_decided(pair) && !is_wrong(*pair);
        let wrong = (0..pairs).filter(|&pair| is_wrong(pair)).count();
        let share = wrong as f64 / (0..pairs).filter(is_decided).count().max(1) as f64;
        Ok((share, (members[0]..pairs).filter(is_found).count()))
    })?;
    let shares: Vec<f64> = runs.iter().map(|(share, _)| *share).collect();
    let wrong = shares.iter().filter(|&&share| share > 0.0).count() as u64;
    let found: usize = runs.iter().map(|(_, found)| found).sum();
    let differences = plan.runs * members[1] as u64;
    Ok(Family {
        members,
        runs: plan.runs,
        wrong,
        wrong_interval: interval(wrong, plan.runs),
        share: mean_and_error(&shares),
        found: found as f64 / differences.max(1) as f64,
    })
}

fn mean_and_error(values: &[f64]) -> [f64; 2] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    [mean, (variance / count).sqrt()]
}
