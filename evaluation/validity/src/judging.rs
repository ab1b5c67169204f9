//! `spl-validity judge` and `spl-validity families`: runs that are recorded in no time, judged by the product.

use crate::claiming::Claims;
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use spl_validity::catalogue::PROCESSES;
use spl_validity::claims::Scenario;
use spl_validity::interval::{interval, is_too_many};
use spl_validity::judged::Judge;
use spl_validity::processes::Process;
use spl_validity::wrong::{Family, LIMIT, Outcome, Plan, Tally, family, outcome};
use std::path::{Path, PathBuf};

/// Inputs of every judgement.
#[derive(Debug, Args)]
pub struct Common {
    /// The controller.
    #[arg(long)]
    spl: PathBuf,
    /// Settings that the runs are judged by: the text of a splserver.ini, with ; for the ends of its lines.
    #[arg(long, default_value = "")]
    settings: String,
    /// Only processes with this in their name.
    #[arg(long, default_value = "")]
    only: String,
    /// Windows in a run, after each of which the product looks.
    #[arg(long, default_value_t = 100)]
    windows: usize,
    /// Calls in a turn, as a multiple of those of the catalogue.
    #[arg(long, default_value_t = 1)]
    calls: usize,
    /// Decides all.
    #[arg(long, default_value_t = 20_150_731)]
    seed: u64,
}

/// Rates at which claims of each kind are decided wrongly, and decided at all.
#[derive(Debug, Args)]
pub struct Judging {
    #[command(flatten)]
    common: Common,
    /// Runs of each process.
    #[arg(long, default_value_t = 1000)]
    runs: u64,
    /// Parts of a run after which it is judged as if it had ended there; a claim is wrong when it is at any of them.
    #[arg(long, value_delimiter = ',', num_args = 0..)]
    parts: Vec<f64>,
    /// Say what came of each claim.
    #[arg(long)]
    each: bool,
    /// Rate at which `f < g` was found before, for each process: it has to be found as often now.
    #[arg(long)]
    power: Option<PathBuf>,
}

/// A file of how often a claim was found.
#[derive(Debug, Deserialize)]
struct Power {
    claim: String,
    processes: Vec<Found>,
}

#[derive(Debug, Deserialize)]
struct Found {
    process: String,
    found: u64,
    runs: u64,
    /// Reason why it is not a measure.
    left_out: Option<String>,
}

/// Rate at which any of many claims is decided wrongly.
#[derive(Debug, Args)]
pub struct Families {
    #[command(flatten)]
    common: Common,
    /// Runs of each family.
    #[arg(long, default_value_t = 300)]
    runs: u64,
    /// Pairs of equal methods.
    #[arg(long, default_value_t = 100)]
    equal: usize,
    /// Pairs that differ.
    #[arg(long, default_value_t = 10)]
    different: usize,
    /// Bound the share of wrong ones among the decided, not the probability of any.
    #[arg(long)]
    share: bool,
}

/// Number of standard errors above the allowed rate that is too much.
const ERRORS: f64 = 4.0;

impl Common {
    fn plan(&self, runs: u64, parts: &[f64]) -> Plan {
        let settings = self.settings.replace(';', "\n");
        Plan { runs, windows: self.windows, settings, parts: parts.to_vec(), seed: self.seed }
    }

    fn judge(&self) -> Result<Judge, String> {
        let spl = self.spl.canonicalize().map_err(|e| format!("cannot find {}: {e}", self.spl.display()))?;
        Ok(Judge { spl })
    }

    fn processes(&self) -> impl Iterator<Item = Process> {
        let chosen = PROCESSES.into_iter().filter(|process| process.name.contains(&self.only));
        chosen.map(|process| process.with_calls(self.calls))
    }
}

impl Judging {
    pub fn run(&self, claims: &mut Claims) -> Result<Value, String> {
        let plan = self.common.plan(self.runs, &self.parts);
        let judge = self.common.judge()?;
        let mut outcomes = Vec::new();
        for process in self.common.processes() {
            for scenario in [Scenario::Limit, Scenario::Clear] {
                let outcome = outcome(&judge, &process, scenario, &plan)?;
                self.say(&outcome, claims);
                outcomes.push(outcome);
            }
        }
        if let Some(path) = &self.power {
            compare(&read(path)?, &outcomes, claims);
        }
        Ok(json!({ "schema": "spl.judged/1", "plan": plan, "outcomes": outcomes }))
    }

    fn say(&self, outcome: &Outcome, claims: &mut Claims) {
        let Outcome { process, scenario, claims: tallies, contradictions } = outcome;
        let scenario = if *scenario == Scenario::Limit { "at the limit" } else { "20% from the limit" };
        if let Some(worst) = worst(tallies) {
            let failed = tallies.iter().filter(|tally| tally.is_too_often_wrong()).count();
            let decided: u64 = tallies.iter().map(|tally| tally.decided).sum();
            let share = 100.0 * decided as f64 / (self.runs * tallies.len() as u64) as f64;
            let text = format!(
                "{process}, {} claims {scenario}: {failed} too often wrong, most often `{}`, {}; {share:.0}% decided",
                tallies.len(),
                worst.claim.name,
                of(worst.wrong, worst.runs, worst.wrong_interval),
            );
            claims.say(failed == 0, &text);
        }
        if *contradictions > 0 {
            let text = format!(
                "{process} {scenario}: a line and an assertion of the same text differ in {contradictions} of {} runs",
                self.runs
            );
            claims.say(false, &text);
        }
        for tally in tallies.iter().filter(|tally| self.each || tally.is_too_often_wrong()) {
            let wrong = of(tally.wrong, tally.runs, tally.wrong_interval);
            let decided = of(tally.decided, tally.runs, tally.decided_interval);
            println!(
                "       `{}` ({}): wrong {wrong}, decided {decided}",
                tally.claim.name, tally.claim.truth
            );
        }
    }
}

fn read(path: &Path) -> Result<Power, String> {
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| cannot(&e))?;
    serde_json::from_str(&text).map_err(|e| cannot(&e))
}

/// Fails where a difference is surely found less often than before.
fn compare(before: &Power, outcomes: &[Outcome], claims: &mut Claims) {
    for outcome in outcomes.iter().filter(|outcome| outcome.scenario == Scenario::Clear) {
        let found = before.processes.iter().find(|found| found.process == outcome.process);
        let tally = outcome.claims.iter().find(|tally| tally.claim.name == before.claim);
        let (Some(found), Some(tally)) = (found, tally) else { continue };
        let right = tally.decided.saturating_sub(tally.wrong);
        let [low, high] = interval(right, tally.runs);
        let [least, most] = interval(found.found, found.runs);
        let text = format!(
            "{}: `{}` is found in {}; before in {}",
            outcome.process,
            before.claim,
            of(right, tally.runs, [low, high]),
            of(found.found, found.runs, [least, most]),
        );
        match &found.left_out {
            Some(why) => println!("       {text}, which is not a measure ({why})"),
            None => claims.say(high >= least, &text),
        }
    }
}

/// The claim that is most above its level.
fn worst(tallies: &[Tally]) -> Option<&Tally> {
    let rate = |tally: &Tally| tally.wrong as f64 / tally.claim.level;
    tallies.iter().max_by(|one, other| rate(one).total_cmp(&rate(other)))
}

fn of(count: u64, all: u64, [low, high]: [f64; 2]) -> String {
    let percent = 100.0 * count as f64 / all as f64;
    format!("{percent:.1}% [{:.1}, {:.1}]", 100.0 * low, 100.0 * high)
}

impl Families {
    pub fn run(&self, claims: &mut Claims) -> Result<Value, String> {
        let plan = self.common.plan(self.runs, &[]);
        let judge = self.common.judge()?;
        let members = [self.equal, self.different];
        let mut families = Vec::new();
        for process in self.common.processes() {
            for sign in ["<", "<=", "="] {
                let family = family(&judge, &process, sign, members, &plan)?;
                self.say(&process, sign, &family, claims);
                families.push(json!({ "process": process.name, "sign": sign, "family": family }));
            }
        }
        Ok(json!({ "schema": "spl.families/1", "plan": plan, "families": families }))
    }
}

impl Families {
    fn say(&self, process: &Process, sign: &str, family: &Family, claims: &mut Claims) {
        let Family { wrong, runs, wrong_interval, share: [share, error], found, .. } = *family;
        let (equal, different) = (self.equal, self.different);
        let of_whom = format!("{}, {equal} equal and {different} different pairs, `{sign}`", process.name);
        let (holds, what) = if self.share {
            let percent = 100.0 * share;
            let text = format!(
                "{percent:.1}% of the decided are wrong on average, standard error {:.1}%",
                100.0 * error
            );
            (share <= LIMIT + ERRORS * error, text)
        } else {
            (!is_too_many(wrong, runs, LIMIT), format!("any wrong in {}", of(wrong, runs, wrong_interval)))
        };
        claims.say(holds, &format!("{of_whom}: {what}; {:.0}% of the differences found", 100.0 * found));
    }
}
